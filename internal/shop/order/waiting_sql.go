package order

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// maxWaitingRead limits the reservations of a variant that WaitingFor reads.
const maxWaitingRead = 100

// waitingOrdersSQL selects the reservations of each variant for its oldest items: $2 + 1, and any others for the last
// of these items. The last column says whether there may be more.
const waitingOrdersSQL = `
WITH r(key) AS (ROWS), b(key, last) AS (
	SELECT r.key, (
		SELECT y.item_key
		FROM reservations y
		WHERE y.store_id = $1
		  AND y.variant_key = r.key
		ORDER BY y.item_key
		LIMIT 1 OFFSET $2)
	FROM r)
SELECT x.variant_key, o.id, o.number, x.quantity, b.last IS NOT NULL
FROM b
CROSS JOIN LOOKUP (reservations x WHERE x.store_id = $1 AND x.variant_key = b.key AND x.item_key <= COALESCE(b.last,
	9223372036854775807))
CROSS JOIN LOOKUP (order_items i WHERE i.store_id = $1 AND i.key = x.item_key)
CROSS JOIN LOOKUP (orders o WHERE o.store_id = $1 AND o.key = i.order_key)
ORDER BY x.variant_key, o.key`

// Waiting is a submitted order that has reserved a quantity of a variant.
type Waiting struct {
	ID       ID
	Number   int64
	Quantity money.Quantity
}

// WaitingOrders are the orders that have reserved a variant, oldest first. More says that there may be further ones.
type WaitingOrders struct {
	List []Waiting
	More bool
}

// WaitingFor returns the orders that have reserved something of variants, by the variant's key. An order that has
// reserved a variant in several stocks is listed once. Of a variant that many orders have reserved it reads only some.
func (s *Service) WaitingFor(
	ctx context.Context, tx store.Tx, variantKeys []int64,
) (_ map[int64]WaitingOrders, err error) {
	defer fault.AddContext(&err, "read the orders that wait for %d variants", len(variantKeys))

	waiting := map[int64]WaitingOrders{}
	batch := database.BatchOf(database.BigInt, variantKeys)
	return waiting, tx.QueryRows(ctx, waitingOrdersSQL, batch, func(rows database.Rows) error {
		var variant int64
		var w Waiting
		var number *int64

		var more bool
		if err := rows.Scan(&variant, &w.ID, &number, (*int64)(&w.Quantity), &more); err != nil {
			return err
		}

		if number != nil {
			w.Number = *number
		}

		list := waiting[variant].List
		if last := len(list) - 1; last >= 0 && list[last].ID == w.ID {
			list[last].Quantity += w.Quantity
			return nil
		}

		waiting[variant] = WaitingOrders{append(list, w), more}
		return nil
	}, maxWaitingRead)
}
