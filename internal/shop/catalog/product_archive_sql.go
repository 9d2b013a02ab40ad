package catalog

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// lockProductRows appends FOR UPDATE. Rows are locked in key order, so that transactions cannot deadlock. Callers
// filter archived rows in Go: a condition on archived_at makes PostgreSQL scan a partial index for each row.
// IS TRUE keeps PostgreSQL from reading all rows of the store; see docs/planner.md.
const lockProductRowsSQL = `
WITH r(key) AS (ROWS)
SELECT p.key, p.archived_at
FROM r
CROSS JOIN products p
WHERE (p.store_id = $1) IS TRUE
  AND p.key = r.key
ORDER BY p.key`

const archiveProductsSQL = `
WITH r(key) AS (ROWS)
UPDATE products
SET archived_at = $2, version = version + 1, updated_at = CASE WHEN updated_at < $2 THEN $2 ELSE updated_at + 1 END,
	pushed = NULL
FROM r
WHERE (products.store_id = $1) IS TRUE
  AND products.key = r.key`

const restoreProductsSQL = `
WITH r(key) AS (ROWS)
UPDATE products
SET archived_at = NULL, version = version + 1, updated_at = CASE WHEN updated_at < $2 THEN $2
	ELSE updated_at + 1 END, pushed = NULL
FROM r
WHERE (products.store_id = $1) IS TRUE
  AND products.key = r.key`

// lockProductRows locks products for update and calls fn with the archiving time of each, in the order of their keys.
func lockProductRows(ctx context.Context, tx store.Tx, keys []int64, fn func(key int64, archivedAt *int64)) error {
	keys = slices.Compact(slices.Sorted(slices.Values(keys)))
	return tx.QueryRows(ctx, lockProductRowsSQL+tx.Dialect().ForUpdate, write.KeyBatch(keys), write.EachPair(fn))
}

func archiveProducts(ctx context.Context, tx store.Tx, productKeys []int64, at time.Time) error {
	return write.ExecByKey(ctx, tx, archiveProductsSQL, productKeys, at.UnixMicro())
}

func restoreProducts(ctx context.Context, tx store.Tx, productKeys []int64, at time.Time) error {
	return write.ExecByKey(ctx, tx, restoreProductsSQL, productKeys, at.UnixMicro())
}
