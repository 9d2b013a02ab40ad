package catalog

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const raiseProductsVersionSQL = `
INSERT INTO catalog_versions (store_id, version, categories, floor)
VALUES ($1, 1, 0, 0)
ON CONFLICT (store_id) DO UPDATE
SET version = catalog_versions.version + 1
RETURNING version`

const raiseCategoriesVersionSQL = `
INSERT INTO catalog_versions (store_id, version, categories, floor)
VALUES ($1, 0, 1, 0)
ON CONFLICT (store_id) DO UPDATE
SET categories = catalog_versions.categories + 1`

const insertChangesSQL = `
WITH r(key) AS (ROWS)
INSERT INTO product_changes (store_id, version, product_key, changed_at)
SELECT $1, $2, d.key, $3
FROM (SELECT DISTINCT key FROM r) AS d`

// This statement reads only the oldest change of each store.
const storesOfOldChangesSQL = `
SELECT c.store_id
FROM catalog_versions c
WHERE (SELECT p.changed_at FROM product_changes p WHERE p.store_id = c.store_id ORDER BY p.version, p.product_key LIMIT 1) < $1
ORDER BY c.store_id`

// The scan starts at a version; otherwise it would pass over all dead index entries that an old snapshot still
// protects. See docs/planner.md.
const lastOldChangeSQL = `
SELECT version, product_key
FROM (
	SELECT version, product_key, changed_at
	FROM product_changes
	WHERE store_id = $1
	  AND version >= $2
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

// raiseProductsVersion increases the version of the store's products and returns it. It locks the store's row until the
// commit.
func raiseProductsVersion(ctx context.Context, tx store.Tx) (version int64, err error) {
	err = database.QueryRow(ctx, tx, raiseProductsVersionSQL, nil, &version)
	return version, err
}

// raiseCategoriesVersion increases the version of the store's category tree. It locks the store's row until the commit.
func raiseCategoriesVersion(ctx context.Context, tx store.Tx) error {
	_, err := tx.Exec(ctx, raiseCategoriesVersionSQL)
	return err
}

func insertChanges(ctx context.Context, tx store.Tx, version int64, productKeys []int64, at time.Time) error {
	_, err := tx.ExecRows(ctx, insertChangesSQL, database.BatchOf(database.BigInt, productKeys), version, at.UnixMicro())
	return err
}

// storesOfOldChanges returns the stores that have changes from before a time, in microseconds.
func storesOfOldChanges(ctx context.Context, q database.Querier, before int64) (stores []store.ID, err error) {
	err = database.QueryEach(ctx, q, storesOfOldChangesSQL, []any{before}, func(rows database.Rows) error {
		var storeID store.ID
		err := rows.Scan(&storeID)
		stores = append(stores, storeID)
		return err
	})
	return stores, err
}

// lastOldChange returns the last change from before a time, in microseconds, among the first pruneChunkSize changes
// from a version on. It returns zeros if there is none.
func lastOldChange(ctx context.Context, tx store.Tx, from, before int64) (version, productKey int64, err error) {
	err = database.QueryEach(ctx, tx, lastOldChangeSQL, []any{from, before, pruneChunkSize},
		func(rows database.Rows) error {
			return rows.Scan(&version, &productKey)
		})
	return version, productKey, err
}

// deleteChanges deletes the changes from one version up to and including that of version and productKey. It returns the
// number deleted.
func deleteChanges(ctx context.Context, tx store.Tx, from, version, productKey int64) (int64, error) {
	return tx.Exec(ctx, deleteChangesSQL, from, version, productKey)
}

// raiseFloor records the version up to which changes have been deleted. It locks the store's row until the commit.
func raiseFloor(ctx context.Context, tx store.Tx, version int64) error {
	_, err := tx.Exec(ctx, raiseFloorSQL, version)
	return err
}
