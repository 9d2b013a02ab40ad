package exchange

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

const runColumns = `key, id, credential_id, entity, format, atomic, dry_run, archive_missing, max_archive_share, background, status,
	received, created, updated, unchanged, failed, errors, warnings, late_warnings, archived, reverted, ignored_fields, problem_code, problem,
	created_at, started_at, finished_at`

const insertRunSQL = `
INSERT INTO exchange_runs (store_id, id, credential_id, entity, format, atomic, dry_run, archive_missing, max_archive_share, background, status,
	received, created, updated, unchanged, failed, errors, warnings, archived, reverted, ignored_fields, problem_code, problem,
	created_at, started_at, finished_at, alive_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $24)
RETURNING key`

const saveRunSQL = `
UPDATE exchange_runs
SET status = $3, received = $4, created = $5, updated = $6, unchanged = $7, failed = $8, errors = $9, warnings = $10, archived = $11,
	ignored_fields = $12, problem_code = $13, problem = $14, started_at = $15, finished_at = $16
WHERE store_id = $1
  AND key = $2`

const selectAnyRunSQL = `
SELECT ` + runColumns + `
FROM exchange_runs
WHERE store_id = $1
  AND id = $2`

const selectRunSQL = selectAnyRunSQL + `
  AND credential_id = $3`

const listAllRunsSQL = `
SELECT ` + runColumns + `
FROM exchange_runs
WHERE store_id = $1
  AND key < $2
ORDER BY key DESC
LIMIT $3`

const listRunsSQL = `
SELECT ` + runColumns + `
FROM exchange_runs
WHERE store_id = $1
  AND credential_id = $2
  AND key < $3
ORDER BY key DESC
LIMIT $4`

// insertRun inserts a run and sets its Key. The first heartbeat of the run is its CreatedAt.
func insertRun(ctx context.Context, tx store.Tx, r *Run) error {
	ignored, err := ignoredJSON(r)
	if err != nil {
		return err
	}
	code, problem := problemColumns(r)
	err = database.QueryRow(ctx, tx, insertRunSQL, []any{
		r.ID, r.Credential, r.Entity, string(r.Format), r.Atomic, r.DryRun, r.ArchiveMissing, r.MaxArchiveShare,
		r.Background, string(r.Status),
		r.Received, r.Created, r.Updated, r.Unchanged, r.Failed, r.Errors, r.Warnings, r.Archived, r.Reverted,
		ignored, code, problem,
		r.CreatedAt.UnixMicro(), microsOrNull(r.StartedAt), microsOrNull(r.FinishedAt),
	}, &r.Key)
	if err != nil {
		return fmt.Errorf("insert run: %w", err)
	}
	return nil
}

// saveRun updates the columns of a run that change while its push is applied. It does not touch reverted: only Revert
// updates that.
func saveRun(ctx context.Context, tx store.Tx, r *Run) error {
	ignored, err := ignoredJSON(r)
	if err != nil {
		return err
	}
	code, problem := problemColumns(r)
	_, err = tx.Exec(ctx, saveRunSQL, r.Key, string(r.Status),
		r.Received, r.Created, r.Updated, r.Unchanged, r.Failed, r.Errors, r.Warnings,
		r.Archived, ignored, code, problem, microsOrNull(r.StartedAt), microsOrNull(r.FinishedAt))
	if err != nil {
		return fmt.Errorf("save run %s: %w", r.ID, err)
	}
	return nil
}

// selectRun reads a run of a credential, or returns fault.NotFound.
func selectRun(ctx context.Context, tx store.Tx, credential access.KeyID, runID RunID) (Run, error) {
	return readRun(ctx, tx.Unscoped(), selectRunSQL, tx.StoreID(), runID, credential)
}

// selectAnyRun reads a run of the store, or returns fault.NotFound.
func selectAnyRun(ctx context.Context, tx store.Tx, runID RunID) (Run, error) {
	return readRun(ctx, tx.Unscoped(), selectAnyRunSQL, tx.StoreID(), runID)
}

func readRun(ctx context.Context, q database.Querier, sql string, args ...any) (Run, error) {
	runs, err := readRuns(ctx, q, sql, args...)
	if err != nil {
		return Run{}, err
	}
	if len(runs) == 0 {
		return Run{}, fault.Missing("run")
	}
	return runs[0], nil
}

// runsBefore reads the runs of a credential with keys below before, the newest first.
func runsBefore(ctx context.Context, tx store.Tx, credential access.KeyID, before, limit int64) ([]Run, error) {
	return readRuns(ctx, tx.Unscoped(), listRunsSQL, tx.StoreID(), credential, before, limit)
}

// allRunsBefore reads the runs of the store with keys below before, the newest first.
func allRunsBefore(ctx context.Context, tx store.Tx, before, limit int64) ([]Run, error) {
	return readRuns(ctx, tx.Unscoped(), listAllRunsSQL, tx.StoreID(), before, limit)
}

func readRuns(ctx context.Context, q database.Querier, sql string, args ...any) (runs []Run, err error) {
	err = database.QueryEach(ctx, q, sql, args, func(rows database.Rows) error {
		r, err := scanRun(rows)
		runs = append(runs, r)
		return err
	})
	return runs, err
}

func scanRun(rows database.Rows) (Run, error) {
	var r Run
	var ignored string
	var code, problem *string
	var created int64
	var started, finished *int64
	err := rows.Scan(
		&r.Key, &r.ID, &r.Credential, &r.Entity, (*string)(&r.Format), &r.Atomic, &r.DryRun,
		&r.ArchiveMissing, &r.MaxArchiveShare, &r.Background, (*string)(&r.Status),
		&r.Received, &r.Created, &r.Updated, &r.Unchanged, &r.Failed, &r.Errors, &r.Warnings, &r.lateWarnings,
		&r.Archived, &r.Reverted, &ignored, &code, &problem, &created, &started, &finished)
	if err != nil {
		return r, err
	}
	r.CreatedAt, r.StartedAt, r.FinishedAt = time.UnixMicro(created), optionalTime(started), optionalTime(finished)
	if code != nil && problem != nil {
		r.Problem = &RunProblem{Code: *code, Message: *problem}
	}
	return r, json.Unmarshal([]byte(ignored), &r.IgnoredFields)
}

// ignoredJSON returns IgnoredFields as a JSON list. A plain separator would not do, since the name of a member may
// contain any character.
func ignoredJSON(r *Run) (string, error) {
	if len(r.IgnoredFields) == 0 {
		return "[]", nil
	}
	text, err := json.Marshal(r.IgnoredFields)
	return string(text), err
}

func problemColumns(r *Run) (code, message any) {
	if r.Problem == nil {
		return nil, nil
	}
	return r.Problem.Code, r.Problem.Message
}

func optionalTime(micros *int64) *time.Time {
	if micros == nil {
		return nil
	}
	return new(time.UnixMicro(*micros))
}

func microsOrNull(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.UnixMicro()
}
