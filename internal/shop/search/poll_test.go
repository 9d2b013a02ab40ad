package search

import (
	"fmt"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/catalogtest"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

// shop is a store of a test with several of them.
type shop struct {
	*fixture
	idx *searchIndex // its columns on the node
}

// newShop creates a store with a product and builds its columns on the node.
func (f *fixture) newShop(node *Service) shop {
	f.Helper()
	other := &fixture{Fixture: f.WithStore(f.NewStore(store.Edit{}))}
	other.catalog = catalogtest.New(other.Fixture)
	other.catalog.CreateProduct("first", 1, catalog.ProductEdit{})
	s := shop{other, node.index(other.Store.ID)}
	node.buildIndex(f.Context(), s.idx)
	return s
}

// products returns the number of products in the columns.
func (s shop) products() int {
	s.idx.mu.RLock()
	defer s.idx.mu.RUnlock()
	if s.idx.cols == nil {
		return 0
	}
	return s.idx.cols.liveCount()
}

// raiseSearchVersion changes nothing but the version of the search of the store.
func (f *fixture) raiseSearchVersion() {
	f.Helper()
	f.Write(func(tx store.Tx) error {
		_, err := store.RaiseSearchVersion(f.Context(), tx)
		return err
	})
}

func (f *fixture) refresh(node *Service) {
	f.Helper()
	if err := node.refreshIndexes(f.Context()); err != nil {
		f.Fatal(err)
	}
}

// transactions returns how many transactions the database has done.
func transactions(db *database.DB) (n int64) {
	for _, t := range db.Stats().Transactions {
		n += t.Took.Count
	}
	return n
}

// A node at rest polled each store that had been read once, twice a second: 3,900 transactions a second for 2,000
// stores.
func TestRefreshIndexes_atRestCostsTheSameForAnyNumberOfStores(t *testing.T) {
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			f := newFixture(storetest.Open(t, engine))
			costs := map[int64]int{}
			loaded := 0
			for _, want := range []int{1, 10, 200} {
				for ; loaded < want; loaded++ {
					f.newShop(f.search)
				}

				f.refresh(f.search) // the stores are new to the node
				before := transactions(f.DB)

				for range 5 {
					f.refresh(f.search)
				}

				costs[transactions(f.DB)-before] = want
			}

			if len(costs) != 1 || costs[5] == 0 {
				t.Errorf("transactions of five refreshes, with the number of stores: %v, want 5 for any number", costs)
			}
		})
	}
}

func TestRefreshIndexes_seesEveryCommitOfEveryStore(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		shops := []shop{f.newShop(f.search), f.newShop(f.search), f.newShop(f.search)}
		f.refresh(f.search)
		for i := range 12 {
			changed := shops[i%len(shops)]
			changed.catalog.CreateProduct(fmt.Sprint("more ", i), 1, catalog.ProductEdit{})
			switch i % 4 {
			case 0, 2:
				changed.catalog.CreateFeature(fmt.Sprint("feature ", i), true, "wool")
			case 1:
				changed.raiseSearchVersion()
			}

			f.refresh(f.search)
			var current Versions
			changed.Read(func(tx store.Tx) (err error) {
				current, err = readVersions(f.Context(), tx)
				return err
			})
			if state := changed.idx.cols.state; !state.sameAs(current.State) {
				f.Fatalf("after change %d the columns have the state %+v, the store has %+v", i, state, current.State)
			}
		}
	})
}

// Marks of products and of attributes were numbered apart on SQLite. The marks of attributes were behind those of many
// changes of products, so that no poll found them.
// A version of the search needs no rebuild, and no products are read.
func TestRefreshIndexes_seesAChangeOfTheSearchAlone(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		s := f.newShop(f.search)
		f.refresh(f.search)
		cols := s.idx.cols
		before := cols.state

		s.raiseSearchVersion()
		if _, _, ok := f.search.FindInMemory(s.Store.ID, Query{}, State{search: 1}); ok {
			f.Error("the columns answer at a version of the search that they do not show")
		}

		f.refresh(f.search)
		state := s.idx.cols.state
		if s.idx.cols != cols || s.idx.needsBuild.Load() {
			f.Error("the columns were built again")
		}
		if state.search != before.search+1 || state.searchStamp == 0 || !state.samePrices(before) ||
			state.sameAs(before) || !before.OlderThan(state) {
			f.Errorf("the state is %+v, and was %+v", state, before)
		}
	})
}

// Orders change the version of the search all the time. Cached pages and facets that do not depend on it must stay.
func TestListState_hasTheVersionOfTheSearchOnlyIfTheListDependsOnIt(t *testing.T) {
	before := State{products: 1, search: 2, searchStamp: 3}
	after := State{products: 1, search: 4, searchStamp: 5}

	for _, c := range []struct {
		query        Query
		list, filter bool
	}{
		{Query{}, false, false},
		{Query{Sort: ByName, InStock: true, WithFacets: true}, false, false},
		{Query{Sort: ByPopularity}, true, false},
		{Query{Text: "lamp", Sort: ByName}, true, true},
		{Query{Text: "lamp", Sort: ByPopularity}, true, true},
	} {
		list := c.query.ListState(before)
		if changed := list != c.query.ListState(after); changed != c.list {
			t.Errorf("%+v: the list changes with the search: %v, want %v", c.query, changed, c.list)
		}
		if changed := c.query.FilterState(before) != c.query.FilterState(after); changed != c.filter {
			t.Errorf("%+v: the selection changes with the search: %v, want %v", c.query, changed, c.filter)
		}
		if list == c.query.ListState(State{products: 2}) {
			t.Errorf("%+v: the list does not change with the products", c.query)
		}
	}
}

func TestRefreshIndexes_seesAnAttributeAfterManyChangesOfProducts(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		busy, quiet := f.newShop(f.search), f.newShop(f.search)
		for i := range 20 {
			busy.catalog.CreateProduct(fmt.Sprint("more ", i), 1, catalog.ProductEdit{})
		}

		f.refresh(f.search)

		for i, changed := range []shop{quiet, busy, quiet} {
			var poll changePoll
			if _, err := poll.next(f.Context(), f.DB); err != nil {
				f.Fatal(err)
			}

			changed.catalog.CreateFeature(fmt.Sprint("feature ", i), true, "wool")

			found, err := poll.next(f.Context(), f.DB)
			if err != nil || found.all || !found.includes(changed.Store.ID) || len(found.stores) != 1 {
				f.Errorf("after the feature %d of store %s the poll found %+v: %v", i, changed.Store.ID, found, err)
			}

			f.refresh(f.search)
			if n := changed.idx.cols.state.attributes; n != int64(i/2)+1 {
				f.Errorf("the columns have version %d of the attributes after feature %d", n, i)
			}
		}
	})
}

// Columns are published long after their snapshot was taken. What was committed meanwhile is in no later poll.
func TestRefreshIndexes_catchesUpWithWhatChangedDuringABuild(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		s := f.newShop(f.search)
		f.refresh(f.search)
		old := s.idx.cols
		s.idx.drop()
		s.catalog.CreateProduct("during the build", 1, catalog.ProductEdit{})
		f.refresh(f.search)
		f.search.publish(s.idx, old, savedColumns{})
		f.refresh(f.search)
		if n := s.products(); n != 2 {
			f.Errorf("the columns have %d products, want 2", n)
		}
	})
}

// A transaction that began before others may commit after them, with a mark that is lower than theirs.
func TestRefreshIndexes_seesALateCommitOfAnEarlierTransaction(t *testing.T) {
	f := newFixture(storetest.Open(t, database.Postgres))
	late, early := f.newShop(f.search), f.newShop(f.search)
	f.refresh(f.search)

	begun := make(chan struct{})
	commit := make(chan struct{})
	done := make(chan error)
	go func() {
		done <- late.TryWrite(func(tx store.Tx) error {
			_, err := late.catalog.Products.Create(f.Context(), tx, catalog.ProductEdit{Name: new("late")})
			close(begun)
			<-commit
			return err
		})
	}()
	<-begun

	for i := range 3 {
		early.catalog.CreateProduct(fmt.Sprint("early ", i), 1, catalog.ProductEdit{})
		f.refresh(f.search)
	}

	if early.products() != 4 || late.products() != 1 {
		t.Fatalf("before the late commit: %d and %d products, want 4 and 1", early.products(), late.products())
	}

	close(commit)
	if err := <-done; err != nil {
		t.Fatal(err)
	}

	f.refresh(f.search)
	if n := late.products(); n != 2 {
		t.Errorf("after the late commit the columns have %d products, want 2", n)
	}
}

func TestRefreshIndexes_noticesThatCommitsWereLost(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		untouched, s := f.newShop(f.search), f.newShop(f.search)
		backup := s.backup()
		f.refresh(f.search)
		s.catalog.CreateProduct("lost", 1, catalog.ProductEdit{})
		f.refresh(f.search)

		if s.products() != 2 {
			f.Fatal("the refresh did not see the product")
		}

		s.restore(backup)
		f.refresh(f.search)

		if s.idx.cols != nil || !s.idx.needsBuild.Load() {
			f.Error("the columns of the lost state are still there")
		}
		if untouched.products() != 1 {
			f.Error("the columns of a store that lost nothing are gone")
		}
	})
}

// A database that was copied to another server has marks that are higher than the ids of the new server's transactions.
func TestRefreshIndexes_ignoresMarksOfAnotherServer(t *testing.T) {
	f := newFixture(storetest.Open(t, database.Postgres))
	s, copied := f.newShop(f.search), f.newShop(f.search)
	f.Exec("UPDATE catalog_versions SET mark = 9000000000000000 WHERE store_id = $1", copied.Store.ID)
	f.refresh(f.search)
	for i := range 3 {
		s.catalog.CreateProduct(fmt.Sprint("more ", i), 1, catalog.ProductEdit{})
		copied.catalog.CreateProduct(fmt.Sprint("more ", i), 1, catalog.ProductEdit{})
		f.refresh(f.search)
		if s.products() != i+2 || copied.products() != i+2 {
			t.Fatalf("after change %d: %d and %d products", i, s.products(), copied.products())
		}
	}
}

// Facets of a store that is too large for the search memory took longer than the deadline of a request, and hundreds of
// megabytes that SQLite never gave back.
func TestFind_refusesFacetsOfTooManyProductsInSQL(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		node := New(Deps{DB: f.DB, Products: f.catalog.Products, Log: f.search.Log})
		node.maxSQLFacets = 2
		for i := range 3 {
			f.catalog.CreateProduct(fmt.Sprint("product ", i), 1, catalog.ProductEdit{})
			facets, err := f.find(node, Query{WithFacets: true, Limit: 10})
			if refused := i >= 2; refused != FacetsUnavailable(err) ||
				!refused && (err != nil || facets.Facets == nil) {
				f.Errorf("facets of %d products: %+v, %v", i+1, facets, err)
			}
		}

		if n := f.total(node, Query{Limit: 10}); n != 3 {
			f.Errorf("the list without facets has %d products, want 3", n)
		}

		named, err := f.find(node, Query{ExternalIDs: []string{"x"}, WithFacets: true, Limit: 10})
		if err != nil || named.Facets == nil {
			f.Errorf("facets of named products: %v", err)
		}
		archived, err := f.find(node, Query{Archived: catalog.OnlyArchived, WithFacets: true, Limit: 10})
		if err != nil || archived.Facets == nil {
			f.Errorf("facets of a few archived products: %v", err)
		}
	})
}
