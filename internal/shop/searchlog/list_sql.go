package searchlog

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const countQueriesSQL = `
SELECT CAST(COALESCE(SUM(queries), 0) AS BIGINT), CAST(COALESCE(SUM(unfound), 0) AS BIGINT)
FROM search_days
WHERE store_id = $1
  AND day >= $2
  AND day <= $3`

const (
	listQueriesSQL = `
SELECT day, query, count, found, clicks, orders
FROM search_queries
WHERE store_id = $1
  AND day >= $2
  AND day <= $3`

	unfoundQueriesSQL = listQueriesSQL + `
  AND found = 0`

	orderQueriesSQL = `
ORDER BY day DESC, count DESC, query
LIMIT $4 OFFSET $5`
)

// popularQueriesSQL reads the newest rows first, so that the limit of rows leaves out the oldest days.
const popularQueriesSQL = `
SELECT n.query, CAST(SUM(n.count) AS BIGINT) AS asked
FROM (
	SELECT q.query, q.count, q.found, q.day
	FROM search_queries q
	WHERE q.store_id = $1
	  AND q.day >= $2
	ORDER BY q.day DESC, q.count DESC, q.query
	LIMIT $3) AS n
GROUP BY n.query
HAVING SUM(n.count) >= $4
   AND MAX(CASE WHEN n.found > 0 THEN n.day END) = MAX(n.day)
ORDER BY asked DESC, n.query
LIMIT $5`

// countQueries returns the number of queries that a filter selects. Their numbers per day are kept.
func countQueries(ctx context.Context, tx store.Tx, f Filter) (int64, error) {
	var all, none int64
	err := database.QueryRow(ctx, tx, countQueriesSQL, []any{f.From, f.To}, &all, &none)
	if f.Unfound {
		return none, err
	}
	return all, err
}

func selectQueries(ctx context.Context, tx store.Tx, f Filter, limit, offset int64) (list []Query, err error) {
	sql := listQueriesSQL
	if f.Unfound {
		sql = unfoundQueriesSQL
	}

	scan := func(rows database.Rows) (q Query, err error) {
		err = rows.Scan(&q.Day, &q.Query, &q.Count, &q.Found, &q.Clicks, &q.Orders)
		return q, err
	}
	err = database.QueryEach(ctx, tx, sql+orderQueriesSQL, []any{f.From, f.To, limit, offset},
		database.AppendScanned(&list, scan))
	return list, err
}

func selectPopular(ctx context.Context, tx store.Tx, from int64, limit int) (list []PopularQuery, err error) {
	scan := func(rows database.Rows) (q PopularQuery, err error) {
		err = rows.Scan(&q.Query, &q.Count)
		return q, err
	}
	err = database.QueryEach(ctx, tx, popularQueriesSQL, []any{from, maxPopularRows, popularCount, limit},
		database.AppendScanned(&list, scan))
	return list, err
}
