package order

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// bestSellersSQL reads the newest $4 orders from $2 to $3 by the index orders_submitted, and their items. A line counts
// at most a million pieces, so that no sum overflows.
const bestSellersSQL = `
WITH o(key, state) AS (
	SELECT x.key, x.state
	FROM orders x
	WHERE x.store_id = $1
	  AND x.number IS NOT NULL
	  AND x.submitted_at >= $2
	  AND x.submitted_at < $3
	ORDER BY x.submitted_at DESC, x.key DESC
	LIMIT $4
), s(product_id, name, quantity, orders) AS (
	SELECT i.product_id, MAX(i.name),
		CAST(SUM(CASE WHEN i.quantity > 1000000000 THEN 1000000000 ELSE i.quantity END) AS BIGINT),
		COUNT(DISTINCT i.order_key)
	FROM o
	CROSS JOIN LOOKUP (order_items i WHERE i.store_id = $1 AND i.order_key = o.key)
	WHERE o.state <> 'cancelled'
	GROUP BY i.product_id
	ORDER BY 3 DESC, i.product_id
	LIMIT $5
)
SELECT s.product_id, s.name, s.quantity, s.orders,
	(SELECT p.name FROM products p WHERE p.store_id = $1 AND p.id = s.product_id)
FROM s
ORDER BY s.quantity DESC, s.product_id`

func selectBestSellers(
	ctx context.Context, tx store.Tx, from, before time.Time, limit int,
) (list []Sold, err error) {
	args := []any{from.UnixMicro(), before.UnixMicro(), MaxBestSellerOrders, limit}
	err = database.QueryEach(ctx, tx, bestSellersSQL, args, database.AppendScanned(&list,
		func(rows database.Rows) (s Sold, err error) {
			var present *string
			err = rows.Scan(&s.ProductID, &s.Name, (*int64)(&s.Quantity), &s.Orders, &present)
			if s.Deleted = present == nil; !s.Deleted {
				s.Name = *present
			}
			return s, err
		}))
	return list, err
}
