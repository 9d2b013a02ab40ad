package queue

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
)

// The size of the table jobs changes quickly. A cached generic plan that was made for an empty table would use a
// sequential scan at each step of a recursive CTE. The planner also overestimates the rows of a recursive CTE, and
// would then prefer a hash or merge join over a sequential scan to index lookups, or start JIT compilation. The
// settings last until the end of the transaction.
const plannerOptionsSQL = `
SELECT set_config('plan_cache_mode', 'force_custom_plan', TRUE) || set_config('enable_hashjoin', 'off', TRUE)
	|| set_config('enable_mergejoin', 'off', TRUE) || set_config('enable_seqscan', 'off',
		TRUE) || set_config('enable_bitmapscan', 'off', TRUE)
	|| set_config('jit', 'off', TRUE)`

const insertJobsSQL = `
WITH r(kind, lane, unique_name, payload, due_at) AS (ROWS)
INSERT INTO jobs (kind, lane, unique_name, payload, again, attempts, asked, due_at, created_at)
SELECT kind, lane, unique_name, payload, FALSE, 0, 1, due_at, $1
FROM r
WHERE (SELECT COUNT(*) FROM parked_jobs p WHERE p.kind = r.kind AND p.unique_name = r.unique_name) = 0
ON CONFLICT (kind, unique_name) WHERE unique_name IS NOT NULL DO UPDATE
SET asked = jobs.asked + 1`

const deleteLaneSQL = `
DELETE FROM jobs
WHERE kind = $1
  AND lane = $2`

const makeJobsDueSQL = `
WITH r(unique_name) AS (ROWS)
UPDATE jobs
SET attempts = 0, due_at = CASE WHEN jobs.due_at > $2 THEN $2 ELSE jobs.due_at END
FROM r
WHERE jobs.kind = $1
  AND jobs.unique_name = r.unique_name
RETURNING jobs.unique_name`

const countLaneSQL = `
SELECT COUNT(*)
FROM jobs
WHERE kind = $1
  AND lane = $2`

const countJobsSQL = `
SELECT kind, COUNT(*)
FROM jobs
GROUP BY kind
ORDER BY kind`

// oldestJobsSQL looks at the jobs that were added first, in the order of the primary key, and at no more than its
// limit.
const oldestJobsSQL = `
SELECT o.kind, o.lane, MIN(o.created_at)
FROM (SELECT kind, lane, created_at FROM jobs ORDER BY key LIMIT $1) o
GROUP BY o.kind, o.lane
ORDER BY MIN(o.created_at), o.kind, o.lane`

// A recursive CTE walks the index from lane to lane (a loose index scan), so the cost does not depend on the number of
// jobs in a lane.
const lanesWithJobsSQL = `
WITH RECURSIVE r(kind) AS (ROWS),
walk(kind, lane) AS (
	SELECT r.kind, (SELECT j.lane FROM jobs j WHERE j.kind = r.kind ORDER BY j.lane LIMIT 1)
	FROM r
	UNION ALL
	SELECT w.kind, (SELECT j.lane FROM jobs j WHERE j.kind = w.kind AND j.lane > w.lane ORDER BY j.lane LIMIT 1)
	FROM walk w
	WHERE w.lane IS NOT NULL)
SELECT w.kind, w.lane,
	(SELECT j.due_at FROM jobs j WHERE j.kind = w.kind AND j.lane = w.lane AND j.again = FALSE
		ORDER BY j.due_at LIMIT 1),
	(SELECT j.due_at FROM jobs j WHERE j.kind = w.kind AND j.lane = w.lane AND j.again = TRUE
		ORDER BY j.due_at LIMIT 1),
	(SELECT l.node FROM lanes l WHERE l.kind = w.kind AND l.lane = w.lane)
FROM walk w
WHERE w.lane IS NOT NULL
ORDER BY w.kind, w.lane`

// dueJobsSQL reads the jobs of all lanes on PostgreSQL, with one index scan per lane. They follow the position
// (after_due, after_key), and the column "most" of r limits their number.
const dueJobsSQL = `
WITH r(kind, lane, again, after_due, after_key, most) AS (ROWS)
SELECT j.key, j.kind, j.lane, j.again, j.attempts, j.asked, j.due_at, j.created_at, j.payload
FROM r
CROSS JOIN LATERAL (
	SELECT d.key, d.kind, d.lane, d.again, d.attempts, d.asked, d.due_at, d.created_at, d.payload
	FROM jobs d
	WHERE d.kind = r.kind AND d.lane = r.lane AND d.again = r.again AND d.due_at <= $1
	  AND (d.due_at, d.key) > (r.after_due, r.after_key)
	ORDER BY d.due_at, d.key
	LIMIT r.most) j
ORDER BY j.kind, j.lane, j.again, j.due_at, j.key`

// SQLite has no LATERAL, and its statements need no round trip, so each lane has statements of its own there. For a row
// comparison (due_at, key) > (…) SQLite would read all jobs with the same due time, which may be thousands. So the jobs
// with the due time of the position and those with a later one are read separately.
const (
	selectLaneSQL = `
SELECT key, kind, lane, again, attempts, asked, due_at, created_at, payload
FROM jobs
WHERE kind = $1
  AND lane = $2
  AND again = $3`
	sameDueJobsSQL = selectLaneSQL + `
  AND due_at = $4
  AND key > $5
ORDER BY key
LIMIT $6`
	laterDueJobsSQL = selectLaneSQL + `
  AND due_at > $4
  AND due_at <= $5
ORDER BY due_at, key
LIMIT $6`
)

// An ordered lane returns only its first job, and only if it is due. The first job is the one that was tried before or,
// if no job was tried, the one with the smallest key, since jobs that were never tried have the same due time.
const firstInOrderSQL = `
WITH r(kind, lane) AS (ROWS),
f(key) AS (
	SELECT COALESCE(
		(SELECT j.key FROM jobs j WHERE j.kind = r.kind AND j.lane = r.lane AND j.again = TRUE ORDER BY j.due_at,
			j.key LIMIT 1),
		(SELECT j.key FROM jobs j WHERE j.kind = r.kind AND j.lane = r.lane AND j.again = FALSE ORDER BY j.due_at,
			j.key LIMIT 1))
	FROM r)
SELECT j.key, j.kind, j.lane, j.again, j.attempts, j.asked, j.due_at, j.created_at, j.payload
FROM f
CROSS JOIN jobs j
WHERE j.key = f.key
  AND j.due_at <= $1
ORDER BY j.kind, j.lane, j.key`

const lockJobSQL = `
SELECT asked
FROM jobs
WHERE key = $1`

const lockJobsSQL = `
WITH r(key) AS (ROWS)
SELECT j.key, j.asked
FROM r
CROSS JOIN jobs j
WHERE j.key = r.key
ORDER BY j.key`

const existingJobsSQL = `
WITH r(key) AS (ROWS)
SELECT j.key
FROM r
CROSS JOIN jobs j
WHERE j.key = r.key
ORDER BY j.key`

const deleteJobsSQL = `
WITH r(key) AS (ROWS)
DELETE FROM jobs
WHERE key IN (SELECT key FROM r)`

const resetJobsSQL = `
WITH r(key, due_at) AS (ROWS)
UPDATE jobs
SET again = FALSE, attempts = 0, due_at = r.due_at
FROM r
WHERE jobs.key = r.key`

const rescheduleJobsSQL = `
WITH r(key, attempts, due_at) AS (ROWS)
UPDATE jobs
SET again = TRUE, attempts = r.attempts, due_at = r.due_at
FROM r
WHERE jobs.key = r.key`

// setPlannerOptions makes PostgreSQL use custom plans with index scans for the rest of the transaction.
func setPlannerOptions(ctx context.Context, q database.Querier) error {
	if q.Dialect().Engine != database.Postgres {
		return nil
	}
	var set string
	return database.QueryRow(ctx, q, plannerOptionsSQL, nil, &set)
}

func insertJobs(ctx context.Context, q database.Querier, jobs []Job, now time.Time) error {
	batch := database.NewBatch(database.Text, database.Text, database.Text, database.Bytes, database.BigInt)
	for _, j := range jobs {
		batch.Add(j.Kind, j.Lane, database.NullIfZero(j.UniqueName), j.Payload, j.DueAt.UnixMicro())
	}
	return database.ExecRows(ctx, q, insertJobsSQL, batch, now.UnixMicro())
}

// CancelLane deletes the jobs of a lane in the caller's transaction, also the parked ones, and returns the number of
// those that were not parked. A job that a node is running, or has in memory, may still run once; Complete then returns
// ErrLost.
func (q *Queue) CancelLane(ctx context.Context, tx database.Querier, kind, lane string) (int64, error) {
	if _, err := tx.Exec(ctx, deleteParkedLaneSQL, kind, lane); err != nil {
		return 0, err
	}
	return tx.Exec(ctx, deleteLaneSQL, kind, lane)
}

// makeJobsDue makes the named jobs due now, resets their attempts, and returns the names that exist.
func makeJobsDue(
	ctx context.Context, q database.Querier, kind string, unique []string, now time.Time,
) (map[string]bool, error) {
	found := make(map[string]bool, len(unique))
	err := q.QueryRows(ctx, makeJobsDueSQL, database.BatchOf(database.Text, unique), database.PutKeys(found), kind,
		now.UnixMicro())
	return found, err
}

// CountLane counts the jobs of a lane, including those that are running.
func (q *Queue) CountLane(ctx context.Context, tx database.Querier, kind, lane string) (n int64, err error) {
	err = database.QueryRow(ctx, tx, countLaneSQL, []any{kind, lane}, &n)
	return n, err
}

// countJobs returns the number of jobs of each kind.
func countJobs(ctx context.Context, q database.Querier) (map[string]int64, error) {
	counts := map[string]int64{}
	err := database.QueryEach(ctx, q, countJobsSQL, nil, database.PutPairs(counts))
	return counts, err
}

// oldestJobs returns the lanes of the jobs that were added first, with the time of the first job of each, the oldest
// first. It looks at a limited number of jobs.
func oldestJobs(ctx context.Context, q database.Querier, limit int) (found []LaneAge, err error) {
	err = database.QueryEach(ctx, q, oldestJobsSQL, []any{limit},
		database.AppendScanned(&found, func(rows database.Rows) (a LaneAge, err error) {
			err = rows.Scan(&a.kind, &a.Lane, database.Time(&a.Since))
			return a, err
		}))
	return found, err
}

// waitingLane is a lane with jobs. firstDue and retryDue are the earliest due times of its first attempts and of its
// retries, in microseconds; nil if there are none. node is the node that leases the lane; nil if there is none.
type waitingLane struct {
	laneName
	firstDue, retryDue *int64
	node               *nodeID
}

func lanesWithJobs(ctx context.Context, q database.Querier, kinds []string) (found []waitingLane, err error) {
	err = q.QueryRows(ctx, lanesWithJobsSQL, database.BatchOf(database.Text, kinds),
		database.AppendScanned(&found, func(rows database.Rows) (w waitingLane, err error) {
			err = rows.Scan(&w.kind, &w.lane, &w.firstDue, &w.retryDue, &w.node)
			return w, err
		}))
	return found, err
}

// jobRequest requests a limited number of due jobs of a lane that follow a position: either retries, or jobs that were
// never tried. For an ordered lane it requests only the first job, tried or not.
type jobRequest struct {
	laneName
	inOrder bool
	isRetry bool
	after   jobPosition
	limit   int
}

// jobPosition is the sort key of a job within its lane.
type jobPosition struct{ due, key int64 }

// dueJobs returns the requested jobs. The jobs of each lane are in order of due time. The tasks have no lease yet.
func dueJobs(ctx context.Context, q database.Querier, requests []jobRequest, now time.Time) (found []*Task, err error) {
	read := func(rows database.Rows) error {
		var t Task
		err := rows.Scan(&t.key, &t.Kind, &t.Lane, &t.isRetry, &t.Attempt, &t.timesAdded, &t.due,
			database.Time(&t.AddedAt), &t.payload)
		t.Attempt++ // the column counts the attempts so far
		found = append(found, &t)
		return err
	}
	due := database.NewBatch(database.Text, database.Text, database.Bool, database.BigInt, database.BigInt,
		database.BigInt)
	inOrder := database.NewBatch(database.Text, database.Text)
	for _, r := range requests {
		switch {
		case r.inOrder:
			inOrder.Add(r.kind, r.lane)
		case q.Dialect().Engine == database.Postgres:
			due.Add(r.kind, r.lane, r.isRetry, r.after.due, r.after.key, r.limit)
		default:
			if err := dueJobsOfLane(ctx, q, r, now, read); err != nil {
				return nil, err
			}
		}
	}

	if err := q.QueryRows(ctx, dueJobsSQL, due, read, now.UnixMicro()); err != nil {
		return nil, err
	}

	return found, q.QueryRows(ctx, firstInOrderSQL, inOrder, read, now.UnixMicro())
}

// dueJobsOfLane calls read for the jobs of one request, on SQLite.
func dueJobsOfLane(
	ctx context.Context, q database.Querier, r jobRequest, now time.Time, read func(database.Rows) error,
) error {
	left := r.limit
	count := func(rows database.Rows) error {
		left--
		return read(rows)
	}
	if r.after != (jobPosition{}) {
		args := []any{r.kind, r.lane, r.isRetry, r.after.due, r.after.key, left}
		if err := database.QueryEach(ctx, q, sameDueJobsSQL, args, count); err != nil || left == 0 {
			return err
		}
	}
	args := []any{r.kind, r.lane, r.isRetry, r.after.due, now.UnixMicro(), left}
	return database.QueryEach(ctx, q, laterDueJobsSQL, args, count)
}

// lockJob locks the job and returns how often it was added, or database.ErrNoRows.
func lockJob(ctx context.Context, q database.Querier, key int64) (timesAdded int64, err error) {
	err = database.QueryRow(ctx, q, lockJobSQL+q.Dialect().ForUpdate, []any{key}, &timesAdded)
	return timesAdded, err
}

// lockJobs locks the jobs that exist and that no other transaction has locked. It returns how often each of them was
// added.
func lockJobs(ctx context.Context, q database.Querier, keys []int64) (map[int64]int64, error) {
	timesAdded := make(map[int64]int64, len(keys))
	err := q.QueryRows(ctx, lockJobsSQL+q.Dialect().ForUpdate+q.Dialect().SkipLocked, jobKeyBatch(keys),
		database.PutPairs(timesAdded))
	return timesAdded, err
}

// existingJobs returns which of the jobs exist.
func existingJobs(ctx context.Context, q database.Querier, keys []int64) (map[int64]bool, error) {
	existing := map[int64]bool{}
	err := q.QueryRows(ctx, existingJobsSQL, jobKeyBatch(keys), database.PutKeys(existing))
	return existing, err
}

func deleteJobs(ctx context.Context, q database.Querier, keys []int64) error {
	return database.ExecRows(ctx, q, deleteJobsSQL, jobKeyBatch(keys))
}

// resetJobs makes jobs that were added again while they ran due, as if they were new. They keep their keys, and so
// their places in an ordered lane.
func resetJobs(ctx context.Context, q database.Querier, tasks []*Task, now time.Time) error {
	batch := database.NewBatch(database.BigInt, database.BigInt)
	for _, t := range tasks {
		batch.Add(t.key, t.lane.kindState.dueNow(now).UnixMicro())
	}
	return database.ExecRows(ctx, q, resetJobsSQL, batch)
}

// rescheduleJobs writes the number of attempts and the next due time of failed jobs.
func rescheduleJobs(ctx context.Context, q database.Querier, failed []result) error {
	batch := database.NewBatch(database.BigInt, database.BigInt, database.BigInt)
	for _, r := range failed {
		batch.Add(r.task.key, r.attempts, r.due.UnixMicro())
	}
	return database.ExecRows(ctx, q, rescheduleJobsSQL, batch)
}

func jobKeyBatch(keys []int64) *database.Batch { return database.BatchOf(database.BigInt, keys) }
