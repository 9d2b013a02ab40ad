package protection

import (
	"context"
	"maps"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// addScoresSQL skips stores that were deleted meanwhile.
const addScoresSQL = `
WITH r(store_id, day, action, bucket, count) AS (ROWS)
INSERT INTO captcha_scores (store_id, day, action, bucket, count)
SELECT r.store_id, r.day, r.action, r.bucket, r.count
FROM r
WHERE r.store_id IN (SELECT s.id FROM stores AS s)
ON CONFLICT (store_id, day, action, bucket) DO UPDATE
SET count = captcha_scores.count + excluded.count`

const selectScoresSQL = `
SELECT action, bucket, SUM(count)
FROM captcha_scores
WHERE store_id = $1 AND day >= $2
GROUP BY action, bucket
ORDER BY action, bucket`

const pruneScoresSQL = `
DELETE FROM captcha_scores
WHERE day < $1`

// addScores adds counts in the same order on all nodes, so that two transactions do not wait for each other.
func addScores(ctx context.Context, q database.Querier, counts map[scoreKey]int64) error {
	batch := database.NewBatch(database.UUID, database.BigInt, database.Text, database.BigInt, database.BigInt)
	for _, key := range slices.SortedFunc(maps.Keys(counts), scoreKey.compare) {
		batch.Add(key.storeID, key.day, string(key.action), key.bucket, counts[key])
	}
	return database.ExecRows(ctx, q, addScoresSQL, batch)
}

func selectScores(ctx context.Context, tx store.Tx, from int64) (map[Action]Histogram, error) {
	all := map[Action]Histogram{}
	err := database.QueryEach(ctx, tx, selectScoresSQL, []any{from}, func(rows database.Rows) error {
		var action string
		var bucket, count int64
		if err := rows.Scan(&action, &bucket, &count); err != nil {
			return err
		}
		h := all[Action(action)]
		if bucket >= 0 && bucket < ScoreBuckets {
			h[bucket] += count
		}
		all[Action(action)] = h
		return nil
	})
	return all, err
}

// pruneScores deletes the counts of days before a time.
func pruneScores(ctx context.Context, q database.Querier, before time.Time) error {
	return database.Exec(ctx, q, pruneScoresSQL, dayNumber(before))
}
