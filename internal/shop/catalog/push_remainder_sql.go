package catalog

import (
	"context"

	"vitrine/internal/kit/database"
)

const quantitiesSQL = `
WITH r(variant_key, stock_key) AS (ROWS)
SELECT m.variant_key, m.stock_key, m.quantity
FROM r
CROSS JOIN remainders m
WHERE m.store_id = $1
  AND m.variant_key = r.variant_key
  AND m.stock_key = r.stock_key`

// quantities reads the stored quantities of the remainders that the items set.
func (b *variantPushes) quantities(ctx context.Context) (quantities, error) {
	batch := database.NewBatch(database.BigInt, database.BigInt)
	for i, v := range b.items {
		if v != nil {
			at := b.remainder(i)
			batch.Add(at.variant, at.stock)
		}
	}
	present := make(quantities, len(b.items))
	err := b.tx.QueryRows(ctx, quantitiesSQL, batch, func(rows database.Rows) error {
		var at remainderKey
		var quantity int64
		err := rows.Scan(&at.variant, &at.stock, &quantity)
		present[at] = Quantity(quantity)
		return err
	})
	return present, err
}
