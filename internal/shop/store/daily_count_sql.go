package store

import (
	"context"

	"vitrine/internal/kit/database"
)

// addDailyCountsSQL skips stores that were deleted meanwhile.
const addDailyCountsSQL = `
WITH r(store_id, name, day, count) AS (ROWS)
INSERT INTO daily_counts (store_id, name, day, count)
SELECT r.store_id, r.name, r.day, r.count
FROM r
WHERE r.store_id IN (SELECT s.id FROM stores s)
ON CONFLICT (store_id, name, day) DO UPDATE
SET count = daily_counts.count + excluded.count`

// selectDailyCountsSQL selects names from $2 up to, but not including, $3.
const selectDailyCountsSQL = `
SELECT day, name, count
FROM daily_counts
WHERE store_id = $1
  AND name >= $2
  AND name < $3
  AND day >= $4
  AND day <= $5
ORDER BY day, name`

func addDailyCounts(
	ctx context.Context, q database.Querier, keys []dailyCountKey, counts map[dailyCountKey]int64,
) error {
	batch := database.NewBatch(database.UUID, database.Text, database.BigInt, database.BigInt)
	for _, key := range keys {
		batch.Add(key.storeID, key.name, key.day, counts[key])
	}
	return database.ExecRows(ctx, q, addDailyCountsSQL, batch)
}

func selectDailyCounts(ctx context.Context, tx Tx, prefix string, from, to int64) (list []DailyCount, err error) {
	scan := func(rows database.Rows) (c DailyCount, err error) {
		err = rows.Scan(&c.Day, &c.Name, &c.Count)
		return c, err
	}
	err = database.QueryEach(ctx, tx, selectDailyCountsSQL, []any{prefix, prefix + "\u007f", from, to},
		database.AppendScanned(&list, scan))
	return list, err
}
