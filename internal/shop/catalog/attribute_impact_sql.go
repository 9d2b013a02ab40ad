package catalog

import (
	"bytes"
	"context"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

const impactVariantsSQL = `
WITH r(key) AS (ROWS)
SELECT v.id, p.id, v.sku
FROM r
CROSS JOIN variants v
CROSS JOIN products p
WHERE (v.store_id = $1) IS TRUE
  AND v.key = r.key
  AND v.archived_at IS NULL
  AND p.key = v.product_key
ORDER BY v.key`

// collidedCombinationsSQL selects the product and the combination of each variant in a chunk that became a duplicate of
// another variant.
const collidedCombinationsSQL = `
WITH r(key) AS (ROWS)
SELECT DISTINCT v.product_key, v.combination
FROM r
CROSS JOIN variants v
WHERE (v.store_id = $1) IS TRUE
  AND v.key = r.key
  AND v.archived_at IS NULL
  AND v.twin <> 0`

const collisionsSQL = `
WITH r(product_key, combination) AS (ROWS)
SELECT p.id, o.product_key, o.combination, o.id
FROM r
CROSS JOIN LOOKUP (variants o WHERE o.store_id = $1 AND o.product_key = r.product_key
	AND o.combination = r.combination AND o.archived_at IS NULL)
CROSS JOIN LOOKUP (products p WHERE p.store_id = $1 AND p.key = r.product_key)
ORDER BY p.key, o.key`

// updated_at = -1 marks a product as counted, so that a product with two of the removed values is counted once. The
// impact's rollback undoes the mark.
const impactProductsSQL = `
WITH r(key) AS (ROWS)
UPDATE products
SET updated_at = -1
WHERE key IN (
	SELECT (SELECT p.key FROM products p WHERE p.store_id = $1 AND p.key = r.key AND p.updated_at <> -1
		AND p.archived_at IS NULL)
	FROM r)
RETURNING id, name`

// impactReader reads the impact of an edit while the edit is applied in tx.
type impactReader struct {
	Impact
	tx store.Tx
	// collided has up to maxImpact combinations that several variants of one product share after the edit.
	collided map[collisionKey]bool
}

type collisionKey struct {
	productKey  int64
	combination [16]byte
}

// addVariants adds a chunk of variants that lost the option.
func (r *impactReader) addVariants(ctx context.Context, variantKeys []int64) error {
	err := write.QueryByKey(ctx, r.tx, impactVariantsSQL, variantKeys, func(rows database.Rows) error {
		var v ImpactVariant
		err := rows.Scan(&v.ID, &v.ProductID, &v.SKU)
		if r.VariantsTotal++; r.VariantsTotal <= maxImpact {
			r.Variants = append(r.Variants, v)
		}
		return err
	})
	if err != nil {
		return err
	}

	return write.QueryByKey(ctx, r.tx, collidedCombinationsSQL, variantKeys, func(rows database.Rows) error {
		var key collisionKey
		var combination []byte
		err := rows.Scan(&key.productKey, &combination)
		copy(key.combination[:], combination)
		if len(r.collided) < maxImpact {
			r.collided[key] = true
		}
		return err
	})
}

// addProducts adds those products of a chunk that are not marked as counted, and marks them. All of them lost a value.
func (r *impactReader) addProducts(ctx context.Context, productKeys []int64) error {
	return write.QueryByKey(ctx, r.tx, impactProductsSQL, productKeys, func(rows database.Rows) error {
		var p ImpactProduct
		err := rows.Scan(&p.ID, &p.Name)
		if r.ProductsTotal++; r.ProductsTotal <= maxImpact {
			r.Products = append(r.Products, p)
		}
		return err
	})
}

// addCollisions adds the variants of each combination in collided. It runs after all values are removed, so that each
// combination is read only once.
func (r *impactReader) addCollisions(ctx context.Context) error {
	batch := database.NewBatch(database.BigInt, database.Bytes)
	at := make(map[collisionKey]int, len(r.collided))
	for key := range r.collided {
		batch.Add(key.productKey, key.combination[:])
	}

	err := r.tx.QueryRows(ctx, collisionsSQL, batch, func(rows database.Rows) error {
		var product ProductID
		var key collisionKey
		var combination []byte
		var variant VariantID
		err := rows.Scan(&product, &key.productKey, &combination, &variant)
		copy(key.combination[:], combination)

		n, known := at[key]
		if !known {
			n = len(r.Collisions)
			at[key] = n
			r.Collisions = append(r.Collisions, Collision{ProductID: product})
		}

		if ids := &r.Collisions[n].VariantIDs; len(*ids) < maxImpact {
			*ids = append(*ids, variant)
		}

		return err
	})

	// On SQLite the query runs once per chunk of the batch, and only the rows of each chunk are sorted.
	slices.SortStableFunc(r.Collisions,
		func(a, b Collision) int { return bytes.Compare(a.ProductID[:], b.ProductID[:]) })
	return err
}
