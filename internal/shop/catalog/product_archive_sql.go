package catalog

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// Rows are locked in the order of their keys. Archived rows are filtered in Go: with a condition on archived_at,
// PostgreSQL would scan the partial index of archived products for each row.
const lockArchivedSQL = `
WITH r(key) AS (ROWS)
SELECT p.key, p.archived_at
FROM r
CROSS JOIN products p
WHERE p.store_id = $1
  AND p.key = r.key
ORDER BY p.key`

const archiveProductsSQL = `
WITH r(key) AS (ROWS)
UPDATE products
SET archived_at = $2, version = version + 1, updated_at = CASE WHEN updated_at < $2 THEN $2 ELSE updated_at + 1 END, pushed = NULL
FROM r
WHERE products.store_id = $1
  AND products.key = r.key`

const restoreProductsSQL = `
WITH r(key) AS (ROWS)
UPDATE products
SET archived_at = NULL, version = version + 1, updated_at = CASE WHEN updated_at < $2 THEN $2 ELSE updated_at + 1 END, pushed = NULL
FROM r
WHERE products.store_id = $1
  AND products.key = r.key`

// lockedProduct is a product that is locked for archiving or restoring.
type lockedProduct struct {
	key        int64
	archivedAt *int64
}

// lockArchived locks products against writes and returns when each was archived, in the order of their keys.
func lockArchived(ctx context.Context, tx store.Tx, keys []int64) (list []lockedProduct, err error) {
	if len(keys) == 0 {
		return nil, nil
	}
	keys = slices.Compact(slices.Sorted(slices.Values(keys)))
	err = tx.QueryRows(ctx, lockArchivedSQL+tx.Dialect().ForUpdate, database.BatchOf(database.BigInt, keys), func(rows database.Rows) error {
		var p lockedProduct
		err := rows.Scan(&p.key, &p.archivedAt)
		list = append(list, p)
		return err
	})
	return list, err
}

func archiveProducts(ctx context.Context, tx store.Tx, productKeys []int64, at time.Time) error {
	_, err := tx.ExecRows(ctx, archiveProductsSQL, database.BatchOf(database.BigInt, productKeys), at.UnixMicro())
	return err
}

func restoreProducts(ctx context.Context, tx store.Tx, productKeys []int64, at time.Time) error {
	_, err := tx.ExecRows(ctx, restoreProductsSQL, database.BatchOf(database.BigInt, productKeys), at.UnixMicro())
	return err
}
