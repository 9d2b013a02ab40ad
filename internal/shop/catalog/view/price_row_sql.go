package view

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

const pricesOfVariantsSQL = `
WITH r(key) AS (ROWS)
SELECT x.variant_key, x.list_key, x.from_quantity, x.price
FROM r
CROSS JOIN LOOKUP (variant_prices x WHERE x.store_id = $1 AND x.variant_key = r.key)
ORDER BY x.variant_key, x.list_key, x.from_quantity`

// pricesOfVariants returns the prices of variants in all price lists by the key of the variant.
func pricesOfVariants(ctx context.Context, tx store.Tx, keys []int64) (map[int64][]catalog.ListPrice, error) {
	batch := database.NewBatch(database.BigInt)
	for _, key := range keys {
		batch.Add(key)
	}

	prices := map[int64][]catalog.ListPrice{}
	return prices, tx.QueryRows(ctx, pricesOfVariantsSQL, batch, func(rows database.Rows) error {
		var variantKey int64
		var p catalog.ListPrice
		err := rows.Scan(&variantKey, &p.ListKey, (*int64)(&p.FromQuantity), (*int64)(&p.Price))
		prices[variantKey] = append(prices[variantKey], p)
		return err
	})
}
