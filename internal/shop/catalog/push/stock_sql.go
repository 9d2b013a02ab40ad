package push

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// Callers append a lock clause, here and below. Rows are locked in key order, so that transactions cannot deadlock.
const stocksOfExternalIDsSQL = `
WITH r(external_id) AS (ROWS)
SELECT s.key, s.id, s.external_id
FROM r
CROSS JOIN stocks s
WHERE s.key = (SELECT x.key FROM stocks x WHERE x.store_id = $1 AND x.external_id = r.external_id)
ORDER BY s.key`

const pushedStocksSQL = `
WITH r(external_id) AS (ROWS)
SELECT s.key, s.external_id, s.name, s.updated_at, s.pushed, s.source_version
FROM r
CROSS JOIN stocks s
WHERE s.key = (SELECT x.key FROM stocks x WHERE x.store_id = $1 AND x.external_id = r.external_id)
ORDER BY s.key`

// If another transaction inserts a stock with the same external id first, the statement waits for its commit and
// returns that stock. The update changes nothing; it makes RETURNING include the row.
const createStocksSQL = `
WITH r(id, external_id, name, words) AS (ROWS)
INSERT INTO stocks (store_id, id, external_id, name, words, version, created_at, updated_at)
SELECT $1, id, external_id, name, words, 1, $2, $2
FROM r
WHERE TRUE
ON CONFLICT (store_id, external_id) DO UPDATE
SET version = stocks.version
RETURNING key, id, external_id`

// id and created_at are used only if the stock is new.
const saveStocksSQL = `
WITH r(id, external_id, name, words, pushed, source_version) AS (ROWS)
INSERT INTO stocks (store_id, id, external_id, name, words, pushed, source_version, version, created_at, updated_at)
SELECT $1, id, external_id, name, words, pushed, source_version, 1, $2, $2
FROM r
WHERE TRUE
ON CONFLICT (store_id, external_id) DO UPDATE
SET name = excluded.name, words = excluded.words, pushed = excluded.pushed, version = stocks.version + 1,
	updated_at = excluded.updated_at,
	source_version = COALESCE(excluded.source_version, stocks.source_version)
RETURNING key, external_id`

// stockRow is a stock that was found by its external id.
type stockRow struct {
	key int64
	id  catalog.StockID
}

// findStocks returns the stocks that exist, by external id, and locks them against deletion until the transaction ends.
func findStocks(ctx context.Context, tx store.Tx, externalIDs []string) (map[string]stockRow, error) {
	found := make(map[string]stockRow, len(externalIDs))
	return found, tx.QueryRows(ctx, stocksOfExternalIDsSQL+tx.Dialect().ForKeyShare, write.TextBatch(externalIDs),
		putStocks(found))
}

// lookUpStocks is findStocks without locks, for transactions that do not write.
func lookUpStocks(ctx context.Context, tx store.Tx, externalIDs []string) (map[string]stockRow, error) {
	found := make(map[string]stockRow, len(externalIDs))
	return found, tx.QueryRows(ctx, stocksOfExternalIDsSQL, write.TextBatch(externalIDs), putStocks(found))
}

// createStocks creates stocks with these external ids, which must be distinct and sorted, and adds them to found. Their
// external ids become their names.
func (s *Pushes) createStocks(ctx context.Context, tx store.Tx, externalIDs []string, found map[string]stockRow) error {
	made := database.NewBatch(database.UUID, database.Text, database.Text, database.Text)
	for _, e := range externalIDs {
		made.Add(id.New[catalog.Stock](), e, e, locale.SearchText(e))
	}
	return tx.QueryRows(ctx, createStocksSQL, made, putStocks(found), s.Now().UnixMicro())
}

func putStocks(found map[string]stockRow) func(database.Rows) error {
	return write.EachTriple(func(key int64, stockID catalog.StockID, externalID string) {
		found[externalID] = stockRow{key, stockID}
	})
}

// lockPushedStocks returns the existing stocks of the items by external id, and locks their rows for update.
func lockPushedStocks(ctx context.Context, tx store.Tx, items []catalog.StockPush) (map[string]pushedStock, error) {
	batch := database.NewBatch(database.Text)
	for _, item := range items {
		batch.Add(item.ID)
	}
	known := make(map[string]pushedStock, len(items))
	return known, tx.QueryRows(ctx, pushedStocksSQL+tx.Dialect().ForUpdate, batch, func(rows database.Rows) error {
		var t pushedStock
		var externalID string
		err := rows.Scan(&t.Key, &externalID, &t.Name, database.Time(&t.UpdatedAt), &t.pushed, &t.version)
		known[externalID] = t
		return err
	})
}

// saveStocks inserts or updates stocks, and sets the keys of their outcomes, which are given by external id. The batch
// has ids, external ids, names, search texts, digests and versions.
func saveStocks(
	ctx context.Context, tx store.Tx, batch *database.Batch, at time.Time, outcomes map[string]*Pushed,
) error {
	return tx.QueryRows(ctx, saveStocksSQL, batch, write.EachPair(func(key int64, externalID string) {
		outcomes[externalID].Key = key
	}), at.UnixMicro())
}
