package order

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

const waitingOrdersSQL = `
WITH r(key) AS (ROWS)
SELECT x.variant_key, o.id, o.number, x.quantity
FROM r
CROSS JOIN LOOKUP (reservations x WHERE x.store_id = $1 AND x.variant_key = r.key)
CROSS JOIN LOOKUP (order_items i WHERE i.store_id = $1 AND i.key = x.item_key)
CROSS JOIN LOOKUP (orders o WHERE o.store_id = $1 AND o.key = i.order_key)
ORDER BY x.variant_key, o.key`

// Waiting is a submitted order that has reserved a quantity of a variant.
type Waiting struct {
	ID       ID
	Number   int64
	Quantity catalog.Quantity
}

// WaitingFor returns the orders that have reserved something of variants, by the variant's key, oldest order first. An
// order that has reserved a variant in several stocks is listed once.
func (s *Service) WaitingFor(
	ctx context.Context, tx store.Tx, variantKeys []int64,
) (_ map[int64][]Waiting, err error) {
	defer fault.AddContext(&err, "read the orders that wait for %d variants", len(variantKeys))
	waiting := map[int64][]Waiting{}
	batch := database.BatchOf(database.BigInt, variantKeys)
	return waiting, tx.QueryRows(ctx, waitingOrdersSQL, batch, func(rows database.Rows) error {
		var variant int64
		var w Waiting
		var number *int64
		if err := rows.Scan(&variant, &w.ID, &number, (*int64)(&w.Quantity)); err != nil {
			return err
		}
		if number != nil {
			w.Number = *number
		}
		list := waiting[variant]
		if last := len(list) - 1; last >= 0 && list[last].ID == w.ID {
			list[last].Quantity += w.Quantity
			return nil
		}
		waiting[variant] = append(list, w)
		return nil
	})
}
