package order

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// lockOrdersToTake appends a lock clause. Rows are locked in key order, so that transactions cannot deadlock.
const lockOrdersToTakeSQL = `
WITH r(id) AS (ROWS)
SELECT o.key
FROM r
CROSS JOIN orders o
WHERE (o.store_id = $1) IS TRUE
  AND o.key = (SELECT x.key FROM orders x WHERE x.store_id = $1 AND x.id = r.id)
  AND o.taken IS NULL
ORDER BY o.key`

const setTakenSQL = `
WITH r(key) AS (ROWS)
UPDATE orders
SET taken = $2
WHERE (store_id = $1) IS TRUE
  AND key IN (SELECT key FROM r)`

const reservationsOfOrdersSQL = `
WITH r(key) AS (ROWS)
SELECT x.variant_key, x.stock_key, x.quantity
FROM r
CROSS JOIN LOOKUP (order_items i WHERE i.store_id = $1 AND i.order_key = r.key)
CROSS JOIN LOOKUP (reservations x WHERE x.store_id = $1 AND x.item_key = i.key)`

const takenReservationsSQL = `
WITH r(key) AS (ROWS)
SELECT x.variant_key, x.stock_key,
	CAST(SUM(CASE WHEN o.taken <= $2 THEN x.quantity ELSE 0 END) AS BIGINT),
	CAST(SUM(CASE WHEN o.taken <= $2 THEN 0 ELSE x.quantity END) AS BIGINT)
FROM r
CROSS JOIN LOOKUP (reservations x WHERE x.store_id = $1 AND x.variant_key = r.key)
CROSS JOIN LOOKUP (order_items i WHERE i.store_id = $1 AND i.key = x.item_key)
CROSS JOIN LOOKUP (orders o WHERE o.store_id = $1 AND o.key = i.order_key AND o.taken IS NOT NULL)
GROUP BY x.variant_key, x.stock_key
ORDER BY x.variant_key, x.stock_key`

// lockOrdersToTake locks the orders with these ids that accounting has not taken yet, and returns their keys.
func lockOrdersToTake(ctx context.Context, tx store.Tx, ids []ID) (keys []int64, err error) {
	sql := lockOrdersToTakeSQL
	if tx.Dialect().ForUpdate != "" {
		sql += tx.Dialect().ForUpdate + " OF o"
	}
	err = tx.QueryRows(ctx, sql, database.BatchOf(database.UUID, ids), database.AppendColumn(&keys))
	return keys, err
}

func setTaken(ctx context.Context, tx store.Tx, keys []int64, sequence int64) error {
	return database.ExecRows(ctx, tx, setTakenSQL, database.BatchOf(database.BigInt, keys), sequence)
}

func selectReservationsOfOrders(ctx context.Context, tx store.Tx, keys []int64) (list []catalog.Reserved, err error) {
	err = tx.QueryRows(ctx, reservationsOfOrdersSQL, database.BatchOf(database.BigInt, keys),
		database.AppendScanned(&list, scanReserved))
	return list, err
}

func selectTakenReservations(
	ctx context.Context, tx store.Tx, variantKeys []int64, takenUpTo int64,
) (list []catalog.Taken, err error) {
	scan := func(rows database.Rows) (t catalog.Taken, err error) {
		err = rows.Scan(&t.Variant, &t.Stock, (*int64)(&t.Quantity), (*int64)(&t.Later))
		return t, err
	}
	err = tx.QueryRows(ctx, takenReservationsSQL, database.BatchOf(database.BigInt, variantKeys),
		database.AppendScanned(&list, scan), takenUpTo)
	return list, err
}
