package order

import (
	"context"
	"strings"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/store"
)

const updateHandlingSQL = `
UPDATE orders
SET note = $3, tags = $4, tracking_number = $5, tracking_carrier = $6, tracking_url = $7, paid_at = $8,
	payment_number = $9
WHERE store_id = $1
  AND key = $2`

const deleteTagsSQL = `
DELETE FROM order_tags
WHERE store_id = $1
  AND order_key = $2`

const insertTagsSQL = `
WITH r(tag) AS (ROWS)
INSERT INTO order_tags (store_id, order_key, tag, submitted_at)
SELECT $1, $2, tag, $3
FROM r`

const deleteTagsOfOrdersSQL = `
WITH r(key) AS (ROWS)
DELETE FROM order_tags
WHERE (store_id = $1) IS TRUE
  AND order_key IN (SELECT key FROM r)`

const insertUpdateSQL = `
INSERT INTO order_updates (store_id, order_key, created_at, event_id)
VALUES ($1, $2, $3, $4)`

const selectUpdatesSQL = `
SELECT event_id, created_at
FROM order_updates
WHERE store_id = $1
  AND order_key = $2
ORDER BY created_at DESC, event_id DESC
LIMIT $3`

const updatesOfOrdersSQL = `
WITH r(key) AS (ROWS)
SELECT u.event_id
FROM r
CROSS JOIN LOOKUP (order_updates u WHERE u.store_id = $1 AND u.order_key = r.key)`

const selectWordsSQL = `
SELECT words
FROM orders
WHERE store_id = $1
  AND key = $2`

// selectChainSQL selects the price lists of the customer of an order, which are those of a guest without one.
var selectChainSQL = `
SELECT (SELECT ` + pricing.ChainSQL(groupOfCustomerSQL) + `
FROM stores s WHERE s.id = o.store_id)
FROM orders o
WHERE o.store_id = $1
  AND o.key = $2`

// selectCustomerChainSQL selects the price lists of a customer.
var selectCustomerChainSQL = `
SELECT (SELECT ` + pricing.ChainSQL(pricing.CustomerGroupSQL("c")) + `
FROM stores s WHERE s.id = c.store_id)
FROM customers c
WHERE c.store_id = $1
  AND c.key = $2`

const clearTakenSQL = `
UPDATE orders
SET taken = NULL
WHERE store_id = $1
  AND key = $2`

const selectItemReservationsSQL = `
SELECT i.id, r.variant_key, r.stock_key, r.quantity
FROM order_items i
CROSS JOIN reservations r
WHERE i.store_id = $1
  AND i.order_key = $2
  AND r.store_id = $1
  AND r.item_key = i.key
ORDER BY i.key, r.stock_key`

const deleteItemsSQL = `
WITH r(key) AS (ROWS)
DELETE FROM order_items
WHERE (store_id = $1) IS TRUE
  AND key IN (SELECT key FROM r)`

const updateLinesSQL = `
WITH r(key, quantity, price, price_list_id) AS (ROWS)
UPDATE order_items
SET quantity = r.quantity, price = r.price, price_list_id = r.price_list_id
FROM r
WHERE order_items.store_id = $1
  AND order_items.key = r.key`

func selectWords(ctx context.Context, tx store.Tx, orderKey int64) (text string, err error) {
	err = database.QueryRow(ctx, tx, selectWordsSQL, []any{orderKey}, &text)
	return text, err
}

// selectChain returns the price lists of the customer of an order.
func selectChain(ctx context.Context, tx store.Tx, orderKey int64) (pricing.Chain, error) {
	return scanChain(ctx, tx, selectChainSQL, orderKey)
}

// selectCustomerChain returns the price lists of a customer, or none for the key 0.
func selectCustomerChain(ctx context.Context, tx store.Tx, customerKey int64) (pricing.Chain, error) {
	if customerKey == 0 {
		return "", nil
	}
	return scanChain(ctx, tx, selectCustomerChainSQL, customerKey)
}

func scanChain(ctx context.Context, tx store.Tx, sql string, key int64) (pricing.Chain, error) {
	var chain *string
	err := database.QueryRow(ctx, tx, sql, []any{key}, &chain)
	if chain == nil {
		return "", err
	}
	return pricing.Chain(*chain), err
}

// clearTaken records that accounting has not taken the order as it is now.
func clearTaken(ctx context.Context, tx store.Tx, orderKey int64) error {
	return tx.ExecLater(ctx, clearTakenSQL, nil, orderKey)
}

// selectItemReservations returns what the items of an order reserve.
func selectItemReservations(
	ctx context.Context, tx store.Tx, orderKey int64,
) (map[ItemID][]catalog.Reserved, error) {
	held := map[ItemID][]catalog.Reserved{}
	return held, database.QueryEach(ctx, tx, selectItemReservationsSQL, []any{orderKey},
		func(rows database.Rows) error {
			var item ItemID
			var r catalog.Reserved
			err := rows.Scan(&item, &r.Variant, &r.Stock, (*int64)(&r.Quantity))
			held[item] = append(held[item], r)
			return err
		})
}

func deleteReservationsOfOrder(ctx context.Context, tx store.Tx, orderKey int64) error {
	return database.Exec(ctx, tx, deleteReservationsSQL, orderKey)
}

func deleteItems(ctx context.Context, tx store.Tx, keys []int64) error {
	return database.ExecRows(ctx, tx, deleteItemsSQL, database.BatchOf(database.BigInt, keys))
}

// updateLines writes the quantities and prices of items.
func updateLines(ctx context.Context, tx store.Tx, items []Item) error {
	batch := database.NewBatch(database.BigInt, database.BigInt, database.BigInt, database.UUID)
	for i := range items {
		item := &items[i]
		batch.Add(item.Key, int64(item.Quantity), item.Price.OrNull(), item.listOrNull())
	}
	return database.ExecRows(ctx, tx, updateLinesSQL, batch)
}

// updateHandling writes what the shop has added to an order.
func updateHandling(ctx context.Context, tx store.Tx, o *Order) error {
	return tx.ExecLater(ctx, updateHandlingSQL, nil, o.Key, o.Note, strings.Join(o.Tags, ","), o.Tracking.Number,
		o.Tracking.Carrier, o.Tracking.URL, database.MicrosOrNull(o.PaidAt), o.PaymentNumber)
}

// replaceTags writes the tags of a submitted order for the lists by tag.
func replaceTags(ctx context.Context, tx store.Tx, o *Order) error {
	if err := tx.ExecLater(ctx, deleteTagsSQL, nil, o.Key); err != nil || len(o.Tags) == 0 {
		return err
	}
	batch := database.BatchOf(database.Text, foldedTags(o.Tags))
	return tx.ExecLater(ctx, insertTagsSQL, batch, o.Key, o.SubmittedAt.UnixMicro())
}

func deleteTagsOfOrders(ctx context.Context, tx store.Tx, orderKeys []int64) error {
	return database.ExecRows(ctx, tx, deleteTagsOfOrdersSQL, database.BatchOf(database.BigInt, orderKeys))
}

func insertUpdate(ctx context.Context, tx store.Tx, o *Order, eventID event.ID) error {
	return tx.ExecLater(ctx, insertUpdateSQL, nil, o.Key, o.UpdatedAt.UnixMicro(), eventID)
}

// selectUpdates returns the last events of an order that are not about its state, up to limit, the newest first.
func selectUpdates(ctx context.Context, tx store.Tx, orderKey int64, limit int) (list []UpdateEvent, err error) {
	scan := func(rows database.Rows) (u UpdateEvent, err error) {
		err = rows.Scan(&u.ID, database.Time(&u.At))
		return u, err
	}
	err = database.QueryEach(ctx, tx, selectUpdatesSQL, []any{orderKey, limit}, database.AppendScanned(&list, scan))
	return list, err
}

// updatesOfOrders returns the events of orders that are not about their states.
func updatesOfOrders(ctx context.Context, tx store.Tx, orderKeys []int64) (ids []event.ID, err error) {
	err = tx.QueryRows(ctx, updatesOfOrdersSQL, database.BatchOf(database.BigInt, orderKeys),
		database.AppendColumn(&ids))
	return ids, err
}
