package order

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const addToQuarterSQL = `
INSERT INTO order_quarters (store_id, quarter, currency, orders, revenue, cancelled)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (store_id, quarter, currency) DO UPDATE
SET orders = order_quarters.orders + excluded.orders, revenue = order_quarters.revenue + excluded.revenue,
	cancelled = order_quarters.cancelled + excluded.cancelled`

const selectQuartersSQL = `
SELECT quarter, currency, orders, revenue, cancelled
FROM order_quarters
WHERE store_id = $1
  AND quarter >= $2
  AND quarter < $3
ORDER BY quarter, currency`

const hasQuartersSQL = `
SELECT EXISTS (SELECT 1 FROM order_quarters WHERE store_id = $1)`

func addToQuarter(ctx context.Context, tx store.Tx, q quarter) error {
	return tx.ExecLater(ctx, addToQuarterSQL, nil, q.number, q.currency, q.orders, q.revenue, q.cancelled)
}

// selectQuarters returns the quarters from a number up to, but not including, another, in the order of time.
func selectQuarters(ctx context.Context, tx store.Tx, from, before int64) (list []quarter, err error) {
	scan := func(rows database.Rows) (q quarter, err error) {
		err = rows.Scan(&q.number, &q.currency, &q.orders, &q.revenue, &q.cancelled)
		return q, err
	}
	err = database.QueryEach(ctx, tx, selectQuartersSQL, []any{from, before}, database.AppendScanned(&list, scan))
	return list, err
}

func hasQuarters(ctx context.Context, tx store.Tx) (has bool, err error) {
	err = database.QueryRow(ctx, tx, hasQuartersSQL, nil, &has)
	return has, err
}
