package customer

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/store"
)

const customerColumns = `key, id, email, phone, login_email, login_phone, name, version, created_at, updated_at`

const selectCustomersSQL = `
SELECT ` + customerColumns + `
FROM customers
WHERE store_id = $1`

const countCustomersSQL = `
SELECT COUNT(*)
FROM customers
WHERE store_id = $1`

const selectCustomerSQL = selectCustomersSQL + `
  AND id = $2`

const insertCustomerSQL = `
INSERT INTO customers (store_id, id, email, phone, login_email, login_phone, name, words, version, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)`

// These statements return the customer with this login address, or insert one. Either way the row is locked until the
// commit, so that the address cannot change its owner. The DO UPDATE changes nothing: it locks the row and makes
// RETURNING return it.
const (
	upsertByEmailSQL = insertCustomerSQL + `
ON CONFLICT (store_id, login_email) WHERE login_email IS NOT NULL DO UPDATE
SET version = customers.version
RETURNING ` + customerColumns

	upsertByPhoneSQL = insertCustomerSQL + `
ON CONFLICT (store_id, login_phone) WHERE login_phone IS NOT NULL DO UPDATE
SET version = customers.version
RETURNING ` + customerColumns
)

const updateCustomerSQL = `
UPDATE customers
SET email = $3, phone = $4, login_email = $5, login_phone = $6, name = $7, words = $8, version = $9, updated_at = $10
WHERE store_id = $1
  AND key = $2`

func scanCustomer(rows database.Rows) (Customer, error) {
	var c Customer
	var created, updated int64
	err := rows.Scan(&c.Key, &c.ID, &c.Email, &c.Phone, &c.LoginEmail, &c.LoginPhone, &c.Name, &c.Version, &created,
		&updated)
	c.CreatedAt, c.UpdatedAt = time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC()
	return c, err
}

// queryCustomer returns the row of a query that returns at most one, or database.ErrNoRows.
func queryCustomer(ctx context.Context, q database.Querier, sql string, args ...any) (c Customer, err error) {
	found := false
	err = database.QueryEach(ctx, q, sql, args, func(rows database.Rows) (err error) {
		found = true
		c, err = scanCustomer(rows)
		return err
	})
	if err == nil && !found {
		err = database.ErrNoRows
	}
	return c, err
}

// selectCustomer returns a customer, or fault.NotFound. lock is a locking clause of the dialect, or "".
func selectCustomer(
	ctx context.Context, tx store.Tx, customerID ID, lock string,
) (Customer, error) {
	c, err := queryCustomer(ctx, tx.Unscoped(), selectCustomerSQL+lock, tx.StoreID(), customerID)
	if errors.Is(err, database.ErrNoRows) {
		err = fault.Missing("customer")
	}
	return c, err
}

func selectCustomers(
	ctx context.Context, tx store.Tx, f Filter, limit, offset int64,
) (list []Customer, total int64, err error) {
	args := []any{tx.StoreID()}
	where := f.where(&args)
	if err := database.QueryRow(ctx, tx.Unscoped(), countCustomersSQL+where, args, &total); err != nil {
		return nil, 0, err
	}
	if offset >= total {
		return nil, total, nil
	}
	page := "\nORDER BY key DESC\nLIMIT " + placeholder(&args, limit) + " OFFSET " + placeholder(&args, offset)
	err = database.QueryEach(ctx, tx.Unscoped(), selectCustomersSQL+where+page, args, func(rows database.Rows) error {
		c, err := scanCustomer(rows)
		list = append(list, c)
		return err
	})
	return list, total, err
}

// where returns further conditions of a WHERE clause and appends their arguments to args.
func (f Filter) where(args *[]any) string {
	var b strings.Builder
	for _, pattern := range locale.QueryPatterns(f.Search) {
		b.WriteString("\n  AND words LIKE " + placeholder(args, pattern))
	}
	if !f.From.IsZero() {
		b.WriteString("\n  AND created_at >= " + placeholder(args, f.From.UnixMicro()))
	}
	if !f.Before.IsZero() {
		b.WriteString("\n  AND created_at < " + placeholder(args, f.Before.UnixMicro()))
	}
	return b.String()
}

// placeholder appends an argument and returns its placeholder.
func placeholder(args *[]any, value any) string {
	*args = append(*args, value)
	return "$" + strconv.Itoa(len(*args))
}

// upsertCustomer inserts a customer with one login address, or returns the existing customer with that login address.
func upsertCustomer(ctx context.Context, tx store.Tx, c *Customer) (Customer, error) {
	sql := upsertByEmailSQL
	if c.LoginPhone != nil {
		sql = upsertByPhoneSQL
	}
	return queryCustomer(ctx, tx.Unscoped(), sql, tx.StoreID(), c.ID, c.Email, c.Phone, c.LoginEmail, c.LoginPhone, c.Name,
		c.searchText(), c.Version, c.CreatedAt.UnixMicro())
}

// updateCustomer updates a customer. It returns fault.Conflict if another customer has the login address.
func updateCustomer(ctx context.Context, tx store.Tx, c *Customer) error {
	_, err := tx.Exec(ctx, updateCustomerSQL, c.Key, c.Email, c.Phone, c.LoginEmail, c.LoginPhone, c.Name,
		c.searchText(), c.Version, c.UpdatedAt.UnixMicro())
	switch {
	case err == nil:
		return nil
	case database.ViolatesIndex(err, "customers_login_email", "customers.store_id, customers.login_email"):
		return fault.New(fault.Conflict, "email_taken",
			"Another customer signs in with this e-mail address. Confirm the code without the customer token to sign in as them.")
	case database.ViolatesIndex(err, "customers_login_phone", "customers.store_id, customers.login_phone"):
		return fault.New(fault.Conflict, "phone_taken",
			"Another customer signs in with this phone number. Confirm the code without the customer token to sign in as them.")
	}
	return err
}
