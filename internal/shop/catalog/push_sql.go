package catalog

import (
	"context"

	"vitrine/internal/shop/store"
)

const lockPushesSQL = `
INSERT INTO push_locks (store_id, taken)
VALUES ($1, 1)
ON CONFLICT (store_id) DO UPDATE
SET taken = push_locks.taken + 1`

// lockPushes locks the store against other pushes, and against other writes that create targets of pending references,
// until the transaction ends. Lock order: it is the first lock of every such transaction, so that they cannot deadlock.
func lockPushes(ctx context.Context, tx store.Tx) error {
	_, err := tx.Exec(ctx, lockPushesSQL)
	return err
}
