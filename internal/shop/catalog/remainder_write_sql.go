package catalog

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// LockRemainders appends FOR UPDATE. PostgreSQL locks the rows of a LOOKUP as it finds them: by variant, and for each
// variant in the order of the index.
const lockRemaindersSQL = `
WITH r(key) AS (ROWS)
SELECT m.variant_key, m.stock_key, m.quantity, m.reserved
FROM (SELECT key FROM r ORDER BY key) AS s
CROSS JOIN LOOKUP (remainders m WHERE m.store_id = $1 AND m.variant_key = s.key)`

// A materialized CTE has the store's id; see storeKeysSQL.
const deleteRemaindersByKeySQL = `
WITH r(variant_key, stock_key) AS (ROWS), k(store_id, variant_key, stock_key) AS MATERIALIZED (
	SELECT (SELECT s.id FROM stores s WHERE s.id = $1), r.variant_key, r.stock_key
	FROM r)
DELETE FROM remainders
WHERE (store_id, variant_key, stock_key) IN (SELECT store_id, variant_key, stock_key FROM k)`

const upsertRemaindersSQL = `
WITH r(variant_key, stock_key, quantity) AS (ROWS)
INSERT INTO remainders (store_id, variant_key, stock_key, quantity, reserved)
SELECT $1, variant_key, stock_key, quantity, 0
FROM r
WHERE TRUE
ON CONFLICT (store_id, variant_key, stock_key) DO UPDATE
SET quantity = excluded.quantity`

// Subqueries look up variants and remainders by key: for a join with stale statistics, PostgreSQL would choose a nested
// loop over full scans. See docs/planner.md.
const recomputeAvailableSQL = `
WITH r(key) AS (ROWS)
UPDATE variants
SET available = f.available
FROM (
	SELECT
		(SELECT v.key FROM variants v WHERE v.store_id = $1 AND v.key = r.key) AS key,
		(SELECT SUM(CASE WHEN m.quantity > m.reserved THEN m.quantity - m.reserved ELSE 0 END)
		FROM remainders m
		WHERE m.store_id = $1
		  AND m.variant_key = r.key) AS available
	FROM r) AS f
WHERE variants.key = f.key`

// lockLiveRemainders appends lock clauses. The + 0 keeps PostgreSQL from reading all remainders of a stock; see
// docs/planner.md.
const lockLiveRemaindersSQL = storeKeysSQL + `
SELECT m.variant_key, m.stock_key, m.quantity, m.reserved
FROM k
CROSS JOIN remainders m
CROSS JOIN stocks s
WHERE m.store_id = k.store_id
  AND m.variant_key = k.key
  AND (s.store_id = $1) IS TRUE
  AND s.key = m.stock_key + 0
  AND s.deleted_at IS NULL
ORDER BY m.variant_key, m.stock_key`

// LockRemainders reads the remainders of variants and locks them until the transaction ends. The caller has locked the
// products, so no other transaction can add a remainder.
func LockRemainders(ctx context.Context, tx store.Tx, variantKeys []int64) (map[RemainderKey]Remainder, error) {
	return readRemainders(ctx, tx, lockRemaindersSQL+tx.Dialect().ForUpdate, variantKeys)
}

// RemaindersOf reads the remainders of variants without locking them.
func RemaindersOf(ctx context.Context, tx store.Tx, variantKeys []int64) (map[RemainderKey]Remainder, error) {
	return readRemainders(ctx, tx, lockRemaindersSQL, variantKeys)
}

// lockLiveRemainders is like LockRemainders, without the remainders of deleted stocks. It also locks the stocks against
// deletion, so that a stock is not deleted while an order reserves something in it.
func lockLiveRemainders(ctx context.Context, tx store.Tx, variantKeys []int64) (map[RemainderKey]Remainder, error) {
	sql := lockLiveRemaindersSQL
	if tx.Dialect().ForUpdate != "" {
		sql += tx.Dialect().ForUpdate + " OF m" + tx.Dialect().ForKeyShare + " OF s"
	}
	return readRemainders(ctx, tx, sql, variantKeys)
}

func readRemainders(
	ctx context.Context, tx store.Tx, sql string, variantKeys []int64,
) (map[RemainderKey]Remainder, error) {
	present := map[RemainderKey]Remainder{}
	return present, tx.QueryRows(ctx, sql, write.KeyBatch(variantKeys), func(rows database.Rows) error {
		var at RemainderKey
		var m Remainder
		err := rows.Scan(&at.Variant, &at.Stock, (*int64)(&m.Quantity), (*int64)(&m.Reserved))
		present[at] = m
		return err
	})
}

// RecomputeAvailable sets the availability of variants from their remainders. The caller has locked the products.
func RecomputeAvailable(ctx context.Context, tx store.Tx, variantKeys []int64) error {
	return write.ExecByKey(ctx, tx, recomputeAvailableSQL, variantKeys)
}

// UpsertRemainders inserts or updates the quantities of remainders, in key order, so that transactions cannot deadlock.
func UpsertRemainders(ctx context.Context, tx store.Tx, written Quantities) error {
	batch := database.NewBatch(database.BigInt, database.BigInt, database.BigInt)
	keys := slices.SortedFunc(maps.Keys(written), func(a, b RemainderKey) int {
		return cmp.Or(cmp.Compare(a.Variant, b.Variant), cmp.Compare(a.Stock, b.Stock))
	})
	for _, at := range keys {
		batch.Add(at.Variant, at.Stock, int64(written[at]))
	}
	return database.ExecRows(ctx, tx, upsertRemaindersSQL, batch)
}

// deleteRemaindersByKey deletes remainders by the keys of their variants and stocks.
func deleteRemaindersByKey(ctx context.Context, tx store.Tx, keys []RemainderKey) error {
	batch := database.NewBatch(database.BigInt, database.BigInt)
	for _, at := range keys {
		batch.Add(at.Variant, at.Stock)
	}
	return database.ExecRows(ctx, tx, deleteRemaindersByKeySQL, batch)
}
