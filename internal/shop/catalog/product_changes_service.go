package catalog

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// changeTTL is how long it stays known which products a version changed. Who has seen nothing for longer reads all of them anew.
const changeTTL = 10 * time.Minute

// pruneChunkSize is how many changes are forgotten in one transaction: some milliseconds.
const pruneChunkSize = 5000

// recordChanges notes that a write changed products, under a number that is given in the order of the commits: whoever keeps products
// in memory reads those again. The store's row is locked until the commit, so this is the last thing a write does.
func (c *core) recordChanges(ctx context.Context, tx store.Tx, productKeys ...int64) error {
	if len(productKeys) == 0 {
		return nil
	}
	if err := c.stats.productsWritten(ctx, tx.Unscoped(), int64(len(productKeys))); err != nil {
		return err
	}
	version, err := raiseProductsVersion(ctx, tx)
	if err != nil {
		return err
	}
	return insertChanges(ctx, tx, version, productKeys, c.now())
}

// recordUnlistedChanges is recordChanges where they are too many to be named.
func (c *core) recordUnlistedChanges(ctx context.Context, tx store.Tx) error {
	return c.recordChanges(ctx, tx, 0)
}

// PruneChanges forgets which products were changed long ago, in pieces between which others write.
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

// pruneStore forgets the changes of a store that were made before a time, each piece in a transaction of its own.
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

// pruneChunk forgets the first changes of a store from a version on, those made before a time and at most pruneChunkSize. It returns the
// version of the last and how many they were. The floor rises in the same transaction, so nobody finds a gap above it; and at its end,
// since that locks the store's row until the commit.
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
