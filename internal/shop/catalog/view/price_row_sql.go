package view

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const pricesInListsSQL = `
WITH r(key) AS (ROWS)
SELECT x.variant_key, x.list_key, l.id, x.from_quantity, x.price
FROM r
CROSS JOIN LOOKUP (variant_prices x WHERE x.store_id = $1 AND x.variant_key = r.key)
CROSS JOIN LOOKUP (price_lists l WHERE l.store_id = $1 AND l.key = x.list_key AND l.deleted_at IS NULL
	AND l.awaited_since IS NULL)
ORDER BY x.variant_key, x.list_key, x.from_quantity`

// PricesInLists returns the prices of variants in all price lists, by list and quantity, by the key of the variant.
func PricesInLists(ctx context.Context, tx store.Tx, keys []int64) (map[int64][]PriceInList, error) {
	batch := database.NewBatch(database.BigInt)
	for _, key := range keys {
		batch.Add(key)
	}

	prices := map[int64][]PriceInList{}
	return prices, tx.QueryRows(ctx, pricesInListsSQL, batch, func(rows database.Rows) error {
		var variantKey int64
		var p PriceInList
		err := rows.Scan(&variantKey, &p.ListKey, &p.List, (*int64)(&p.FromQuantity), (*int64)(&p.Price))
		prices[variantKey] = append(prices[variantKey], p)
		return err
	})
}
