package search

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/catalogtest"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

// fixture is a store with its catalogue and one node. Its clock follows the real time.
type fixture struct {
	*storetest.Fixture
	catalog *catalogtest.Catalog
	search  *Service
}

// eachEngine runs fn with a new fixture on each database engine.
func eachEngine(t *testing.T, fn func(f *fixture)) {
	t.Helper()
	storetest.EachEngine(t, func(f *storetest.Fixture) { fn(newFixture(f)) })
}

func newFixture(f *storetest.Fixture) *fixture {
	f.Clock.FollowRealTime()
	s := &fixture{Fixture: f, catalog: catalogtest.New(f)}
	s.search = s.newNode(f.DB)
	return s
}

func (f *fixture) newNode(db *database.DB) *Service {
	return New(Deps{DB: db, Products: f.catalog.Products, Log: slog.New(slog.DiscardHandler), Memory: 1 << 30})
}

// find runs a query as the HTTP handler does.
func (f *fixture) find(node *Service, query Query) (found Result, err error) {
	return f.findWith(node, query, nil)
}

func (f *fixture) total(node *Service, query Query) int64 {
	f.Helper()
	found, err := f.find(node, query)
	if err != nil {
		f.Fatal(err)
	}
	return found.Total
}

// waitForColumns repeats a query until the columns answer it.
func (f *fixture) waitForColumns(node *Service) {
	f.Helper()
	before := node.Stats().Columns
	f.Eventually("the columns answer", func() bool {
		f.total(node, Query{})
		return node.Stats().Columns > before
	})
}

// expectNoSQL runs fn and fails the test if SQL answers a query while fn runs.
func (f *fixture) expectNoSQL(node *Service, fn func()) {
	f.Helper()
	before := node.Stats().SQL
	fn()
	if after := node.Stats().SQL; after != before {
		f.Errorf("SQL answered %d queries, want none", after-before)
	}
}

func TestFind_seesEveryCommitOnAnotherNode(t *testing.T) {
	url := databasetest.NewMigratedURL(t, database.Postgres)
	open := func() *database.DB {
		db, err := database.Open(t.Context(), database.Config{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		return db
	}
	f := newFixture(storetest.New(t, open()))
	other := f.newNode(open())
	f.Start(f.search.Run)
	f.Start(other.Run)
	f.catalog.CreateProduct("first", 1, catalog.ProductEdit{})
	f.waitForColumns(f.search)
	f.waitForColumns(other)

	f.expectNoSQL(other, func() {
		var last catalog.Product
		for i := range 20 {
			last = f.catalog.CreateProduct(fmt.Sprint("p", i), 1, catalog.ProductEdit{})
			if n := f.total(other, Query{}); n != int64(i+2) {
				t.Fatalf("the other node sees %d products, want %d", n, i+2)
			}
		}

		f.Write(func(tx store.Tx) error {
			_, err := f.catalog.Products.Archive(t.Context(), tx, last.ID, nil)
			return err
		})
		if n := f.total(other, Query{}); n != 20 {
			t.Errorf("after archiving one the other node sees %d, want 20", n)
		}
	})
}

func TestFind_seesEveryCommitOnTheSameNode(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.Start(f.search.Run)
		fabric, refs := f.catalog.CreateFeature("Fabric", true, "wool", "silk")
		wool, silk := refs[0], refs[1]
		p := f.catalog.CreateProduct("shirt", 100, catalog.ProductEdit{Features: &[]catalog.ValueRef{wool}})
		f.catalog.CreateProduct("scarf", 100, catalog.ProductEdit{Features: &[]catalog.ValueRef{wool, silk}})
		stock := f.catalog.CreateStock("main")
		f.waitForColumns(f.search)
		expectTotal := func(what string, query Query, want int64) {
			f.Helper()
			if n := f.total(f.search, query); n != want {
				f.Errorf("%s: %d products, want %d", what, n, want)
			}
		}
		byWool := Query{Features: []Choice{{ID: fabric.ID, Values: []catalog.ValueID{wool.Value}}}}
		edit := func(e catalog.ProductEdit) {
			f.Helper()
			f.Write(func(tx store.Tx) error {
				_, err := f.catalog.Products.Edit(f.Context(), tx, p.ID, e, nil)
				return err
			})
		}

		f.expectNoSQL(f.search, func() {
			expectTotal("before", byWool, 2)
			edit(catalog.ProductEdit{Variants: &[]catalog.VariantEdit{{Price: new(money.NewPrice(500)),
				Remainders: &[]catalog.RemainderEdit{{Stock: stock.ID}}}}})
			expectTotal("a new price", Query{PriceFrom: new(money.Money(200))}, 1)
			expectTotal("out of stock", Query{InStock: true}, 1)
			f.Write(func(tx store.Tx) error {
				return f.catalog.Stocks.Delete(f.Context(), tx, stock.ID, nil)
			})
			expectTotal("after the stock was deleted", Query{InStock: true}, 2)
			f.Write(func(tx store.Tx) error {
				_, err := f.catalog.Attributes.Edit(f.Context(), tx, catalog.Feature, fabric.ID,
					catalog.AttributeEdit{Removed: catalog.ListOf(silk.Value)}, nil)
				return err
			})

			found, err := f.find(f.search, Query{WithFacets: true})
			if err != nil || len(found.Facets.Features) != 1 || len(found.Facets.Features[0].Values) != 1 {
				f.Errorf("after a value was removed: %+v, %v", found.Facets, err)
			}

			f.Write(func(tx store.Tx) error {
				_, err := f.catalog.Products.Archive(f.Context(), tx, p.ID, nil)
				return err
			})
			expectTotal("archived", byWool, 1)
			f.Write(func(tx store.Tx) error {
				_, err := f.catalog.Products.Restore(f.Context(), tx, p.ID, nil)
				return err
			})
			expectTotal("restored", byWool, 2)
		})

		setFilterable := func(to bool) {
			f.Write(func(tx store.Tx) error {
				_, err := f.catalog.Attributes.Edit(f.Context(), tx, catalog.Feature, fabric.ID,
					catalog.AttributeEdit{Filterable: &to}, nil)
				return err
			})
		}
		setFilterable(false)

		if _, err := f.find(f.search, byWool); fault.KindOf(err) != fault.Invalid {
			f.Errorf("a filter by a feature that is not filterable: %v", err)
		}
		if found, err := f.find(f.search, Query{WithFacets: true}); err != nil || len(found.Facets.Features) != 0 {
			f.Errorf("facets of a feature that is not filterable: %+v, %v", found.Facets, err)
		}

		setFilterable(true)
		expectTotal("filterable again", byWool, 2)
	})
}

func TestFind_filtersByNewlyFilterableFeatureBeforeAndAfterRebuild(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.Start(f.search.Run)
		fabric, refs := f.catalog.CreateFeature("Fabric", false, "wool")
		f.catalog.CreateProduct("shirt", 100, catalog.ProductEdit{Features: &refs})
		f.waitForColumns(f.search)
		f.Write(func(tx store.Tx) error {
			_, err := f.catalog.Attributes.Edit(f.Context(), tx, catalog.Feature, fabric.ID,
				catalog.AttributeEdit{Filterable: new(true)}, nil)
			return err
		})
		query := Query{Features: []Choice{{ID: fabric.ID, Values: []catalog.ValueID{refs[0].Value}}}}

		for range 2 {
			if n := f.total(f.search, query); n != 1 {
				f.Errorf("%d products, want 1", n)
			}
			f.waitForColumns(f.search)
		}
	})
}

func TestFind_isolatesStores(t *testing.T) {
	eachEngine(t, func(a *fixture) {
		b := newFixture(a.WithStore(a.NewStore(store.Edit{})))
		a.search = b.search
		b.Start(b.search.Run)
		a.catalog.CreateProduct("mine", 1, catalog.ProductEdit{})
		for range 2 {
			if n := b.total(b.search, Query{WithFacets: true}); n != 0 {
				b.Errorf("the other store finds %d products, want 0", n)
			}
			a.waitForColumns(a.search)
			b.waitForColumns(b.search)
		}
	})
}

func TestFind_usesSQLWithoutColumns(t *testing.T) {
	eachEngine(t, func(f *fixture) { // nothing calls Run, so no columns are built
		f.catalog.CreateProduct("one", 1, catalog.ProductEdit{})
		for range 3 {
			if n := f.total(f.search, Query{WithFacets: true}); n != 1 {
				f.Errorf("%d products, want 1", n)
			}
		}
		if stats := f.search.Stats(); stats.Columns != 0 || stats.SQL != 3 {
			f.Errorf("stats %+v, want 3 answers from SQL and none from columns", stats)
		}
	})
}

func TestEvict_dropsLeastRecentlyUsedColumns(t *testing.T) {
	first := newFixture(storetest.Open(t, database.SQLite))
	node := first.search
	fixtures := []*fixture{first}
	for range 2 {
		fixtures = append(fixtures, newFixture(first.WithStore(first.NewStore(store.Edit{}))))
	}

	var bytesPerStore int64
	for _, f := range fixtures {
		for i := range 200 {
			f.catalog.CreateProduct(fmt.Sprint("a product with a number ", i), 1, catalog.ProductEdit{})
		}
		node.buildIndex(t.Context(), node.index(f.Store.ID))
		bytesPerStore = node.Stats().Filters + node.Stats().Words
	}

	bytesPerStore /= int64(len(fixtures))
	loaded := func() (list []int) {
		for i, f := range fixtures {
			if node.indexes[f.Store.ID].cols != nil {
				list = append(list, i)
			}
		}
		return list
	}
	if got := loaded(); !slices.Equal(got, []int{0, 1, 2}) {
		t.Fatalf("stores in memory: %v, want all", got)
	}

	if s := node.Stats(); s.StoresReady != 3 || s.StoresPending != 0 || s.StoresTooLarge != 0 {
		t.Errorf("%d stores are ready, %d pending and %d too large, want 3, 0 and 0",
			s.StoresReady, s.StoresPending, s.StoresTooLarge)
	}

	node.index(fixtures[0].Store.ID) // the second store is now the least recently used
	node.Memory = bytesPerStore*2 + bytesPerStore/2
	node.evict(nil, "")

	if got := loaded(); !slices.Equal(got, []int{0, 2}) {
		t.Errorf("stores in memory: %v, want the two used last", got)
	}

	node.Memory = bytesPerStore / 2
	node.buildIndex(t.Context(), node.index(fixtures[1].Store.ID))
	node.evict(nil, "")

	if got := loaded(); len(got) != 0 {
		t.Errorf("stores in memory: %v, want none", got)
	}
	if node.indexes[fixtures[1].Store.ID].suspendedUntil.Load() <= time.Now().Unix() {
		t.Error("the store that does not fit is not suspended")
	}

	if s := node.Stats(); s.StoresReady != 0 || s.StoresEvicted != 2 || s.StoresTooLarge != 1 || s.StoresPending != 0 ||
		s.PendingAge != 0 {
		t.Errorf("stats %+v, want two evicted stores and a too large one", s)
	}

	for _, i := range []int{0, 1} { // the first store is searched again, so its columns are wanted
		if n := fixtures[i].total(node, Query{}); n != 200 {
			t.Errorf("SQL finds %d products, want 200", n)
		}
	}

	if s := node.Stats(); s.StoresPending != 1 || s.StoresEvicted != 1 || s.PendingAge <= 0 {
		t.Errorf("stats %+v, want a pending store", s)
	}

	node.Memory = 0
	if s := node.Stats(); s.StoresPending != 0 || s.StoresEvicted != 0 || s.PendingAge != 0 {
		t.Errorf("stats %+v, want no pending store without columns", s)
	}
}

func TestFind_retriesOnNewSnapshotWhenColumnsAreNewer(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.Start(f.search.Run)
		f.catalog.CreateProduct("one", 1, catalog.ProductEdit{})
		f.waitForColumns(f.search)

		err := f.TryRead(func(tx store.Tx) error {
			current, err := f.search.Versions(f.Context(), tx)
			if err != nil {
				return err
			}

			f.catalog.CreateProduct("two", 1, catalog.ProductEdit{})
			if n := f.total(f.search, Query{}); n != 2 {
				f.Errorf("a new snapshot sees %d products, want 2", n)
			}

			attempts := 0
			return f.search.Find(f.Context(), Query{Limit: 10}, nil, func(lookup Lookup) error {
				attempts++
				found, err := lookup(f.Context(), tx, current)
				switch {
				case attempts <= maxRetries && !errors.Is(err, errColumnsNewer):
					f.Errorf("attempt %d on the old snapshot: %v, want errColumnsNewer", attempts, err)
				case attempts > maxRetries && (err != nil || found.Total != 2):
					f.Errorf("last attempt: %d products, %v; want 2", found.Total, err)
				}

				return err
			})
		})
		if err != nil {
			f.Error(err)
		}
	})
}

func TestColumns_areRebuiltWhenTheirChangesWerePruned(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.catalog.CreateProduct("one", 1, catalog.ProductEdit{})
		idx := f.search.index(f.Store.ID)
		f.search.buildIndex(f.Context(), idx)
		f.catalog.CreateProduct("two", 1, catalog.ProductEdit{})
		f.Exec("DELETE FROM product_changes WHERE store_id = $1", f.Store.ID)
		f.Exec("UPDATE catalog_versions SET floor = version WHERE store_id = $1", f.Store.ID)

		if n := f.total(f.search, Query{}); n != 2 || !idx.needsBuild.Load() {
			f.Errorf("%d products, needsBuild %v; want 2, true", n, idx.needsBuild.Load())
		}

		f.search.buildIndex(f.Context(), idx)
		f.expectNoSQL(f.search, func() {
			if n := f.total(f.search, Query{}); n != 2 {
				f.Errorf("%d products", n)
			}
		})

		// Changes that are not pruned are applied by a refresh.
		f.catalog.CreateProduct("three", 1, catalog.ProductEdit{})
		f.expectNoSQL(f.search, func() {
			if n := f.total(f.search, Query{}); n != 3 {
				f.Errorf("%d products", n)
			}
		})
	})
}

// Transactions on PostgreSQL may commit in a different order than they insert keys.
func TestColumns_keepKeyOrderWhenCommitsAreOutOfOrder(t *testing.T) {
	c := newColumns()
	c.assignColumns(func(int64) bool { return false })
	for _, key := range []int64{1, 5, 3, 9, 2} {
		c.put(&productRow{key: key, created: 10 - key, sortName: fmt.Sprint(" n", key), name: fmt.Sprint("n", key)})
	}

	c.remove(9)

	for sort, want := range map[Sort][]int64{ByKey: {1, 2, 3, 5}, ByNameDesc: {5, 3, 2, 1}, ByCreated: {5, 3, 2, 1},
		ByPrice: {1, 2, 3, 5}} {
		if found := c.find(&searchFilter{}, &c.base, Query{Sort: sort, Limit: 10}); !slices.Equal(found.Keys, want) {
			t.Errorf("sort %d: %v, want %v", sort, found.Keys, want)
		}
	}

	c.put(&productRow{key: 9})
	c.put(&productRow{key: 2, sortName: " z", name: "z"})
	c.indexTexts(maxStaleRows)

	found := c.find(&searchFilter{text: "z"}, &c.base, Query{Limit: 10})
	if !slices.Equal(found.Keys, []int64{2}) ||
		c.liveCount() != 5 {
		t.Errorf("found %v of %d products, want [2] of 5", found.Keys, c.liveCount())
	}
}

// While columns are not ready, SQL answers. It takes е and ё for the same, too, and other filters do not change how the
// words were understood.
func TestFind_foldsYoInSQL(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.catalog.CreateProduct("Ёлка зелёная", 1, catalog.ProductEdit{})
		f.catalog.CreateProduct("Елка в шишках", 2, catalog.ProductEdit{})

		for query, want := range map[string]int64{
			"елка": 2, "Ёлка": 2, "ёл": 2, "елка зеленая": 1, "зелёная": 1, "елка шишках": 1, "ёж": 0,
		} {
			if n := f.total(f.search, Query{Text: query}); n != want {
				t.Errorf("%s finds %d products, want %d", query, n, want)
			}
		}

		found, err := f.find(f.search, Query{Text: "Ёлка", WithHighlights: true})
		if err != nil || !slices.Equal(found.Text.Highlights.Of("Зелёная елка"), []Highlight{{8, 4}}) {
			t.Errorf("%+v: %v", found.Text, err)
		}

		price := money.Money(1000)
		for query, matched := range map[string]Matched{"елка": MatchedPrefix, "ёж": MatchedNone} {
			found, err := f.find(f.search, Query{Text: query, PriceFrom: &price})
			if err != nil || found.Total != 0 || found.Text.Matched != matched ||
				(len(found.Text.Dropped) == 0) != (matched == MatchedPrefix) {
				t.Errorf("%s with a price that no product has: %+v: %v", query, found.Text, err)
			}
		}
	})
}
