package exchange

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

const insertArchivedProductsSQL = `
WITH r(key) AS (ROWS)
INSERT INTO exchange_archived (store_id, run_key, product_key, archived_at)
SELECT $1, $2, key, $3
FROM r
WHERE TRUE
ON CONFLICT (store_id, run_key, product_key) DO UPDATE
SET archived_at = excluded.archived_at`

const archivedProductsAfterSQL = `
SELECT product_key, archived_at
FROM exchange_archived
WHERE store_id = $1
  AND run_key = $2
  AND product_key > $3
ORDER BY product_key
LIMIT $4`

// countRevertibleSQL leaves out products that were restored, or archived again, since the run archived them.
const countRevertibleSQL = `
SELECT COUNT(*)
FROM exchange_archived AS a
WHERE a.store_id = $1
  AND a.run_key = $2
  AND a.archived_at = (
	SELECT p.archived_at
	FROM products AS p
	WHERE p.store_id = a.store_id
	  AND p.key = a.product_key
  )`

const addRevertedSQL = `
UPDATE exchange_runs
SET reverted = reverted + $3
WHERE store_id = $1
  AND key = $2
RETURNING reverted`

// insertArchivedProducts records which products a run archived, so that it can be reverted.
func insertArchivedProducts(ctx context.Context, tx store.Tx, runKey int64, productKeys []int64, at time.Time) error {
	batch := database.BatchOf(database.BigInt, productKeys)
	_, err := tx.ExecRows(ctx, insertArchivedProductsSQL, batch, runKey, at.UnixMicro())
	return err
}

// archivedProductsAfter reads up to limit products that a run archived, ordered by key, beginning with the first key
// greater than the parameter after.
func archivedProductsAfter(
	ctx context.Context, tx store.Tx, runKey, after, limit int64,
) (list []catalog.ArchivedProduct, err error) {
	scan := func(rows database.Rows) (p catalog.ArchivedProduct, err error) {
		err = rows.Scan(&p.Key, database.Time(&p.At))
		return p, err
	}
	err = database.QueryEach(ctx, tx, archivedProductsAfterSQL, []any{runKey, after, limit},
		database.AppendScanned(&list, scan))
	return list, err
}

// countRevertible counts the products that a run archived and that were not restored or archived again since then.
func countRevertible(ctx context.Context, tx store.Tx, runKey int64) (n int64, err error) {
	err = database.QueryRow(ctx, tx, countRevertibleSQL, []any{runKey}, &n)
	return n, err
}

// addReverted adds n to the number of restored products of a run, and returns the new number.
func addReverted(ctx context.Context, tx store.Tx, runKey, n int64) (reverted int64, err error) {
	err = database.QueryRow(ctx, tx, addRevertedSQL, []any{runKey, n}, &reverted)
	return reverted, err
}
