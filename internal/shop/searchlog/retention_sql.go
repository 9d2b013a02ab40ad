package searchlog

import (
	"context"
	"errors"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const oldestDaySQL = `
SELECT store_id, day
FROM search_days
WHERE day < $1
ORDER BY day, store_id
LIMIT 1`

const pruneClicksSQL = `
DELETE FROM search_clicks
WHERE (store_id, day, product_id, query) IN (
	SELECT c.store_id, c.day, c.product_id, c.query
	FROM search_clicks c
	WHERE c.store_id = $1
	  AND c.day = $2
	ORDER BY c.product_id, c.query
	LIMIT $3)`

const pruneQueriesSQL = `
DELETE FROM search_queries
WHERE (store_id, day, query) IN (
	SELECT q.store_id, q.day, q.query
	FROM search_queries q
	WHERE q.store_id = $1
	  AND q.day = $2
	ORDER BY q.query
	LIMIT $3)`

const pruneDaySQL = `
DELETE FROM search_days
WHERE store_id = $1
  AND day = $2`

// pruneOldest deletes up to limit rows of each table of the oldest day before a day, and the day itself with its last
// rows. It returns false if there is no such day.
func pruneOldest(ctx context.Context, q database.Querier, before, limit int64) (more bool, err error) {
	var key dayKey
	err = database.QueryRow(ctx, q, oldestDaySQL, []any{before}, &key.storeID, &key.day)
	if errors.Is(err, database.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}

	tx := store.In(q, key.storeID)
	clicksGone, err := tx.Exec(ctx, pruneClicksSQL, key.day, limit)
	if err != nil {
		return false, err
	}
	queriesGone, err := tx.Exec(ctx, pruneQueriesSQL, key.day, limit)
	if err != nil {
		return false, err
	}

	if clicksGone < limit && queriesGone < limit {
		err = database.Exec(ctx, tx, pruneDaySQL, key.day)
	}
	return true, err
}
