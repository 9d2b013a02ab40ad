package exchange

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const updateHeartbeatsSQL = `
WITH r(store_id, key) AS (ROWS)
UPDATE exchange_runs
SET alive_at = $1
FROM r
WHERE exchange_runs.store_id = r.store_id
  AND exchange_runs.key = r.key`

// staleRunsSQL selects the unfinished runs without a heartbeat since $1, except background pushes.
const staleRunsSQL = `
SELECT store_id, key
FROM exchange_runs
WHERE finished_at IS NULL
  AND alive_at < $1
  AND NOT background
ORDER BY alive_at, key`

const finishedRunsBeforeSQL = `
SELECT store_id, key
FROM exchange_runs
WHERE created_at < $1
  AND finished_at IS NOT NULL
ORDER BY created_at, key
LIMIT $2`

// runTable is a table whose rows belong to runs. key lists the columns that identify a row within its run.
type runTable struct{ name, key string }

func notesTable() runTable    { return runTable{"exchange_notes", "severity, number"} }
func rejectsTable() runTable  { return runTable{"exchange_rejects", "item"} }
func archivedTable() runTable { return runTable{"exchange_archived", "product_key"} }
func changesTable() runTable  { return runTable{"exchange_changes", "number"} }
func bodiesTable() runTable   { return runTable{"exchange_pieces", "number"} }

// deleteSQL returns a statement that deletes up to $1 rows of the runs. If it deletes fewer than $1, no row is left.
func (t runTable) deleteSQL() string {
	return `
WITH r(store_id, key) AS (ROWS)
DELETE FROM ` + t.name + `
WHERE (store_id, run_key, ` + t.key + `) IN (
	SELECT x.store_id, x.run_key, ` + t.key + `
	FROM r
	CROSS JOIN ` + t.name + ` x
	WHERE x.store_id = r.store_id
	  AND x.run_key = r.key
	LIMIT $1)`
}

const deleteRunsSQL = `
WITH r(store_id, key) AS (ROWS)
DELETE FROM exchange_runs
WHERE (store_id, key) IN (SELECT store_id, key FROM r)
RETURNING store_id, kept_bytes`

func execRunRefs(ctx context.Context, q database.Querier, sql string, refs []RunRef, args ...any) (int64, error) {
	return q.ExecRows(ctx, sql, batchOfRuns(refs), args...)
}

func batchOfRuns(refs []RunRef) *database.Batch {
	batch := database.NewBatch(database.UUID, database.BigInt)
	for _, ref := range refs {
		batch.Add(ref.StoreID, ref.Key)
	}
	return batch
}

func selectRunRefs(ctx context.Context, q database.Querier, sql string, args ...any) (refs []RunRef, err error) {
	scan := func(rows database.Rows) (ref RunRef, err error) {
		err = rows.Scan(&ref.StoreID, &ref.Key)
		return ref, err
	}
	err = database.QueryEach(ctx, q, sql, args, database.AppendScanned(&refs, scan))
	return refs, err
}

func updateHeartbeats(ctx context.Context, q database.Querier, refs []RunRef, now time.Time) error {
	_, err := execRunRefs(ctx, q, updateHeartbeatsSQL, refs, now.UnixMicro())
	return err
}

func staleRuns(ctx context.Context, q database.Querier, since time.Time) ([]RunRef, error) {
	return selectRunRefs(ctx, q, staleRunsSQL, since.UnixMicro())
}

func finishedRunsBefore(ctx context.Context, q database.Querier, before time.Time, limit int64) ([]RunRef, error) {
	return selectRunRefs(ctx, q, finishedRunsBeforeSQL, before.UnixMicro(), limit)
}

// deleteRuns deletes runs, and what is counted of them. Another node may delete the same runs at the same time: each of
// them is returned to one of both.
func deleteRuns(ctx context.Context, q database.Querier, refs []RunRef) error {
	kept := map[store.ID]int64{}

	err := q.QueryRows(ctx, deleteRunsSQL, batchOfRuns(refs), func(rows database.Rows) error {
		var storeID store.ID
		var bytes int64
		if err := rows.Scan(&storeID, &bytes); err != nil {
			return err
		}

		if bytes != 0 {
			kept[storeID] += bytes
		}

		return nil
	})
	if err != nil || len(kept) == 0 {
		return err
	}

	return lowerKept(ctx, q, kept)
}
