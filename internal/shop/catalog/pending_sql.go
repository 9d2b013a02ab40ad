package catalog

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const insertPendingSQL = `
WITH r(kind, external_id, value_id, product_key, variant_key, category_key) AS (ROWS)
INSERT INTO pending_references (store_id, kind, external_id, value_id, product_key, variant_key, category_key)
SELECT $1, kind, external_id, value_id, product_key, variant_key, category_key
FROM r`

// They are found by what waits alone, and the kind is asked of the row. That there is a key is said for the planner's sake: the indexes
// have only those.
const (
	deletePendingSQL = `
WITH r(key) AS (ROWS)
DELETE FROM pending_references
WHERE key IN (
	SELECT CASE WHEN p.kind = $2 THEN p.key END
	FROM r
	CROSS JOIN pending_references p
	WHERE p.store_id = $1`

	deletePendingOfProductsSQL   = deletePendingSQL + " AND p.product_key = r.key AND p.product_key IS NOT NULL)"
	deletePendingOfVariantsSQL   = deletePendingSQL + " AND p.variant_key = r.key AND p.variant_key IS NOT NULL)"
	deletePendingOfCategoriesSQL = deletePendingSQL + " AND p.category_key = r.key AND p.category_key IS NOT NULL)"
)

const pendingOptionsSQL = `
WITH r(key) AS (ROWS)
SELECT p.variant_key, p.external_id, p.value_id
FROM r
CROSS JOIN pending_references p
WHERE p.store_id = $1
  AND p.variant_key = r.key
  AND p.variant_key IS NOT NULL`

// savePending keeps references until what they refer to arrives. The caller has dropped what the same things waited for before.
func savePending(ctx context.Context, tx store.Tx, list []pendingReference) error {
	batch := database.NewBatch(database.Text, database.Text, database.Text, database.BigInt, database.BigInt, database.BigInt)
	for _, p := range list {
		batch.Add(string(p.kind), p.externalID, p.valueID, keyOrNull(p.productKey), keyOrNull(p.variantKey), keyOrNull(p.categoryKey))
	}
	_, err := tx.ExecRows(ctx, insertPendingSQL, batch)
	return err
}

// dropPending forgets what things wait for of a kind: products, variants or categories, as the kind says.
func dropPending(ctx context.Context, tx store.Tx, kind pendingKind, ownerKeys []int64) error {
	sql := deletePendingOfProductsSQL
	switch kind {
	case pendingOption:
		sql = deletePendingOfVariantsSQL
	case pendingParent:
		sql = deletePendingOfCategoriesSQL
	case pendingCategory, pendingFeature:
	}
	_, err := tx.ExecRows(ctx, sql, keyBatch(ownerKeys), string(kind))
	return err
}

// pendingOptions returns the options that variants wait for.
func pendingOptions(ctx context.Context, tx store.Tx, variantKeys []int64) (map[int64][]ReferencePush, error) {
	pending := map[int64][]ReferencePush{}
	err := tx.QueryRows(ctx, pendingOptionsSQL, keyBatch(variantKeys), func(rows database.Rows) error {
		var variant int64
		var ref ReferencePush
		err := rows.Scan(&variant, &ref.Attribute, &ref.Value)
		pending[variant] = append(pending[variant], ref)
		return err
	})
	return pending, err
}
