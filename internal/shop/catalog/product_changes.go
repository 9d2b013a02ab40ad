package catalog

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// The change log keeps every change for changeTTL, and the last MaxKeptChanges changes of a store for as long as they
// are the last. So a node that was down for a night finds what it missed, unless that is so much that reading all
// products is as fast. A reader that is further behind reloads all products.
const (
	changeTTL      = 10 * time.Minute
	MaxKeptChanges = 50_000
)

// pruneChunkSize is the number of changes deleted in one transaction, which takes a few milliseconds.
const pruneChunkSize = 5000

// RecordChanges adds products to the store's change log under a new version, in commit order. Keys may repeat. Caches
// of products read the log. It locks the store's row of catalog_versions until the commit, so a transaction calls it
// last.
func (c *Core) RecordChanges(ctx context.Context, tx store.Tx, productKeys ...int64) error {
	return c.recordChanges(ctx, tx, anyChange, productKeys)
}

// RecordPriceChanges is RecordChanges for changes of nothing but prices and stock.
func (c *Core) RecordPriceChanges(ctx context.Context, tx store.Tx, productKeys ...int64) error {
	return c.recordChanges(ctx, tx, priceChange, productKeys)
}

// changeKind is the number of versions by which price_versions grows.
type changeKind int64

// The kinds of changes.
const (
	anyChange   changeKind = 0
	priceChange changeKind = 1
)

func (c *Core) recordChanges(ctx context.Context, tx store.Tx, kind changeKind, productKeys []int64) error {
	if len(productKeys) == 0 {
		return nil
	}
	productKeys = slices.Compact(slices.Sorted(slices.Values(productKeys)))
	if err := c.Analyzer.ProductsWritten(ctx, tx.Unscoped(), int64(len(productKeys))); err != nil {
		return err
	}
	_, err := insertChanges(ctx, tx, kind, productKeys, c.Now())
	return err
}

// maxListedChanges is the maximum number of changed products that a long transaction records by key. With more, readers
// may as well reload all products, and the keys need not be held in memory.
const maxListedChanges = 10_000

// ChangedProducts collects the keys of the products that a long transaction changes, until they are too many to list.
type ChangedProducts struct {
	keys map[int64]bool
	// PricesOnly says that nothing but prices and stock has changed.
	PricesOnly bool
}

func (t *ChangedProducts) Add(productKeys []int64) {
	if t.keys == nil {
		t.keys = map[int64]bool{}
	}
	for _, key := range productKeys {
		if t.unlisted() {
			return
		}
		t.keys[key] = true
	}
}

// unlisted reports whether there are too many products to list.
func (t *ChangedProducts) unlisted() bool { return len(t.keys) > maxListedChanges }

// RecordChangedProducts records the collected products or, if they are too many to list, key 0, which stands for all.
func (c *Core) RecordChangedProducts(ctx context.Context, tx store.Tx, t ChangedProducts) error {
	kind := anyChange
	if t.PricesOnly {
		kind = priceChange
	}
	if t.unlisted() {
		return c.recordChanges(ctx, tx, kind, []int64{0})
	}
	return c.recordChanges(ctx, tx, kind, write.SortedKeys(t.keys))
}

// PruneChanges deletes the changes of each store that are older than changeTTL and precede the last MaxKeptChanges, in
// chunks, so that other writers can run in between. The changes of the last version are never deleted: they show that
// the version is the same as when a reader last saw it.
func (s *Products) PruneChanges(ctx context.Context, db *database.DB) (err error) {
	defer fault.AddContext(&err, "prune the change log")

	before := s.Now().Add(-changeTTL).UnixMicro()
	var stores []storeVersion
	err = db.Read(ctx, func(q database.Querier) (err error) {
		stores, err = storesOfOldChanges(ctx, q, before)
		return err
	})
	if err != nil {
		return err
	}

	for _, one := range stores {
		// Counting reads up to MaxKeptChanges rows, so it is done only for stores that changed since it was last done.
		if known, ok := s.keptVersions.Load(one.id); ok && known == one.version {
			continue
		}

		upTo, err := database.Read(ctx, db, func(q database.Querier) (int64, error) {
			return lastPrunableVersion(ctx, store.In(q, one.id), s.keptChanges)
		})
		if err != nil {
			return err
		}
		if err := pruneStore(ctx, db, one.id, min(upTo, one.version-1), before); err != nil {
			return err
		}

		if upTo == 0 {
			s.keptVersions.Store(one.id, one.version)
		}
	}

	return nil
}

// pruneStore deletes the changes of a store that are old and of no later version than upTo.
func pruneStore(ctx context.Context, db *database.DB, storeID store.ID, upTo, before int64) error {
	for from, deleted := int64(0), int64(pruneChunkSize); upTo > 0 && deleted == pruneChunkSize; {
		var last int64
		err := db.WriteAlone(ctx, func(q database.Querier) (err error) {
			last, deleted, err = pruneChunk(ctx, store.In(q, storeID), from, upTo, before)
			return err
		})
		if err != nil {
			return err
		}
		from = last
	}
	return nil
}
