package exchange

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

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

// archivedProductsAfter reads the products that a run archived, with keys above after, ordered by key.
func archivedProductsAfter(
	ctx context.Context, tx store.Tx, runKey, after, limit int64,
) (list []catalog.ArchivedProduct, err error) {
	err = database.QueryEach(ctx, tx, archivedProductsAfterSQL, []any{runKey, after, limit}, func(rows database.Rows) error {
		var p catalog.ArchivedProduct
		var at int64
		err := rows.Scan(&p.Key, &at)
		p.At = time.UnixMicro(at)
		list = append(list, p)
		return err
	})
	return list, err
}

// countRevertible counts the products that a run archived and that are still archived by it.
func countRevertible(ctx context.Context, tx store.Tx, runKey int64) (n int64, err error) {
	err = database.QueryRow(ctx, tx, countRevertibleSQL, []any{runKey}, &n)
	return n, err
}

// addReverted adds n to the number of restored products of a run, and returns the new number.
func addReverted(ctx context.Context, tx store.Tx, runKey, n int64) (reverted int64, err error) {
	err = database.QueryRow(ctx, tx, addRevertedSQL, []any{runKey, n}, &reverted)
	return reverted, err
}
