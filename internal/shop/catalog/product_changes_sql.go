package catalog

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// store.WithMark puts the mark of the transaction into the statement.
const raiseProductsVersionSQL = `
INSERT INTO catalog_versions (store_id, version, categories, floor, price_versions, mark)
VALUES ($1, 1, 0, 0, $2, MARK)
ON CONFLICT (store_id) DO UPDATE
SET version = catalog_versions.version + 1,
	price_versions = catalog_versions.price_versions + EXCLUDED.price_versions, mark = EXCLUDED.mark
RETURNING version`

const insertChangesSQL = `
WITH r(key) AS (ROWS)
INSERT INTO product_changes (store_id, version, product_key, changed_at)
SELECT $1, $2, r.key, $3
FROM r`

const insertStockChangesSQL = `
WITH r(stock_key, product_key) AS (ROWS)
INSERT INTO product_changes (store_id, version, product_key, changed_at)
SELECT DISTINCT c.store_id, c.version, r.product_key, c.changed_at
FROM r
CROSS JOIN LOOKUP (deletions d WHERE d.store_id = $1 AND d.kind = 'stock' AND d.target_key = r.stock_key)
CROSS JOIN LOOKUP (product_changes c WHERE c.store_id = $1 AND c.version = d.attribute_key
	AND c.product_key = -r.stock_key)
WHERE r.product_key > 0
ON CONFLICT (store_id, version, product_key) DO NOTHING`

// This statement reads only the oldest change of each store that has changes.
const storesOfOldChangesSQL = `
SELECT c.store_id, c.version
FROM catalog_versions c
WHERE (SELECT p.changed_at FROM product_changes p WHERE p.store_id = c.store_id ORDER BY p.version,
	p.product_key LIMIT 1) < $1
ORDER BY c.store_id`

// This statement reads the kept changes, from the last one backwards, and one more.
const lastPrunableVersionSQL = `
SELECT version
FROM product_changes
WHERE store_id = $1
ORDER BY version DESC, product_key DESC
LIMIT 1
OFFSET $2`

// The scan starts at a given version; otherwise it would pass over all dead index entries that an old snapshot still
// protects. See docs/planner.md.
const lastOldChangeSQL = `
SELECT version, product_key
FROM (
	SELECT version, product_key, changed_at
	FROM product_changes
	WHERE store_id = $1
	  AND version >= $2
	  AND version <= $5
	ORDER BY version, product_key
	LIMIT $4) AS first
WHERE changed_at < $3
ORDER BY version DESC, product_key DESC
LIMIT 1`

const raiseFloorSQL = `
UPDATE catalog_versions
SET floor = $2
WHERE store_id = $1
  AND floor < $2`

const deleteChangesSQL = `
DELETE FROM product_changes
WHERE store_id = $1
  AND version >= $2
  AND (version, product_key) <= ($3, $4)`

// RaiseCategoriesVersion increases the version of the category tree. It locks the store's row of catalog_versions.
func RaiseCategoriesVersion(ctx context.Context, tx store.Tx) error {
	return store.RaiseCategoriesVersion(ctx, tx)
}

// insertChanges adds products, whose keys are distinct, to the change log under a new version. It locks the store's row
// of catalog_versions.
func insertChanges(
	ctx context.Context, tx store.Tx, kind changeKind, productKeys []int64, at time.Time,
) (version int64, err error) {
	sql := store.WithMark(raiseProductsVersionSQL, tx)
	if err := database.QueryRow(ctx, tx, sql, []any{int64(kind)}, &version); err != nil {
		return 0, err
	}
	return version, tx.ExecLater(ctx, insertChangesSQL, write.KeyBatch(productKeys), version, at.UnixMicro())
}

// insertStockChanges adds products to the change log that lose remainders of hidden stocks, under the versions at which
// the stocks were hidden; see Stocks.hide. It locks no version. Changes that were deleted from the log are not added:
// readers that do not know these versions reload all products.
func insertStockChanges(ctx context.Context, tx store.Tx, stocksOfProducts map[stockOfProduct]bool) error {
	batch := database.NewBatch(database.BigInt, database.BigInt)
	for one := range stocksOfProducts {
		batch.Add(one.stock, one.product)
	}
	return database.ExecRows(ctx, tx, insertStockChangesSQL, batch)
}

// storeVersion is the version of a store's products.
type storeVersion struct {
	id      store.ID
	version int64
}

// storesOfOldChanges returns the stores that have old changes. Changes are old if they were made earlier than the time
// in the parameter before, in microseconds.
func storesOfOldChanges(ctx context.Context, q database.Querier, before int64) (stores []storeVersion, err error) {
	err = database.QueryEach(ctx, q, storesOfOldChangesSQL, []any{before}, func(rows database.Rows) error {
		var one storeVersion
		err := rows.Scan(&one.id, &one.version)
		stores = append(stores, one)
		return err
	})
	return stores, err
}

// lastPrunableVersion returns the last version that has a change beyond the last kept ones, or 0 if there are no more
// changes than kept.
func lastPrunableVersion(ctx context.Context, tx store.Tx, kept int64) (version int64, err error) {
	err = database.QueryRow(ctx, tx, lastPrunableVersionSQL, []any{kept}, &version)
	if errors.Is(err, database.ErrNoRows) {
		return 0, nil
	}
	return version, err
}

// pruneChunk deletes up to pruneChunkSize old changes of a store, with versions in [from, upTo]. Changes are old as
// storesOfOldChanges defines it. It returns the version of the last deleted change and the number of deleted
// changes. The floor is the version up to which changes have been deleted. The same transaction raises it, so readers
// never find a gap above the floor, and raises it last, since that locks the store's row of catalog_versions until the
// commit.
func pruneChunk(ctx context.Context, tx store.Tx, from, upTo, before int64) (last, deleted int64, err error) {
	var productKey int64
	err = database.QueryRow(ctx, tx, lastOldChangeSQL, []any{from, before, pruneChunkSize, upTo}, &last, &productKey)
	if errors.Is(err, database.ErrNoRows) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	if deleted, err = tx.Exec(ctx, deleteChangesSQL, from, last, productKey); err != nil {
		return 0, 0, err
	}
	return last, deleted, database.Exec(ctx, tx, raiseFloorSQL, last)
}
