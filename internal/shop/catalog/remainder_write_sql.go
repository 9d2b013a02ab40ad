package catalog

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// lockRemainders appends FOR UPDATE. PostgreSQL locks the rows of a LOOKUP as it finds them: by variant, and those of
// a variant in the order of the index.
const lockRemaindersSQL = `
WITH r(key) AS (ROWS)
SELECT m.variant_key, m.stock_key, m.quantity, m.reserved
FROM (SELECT key FROM r ORDER BY key) AS s
CROSS JOIN LOOKUP (remainders m WHERE m.store_id = $1 AND m.variant_key = s.key)`

const deleteRemaindersByKeySQL = `
WITH r(variant_key, stock_key) AS (ROWS)
DELETE FROM remainders
WHERE store_id = $1
  AND (variant_key, stock_key) IN (SELECT variant_key, stock_key FROM r)`

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

// lockRemainders reads the remainders of variants and locks them until the transaction ends. The caller has locked the
// products, so no other transaction can add a remainder.
func lockRemainders(ctx context.Context, tx store.Tx, variantKeys []int64) (map[remainderKey]Remainder, error) {
	present := map[remainderKey]Remainder{}
	sql := lockRemaindersSQL + tx.Dialect().ForUpdate
	return present, tx.QueryRows(ctx, sql, keyBatch(variantKeys), func(rows database.Rows) error {
		var at remainderKey
		var m Remainder
		err := rows.Scan(&at.variant, &at.stock, (*int64)(&m.Quantity), (*int64)(&m.Reserved))
		present[at] = m
		return err
	})
}

// recomputeAvailable sets the availability of variants from their remainders. The caller has locked the products.
func recomputeAvailable(ctx context.Context, tx store.Tx, variantKeys []int64) error {
	return execByKey(ctx, tx, recomputeAvailableSQL, variantKeys)
}

// upsertRemainders inserts or updates the quantities of remainders, in key order, so that transactions cannot deadlock.
func upsertRemainders(ctx context.Context, tx store.Tx, written quantities) error {
	batch := database.NewBatch(database.BigInt, database.BigInt, database.BigInt)
	keys := slices.SortedFunc(maps.Keys(written), func(a, b remainderKey) int {
		return cmp.Or(cmp.Compare(a.variant, b.variant), cmp.Compare(a.stock, b.stock))
	})
	for _, at := range keys {
		batch.Add(at.variant, at.stock, int64(written[at]))
	}
	return database.ExecRows(ctx, tx, upsertRemaindersSQL, batch)
}

// deleteRemaindersByKey deletes remainders by the keys of their variants and stocks.
func deleteRemaindersByKey(ctx context.Context, tx store.Tx, keys []remainderKey) error {
	batch := database.NewBatch(database.BigInt, database.BigInt)
	for _, at := range keys {
		batch.Add(at.variant, at.stock)
	}
	return database.ExecRows(ctx, tx, deleteRemaindersByKeySQL, batch)
}
