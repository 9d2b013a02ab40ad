package search

import (
	"context"
	"errors"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/storetest"
)

// newWaitingNode returns a node that makes no columns, although queries expect them.
func (f *fixture) newWaitingNode(products int64) (*Service, *searchIndex) {
	node := f.newNode(f.DB)
	node.Prepare()
	node.MaxWait = time.Millisecond
	idx := node.index(f.Store.ID)
	idx.products.Store(products)
	return node, idx
}

func TestFind_refusesExpensiveQueriesUntilTheColumnsAreReady(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		fabric, refs := f.catalog.CreateFeature("Fabric", true, "wool")
		var category catalog.Category
		f.Write(func(tx store.Tx) (err error) {
			category, err = f.catalog.Categories.Create(f.Context(), tx, catalog.CategoryEdit{Name: new("Shirts")})
			return err
		})
		p := f.catalog.CreateProduct("shirt", 100, catalog.ProductEdit{Features: &refs,
			Categories: &[]catalog.CategoryID{category.ID}})
		byIDs := []catalog.ProductID{p.ID}
		for name, c := range map[string]struct {
			query Query
			cheap bool
		}{
			"no filter":              {Query{}, true},
			"archived":               {Query{Archived: catalog.AnyArchived}, true},
			"named":                  {Query{IDs: byIDs}, true},
			"named, with facets":     {Query{IDs: byIDs, WithFacets: true}, true},
			"a small category":       {Query{Category: &category.ID, Sort: ByPrice, InStock: true}, true},
			"no word":                {Query{Text: "-"}, true},
			"with facets":            {Query{WithFacets: true}, false},
			"a category with facets": {Query{Category: &category.ID, WithFacets: true}, false},
			"a word":                 {Query{Text: "shirt"}, false},
			"sorted":                 {Query{Sort: ByPrice}, false},
			"in stock":               {Query{InStock: true}, false},
			"far down":               {Query{Offset: maxCheapOffset + 1}, false},
			"a feature": {Query{Features: []Choice{{ID: fabric.ID, Values: []catalog.ValueID{refs[0].Value}}}},
				false},
		} {
			node, idx := f.newWaitingNode(smallStore + 1)
			found, err := f.find(node, c.query)
			var busy *fault.Error
			switch refused := errors.As(err, &busy); {
			case c.cheap && (err != nil || node.Stats().SQL != 1):
				f.Errorf("%s: %v, want an answer by SQL", name, err)
			case !c.cheap && (!refused || busy.Kind != fault.Unavailable || busy.Code != "search_busy" ||
				busy.RetryAfter <= 0 || node.Stats().SQL != 0):
				f.Errorf("%s: %+v, %v; want search_busy", name, found, err)
			}

			// When no columns are made, SQL answers.
			idx.suspend(retryPause)
			if _, err := f.find(node, c.query); err != nil {
				f.Errorf("%s, no columns are made: %v", name, err)
			}
		}
	})
}

func TestFind_waitsForTheColumnsOfSmallStores(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.catalog.CreateProduct("one", 1, catalog.ProductEdit{})
		node, _ := f.newWaitingNode(0)
		if _, err := f.find(node, Query{}); fault.KindOf(err) != fault.Unavailable {
			f.Errorf("without columns: %v, want search_busy", err)
		}
		f.search.Prepare()
		f.Start(f.search.Run)
		f.expectNoSQL(f.search, func() {
			if n := f.total(f.search, Query{}); n != 1 {
				f.Errorf("%d products, want 1", n)
			}
		})
	})
}

// A query whose changes are too many for it waits for the worker that refreshes the columns.
func TestFind_waitsWhileTheColumnsAreRefreshed(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.catalog.CreateProduct("one", 1, catalog.ProductEdit{})
		node, idx := f.newWaitingNode(0)
		node.buildIndex(f.Context(), idx)
		idx.refreshing.Store(true)
		if _, err := f.find(node, Query{}); fault.KindOf(err) != fault.Unavailable {
			f.Errorf("during a refresh: %v, want search_busy", err)
		}

		node.MaxWait = time.Minute
		total := make(chan int64, 1)
		go func() { total <- f.total(node, Query{}) }()
		f.Eventually("the query waits", func() bool { return node.Stats().Waiting == 1 })
		idx.refreshing.Store(false)
		idx.changes.send()

		if n := <-total; n != 1 || node.Stats().SQL != 0 {
			f.Errorf("%d products, want 1 from the columns", n)
		}
	})
}

func TestFind_endsTheWaitWithTheRequest(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		node, _ := f.newWaitingNode(0)
		node.MaxWait = time.Minute
		ctx, cancel := context.WithCancel(f.Context())
		go func() {
			f.Eventually("the query waits", func() bool { return node.Stats().Waiting == 1 })
			cancel()
		}()

		attempts := 0
		err := node.Find(ctx, Query{Limit: 1}, nil, func(lookup Lookup) error {
			attempts++
			_, err := f.runLookup(node, lookup)
			return err
		})
		if !errors.Is(err, context.Canceled) || attempts != 1 {
			f.Errorf("after %d attempts: %v", attempts, err)
		}
	})
}

// A store whose products could not be counted was small for as long as the process ran, and so was one that grew.
func TestRegression_sizeOfStoreIsKnownAfterFailedCount(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.catalog.CreateProduct("one", 1, catalog.ProductEdit{})
		node, idx := f.newWaitingNode(0)
		ctx, cancel := context.WithCancel(f.Context())
		cancel()
		if node.isSmall(ctx, idx) || idx.products.Load() != 0 {
			f.Errorf("after a failed count the store has %d products", idx.products.Load())
		}
		if !node.isSmall(f.Context(), idx) || idx.products.Load() != 1 {
			f.Errorf("%d products were counted, want 1", idx.products.Load())
		}

		node.buildIndex(f.Context(), idx)
		f.catalog.CreateProduct("two", 1, catalog.ProductEdit{})

		if err := node.refreshIndex(f.Context(), idx); err != nil || idx.products.Load() != 2 {
			f.Errorf("after a refresh the store has %d products, want 2; %v", idx.products.Load(), err)
		}

		f.catalog.CreateProduct("three", 1, catalog.ProductEdit{})
		if node.buildIndex(f.Context(), idx); idx.products.Load() != 3 {
			f.Errorf("after a build the store has %d products, want 3", idx.products.Load())
		}
	})
}

// The queries of one store could use all places of those that wait for columns.
func TestRegression_waitingQueriesLeavePlacesToOtherStores(t *testing.T) {
	f := newFixture(storetest.Open(t, database.SQLite))
	node, idx := f.newWaitingNode(0)
	node.MaxWait = time.Minute
	other := &searchIndex{}
	waits := func(idx *searchIndex) error {
		changed := make(chan struct{})
		close(changed)
		wait := columnWait{service: node, missing: &columnsMissing{index: idx, changed: changed}}
		return wait.forColumns(t.Context(), errSearchBusy())
	}
	idx.waiting.Store(maxStoreWaiters)
	node.waiting.Store(maxStoreWaiters)
	if err := waits(idx); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("one more query of a store with %d: %v, want search_busy", maxStoreWaiters, err)
	}

	if err := waits(other); !errors.Is(err, errColumnsReady) {
		t.Errorf("a query of another store: %v", err)
	}
	if own, all := idx.waiting.Load(), node.waiting.Load(); own != maxStoreWaiters || all != maxStoreWaiters {
		t.Errorf("%d queries of the store and %d of all wait, want %d", own, all, maxStoreWaiters)
	}

	node.waiting.Store(maxColumnWaiters)
	if err := waits(other); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("one more query than all places: %v, want search_busy", err)
	}
}
