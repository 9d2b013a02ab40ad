package exchange

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const insertArchivedProductsSQL = `
WITH r(key) AS (ROWS)
INSERT INTO exchange_archived (store_id, run_key, product_key, archived_at)
SELECT $1, $2, key, $3
FROM r
WHERE TRUE
ON CONFLICT (store_id, run_key, product_key) DO UPDATE
SET archived_at = excluded.archived_at`

// insertArchivedProducts records which products a run archived, so that it can be reverted.
func insertArchivedProducts(ctx context.Context, tx store.Tx, runKey int64, productKeys []int64, at time.Time) error {
	batch := database.NewBatch(database.BigInt)
	for _, key := range productKeys {
		batch.Add(key)
	}
	_, err := tx.ExecRows(ctx, insertArchivedProductsSQL, batch, runKey, at.UnixMicro())
	return err
}
