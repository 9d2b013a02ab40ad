package order

import (
	"context"
	"strings"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// adoptableSQL selects the submitted orders of guests that may have the word $2, which is an address. search_words has
// the words of orders up to number $4. $3 is the address as the contact has it; a condition follows.
const adoptableSQL = `
WITH c(key) AS (
	SELECT w.key
	FROM search_words w
	WHERE w.store_id = $1
	  AND w.kind = 'order'
	  AND w.word = $2
	UNION
	SELECT t.key
	FROM orders t
	WHERE t.store_id = $1
	  AND t.number > $4
	  AND t.number IS NOT NULL
)
SELECT o.key
FROM c
CROSS JOIN LOOKUP (orders o WHERE o.store_id = $1 AND o.key = c.key)
WHERE o.store_id = $1
  AND o.customer_key IS NULL
  AND o.state <> 'draft'`

const (
	adoptableByEmailSQL = adoptableSQL + `
  AND LOWER(o.email) = $3
ORDER BY o.key
LIMIT $5`
	adoptableByPhoneSQL = adoptableSQL + `
  AND o.phone = $3
ORDER BY o.key
LIMIT $5`
)

// lockGuestOrdersSQL is completed by a locking clause. Rows are locked in key order, so that transactions cannot
// deadlock.
const lockGuestOrdersSQL = `
WITH r(key) AS (ROWS)
SELECT o.key, o.currency, o.total, o.state, COALESCE(o.guest_key, 0)
FROM r
CROSS JOIN orders o
WHERE (o.store_id = $1) IS TRUE
  AND o.key = r.key
  AND o.customer_key IS NULL
ORDER BY o.key`

const setCustomerSQL = `
WITH r(key) AS (ROWS)
UPDATE orders
SET customer_key = $2, guest_key = NULL, version = version + 1,
	updated_at = CASE WHEN updated_at < $3 THEN $3 ELSE updated_at + 1 END
WHERE (store_id = $1) IS TRUE
  AND key IN (SELECT key FROM r)`

// linkedOrder is what the totals of a person need of an order. guestKey is 0 if no person is known.
type linkedOrder struct {
	key      int64
	currency string
	total    money.Money
	state    State
	guestKey int64
}

// selectAdoptable returns the row keys of up to adoptBatch submitted orders of guests, one of whose addresses is the
// given one. E-mail addresses are given in lower case.
func selectAdoptable(ctx context.Context, tx store.Tx, address string, indexed int64) (keys []int64, err error) {
	sql := adoptableByPhoneSQL
	if strings.Contains(address, "@") {
		sql = adoptableByEmailSQL
	}
	err = database.QueryEach(ctx, tx, sql, []any{contactWord(address), address, indexed, int64(adoptBatch)},
		database.AppendColumn(&keys))
	return keys, err
}

// lockGuestOrders locks those of the orders that have no customer.
func lockGuestOrders(ctx context.Context, tx store.Tx, keys []int64) (list []linkedOrder, err error) {
	sql := lockGuestOrdersSQL
	if tx.Dialect().ForUpdate != "" {
		sql += tx.Dialect().ForUpdate + " OF o"
	}
	scan := func(rows database.Rows) (o linkedOrder, err error) {
		err = rows.Scan(&o.key, &o.currency, (*int64)(&o.total), (*string)(&o.state), &o.guestKey)
		return o, err
	}
	err = tx.QueryRows(ctx, sql, database.BatchOf(database.BigInt, keys), database.AppendScanned(&list, scan))
	return list, err
}

func setCustomer(ctx context.Context, tx store.Tx, customerKey int64, orders []linkedOrder, now time.Time) error {
	batch := database.NewBatch(database.BigInt)
	for _, o := range orders {
		batch.Add(o.key)
	}
	return database.ExecRows(ctx, tx, setCustomerSQL, batch, customerKey, now.UnixMicro())
}

// contactWord returns the word under which orders with an address are found: see searchWords.
func contactWord(address string) string { return store.IndexedWord(strings.TrimPrefix(address, "+")) }
