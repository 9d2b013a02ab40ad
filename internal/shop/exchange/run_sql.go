package exchange

import (
	"context"
	"math"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/exchange/item/table"
	"vitrine/internal/shop/store"
)

const runColumns = `key, id, credential_id, entity, format, atomic, dry_run, archive_missing, max_archive_share,
	keeps_changes, background, status,
	operator_id, file_name, kept_until, body_key, undoes,
	received, created, updated, unchanged, failed, errors, warnings, late_warnings, archived, reverted,
		ignored_fields, ignored, layout, mapping, not_kept, problem_code, problem,
	created_at, started_at, finished_at`

const insertRunSQL = `
INSERT INTO exchange_runs (store_id, id, credential_id, entity, format, atomic, dry_run, archive_missing,
	max_archive_share, background, status,
	received, created, updated, unchanged, failed, errors, warnings, archived, reverted, ignored_fields, ignored,
		problem_code, problem,
	created_at, started_at, finished_at, operator_id, file_name, kept_until, body_key, undoes, mapping,
	keeps_changes, alive_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
	$24, $25, $26, $27,
	$28, $29, $30, $31, $32, $33, $34, $25)
RETURNING key`

const saveRunSQL = `
UPDATE exchange_runs
SET status = $3, received = $4, created = $5, updated = $6, unchanged = $7, failed = $8, errors = $9,
	warnings = $10, archived = $11,
	ignored_fields = $12, ignored = $13, problem_code = $14, problem = $15, started_at = $16, finished_at = $17,
	layout = $18
WHERE store_id = $1
  AND key = $2`

const selectRunsSQL = `
SELECT ` + runColumns + `
FROM exchange_runs
WHERE store_id = $1`

// These clauses are appended to selectRunsSQL.
const (
	runByKeySQL            = "\n  AND key = $2"
	runByIDSQL             = "\n  AND id = $2"
	runByIDOfCredentialSQL = runByIDSQL + "\n  AND credential_id = $3"
	staleRunSQL            = runByKeySQL + "\n  AND finished_at IS NULL\n  AND alive_at < $3"
	runsBeforeSQL          = `
  AND key < $2
ORDER BY key DESC
LIMIT $3`
	failedRunsBeforeSQL = `
  AND (status = 'failed' OR failed > 0)
  AND dry_run = FALSE
  AND created_at >= $4
  AND created_at < $5` + runsBeforeSQL
	runsOfCredentialBeforeSQL = `
  AND credential_id = $2
  AND key < $3
ORDER BY key DESC
LIMIT $4`
)

// countFailedRunsSQL has the conditions of the partial index exchange_runs_failed as literals.
const countFailedRunsSQL = `
SELECT COUNT(*)
FROM exchange_runs
WHERE store_id = $1
  AND (status = 'failed' OR failed > 0)
  AND dry_run = FALSE
  AND created_at >= $2
  AND created_at < $3`

const setRunNotKeptSQL = `
UPDATE exchange_runs
SET not_kept = $3
WHERE store_id = $1
  AND key = $2`

const hasRunSQL = `
SELECT EXISTS (
	SELECT 1
	FROM exchange_runs
	WHERE store_id = $1
	  AND dry_run = FALSE
	  AND created + updated + unchanged > 0)`

const setRunFinishedSQL = `
UPDATE exchange_runs
SET finished_at = $3
WHERE store_id = $1
  AND key = $2
  AND finished_at IS NULL`

// insertRun inserts a run and sets its Key. The first heartbeat of the run is its CreatedAt.
func insertRun(ctx context.Context, tx store.Tx, r *Run) error {
	fields, ignored, err := ignoredJSON(r)
	if err != nil {
		return err
	}
	code, problem := problemColumns(r)
	return database.QueryRow(ctx, tx, insertRunSQL, []any{
		r.ID, r.Credential, r.Entity, string(r.Format), r.Atomic, r.DryRun, r.ArchiveMissing, r.MaxArchiveShare,
		r.Background, string(r.Status),
		r.Received, r.Created, r.Updated, r.Unchanged, r.Failed, r.Errors, r.Warnings, r.Archived, r.Reverted,
		fields, ignored, code, problem,
		r.CreatedAt.UnixMicro(), database.MicrosOrNull(r.StartedAt), database.MicrosOrNull(r.FinishedAt),
		nullIfZero(r.Operator), r.FileName, database.MicrosOrNull(r.KeptUntil), nullIfZero(r.BodyKey),
		nullIfZero(r.Undoes), mappingJSON(r.Mapping), r.KeepChanges,
	}, &r.Key)
}

// saveRun updates the columns of a run that change while its push is applied. It does not update reverted; Revert does.
func saveRun(ctx context.Context, tx store.Tx, r *Run) error {
	fields, ignored, err := ignoredJSON(r)
	if err != nil {
		return err
	}
	code, problem := problemColumns(r)
	_, err = tx.Exec(ctx, saveRunSQL, r.Key, string(r.Status),
		r.Received, r.Created, r.Updated, r.Unchanged, r.Failed, r.Errors, r.Warnings,
		r.Archived, fields, ignored, code, problem, database.MicrosOrNull(r.StartedAt),
		database.MicrosOrNull(r.FinishedAt), layoutJSON(r))
	return err
}

// setRunNotKept stores what the file of a run had and the store has no place for.
func setRunNotKept(ctx context.Context, tx store.Tx, key int64, list []NotKept) error {
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return database.Exec(ctx, tx, setRunNotKeptSQL, key, string(text))
}

// setRunFinished sets the finish time of a run, and reports whether the run had none before.
func setRunFinished(ctx context.Context, tx store.Tx, r *Run) (first bool, err error) {
	n, err := tx.Exec(ctx, setRunFinishedSQL, r.Key, database.MicrosOrNull(r.FinishedAt))
	return n == 1, err
}

// readRun returns the run that selectRunsSQL selects when the clause end is appended, or fault.NotFound.
func readRun(ctx context.Context, tx store.Tx, end string, args ...any) (Run, error) {
	return store.SelectOne(ctx, tx, selectRunsSQL+end, args, "run", scanRun)
}

func selectRun(ctx context.Context, tx store.Tx, credential access.KeyID, runID RunID) (Run, error) {
	return readRun(ctx, tx, runByIDOfCredentialSQL, runID, credential)
}

func selectAnyRun(ctx context.Context, tx store.Tx, runID RunID) (Run, error) {
	return readRun(ctx, tx, runByIDSQL, runID)
}

func selectRunByKey(ctx context.Context, tx store.Tx, key int64) (Run, error) {
	return readRun(ctx, tx, runByKeySQL, key)
}

// lockStaleRun reads and locks a run. It returns fault.NotFound if the run is finished, or if its last heartbeat is not
// older than the time since.
func lockStaleRun(ctx context.Context, tx store.Tx, key int64, since time.Time) (Run, error) {
	return readRun(ctx, tx, staleRunSQL+tx.Dialect().ForUpdate, key, since.UnixMicro())
}

// readRuns returns the runs that selectRunsSQL selects when the clause end is appended.
func readRuns(ctx context.Context, tx store.Tx, end string, args ...any) (runs []Run, err error) {
	err = database.QueryEach(ctx, tx, selectRunsSQL+end, args, database.AppendScanned(&runs, scanRun))
	return runs, err
}

func allRunsBefore(ctx context.Context, tx store.Tx, before, limit int64) ([]Run, error) {
	return readRuns(ctx, tx, runsBeforeSQL, before, limit)
}

func failedRunsBefore(ctx context.Context, tx store.Tx, p Period, before, limit int64) ([]Run, error) {
	from, end := int64(math.MinInt64), int64(math.MaxInt64)
	if !p.From.IsZero() {
		from = p.From.UnixMicro()
	}
	if !p.Before.IsZero() {
		end = p.Before.UnixMicro()
	}
	return readRuns(ctx, tx, failedRunsBeforeSQL, before, limit, from, end)
}

func countFailedRuns(ctx context.Context, tx store.Tx, from, before time.Time) (n int64, err error) {
	err = database.QueryRow(ctx, tx, countFailedRunsSQL, []any{from.UnixMicro(), before.UnixMicro()}, &n)
	return n, err
}

func hasRun(ctx context.Context, tx store.Tx) (has bool, err error) {
	err = database.QueryRow(ctx, tx, hasRunSQL, nil, &has)
	return has, err
}

func runsBefore(ctx context.Context, tx store.Tx, credential access.KeyID, before, limit int64) ([]Run, error) {
	return readRuns(ctx, tx, runsOfCredentialBeforeSQL, credential, before, limit)
}

func scanRun(rows database.Rows) (Run, error) {
	var r Run
	var fields, ignored, layout, mapping, notKept string
	var code, problem *string
	var operator *access.OperatorID
	var bodyKey, undoes *int64
	err := rows.Scan(
		&r.Key, &r.ID, &r.Credential, &r.Entity, (*string)(&r.Format), &r.Atomic, &r.DryRun,
		&r.ArchiveMissing, &r.MaxArchiveShare, &r.KeepChanges, &r.Background, (*string)(&r.Status),
		&operator, &r.FileName, database.NullTime(&r.KeptUntil), &bodyKey, &undoes,
		&r.Received, &r.Created, &r.Updated, &r.Unchanged, &r.Failed, &r.Errors, &r.Warnings, &r.lateWarnings,
		&r.Archived, &r.Reverted, &fields, &ignored, &layout, &mapping, &notKept, &code, &problem,
		database.Time(&r.CreatedAt), database.NullTime(&r.StartedAt), database.NullTime(&r.FinishedAt))
	if err != nil {
		return r, err
	}

	if operator != nil {
		r.Operator = *operator
	}

	if bodyKey != nil {
		r.BodyKey = *bodyKey
	}

	if undoes != nil {
		r.Undoes = *undoes
	}

	if code != nil && problem != nil {
		r.Problem = &RunProblem{Code: *code, Message: *problem}
	}

	if err = json.Unmarshal([]byte(fields), &r.IgnoredFields); err != nil {
		return r, err
	}

	if err = json.Unmarshal([]byte(notKept), &r.NotKept); err != nil {
		return r, err
	}

	if layout != "" {
		if err = json.Unmarshal([]byte(layout), &r.Layout); err != nil {
			return r, err
		}
	}

	if mapping != "" {
		if err = json.Unmarshal([]byte(mapping), &r.Mapping); err != nil {
			return r, err
		}
	}

	err = json.Unmarshal([]byte(ignored), &r.Ignored)
	return r, err
}

// mappingJSON returns a mapping as JSON, or "" if there is none.
func mappingJSON(m *table.Mapping) string {
	if m == nil {
		return ""
	}
	return string(wire.AppendJSON(nil, m))
}

// layoutJSON returns the layout of a table as JSON, or "" if there is none.
func layoutJSON(r *Run) string {
	if r.Layout.IsZero() {
		return ""
	}
	return string(wire.AppendJSON(nil, r.Layout))
}

// ignoredJSON returns IgnoredFields and Ignored as JSON lists.
func ignoredJSON(r *Run) (fields, ignored string, err error) {
	if len(r.IgnoredFields) == 0 {
		return "[]", "[]", nil
	}
	names, err := json.Marshal(r.IgnoredFields)
	if err != nil {
		return "", "", err
	}
	list, err := json.Marshal(r.Ignored)
	return string(names), string(list), err
}

// nullIfZero returns NULL for the zero value.
func nullIfZero[T comparable](value T) any {
	var zero T
	if value == zero {
		return nil
	}
	return value
}

func problemColumns(r *Run) (code, message any) {
	if r.Problem == nil {
		return nil, nil
	}
	return r.Problem.Code, r.Problem.Message
}
