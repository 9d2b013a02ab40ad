package catalog

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

const valuesOfVariantsSQL = storeKeysSQL + `
SELECT x.variant_key, x.value_key
FROM k
CROSS JOIN variant_values x
WHERE x.store_id = k.store_id
  AND x.variant_key = k.key
ORDER BY x.variant_key, x.value_key`

// variantValues returns the sorted value keys of each variant.
func variantValues(ctx context.Context, tx store.Tx, variantKeys []int64) (map[int64][]int64, error) {
	values := make(map[int64][]int64, len(variantKeys))
	return values, tx.QueryRows(ctx, valuesOfVariantsSQL, write.KeyBatch(variantKeys),
		write.EachPair(func(variant, value int64) { values[variant] = append(values[variant], value) }))
}

// IS TRUE keeps PostgreSQL from reading all rows of the store; see docs/planner.md.
const setCombinationsSQL = `
WITH r(key, combination, twin) AS (ROWS)
UPDATE variants
SET combination = r.combination, twin = r.twin
FROM r
WHERE (variants.store_id = $1) IS TRUE
  AND variants.key = r.key
RETURNING variants.product_key`

// setCombinations writes combination and duplicateMark of variants, and returns the keys of their products.
func setCombinations(ctx context.Context, tx store.Tx, batch *database.Batch) (productKeys []int64, err error) {
	seen := map[int64]bool{}
	err = tx.QueryRows(ctx, setCombinationsSQL, batch, write.EachColumn(func(key int64) {
		if !seen[key] {
			seen[key] = true
			productKeys = append(productKeys, key)
		}
	}))
	return productKeys, err
}

// Of several variants with the same combination, the one with twin = 0 keeps others from getting it. If none has twin =
// 0, the least twin is the key of the first variant, which gets twin = 0. All variants of the products are read: a
// lookup for each variant may use an index on product_key alone, which is slow for a product with very many variants.
const resolveDuplicatesSQL = storeKeysSQL + `
UPDATE variants
SET twin = 0
WHERE key IN (
	SELECT MIN(v.twin)
	FROM k
	CROSS JOIN variants v
	WHERE v.store_id = k.store_id
	  AND v.product_key = k.key
	  AND v.combination IS NOT NULL
	  AND v.archived_at IS NULL
	GROUP BY v.product_key, v.combination
	HAVING MIN(v.twin) > 0)`

// resolveDuplicates sets duplicateMark to 0 for the first of several variants with the same combination, if none has 0.
func resolveDuplicates(ctx context.Context, tx store.Tx, productKeys []int64) error {
	return write.ExecByKey(ctx, tx, resolveDuplicatesSQL, productKeys)
}

const recomputeCombinationsSQL = `
WITH r(key, combination) AS (ROWS)
UPDATE variants
SET combination = r.combination
FROM r
WHERE (variants.store_id = $1) IS TRUE
  AND variants.key = r.key`

// writeCombinations writes the combinations of variants, and leaves their marks as duplicates.
func writeCombinations(ctx context.Context, tx store.Tx, batch *database.Batch) error {
	_, err := tx.ExecRows(ctx, recomputeCombinationsSQL, batch)
	return err
}
