package queue

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
)

// insertParkedSQL copies a job. A parked job with the same unique name, which can only be left from a race with Add, is
// replaced: it is about the same work.
const insertParkedSQL = `
INSERT INTO parked_jobs (key, kind, lane, unique_name, payload, asked, created_at, owner, deaths, parked_at)
SELECT j.key, j.kind, j.lane, j.unique_name, j.payload, j.asked, j.created_at, $2, $3, $4
FROM jobs j
WHERE j.key = $1
ON CONFLICT (kind, unique_name) WHERE unique_name IS NOT NULL DO UPDATE
SET key = EXCLUDED.key, lane = EXCLUDED.lane, payload = EXCLUDED.payload, asked = EXCLUDED.asked,
	created_at = EXCLUDED.created_at, owner = EXCLUDED.owner, deaths = EXCLUDED.deaths, parked_at = EXCLUDED.parked_at`

const selectParkedSQL = `
SELECT key, kind, lane, COALESCE(unique_name, ''), owner, deaths, created_at, parked_at, payload
FROM parked_jobs`

const listParkedSQL = selectParkedSQL + `
WHERE ($1 = '' OR owner = $1)
  AND ($2 = '' OR kind = $2)
ORDER BY parked_at DESC, key DESC
LIMIT $3`

const parkedByKeySQL = selectParkedSQL + `
WHERE key = $1`

const parkedByNameSQL = selectParkedSQL + `
WHERE kind = $1
  AND unique_name = $2`

const parkedKeysSQL = `
WITH r(unique_name) AS (ROWS)
SELECT p.key
FROM r
CROSS JOIN parked_jobs p
WHERE p.kind = $1
  AND p.unique_name = r.unique_name
ORDER BY p.key`

// insertUnparkedSQL copies parked jobs back. A job with the same unique name, which can only be left from a race with
// Add, is about the same work.
const insertUnparkedSQL = `
WITH r(key) AS (ROWS)
INSERT INTO jobs (key, kind, lane, unique_name, payload, again, attempts, asked, due_at, created_at)
SELECT p.key, p.kind, p.lane, p.unique_name, p.payload, FALSE, 0, p.asked, $1, p.created_at
FROM r
CROSS JOIN parked_jobs p
WHERE p.key = r.key
ON CONFLICT DO NOTHING`

const deleteParkedSQL = `
WITH r(key) AS (ROWS)
DELETE FROM parked_jobs
WHERE key IN (SELECT key FROM r)`

const deleteParkedLaneSQL = `
DELETE FROM parked_jobs
WHERE kind = $1
  AND lane = $2`

const countParkedSQL = `
SELECT kind, COUNT(*)
FROM parked_jobs
GROUP BY kind
ORDER BY kind`

func insertParked(
	ctx context.Context, q database.Querier, key int64, owner string, deaths int, now time.Time,
) error {
	return database.Exec(ctx, q, insertParkedSQL, key, owner, deaths, now.UnixMicro())
}

func scanParked(rows database.Rows) (p ParkedJob, err error) {
	err = rows.Scan(&p.Key, &p.Kind, &p.Lane, &p.UniqueName, &p.Owner, &p.Deaths, database.Time(&p.AddedAt),
		database.Time(&p.ParkedAt), &p.payload)
	return p, err
}

func selectParked(
	ctx context.Context, q database.Querier, owner, kind string, limit int,
) (found []ParkedJob, err error) {
	err = database.QueryEach(ctx, q, listParkedSQL, []any{owner, kind, limit},
		database.AppendScanned(&found, scanParked))
	return found, err
}

func parkedByKey(ctx context.Context, q database.Querier, key int64) (ParkedJob, error) {
	return database.QueryOne(ctx, q, parkedByKeySQL+q.Dialect().ForUpdate, []any{key}, scanParked)
}

func parkedByName(ctx context.Context, q database.Querier, kind, uniqueName string) (ParkedJob, error) {
	return database.QueryOne(ctx, q, parkedByNameSQL, []any{kind, uniqueName}, scanParked)
}

// parkedKeys returns the keys of the parked jobs of a kind with these unique names.
func parkedKeys(
	ctx context.Context, q database.Querier, kind string, uniqueNames []string,
) (keys []int64, err error) {
	err = q.QueryRows(ctx, parkedKeysSQL, database.BatchOf(database.Text, uniqueNames),
		database.AppendScanned(&keys, func(rows database.Rows) (key int64, err error) {
			err = rows.Scan(&key)
			return key, err
		}), kind)
	return keys, err
}

func insertUnparked(ctx context.Context, q database.Querier, keys []int64, due time.Time) error {
	return database.ExecRows(ctx, q, insertUnparkedSQL, jobKeyBatch(keys), due.UnixMicro())
}

func deleteParked(ctx context.Context, q database.Querier, keys []int64) error {
	return database.ExecRows(ctx, q, deleteParkedSQL, jobKeyBatch(keys))
}

// countParked returns the number of parked jobs of each kind.
func countParked(ctx context.Context, q database.Querier) (map[string]int64, error) {
	counts := map[string]int64{}
	err := database.QueryEach(ctx, q, countParkedSQL, nil, database.PutPairs(counts))
	return counts, err
}
