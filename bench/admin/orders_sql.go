package admin

import (
	"context"
	"fmt"
	"time"

	"vitrine/bench/harness"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/order"
)

const fillOrdersSQL = `
WITH r(key, id, number, state, name, phone, email, total, submitted_at) AS (ROWS)
INSERT INTO orders (key, store_id, id, number, state, token, name, phone, email, address, delivery_comment, comment,
	currency, total, words, version, submitted_at, created_at, updated_at)
SELECT key, $1, id, number, state, $2, name, phone, email, 'Main Street 1', '', '', 'EUR', total, '', 2, submitted_at,
	submitted_at, submitted_at
FROM r`

const fillOrderItemsSQL = `
WITH r(order_key, id, variant_id, sku) AS (ROWS)
INSERT INTO order_items (store_id, order_key, id, variant_key, variant_id, product_id, name, sku, options, price,
	quantity)
SELECT $1, order_key, id, 1, variant_id, variant_id, 'Shirt', sku, '[]', 100000, 1000
FROM r`

const fillOrderNumbersSQL = `
INSERT INTO order_numbers (store_id, last)
VALUES ($1, $2)
ON CONFLICT (store_id) DO UPDATE
SET last = excluded.last`

// fillOrderTotalsSQL sums up the orders by spans of $2 with the length $3 in microseconds.
const fillOrderTotalsSQL = `
INSERT INTO order_totals (store_id, span, start, state, currency, orders, whole, rest)
SELECT o.store_id, $2, o.start, o.state, o.currency, COUNT(*), SUM(o.total / 10000), SUM(o.total % 10000)
FROM (SELECT store_id, submitted_at - submitted_at % $3 AS start, state, currency, total FROM orders
	WHERE store_id = $1) AS o
GROUP BY o.store_id, o.start, o.state, o.currency`

const indexedOrdersSQL = `
SELECT COALESCE(MAX(number), 0)
FROM order_word_progress
WHERE store_id = $1`

// filledOrdersPerBatch is the number of orders that one transaction inserts.
const filledOrdersPerBatch = 2000

// fillOrders inserts n orders with two items each. One in ten is new, and one in a thousand has the rare name.
func fillOrders(ctx context.Context, s *harness.Server, n int) error {
	first := []string{"Anna", "Boris", "Clara", "Dmitri", "Elena", "Fedor", "Galina", "Hugo", "Irina", "Jan"}
	last := []string{"Adler", "Braun", "Conrad", "Dietz", "Engel", "Fuchs", "Graf"}
	states := []order.State{order.Submitted, order.Confirmed, order.Completed, order.Completed, order.Completed,
		order.Completed, order.Completed, order.Completed, order.Completed, order.Cancelled}
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

	for from := 0; from < n; from += filledOrdersPerBatch {
		orders := database.NewBatch(database.BigInt, database.UUID, database.BigInt, database.Text, database.Text,
			database.Text, database.Text, database.BigInt, database.BigInt)
		items := database.NewBatch(database.BigInt, database.UUID, database.UUID, database.Text)
		for i := from; i < min(n, from+filledOrdersPerBatch); i++ {
			name := first[i%len(first)] + " " + last[i/7%len(last)]
			if i%1000 == 0 {
				name = rareName
			}

			key := int64(i + 1)
			orders.Add(key, id.New[order.Order](), key, string(states[i*7%len(states)]), name,
				fmt.Sprintf("+4930%07d", i), fmt.Sprintf("customer%d@example.com", i), int64(i%500+1)*10000,
				start.Add(time.Duration(i)*time.Minute/2).UnixMicro())
			for line := range 2 {
				items.Add(key, id.New[order.Item](), id.New[order.Item](), fmt.Sprintf("SKU-%d", (i+line)%5000))
			}
		}

		err := s.App.DB.Write(ctx, func(q database.Querier) error {
			if _, err := q.ExecRows(ctx, fillOrdersSQL, orders, s.Keys.StoreID, []byte{0}); err != nil {
				return err
			}
			if _, err := q.ExecRows(ctx, fillOrderItemsSQL, items, s.Keys.StoreID); err != nil {
				return err
			}
			_, err := q.Exec(ctx, fillOrderNumbersSQL, s.Keys.StoreID, int64(min(n, from+filledOrdersPerBatch)))
			return err
		})
		if err != nil {
			return err
		}
	}

	return s.App.DB.Write(ctx, func(q database.Querier) error {
		_, err := q.Exec(ctx, fillOrderTotalsSQL, s.Keys.StoreID, "day", (24 * time.Hour).Microseconds())
		if err == nil {
			_, err = q.Exec(ctx, fillOrderTotalsSQL, s.Keys.StoreID, "quarter", (15 * time.Minute).Microseconds())
		}
		return err
	})
}

// waitForOrderWords waits until the words of n orders are indexed.
func waitForOrderWords(ctx context.Context, s *harness.Server, n int) error {
	for indexed := 0; indexed < n; {
		time.Sleep(time.Second)
		err := s.App.DB.Read(ctx, func(q database.Querier) error {
			return database.QueryRow(ctx, q, indexedOrdersSQL, []any{s.Keys.StoreID}, &indexed)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
