package order

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/store"
)

// storeWithUnassignedSQL and unassignedSQL have their conditions as literals for the partial index orders_unassigned.
const storeWithUnassignedSQL = `
SELECT o.store_id
FROM orders o
WHERE o.state <> 'draft'
  AND o.customer_key IS NULL
  AND o.guest_key IS NULL
ORDER BY o.store_id, o.key
LIMIT 1`

// unassignedSQL is completed by a locking clause.
const unassignedSQL = `
SELECT o.key, o.currency, o.total, o.state, o.name, o.email, o.phone, o.submitted_at
FROM orders o
WHERE o.store_id = $1
  AND o.state <> 'draft'
  AND o.customer_key IS NULL
  AND o.guest_key IS NULL
ORDER BY o.key
LIMIT $2`

const setGuestsSQL = `
WITH r(key, guest_key) AS (ROWS)
UPDATE orders
SET guest_key = r.guest_key
FROM r
WHERE (orders.store_id = $1) IS TRUE
  AND orders.key = r.key`

const unassignSQL = `
WITH r(key) AS (ROWS)
UPDATE orders
SET guest_key = $2
WHERE (store_id = $1) IS TRUE
  AND key IN (SELECT key FROM r)`

const releaseOrdersOfPersonSQL = `
UPDATE orders
SET guest_key = NULL
WHERE store_id = $1
  AND guest_key = $2
  AND guest_key IS NOT NULL
  AND customer_key IS NULL`

const peopleWithoutOrdersSQL = `
WITH r(key) AS (ROWS)
SELECT r.key
FROM r
WHERE (SELECT o.key FROM orders o WHERE o.store_id = $1 AND o.guest_key = r.key AND o.guest_key IS NOT NULL
	ORDER BY o.submitted_at, o.key LIMIT 1) IS NULL`

const addPersonSumsSQL = `
WITH r(customer_key, currency, orders, whole, rest) AS (ROWS)
INSERT INTO customer_totals (store_id, customer_key, currency, orders, whole, rest)
SELECT $1, customer_key, currency, orders, whole, rest
FROM r
WHERE TRUE
ON CONFLICT (store_id, customer_key, currency) DO UPDATE
SET orders = customer_totals.orders + excluded.orders, whole = customer_totals.whole + excluded.whole,
	rest = customer_totals.rest + excluded.rest`

const deleteTotalsOfGuestsSQL = `
WITH k(store_id, customer_key) AS (ROWS)
DELETE FROM customer_totals
WHERE (store_id, customer_key) IN (SELECT store_id, customer_key FROM k)
  AND store_id = $1`

// storeWithUnassigned returns a store that has submitted orders without a customer whose person is not known, or none.
func storeWithUnassigned(ctx context.Context, q database.Querier) (list []store.ID, err error) {
	err = database.QueryEach(ctx, q, storeWithUnassignedSQL, nil, database.AppendColumn(&list))
	return list, err
}

// lockUnassigned locks up to limit submitted orders without a customer whose person is not known, and returns them with
// their contacts.
func lockUnassigned(
	ctx context.Context, tx store.Tx, limit int,
) (orders []linkedOrder, contacts []customer.Contact, err error) {
	err = database.QueryEach(ctx, tx, unassignedSQL+tx.Dialect().ForUpdate, []any{limit},
		func(rows database.Rows) error {
			var o linkedOrder
			var c customer.Contact
			err := rows.Scan(&o.key, &o.currency, (*int64)(&o.total), (*string)(&o.state), &c.Name, &c.Email, &c.Phone,
				database.Time(&c.At))
			orders, contacts = append(orders, o), append(contacts, c)
			return err
		})
	return orders, contacts, err
}

// setGuests writes the people of orders: keys[i] is that of orders[i].
func setGuests(ctx context.Context, tx store.Tx, orders []linkedOrder, keys []int64) error {
	batch := database.NewBatch(database.BigInt, database.BigInt)
	for i := range orders {
		batch.Add(orders[i].key, keys[i])
	}
	return database.ExecRows(ctx, tx, setGuestsSQL, batch)
}

// unassign sets the person of orders to key: nil lets a worker find it, 0 is nobody.
func unassign(ctx context.Context, tx store.Tx, orders []linkedOrder, key *int64) error {
	batch := database.NewBatch(database.BigInt)
	for i := range orders {
		batch.Add(orders[i].key)
	}
	return database.ExecRows(ctx, tx, unassignSQL, batch, key)
}

// releaseOrdersOfPerson lets a worker find the people of the orders that are shown under a person who is deleted.
func releaseOrdersOfPerson(ctx context.Context, tx store.Tx, key int64) error {
	return database.Exec(ctx, tx, releaseOrdersOfPersonSQL, key)
}

// peopleWithoutOrders returns those of the people under whom no order without a customer is shown.
func peopleWithoutOrders(ctx context.Context, tx store.Tx, people []int64) (empty []int64, err error) {
	err = tx.QueryRows(ctx, peopleWithoutOrdersSQL, database.BatchOf(database.BigInt, people),
		database.AppendColumn(&empty))
	return empty, err
}

// save adds the sums to the totals of the people.
func (s personSums) save(ctx context.Context, tx store.Tx) error {
	batch := database.NewBatch(database.BigInt, database.Text, database.BigInt, database.BigInt, database.BigInt)
	for _, at := range s.sorted() {
		p := s[at]
		batch.Add(at.key, at.currency, p.orders, p.whole, p.rest)
	}
	return database.ExecRows(ctx, tx, addPersonSumsSQL, batch)
}

func deleteTotalsOfGuests(ctx context.Context, tx store.Tx, guests []customer.Customer) error {
	batch := database.NewBatch(database.UUID, database.BigInt)
	for i := range guests {
		batch.Add(tx.StoreID(), guests[i].Key)
	}
	return database.ExecRows(ctx, tx, deleteTotalsOfGuestsSQL, batch)
}
