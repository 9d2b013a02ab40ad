package catalog

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// These statements return the keys of the products that they change.
const (
	addCategorySQL = `
WITH r(key) AS (ROWS)
INSERT INTO product_categories (store_id, product_key, category_key)
SELECT $1, r.key, CAST($2 AS BIGINT)
FROM r
WHERE TRUE
ON CONFLICT (store_id, product_key, category_key) DO NOTHING
RETURNING product_key`

	removeCategorySQL = `
WITH r(key) AS (ROWS)
DELETE FROM product_categories
WHERE (store_id = $1) IS TRUE
  AND product_key IN (SELECT key FROM r)
  AND category_key = $2
RETURNING product_key`

	addFeatureSQL = `
WITH r(key) AS (ROWS)
INSERT INTO product_values (store_id, product_key, attribute_key, value_key)
SELECT $1, r.key, CAST($2 AS BIGINT), CAST($3 AS BIGINT)
FROM r
WHERE TRUE
ON CONFLICT (store_id, product_key, attribute_key, value_key) DO NOTHING
RETURNING product_key`

	removeFeatureSQL = `
WITH r(key) AS (ROWS)
DELETE FROM product_values
WHERE (store_id = $1) IS TRUE
  AND product_key IN (SELECT key FROM r)
  AND attribute_key = $2
  AND value_key = $3
RETURNING product_key`
)

const updateProductTimesSQL = `
WITH r(key) AS (ROWS)
UPDATE products
SET version = version + 1, updated_at = CASE WHEN updated_at < $2 THEN $2 ELSE updated_at + 1 END, pushed = NULL
FROM r
WHERE (products.store_id = $1) IS TRUE
  AND products.key = r.key`

// linkChange adds or removes a link of products to a category or a value, whose keys are the arguments. It returns the
// keys of the products that it changed, in ascending order.
type linkChange func(ctx context.Context, tx store.Tx, productKeys []int64, args ...any) ([]int64, error)

func addCategory(ctx context.Context, tx store.Tx, productKeys []int64, args ...any) ([]int64, error) {
	return changedProductKeys(ctx, tx, addCategorySQL, productKeys, args)
}

func removeCategory(ctx context.Context, tx store.Tx, productKeys []int64, args ...any) ([]int64, error) {
	return changedProductKeys(ctx, tx, removeCategorySQL, productKeys, args)
}

func addFeature(ctx context.Context, tx store.Tx, productKeys []int64, args ...any) ([]int64, error) {
	return changedProductKeys(ctx, tx, addFeatureSQL, productKeys, args)
}

func removeFeature(ctx context.Context, tx store.Tx, productKeys []int64, args ...any) ([]int64, error) {
	return changedProductKeys(ctx, tx, removeFeatureSQL, productKeys, args)
}

func changedProductKeys(
	ctx context.Context, tx store.Tx, sql string, productKeys []int64, args []any,
) (changed []int64, err error) {
	err = tx.QueryRows(ctx, sql, keyBatch(productKeys), database.AppendColumn(&changed), args...)
	slices.Sort(changed)
	return changed, err
}

// updateProductTimes raises the versions and the update times of products, and clears the digests of their last pushes.
func updateProductTimes(ctx context.Context, tx store.Tx, productKeys []int64, at time.Time) error {
	return execByKey(ctx, tx, updateProductTimesSQL, productKeys, at.UnixMicro())
}
