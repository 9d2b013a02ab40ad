package search

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/store"
)

// maxChainTries is how often the prices of a chain are read at most while the catalogue changes.
const maxChainTries = 5

var (
	// errChainMoved reports that the columns have another state than the prices that were read.
	errChainMoved = errors.New("the search columns have changed meanwhile")
	// errChainGone reports that the store has no columns any more.
	errChainGone = errors.New("the search columns are not there")
	// errNoRoom reports that a chain fits into the memory only in place of another one, which it may not replace yet.
	errNoRoom = errors.New("other chains of price lists take the search memory")
)

// nextChain returns a store with columns whose column of a chain is wanted.
func (s *Service) nextChain() (*searchIndex, pricing.Chain, bool) {
	for _, idx := range s.storeIndexes() {
		if idx.bytes() == 0 {
			continue // the build of the columns includes what is wanted
		}
		if chains := idx.chains.list(); len(chains) > 0 {
			return idx, chains[0], true
		}
	}
	return nil, "", false
}

// buildChain adds the prices of a chain to the columns of a store. Until then SQL answers what depends on them.
func (s *Service) buildChain(ctx context.Context, idx *searchIndex, chain pricing.Chain) {
	limited, cancel := context.WithTimeout(ctx, buildTimeout)
	defer cancel()
	defer idx.changes.send()
	defer s.evict(idx, chain)

	start := time.Now()
	err := s.addChain(limited, idx, chain)

	switch {
	case err == nil:
		idx.changes.send() // before the chain is not wanted any more, so that no query misses it
		idx.chains.done(chain)
		s.counters.chains.Add(1)
		s.Log.DebugContext(ctx, "added the prices of a chain of price lists to the search columns",
			"store_id", idx.storeID, "lists", len(chain.Lists()), "duration_ms", time.Since(start).Milliseconds())
	case errors.Is(err, errTooLarge):
		s.Log.WarnContext(ctx, "the prices of a chain of price lists do not fit into the search memory, answering "+
			"from SQL; raise --search-memory", "store_id", idx.storeID, "memory", s.Memory)
		idx.chains.suspend(chain, tooLargePause)
	case errors.Is(err, errNoRoom):
		idx.chains.suspend(chain, retryPause)
	case errors.Is(err, errChainGone):
		idx.chains.done(chain)
	default:
		if ctx.Err() == nil {
			s.Log.WarnContext(ctx, "cannot add the prices of a chain of price lists to the search columns, "+
				"answering from SQL", "store_id", idx.storeID, "error", err)
		}
		idx.chains.suspend(chain, retryPause)
	}
}

// addChain reads the prices of a chain and adds them to the columns.
func (s *Service) addChain(ctx context.Context, idx *searchIndex, chain pricing.Chain) error {
	if err := s.makeRoom(idx); err != nil {
		return err
	}

	for range maxChainTries {
		var read *chainPrices
		err := s.DB.ReadWith(ctx, database.Long, true, func(q database.Querier) (err error) {
			read, err = readChain(ctx, store.In(q, idx.storeID), chain.Lists())
			return err
		})
		if err != nil {
			return err
		}

		for range maxChainTries { // on newer snapshots, until one has the state of the columns
			err = s.DB.Snapshot(ctx, func(q database.Querier) error {
				return idx.applyChain(ctx, store.In(q, idx.storeID), chain, read)
			})
			if !errors.Is(err, errChainMoved) {
				break
			}
		}
		if !errors.Is(err, errTooManyChanges) && !errors.Is(err, errChainMoved) {
			return err
		}
	}

	return errTooManyChanges
}

// chainPrices are the prices of all variants for a chain, as read from the database.
type chainPrices struct {
	state State
	// keys are the row keys of the products, sorted. The prices of the product at i end at ends[i].
	keys   []int64
	ends   []uint32
	prices []int64
}

// add adds the price of a variant. The caller adds products in the order of their keys, and the variants of a product
// in the order of the variants' keys.
func (p *chainPrices) add(productKey, price int64) {
	p.prices = append(p.prices, price)
	if n := len(p.keys); n == 0 || p.keys[n-1] != productKey {
		p.keys = append(p.keys, productKey)
		p.ends = append(p.ends, 0)
	}
	p.ends[len(p.ends)-1] = uint32(len(p.prices))
}

// of returns the prices of the variants of a product.
func (p *chainPrices) of(productKey int64) []int64 {
	i, ok := slices.BinarySearch(p.keys, productKey)
	if !ok {
		return nil
	}
	from := uint32(0)
	if i > 0 {
		from = p.ends[i-1]
	}
	return p.prices[from:p.ends[i]]
}

// applyChain adds the prices of a chain to the columns, on a snapshot that is newer than the prices. The products that
// have changed since are read again. It returns errChainMoved if the columns do not have the state of the snapshot.
func (idx *searchIndex) applyChain(ctx context.Context, tx store.Tx, chain pricing.Chain, read *chainPrices) error {
	current, err := readVersions(ctx, tx)
	if err != nil {
		return err
	}
	if err := idx.refreshForRequest(ctx, tx, current); err != nil {
		return cmp.Or(idx.goneError(), err)
	}

	changed, err := changedProducts(ctx, tx, read.state.products, current.products, maxInlineChanges+1)
	if err != nil {
		return err
	}
	if len(changed) > maxInlineChanges || slices.Contains(changed, 0) || current.prunedUpTo > read.state.products {
		return errTooManyChanges
	}
	again, err := readChainOf(ctx, tx, chain.Lists(), changed)
	if err != nil {
		return err
	}

	column, cols, err := idx.fillChain(current.State, chain, read, again, changed)
	if err != nil {
		return err
	}

	idx.mu.Lock()
	defer idx.mu.Unlock()
	if idx.cols != cols || !cols.state.samePrices(current.State) {
		return errChainMoved
	}
	cols.setChain(chain, column)
	idx.updateSize()
	return nil
}

// goneError returns errChainGone if there are no columns.
func (idx *searchIndex) goneError() error {
	idx.mu.RLock()
	defer idx.mu.RUnlock()
	if idx.cols == nil {
		return errChainGone
	}
	return nil
}

// fillChain makes the column of a chain for columns with this state. again has the products in changed.
func (idx *searchIndex) fillChain(
	state State, chain pricing.Chain, read, again *chainPrices, changed []int64,
) (*priceColumn, *searchColumns, error) {
	idx.mu.RLock()
	defer idx.mu.RUnlock()
	c := idx.cols
	if c == nil {
		return nil, nil, errChainGone
	}
	if !c.state.samePrices(state) {
		return nil, nil, errChainMoved
	}

	column := &priceColumn{lists: chain.Lists(), prices: make([]int64, len(c.flags), len(c.flags)+len(c.flags)/32)}
	for row, key := range c.keys {
		if c.deleted[row] {
			continue
		}

		prices := read.of(key)
		if _, isChanged := slices.BinarySearch(changed, key); isChanged {
			prices = again.of(key)
		}

		from, to := c.variantsOf(uint32(row))
		if int(to-from) != len(prices) {
			return nil, nil, errTooManyChanges // never: both have the same state
		}
		copy(column.prices[from:to], prices)
	}

	c.summarizePrices(column)
	column.lastUse.Store(idx.lastUse.Load())
	return column, c, nil
}

// makeRoom drops the chains of a store that were used least recently, until another one fits beside its columns. The
// columns of other stores are evicted when the chain is there. It returns errTooLarge if no chain fits, and errNoRoom
// if another chain was replaced a short time ago; both leave the chains as they are.
func (s *Service) makeRoom(idx *searchIndex) error {
	fits := func(c *searchColumns, chains int) bool {
		filters, words := c.size()
		return int64(filters+words+c.chainBytes()) <= s.Memory && chains < maxChains
	}

	idx.mu.RLock()
	c := idx.cols
	if c == nil {
		idx.mu.RUnlock()
		return errChainGone
	}

	ready := fits(c, len(c.chains))
	filters, words := c.size()
	least := filters + words + c.chainBytes() // with one chain
	for _, p := range c.chains {
		least -= p.bytes()
	}
	idx.mu.RUnlock()

	switch {
	case ready:
		return nil
	case int64(least) > s.Memory:
		return errTooLarge
	case !idx.chains.mayReplace(retryPause):
		return errNoRoom
	}

	for {
		idx.mu.RLock()
		if idx.cols == nil {
			idx.mu.RUnlock()
			return errChainGone
		}
		ready := fits(idx.cols, len(idx.cols.chains))
		oldest, _ := idx.cols.oldestChain("")
		idx.mu.RUnlock()
		if ready || oldest == "" {
			return nil
		}
		idx.dropChain(oldest)
	}
}

// oldestChain returns the chain that was used least recently, except one, and when; "" if there is none.
func (c *searchColumns) oldestChain(except pricing.Chain) (oldest pricing.Chain, lastUse int64) {
	for chain, p := range c.chains {
		if use := p.lastUse.Load(); chain != except && (oldest == "" || use < lastUse) {
			oldest = chain
			lastUse = use
		}
	}
	return oldest, lastUse
}

// dropChain removes the column of a chain. It is not built again at once: two chains that do not fit together would
// take turns.
func (idx *searchIndex) dropChain(chain pricing.Chain) {
	idx.chains.suspend(chain, retryPause)
	idx.mu.Lock()
	defer idx.mu.Unlock()
	if idx.cols != nil {
		idx.cols.setChain(chain, nil)
		idx.updateSize()
	}
}
