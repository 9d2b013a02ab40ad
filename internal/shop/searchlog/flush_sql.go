package searchlog

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// lockDaysSQL locks the rows of days, creates those that are missing, and skips stores that were deleted meanwhile. All
// nodes lock the rows in the same order.
const lockDaysSQL = `
WITH r(store_id, day) AS (ROWS)
INSERT INTO search_days (store_id, day, queries, unfound, clicks)
SELECT r.store_id, r.day, 0, 0, 0
FROM r
WHERE r.store_id IN (SELECT s.id FROM stores s)
ON CONFLICT (store_id, day) DO UPDATE
SET queries = search_days.queries
RETURNING store_id, day, queries, unfound, clicks`

const updateDaysSQL = `
WITH r(store_id, day, queries, unfound, clicks) AS (ROWS)
INSERT INTO search_days (store_id, day, queries, unfound, clicks)
SELECT r.store_id, r.day, r.queries, r.unfound, r.clicks
FROM r
WHERE TRUE
ON CONFLICT (store_id, day) DO UPDATE
SET queries = excluded.queries, unfound = excluded.unfound, clicks = excluded.clicks`

const storedQueriesSQL = `
WITH r(store_id, day, query) AS (ROWS)
SELECT q.store_id, q.day, q.query, q.found, q.asked_at
FROM r
CROSS JOIN LOOKUP (search_queries q WHERE q.store_id = r.store_id AND q.day = r.day AND q.query = r.query)`

const upsertQueriesSQL = `
WITH r(store_id, day, query, count, found, asked_at, clicks, orders) AS (ROWS)
INSERT INTO search_queries (store_id, day, query, count, found, asked_at, clicks, orders)
SELECT r.store_id, r.day, r.query, r.count, r.found, r.asked_at, r.clicks, r.orders
FROM r
WHERE TRUE
ON CONFLICT (store_id, day, query) DO UPDATE
SET count = search_queries.count + excluded.count,
	found = CASE WHEN excluded.asked_at >= search_queries.asked_at THEN excluded.found ELSE search_queries.found END,
	asked_at = CASE WHEN excluded.asked_at >= search_queries.asked_at THEN excluded.asked_at
		ELSE search_queries.asked_at END,
	clicks = search_queries.clicks + excluded.clicks,
	orders = search_queries.orders + excluded.orders`

const knownProductsSQL = `
WITH r(store_id, product_id) AS (ROWS)
SELECT p.store_id, p.id
FROM r
CROSS JOIN LOOKUP (products p WHERE p.store_id = r.store_id AND p.id = r.product_id)`

const insertClicksSQL = `
WITH r(store_id, day, query, product_id) AS (ROWS)
INSERT INTO search_clicks (store_id, day, product_id, query)
SELECT r.store_id, r.day, r.product_id, r.query
FROM r
CROSS JOIN LOOKUP (search_queries q WHERE q.store_id = r.store_id AND q.day = r.day AND q.query = r.query)
WHERE TRUE
ON CONFLICT (store_id, day, product_id, query) DO NOTHING
RETURNING store_id, day`

// orderedQueriesSQL selects the queries for which orders count. Nobody clicks one product in the results of so many
// queries as the limit allows.
const orderedQueriesSQL = `
WITH r(number, store_id, day, product_id) AS (ROWS)
SELECT DISTINCT r.number, c.store_id, c.day, c.query
FROM r
CROSS JOIN LOOKUP (search_clicks c WHERE c.store_id = r.store_id AND c.day = r.day AND c.product_id = r.product_id)
ORDER BY r.number, c.query
LIMIT 10000`

// lockDays locks days until the transaction ends and returns what they have.
func lockDays(ctx context.Context, q database.Querier, keys []dayKey) (map[dayKey]*dayCounts, error) {
	batch := database.NewBatch(database.UUID, database.BigInt)
	for _, key := range keys {
		batch.Add(key.storeID, key.day)
	}

	days := map[dayKey]*dayCounts{}
	return days, q.QueryRows(ctx, lockDaysSQL, batch, func(rows database.Rows) error {
		var key dayKey
		var n dayCounts
		err := rows.Scan(&key.storeID, &key.day, &n.queries, &n.unfound, &n.clicks)
		days[key] = &n
		return err
	})
}

// updateDays stores the counts of days, which the transaction has locked.
func updateDays(ctx context.Context, q database.Querier, days map[dayKey]*dayCounts) error {
	batch := database.NewBatch(database.UUID, database.BigInt, database.BigInt, database.BigInt, database.BigInt)
	for _, key := range slices.SortedFunc(maps.Keys(days), dayKey.compare) {
		n := days[key]
		batch.Add(key.storeID, key.day, n.queries, n.unfound, n.clicks)
	}
	return database.ExecRows(ctx, q, updateDaysSQL, batch)
}

// selectStored returns what the database has of queries. Those that it does not have are left out.
func selectStored(ctx context.Context, q database.Querier, keys []queryKey) (map[queryKey]storedQuery, error) {
	batch := database.NewBatch(database.UUID, database.BigInt, database.Text)
	for _, key := range keys {
		batch.Add(key.storeID, key.day, key.query)
	}

	stored := map[queryKey]storedQuery{}
	return stored, q.QueryRows(ctx, storedQueriesSQL, batch, func(rows database.Rows) error {
		var key queryKey
		var s storedQuery
		err := rows.Scan(&key.storeID, &key.day, &key.query, &s.found, &s.at)
		stored[key] = s
		return err
	})
}

func upsertQueries(
	ctx context.Context, q database.Querier, keys []queryKey, changes map[queryKey]*queryChange,
) error {
	batch := database.NewBatch(database.UUID, database.BigInt, database.Text, database.BigInt, database.BigInt,
		database.BigInt, database.BigInt, database.BigInt)
	for _, key := range keys {
		c := changes[key]
		batch.Add(key.storeID, key.day, key.query, c.count, c.found, c.at, c.clicks, c.orders)
	}
	return database.ExecRows(ctx, q, upsertQueriesSQL, batch)
}

// storeClicks stores which products were clicked in the results of which queries, counts these pairs in the days, and
// returns the number of clicks by query. Clicks on products that the stores do not have are left out.
func storeClicks(
	ctx context.Context, q database.Querier, counted map[clickKey]clicks, days map[dayKey]*dayCounts,
) (map[queryKey]int64, error) {
	keys := slices.SortedFunc(maps.Keys(counted), clickKey.compare)
	known, err := selectKnown(ctx, q, keys)
	if err != nil {
		return nil, err
	}

	batch := database.NewBatch(database.UUID, database.BigInt, database.Text, database.UUID)
	clicked := map[queryKey]int64{}
	room := map[dayKey]int64{}
	for _, key := range keys {
		day := days[key.dayKey()]
		if day == nil || !known[productKey{key.storeID, key.productID}] {
			continue
		}
		clicked[key.queryKey] += counted[key].count
		if room[key.dayKey()]++; day.clicks+room[key.dayKey()] <= maxClicksPerDay {
			batch.Add(key.storeID, key.day, key.query, key.productID)
		}
	}

	return clicked, q.QueryRows(ctx, insertClicksSQL, batch, func(rows database.Rows) error {
		var key dayKey
		err := rows.Scan(&key.storeID, &key.day)
		if day := days[key]; day != nil {
			day.clicks++
		}
		return err
	})
}

// productKey identifies a product of a store.
type productKey struct {
	storeID   store.ID
	productID catalog.ProductID
}

// selectKnown returns the clicked products that the stores have.
func selectKnown(ctx context.Context, q database.Querier, keys []clickKey) (map[productKey]bool, error) {
	batch := database.NewBatch(database.UUID, database.UUID)
	added := map[productKey]bool{}
	for _, key := range keys {
		p := productKey{key.storeID, key.productID}
		if !added[p] {
			added[p] = true
			batch.Add(p.storeID, p.productID)
		}
	}

	known := map[productKey]bool{}
	return known, q.QueryRows(ctx, knownProductsSQL, batch, func(rows database.Rows) error {
		var p productKey
		err := rows.Scan(&p.storeID, &p.productID)
		known[p] = true
		return err
	})
}

// selectOrdered returns for how many of the orders each query counts.
func selectOrdered(ctx context.Context, q database.Querier, orders []submittedOrder) (map[queryKey]int64, error) {
	batch := database.NewBatch(database.BigInt, database.UUID, database.BigInt, database.UUID)
	for i, o := range orders {
		for _, productID := range o.products {
			batch.Add(int64(i), o.storeID, o.day, productID)
		}
	}

	type orderedQuery struct {
		queryKey
		order int64
	}
	seen := map[orderedQuery]bool{} // a batch may be split within an order
	ordered := map[queryKey]int64{}

	return ordered, q.QueryRows(ctx, orderedQueriesSQL, batch, func(rows database.Rows) error {
		var o orderedQuery
		err := rows.Scan(&o.order, &o.storeID, &o.day, &o.query)
		if !seen[o] {
			seen[o] = true
			ordered[o.queryKey]++
		}
		return err
	})
}
