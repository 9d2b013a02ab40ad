package customer

import (
	"context"

	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const selectCustomerByKeySQL = `
SELECT ` + customerColumns + fromCustomersSQL + `
  AND key = $2`

// These statements return a row key for each address, or NULL. Of several guests with a phone number it is the oldest.
const (
	loginKeysByEmailSQL = `
WITH r(address) AS (ROWS)
SELECT r.address, (SELECT c.key FROM customers c WHERE c.store_id = $1 AND c.login_email = r.address
	AND c.login_email IS NOT NULL)
FROM r`
	loginKeysByPhoneSQL = `
WITH r(address) AS (ROWS)
SELECT r.address, (SELECT c.key FROM customers c WHERE c.store_id = $1 AND c.login_phone = r.address
	AND c.login_phone IS NOT NULL)
FROM r`
	guestKeysByEmailSQL = `
WITH r(address) AS (ROWS)
SELECT r.address, (SELECT c.key FROM customers c WHERE c.store_id = $1 AND LOWER(c.email) = r.address
	AND c.email IS NOT NULL AND c.guest = TRUE ORDER BY c.key LIMIT 1)
FROM r`
	guestKeysByPhoneSQL = `
WITH r(address) AS (ROWS)
SELECT r.address, (SELECT c.key FROM customers c WHERE c.store_id = $1 AND c.phone = r.address
	AND c.phone IS NOT NULL AND c.guest = TRUE ORDER BY c.key LIMIT 1)
FROM r`
)

const insertGuestsSQL = `
WITH r(id, email, phone, name, words, created_at) AS (ROWS)
INSERT INTO customers (store_id, id, email, phone, name, words, version, created_at, updated_at, guest)
SELECT $1, id, email, phone, name, words, 1, created_at, created_at, TRUE
FROM r
ORDER BY created_at, id
RETURNING key, words`

const guestsByKeysSQL = `
WITH r(address) AS (ROWS)
SELECT ` + customerColumns + `
FROM r
CROSS JOIN LOOKUP (customers c WHERE c.store_id = $1 AND c.key = r.address AND c.guest = TRUE)
ORDER BY key`

const deleteGuestsSQL = `
WITH r(key) AS (ROWS)
DELETE FROM customers
WHERE (store_id = $1) IS TRUE
  AND key IN (SELECT key FROM r)
  AND guest = TRUE`

func selectCustomerByKey(ctx context.Context, tx store.Tx, key int64) (Customer, error) {
	return store.SelectOne(ctx, tx, selectCustomerByKeySQL, []any{key}, "customer", scanCustomer)
}

// selectKeys reads who has the addresses.
func (f *contactFinder) selectKeys(ctx context.Context, tx store.Tx) error {
	for _, s := range []struct {
		sql       string
		addresses []string
		into      map[string]int64
	}{
		{loginKeysByEmailSQL, f.emails, f.logins}, {loginKeysByPhoneSQL, f.phones, f.logins},
		{guestKeysByEmailSQL, f.emails, f.guests}, {guestKeysByPhoneSQL, f.phones, f.guests},
	} {
		if err := selectKeysByAddress(ctx, tx, s.sql, s.addresses, s.into); err != nil {
			return err
		}
	}
	return nil
}

// selectKeysByAddress reads row keys by address, phone numbers without the plus. Of two keys the lower one counts.
func selectKeysByAddress(
	ctx context.Context, tx store.Tx, sql string, addresses []string, into map[string]int64,
) error {
	if len(addresses) == 0 {
		return nil
	}
	return tx.QueryRows(ctx, sql, database.BatchOf(database.Text, addresses), func(rows database.Rows) error {
		var address string
		var key *int64
		if err := rows.Scan(&address, &key); err != nil || key == nil {
			return err
		}
		address = barePhone(address)
		if known := into[address]; known == 0 || *key < known {
			into[address] = *key
		}
		return nil
	})
}

func insertGuests(ctx context.Context, tx store.Tx, guests []Customer) error {
	batch := database.NewBatch(database.UUID, database.Text, database.Text, database.Text, database.Text,
		database.BigInt)
	for i := range guests {
		c := &guests[i]
		batch.Add(c.ID, c.Email, c.Phone, c.Name, c.searchText(), c.CreatedAt.UnixMicro())
	}

	words := store.NewWordChanges(store.SearchedCustomers)
	err := tx.QueryRows(ctx, insertGuestsSQL, batch, func(rows database.Rows) error {
		var key int64
		var text string
		err := rows.Scan(&key, &text)
		words.Set(key, "", text)
		return err
	})
	if err != nil {
		return err
	}
	return words.Save(ctx, tx)
}

func selectGuestsByKeys(ctx context.Context, tx store.Tx, keys []int64) (list []Customer, err error) {
	err = tx.QueryRows(ctx, guestsByKeysSQL, database.BatchOf(database.BigInt, keys),
		database.AppendScanned(&list, scanCustomer))
	return list, err
}

// selectGuestsByAddress returns the guests with one of the contact addresses.
func selectGuestsByAddress(ctx context.Context, tx store.Tx, addresses []string) (list []Customer, err error) {
	all, err := selectByContact(ctx, tx, contact.SetOf(addresses...), "")
	for i := range all {
		if all[i].Guest {
			list = append(list, all[i])
		}
	}
	return list, err
}

func deleteGuests(ctx context.Context, tx store.Tx, guests []Customer) error {
	words := store.NewWordChanges(store.SearchedCustomers)
	batch := database.NewBatch(database.BigInt)
	for i := range guests {
		words.Set(guests[i].Key, guests[i].searchText(), "")
		batch.Add(guests[i].Key)
	}
	if err := words.Save(ctx, tx); err != nil {
		return err
	}
	return database.ExecRows(ctx, tx, deleteGuestsSQL, batch)
}
