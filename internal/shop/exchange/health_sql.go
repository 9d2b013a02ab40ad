package exchange

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// newestRunsSQL reads from the end of the index exchange_runs_age, and no more than its limit.
const newestRunsSQL = `
SELECT n.store_id, n.entity, n.status, n.finished_at
FROM (
	SELECT store_id, entity, status, dry_run, finished_at, created_at, key
	FROM exchange_runs
	ORDER BY created_at DESC, key DESC
	LIMIT $1) n
WHERE n.dry_run = FALSE
  AND n.finished_at IS NOT NULL
ORDER BY n.created_at DESC, n.key DESC`

// endedRun is a run that has ended.
type endedRun struct {
	storeID    store.ID
	entity     string
	status     Status
	finishedAt time.Time
}

// newestRuns reads the newest runs of all stores, at most limit, and returns those that have ended and are no dry runs,
// the newest first.
func newestRuns(ctx context.Context, q querier, limit int) (found []endedRun, err error) {
	err = database.QueryEach(ctx, q, newestRunsSQL, []any{limit},
		database.AppendScanned(&found, func(rows database.Rows) (r endedRun, err error) {
			err = rows.Scan(&r.storeID, &r.entity, (*string)(&r.status), database.Time(&r.finishedAt))
			return r, err
		}))
	return found, err
}
