package feed

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const productKeysSQL = `
SELECT key
FROM products
WHERE store_id = $1
  AND archived_at IS NULL
  AND key > $2
ORDER BY key
LIMIT $3`

const productCategoriesSQL = `
WITH r(key) AS (ROWS)
SELECT x.product_key, x.category_key
FROM r
CROSS JOIN LOOKUP (product_categories x WHERE x.store_id = $1 AND x.product_key = r.key)`

// selectProductKeys returns the next live products behind a row key.
func selectProductKeys(ctx context.Context, tx store.Tx, after int64) (keys []int64, err error) {
	err = database.QueryEach(ctx, tx, productKeysSQL, []any{after, pageKeys}, database.AppendColumn(&keys))
	return keys, err
}

// keysInCategories returns which of the products lie in one of the categories.
func keysInCategories(
	ctx context.Context, tx store.Tx, keys []int64, categories map[int64]bool,
) (map[int64]bool, error) {
	in := map[int64]bool{}
	err := tx.QueryRows(ctx, productCategoriesSQL, database.BatchOf(database.BigInt, keys),
		func(rows database.Rows) error {
			var product, category int64
			err := rows.Scan(&product, &category)
			if categories[category] {
				in[product] = true
			}
			return err
		})
	return in, err
}
