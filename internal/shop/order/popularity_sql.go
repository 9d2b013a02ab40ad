package order

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// storesToCountSQL selects the stores with orders that are not counted yet, that were submitted before $1, that were
// cancelled, or that were reopened.
const storesToCountSQL = `
SELECT n.store_id
FROM order_numbers n
LEFT JOIN popularity_progress p ON p.store_id = n.store_id
WHERE n.last > COALESCE(p.last_number, 0)
UNION
SELECT c.store_id
FROM popularity_progress c
WHERE c.oldest_at < $1
  AND c.oldest_at IS NOT NULL
UNION
SELECT o.store_id
FROM orders o
WHERE o.state = 'cancelled'
  AND o.popularity_removed = FALSE
UNION
SELECT r.store_id
FROM orders r
WHERE r.state <> 'cancelled'
  AND r.popularity_removed = TRUE
ORDER BY 1`

// insertCountedOrdersSQL begins with the first order that was submitted at $2 or later, or else with the next one.
const insertCountedOrdersSQL = `
INSERT INTO popularity_progress (store_id, first_number, last_number)
SELECT $1, f.number, f.number - 1
FROM (
	SELECT COALESCE(
		(SELECT o.number FROM orders o WHERE o.store_id = $1 AND o.submitted_at >= $2 AND o.number IS NOT NULL
			ORDER BY o.submitted_at, o.key LIMIT 1),
		(SELECT n.last + 1 FROM order_numbers n WHERE n.store_id = $1),
		1) AS number) AS f
WHERE TRUE
ON CONFLICT (store_id) DO NOTHING`

const selectCountedOrdersSQL = `
SELECT first_number, last_number
FROM popularity_progress
WHERE store_id = $1`

const updateCountedOrdersSQL = `
UPDATE popularity_progress
SET first_number = $2, last_number = $3, oldest_at = $4
WHERE store_id = $1`

const selectNumberedSQL = `
SELECT key, number, submitted_at, popularity_removed
FROM orders
WHERE store_id = $1
  AND number >= $2
  AND number <= $3
  AND number IS NOT NULL
ORDER BY number
LIMIT $4`

// lockCancelledSQL is completed by locking clauses. The + 0 excludes the index of numbers: see docs/planner.md.
const lockCancelledSQL = `
SELECT key, number
FROM orders
WHERE store_id = $1
  AND state = 'cancelled'
  AND popularity_removed = FALSE
  AND number + 0 <= $2
ORDER BY key
LIMIT $3`

// lockReopenedSQL is completed by locking clauses.
const lockReopenedSQL = `
SELECT key, number
FROM orders
WHERE store_id = $1
  AND state <> 'cancelled'
  AND popularity_removed = TRUE
ORDER BY key
LIMIT $2`

const setRemovedSQL = `
WITH r(key) AS (ROWS)
UPDATE orders
SET popularity_removed = $2
WHERE (store_id = $1) IS TRUE
  AND key IN (SELECT key FROM r)`

// popularityChangesSQL sums up the items of orders by product. A line counts at most a million pieces, so that no sum
// overflows. Products that were deleted are left out.
const popularityChangesSQL = `
WITH r(key, sign) AS (ROWS)
SELECT s.product_key, CAST(SUM(s.quantity) AS BIGINT)
FROM (
	SELECT p.key AS product_key,
		r.sign * CASE WHEN i.quantity > 1000000000 THEN 1000000000 ELSE i.quantity END AS quantity
	FROM r
	CROSS JOIN LOOKUP (order_items i WHERE i.store_id = $1 AND i.order_key = r.key)
	CROSS JOIN LOOKUP (products p WHERE p.store_id = $1 AND p.id = i.product_id)) AS s
GROUP BY s.product_key
ORDER BY s.product_key`

const addPopularitySQL = `
WITH r(key, quantity) AS (ROWS)
INSERT INTO product_popularity (store_id, product_key, quantity, version)
SELECT $1, key, quantity, $2
FROM r
WHERE TRUE
ON CONFLICT (store_id, product_key) DO UPDATE
SET quantity = product_popularity.quantity + excluded.quantity, version = excluded.version`

func storesToCount(ctx context.Context, q database.Querier, since time.Time) (list []store.ID, err error) {
	err = database.QueryEach(ctx, q, storesToCountSQL, []any{since.UnixMicro()}, database.AppendColumn(&list))
	return list, err
}

// lockCountedOrders locks the store's row of popularity_progress until the commit and returns it. Without a row, it
// inserts one: the orders that were submitted before the time since are never counted.
func lockCountedOrders(ctx context.Context, tx store.Tx, since time.Time) (c countedOrders, err error) {
	sql := selectCountedOrdersSQL + tx.Dialect().ForUpdate
	err = database.QueryRow(ctx, tx, sql, nil, &c.first, &c.last)
	if !errors.Is(err, database.ErrNoRows) {
		return c, err
	}
	if err := database.Exec(ctx, tx, insertCountedOrdersSQL, since.UnixMicro()); err != nil {
		return c, err
	}
	err = database.QueryRow(ctx, tx, sql, nil, &c.first, &c.last)
	return c, err
}

func updateCountedOrders(ctx context.Context, tx store.Tx, c countedOrders) error {
	return database.Exec(ctx, tx, updateCountedOrdersSQL, c.first, c.last, database.MicrosOrNull(c.oldest))
}

// selectNumbered returns up to limit orders with the numbers from first to last, in their order.
func selectNumbered(
	ctx context.Context, tx store.Tx, first, last int64, limit int,
) (list []numberedOrder, err error) {
	scan := func(rows database.Rows) (o numberedOrder, err error) {
		err = rows.Scan(&o.key, &o.number, database.Time(&o.submittedAt), &o.removed)
		return o, err
	}
	err = database.QueryEach(ctx, tx, selectNumberedSQL, []any{first, last, limit},
		database.AppendScanned(&list, scan))
	return list, err
}

// lockCancelled locks and returns up to limit cancelled orders with numbers up to last that are not removed. It skips
// those that another transaction has locked: the next call returns them.
func lockCancelled(ctx context.Context, tx store.Tx, last int64, limit int) (list []numberedOrder, err error) {
	lock := tx.Dialect().ForUpdate + tx.Dialect().SkipLocked
	err = database.QueryEach(ctx, tx, lockCancelledSQL+lock, []any{last, limit},
		database.AppendScanned(&list, scanNumbered))
	return list, err
}

// lockReopened is like lockCancelled, for removed orders that are not cancelled any more.
func lockReopened(ctx context.Context, tx store.Tx, limit int) (list []numberedOrder, err error) {
	lock := tx.Dialect().ForUpdate + tx.Dialect().SkipLocked
	err = database.QueryEach(ctx, tx, lockReopenedSQL+lock, []any{limit}, database.AppendScanned(&list, scanNumbered))
	return list, err
}

func scanNumbered(rows database.Rows) (o numberedOrder, err error) {
	err = rows.Scan(&o.key, &o.number)
	return o, err
}

func setRemoved(ctx context.Context, tx store.Tx, keys *database.Batch, removed bool) error {
	return database.ExecRows(ctx, tx, setRemovedSQL, keys, removed)
}

// changePopularity adds the items of orders to the popularity of their products, or subtracts them. A row of orders has
// the key of an order, and 1 or -1. If that changes anything, it raises the version of the popularity.
func changePopularity(ctx context.Context, tx store.Tx, orders *database.Batch) error {
	byProduct := map[int64]int64{} // the database sums up parts of the batch
	err := tx.QueryRows(ctx, popularityChangesSQL, orders, func(rows database.Rows) error {
		var productKey, quantity int64
		err := rows.Scan(&productKey, &quantity)
		byProduct[productKey] += quantity
		return err
	})
	if err != nil {
		return err
	}

	return addPopularity(ctx, tx, byProduct)
}

// popularQuantity is how much of a line counts, as in popularityChangesSQL.
const popularQuantity = 1_000_000_000

const productKeysSQL = `
WITH r(id) AS (ROWS)
SELECT p.id, p.key
FROM r
CROSS JOIN LOOKUP (products p WHERE p.store_id = $1 AND p.id = r.id)`

// changePopularityOfItems replaces the items of an order in the popularity of their products. Products that were
// deleted are left out.
func changePopularityOfItems(ctx context.Context, tx store.Tx, before, after []Item) error {
	quantities := map[catalog.ProductID]int64{}
	for i := range before {
		quantities[before[i].ProductID] -= int64(min(before[i].Quantity, popularQuantity))
	}
	for i := range after {
		quantities[after[i].ProductID] += int64(min(after[i].Quantity, popularQuantity))
	}

	batch := database.NewBatch(database.UUID)
	for productID, quantity := range quantities {
		if quantity != 0 {
			batch.Add(productID)
		}
	}

	keys := map[catalog.ProductID]int64{}
	if err := tx.QueryRows(ctx, productKeysSQL, batch, database.PutPairs(keys)); err != nil {
		return err
	}
	byProduct := map[int64]int64{}
	for productID, key := range keys {
		byProduct[key] = quantities[productID]
	}
	return addPopularity(ctx, tx, byProduct)
}

// addPopularity adds quantities to the popularity of products, by their row keys.
func addPopularity(ctx context.Context, tx store.Tx, byProduct map[int64]int64) error {
	changes := database.NewBatch(database.BigInt, database.BigInt)
	changed := database.NewBatch(database.BigInt, database.BigInt)
	for _, productKey := range slices.Sorted(maps.Keys(byProduct)) {
		if quantity := byProduct[productKey]; quantity != 0 {
			changes.Add(productKey, quantity)
			changed.Add(productKey, int64(0))
		}
	}

	if changes.Len() == 0 {
		return nil
	}

	// The rows are locked before the version is raised, which must come after all other locks, and get it then.
	if err := database.ExecRows(ctx, tx, addPopularitySQL, changes, int64(0)); err != nil {
		return err
	}
	version, err := store.RaisePopularityVersion(ctx, tx)
	if err != nil {
		return err
	}
	return database.ExecRows(ctx, tx, addPopularitySQL, changed, version)
}
