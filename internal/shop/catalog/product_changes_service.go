package catalog

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// changeTTL is how long the change log keeps a change. A reader that is further behind reloads all products.
const changeTTL = 10 * time.Minute

// pruneChunkSize is the number of changes deleted in one transaction, which takes a few milliseconds.
const pruneChunkSize = 5000

// recordChanges adds products to the store's change log under a new version. Versions are in commit order, and caches
// of products reload the products listed. It locks the store's row until the commit, so a transaction calls it last.
func (c *core) recordChanges(ctx context.Context, tx store.Tx, productKeys ...int64) error {
	if len(productKeys) == 0 {
		return nil
	}
	if err := c.analyzer.productsWritten(ctx, tx.Unscoped(), int64(len(productKeys))); err != nil {
		return err
	}
	version, err := raiseProductsVersion(ctx, tx)
	if err != nil {
		return err
	}
	return insertChanges(ctx, tx, version, productKeys, c.now())
}

// recordUnlistedChanges is recordChanges for too many products to list. Key 0 stands for all of them.
func (c *core) recordUnlistedChanges(ctx context.Context, tx store.Tx) error {
	return c.recordChanges(ctx, tx, 0)
}

// PruneChanges deletes changes older than changeTTL. It deletes them in chunks, between which other writers get their
// turn.
func (s *Products) PruneChanges(ctx context.Context, db *database.DB) error {
	before := s.now().Add(-changeTTL).UnixMicro()
	var stores []store.ID
	err := db.Read(ctx, func(q database.Querier) (err error) {
		stores, err = storesOfOldChanges(ctx, q, before)
		return err
	})
	if err != nil {
		return err
	}
	for _, storeID := range stores {
		if err := pruneStore(ctx, db, storeID, before); err != nil {
			return err
		}
	}
	return nil
}

// pruneStore deletes the changes of a store from before a time, each chunk in a transaction of its own.
func pruneStore(ctx context.Context, db *database.DB, storeID store.ID, before int64) error {
	for from, more := int64(0), true; more; {
		var last int64
		err := db.WriteAlone(ctx, func(q database.Querier) (err error) {
			var forgotten int64
			last, forgotten, err = pruneChunk(ctx, store.In(q, storeID), from, before)
			more = forgotten == pruneChunkSize
			return err
		})
		if err != nil {
			return err
		}
		from = last
	}
	return nil
}

// pruneChunk deletes up to pruneChunkSize changes of a store, from a version on and from before a time. It returns the
// version of the last deleted change and the number deleted. The floor is raised in the same transaction, so readers
// never find a gap above it. It is raised last, since that locks the store's row until the commit.
func pruneChunk(ctx context.Context, tx store.Tx, from, before int64) (last, forgotten int64, err error) {
	last, productKey, err := lastOldChange(ctx, tx, from, before)
	if err != nil || last == 0 {
		return 0, 0, err
	}
	if forgotten, err = deleteChanges(ctx, tx, from, last, productKey); err != nil {
		return 0, 0, err
	}
	return last, forgotten, raiseFloor(ctx, tx, last)
}
