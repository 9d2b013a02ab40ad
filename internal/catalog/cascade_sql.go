package catalog

import (
	"context"

	"vitrine/internal/database"
	"vitrine/internal/store"
)

const variantsWithValuesSQL = `
WITH r(key) AS (ROWS)
SELECT x.variant_key, x.value_key
FROM r
CROSS JOIN variant_values x
WHERE x.store_id = $1
  AND x.attribute_key = $2
  AND x.value_key = r.key
LIMIT $3`

const variantsWithAttributeSQL = `
SELECT variant_key, value_key
FROM variant_values
WHERE store_id = $1
  AND attribute_key = $2
LIMIT $3`

const productsWithValuesSQL = `
WITH r(key) AS (ROWS)
SELECT x.product_key, x.value_key
FROM r
CROSS JOIN product_values x
WHERE x.store_id = $1
  AND x.attribute_key = $2
  AND x.value_key = r.key
LIMIT $3`

const productsWithAttributeSQL = `
SELECT product_key, value_key
FROM product_values
WHERE store_id = $1
  AND attribute_key = $2
LIMIT $3`

// Raising a product's version also locks its row, so that nobody changes its variants meanwhile.
const touchProductsOfVariantsSQL = `
WITH r(key) AS (ROWS)
UPDATE products
SET version = version + 1
WHERE store_id = $1
  AND key IN (SELECT v.product_key FROM r CROSS JOIN variants v WHERE v.store_id = $1 AND v.key = r.key)`

const touchProductsSQL = `
WITH r(key) AS (ROWS)
UPDATE products
SET version = version + 1
WHERE store_id = $1
  AND key IN (SELECT key FROM r)`

const deleteVariantValuesSQL = `
WITH r(key) AS (ROWS)
DELETE FROM variant_values
WHERE store_id = $1
  AND attribute_key = $2
  AND variant_key IN (SELECT key FROM r)`

const deleteProductValuesSQL = `
WITH r(product_key, value_key) AS (ROWS)
DELETE FROM product_values
WHERE store_id = $1
  AND attribute_key = $2
  AND (product_key, value_key) IN (SELECT product_key, value_key FROM r)`

const valuesOfVariantsSQL = `
WITH r(key) AS (ROWS)
SELECT x.variant_key, x.value_key
FROM r
CROSS JOIN variant_values x
WHERE x.store_id = $1
  AND x.variant_key = r.key
ORDER BY x.variant_key, x.value_key`

const setCombinationsSQL = `
WITH r(key, combination, twin) AS (ROWS)
UPDATE variants
SET combination = r.combination, twin = r.twin
FROM r
WHERE variants.store_id = $1
  AND variants.key = r.key
RETURNING variants.product_key`

// The first of several equal combinations stands for all of them: it keeps others from being added. Where none does, the least twin
// is the key of the first. The products are read whole: to look for each variant's equals, PostgreSQL may take an index by the
// product alone, which is slow where one product has very many variants.
const settleTwinsSQL = `
WITH r(product_key) AS (ROWS)
UPDATE variants
SET twin = 0
WHERE store_id = $1
  AND key IN (
	SELECT MIN(v.twin)
	FROM r
	CROSS JOIN variants v
	WHERE v.store_id = $1
	  AND v.product_key = r.product_key
	  AND v.combination IS NOT NULL
	  AND v.archived_at IS NULL
	GROUP BY v.product_key, v.combination
	HAVING MIN(v.twin) > 0)`

// pair is a product or a variant, and a value that it carries.
type pair struct{ owner, value int64 }

// carriers returns owners of the values named by keys, or of the whole attribute where keys is nil; at most about pieceSize of them.
func carriers(ctx context.Context, q database.Querier, storeID store.ID, a *Attribute, keys []int64) ([]pair, error) {
	some, all := variantsWithValuesSQL, variantsWithAttributeSQL
	if a.Kind == Feature {
		some, all = productsWithValuesSQL, productsWithAttributeSQL
	}
	var found []pair
	scan := func(rows database.Rows) error {
		var p pair
		err := rows.Scan(&p.owner, &p.value)
		found = append(found, p)
		return err
	}
	if keys == nil {
		return found, database.Each(ctx, q, all, []any{storeID, a.Key, pieceSize}, scan)
	}
	err := q.QueryRows(ctx, some, keyBatch(keys), scan, storeID, a.Key, pieceSize)
	return found, err
}

// variantValues returns the value keys of each variant, sorted.
func variantValues(ctx context.Context, q database.Querier, storeID store.ID, variantKeys []int64) (map[int64][]int64, error) {
	values := make(map[int64][]int64, len(variantKeys))
	err := q.QueryRows(ctx, valuesOfVariantsSQL, keyBatch(variantKeys), func(rows database.Rows) error {
		var variant, value int64
		err := rows.Scan(&variant, &value)
		values[variant] = append(values[variant], value)
		return err
	}, storeID)
	return values, err
}

// setCombinations writes the combinations and twins of a batch of variants, and returns the keys of their products.
func setCombinations(ctx context.Context, q database.Querier, storeID store.ID, batch *database.Batch) (productKeys []int64, err error) {
	seen := map[int64]bool{}
	err = q.QueryRows(ctx, setCombinationsSQL, batch, func(rows database.Rows) error {
		var key int64
		if err := rows.Scan(&key); err != nil {
			return err
		}
		if !seen[key] {
			seen[key] = true
			productKeys = append(productKeys, key)
		}
		return nil
	}, storeID)
	return productKeys, err
}
