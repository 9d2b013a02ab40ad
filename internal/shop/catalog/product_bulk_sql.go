package catalog

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/productfield"
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

const (
	setProductTimesSQL = `
WITH r(key) AS (ROWS)
UPDATE products
SET version = version + 1, updated_at = CASE WHEN updated_at < $2 THEN $2 ELSE updated_at + 1 END,
	` + forgetPushesSQL

	ofLinkedSQL = `
FROM r
WHERE (products.store_id = $1) IS TRUE
  AND products.key = r.key`

	touchCategorizedSQL = setProductTimesSQL + ", categories_writer = $3" + ofLinkedSQL
	touchFeaturedSQL    = setProductTimesSQL + ", features_writer = $3" + ofLinkedSQL
)

// linkChange adds or removes a link of products to a category or a value. linkSQL returns the keys of the products that
// it changes, and touchSQL raises their versions and update times, and clears the digests of their last pushes.
type linkChange struct{ linkSQL, touchSQL string }

var (
	addCategory    = linkChange{addCategorySQL, touchCategorizedSQL}
	removeCategory = linkChange{removeCategorySQL, touchCategorizedSQL}
	addFeature     = linkChange{addFeatureSQL, touchFeaturedSQL}
	removeFeature  = linkChange{removeFeatureSQL, touchFeaturedSQL}
)

// apply changes the links to what the keys in args identify. It returns the keys of the products that it changed, in
// ascending order.
func (c linkChange) apply(
	ctx context.Context, tx store.Tx, productKeys []int64, at time.Time, args []any,
) (changed []int64, err error) {
	err = tx.QueryRows(ctx, c.linkSQL, write.KeyBatch(productKeys), database.AppendColumn(&changed), args...)
	if err != nil {
		return nil, err
	}
	slices.Sort(changed)
	return changed, write.ExecByKey(ctx, tx, c.touchSQL, changed, at.UnixMicro(), productfield.WriterFrom(ctx).OrNull())
}
