package order

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const countOrdersOfSQL = `
SELECT COUNT(*)
FROM (
	SELECT a.key
	FROM (
		SELECT o.key
		FROM orders o
		WHERE o.store_id = $1
		  AND o.customer_key = $2
		  AND o.customer_key IS NOT NULL
		ORDER BY o.key
		LIMIT $3
	) AS a
	UNION ALL
	SELECT b.key
	FROM (
		SELECT o.key
		FROM orders o
		WHERE o.store_id = $1
		  AND o.guest_key = $2
		  AND o.guest_key IS NOT NULL
		ORDER BY o.submitted_at, o.key
		LIMIT $3
	) AS b
) AS c`

// The JSON of an order of a customer has the customer, so the version of the order rises. That of an order that is only
// shown under somebody does not. A submitted order of a customer waits for the shop as long as it takes, unlike that of
// a guest; entered keeps it so.
const (
	moveOwnOrdersSQL = `
UPDATE orders
SET customer_key = NULL, guest_key = CASE WHEN state = 'draft' THEN guest_key ELSE $3 END,
	entered = CASE WHEN state = 'draft' THEN entered ELSE TRUE END, version = version + 1,
	updated_at = CASE WHEN updated_at < $4 THEN $4 ELSE updated_at + 1 END
WHERE store_id = $1
  AND customer_key = $2
  AND customer_key IS NOT NULL`
	moveShownOrdersSQL = `
UPDATE orders
SET guest_key = $3
WHERE store_id = $1
  AND guest_key = $2
  AND guest_key IS NOT NULL`
)

const moveTotalsSQL = `
INSERT INTO customer_totals (store_id, customer_key, currency, orders, whole, rest)
SELECT t.store_id, $3, t.currency, t.orders, t.whole, t.rest
FROM customer_totals t
WHERE t.store_id = $1
  AND t.customer_key = $2
ORDER BY t.currency
ON CONFLICT (store_id, customer_key, currency) DO UPDATE
SET orders = customer_totals.orders + excluded.orders, whole = customer_totals.whole + excluded.whole,
	rest = customer_totals.rest + excluded.rest`

// countOrdersOf returns the number of the orders and carts of a customer and of the orders that are shown under the
// customer; limit or more if there are as many.
func countOrdersOf(ctx context.Context, tx store.Tx, customerKey, limit int64) (n int64, err error) {
	err = database.QueryRow(ctx, tx, countOrdersOfSQL, []any{customerKey, limit}, &n)
	return n, err
}

// moveOrders shows the orders of a person under another one, with the totals. Carts become those of guests.
func moveOrders(ctx context.Context, tx store.Tx, from, to int64, now time.Time) error {
	if err := database.Exec(ctx, tx, moveOwnOrdersSQL, from, to, now.UnixMicro()); err != nil {
		return err
	}
	if err := database.Exec(ctx, tx, moveShownOrdersSQL, from, to); err != nil {
		return err
	}
	if err := database.Exec(ctx, tx, moveTotalsSQL, from, to); err != nil {
		return err
	}
	return deleteCustomerTotals(ctx, tx, from)
}
