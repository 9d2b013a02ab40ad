package search

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
)

// shop is a store with its catalogue, and one node that answers.
type shop struct {
	*testing.T
	db      *database.DB
	catalog *catalog.Service
	search  *Service
	storeID store.ID
}

func newShop(t *testing.T, db *database.DB) *shop {
	t.Helper()
	s := &shop{T: t, db: db, catalog: catalog.NewService(time.Now)}
	s.search = s.node(db)
	s.write(func(q database.Querier) error {
		made, err := store.NewService(db, time.Now).Create(t.Context(), q, store.Edit{})
		s.storeID = made.ID
		return err
	})
	return s
}

func (s *shop) node(db *database.DB) *Service {
	return NewService(Deps{DB: db, Catalog: s.catalog, Log: slog.New(slog.DiscardHandler), Memory: 1 << 30})
}

// run lets a node keep its columns until the test ends.
func (s *shop) run(node *Service) {
	ctx, stop := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() {
		if err := node.Run(ctx); err != nil {
			s.Error(err)
		}
	})
	s.Cleanup(func() {
		stop()
		ended.Wait()
	})
}

func (s *shop) write(fn func(q database.Querier) error) {
	s.Helper()
	if err := s.db.Write(s.Context(), fn); err != nil {
		s.Fatal(err)
	}
}

// product makes one with one variant of this price, or changes nothing else of it than what e says.
func (s *shop) product(name string, price catalog.Money, e catalog.ProductEdit) catalog.Product {
	s.Helper()
	e.Name = &name
	if e.Variants == nil {
		e.Variants = &[]catalog.VariantEdit{{Price: &price}}
	}
	var p catalog.Product
	s.write(func(q database.Querier) (err error) {
		p, err = s.catalog.CreateProduct(s.Context(), q, s.storeID, e)
		return err
	})
	return p
}

func (s *shop) feature(name string, filterable bool, values ...string) (catalog.Attribute, []catalog.ValueRef) {
	s.Helper()
	var a catalog.Attribute
	var refs []catalog.ValueRef
	s.write(func(q database.Querier) (err error) {
		refs = nil
		a, err = s.catalog.CreateAttribute(s.Context(), q, s.storeID, catalog.Feature, catalog.Edit{
			Name: &name, Filterable: &filterable, ValuesLen: len(values), Values: func(fn func(int, catalog.ValueEdit) error) error {
				for i, v := range values {
					if err := fn(i, catalog.ValueEdit{Name: v}); err != nil {
						return err
					}
				}
				return nil
			}})
		if err != nil {
			return err
		}
		return s.catalog.EachValue(s.Context(), q, s.storeID, a, func(v catalog.Value) error {
			refs = append(refs, catalog.ValueRef{Attribute: a.ID, Value: v.ID})
			return nil
		})
	})
	return a, refs
}

// find asks a node as a handler does.
func (s *shop) find(node *Service, query Query) (found Found, err error) {
	query.Limit = max(query.Limit, 50)
	err = node.Find(s.Context(), s.storeID, query, func(answer Answer) error {
		return node.DB.Snapshot(s.Context(), func(q database.Querier) (err error) {
			found, err = answer(s.Context(), q)
			return err
		})
	})
	return found, err
}

func (s *shop) total(node *Service, query Query) int64 {
	s.Helper()
	found, err := s.find(node, query)
	if err != nil {
		s.Fatal(err)
	}
	return found.Total
}

// warm asks until columns answer.
func (s *shop) warm(node *Service) {
	s.Helper()
	before := node.Stats().Columns
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		s.total(node, Query{})
		if node.Stats().Columns > before {
			return
		}
	}
	s.Fatal("no columns after a minute")
}

// columnsAnswered runs fn and expects that SQL answered nothing in it.
func (s *shop) columnsAnswered(node *Service, fn func()) {
	s.Helper()
	before := node.Stats().SQL
	fn()
	if after := node.Stats().SQL; after != before {
		s.Errorf("SQL answered %d times, want columns", after-before)
	}
}

func TestFind_onAnotherNodeSeesEveryCommit(t *testing.T) {
	url := databasetest.NewMigratedURL(t, database.Postgres)
	open := func() *database.DB {
		db, err := database.Open(t.Context(), database.Config{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		return db
	}
	s := newShop(t, open())
	other := s.node(open())
	s.run(s.search)
	s.run(other)
	s.product("first", 1, catalog.ProductEdit{})
	s.warm(s.search)
	s.warm(other)
	s.columnsAnswered(other, func() {
		var last catalog.Product
		for i := range 20 {
			last = s.product(fmt.Sprint("p", i), 1, catalog.ProductEdit{})
			if n := s.total(other, Query{}); n != int64(i+2) {
				t.Fatalf("the other node sees %d products, want %d", n, i+2)
			}
		}
		s.write(func(q database.Querier) error {
			_, err := s.catalog.ArchiveProduct(t.Context(), q, s.storeID, last.ID, nil)
			return err
		})
		if n := s.total(other, Query{}); n != 20 {
			t.Errorf("after archiving one the other node sees %d, want 20", n)
		}
	})
}

func TestFind_onTheSameNodeSeesEveryChangeAtOnce(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		s := newShop(t, db)
		s.run(s.search)
		fabric, refs := s.feature("Fabric", true, "wool", "silk")
		wool, silk := refs[0], refs[1]
		p := s.product("shirt", 100, catalog.ProductEdit{Features: &[]catalog.ValueRef{wool}})
		s.product("scarf", 100, catalog.ProductEdit{Features: &[]catalog.ValueRef{wool, silk}})
		var stock catalog.Stock
		s.write(func(q database.Querier) (err error) {
			stock, err = s.catalog.CreateStock(t.Context(), q, s.storeID, catalog.StockEdit{Name: new("main")})
			return err
		})
		s.warm(s.search)
		is := func(what string, query Query, want int64) {
			t.Helper()
			if n := s.total(s.search, query); n != want {
				t.Errorf("%s: %d products, want %d", what, n, want)
			}
		}
		byWool := Query{Features: []Choice{{ID: fabric.ID, Values: []catalog.ValueID{wool.Value}}}}
		edit := func(e catalog.ProductEdit) {
			t.Helper()
			s.write(func(q database.Querier) error {
				_, err := s.catalog.EditProduct(t.Context(), q, s.storeID, p.ID, e, nil)
				return err
			})
		}
		s.columnsAnswered(s.search, func() {
			is("before", byWool, 2)
			edit(catalog.ProductEdit{Variants: &[]catalog.VariantEdit{{Price: new(catalog.Money(500)), Remainders: &[]catalog.RemainderEdit{{Stock: stock.ID}}}}})
			is("a new price", Query{PriceFrom: new(catalog.Money(200))}, 1)
			is("nothing left", Query{InStock: true}, 1)
			s.write(func(q database.Querier) error { return s.catalog.DeleteStock(t.Context(), q, s.storeID, stock.ID, nil) })
			is("stock not kept any more", Query{InStock: true}, 2)
			s.write(func(q database.Querier) error {
				_, err := s.catalog.EditAttribute(t.Context(), q, s.storeID, catalog.Feature, fabric.ID, catalog.Edit{RemovedLen: 1,
					Removed: func(fn func(int, catalog.ValueID) error) error { return fn(0, silk.Value) }}, nil)
				return err
			})
			found, err := s.find(s.search, Query{WithFacets: true})
			if err != nil || len(found.Facets.Features) != 1 || len(found.Facets.Features[0].Values) != 1 {
				t.Errorf("after a value was removed: %+v, %v", found.Facets, err)
			}
			s.write(func(q database.Querier) error {
				_, err := s.catalog.ArchiveProduct(t.Context(), q, s.storeID, p.ID, nil)
				return err
			})
			is("archived", byWool, 1)
			s.write(func(q database.Querier) error {
				_, err := s.catalog.RestoreProduct(t.Context(), q, s.storeID, p.ID, nil)
				return err
			})
			is("restored", byWool, 2)
		})
		flip := func(to bool) {
			s.write(func(q database.Querier) error {
				_, err := s.catalog.EditAttribute(t.Context(), q, s.storeID, catalog.Feature, fabric.ID, catalog.Edit{Filterable: &to}, nil)
				return err
			})
		}
		flip(false)
		if _, err := s.find(s.search, byWool); fault.KindOf(err) != fault.Invalid {
			t.Errorf("a filter by a feature that is not filterable: %v", err)
		}
		if found, err := s.find(s.search, Query{WithFacets: true}); err != nil || len(found.Facets.Features) != 0 {
			t.Errorf("facets of a feature that is not filterable: %+v, %v", found.Facets, err)
		}
		flip(true)
		is("filterable again", byWool, 2)
	})
}

func TestFind_byAFeatureThatBecomesFilterableIsRightBeforeAndAfterTheColumnsHaveIt(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		s := newShop(t, db)
		s.run(s.search)
		fabric, refs := s.feature("Fabric", false, "wool")
		s.product("shirt", 100, catalog.ProductEdit{Features: &refs})
		s.warm(s.search)
		s.write(func(q database.Querier) error {
			_, err := s.catalog.EditAttribute(t.Context(), q, s.storeID, catalog.Feature, fabric.ID, catalog.Edit{Filterable: new(true)}, nil)
			return err
		})
		query := Query{Features: []Choice{{ID: fabric.ID, Values: []catalog.ValueID{refs[0].Value}}}}
		for range 2 {
			if n := s.total(s.search, query); n != 1 {
				t.Errorf("%d products, want 1", n)
			}
			s.warm(s.search)
		}
	})
}

func TestFind_leavesOtherStoresAlone(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		a, b := newShop(t, db), newShop(t, db)
		a.search = b.search
		b.run(b.search)
		a.product("mine", 1, catalog.ProductEdit{})
		for range 2 {
			if n := b.total(b.search, Query{WithFacets: true}); n != 0 {
				t.Errorf("the other store has %d products", n)
			}
			a.warm(a.search)
			b.warm(b.search)
		}
	})
}

func TestFind_withoutColumnsIsAnsweredBySQL(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		s := newShop(t, db) // nobody runs it
		s.product("one", 1, catalog.ProductEdit{})
		for range 3 {
			if n := s.total(s.search, Query{WithFacets: true}); n != 1 {
				t.Errorf("%d products", n)
			}
		}
		if stats := s.search.Stats(); stats.Columns != 0 || stats.SQL != 3 {
			t.Errorf("%+v", stats)
		}
	})
}

func TestColumns_areDroppedByUseWhereMemoryEnds(t *testing.T) {
	db := databasetest.Open(t, database.SQLite)
	first := newShop(t, db)
	node := first.search
	shops := []*shop{first, newShop(t, db), newShop(t, db)}
	var each int64
	for _, s := range shops {
		for i := range 200 {
			s.product(fmt.Sprint("a product with a number ", i), 1, catalog.ProductEdit{})
		}
		node.build(t.Context(), node.shelf(s.storeID))
		each = node.Stats().Filters + node.Stats().Words
	}
	each /= int64(len(shops))
	has := func() (list []int) {
		for i, s := range shops {
			if node.shelves[s.storeID].cols != nil {
				list = append(list, i)
			}
		}
		return list
	}
	if got := has(); !slices.Equal(got, []int{0, 1, 2}) {
		t.Fatalf("kept: %v", got)
	}
	node.shelf(shops[0].storeID) // now the second is the least used
	node.Memory = each*2 + each/2
	node.shrink(nil)
	if got := has(); !slices.Equal(got, []int{0, 2}) {
		t.Errorf("kept: %v, want the two that were used last", got)
	}
	node.Memory = each / 2
	node.build(t.Context(), node.shelf(shops[1].storeID))
	node.shrink(nil)
	if got := has(); len(got) != 0 {
		t.Errorf("kept: %v, though none fits", got)
	}
	if node.shelves[shops[1].storeID].refused.Load() <= time.Now().Unix() {
		t.Error("a store that does not fit would be built again at once")
	}
	if n := shops[1].total(node, Query{}); n != 200 {
		t.Errorf("SQL finds %d products", n)
	}
}

func TestFind_takesANewSnapshotWhereTheColumnsAreAhead(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		s := newShop(t, db)
		s.run(s.search)
		s.product("one", 1, catalog.ProductEdit{})
		s.warm(s.search)
		err := db.Snapshot(t.Context(), func(q database.Querier) error {
			if _, err := readVersions(t.Context(), q, s.storeID); err != nil {
				return err
			}
			s.product("two", 1, catalog.ProductEdit{})
			if n := s.total(s.search, Query{}); n != 2 {
				t.Errorf("a new snapshot sees %d products", n)
			}
			tries := 0
			return s.search.Find(t.Context(), s.storeID, Query{Limit: 10}, func(answer Answer) error {
				tries++
				found, err := answer(t.Context(), q)
				switch {
				case tries <= movedMost && !errors.Is(err, errMoved):
					t.Errorf("try %d on an old snapshot: %v", tries, err)
				case tries > movedMost && (err != nil || found.Total != 2):
					t.Errorf("at last: %d products, %v", found.Total, err)
				}
				return err
			})
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestColumns_thatSleptThroughForgottenChangesAreBuiltAnew(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		s := newShop(t, db)
		s.product("one", 1, catalog.ProductEdit{})
		sh := s.search.shelf(s.storeID)
		s.search.build(t.Context(), sh)
		late := catalog.NewService(func() time.Time { return time.Now().Add(time.Hour) })
		s.product("two", 1, catalog.ProductEdit{})
		if err := late.ForgetChanges(t.Context(), db); err != nil {
			t.Fatal(err)
		}
		if n := s.total(s.search, Query{}); n != 2 || !sh.wanted.Load() {
			t.Errorf("%d products; to be built: %v", n, sh.wanted.Load())
		}
		s.search.build(t.Context(), sh)
		s.columnsAnswered(s.search, func() {
			if n := s.total(s.search, Query{}); n != 2 {
				t.Errorf("%d products", n)
			}
		})
		// What is not forgotten is followed.
		s.product("three", 1, catalog.ProductEdit{})
		s.columnsAnswered(s.search, func() {
			if n := s.total(s.search, Query{}); n != 3 {
				t.Errorf("%d products", n)
			}
		})
	})
}

// Writers on PostgreSQL may commit in another order than that of their keys.
func TestColumns_keepTheOrderOfKeysWhateverTheOrderOfCommits(t *testing.T) {
	c := newColumns()
	c.arrange(func(int64) bool { return false })
	for _, key := range []int64{1, 5, 3, 9, 2} {
		c.put(&product{key: key, created: 10 - key, name: fmt.Sprint(" n", key), words: fmt.Sprint(" n", key)})
	}
	c.remove(9)
	for sort, want := range map[Sort][]int64{ByMaking: {1, 2, 3, 5}, ByNameDown: {5, 3, 2, 1}, ByCreated: {5, 3, 2, 1}, ByPrice: {1, 2, 3, 5}} {
		if found := c.find(&filter{}, Query{Sort: sort, Limit: 10}); !slices.Equal(found.Keys, want) {
			t.Errorf("order %d: %v, want %v", sort, found.Keys, want)
		}
	}
	c.put(&product{key: 9})
	c.put(&product{key: 2, name: " z", words: " z"})
	if found := c.find(&filter{words: []string{"z"}}, Query{Limit: 10}); !slices.Equal(found.Keys, []int64{2}) || c.live() != 5 {
		t.Errorf("found %v of %d", found.Keys, c.live())
	}
}
