package push

import (
	"context"
	"maps"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// Callers append a lock clause, here and below. Rows are locked in key order, so that transactions cannot deadlock.
const listsOfExternalIDsSQL = `
WITH r(external_id) AS (ROWS)
SELECT l.key, l.id, l.external_id, l.name, l.currency, l.awaited_since
FROM r
CROSS JOIN price_lists l
WHERE l.key = (SELECT x.key FROM price_lists x WHERE x.store_id = $1 AND x.external_id = r.external_id)
ORDER BY l.key`

const pushedListsSQL = `
WITH r(external_id) AS (ROWS)
SELECT l.key, l.id, l.external_id, l.name, l.currency, l.updated_at, l.pushed, l.source_version,
	COALESCE((SELECT MIN(g.group_key) FROM customer_group_lists g WHERE g.store_id = $1 AND g.list_key = l.key), 0),
	(SELECT COUNT(*) FROM stores s WHERE s.id = $1 AND s.old_price_list_id = l.id), l.awaited_since
FROM r
CROSS JOIN price_lists l
WHERE l.key = (SELECT x.key FROM price_lists x WHERE x.store_id = $1 AND x.external_id = r.external_id)
ORDER BY l.key`

// A list without prices does not count: the products with its prices were deleted.
const countAwaitedListsSQL = `
SELECT COUNT(*)
FROM price_lists
WHERE store_id = $1
  AND awaited_since IS NOT NULL
  AND deleted_at IS NULL
  AND EXISTS (SELECT 1 FROM variant_prices x WHERE x.store_id = $1 AND x.list_key = price_lists.key)`

// Callers have called LockPushes: only a push gives an awaited list prices.
const deleteEmptyAwaitedSQL = `
DELETE FROM price_lists
WHERE store_id = $1
  AND awaited_since IS NOT NULL
  AND deleted_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM variant_prices x WHERE x.store_id = $1 AND x.list_key = price_lists.key)
RETURNING external_id`

// The update changes nothing; it makes RETURNING include a row that another transaction has inserted meanwhile.
const awaitListsSQL = `
WITH r(id, external_id, words, currency) AS (ROWS)
INSERT INTO price_lists (store_id, id, external_id, name, words, currency, version, created_at, updated_at,
	awaited_since)
SELECT $1, id, external_id, external_id, words, currency, 1, $2, $2, $2
FROM r
WHERE TRUE
ON CONFLICT (store_id, external_id) DO UPDATE
SET version = price_lists.version
RETURNING key, id, external_id, name, currency, awaited_since`

// id is used only if the list is new. A list that was awaited comes into being now.
const savePriceListsSQL = `
WITH r(id, external_id, name, words, currency, pushed, source_version) AS (ROWS)
INSERT INTO price_lists (store_id, id, external_id, name, words, currency, pushed, source_version, version, created_at,
	updated_at)
SELECT $1, id, external_id, name, words, currency, pushed, source_version, 1, $2, $2
FROM r
WHERE TRUE
ON CONFLICT (store_id, external_id) DO UPDATE
SET name = excluded.name, words = excluded.words, currency = excluded.currency, pushed = excluded.pushed,
	version = price_lists.version + 1, updated_at = excluded.updated_at,
	created_at = CASE WHEN price_lists.awaited_since IS NULL THEN price_lists.created_at ELSE excluded.created_at END,
	awaited_since = NULL, source_version = COALESCE(excluded.source_version, price_lists.source_version)
RETURNING key, external_id`

const priceListIDSQL = `
SELECT id, source_version
FROM price_lists
WHERE store_id = $1
  AND external_id = $2
  AND awaited_since IS NULL`

// findLists adds the lists that exist or are awaited to found, by external id, and locks them against deletion.
func findLists(
	ctx context.Context, tx store.Tx, externalIDs namedLists, found map[string]listRow,
) error {
	return tx.QueryRows(ctx, listsOfExternalIDsSQL+tx.Dialect().ForKeyShare,
		write.TextBatch(slices.Sorted(maps.Keys(externalIDs))), putLists(found))
}

// lookUpLists is findLists without locks, for transactions that do not write.
func lookUpLists(ctx context.Context, tx store.Tx, externalIDs namedLists, found map[string]listRow) error {
	batch := write.TextBatch(slices.Sorted(maps.Keys(externalIDs)))
	return tx.QueryRows(ctx, listsOfExternalIDsSQL, batch, putLists(found))
}

func putLists(found map[string]listRow) func(database.Rows) error {
	return func(rows database.Rows) error {
		var row listRow
		var externalID string
		var awaitedSince *int64
		err := rows.Scan(&row.key, &row.id, &externalID, &row.name, &row.currency, &awaitedSince)
		row.awaited = awaitedSince != nil
		found[externalID] = row
		return err
	}
}

func countAwaitedLists(ctx context.Context, tx store.Tx) (n int64, err error) {
	err = database.QueryRow(ctx, tx, countAwaitedListsSQL, nil, &n)
	return n, err
}

// deleteEmptyAwaited deletes the awaited lists without prices, if one of these lists is awaited: it may have lost its
// last price, or have been created for a price that was not written. A copy of the store deletes them, too.
func (s *Pushes) deleteEmptyAwaited(ctx context.Context, tx store.Tx, lists map[string]listRow) error {
	isAwaited := func(row listRow) bool { return row.awaited }
	if !slices.ContainsFunc(slices.Collect(maps.Values(lists)), isAwaited) {
		return nil
	}

	var gone []string
	err := database.QueryEach(ctx, tx, deleteEmptyAwaitedSQL, nil, database.AppendColumn(&gone))
	if err != nil || len(gone) == 0 {
		return err
	}

	batch := database.NewBatch(database.Text, database.Text, database.Text)
	slices.Sort(gone)
	for _, externalID := range gone {
		batch.Add(string(catalog.PriceListEntity), "", externalID)
	}
	return catalog.InsertDeletedIDs(ctx, tx, batch, s.Now())
}

// awaitLists creates awaited lists with these external ids, which must be distinct and sorted, with the currencies of
// their prices, and adds them to found.
func (s *Pushes) awaitLists(
	ctx context.Context, tx store.Tx, externalIDs []string, named namedLists, found map[string]listRow,
) error {
	batch := database.NewBatch(database.UUID, database.Text, database.Text, database.Text)
	for _, e := range externalIDs {
		batch.Add(id.New[catalog.PriceList](), e, locale.SearchText(e), named[e].currency)
	}
	return tx.QueryRows(ctx, awaitListsSQL, batch, putLists(found), s.Now().UnixMicro())
}

// lockPushedLists returns the existing and the awaited price lists of the items by external id, and locks their rows
// for update.
func lockPushedLists(
	ctx context.Context, tx store.Tx, items []catalog.PriceListPush,
) (map[string]pushedList, error) {
	batch := database.NewBatch(database.Text)
	for _, item := range items {
		batch.Add(item.ID)
	}

	known := make(map[string]pushedList, len(items))
	return known, tx.QueryRows(ctx, pushedListsSQL+tx.Dialect().ForUpdate, batch, func(rows database.Rows) error {
		var l pushedList
		var externalID string
		var group, shown int64
		var awaitedSince *int64
		err := rows.Scan(&l.Key, &l.ID, &externalID, &l.Name, &l.Currency, database.Time(&l.UpdatedAt), &l.pushed,
			&l.version, &group, &shown, &awaitedSince)
		l.used = group != 0 || shown != 0
		l.awaited = awaitedSince != nil
		known[externalID] = l
		return err
	})
}

// savePriceLists inserts or updates price lists, and sets the keys of their outcomes, which are given by external id.
func savePriceLists(
	ctx context.Context, tx store.Tx, batch *database.Batch, at time.Time, written map[string]*Pushed,
) error {
	return tx.QueryRows(ctx, savePriceListsSQL, batch,
		write.EachPair(func(key int64, externalID string) { written[externalID].Key = key }), at.UnixMicro())
}

// priceListIDOf returns the id of the price list with an external id, and the version of the item that was applied
// last. It returns fault.NotFound if there is none.
func priceListIDOf(
	ctx context.Context, tx store.Tx, externalID string,
) (_ catalog.PriceListID, version *int64, err error) {
	return findByExternalID[catalog.PriceList](ctx, tx, priceListIDSQL, "price list", externalID)
}
