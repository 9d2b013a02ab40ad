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

const selectReservationsSQL = `
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

// insertReservations inserts the reservations of items: reserved[i] belongs to items[i].
func insertReservations(ctx context.Context, tx store.Tx, items []Item, reserved [][]catalog.Reserved) error {
	batch := database.NewBatch(database.BigInt, database.BigInt, database.BigInt, database.BigInt)
	for i := range items {
		for _, r := range reserved[i] {
			batch.Add(items[i].Key, r.Variant, r.Stock, int64(r.Quantity))
		}
	}
	return tx.ExecLater(ctx, insertReservationsSQL, batch)
}

// removeReservations deletes the reservations of an order and returns them. It does not change the remainders.
func removeReservations(ctx context.Context, tx store.Tx, orderKey int64) (reserved []catalog.Reserved, err error) {
	err = database.QueryEach(ctx, tx, selectReservationsSQL, []any{orderKey},
		database.AppendScanned(&reserved, scanReserved))
	if err != nil {
		return nil, err
	}
	return reserved, database.Exec(ctx, tx, deleteReservationsSQL, orderKey)
}

func scanReserved(rows database.Rows) (r catalog.Reserved, err error) {
	err = rows.Scan(&r.Variant, &r.Stock, (*int64)(&r.Quantity))
	return r, err
}
