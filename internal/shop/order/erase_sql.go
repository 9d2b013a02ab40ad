package order

import (
	"context"
	"crypto/sha256"
	"time"

	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const keysOfCustomerSQL = `
SELECT key
FROM orders
WHERE store_id = $1
  AND customer_key = $2
  AND customer_key IS NOT NULL
ORDER BY key`

const keysOfGuestSQL = `
SELECT key
FROM orders
WHERE store_id = $1
  AND guest_key = $2
  AND guest_key IS NOT NULL
  AND customer_key IS NULL
ORDER BY key`

// indexedByContactSQL selects the orders that search_words has: the whole e-mail address is a word of an order, and so
// is the phone number without the plus.
const indexedByContactSQL = `
WITH r(word) AS (ROWS)
SELECT o.key, o.email, o.phone
FROM r
CROSS JOIN LOOKUP (search_words w WHERE w.store_id = $1 AND w.kind = 'order' AND w.word = r.word)
CROSS JOIN LOOKUP (orders o WHERE o.store_id = $1 AND o.key = w.key)`

// newContactsSQL selects the contacts of orders whose words are not in search_words yet: those after the number $2.
const newContactsSQL = `
SELECT key, email, phone
FROM orders
WHERE store_id = $1
  AND number > $2
  AND number IS NOT NULL`

// draftContactsSQL selects the contacts of drafts, whose words are never in search_words. Few drafts have one.
const draftContactsSQL = `
SELECT key, email, phone
FROM orders
WHERE store_id = $1
  AND state = 'draft'
  AND (email <> '' OR phone <> '')`

// ordersByKeysSQL is completed by a locking clause.
var ordersByKeysSQL = `
WITH r(key) AS (ROWS)
SELECT ` + orderColumns + `, o.words
FROM r
CROSS JOIN LOOKUP (orders o WHERE o.store_id = $1 AND o.key = r.key)
ORDER BY o.key`

const eraseOrdersSQL = `
WITH r(key, words) AS (ROWS)
UPDATE orders
SET name = $2, phone = '', email = '', address = '', delivery_comment = '', comment = '', note = '', tags = '',
	tracking_number = '', tracking_carrier = '', tracking_url = '', token = $3, words = r.words,
	customer_key = CASE WHEN customer_key = $4 THEN NULL ELSE customer_key END, guest_key = 0, version = version + 1,
	updated_at = CASE WHEN updated_at < $5 THEN $5 ELSE updated_at + 1 END, erased_at = $5
FROM r
WHERE orders.store_id = $1
  AND orders.key = r.key`

const deleteCartsSQL = `
WITH r(key) AS (ROWS)
DELETE FROM orders
WHERE key IN (SELECT key FROM r)
  AND store_id = $1
  AND state = 'draft'`

const deleteCustomerTotalsSQL = `
DELETE FROM customer_totals
WHERE store_id = $1
  AND customer_key = $2`

// finishedBeforeSQL has the states as literals for the partial index orders_personal.
const finishedBeforeSQL = `
SELECT store_id, key
FROM orders
WHERE erased_at IS NULL
  AND (state = 'completed' OR state = 'cancelled')
  AND updated_at < $1
ORDER BY updated_at, key
LIMIT $2`

func selectKeysOfCustomer(ctx context.Context, tx store.Tx, customerKey int64) (keys []int64, err error) {
	err = database.QueryEach(ctx, tx, keysOfCustomerSQL, []any{customerKey}, database.AppendColumn(&keys))
	return keys, err
}

func selectKeysOfGuest(ctx context.Context, tx store.Tx, guestKey int64) (keys []int64, err error) {
	err = database.QueryEach(ctx, tx, keysOfGuestSQL, []any{guestKey}, database.AppendColumn(&keys))
	return keys, err
}

// selectKeysByContact returns the keys of the orders and drafts with one of the addresses. A key may occur twice.
func selectKeysByContact(ctx context.Context, tx store.Tx, addresses contact.Set) (keys []int64, err error) {
	indexed, err := indexedNumber(ctx, tx, "")
	if err != nil {
		return nil, err
	}

	each := func(rows database.Rows) error {
		var key int64
		var email, phone string
		err := rows.Scan(&key, &email, &phone)
		if addresses.Has(email) || addresses.Has(phone) {
			keys = append(keys, key)
		}
		return err
	}

	words := database.NewBatch(database.Text)
	for _, word := range addresses.Words() {
		words.Add(store.IndexedWord(word))
	}
	if err := tx.QueryRows(ctx, indexedByContactSQL, words, each); err != nil {
		return nil, err
	}
	if err := database.QueryEach(ctx, tx, newContactsSQL, []any{indexed}, each); err != nil {
		return nil, err
	}

	return keys, database.QueryEach(ctx, tx, draftContactsSQL, nil, each)
}

// selectOrdersByKeys returns orders without their items, and the stored words of each. lock is empty or a locking
// clause of the dialect.
func selectOrdersByKeys(
	ctx context.Context, tx store.Tx, keys []int64, lock string,
) (list []Order, words []string, err error) {
	err = tx.QueryRows(ctx, ordersByKeysSQL+lock, database.BatchOf(database.BigInt, keys),
		func(rows database.Rows) error {
			var stored string
			o, err := scanOrder(rows, &stored)
			list, words = append(list, o), append(words, stored)
			return err
		})
	return list, words, err
}

// erasedRows are the rows that Erase changes.
type erasedRows struct {
	customerKey int64
	at          time.Time
	carts       []int64
	texts       *database.Batch // key and words of an order
	words       *store.WordChanges
}

// add adds an order whose personal data was replaced. before are its words until now; indexed says that they are in
// search_words.
func (e *erasedRows) add(o *Order, before string, indexed bool) {
	after := o.searchText()
	e.texts.Add(o.Key, after)
	if indexed {
		e.words.Set(o.Key, before, "")
		e.words.Set(o.Key, "", after)
	}
}

func (e *erasedRows) save(ctx context.Context, tx store.Tx) error {
	noToken := make([]byte, sha256.Size) // no token has this hash
	err := database.ExecRows(ctx, tx, eraseOrdersSQL, e.texts, ErasedName, noToken, e.customerKey, e.at.UnixMicro())
	if err != nil {
		return err
	}

	if err := e.words.Save(ctx, tx); err != nil {
		return err
	}

	return database.ExecRows(ctx, tx, deleteCartsSQL, database.BatchOf(database.BigInt, e.carts))
}

func deleteCustomerTotals(ctx context.Context, tx store.Tx, customerKey int64) error {
	return database.Exec(ctx, tx, deleteCustomerTotalsSQL, customerKey)
}

// FinishedBefore returns up to limit completed and cancelled orders of all stores that have personal data and did not
// change since the given time, oldest first.
func FinishedBefore(ctx context.Context, q database.Querier, before time.Time, limit int) (list []Finished, err error) {
	err = database.QueryEach(ctx, q, finishedBeforeSQL, []any{before.UnixMicro(), limit},
		database.AppendScanned(&list, func(rows database.Rows) (f Finished, err error) {
			err = rows.Scan(&f.StoreID, &f.Key)
			return f, err
		}))
	return list, err
}
