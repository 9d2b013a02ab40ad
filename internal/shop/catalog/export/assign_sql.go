package export

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

const productsWithoutIDSQL = `
SELECT key
FROM products
WHERE store_id = $1
  AND external_id IS NULL
  AND archived_at IS NULL
  AND key > $2
ORDER BY key
LIMIT $3`

// assignScan is the number of products of which one transaction looks at the variants.
const assignScan = 2000

// The variants of each product are looked up, so that the work is bounded by the number of products.
const namelessVariantsSQL = `
SELECT p.key,
	(SELECT COUNT(*) FROM variants w WHERE w.store_id = $1 AND w.product_key = p.key AND w.archived_at IS NULL
		AND w.external_id IS NULL),
	(SELECT COUNT(*) FROM variants w WHERE w.store_id = $1 AND w.product_key = p.key AND w.archived_at IS NULL)
FROM products p
WHERE p.store_id = $1
  AND p.archived_at IS NULL
  AND p.key > $2
ORDER BY p.key
LIMIT $3`

// IS TRUE keeps PostgreSQL from reading all rows of the store; see docs/planner.md.
const setVariantIDsSQL = `
WITH r(key, external_id) AS (ROWS)
UPDATE variants
SET external_id = r.external_id, updated_at = $2
FROM r
WHERE (variants.store_id = $1) IS TRUE
  AND variants.key = r.key`

// These statements find the rows without an external id.
const (
	assignAttributesSQL = `
SELECT key, id
FROM attributes
WHERE store_id = $1
  AND external_id IS NULL
  AND key > $2
  AND kind = $4
ORDER BY key
LIMIT $3`

	assignValuesSQL = `
SELECT v.key, v.id
FROM attribute_values v
WHERE v.store_id = $1
  AND v.external_id IS NULL
  AND v.deleted_at IS NULL
  AND v.key > $2
  AND (SELECT a.kind FROM attributes a WHERE a.store_id = $1 AND a.key = v.attribute_key) = $4
ORDER BY v.key
LIMIT $3`

	assignCategoriesSQL = `
SELECT key, id
FROM categories
WHERE store_id = $1
  AND external_id IS NULL
  AND deleted_at IS NULL
  AND key > $2
ORDER BY key
LIMIT $3`

	assignStocksSQL = `
SELECT key, id
FROM stocks
WHERE store_id = $1
  AND external_id IS NULL
  AND deleted_at IS NULL
  AND key > $2
ORDER BY key
LIMIT $3`

	assignPriceListsSQL = `
SELECT key, id
FROM price_lists
WHERE store_id = $1
  AND external_id IS NULL
  AND deleted_at IS NULL
  AND key > $2
ORDER BY key
LIMIT $3`
)

// assignSelectSQL has the statements above. assignUpdateSQL has, for each of them, one that sets the external ids.
var assignSelectSQL = map[assignedRows]string{
	assignedAttributes: assignAttributesSQL, assignedValues: assignValuesSQL, assignedCategories: assignCategoriesSQL,
	assignedStocks: assignStocksSQL, assignedPriceLists: assignPriceListsSQL,
}

var assignUpdateSQL = map[assignedRows]string{
	assignedAttributes: `
WITH r(key, external_id) AS (ROWS)
UPDATE attributes
SET external_id = r.external_id, version = version + 1, updated_at = $2, pushed = NULL
FROM r
WHERE (attributes.store_id = $1) IS TRUE
  AND attributes.key = r.key
  AND attributes.external_id IS NULL`,
	assignedValues: `
WITH r(key, external_id) AS (ROWS)
UPDATE attribute_values
SET external_id = r.external_id
FROM r
WHERE (attribute_values.store_id = $1) IS TRUE
  AND attribute_values.key = r.key
  AND attribute_values.external_id IS NULL`,
	assignedCategories: `
WITH r(key, external_id) AS (ROWS)
UPDATE categories
SET external_id = r.external_id, version = version + 1, updated_at = $2, pushed = NULL
FROM r
WHERE (categories.store_id = $1) IS TRUE
  AND categories.key = r.key
  AND categories.external_id IS NULL`,
	assignedStocks: `
WITH r(key, external_id) AS (ROWS)
UPDATE stocks
SET external_id = r.external_id, version = version + 1, updated_at = $2, pushed = NULL
FROM r
WHERE (stocks.store_id = $1) IS TRUE
  AND stocks.key = r.key
  AND stocks.external_id IS NULL`,
	assignedPriceLists: `
WITH r(key, external_id) AS (ROWS)
UPDATE price_lists
SET external_id = r.external_id, version = version + 1, updated_at = $2, pushed = NULL
FROM r
WHERE (price_lists.store_id = $1) IS TRUE
  AND price_lists.key = r.key
  AND price_lists.external_id IS NULL`,
}

const touchAttributesOfValuesSQL = `
WITH r(key) AS (ROWS)
UPDATE attributes
SET version = version + 1, updated_at = $2, pushed = NULL
WHERE key IN (SELECT (SELECT v.attribute_key FROM attribute_values v WHERE v.store_id = $1 AND v.key = r.key) FROM r)`

func productsWithoutID(ctx context.Context, tx store.Tx, after int64) (keys []int64, err error) {
	err = database.QueryEach(ctx, tx, productsWithoutIDSQL, []any{after, assignChunk}, database.AppendColumn(&keys))
	return keys, err
}

// productsWithNamelessVariants looks at the next products and returns those with several live variants of which one has
// no external id. read is the number of products that it has looked at, last the key of the last one.
func productsWithNamelessVariants(
	ctx context.Context, tx store.Tx, after int64,
) (products []int64, read int, last int64, err error) {
	err = database.QueryEach(ctx, tx, namelessVariantsSQL, []any{after, assignScan},
		write.EachTriple(func(key, nameless, live int64) {
			read++
			last = key
			if nameless > 0 && live > 1 {
				products = append(products, key)
			}
		}))
	return products, read, last, err
}

func setVariantIDs(ctx context.Context, tx store.Tx, ids *database.Batch, at time.Time) error {
	return database.ExecRows(ctx, tx, setVariantIDsSQL, ids, at.UnixMicro())
}

// assignRows gives the next rows their ids as external ids.
func (s *Exports) assignRows(
	ctx context.Context, tx store.Tx, after int64, rows assignedRows, args ...any,
) (last int64, more bool, err error) {
	batch := database.NewBatch(database.BigInt, database.Text)
	var keys []int64
	err = database.QueryEach(ctx, tx, assignSelectSQL[rows], append([]any{after, assignChunk}, args...),
		write.EachPair(func(key int64, i id.Of[struct{}]) {
			batch.Add(key, i.String())
			keys = append(keys, key)
		}))
	if err != nil || len(keys) == 0 {
		return 0, false, err
	}

	at := s.Now().UnixMicro()
	set := write.Statement{SQL: assignUpdateSQL[rows], Batch: batch, Args: []any{at}}
	if rows == assignedValues {
		set.Args = nil
		if err := write.ExecByKey(ctx, tx, touchAttributesOfValuesSQL, keys, at); err != nil {
			return 0, false, err
		}
	}

	if err := write.ExecAll(ctx, tx, set); err != nil {
		return 0, false, err
	}

	return keys[len(keys)-1], len(keys) == assignChunk, s.MarkReferences(ctx, tx)
}
