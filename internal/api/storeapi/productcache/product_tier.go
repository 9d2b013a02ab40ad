package productcache

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"vitrine/internal/kit/cache"
	"vitrine/internal/kit/memory"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/slug"
	"vitrine/internal/shop/store"
)

const (
	// maxProductBytes is the size up to which a product is cached.
	maxProductBytes = 256 << 10
	// maxCacheChanges is the number of changed products up to which they are removed one by one. With more of them, all
	// products of the store are removed.
	maxCacheChanges = 10_000
	// maxKnownStates is the number of states whose snapshots can use the cache. Slow requests have an older snapshot
	// than the last one.
	maxKnownStates = 16
	// maxPriceKeys is the number of chains of price lists whose products are cached at most.
	maxPriceKeys = 256
)

// productTier caches rendered products of all stores. A product is read again when the change log names it, so a
// response never shows an older product than its snapshot has, on any node.
type productTier struct {
	products *cache.Cache[productCacheKey, *productParts]
	keys     *cache.Cache[productIDKey, int64] // row keys
	// slugs has the ids of the products that had the slugs when they were cached. Whether a product still has its slug
	// shows when it is found.
	slugs  *cache.Cache[slugKey, catalog.ProductID]
	facets *cache.Cache[facetKey, []byte] // as JSON
	// suggestions has MaxSuggestions of each kind.
	suggestions *cache.Cache[facetKey, search.Suggestions]
	// names is the memory of the tables of names of all stores, and maxNames its limit, both in bytes.
	names    atomic.Int64
	maxNames int64

	mu     sync.Mutex
	stores map[store.ID]*storeProducts
}

// productCacheKey identifies a product of a store. A store whose products may all have changed gets a new epoch.
type productCacheKey struct {
	storeID store.ID
	epoch   int64
	key     int64
	prices  priceKey
}

type productIDKey struct {
	storeID store.ID
	id      catalog.ProductID
}

type slugKey struct {
	storeID store.ID
	slug    slug.Slug
}

// storeProducts are the cached products of one store. Each of them is unchanged from its state up to the last known
// state, since the products that the change log names are removed before a state is added. Versions do not suffice to
// find out whether a snapshot is older: after a failover that lost commits, it may have another history.
type storeProducts struct {
	tier    *productTier
	storeID store.ID
	names   *nameTable

	mu      sync.Mutex
	epoch   int64
	known   []search.State // of one history, the newest last; empty before the first read
	knownAt time.Time      // when the newest was added
	// priceKeys are those of the cached products.
	priceKeys map[priceKey]bool
}

// newProductTier returns an empty cache. An eighth of the share is for names, a sixteenth for row keys, half as much
// for slugs, an eighth for facets, and a thirty-second part for suggestions.
func newProductTier(share *memory.Share) *productTier {
	limit := int(share.Limit())
	t := &productTier{maxNames: share.Limit() / 8, stores: map[store.ID]*storeProducts{}}

	t.products = cache.New(limit/32*20, func(_ productCacheKey, p *productParts) int { return p.bytes() }).
		WithOwners(func(key productCacheKey) cache.Owner { return key.storeID.Bytes() })
	t.keys = cache.New(limit/16, func(productIDKey, int64) int { return 40 }).
		WithOwners(func(key productIDKey) cache.Owner { return key.storeID.Bytes() })
	t.slugs = cache.New(limit/32, func(key slugKey, _ catalog.ProductID) int { return 64 + len(key.slug) }).
		WithOwners(func(key slugKey) cache.Owner { return key.storeID.Bytes() })
	t.facets = cache.New(limit/8, facetSize).
		WithOwners(func(key facetKey) cache.Owner { return key.storeID.Bytes() })
	t.suggestions = cache.New(limit/32, suggestionsSize).
		WithOwners(func(key facetKey) cache.Owner { return key.storeID.Bytes() })

	share.Measure(func() int64 {
		cached := t.products.Size() + t.keys.Size() + t.slugs.Size() + t.facets.Size() + t.suggestions.Size()
		return int64(cached) + t.names.Load()
	})
	return t
}

// of returns the cached products of a store.
func (t *productTier) of(storeID store.ID) *storeProducts {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.stores[storeID]
	if s == nil {
		s = &storeProducts{tier: t, storeID: storeID, names: newNameTable(search.State{})}
		t.stores[storeID] = s
	}
	return s
}

// limitNames clears the largest tables of names until the rest fits into the limit.
func (t *productTier) limitNames() {
	for t.names.Load() > t.maxNames {
		var largest *nameTable
		size := int64(0)
		t.mu.Lock()
		for _, s := range t.stores {
			s.names.mu.RLock()
			if s.names.bytes > size {
				largest = s.names
				size = s.names.bytes
			}
			s.names.mu.RUnlock()
		}

		t.mu.Unlock()
		if largest == nil {
			return
		}

		largest.mu.Lock()
		t.names.Add(-largest.bytes)
		largest.clear()
		largest.mu.Unlock()
	}
}

// find returns the products with these keys as a snapshot with this state has them, and nil for those that are not
// cached with all the parts.
func (s *storeProducts) find(
	state search.State, prices priceKey, keys []int64, parts view.Parts,
) (list []*productParts, missing int) {
	s.mu.Lock()
	epoch := s.epoch
	known := slices.Contains(s.known, state)
	s.mu.Unlock()
	list = make([]*productParts, len(keys))
	if !known {
		return list, len(keys)
	}

	for i, key := range keys {
		p, ok := s.tier.products.Get(productCacheKey{s.storeID, epoch, key, prices})
		if ok && !state.OlderThan(p.state) && p.parts.Includes(parts) {
			list[i] = p
			continue
		}
		missing++
	}

	return list, missing
}

// cachedParts returns the parts with which any of these products is cached.
func (s *storeProducts) cachedParts(prices priceKey, keys []int64) (parts view.Parts) {
	s.mu.Lock()
	epoch := s.epoch
	s.mu.Unlock()
	for _, key := range keys {
		if p, ok := s.tier.products.Get(productCacheKey{s.storeID, epoch, key, prices}); ok {
			parts = parts.Union(p.parts)
		}
	}
	return parts
}

// findByID is like find, for one product. Its version is current, too: the deletion of what a product
// refers to raises the version of the product, but only that of the categories or attributes of the store.
func (s *storeProducts) findByID(
	state search.State, prices priceKey, id catalog.ProductID, parts view.Parts,
) *productParts {
	key, ok := s.tier.keys.Get(productIDKey{s.storeID, id})
	if !ok {
		return nil
	}
	list, missing := s.find(state, prices, []int64{key}, parts)
	if missing > 0 || list[0].id != id { // SQLite may use the row key of a deleted product again
		return nil
	}
	if !list[0].state.SameNames(state) {
		return nil
	}
	return list[0]
}

// findBySlug is like findByID, for the product that has the slug at present. It does not find products by former slugs.
func (s *storeProducts) findBySlug(
	state search.State, prices priceKey, text slug.Slug, parts view.Parts,
) *productParts {
	productID, ok := s.tier.slugs.Get(slugKey{s.storeID, text})
	if !ok {
		return nil
	}
	p := s.findByID(state, prices, productID, parts)
	if p == nil || p.slug != text {
		return nil
	}
	return p
}

// findIDs answers a query whose only condition is its ids, as a snapshot with this state would. The result ok is false
// if one of the products is not cached, which includes those that do not exist.
func (s *storeProducts) findIDs(
	state search.State, prices priceKey, query search.Query,
) (found search.Result, ok bool) {
	keys := make([]int64, len(query.IDs))
	for i, id := range query.IDs {
		if keys[i], ok = s.tier.keys.Get(productIDKey{s.storeID, id}); !ok {
			return search.Result{}, false
		}
	}

	list, missing := s.find(state, prices, keys, view.Parts{})
	if missing > 0 {
		return search.Result{}, false
	}

	seen := make(map[int64]bool, len(keys))
	var live []int64
	for i, p := range list {
		if p.id != query.IDs[i] { // SQLite may use the row key of a deleted product again
			return search.Result{}, false
		}
		if p.archivedAt == nil && !seen[keys[i]] {
			live = append(live, keys[i])
		}
		seen[keys[i]] = true
	}

	found.Total = int64(len(live))
	from := min(query.Offset, found.Total)
	found.Keys = live[from:min(from+query.Limit, found.Total)]

	return found, true
}

// put caches a product.
func (s *storeProducts) put(key int64, prices priceKey, p *productParts) {
	if p.bytes() > maxProductBytes {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.state != s.newest() {
		return // the change log may name the product after this state
	}
	s.addPriceKey(prices)
	s.tier.products.Replace(productCacheKey{s.storeID, s.epoch, key, prices}, p)
	s.tier.keys.Put(productIDKey{s.storeID, p.id}, key)
	if p.slug != "" {
		s.tier.slugs.Put(slugKey{s.storeID, p.slug}, p.id)
	}
}

// addPriceKey records that there are products with these prices. With too many different ones, all products are
// removed. The caller holds mu.
func (s *storeProducts) addPriceKey(prices priceKey) {
	if s.priceKeys[prices] {
		return
	}
	if len(s.priceKeys) >= maxPriceKeys {
		s.priceKeys = nil
		s.epoch++
	}
	if s.priceKeys == nil {
		s.priceKeys = map[priceKey]bool{}
	}
	s.priceKeys[prices] = true
}

// newest returns the newest known state, or the zero value. The caller holds mu.
func (s *storeProducts) newest() (state search.State) {
	if len(s.known) > 0 {
		state = s.known[len(s.known)-1]
	}
	return state
}

// advance removes the products that have changed up to the snapshot of tx, whose versions are current.
func (s *storeProducts) advance(
	ctx context.Context, tx store.Tx, service *search.Service, current search.Versions,
) error {
	for {
		s.mu.Lock()
		from := s.newest()
		known := slices.Contains(s.known, current.State)
		s.mu.Unlock()

		lost := current.DivergedFrom(from)
		if known || current.OlderThan(from) && !lost { // an older snapshot that is not known does not use the cache
			return nil
		}

		changed := []int64(nil)
		all := true
		err := error(nil)
		if !lost && !from.IsZero() {
			changed, all, err = service.Changes(ctx, tx, from, current, maxCacheChanges)
		}

		if err != nil {
			return err
		}
		if s.apply(from, current.State, changed, all) {
			return nil
		}
	}
}

// noticeLoss removes all products and names if the newest known state is of a lost history: a state that was read after
// the time since, when the newest was known already, is older, or has the same version by another change. It reports
// whether that is so.
func (s *storeProducts) noticeLoss(state search.State, since time.Time) bool {
	s.mu.Lock()
	newest := s.newest()
	lost := state.DivergedFrom(newest) || state.OlderThan(newest) && since.After(s.knownAt)
	s.mu.Unlock()
	return lost && s.apply(newest, state, nil, true)
}

// apply removes the products that have changed between two states, or all products and names. It returns false if
// another request has added a state meanwhile.
func (s *storeProducts) apply(from, to search.State, changed []int64, all bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()

	if s.newest() != from {
		return false
	}

	if all {
		s.epoch++ // the cache evicts the products of earlier epochs when it needs room
		s.known = nil
		s.priceKeys = nil
		s.clearNames(to)
	}

	for _, key := range changed {
		for prices := range s.priceKeys {
			s.tier.products.Remove(productCacheKey{s.storeID, s.epoch, key, prices})
		}
	}

	s.known = append(s.known[max(0, len(s.known)-maxKnownStates+1):], to)
	s.knownAt = time.Now()
	return true
}

// clearNames removes all names and sets the state of the table.
func (s *storeProducts) clearNames(state search.State) {
	s.names.mu.Lock()
	defer s.names.mu.Unlock()
	s.tier.names.Add(-s.names.bytes)
	s.names.clear()
	s.names.state = state
}

// readNames returns a table with the names that refs need, on a snapshot with this state. What the shared table does
// not have is read and added to it.
func (s *storeProducts) readNames(
	ctx context.Context, tx store.Tx, state search.State, refs nameRefs,
) (*nameTable, error) {
	t := newNameTable(state)
	s.copyNames(t, refs)
	if err := t.read(ctx, tx, refs); err != nil {
		return nil, err
	}
	s.addNames(t, refs)
	return t, nil
}

// copyNames copies names from the shared table, unless it has another state than t. If t is newer and known, the shared
// table moves to the state of t first.
func (s *storeProducts) copyNames(t *nameTable, refs nameRefs) {
	shared := s.names
	s.mu.Lock()
	defer s.mu.Unlock()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if t.state.NewerNames(shared.state) && slices.Contains(s.known, t.state) {
		before := shared.bytes
		shared.advance(t.state)
		s.tier.names.Add(shared.bytes - before)
	}
	if shared.state.SameNames(t.state) {
		t.copyFrom(shared, refs)
	}
}

// addNames adds the names of t to the shared table, unless the table has another state by now.
func (s *storeProducts) addNames(t *nameTable, refs nameRefs) {
	shared := s.names
	shared.mu.Lock()
	if shared.state.SameNames(t.state) {
		before := shared.bytes
		shared.copyFrom(t, refs)
		s.tier.names.Add(shared.bytes - before)
	}
	shared.mu.Unlock()
	s.tier.limitNames()
}
