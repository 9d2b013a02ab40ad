package view

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

const listPricesOfProductSQL = `
SELECT x.variant_key, l.name, x.from_quantity, x.price
FROM variants w
CROSS JOIN LOOKUP (variant_prices x WHERE x.store_id = $1 AND x.variant_key = w.key)
CROSS JOIN LOOKUP (price_lists l WHERE l.store_id = $1 AND l.key = x.list_key AND l.deleted_at IS NULL
	AND l.awaited_since IS NULL)
WHERE w.store_id = $1
  AND w.product_key = $2
  AND w.archived_at IS NULL
ORDER BY x.variant_key, x.list_key, x.from_quantity`

// listPriceTexts returns the prices of a product's variants in price lists as the log shows them, by variant key: the
// name of the list, with the quantity unless it is 1, and the price.
func listPriceTexts(ctx context.Context, tx store.Tx, productKey int64) (map[int64][]attributeText, error) {
	texts := map[int64][]attributeText{}

	add := func(rows database.Rows) error {
		var variant, from int64
		var name string
		var price money.Price
		if err := rows.Scan(&variant, &name, &from, &price); err != nil {
			return err
		}

		if quantity := money.Quantity(from); quantity != catalog.DefaultFromQuantity {
			name += " ≥ " + quantity.Text()
		}
		texts[variant] = append(texts[variant], attributeText{name, price.Text()})
		return nil
	}

	return texts, database.QueryEach(ctx, tx, listPricesOfProductSQL, []any{productKey}, add)
}
