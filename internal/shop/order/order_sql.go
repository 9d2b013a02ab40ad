package order

import (
	"context"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/store"
)

const orderColumns = `o.key, o.id, o.number, o.state, o.token, o.customer_key,
	(SELECT c.id FROM customers c WHERE c.store_id = o.store_id AND c.key = o.customer_key),
	o.name, o.phone, o.email, o.address, o.delivery_comment, o.comment, o.currency, o.total, o.version,
	o.submitted_at, o.confirmed_at, o.completed_at, o.cancelled_at, o.created_at, o.updated_at`

const selectOrderSQL = `
SELECT ` + orderColumns + `
FROM orders o
WHERE o.store_id = $1
  AND o.id = $2`

const listOrdersSQL = `
SELECT ` + orderColumns + `
FROM orders o
WHERE o.store_id = $1`

const countOrdersSQL = `
SELECT COUNT(*)
FROM orders o
WHERE o.store_id = $1`

const insertOrderSQL = `
INSERT INTO orders (store_id, id, state, token, customer_key, name, phone, email, address, delivery_comment, comment, currency, total, words, version, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $16)
RETURNING key`

const updateOrderSQL = `
UPDATE orders
SET number = $3, state = $4, customer_key = $5, name = $6, phone = $7, email = $8, address = $9, delivery_comment = $10, comment = $11,
	currency = $12, total = $13, words = $14, version = $15, submitted_at = $16, confirmed_at = $17, completed_at = $18, cancelled_at = $19,
	updated_at = $20
WHERE store_id = $1
  AND key = $2`

// nextOrderNumberSQL locks the store's row until the commit, so the numbers have no gaps.
const nextOrderNumberSQL = `
INSERT INTO order_numbers (store_id, last)
VALUES ($1, 1)
ON CONFLICT (store_id) DO UPDATE
SET last = order_numbers.last + 1
RETURNING last`

func scanOrder(rows database.Rows) (Order, error) {
	var o Order
	var state string
	var submitted, confirmed, completed, cancelled *int64
	var created, updated int64
	err := rows.Scan(&o.Key, &o.ID, &o.Number, &state, &o.token, &o.CustomerKey, &o.CustomerID,
		&o.Contact.Name, &o.Contact.Phone, &o.Contact.Email, &o.Delivery.Address, &o.Delivery.Comment, &o.Comment,
		&o.Currency, (*int64)(&o.Total), &o.Version,
		&submitted, &confirmed, &completed, &cancelled, &created, &updated)
	o.State = State(state)
	o.SubmittedAt, o.ConfirmedAt, o.CompletedAt, o.CancelledAt =
		optionalTime(submitted), optionalTime(confirmed), optionalTime(completed), optionalTime(cancelled)
	o.CreatedAt, o.UpdatedAt = time.UnixMicro(created), time.UnixMicro(updated)
	return o, err
}

func optionalTime(micros *int64) *time.Time {
	if micros == nil {
		return nil
	}
	return new(time.UnixMicro(*micros))
}

func microsOrNull(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.UnixMicro()
}

// selectOrder returns an order without its items, or fault.NotFound. lock is empty or a locking clause of the dialect.
func selectOrder(
	ctx context.Context, tx store.Tx, orderID ID, lock string,
) (o Order, err error) {
	found := false
	err = database.QueryEach(ctx, tx, selectOrderSQL+lock, []any{orderID}, func(rows database.Rows) (err error) {
		found = true
		o, err = scanOrder(rows)
		return err
	})
	if err == nil && !found {
		err = fault.Missing("order")
	}
	return o, err
}

// listOrders returns one page of the orders that match the filter, newest first and without their items, and the number
// of all that match.
func listOrders(
	ctx context.Context, tx store.Tx, f Filter, limit, offset int64,
) (list []Order, total int64, err error) {
	args := []any{tx.StoreID()}
	where := f.where(&args)
	if err := database.QueryRow(ctx, tx.Unscoped(), countOrdersSQL+where, args, &total); err != nil {
		return nil, 0, err
	}
	if offset >= total {
		return nil, total, nil
	}
	args = append(args, limit, offset)
	page := "\nORDER BY o.key DESC\nLIMIT $" + strconv.Itoa(len(args)-1) + " OFFSET $" + strconv.Itoa(len(args))
	err = database.QueryEach(ctx, tx.Unscoped(), listOrdersSQL+where+page, args, func(rows database.Rows) error {
		o, err := scanOrder(rows)
		list = append(list, o)
		return err
	})
	return list, total, err
}

// where returns the conditions of the filter, to be appended to a WHERE clause over orders o. It appends their
// parameters to args.
func (f Filter) where(args *[]any) string {
	var b strings.Builder
	and := func(condition string, arg any) {
		*args = append(*args, arg)
		b.WriteString("\n  AND o." + condition + " $" + strconv.Itoa(len(*args)))
	}
	if f.CustomerKey != 0 {
		and("customer_key =", f.CustomerKey)
	}
	if f.State != "" {
		and("state =", string(f.State))
	}
	if !f.CreatedFrom.IsZero() {
		and("created_at >=", f.CreatedFrom.UnixMicro())
	}
	if !f.CreatedBefore.IsZero() {
		and("created_at <", f.CreatedBefore.UnixMicro())
	}
	for _, pattern := range locale.QueryPatterns(f.Search) {
		and("words LIKE", pattern)
	}
	return b.String()
}

// insertOrder inserts a draft and sets its Key. The total is stored as 0 until the order is submitted or edited.
func insertOrder(ctx context.Context, tx store.Tx, o *Order) error {
	return database.QueryRow(ctx, tx, insertOrderSQL, []any{
		o.ID, string(o.State), o.token, o.CustomerKey,
		o.Contact.Name, o.Contact.Phone, o.Contact.Email, o.Delivery.Address, o.Delivery.Comment, o.Comment,
		o.Currency, int64(0), o.searchText(), o.Version, o.CreatedAt.UnixMicro(),
	}, &o.Key)
}

func updateOrder(ctx context.Context, tx store.Tx, o *Order) error {
	_, err := tx.Exec(ctx, updateOrderSQL, o.Key,
		o.Number, string(o.State), o.CustomerKey,
		o.Contact.Name, o.Contact.Phone, o.Contact.Email, o.Delivery.Address, o.Delivery.Comment, o.Comment,
		o.Currency, int64(o.Total), o.searchText(), o.Version,
		microsOrNull(o.SubmittedAt), microsOrNull(o.ConfirmedAt),
		microsOrNull(o.CompletedAt), microsOrNull(o.CancelledAt), o.UpdatedAt.UnixMicro())
	return err
}

// nextOrderNumber returns the number of the next submitted order of the store.
func nextOrderNumber(ctx context.Context, tx store.Tx) (number int64, err error) {
	err = database.QueryRow(ctx, tx, nextOrderNumberSQL, nil, &number)
	return number, err
}
