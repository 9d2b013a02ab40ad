package order

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const selectQuartersSQL = `
SELECT t.start, t.currency, CAST(SUM(CASE WHEN t.state = 'cancelled' THEN 0 ELSE t.orders END) AS BIGINT),
	CAST(SUM(CASE WHEN t.state = 'cancelled' THEN t.orders ELSE 0 END) AS BIGINT),
	CAST(SUM(CASE WHEN t.state = 'cancelled' THEN 0 ELSE t.whole END) AS BIGINT),
	CAST(SUM(CASE WHEN t.state = 'cancelled' THEN 0 ELSE t.rest END) AS BIGINT)
FROM order_totals t
WHERE t.store_id = $1
  AND t.span = 'quarter'
  AND t.start >= $2
  AND t.start < $3
GROUP BY t.start, t.currency
ORDER BY t.start, t.currency`

const hasOrderTotalsSQL = `
SELECT EXISTS (SELECT 1 FROM order_totals WHERE store_id = $1)`

// selectQuarters returns the quarters of an hour from a time up to, but not including, another, in the order of time.
func selectQuarters(ctx context.Context, tx store.Tx, from, before time.Time) (list []quarterTotals, err error) {
	scan := func(rows database.Rows) (q quarterTotals, err error) {
		var whole, rest int64
		err = rows.Scan(database.Time(&q.start), &q.currency, &q.orders, &q.cancelled, &whole, &rest)
		q.revenue = sumOfParts(whole, rest)
		return q, err
	}
	err = database.QueryEach(ctx, tx, selectQuartersSQL, []any{from.UnixMicro(), before.UnixMicro()},
		database.AppendScanned(&list, scan))
	return list, err
}

func hasOrderTotals(ctx context.Context, tx store.Tx) (has bool, err error) {
	err = database.QueryRow(ctx, tx, hasOrderTotalsSQL, nil, &has)
	return has, err
}
