package exchange

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const setKeptUntilSQL = `
UPDATE exchange_runs
SET kept_until = $3
WHERE store_id = $1
  AND key = $2`

// runByBodySQL is appended to selectRunsSQL.
const runByBodySQL = "\n  AND body_key = $2"

// runByUndoesSQL is appended to selectRunsSQL.
const runByUndoesSQL = `
  AND undoes = $2
  AND dry_run = FALSE
ORDER BY key DESC
LIMIT 1`

// setKeptUntil sets the time until which the body of a run is kept after the run. nil lets Bodies.deleteFinished delete
// it.
func setKeptUntil(ctx context.Context, tx store.Tx, runKey int64, until *time.Time) error {
	return database.Exec(ctx, tx, setKeptUntilSQL, runKey, database.MicrosOrNull(until))
}

// lockRun reads and locks a run, or returns fault.NotFound.
func lockRun(ctx context.Context, tx store.Tx, runID RunID) (Run, error) {
	return readRun(ctx, tx, runByIDSQL+tx.Dialect().ForUpdate, runID)
}

// selectRunByBody returns the run that applies the file of another run, or fault.NotFound.
func selectRunByBody(ctx context.Context, tx store.Tx, bodyKey int64) (Run, error) {
	return readRun(ctx, tx, runByBodySQL, bodyKey)
}

// selectRunByUndoes returns the newest run that applies a revert of another run, or fault.NotFound.
func selectRunByUndoes(ctx context.Context, tx store.Tx, runKey int64) (Run, error) {
	return readRun(ctx, tx, runByUndoesSQL, runKey)
}
