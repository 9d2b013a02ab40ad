package order

import (
	"context"
	"strings"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/store"
)

// groupOfCustomerSQL is the row key of the group of the customer of an order o.
var groupOfCustomerSQL = `(SELECT ` + pricing.CustomerGroupSQL("c") + ` FROM customers c
		WHERE c.store_id = o.store_id AND c.key = o.customer_key)`

// A draft has the price lists of its customer's group, else those of the group of the key that made it, unless the key
// is revoked. In the second case the last column is when the key expires, and the lists with it.
var orderColumns = `o.key, o.id, o.number, o.state, o.token, o.customer_key,
	(SELECT c.id FROM customers c WHERE c.store_id = o.store_id AND c.key = o.customer_key),
	o.name, o.phone, o.email, o.address, o.delivery_comment, o.comment, o.currency, o.total, o.version,
	o.submitted_at, o.confirmed_at, o.completed_at, o.cancelled_at, o.created_at, o.updated_at,
	o.submitted_event, o.confirmed_event, o.completed_event, o.cancelled_event, o.taken, o.payment_number,
	o.credential_id, o.note, o.tags, o.tracking_number, o.tracking_carrier, o.tracking_url, o.paid_at, o.more_events,
	o.guest_key,
	CASE WHEN o.state = 'draft' THEN (SELECT ` + pricing.ChainSQL(`COALESCE(
		`+groupOfCustomerSQL+`,
		(SELECT k.group_key FROM credentials k WHERE k.store_id = o.store_id AND k.id = o.credential_id
			AND k.revoked_at IS NULL))`) + `
	FROM stores s WHERE s.id = o.store_id) END,
	CASE WHEN o.state = 'draft' AND ` + groupOfCustomerSQL + ` IS NULL THEN (
		SELECT k.expires_at FROM credentials k WHERE k.store_id = o.store_id AND k.id = o.credential_id) END`

var selectOrderSQL = `
SELECT ` + orderColumns + `
FROM orders o
WHERE o.store_id = $1
  AND o.id = $2`

var selectOrderByNumberSQL = `
SELECT ` + orderColumns + `
FROM orders o
WHERE o.store_id = $1
  AND o.number = $2
  AND o.number IS NOT NULL`

const insertOrderSQL = `
INSERT INTO orders (store_id, id, state, token, customer_key, name, phone, email, address, delivery_comment,
	comment, currency, total, words, version, created_at, updated_at, empty, credential_id, entered)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $16, $17, $18, $19)
RETURNING key`

const updateOrderSQL = `
UPDATE orders
SET number = $3, state = $4, customer_key = $5, name = $6, phone = $7, email = $8, address = $9,
	delivery_comment = $10, comment = $11,
	currency = $12, total = $13, words = $14, version = $15, submitted_at = $16, confirmed_at = $17,
		completed_at = $18, cancelled_at = $19,
	updated_at = $20, empty = $21, submitted_event = $22, confirmed_event = $23, completed_event = $24,
		cancelled_event = $25, more_events = $26
WHERE store_id = $1
  AND key = $2`

// nextOrderNumberSQL locks the store's row of order_numbers until the commit, so the numbers have no gaps.
const nextOrderNumberSQL = `
INSERT INTO order_numbers (store_id, last)
VALUES ($1, 1)
ON CONFLICT (store_id) DO UPDATE
SET last = order_numbers.last + 1
RETURNING last`

// scanOrder scans the columns orderColumns, and further ones into more.
func scanOrder(rows database.Rows, more ...any) (Order, error) {
	var o Order
	var submitted, confirmed, completed, cancelled *event.ID
	var chain *string
	var tags, moreEvents string
	err := rows.Scan(append([]any{&o.Key, &o.ID, &o.Number, (*string)(&o.State), &o.token, &o.CustomerKey,
		&o.CustomerID, &o.Contact.Name, &o.Contact.Phone, &o.Contact.Email, &o.Delivery.Address, &o.Delivery.Comment,
		&o.Comment, &o.Currency, (*int64)(&o.Total), &o.Version,
		database.NullTime(&o.SubmittedAt), database.NullTime(&o.ConfirmedAt), database.NullTime(&o.CompletedAt),
		database.NullTime(&o.CancelledAt), database.Time(&o.CreatedAt), database.Time(&o.UpdatedAt),
		&submitted, &confirmed, &completed, &cancelled, &o.taken, &o.PaymentNumber, &o.CredentialID,
		&o.Note, &tags, &o.Tracking.Number, &o.Tracking.Carrier, &o.Tracking.URL, database.NullTime(&o.PaidAt),
		&moreEvents, &o.GuestKey,
		&chain, database.NullTime(&o.pricesEnd)}, more...)...)

	if tags != "" {
		o.Tags = strings.Split(tags, ",")
	}

	if chain != nil {
		o.prices = pricing.Chain(*chain)
	}

	o.setEvent(Submitted, submitted)
	o.setEvent(Confirmed, confirmed)
	o.setEvent(Completed, completed)
	o.setEvent(Cancelled, cancelled)
	if err == nil {
		o.MoreEvents, err = parseEventIDs(moreEvents)
	}
	return o, err
}

// parseEventIDs parses ids with spaces between them.
func parseEventIDs(text string) (ids []event.ID, err error) {
	for word := range strings.FieldsSeq(text) {
		eventID, err := id.Parse[event.Event](word)
		if err != nil {
			return nil, err
		}
		ids = append(ids, eventID)
	}
	return ids, nil
}

// joinEventIDs is the inverse of parseEventIDs.
func joinEventIDs(ids []event.ID) string {
	words := make([]string, len(ids))
	for i, eventID := range ids {
		words[i] = eventID.String()
	}
	return strings.Join(words, " ")
}

func scanOnlyOrder(rows database.Rows) (Order, error) { return scanOrder(rows) }

// selectOrder returns an order without its items, or fault.NotFound. lock is empty or a locking clause of the dialect.
func selectOrder(ctx context.Context, tx store.Tx, orderID ID, lock string) (Order, error) {
	return store.SelectOne(ctx, tx, selectOrderSQL+lock, []any{orderID}, "order", scanOnlyOrder)
}

func selectOrderByNumber(ctx context.Context, tx store.Tx, number int64) (Order, error) {
	return store.SelectOne(ctx, tx, selectOrderByNumberSQL, []any{number}, "order", scanOnlyOrder)
}

// insertOrder inserts a draft without its items and sets its Key. It stores whether o has items. The total is stored as
// 0 until the order is submitted or edited.
func insertOrder(ctx context.Context, tx store.Tx, o *Order) error {
	return database.QueryRow(ctx, tx, insertOrderSQL, []any{
		o.ID, string(o.State), o.token, o.CustomerKey,
		o.Contact.Name, o.Contact.Phone, o.Contact.Email, o.Delivery.Address, o.Delivery.Comment, o.Comment,
		o.Currency, int64(0), o.searchText(), o.Version, o.CreatedAt.UnixMicro(), len(o.Items) == 0, o.CredentialID,
		o.entered,
	}, &o.Key)
}

// updateOrder writes an order without its items, which must have been read: it stores whether there are any.
func updateOrder(ctx context.Context, tx store.Tx, o *Order) error {
	return tx.ExecLater(ctx, updateOrderSQL, nil, o.Key,
		o.Number, string(o.State), o.CustomerKey,
		o.Contact.Name, o.Contact.Phone, o.Contact.Email, o.Delivery.Address, o.Delivery.Comment, o.Comment,
		o.Currency, int64(o.Total), o.searchText(), o.Version,
		database.MicrosOrNull(o.SubmittedAt), database.MicrosOrNull(o.ConfirmedAt),
		database.MicrosOrNull(o.CompletedAt), database.MicrosOrNull(o.CancelledAt), o.UpdatedAt.UnixMicro(),
		len(o.Items) == 0, o.event(Submitted), o.event(Confirmed), o.event(Completed), o.event(Cancelled),
		joinEventIDs(o.MoreEvents))
}

// nextOrderNumber returns the number of the next submitted order of the store.
func nextOrderNumber(ctx context.Context, tx store.Tx) (number int64, err error) {
	err = database.QueryRow(ctx, tx, nextOrderNumberSQL, nil, &number)
	return number, err
}
