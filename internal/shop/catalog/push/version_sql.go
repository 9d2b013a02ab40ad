package push

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// The statements that write source_version, by table. IS TRUE keeps PostgreSQL from reading all rows of the store; see
// docs/planner.md.
const (
	setProductSourceVersionsSQL = `
WITH r(key, source_version) AS (ROWS)
UPDATE products
SET source_version = r.source_version
FROM r
WHERE (products.store_id = $1) IS TRUE
  AND products.key = r.key`

	setAttributeSourceVersionsSQL = `
WITH r(key, source_version) AS (ROWS)
UPDATE attributes
SET source_version = r.source_version
FROM r
WHERE (attributes.store_id = $1) IS TRUE
  AND attributes.key = r.key`

	setCategorySourceVersionsSQL = `
WITH r(key, source_version) AS (ROWS)
UPDATE categories
SET source_version = r.source_version
FROM r
WHERE (categories.store_id = $1) IS TRUE
  AND categories.key = r.key`

	setStockSourceVersionsSQL = `
WITH r(key, source_version) AS (ROWS)
UPDATE stocks
SET source_version = r.source_version
FROM r
WHERE (stocks.store_id = $1) IS TRUE
  AND stocks.key = r.key`

	setPriceListSourceVersionsSQL = `
WITH r(key, source_version) AS (ROWS)
UPDATE price_lists
SET source_version = r.source_version
FROM r
WHERE (price_lists.store_id = $1) IS TRUE
  AND price_lists.key = r.key`
)

// saveOfProducts writes the versions of products. The caller has locked the rows, here and below.
func (r raisedVersions) saveOfProducts(ctx context.Context, tx store.Tx) error {
	return r.save(ctx, tx, setProductSourceVersionsSQL)
}

func (r raisedVersions) saveOfAttributes(ctx context.Context, tx store.Tx) error {
	return r.save(ctx, tx, setAttributeSourceVersionsSQL)
}

func (r raisedVersions) saveOfCategories(ctx context.Context, tx store.Tx) error {
	return r.save(ctx, tx, setCategorySourceVersionsSQL)
}

func (r raisedVersions) saveOfStocks(ctx context.Context, tx store.Tx) error {
	return r.save(ctx, tx, setStockSourceVersionsSQL)
}

func (r raisedVersions) saveOfPriceLists(ctx context.Context, tx store.Tx) error {
	return r.save(ctx, tx, setPriceListSourceVersionsSQL)
}

func (r raisedVersions) save(ctx context.Context, tx store.Tx, sql string) error {
	batch := database.NewBatch(database.BigInt, database.BigInt)
	for _, key := range r.keys() {
		batch.Add(key, r[key])
	}
	return database.ExecRows(ctx, tx, sql, batch)
}
