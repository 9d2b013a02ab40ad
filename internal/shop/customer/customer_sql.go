package customer

import (
	"context"
	"errors"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

// A customer may name a group that was deleted, until catalog.Deletions clears that. Until then the version is one
// higher than the stored one, as it is afterwards. The name group_key is that of the customer: the table of groups has
// no such column.
const customerColumns = `key, id, email, phone, login_email, login_phone, name,
	version + CASE WHEN group_key IS NULL OR ` + groupExistsSQL + ` THEN 0 ELSE 1 END, created_at, updated_at, note,
	guest, ` +
	`(SELECT g.id FROM customer_groups g WHERE g.store_id = $1 AND g.key = group_key)`

const groupExistsSQL = `EXISTS (SELECT 1 FROM customer_groups g WHERE g.store_id = $1 AND g.key = group_key)`

const groupKeySQL = `
SELECT key
FROM customer_groups
WHERE store_id = $1
  AND id = $2`

// IS NOT NULL matches the condition of a partial index; see docs/planner.md.
const inGroupSQL = `group_key IS NOT NULL
  AND group_key = (SELECT g.key FROM customer_groups g WHERE g.store_id = $1 AND g.id = $n)`

const setGroupSQL = `
UPDATE customers
SET group_key = $3
WHERE store_id = $1
  AND key = $2`

const fromCustomersSQL = `
FROM customers
WHERE store_id = $1`

const fromCandidatesSQL = `
FROM c
CROSS JOIN LOOKUP (customers t WHERE t.store_id = $1 AND t.key = c.found_key)
WHERE t.store_id = $1`

const selectCustomerSQL = `
SELECT ` + customerColumns + fromCustomersSQL + `
  AND id = $2`

const insertCustomerSQL = `
INSERT INTO customers (store_id, id, email, phone, login_email, login_phone, name, words, version, created_at,
	updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)`

// These statements return the customer with this login address, or insert one. Either way the row is locked until the
// commit, so that the address cannot move to another customer. The DO UPDATE changes nothing: it locks the row and
// makes RETURNING return it.
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

const setNoteSQL = `
UPDATE customers
SET note = $3
WHERE store_id = $1
  AND key = $2`

const updateCustomerSQL = `
UPDATE customers
SET email = $3, phone = $4, login_email = $5, login_phone = $6, name = $7, words = $8, version = $9, updated_at = $10,
	group_key = CASE WHEN ` + groupExistsSQL + ` THEN group_key END
WHERE store_id = $1
  AND key = $2`

func scanCustomer(rows database.Rows) (Customer, error) {
	var c Customer
	err := rows.Scan(&c.Key, &c.ID, &c.Email, &c.Phone, &c.LoginEmail, &c.LoginPhone, &c.Name, &c.Version,
		database.Time(&c.CreatedAt), database.Time(&c.UpdatedAt), &c.Note, &c.Guest, &c.GroupID)
	return c, err
}

// selectCustomer returns a customer, or fault.NotFound. lock is a locking clause of the dialect, or "".
func selectCustomer(ctx context.Context, tx store.Tx, customerID ID, lock string) (Customer, error) {
	return store.SelectOne(ctx, tx, selectCustomerSQL+lock, []any{customerID}, "customer", scanCustomer)
}

func selectCustomers(ctx context.Context, tx store.Tx, f Filter, limit, offset int64) ([]Customer, int64, error) {
	statement, c, err := f.statement(ctx, tx)
	if err != nil {
		return nil, 0, err
	}
	list := store.ListSQL{Select: statement(customerColumns), Count: statement("COUNT(*)"), OrderBy: "key DESC"}
	return store.SelectPage(ctx, tx, list, c, limit, offset, scanCustomer)
}

// statement returns a function that returns a statement which selects columns of the customers, up to its WHERE clause,
// and the conditions of the filter.
func (f Filter) statement(ctx context.Context, tx store.Tx) (func(columns string) string, *store.Conditions, error) {
	reading := store.ReadSearch(f.Search)
	if f.Tolerant || f.PhoneEnds {
		reading = reading.WithPhoneEnd()
	}
	if f.Tolerant {
		var err error
		if reading, _, err = reading.Correct(ctx, tx, store.SearchedCustomers); err != nil {
			return nil, nil, err
		}
	}

	candidates, err := reading.Candidates(ctx, tx, store.SearchedCustomers)
	with := ""
	from := fromCustomersSQL
	if candidates != nil {
		with = store.SearchedCustomers.CandidatesSQL()
		from = fromCandidatesSQL
	}
	c := store.NewConditions(candidates...)
	c.AndReading("words", reading, "phone", "login_phone")
	c.AndPeriod("created_at", f.From, f.Before)
	switch f.People {
	case SignedIn:
		c.And("guest = FALSE")
	case Guests:
		c.And("guest = TRUE")
	case Everybody:
	}
	if f.Group != nil {
		c.And(inGroupSQL, *f.Group)
	}
	return func(columns string) string { return with + "\nSELECT " + columns + from }, c, err
}

// selectCustomersFrom returns up to limit customers from a position on, newest first, or oldest first if the position
// is Newer.
func selectCustomersFrom(
	ctx context.Context, tx store.Tx, f Filter, at *Position, limit int,
) (list []Customer, err error) {
	statement, c, err := f.statement(ctx, tx)
	if err != nil {
		return nil, err
	}

	orderBy := "\nORDER BY key DESC"
	switch {
	case at == nil:
	case at.Newer:
		c.And("key > $n", at.Key)
		orderBy = "\nORDER BY key"
	default:
		c.And("key < $n", at.Key)
	}

	sql := statement(customerColumns) + c.String() + orderBy + c.LimitOffset(int64(limit), 0)
	err = database.QueryEach(ctx, tx, sql, c.Args(), database.AppendScanned(&list, scanCustomer))
	return list, err
}

// upsertCustomer inserts a customer with one login address, or returns the existing customer with that login address.
func upsertCustomer(ctx context.Context, tx store.Tx, c *Customer) (stored Customer, err error) {
	sql := upsertByEmailSQL
	if c.LoginPhone != nil {
		sql = upsertByPhoneSQL
	}
	stored, err = database.QueryOne(ctx, tx, sql, []any{
		c.ID, c.Email, c.Phone, c.LoginEmail, c.LoginPhone, c.Name, c.searchText(), c.Version, c.CreatedAt.UnixMicro(),
	}, scanCustomer)
	if err != nil || stored.ID != c.ID {
		return stored, err
	}
	return stored, store.SetSearchWords(ctx, tx, store.SearchedCustomers, stored.Key, "", c.searchText())
}

// updateCustomer updates a customer. wordsBefore is their searchText before the change. It returns fault.Conflict if
// another customer has the login address.
func updateCustomer(ctx context.Context, tx store.Tx, c *Customer, wordsBefore string) error {
	_, err := tx.Exec(ctx, updateCustomerSQL, c.Key, c.Email, c.Phone, c.LoginEmail, c.LoginPhone, c.Name,
		c.searchText(), c.Version, c.UpdatedAt.UnixMicro())
	switch {
	case err == nil:
		return store.SetSearchWords(ctx, tx, store.SearchedCustomers, c.Key, wordsBefore, c.searchText())
	case database.ViolatesIndex(err, "customers_login_email", "customers.store_id, customers.login_email"):
		return fault.New(fault.Conflict, "email_taken",
			"Another customer signs in with this e-mail address. Confirm the code without the customer token to sign "+
				"in as them.")
	case database.ViolatesIndex(err, "customers_login_phone", "customers.store_id, customers.login_phone"):
		return fault.New(fault.Conflict, "phone_taken",
			"Another customer signs in with this phone number. Confirm the code without the customer token to sign "+
				"in as them.")
	}
	return err
}

// setNote writes the note of a customer.
func setNote(ctx context.Context, tx store.Tx, c *Customer) error {
	return database.Exec(ctx, tx, setNoteSQL, c.Key, c.Note)
}

// setGroup puts a customer into a group, or takes the customer out of the group if the id is zero. It returns
// fault.Invalid if the store has no such group.
func setGroup(ctx context.Context, tx store.Tx, c *Customer, groupID access.GroupID) error {
	c.GroupID = nil
	var groupKey *int64
	if !groupID.IsZero() {
		c.GroupID = &groupID
		err := database.QueryRow(ctx, tx, groupKeySQL+tx.Dialect().ForKeyShare, []any{groupID}, &groupKey)
		if errors.Is(err, database.ErrNoRows) {
			return access.UnknownGroup("group_id")
		}
		if err != nil {
			return err
		}
	}
	return database.Exec(ctx, tx, setGroupSQL, c.Key, groupKey)
}
