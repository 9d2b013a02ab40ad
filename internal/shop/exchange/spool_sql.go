package exchange

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

const insertBodyChunkSQL = `
INSERT INTO exchange_pieces (store_id, run_key, number, packed)
VALUES ($1, $2, $3, $4)`

const selectBodyChunkSQL = `
SELECT packed
FROM exchange_pieces
WHERE store_id = $1
  AND run_key = $2
  AND number = $3`

const setRunInBackgroundSQL = `
UPDATE exchange_runs
SET background = TRUE
WHERE store_id = $1
  AND key = $2
  AND finished_at IS NULL`

const addSpooledBytesSQL = `
UPDATE exchange_runs
SET spooled_bytes = spooled_bytes + $3
WHERE store_id = $1
  AND key = $2
  AND finished_at IS NULL`

// spooledBytesSQL sums the bodies of all stores and the files of 1C. The indexes of the rows with bytes cover it.
const spooledBytesSQL = `
SELECT CAST(COALESCE(SUM(CASE WHEN store_id = $1 THEN spooled_bytes END), 0) AS BIGINT),
	CAST(COALESCE(SUM(spooled_bytes), 0) AS BIGINT)
FROM (
	SELECT store_id, spooled_bytes
	FROM exchange_runs
	WHERE spooled_bytes > 0
	UNION ALL
	SELECT store_id, spooled_bytes
	FROM commerceml_sessions
	WHERE spooled_bytes > 0) AS spooled`

const clearSpooledBytesSQL = `
WITH r(store_id, key) AS (ROWS)
UPDATE exchange_runs
SET spooled_bytes = 0
FROM r
WHERE exchange_runs.store_id = r.store_id
  AND exchange_runs.key = r.key
  AND exchange_runs.spooled_bytes > 0`

const finishedRunsWithBodySQL = `
SELECT store_id, key
FROM exchange_runs
WHERE spooled_bytes > 0
  AND finished_at IS NOT NULL
  AND (kept_until IS NULL OR kept_until < $2)
  AND COALESCE(problem_code, '') <> 'parked'
ORDER BY key
LIMIT $1`

func insertBodyChunk(ctx context.Context, tx store.Tx, runKey, number int64, compressed []byte) error {
	return database.Exec(ctx, tx, insertBodyChunkSQL, runKey, number, compressed)
}

// selectBodyChunk reads a compressed chunk of a body. It returns database.ErrNoRows if the number is beyond the last
// chunk.
func selectBodyChunk(ctx context.Context, tx store.Tx, runKey, number int64) (compressed []byte, err error) {
	err = database.QueryRow(ctx, tx, selectBodyChunkSQL, []any{runKey, number}, &compressed)
	return compressed, err
}

// setRunInBackground marks a run whose body is stored completely. It fails like addSpooledBytes.
func setRunInBackground(ctx context.Context, tx store.Tx, runKey int64) error {
	return updateUnfinishedRun(ctx, tx, setRunInBackgroundSQL, runKey)
}

// addSpooledBytes adds the size of a chunk to the size of the run's body. It returns fault.Unavailable if the run was
// ended as interrupted, because this node was too slow to renew the heartbeat.
func addSpooledBytes(ctx context.Context, tx store.Tx, runKey, bytes int64) error {
	return updateUnfinishedRun(ctx, tx, addSpooledBytesSQL, runKey, bytes)
}

// spooledBytes returns the bytes of the bodies that wait to be applied, of one store and of all stores.
func spooledBytes(ctx context.Context, q database.Querier, storeID store.ID) (ofStore, ofAll int64, err error) {
	err = database.QueryRow(ctx, q, spooledBytesSQL, []any{storeID}, &ofStore, &ofAll)
	return ofStore, ofAll, err
}

// clearSpooledBytes records that the bodies of the runs were deleted.
func clearSpooledBytes(ctx context.Context, q database.Querier, refs []RunRef) error {
	_, err := execRunRefs(ctx, q, clearSpooledBytesSQL, refs)
	return err
}

// finishedRunsWithBody returns finished runs whose bodies were not deleted when they ended, except parked ones and
// files that are kept at the time now.
func finishedRunsWithBody(ctx context.Context, q database.Querier, limit int64, now time.Time) ([]RunRef, error) {
	return selectRunRefs(ctx, q, finishedRunsWithBodySQL, limit, now.UnixMicro())
}

func updateUnfinishedRun(ctx context.Context, tx store.Tx, sql string, args ...any) error {
	n, err := tx.Exec(ctx, sql, args...)
	if err == nil && n == 0 {
		err = fault.New(fault.Unavailable, "interrupted",
			"Receiving the push took too long, so it was ended. Send it again.").After(time.Second)
	}
	return err
}
