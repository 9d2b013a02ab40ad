package search

import (
	"context"
	"errors"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/storetest"
)

// findWith does the same as find with an Admit.
func (f *fixture) findWith(node *Service, query Query, admit Admit) (found Result, err error) {
	query.Limit = max(query.Limit, 50)
	err = node.Find(f.Context(), query, admit, func(lookup Lookup) (err error) {
		found, err = f.runLookup(node, lookup)
		return err
	})
	return found, err
}

// runLookup runs a lookup in a new snapshot.
func (f *fixture) runLookup(node *Service, lookup Lookup) (found Result, err error) {
	err = node.DB.Snapshot(f.Context(), func(q database.Querier) (err error) {
		tx := store.In(q, f.Store.ID)
		current, err := node.Versions(f.Context(), tx)
		if err != nil {
			return err
		}
		found, err = lookup(f.Context(), tx, current)
		return err
	})
	return found, err
}

// P12: requests that waited for a slot while the columns were built got 503 after ten seconds, although the columns
// were there after four.
func TestP12_queriesAreWokenWhenTheColumnsAreReady(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.catalog.CreateProduct("one", 1, catalog.ProductEdit{})

		full := errors.New("too many queries")
		for name, admit := range map[string]Admit{
			"while they wait for a slot": func(ctx context.Context) (func(), error) {
				<-ctx.Done()
				return nil, ctx.Err()
			},
			"after they were refused": func(context.Context) (func(), error) { return nil, full },
		} {
			node := f.newNode(f.DB)
			total := make(chan int64, 1)
			go func() {
				found, err := f.findWith(node, Query{}, admit)
				if err != nil {
					f.Errorf("%s: %v", name, err)
				}
				total <- found.Total
			}()
			idx := node.index(f.Store.ID)
			storetest.Eventually(f, "the query waits for the columns", idx.waitedFor)
			f.expectNoSQL(node, func() {
				node.buildIndex(f.Context(), idx)
				if n := <-total; n != 1 {
					f.Errorf("%s: found %d products, want 1", name, n)
				}
			})
		}
	})
}

// waitedFor reports whether the columns were asked for and are waited for.
func (idx *searchIndex) waitedFor() bool {
	idx.changes.mu.Lock()
	defer idx.changes.mu.Unlock()
	return idx.changes.next != nil && idx.needsBuild.Load()
}

func TestFind_returnsTheRefusalIfNoColumnsAreBuilt(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		full := errors.New("too many queries")
		refuse := func(context.Context) (func(), error) { return nil, full }
		f.search.index(f.Store.ID).suspend(retryPause)
		if _, err := f.findWith(f.search, Query{}, refuse); !errors.Is(err, full) {
			f.Errorf("without columns: %v, want the refusal", err)
		}
		if _, err := f.findWith(f.search, Query{Archived: catalog.OnlyArchived}, refuse); !errors.Is(err, full) {
			f.Errorf("archived products: %v, want the refusal", err)
		}
	})
}

func TestFind_releasesTheSlot(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		held := 0
		admit := func(context.Context) (func(), error) {
			held++
			return func() { held-- }, nil
		}
		if _, err := f.findWith(f.search, Query{}, admit); err != nil || held != 0 {
			f.Errorf("%v; %d slots are held after the query", err, held)
		}
	})
}
