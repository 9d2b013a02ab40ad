package catalog

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const impactVariantsSQL = `
WITH r(key) AS (ROWS)
SELECT v.id, p.id, v.sku
FROM r
CROSS JOIN variants v
CROSS JOIN products p
WHERE v.store_id = $1
  AND v.key = r.key
  AND v.archived_at IS NULL
  AND p.store_id = $1
  AND p.key = v.product_key
ORDER BY v.key`

// collidedCombinationsSQL selects the products and combinations in which variants of a chunk became duplicates of
// others.
const collidedCombinationsSQL = `
WITH r(key) AS (ROWS)
SELECT DISTINCT v.product_key, v.combination
FROM r
CROSS JOIN variants v
WHERE v.store_id = $1
  AND v.key = r.key
  AND v.archived_at IS NULL
  AND v.twin <> 0`

const collisionsSQL = `
WITH r(product_key, combination) AS (ROWS)
SELECT p.id, o.product_key, o.combination, o.id
FROM r
CROSS JOIN variants o
CROSS JOIN products p
WHERE o.store_id = $1
  AND o.product_key = r.product_key
  AND o.combination = r.combination
  AND o.archived_at IS NULL
  AND p.store_id = $1
  AND p.key = r.product_key
ORDER BY p.key, o.key`

// updated_at = -1 marks a product as counted, so that a product with two of the removed values is counted once. The
// impact's rollback undoes the mark.
const impactProductsSQL = `
WITH r(key) AS (ROWS)
UPDATE products
SET updated_at = -1
WHERE store_id = $1
  AND updated_at <> -1
  AND archived_at IS NULL
  AND key IN (SELECT key FROM r)
RETURNING id, name`

// impactVariants reads the variants of an impact. Archived ones are left out.
func impactVariants(ctx context.Context, tx store.Tx, variantKeys []int64) (list []ImpactVariant, err error) {
	err = queryByKey(ctx, tx, impactVariantsSQL, variantKeys,
		database.AppendScanned(&list, func(rows database.Rows) (v ImpactVariant, err error) {
			err = rows.Scan(&v.ID, &v.ProductID, &v.SKU)
			return v, err
		}))
	return list, err
}

// collidedCombinations reads the combinations in which these variants became duplicates of other variants of their
// products.
func collidedCombinations(ctx context.Context, tx store.Tx, variantKeys []int64) (list []collisionKey, err error) {
	err = queryByKey(ctx, tx, collidedCombinationsSQL, variantKeys,
		database.AppendScanned(&list, func(rows database.Rows) (key collisionKey, err error) {
			var combination []byte
			err = rows.Scan(&key.productKey, &combination)
			copy(key.combination[:], combination)
			return key, err
		}))
	return list, err
}

// collidingVariants reads the variants that have these combinations. They are ordered by product within each chunk of
// the batch.
func collidingVariants(
	ctx context.Context, tx store.Tx, combinations map[collisionKey]bool,
	fn func(key collisionKey, product ProductID, variant VariantID),
) error {
	batch := database.NewBatch(database.BigInt, database.Bytes)
	for key := range combinations {
		batch.Add(key.productKey, key.combination[:])
	}
	return tx.QueryRows(ctx, collisionsSQL, batch, func(rows database.Rows) error {
		var product ProductID
		var key collisionKey
		var combination []byte
		var variant VariantID
		err := rows.Scan(&product, &key.productKey, &combination, &variant)
		copy(key.combination[:], combination)
		fn(key, product, variant)
		return err
	})
}

// impactProducts marks products as counted and reads them for an impact. Products that are archived or already marked
// are left out.
func impactProducts(ctx context.Context, tx store.Tx, productKeys []int64) (list []ImpactProduct, err error) {
	err = queryByKey(ctx, tx, impactProductsSQL, productKeys,
		database.AppendScanned(&list, func(rows database.Rows) (p ImpactProduct, err error) {
			err = rows.Scan(&p.ID, &p.Name)
			return p, err
		}))
	return list, err
}
