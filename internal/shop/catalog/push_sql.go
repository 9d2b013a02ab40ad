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

// lockPushes keeps all others from pushing to the store, and from making what a reference may wait for, until the transaction ends. It is
// the first lock that such a transaction takes, so that none of them waits for another while holding what that one wants.
func lockPushes(ctx context.Context, tx store.Tx) error {
	_, err := tx.Exec(ctx, lockPushesSQL)
	return err
}
