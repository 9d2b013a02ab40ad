package order

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

const insertReservationsSQL = `
WITH r(item_key, variant_key, stock_key, quantity) AS (ROWS)
INSERT INTO reservations (store_id, item_key, variant_key, stock_key, quantity)
SELECT $1, item_key, variant_key, stock_key, quantity
FROM r`

const reservationsSQL = `
SELECT r.variant_key, r.stock_key, r.quantity
FROM order_items i
CROSS JOIN reservations r
WHERE i.store_id = $1
  AND i.order_key = $2
  AND r.store_id = $1
  AND r.item_key = i.key
ORDER BY r.variant_key, r.stock_key, i.key`

const deleteReservationsSQL = `
DELETE FROM reservations
WHERE store_id = $1
  AND item_key IN (SELECT i.key FROM order_items i WHERE i.store_id = $1 AND i.order_key = $2)`

// insertReservations notes what is reserved for items, an element of parts for each.
func insertReservations(ctx context.Context, q database.Querier, storeID store.ID, items []Item, parts [][]catalog.Reserved) error {
	batch := database.NewBatch(database.BigInt, database.BigInt, database.BigInt, database.BigInt)
	for i := range items {
		for _, p := range parts[i] {
			batch.Add(items[i].Key, p.Variant, p.Stock, int64(p.Quantity))
		}
	}
	_, err := q.ExecRows(ctx, insertReservationsSQL, batch, storeID)
	return err
}

// takeReservations reads what is reserved for an order, and forgets it.
func takeReservations(ctx context.Context, q database.Querier, storeID store.ID, orderKey int64) (parts []catalog.Reserved, err error) {
	err = database.Each(ctx, q, reservationsSQL, []any{storeID, orderKey}, func(rows database.Rows) error {
		var p catalog.Reserved
		err := rows.Scan(&p.Variant, &p.Stock, (*int64)(&p.Quantity))
		parts = append(parts, p)
		return err
	})
	if err != nil {
		return nil, err
	}
	_, err = q.Exec(ctx, deleteReservationsSQL, storeID, orderKey)
	return parts, err
}
