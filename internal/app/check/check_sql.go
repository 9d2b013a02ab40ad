package check

import (
	"context"
	"fmt"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/store"
)

// invariant is a rule that all rows obey. Its query returns the rows that do not: a store, the id of an object in it,
// and two numbers, what is stored and what should be. Both may be NULL.
type invariant struct {
	name, rule string
	object     string // what the id identifies
	query      string
}

// The reservations are summed up once: there is no index of them by variant. A deleted variant may have left its key to
// another one, so that the ids are compared, too.
const wrongReservedSQL = `
SELECT t.store_id, w.id, CAST(SUM(t.reserved) AS BIGINT), CAST(SUM(t.expected) AS BIGINT)
FROM (
	SELECT m.store_id, m.variant_key, m.stock_key, m.reserved, 0 AS expected
	FROM remainders m
	WHERE m.reserved <> 0
	UNION ALL
	SELECT r.store_id, r.variant_key, r.stock_key, 0, r.quantity
	FROM reservations r
	JOIN order_items i ON i.store_id = r.store_id AND i.key = r.item_key
	JOIN orders o ON o.store_id = i.store_id AND o.key = i.order_key
	JOIN variants v ON v.store_id = r.store_id AND v.key = r.variant_key AND v.id = i.variant_id
	WHERE o.state IN ('submitted', 'confirmed')
) AS t
JOIN variants w ON w.store_id = t.store_id AND w.key = t.variant_key
GROUP BY t.store_id, w.id, t.stock_key
HAVING SUM(t.reserved) <> SUM(t.expected)
ORDER BY t.store_id, w.id`

const closedReservationsSQL = `
SELECT r.store_id, o.id, r.quantity, 0
FROM reservations r
JOIN order_items i ON i.store_id = r.store_id AND i.key = r.item_key
JOIN orders o ON o.store_id = i.store_id AND o.key = i.order_key
WHERE o.state NOT IN ('submitted', 'confirmed')
ORDER BY r.store_id, o.id`

const negativeRemaindersSQL = `
SELECT m.store_id, w.id, CASE WHEN m.quantity < 0 THEN m.quantity ELSE m.reserved END, NULL
FROM remainders m
JOIN variants w ON w.store_id = m.store_id AND w.key = m.variant_key
WHERE m.quantity < 0
   OR m.reserved < 0
ORDER BY m.store_id, w.id`

const wrongAvailableSQL = `
SELECT w.store_id, w.id, w.available, m.available
FROM variants w
LEFT JOIN (
	SELECT store_id, variant_key,
		CAST(SUM(CASE WHEN quantity > reserved THEN quantity - reserved ELSE 0 END) AS BIGINT) AS available
	FROM remainders
	GROUP BY store_id, variant_key
) AS m ON m.store_id = w.store_id AND m.variant_key = w.key
WHERE COALESCE(w.available, -1) <> COALESCE(m.available, -1)
ORDER BY w.store_id, w.id`

const ordersWithoutItemsSQL = `
SELECT o.store_id, o.id, 0, 1
FROM orders o
WHERE o.state <> 'draft'
  AND NOT EXISTS (SELECT 1 FROM order_items i WHERE i.store_id = o.store_id AND i.order_key = o.key)
ORDER BY o.store_id, o.id`

// A draft that counts as empty is deleted earlier than others.
const filledEmptyDraftsSQL = `
SELECT o.store_id, o.id, NULL, NULL
FROM orders o
WHERE o.state = 'draft'
  AND o.empty = TRUE
  AND EXISTS (SELECT 1 FROM order_items i WHERE i.store_id = o.store_id AND i.order_key = o.key)
ORDER BY o.store_id, o.id`

const orderEventSQL = `
SELECT o.store_id, o.id
FROM orders o
WHERE o.%[1]s_at >= $1
  AND o.%[1]s_event IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM events e WHERE e.store_id = o.store_id AND e.id = o.%[1]s_event)
ORDER BY o.store_id, o.id`

const wrongOrderNumbersSQL = `
SELECT o.store_id, o.store_id, COALESCE(MAX(n.last), 0), MAX(o.number)
FROM orders o
LEFT JOIN order_numbers n ON n.store_id = o.store_id
WHERE o.number IS NOT NULL
GROUP BY o.store_id
HAVING MAX(o.number) > COALESCE(MAX(n.last), 0)
ORDER BY o.store_id`

const wrongSequencesSQL = `
SELECT e.store_id, e.store_id, COALESCE(MAX(n.last), 0), MAX(e.sequence)
FROM events e
LEFT JOIN event_sequences n ON n.store_id = e.store_id
GROUP BY e.store_id
HAVING MAX(e.sequence) > COALESCE(MAX(n.last), 0)
ORDER BY e.store_id`

const wrongOrderTotalsSQL = `
SELECT t.store_id, t.store_id, CAST(SUM(t.stored) AS BIGINT), CAST(SUM(t.expected) AS BIGINT)
FROM (
	SELECT store_id, span, state, orders AS stored, 0 AS expected
	FROM order_totals
	UNION ALL
	SELECT o.store_id, s.span, o.state, 0, 1
	FROM orders o
	CROSS JOIN (SELECT 'day' AS span UNION ALL SELECT 'quarter') AS s
	WHERE o.state <> 'draft'
) AS t
GROUP BY t.store_id, t.span, t.state
HAVING SUM(t.stored) <> SUM(t.expected)
ORDER BY t.store_id, t.span, t.state`

const wrongKeptSQL = `
SELECT t.store_id, t.store_id, CAST(SUM(t.stored) AS BIGINT), CAST(SUM(t.expected) AS BIGINT)
FROM (
	SELECT store_id, bytes AS stored, 0 AS expected
	FROM exchange_kept
	UNION ALL
	SELECT store_id, 0, kept_bytes
	FROM exchange_runs
) AS t
GROUP BY t.store_id
HAVING SUM(t.stored) <> SUM(t.expected)
ORDER BY t.store_id`

const wrongCustomerTotalsSQL = `
SELECT t.store_id, c.id, CAST(SUM(t.stored) AS BIGINT), CAST(SUM(t.expected) AS BIGINT)
FROM (
	SELECT store_id, customer_key, orders AS stored, 0 AS expected
	FROM customer_totals
	UNION ALL
	SELECT store_id, COALESCE(customer_key, guest_key), 0, 1
	FROM orders
	WHERE COALESCE(customer_key, guest_key, 0) <> 0
	  AND state NOT IN ('draft', 'cancelled')
) AS t
JOIN customers c ON c.store_id = t.store_id AND c.key = t.customer_key
GROUP BY t.store_id, c.id
HAVING SUM(t.stored) <> SUM(t.expected)
ORDER BY t.store_id, c.id`

// These references have no foreign key with the store in it. The keys of rows that can be deleted are compared together
// with an id, since SQLite may use such a key again, also for another store.
const foreignVariantsSQL = `
SELECT i.store_id, i.id, NULL, NULL
FROM order_items i
JOIN variants w ON w.key = i.variant_key AND w.id = i.variant_id
WHERE w.store_id <> i.store_id
ORDER BY i.store_id, i.id`

const foreignStocksSQL = `
SELECT r.store_id, s.id, NULL, NULL
FROM reservations r
JOIN stocks s ON s.key = r.stock_key
WHERE s.store_id <> r.store_id
ORDER BY r.store_id, s.id`

const foreignCredentialsSQL = `
SELECT x.store_id, x.id, NULL, NULL
FROM exchange_runs x
JOIN credentials c ON c.id = x.credential_id
WHERE c.store_id <> x.store_id
ORDER BY x.store_id, x.id`

const foreignCustomersSQL = `
SELECT t.store_id, c.id, NULL, NULL
FROM customer_totals t
JOIN customers c ON c.key = t.customer_key
WHERE c.store_id <> t.store_id
ORDER BY t.store_id, c.id`

const foreignDeliveriesSQL = `
SELECT a.store_id, d.id, NULL, NULL
FROM attempts a
JOIN deliveries d ON d.key = a.delivery_key
WHERE d.store_id <> a.store_id
ORDER BY a.store_id, d.id`

const foreignOrderWordsSQL = `
SELECT t.store_id, o.id, NULL, NULL
FROM search_words t
JOIN orders o ON o.key = t.key
WHERE t.kind = 'order'
  AND o.store_id <> t.store_id
  AND o.state <> 'draft'
ORDER BY t.store_id, o.id`

// checkedInvariants returns all rules.
func checkedInvariants() []invariant {
	return []invariant{
		{"reserved", "what is reserved in a stock is the sum of the reservations of open orders", "variant",
			wrongReservedSQL},
		{"open_reservations", "only submitted and confirmed orders have reservations", "order", closedReservationsSQL},
		{"remainders", "no quantity in a stock is negative", "variant", negativeRemaindersSQL},
		{"available", "what is available of a variant is what its stocks have left", "variant", wrongAvailableSQL},
		{"order_lines", "every submitted order has lines", "order", ordersWithoutItemsSQL},
		{"empty_drafts", "a cart that counts as empty has no lines", "order", filledEmptyDraftsSQL},
		{"order_numbers", "the last order number is not less than that of any order", "store", wrongOrderNumbersSQL},
		{"event_sequences", "the last number of an event is not less than that of any event", "store",
			wrongSequencesSQL},
		{"order_totals", "the totals count all orders", "store", wrongOrderTotalsSQL},
		{"exchange_kept", "what is kept of failed items and dry runs of a store is the sum of its pushes", "store",
			wrongKeptSQL},
		{"customer_totals", "the totals of customers count all their orders", "customer", wrongCustomerTotalsSQL},
		{"lines_of_store", "lines of orders name variants of their own store", "line", foreignVariantsSQL},
		{"stocks_of_store", "reservations name stocks of their own store", "stock", foreignStocksSQL},
		{"pushes_of_store", "pushes name tokens of their own store", "push", foreignCredentialsSQL},
		{"customers_of_store", "totals name customers of their own store", "customer", foreignCustomersSQL},
		{"deliveries_of_store", "attempts name deliveries of their own store", "delivery", foreignDeliveriesSQL},
		{"search_of_store", "search words name orders of their own store", "order", foreignOrderWordsSQL},
	}
}

// eachViolation calls fn for each row that breaks the rule.
func (v *invariant) eachViolation(ctx context.Context, q database.Querier, fn func(text string) error) error {
	return database.QueryEach(ctx, q, v.query, nil, func(rows database.Rows) error {
		var storeID store.ID
		var object id.Of[invariant]
		var stored, expected *int64
		if err := rows.Scan(&storeID, &object, &stored, &expected); err != nil {
			return err
		}

		text := fmt.Sprintf("store %s", storeID)
		if v.object != "store" {
			text += fmt.Sprintf(", %s %s", v.object, object)
		}

		if stored != nil || expected != nil {
			text += fmt.Sprintf(": %s, should be %s", numberText(stored), numberText(expected))
		}

		return fn(text)
	})
}

// eachOrderWithoutEvent calls fn for each order that changed its state after a time and has no event of that.
func eachOrderWithoutEvent(
	ctx context.Context, q database.Querier, since time.Time, fn func(text string) error,
) error {
	for _, state := range []string{"submitted", "confirmed", "completed", "cancelled"} {
		err := database.QueryEach(ctx, q, fmt.Sprintf(orderEventSQL, state), []any{since.UnixMicro()},
			func(rows database.Rows) error {
				var storeID store.ID
				var order id.Of[invariant]
				if err := rows.Scan(&storeID, &order); err != nil {
					return err
				}
				return fn(fmt.Sprintf("store %s, order %s: there is no event that it was %s", storeID, order, state))
			})
		if err != nil {
			return err
		}
	}
	return nil
}
