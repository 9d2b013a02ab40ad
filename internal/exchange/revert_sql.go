package exchange

import (
	"context"
	"time"

	"vitrine/internal/catalog"
	"vitrine/internal/database"
	"vitrine/internal/store"
)

const archivedAfterSQL = `
SELECT product_key, archived_at
FROM exchange_archived
WHERE store_id = $1
  AND run_key = $2
  AND product_key > $3
ORDER BY product_key
LIMIT $4`

const countRevertedSQL = `
UPDATE exchange_runs
SET reverted = reverted + $3
WHERE store_id = $1
  AND key = $2
RETURNING reverted`

// archivedAfter reads the products that a run archived, by their keys, from the one after a key on.
func archivedAfter(ctx context.Context, q database.Querier, storeID store.ID, runKey, after, limit int64) (list []catalog.ArchivedProduct, err error) {
	err = database.Each(ctx, q, archivedAfterSQL, []any{storeID, runKey, after, limit}, func(rows database.Rows) error {
		var p catalog.ArchivedProduct
		var at int64
		err := rows.Scan(&p.Key, &at)
		p.At = time.UnixMicro(at)
		list = append(list, p)
		return err
	})
	return list, err
}

// countReverted adds to how many products of a run were brought back, and returns how many they are.
func countReverted(ctx context.Context, q database.Querier, storeID store.ID, runKey, n int64) (reverted int64, err error) {
	err = database.QueryRow(ctx, q, countRevertedSQL, []any{storeID, runKey, n}, &reverted)
	return reverted, err
}
