package catalog

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const pendingKeysSQL = `
SELECT key
FROM pending_references
WHERE store_id = $1
  AND kind = $2
  AND external_id = $3
  AND value_id = ''
  AND key > $4
ORDER BY key
LIMIT $5`

// Rows are locked in the order of their keys, here and below.
const shareLockPendingCategoriesSQL = `
WITH r(key) AS (ROWS)
SELECT c.key
FROM categories c
WHERE c.store_id = $1
  AND c.key IN (SELECT (SELECT w.category_key FROM pending_references w WHERE w.store_id = $1 AND w.key = r.key) FROM r)
ORDER BY c.key`

const lockPendingProductsSQL = `
WITH r(key) AS (ROWS)
SELECT p.key
FROM products p
WHERE p.store_id = $1
  AND p.key IN (SELECT (SELECT w.product_key FROM pending_references w WHERE w.store_id = $1 AND w.key = r.key) FROM r)
ORDER BY p.key`

// eachPending calls fn with the keys of the pending references to the category with this external id, in chunks.
func eachPending(
	ctx context.Context, tx store.Tx, kind pendingKind, externalID string, fn func(keys []int64) error,
) error {
	return eachKeyChunk(ctx, tx, pendingKeysSQL, []any{string(kind), externalID}, fn)
}

// shareLockPendingCategories locks the categories that own the references against deletion.
func shareLockPendingCategories(ctx context.Context, tx store.Tx, pendingKeys []int64) error {
	return tx.QueryRows(ctx, shareLockPendingCategoriesSQL+forKeyShare.clause(tx.Unscoped()), database.BatchOf(database.BigInt, pendingKeys),
		discardRow)
}

// lockPendingProducts locks the products that own the references for update.
func lockPendingProducts(ctx context.Context, tx store.Tx, pendingKeys []int64) error {
	return tx.QueryRows(ctx, lockPendingProductsSQL+forUpdate.clause(tx.Unscoped()), database.BatchOf(database.BigInt, pendingKeys), discardRow)
}
