package check

import (
	"context"

	"vitrine/internal/kit/database"
)

// The statements of a diagnostics bundle read only columns that contain words of the program and numbers: no column
// that somebody else filled.

const diagnoseJobsSQL = `
SELECT kind, CASE WHEN attempts > 0 THEN 'failed_before' ELSE 'new' END AS code, COUNT(*)
FROM jobs
GROUP BY kind, CASE WHEN attempts > 0 THEN 'failed_before' ELSE 'new' END
ORDER BY kind, code`

const diagnoseParkedSQL = `
SELECT kind, 'parked' AS code, COUNT(*)
FROM parked_jobs
GROUP BY kind
ORDER BY kind`

const diagnoseRunsSQL = `
SELECT status, COALESCE(problem_code, '') AS code, COUNT(*)
FROM exchange_runs
GROUP BY status, COALESCE(problem_code, '')
ORDER BY status, code`

const diagnoseDeliveriesSQL = `
SELECT status, COALESCE(CAST(last_status_code AS TEXT), '') AS code, COUNT(*)
FROM deliveries
GROUP BY status, COALESCE(CAST(last_status_code AS TEXT), '')
ORDER BY status, code`

const diagnoseAttemptsSQL = `
SELECT COALESCE(phase, 'none') AS phase, COALESCE(CAST(status_code AS TEXT), '') AS code, COUNT(*)
FROM attempts
GROUP BY COALESCE(phase, 'none'), COALESCE(CAST(status_code AS TEXT), '')
ORDER BY phase, code`

// stateCount is how many rows have the same state and code. For jobs the state is their kind.
type stateCount struct {
	State string `json:"state"`
	Code  string `json:"code,omitzero"`
	Count int64  `json:"count"`
}

func countJobs(ctx context.Context, db *database.DB) ([]stateCount, error) {
	return diagnoseStates(ctx, db, diagnoseJobsSQL)
}

func countParkedJobs(ctx context.Context, db *database.DB) ([]stateCount, error) {
	return diagnoseStates(ctx, db, diagnoseParkedSQL)
}

func countRuns(ctx context.Context, db *database.DB) ([]stateCount, error) {
	return diagnoseStates(ctx, db, diagnoseRunsSQL)
}

func countDeliveries(ctx context.Context, db *database.DB) ([]stateCount, error) {
	return diagnoseStates(ctx, db, diagnoseDeliveriesSQL)
}

func countAttempts(ctx context.Context, db *database.DB) ([]stateCount, error) {
	return diagnoseStates(ctx, db, diagnoseAttemptsSQL)
}

// diagnoseStates runs one of the statements above.
func diagnoseStates(ctx context.Context, db *database.DB, sql string) (counts []stateCount, err error) {
	err = db.ReadWith(ctx, database.Long, false, func(q database.Querier) error {
		counts = nil
		return database.QueryEach(ctx, q, sql, nil,
			database.AppendScanned(&counts, func(rows database.Rows) (c stateCount, err error) {
				err = rows.Scan(&c.State, &c.Code, &c.Count)
				return c, err
			}))
	})
	return counts, err
}
