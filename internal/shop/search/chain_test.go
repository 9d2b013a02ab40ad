package search

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

// chainStore is a store with 20 products and chains of one price list each. Product i costs i+1, in list n 100*(n+1)
// more.
type chainStore struct {
	*fixture
	products []int64 // row keys
	lists    []int64 // row keys
	chains   []pricing.Chain
}

func newChainStore(f *fixture, lists int) *chainStore {
	s := &chainStore{fixture: f}
	for i := range 20 {
		p := f.catalog.CreateProduct(fmt.Sprint("product ", i), money.Money(i+1), catalog.ProductEdit{})
		s.products = append(s.products, p.Key)
	}

	for n := range lists {
		var key int64
		f.Write(func(tx store.Tx) error {
			return database.QueryRow(f.Context(), tx, "INSERT INTO price_lists (store_id, id, name, words, currency, "+
				"version, created_at, updated_at) VALUES ($1, $2, 'list', 'list', 'USD', 1, 1, 1) RETURNING key",
				[]any{id.New[catalog.PriceList]()}, &key)
		})
		s.lists = append(s.lists, key)
		s.chains = append(s.chains, pricing.Chain(fmt.Sprint(key, ":1")))
		for i := range s.products {
			s.setPrice(n, i, int64(100*(n+1)+i+1))
		}
	}
	return s
}

// setPrice sets the price of a product in a list.
func (s *chainStore) setPrice(list, product int, price int64) {
	s.Write(func(tx store.Tx) error {
		err := database.Exec(s.Context(), tx, "INSERT INTO variant_prices (store_id, variant_key, list_key, "+
			"from_quantity, price) SELECT $1, v.key, $3, 1000, $4 FROM variants v WHERE v.store_id = $1 AND "+
			"v.product_key = $2 ON CONFLICT (store_id, variant_key, list_key, from_quantity) "+
			"DO UPDATE SET price = excluded.price", s.products[product], s.lists[list], price)
		if err != nil {
			return err
		}
		return s.catalog.Products.RecordChanges(s.Context(), tx, s.products[product])
	})
}

// byPrice returns a query for the products with this price in a list.
func (s *chainStore) byPrice(list int, price int64) Query {
	return Query{Prices: s.chains[list], PriceFrom: new(money.Money(price)), PriceTo: new(money.Money(price))}
}

// wantPrices checks the lowest price of each list.
func (s *chainStore) wantPrices(node *Service, lists ...int) {
	s.Helper()
	for _, n := range lists {
		if total := s.total(node, s.byPrice(n, int64(100*(n+1)+1))); total != 1 {
			s.Errorf("%d products with the lowest price of list %d, want 1", total, n)
		}
		if total := s.total(node, s.byPrice(n, 1)); total != 0 {
			s.Errorf("%d products of list %d with the price without a list, want none", total, n)
		}
	}
}

// inMemory returns the lists whose chains are in the columns.
func (s *chainStore) inMemory(idx *searchIndex) (lists []int) {
	idx.mu.RLock()
	defer idx.mu.RUnlock()
	for n, chain := range s.chains {
		if idx.cols.chains[chain] != nil {
			lists = append(lists, n)
		}
	}
	return lists
}

// newChainNode returns a node with columns, whose memory has room for some chains. It builds only on request.
func (s *chainStore) newChainNode(chains float64) (*Service, *searchIndex) {
	s.Helper()
	node := s.newNode(s.DB)
	idx := node.index(s.Store.ID)
	node.buildIndex(s.Context(), idx)
	base := idx.bytes()
	node.buildChain(s.Context(), idx, s.chains[0])
	node.Memory = base + int64(float64(idx.bytes()-base)*chains)

	idx.dropChain(s.chains[0])
	idx.endPauses()
	return node, idx
}

// endPauses ends the time during which chains are not built.
func (idx *searchIndex) endPauses() {
	idx.chains.mu.Lock()
	defer idx.chains.mu.Unlock()
	idx.chains.suspended = nil
	idx.chains.replaceAfter = time.Time{}
}

func TestChains_theLeastRecentlyUsedIsEvicted(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		s := newChainStore(f, 4)
		node, idx := s.newChainNode(2.5)
		build := func(list int, want ...int) {
			f.Helper()
			s.wantPrices(node, list) // by SQL, and requests the chain
			node.buildChain(f.Context(), idx, s.chains[list])
			if got := s.inMemory(idx); !slices.Equal(got, want) {
				f.Errorf("after list %d the columns have %v, want %v", list, got, want)
			}
			s.wantPrices(node, 0, 1, 2, 3)
			stats := node.Stats()
			if stats.Filters != idx.filterBytes.Load() || stats.Filters+stats.Words > node.Memory {
				f.Errorf("%d + %d bytes, want at most %d", stats.Filters, stats.Words, node.Memory)
			}
		}

		build(0, 0)
		build(1, 0, 1)
		s.wantPrices(node, 1, 0)
		build(2, 0, 2)

		// A chain that was evicted is not built again at once, and no other one replaces those that are there.
		s.wantPrices(node, 1)
		if slices.Contains(idx.chains.list(), s.chains[1]) {
			f.Error("a chain is wanted right after its eviction")
		}
		node.buildChain(f.Context(), idx, s.chains[3])
		if got := s.inMemory(idx); !slices.Equal(got, []int{0, 2}) {
			f.Errorf("the columns have %v, want 0 and 2 for a while", got)
		}

		idx.endPauses()
		s.wantPrices(node, 1, 2)
		if !slices.Contains(idx.chains.list(), s.chains[1]) {
			f.Error("the chain that was evicted is not wanted again")
		}
		build(1, 1, 2)
	})
}

// A store whose catalogue has grown lost all its columns, although it was enough to drop the prices of a chain.
func TestChains_areEvictedBeforeColumns(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		s := newChainStore(f, 2)
		node, idx := s.newChainNode(2.5)
		for _, chain := range s.chains {
			node.buildChain(f.Context(), idx, chain)
		}
		s.wantPrices(node, 0) // used last
		node.Memory = idx.bytes() - 1
		node.evict(nil, "")
		if got := s.inMemory(idx); idx.cols == nil || !slices.Equal(got, []int{0}) {
			f.Errorf("the columns have %v, want 0", got)
		}
		s.wantPrices(node, 0, 1)
	})
}

// After a rebuild all chains counted as used at the same time, so any of them was evicted next.
func TestChains_keepTheOrderOfTheirUseInARebuild(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		s := newChainStore(f, 6)
		node, idx := s.newChainNode(100) // columns of a rebuild may take more
		for _, chain := range s.chains {
			node.buildChain(f.Context(), idx, chain)
		}
		s.wantPrices(node, 3, 0, 5, 2, 1, 4)

		node.buildIndex(f.Context(), idx)
		for _, want := range [][]int{{0, 1, 2, 4, 5}, {1, 2, 4, 5}, {1, 2, 4}} {
			node.Memory = idx.bytes() - 1
			node.evict(nil, "")
			if got := s.inMemory(idx); !slices.Equal(got, want) {
				f.Errorf("the columns have %v, want %v", got, want)
			}
		}
	})
}

func TestChains_ofARebuildAreLimited(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		s := newChainStore(f, 2)
		node, idx := s.newChainNode(2.5)
		for _, chain := range s.chains {
			node.buildChain(f.Context(), idx, chain)
		}
		for n := range maxChains {
			idx.chains.want(pricing.Chain(fmt.Sprint(1_000_000+n, ":1")))
		}

		used := idx.usedChains()
		if len(used) != maxChains || !slices.Contains(used, s.chains[0]) || !slices.Contains(used, s.chains[1]) {
			f.Errorf("%d chains are built, want %d with those that are there", len(used), maxChains)
		}
	})
}

func TestChains_thatDoNotFitAreAnsweredBySQL(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		s := newChainStore(f, 2)
		sized, _ := s.newChainNode(0.5)
		warnings := &warningCount{}
		node := s.newNode(f.DB)
		node.Memory = sized.Memory
		node.Log = slog.New(warnings)
		node.maxSQLFacets = 10
		f.Start(node.Run)
		f.waitForColumns(node)

		for range 20 {
			s.wantPrices(node, 0, 1)
		}
		_, err := f.find(node, Query{Prices: s.chains[0], WithFacets: true})
		if !FacetsUnavailable(err) || fault.KindOf(err) != fault.Unavailable {
			f.Errorf("facets: %v, want facets_unavailable", err)
		}
		f.expectNoSQL(node, func() {
			if n := f.total(node, Query{Sort: ByPrice, WithFacets: true}); n != 20 {
				f.Errorf("%d products without a list, want 20", n)
			}
			if n := f.total(node, Query{Prices: s.chains[0]}); n != 20 {
				f.Errorf("%d products in the order of their keys, want 20", n)
			}
		})

		stats := node.Stats()
		if n := warnings.Load(); n != 2 || stats.Chains != 0 || stats.Builds != 1 || stats.StoresReady != 1 {
			f.Errorf("%d warnings and %+v, want one warning per chain, and columns without chains", n, stats)
		}
	})
}

// Columns that were dropped made every query wait until the timeout as long as a chain was wanted that nobody built.
func TestChains_ofColumnsThatAreGoneAreNotWaitedFor(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		s := newChainStore(f, 1)
		node, idx := s.newChainNode(1.5)
		node.Prepare()
		node.MaxWait = time.Minute
		idx.chains.want(s.chains[0])
		idx.suspend(retryPause)
		idx.drop()
		s.wantPrices(node, 0)
		if node.Stats().SQL == 0 {
			f.Error("SQL has not answered")
		}
	})
}

// warningCount counts the warnings of a log.
type warningCount struct{ atomic.Int64 }

func (*warningCount) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn
}
func (w *warningCount) Handle(context.Context, slog.Record) error { w.Add(1); return nil }
func (w *warningCount) WithAttrs([]slog.Attr) slog.Handler        { return w }
func (w *warningCount) WithGroup(string) slog.Handler             { return w }

// Prices change while chains are evicted, built and read. Every read after a commit shows the new price, on the node of
// the write and, on PostgreSQL, on another one.
func TestChains_everyReadSeesTheLastPrice(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(storetest.New(t, db))
		s := newChainStore(f, 3)
		nodes := []*Service{f.search}
		if db.Engine() == database.Postgres {
			nodes = append(nodes, f.newNode(db))
		}
		for _, node := range nodes {
			f.Start(node.Run)
			f.waitForColumns(node)
		}

		stop := make(chan struct{})
		var background sync.WaitGroup
		for _, node := range nodes {
			background.Go(func() { s.disturb(node, stop) })
		}

		var writers sync.WaitGroup
		for list := range s.chains {
			writers.Go(func() { s.changePrices(nodes, list) })
		}
		writers.Wait()
		close(stop)
		background.Wait()

		for i, node := range nodes {
			if stats := node.Stats(); stats.Chains < 5 || stats.Columns == 0 {
				t.Errorf("node %d: %+v, want several builds of chains", i, stats)
			}
		}
	})
}

// disturb evicts chains and reads lists of all of them until stop is closed.
func (s *chainStore) disturb(node *Service, stop <-chan struct{}) {
	idx := node.index(s.Store.ID)
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		default:
		}

		chain := s.chains[n%len(s.chains)]
		if _, err := s.find(node, Query{Prices: chain, Sort: ByPriceDesc, WithFacets: n%5 == 0}); err != nil {
			s.Error(err)
			return
		}
		if n%7 == 0 {
			idx.dropChain(chain)
			idx.endPauses()
		}
		if n%50 == 0 {
			idx.requestBuild()
			node.wakeBuilder()
		}
	}
}

// changePrices changes a price of a list and looks for the product by the new price, again and again.
func (s *chainStore) changePrices(nodes []*Service, list int) {
	for i := range 40 {
		price := int64(10_000*(list+1) + i)
		s.setPrice(list, i%len(s.products), price)
		for n, node := range nodes {
			if total := s.total(node, s.byPrice(list, price)); total != 1 {
				s.Errorf("node %d finds %d products by the price %d of list %d, want 1", n, total, price, list)
			}
		}
	}
}
