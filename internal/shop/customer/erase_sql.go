package customer

import (
	"cmp"
	"context"
	"slices"
	"time"

	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// These statements look customers up by an address, and are completed by a locking clause.
const (
	byLoginEmailSQL = `
WITH r(address) AS (ROWS)
SELECT ` + customerColumns + `
FROM r
CROSS JOIN LOOKUP (customers c WHERE c.store_id = $1 AND c.login_email = r.address AND c.login_email IS NOT NULL)`
	byLoginPhoneSQL = `
WITH r(address) AS (ROWS)
SELECT ` + customerColumns + `
FROM r
CROSS JOIN LOOKUP (customers c WHERE c.store_id = $1 AND c.login_phone = r.address AND c.login_phone IS NOT NULL)`
	byContactEmailSQL = `
WITH r(address) AS (ROWS)
SELECT ` + customerColumns + `
FROM r
CROSS JOIN LOOKUP (customers c WHERE c.store_id = $1 AND LOWER(c.email) = r.address AND c.email IS NOT NULL)`
	byContactPhoneSQL = `
WITH r(address) AS (ROWS)
SELECT ` + customerColumns + `
FROM r
CROSS JOIN LOOKUP (customers c WHERE c.store_id = $1 AND c.phone = r.address AND c.phone IS NOT NULL)`
)

const deleteSessionsSQL = `
DELETE FROM customer_sessions
WHERE store_id = $1
  AND customer_key = $2`

const deleteCustomerSQL = `
DELETE FROM customers
WHERE store_id = $1
  AND key = $2`

const deleteLoginsOfPeopleSQL = `
WITH r(person) AS (ROWS)
DELETE FROM login_requests
WHERE store_id = $1
  AND person IN (SELECT person FROM r)`

const sessionsOfSQL = `
SELECT created_at, expires_at
FROM customer_sessions
WHERE store_id = $1
  AND customer_key = $2
ORDER BY created_at, hash`

const loginsOfPeopleSQL = `
WITH r(person) AS (ROWS)
SELECT l.contact, l.created_at
FROM r
CROSS JOIN LOOKUP (login_requests l WHERE l.store_id = $1 AND l.person = r.person)
ORDER BY l.created_at, l.id`

const setSignedInSQL = `
UPDATE customers
SET signed_in_at = $3
WHERE store_id = $1
  AND key = $2`

// inactiveSQL starts after the position ($2, $3).
const inactiveSQL = `
SELECT c.store_id, c.key, c.id, c.signed_in_at
FROM customers c
WHERE c.signed_in_at < $1
  AND (c.signed_in_at > $2 OR c.signed_in_at = $2 AND c.key > $3)
ORDER BY c.signed_in_at, c.key
LIMIT $4`

// isInactiveSQL is the condition of inactiveSQL for one customer.
const isInactiveSQL = `
SELECT COUNT(*)
FROM customers c
WHERE c.store_id = $1
  AND c.key = $2
  AND c.signed_in_at < $3`

func selectByLogin(ctx context.Context, tx store.Tx, addresses contact.Set) (list []Customer, err error) {
	return selectByAddress(ctx, tx, addresses, byLoginEmailSQL, byLoginPhoneSQL, "")
}

// selectByContact returns the customers with one of the contact addresses. lock is a locking clause or "".
func selectByContact(ctx context.Context, tx store.Tx, addresses contact.Set, lock string) ([]Customer, error) {
	return selectByAddress(ctx, tx, addresses, byContactEmailSQL, byContactPhoneSQL, lock)
}

// selectByAddress returns each customer once.
func selectByAddress(
	ctx context.Context, tx store.Tx, addresses contact.Set, byEmail, byPhone, lock string,
) (list []Customer, err error) {
	add := database.AppendScanned(&list, scanCustomer)
	err = tx.QueryRows(ctx, byEmail+lock, database.BatchOf(database.Text, addresses.Emails()), add)
	if err == nil {
		err = tx.QueryRows(ctx, byPhone+lock, database.BatchOf(database.Text, addresses.Phones()), add)
	}
	slices.SortFunc(list, func(a, b Customer) int { return cmp.Compare(a.Key, b.Key) })
	return slices.CompactFunc(list, func(a, b Customer) bool { return a.Key == b.Key }), err
}

func deleteSessionsOf(ctx context.Context, tx store.Tx, customerKey int64) error {
	return database.Exec(ctx, tx, deleteSessionsSQL, customerKey)
}

func deleteCustomer(ctx context.Context, tx store.Tx, c *Customer) error {
	if err := store.SetSearchWords(ctx, tx, store.SearchedCustomers, c.Key, c.searchText(), ""); err != nil {
		return err
	}
	return database.Exec(ctx, tx, deleteCustomerSQL, c.Key)
}

func deleteLogins(ctx context.Context, tx store.Tx, addresses contact.Set) error {
	return database.ExecRows(ctx, tx, deleteLoginsOfPeopleSQL, database.BatchOf(database.Text, addresses.All()))
}

func selectSessionsOf(ctx context.Context, tx store.Tx, customerKey int64) (list []Visited, err error) {
	err = database.QueryEach(ctx, tx, sessionsOfSQL, []any{customerKey},
		database.AppendScanned(&list, func(rows database.Rows) (v Visited, err error) {
			err = rows.Scan(database.Time(&v.SignedInAt), database.Time(&v.ExpiresAt))
			return v, err
		}))
	return list, err
}

func selectLogins(ctx context.Context, tx store.Tx, addresses contact.Set) (list []Sent, err error) {
	err = tx.QueryRows(ctx, loginsOfPeopleSQL, database.BatchOf(database.Text, addresses.All()),
		database.AppendScanned(&list, func(rows database.Rows) (s Sent, err error) {
			err = rows.Scan(&s.Address, database.Time(&s.At))
			return s, err
		}))
	return list, err
}

func setSignedIn(ctx context.Context, tx store.Tx, customerKey int64, at time.Time) error {
	return tx.ExecLater(ctx, setSignedInSQL, nil, customerKey, at.UnixMicro())
}

// InactiveSince returns up to limit customers of all stores who did not sign in since a time, longest inactive first.
// It starts after a customer that an earlier call has returned, or at the beginning for the zero value.
func InactiveSince(
	ctx context.Context, q database.Querier, since time.Time, after Inactive, limit int,
) (list []Inactive, err error) {
	err = database.QueryEach(ctx, q, inactiveSQL, []any{since.UnixMicro(), after.signedInAt, after.Key, limit},
		database.AppendScanned(&list, func(rows database.Rows) (i Inactive, err error) {
			err = rows.Scan(&i.StoreID, &i.Key, &i.ID, &i.signedInAt)
			return i, err
		}))
	return list, err
}

// IsInactive reports whether a customer did not sign in since a time. If the customer is locked, that stays so until
// the commit.
func IsInactive(ctx context.Context, tx store.Tx, customerKey int64, since time.Time) (bool, error) {
	var n int
	err := database.QueryRow(ctx, tx, isInactiveSQL, []any{customerKey, since.UnixMicro()}, &n)
	return n > 0, err
}
