package catalog

import (
	"context"

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

// lockOwnersOfPending locks the owners of the pending references to the category with this external id: categories
// against deletion, products for update.
func lockOwnersOfPending(ctx context.Context, tx store.Tx, externalID string) error {
	for _, owners := range []struct {
		kind pendingKind
		sql  string
	}{
		{pendingParent, shareLockPendingCategoriesSQL + tx.Dialect().ForKeyShare},
		{pendingCategory, lockPendingProductsSQL + tx.Dialect().ForUpdate},
	} {
		lock := func(keys []int64) error { return tx.QueryRows(ctx, owners.sql, keyBatch(keys), discardRow) }
		if err := eachKeyChunk(ctx, tx, pendingKeysSQL, []any{string(owners.kind), externalID}, lock); err != nil {
			return err
		}
	}
	return nil
}
