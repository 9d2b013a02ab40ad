package catalog

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const variantsWithValuesSQL = `
WITH r(attribute_key, value_key) AS (ROWS)
SELECT x.variant_key, x.attribute_key, x.value_key
FROM r
CROSS JOIN variant_values x
WHERE x.store_id = $1
  AND x.attribute_key = r.attribute_key
  AND x.value_key = r.value_key
LIMIT $2`

const variantsWithAttributeSQL = `
SELECT variant_key, attribute_key, value_key
FROM variant_values
WHERE store_id = $1
  AND attribute_key = $2
LIMIT $3`

const productsWithValuesSQL = `
WITH r(attribute_key, value_key) AS (ROWS)
SELECT x.product_key, x.attribute_key, x.value_key
FROM r
CROSS JOIN product_values x
WHERE x.store_id = $1
  AND x.attribute_key = r.attribute_key
  AND x.value_key = r.value_key
LIMIT $2`

const productsWithAttributeSQL = `
SELECT product_key, attribute_key, value_key
FROM product_values
WHERE store_id = $1
  AND attribute_key = $2
LIMIT $3`

// Raising a product's version also locks its row, so that nobody changes its variants meanwhile.
const touchProductsOfVariantsSQL = `
WITH r(key) AS (ROWS)
UPDATE products
SET version = version + 1, pushed = NULL
WHERE store_id = $1
  AND key IN (SELECT v.product_key FROM r CROSS JOIN variants v WHERE v.store_id = $1 AND v.key = r.key)`

const touchProductsSQL = `
WITH r(key) AS (ROWS)
UPDATE products
SET version = version + 1, pushed = NULL
WHERE store_id = $1
  AND key IN (SELECT key FROM r)`

const deleteVariantValuesSQL = `
WITH r(variant_key, attribute_key, value_key) AS (ROWS)
DELETE FROM variant_values
WHERE store_id = $1
  AND (variant_key, attribute_key) IN (SELECT variant_key, attribute_key FROM r)`

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

// carriers returns owners of values; at most about pieceSize of them.
func (c *cascade) carriers(ctx context.Context, values []link) (found []carriedLink, err error) {
	sql := variantsWithValuesSQL
	if c.kind == Feature {
		sql = productsWithValuesSQL
	}
	batch := database.NewBatch(database.BigInt, database.BigInt)
	for _, v := range values {
		batch.Add(v.attribute, v.value)
	}
	err = c.q.QueryRows(ctx, sql, batch, scanLinks(&found), c.storeID, pieceSize)
	return found, err
}

// carriersOf returns owners of any values of an attribute; at most pieceSize of them.
func (c *cascade) carriersOf(ctx context.Context, attributeKey int64) (found []carriedLink, err error) {
	sql := variantsWithAttributeSQL
	if c.kind == Feature {
		sql = productsWithAttributeSQL
	}
	err = database.Each(ctx, c.q, sql, []any{c.storeID, attributeKey, pieceSize}, scanLinks(&found))
	return found, err
}

func scanLinks(list *[]carriedLink) func(database.Rows) error {
	return func(rows database.Rows) error {
		var l carriedLink
		err := rows.Scan(&l.owner, &l.attribute, &l.value)
		*list = append(*list, l)
		return err
	}
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
