package order

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

const keepWithdrawalsSQL = `
INSERT INTO withdrawals (store_id, item_key, variant_key, stock_key, quantity)
SELECT r.store_id, r.item_key, r.variant_key, r.stock_key, r.quantity
FROM order_items i
CROSS JOIN reservations r
WHERE i.store_id = $1
  AND i.order_key = $2
  AND r.store_id = $1
  AND r.item_key = i.key
ON CONFLICT (store_id, item_key, stock_key) DO UPDATE
SET variant_key = excluded.variant_key, quantity = excluded.quantity`

const selectWithdrawalsSQL = `
SELECT w.item_key, w.variant_key, w.stock_key, w.quantity
FROM order_items i
CROSS JOIN withdrawals w
WHERE i.store_id = $1
  AND i.order_key = $2
  AND w.store_id = $1
  AND w.item_key = i.key
ORDER BY w.variant_key, w.stock_key, i.key`

const deleteWithdrawalsSQL = `
DELETE FROM withdrawals
WHERE store_id = $1
  AND item_key IN (SELECT i.key FROM order_items i WHERE i.store_id = $1 AND i.order_key = $2)`

// withdrawal is what the completion of an order took off a stock for an item.
type withdrawal struct {
	itemKey int64
	catalog.Reserved
}

// keepWithdrawals records the reservations of an order as withdrawals, before they are deleted.
func keepWithdrawals(ctx context.Context, tx store.Tx, orderKey int64) error {
	return database.Exec(ctx, tx, keepWithdrawalsSQL, orderKey)
}

// removeWithdrawals deletes the withdrawals of an order and returns them.
func removeWithdrawals(ctx context.Context, tx store.Tx, orderKey int64) (list []withdrawal, err error) {
	err = database.QueryEach(ctx, tx, selectWithdrawalsSQL, []any{orderKey},
		database.AppendScanned(&list, func(rows database.Rows) (w withdrawal, err error) {
			err = rows.Scan(&w.itemKey, &w.Variant, &w.Stock, (*int64)(&w.Quantity))
			return w, err
		}))
	if err != nil {
		return nil, err
	}
	return list, database.Exec(ctx, tx, deleteWithdrawalsSQL, orderKey)
}

// insertRestored inserts reservations for the withdrawals whose remainders are present.
func insertRestored(
	ctx context.Context, tx store.Tx, withdrawn []withdrawal, present map[catalog.RemainderKey]bool,
) error {
	batch := database.NewBatch(database.BigInt, database.BigInt, database.BigInt, database.BigInt)
	for _, w := range withdrawn {
		if present[catalog.RemainderKey{Variant: w.Variant, Stock: w.Stock}] {
			batch.Add(w.itemKey, w.Variant, w.Stock, int64(w.Quantity))
		}
	}
	return database.ExecRows(ctx, tx, insertReservationsSQL, batch)
}
