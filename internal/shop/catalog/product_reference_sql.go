package catalog

import (
	"context"
	"maps"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// The caller appends a lock clause. Rows are locked in key order, so that transactions cannot deadlock.
const referredAttributesSQL = `
WITH r(id) AS (ROWS)
SELECT a.key, a.id, a.kind
FROM r
CROSS JOIN attributes a
WHERE a.key = (SELECT x.key FROM attributes x WHERE x.store_id = $1 AND x.id = r.id)
  AND a.kind IN ('option', 'feature')
ORDER BY a.key`

const referredValuesSQL = `
WITH r(id) AS (ROWS)
SELECT v.key, v.id, v.attribute_key
FROM r
CROSS JOIN LOOKUP (attribute_values v WHERE v.store_id = $1 AND v.id = r.id AND v.deleted_at IS NULL)`

const referredStocksSQL = `
WITH r(id) AS (ROWS)
SELECT s.key, s.id
FROM r
CROSS JOIN stocks s
WHERE s.key = (SELECT x.key FROM stocks x WHERE x.store_id = $1 AND x.id = r.id)
  AND s.deleted_at IS NULL
ORDER BY s.key`

const referredPriceListsSQL = `
WITH r(id) AS (ROWS)
SELECT l.key, l.id
FROM r
CROSS JOIN price_lists l
WHERE l.key = (SELECT x.key FROM price_lists x WHERE x.store_id = $1 AND x.id = r.id)
  AND l.deleted_at IS NULL
  AND l.awaited_since IS NULL
ORDER BY l.key`

// lockAttributes fills in those attributes that the store has, and locks them against edits and deletion.
func lockAttributes(ctx context.Context, tx store.Tx, attributes map[AttributeID]KnownAttribute) error {
	batch := database.BatchOf(database.UUID, write.SortedIDs(maps.Keys(attributes)))
	return tx.QueryRows(ctx, referredAttributesSQL+tx.Dialect().ForKeyShare, batch,
		write.EachTriple(func(key int64, attributeID AttributeID, kind string) {
			attributes[attributeID] = KnownAttribute{key, Kind(kind)}
		}))
}

// findValues fills in those values that the store has.
func findValues(ctx context.Context, tx store.Tx, values map[ValueID]KnownValue) error {
	batch := database.BatchOf(database.UUID, write.SortedIDs(maps.Keys(values)))
	return tx.QueryRows(ctx, referredValuesSQL, batch,
		write.EachTriple(func(key int64, valueID ValueID, attributeKey int64) {
			values[valueID] = KnownValue{key, attributeKey}
		}))
}

// lockStocks fills in the keys of those stocks that the store has, and locks them against deletion.
func lockStocks(ctx context.Context, tx store.Tx, keys map[StockID]int64) error {
	return write.LockByID(ctx, tx, referredStocksSQL, keys)
}

// lockPriceLists fills in the keys of those price lists that the store has, and locks them against deletion.
func lockPriceLists(ctx context.Context, tx store.Tx, keys map[PriceListID]int64) error {
	return write.LockByID(ctx, tx, referredPriceListsSQL, keys)
}
