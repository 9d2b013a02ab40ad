package exchange

import (
	"context"
	"time"

	"vitrine/internal/database"
)

const setAliveSQL = `
WITH r(store_id, key) AS (ROWS)
UPDATE exchange_runs
SET alive_at = $1
FROM r
WHERE exchange_runs.store_id = r.store_id
  AND exchange_runs.key = r.key`

const silentRunsSQL = `
SELECT store_id, key
FROM exchange_runs
WHERE finished_at IS NULL
  AND alive_at < $1
  AND NOT background
ORDER BY alive_at, key`

// Whoever came back to life in between keeps the run.
const endRunsSQL = `
WITH r(store_id, key) AS (ROWS)
UPDATE exchange_runs
SET status = $1, problem_code = $2, problem = $3, finished_at = $4
FROM r
WHERE exchange_runs.store_id = r.store_id
  AND exchange_runs.key = r.key
  AND exchange_runs.finished_at IS NULL
  AND exchange_runs.alive_at < $5`

const runsOlderSQL = `
SELECT store_id, key
FROM exchange_runs
WHERE created_at < $1
  AND finished_at IS NOT NULL
ORDER BY created_at, key
LIMIT $2`

// Rows that a table has of runs; which of them go first does not matter.
const deleteNotesSQL = `
WITH r(store_id, key) AS (ROWS)
DELETE FROM exchange_notes
WHERE (store_id, run_key, severity, number) IN (
	SELECT n.store_id, n.run_key, n.severity, n.number
	FROM r
	CROSS JOIN exchange_notes n
	WHERE n.store_id = r.store_id
	  AND n.run_key = r.key
	LIMIT $1)`

const deleteRejectsSQL = `
WITH r(store_id, key) AS (ROWS)
DELETE FROM exchange_rejects
WHERE (store_id, run_key, item) IN (
	SELECT j.store_id, j.run_key, j.item
	FROM r
	CROSS JOIN exchange_rejects j
	WHERE j.store_id = r.store_id
	  AND j.run_key = r.key
	LIMIT $1)`

const deleteArchivedSQL = `
WITH r(store_id, key) AS (ROWS)
DELETE FROM exchange_archived
WHERE (store_id, run_key, product_key) IN (
	SELECT a.store_id, a.run_key, a.product_key
	FROM r
	CROSS JOIN exchange_archived a
	WHERE a.store_id = r.store_id
	  AND a.run_key = r.key
	LIMIT $1)`

const deleteSpooledSQL = `
WITH r(store_id, key) AS (ROWS)
DELETE FROM exchange_pieces
WHERE (store_id, run_key, number) IN (
	SELECT p.store_id, p.run_key, p.number
	FROM r
	CROSS JOIN exchange_pieces p
	WHERE p.store_id = r.store_id
	  AND p.run_key = r.key
	LIMIT $1)`

const deleteRunsSQL = `
WITH r(store_id, key) AS (ROWS)
DELETE FROM exchange_runs
WHERE (store_id, key) IN (SELECT store_id, key FROM r)`

func refBatch(refs []runRef) *database.Batch {
	batch := database.NewBatch(database.UUID, database.BigInt)
	for _, ref := range refs {
		batch.Add(ref.storeID, ref.key)
	}
	return batch
}

func setAlive(ctx context.Context, q database.Querier, refs []runRef, now time.Time) error {
	_, err := q.ExecRows(ctx, setAliveSQL, refBatch(refs), now.UnixMicro())
	return err
}

// silentRuns reads the runs that a request is at, of all stores, of which nobody has said since a time that they go on.
func silentRuns(ctx context.Context, q database.Querier, since time.Time) ([]runRef, error) {
	return readRefs(ctx, q, silentRunsSQL, since.UnixMicro())
}

// endRuns ends runs that have been silent since a time.
func endRuns(ctx context.Context, q database.Querier, refs []runRef, why *Problem, now, since time.Time) error {
	_, err := q.ExecRows(ctx, endRunsSQL, refBatch(refs), string(Broken), why.Code, why.Message, now.UnixMicro(), since.UnixMicro())
	return err
}

// runsOlder reads the oldest runs of all stores that are over and were made before a time.
func runsOlder(ctx context.Context, q database.Querier, before time.Time, limit int64) ([]runRef, error) {
	return readRefs(ctx, q, runsOlderSQL, before.UnixMicro(), limit)
}

func readRefs(ctx context.Context, q database.Querier, sql string, args ...any) (refs []runRef, err error) {
	err = database.Each(ctx, q, sql, args, func(rows database.Rows) error {
		var ref runRef
		err := rows.Scan(&ref.storeID, &ref.key)
		refs = append(refs, ref)
		return err
	})
	return refs, err
}

// deleteSome deletes rows that a table has of runs and returns how many they were: fewer than limit only if none are left.
func deleteSome(ctx context.Context, q database.Querier, sql string, refs []runRef, limit int64) (int64, error) {
	return q.ExecRows(ctx, sql, refBatch(refs), limit)
}

func deleteRuns(ctx context.Context, q database.Querier, refs []runRef) error {
	_, err := q.ExecRows(ctx, deleteRunsSQL, refBatch(refs))
	return err
}
