package exchange

import (
	"context"
	"fmt"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const setFinishedSQL = `
UPDATE exchange_runs
SET finished_at = $3
WHERE store_id = $1
  AND key = $2
  AND finished_at IS NULL`

const lockStaleRunSQL = `
SELECT ` + runColumns + `
FROM exchange_runs
WHERE store_id = $1
  AND key = $2
  AND finished_at IS NULL
  AND alive_at < $3`

// setFinished sets the finish time of a run, and reports whether the run had none before.
func setFinished(ctx context.Context, tx store.Tx, r *Run) (first bool, err error) {
	n, err := tx.Exec(ctx, setFinishedSQL, r.Key, microsOrNull(r.FinishedAt))
	if err != nil {
		return false, fmt.Errorf("end run %s: %w", r.ID, err)
	}
	return n == 1, nil
}

// lockStaleRun reads and locks a run. found is false if the run is finished, or its last heartbeat is not older than
// since.
func lockStaleRun(ctx context.Context, q database.Querier, ref runRef, since time.Time) (run Run, found bool, err error) {
	runs, err := readRuns(ctx, q, lockStaleRunSQL+q.Dialect().ForUpdate, ref.storeID, ref.key, since.UnixMicro())
	if err != nil || len(runs) == 0 {
		return Run{}, false, err
	}
	return runs[0], true, nil
}
