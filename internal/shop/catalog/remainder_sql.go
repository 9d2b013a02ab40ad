package catalog

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const remaindersOfVariantsSQL = `
WITH r(key) AS (ROWS)
SELECT m.variant_key, s.id, m.quantity, m.reserved
FROM r
CROSS JOIN remainders m
CROSS JOIN stocks s
WHERE m.store_id = $1
  AND m.variant_key = r.key
  AND s.store_id = $1
  AND s.key = m.stock_key
ORDER BY m.variant_key, m.stock_key`

// fillRemainders fills in the remainders of variants, oldest stock first.
func fillRemainders(ctx context.Context, tx store.Tx, variants []*Variant) error {
	at, batch := variantsByKey(variants)
	return tx.QueryRows(ctx, remaindersOfVariantsSQL, batch, func(rows database.Rows) error {
		var key int64
		var m Remainder
		if err := rows.Scan(&key, &m.StockID, (*int64)(&m.Quantity), (*int64)(&m.Reserved)); err != nil {
			return err
		}
		v := at[key]
		v.Remainders = append(v.Remainders, m)
		return nil
	})
}
