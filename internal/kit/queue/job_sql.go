package queue

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
)

// PostgreSQL keeps plans, and jobs come and go: one made while there were none would read the whole table at each step. It takes a walk for
// much longer than it is, and would rather read the table than look its jobs up, or compile it first. The settings last until the end of
// the transaction.
const plannerOptionsSQL = `
SELECT set_config('plan_cache_mode', 'force_custom_plan', TRUE) || set_config('enable_hashjoin', 'off', TRUE)
	|| set_config('enable_mergejoin', 'off', TRUE) || set_config('enable_seqscan', 'off', TRUE) || set_config('enable_bitmapscan', 'off', TRUE)
	|| set_config('jit', 'off', TRUE)`

const insertJobsSQL = `
WITH r(kind, lane, unique_name, payload, due_at) AS (ROWS)
INSERT INTO jobs (kind, lane, unique_name, payload, again, attempts, asked, due_at, created_at)
SELECT kind, lane, unique_name, payload, FALSE, 0, 1, due_at, $1
FROM r
WHERE TRUE
ON CONFLICT (kind, unique_name) WHERE unique_name IS NOT NULL DO UPDATE
SET asked = jobs.asked + 1`

const deleteLaneSQL = `
DELETE FROM jobs
WHERE kind = $1
  AND lane = $2`

const deleteUniqueSQL = `
DELETE FROM jobs
WHERE kind = $1
  AND unique_name = $2`

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

// It walks from lane to lane, and so costs as much for a lane with a million jobs as for one with a single job.
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
	(SELECT j.due_at FROM jobs j WHERE j.kind = w.kind AND j.lane = w.lane AND j.again = FALSE ORDER BY j.due_at LIMIT 1),
	(SELECT j.due_at FROM jobs j WHERE j.kind = w.kind AND j.lane = w.lane AND j.again = TRUE ORDER BY j.due_at LIMIT 1),
	(SELECT l.node FROM lanes l WHERE l.kind = w.kind AND l.lane = w.lane)
FROM walk w
WHERE w.lane IS NOT NULL
ORDER BY w.kind, w.lane`

// It walks the jobs of each lane in the order in which they are due, from where and as far as the lane wants. A job behind another is one that is due
// at the same time and has a larger key, or the first that is due later: SQLite would read all that are due at the same time for
// (due_at, key) > (…), and they may be thousands.
const dueJobsSQL = `
WITH RECURSIVE r(kind, lane, again, after_due, after_key, most) AS (ROWS),
walk(kind, lane, again, most, number, key) AS (
	SELECT r.kind, r.lane, r.again, r.most, 1, COALESCE((
		SELECT j.key
		FROM jobs j
		WHERE j.kind = r.kind AND j.lane = r.lane AND j.again = r.again AND j.due_at = r.after_due AND j.key > r.after_key
		ORDER BY j.key
		LIMIT 1), (
		SELECT j.key
		FROM jobs j
		WHERE j.kind = r.kind AND j.lane = r.lane AND j.again = r.again AND j.due_at > r.after_due AND j.due_at <= $1
		ORDER BY j.due_at, j.key
		LIMIT 1))
	FROM r
	UNION ALL
	SELECT w.kind, w.lane, w.again, w.most, w.number + 1, COALESCE((
		SELECT j.key
		FROM jobs j
		WHERE j.kind = w.kind AND j.lane = w.lane AND j.again = w.again AND j.due_at = (SELECT p.due_at FROM jobs p WHERE p.key = w.key) AND j.key > w.key
		ORDER BY j.key
		LIMIT 1), (
		SELECT j.key
		FROM jobs j
		WHERE j.kind = w.kind AND j.lane = w.lane AND j.again = w.again AND j.due_at > (SELECT p.due_at FROM jobs p WHERE p.key = w.key) AND j.due_at <= $1
		ORDER BY j.due_at, j.key
		LIMIT 1))
	FROM walk w
	WHERE w.key IS NOT NULL
	  AND w.number < w.most)
SELECT j.key, j.kind, j.lane, j.again, j.attempts, j.asked, j.due_at, j.created_at, j.payload
FROM walk w
CROSS JOIN jobs j
WHERE j.key = w.key
ORDER BY j.kind, j.lane, j.again, j.due_at, j.key`

// The same for PostgreSQL, which reads a lane's jobs in one go; SQLite has no LATERAL.
const dueJobsLateralSQL = `
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

// An ordered lane gives its first job, if that is due: the one that was tried already, and else, since all are due at one time then, the one
// with the least key.
const firstInOrderSQL = `
WITH r(kind, lane) AS (ROWS),
f(key) AS (
	SELECT COALESCE(
		(SELECT j.key FROM jobs j WHERE j.kind = r.kind AND j.lane = r.lane AND j.again = TRUE ORDER BY j.due_at, j.key LIMIT 1),
		(SELECT j.key FROM jobs j WHERE j.kind = r.kind AND j.lane = r.lane AND j.again = FALSE ORDER BY j.due_at, j.key LIMIT 1))
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

// setPlannerOptions has PostgreSQL plan the statements that follow by how large the table is now, and look jobs up by their keys.
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
		var unique *string
		if j.Unique != "" {
			unique = &j.Unique
		}
		batch.Add(j.Kind, j.Lane, unique, j.Payload, j.DueAt.UnixMicro())
	}
	_, err := q.ExecRows(ctx, insertJobsSQL, batch, now.UnixMicro())
	return err
}

func deleteLane(ctx context.Context, q database.Querier, kind, lane string) (int64, error) {
	return q.Exec(ctx, deleteLaneSQL, kind, lane)
}

func deleteUnique(ctx context.Context, q database.Querier, kind, unique string) (int64, error) {
	return q.Exec(ctx, deleteUniqueSQL, kind, unique)
}

// makeJobsDue makes jobs due now, with all of their schedule before them, and returns the names of those that there are.
func makeJobsDue(ctx context.Context, q database.Querier, kind string, unique []string, now time.Time) (map[string]bool, error) {
	batch := database.NewBatch(database.Text)
	for _, name := range unique {
		batch.Add(name)
	}
	found := make(map[string]bool, len(unique))
	err := q.QueryRows(ctx, makeJobsDueSQL, batch, func(rows database.Rows) error {
		var name string
		err := rows.Scan(&name)
		found[name] = true
		return err
	}, kind, now.UnixMicro())
	return found, err
}

func countLane(ctx context.Context, q database.Querier, kind, lane string) (n int64, err error) {
	err = database.QueryRow(ctx, q, countLaneSQL, []any{kind, lane}, &n)
	return n, err
}

// countJobs returns how many jobs there are of each kind.
func countJobs(ctx context.Context, q database.Querier) (map[string]int64, error) {
	counts := map[string]int64{}
	err := database.Each(ctx, q, countJobsSQL, nil, func(rows database.Rows) error {
		var kind string
		var n int64
		err := rows.Scan(&kind, &n)
		counts[kind] = n
		return err
	})
	return counts, err
}

// waitingLane is a lane that has jobs: when the first of those never tried and of the others is due, in microseconds, and who has the lane.
type waitingLane struct {
	laneName
	firstDue, retryDue *int64
	node               *nodeID
}

func lanesWithJobs(ctx context.Context, q database.Querier, kinds []string) (found []waitingLane, err error) {
	batch := database.NewBatch(database.Text)
	for _, k := range kinds {
		batch.Add(k)
	}
	err = q.QueryRows(ctx, lanesWithJobsSQL, batch, func(rows database.Rows) error {
		var w waitingLane
		err := rows.Scan(&w.kind, &w.lane, &w.firstDue, &w.retryDue, &w.node)
		found = append(found, w)
		return err
	})
	return found, err
}

// jobRequest asks for the first jobs of a lane that are due and come behind a position, at most so many. In order it asks for the very first, whether
// it was tried or not.
type jobRequest struct {
	laneName
	inOrder bool
	isRetry bool
	after   jobPosition
	limit   int
}

// jobPosition is where a job stands among those of its lane.
type jobPosition struct{ due, key int64 }

// dueJobs returns what is asked for, the jobs of each lane in the order in which they are due. The tasks have no lease yet.
func dueJobs(ctx context.Context, q database.Querier, requests []jobRequest, now time.Time) (found []*Task, err error) {
	due := database.NewBatch(database.Text, database.Text, database.Bool, database.BigInt, database.BigInt, database.BigInt)
	inOrder := database.NewBatch(database.Text, database.Text)
	for _, r := range requests {
		if r.inOrder {
			inOrder.Add(r.kind, r.lane)
		} else {
			due.Add(r.kind, r.lane, r.isRetry, r.after.due, r.after.key, r.limit)
		}
	}
	read := func(rows database.Rows) error {
		var t Task
		var attempts int
		var added int64
		err := rows.Scan(&t.key, &t.Kind, &t.Lane, &t.isRetry, &attempts, &t.asked, &t.due, &added, &t.Payload)
		t.Attempt, t.AddedAt = attempts+1, time.UnixMicro(added)
		found = append(found, &t)
		return err
	}
	sql := dueJobsSQL
	if q.Dialect().Engine == database.Postgres {
		sql = dueJobsLateralSQL
	}
	if err := q.QueryRows(ctx, sql, due, read, now.UnixMicro()); err != nil {
		return nil, err
	}
	return found, q.QueryRows(ctx, firstInOrderSQL, inOrder, read, now.UnixMicro())
}

// lockJob returns how often the job was asked for, or database.ErrNoRows, and locks it.
func lockJob(ctx context.Context, q database.Querier, key int64) (asked int64, err error) {
	err = database.QueryRow(ctx, q, lockJobSQL+q.Dialect().ForUpdate, []any{key}, &asked)
	return asked, err
}

// lockJobs locks those of the jobs that nobody else has locked, and returns how often each was asked for.
func lockJobs(ctx context.Context, q database.Querier, keys []int64) (map[int64]int64, error) {
	asked := make(map[int64]int64, len(keys))
	err := q.QueryRows(ctx, lockJobsSQL+q.Dialect().ForUpdate+q.Dialect().SkipLocked, keyBatch(keys), func(rows database.Rows) error {
		var key, n int64
		err := rows.Scan(&key, &n)
		asked[key] = n
		return err
	})
	return asked, err
}

// existingJobs returns those of the jobs that exist.
func existingJobs(ctx context.Context, q database.Querier, keys []int64) (map[int64]bool, error) {
	existing := map[int64]bool{}
	err := q.QueryRows(ctx, existingJobsSQL, keyBatch(keys), func(rows database.Rows) error {
		var key int64
		err := rows.Scan(&key)
		existing[key] = true
		return err
	})
	return existing, err
}

func deleteJobs(ctx context.Context, q database.Querier, keys []int64) error {
	_, err := q.ExecRows(ctx, deleteJobsSQL, keyBatch(keys))
	return err
}

// resetJobs makes jobs as if they had just been added; in an ordered lane they keep their turn.
func resetJobs(ctx context.Context, q database.Querier, tasks []*Task, now time.Time) error {
	batch := database.NewBatch(database.BigInt, database.BigInt)
	for _, t := range tasks {
		batch.Add(t.key, t.lane.kindState.dueNow(now).UnixMicro())
	}
	_, err := q.ExecRows(ctx, resetJobsSQL, batch)
	return err
}

// rescheduleJobs notes attempts that failed, and when the next are due.
func rescheduleJobs(ctx context.Context, q database.Querier, failed []result) error {
	batch := database.NewBatch(database.BigInt, database.BigInt, database.BigInt)
	for _, r := range failed {
		batch.Add(r.task.key, r.attempts, r.due.UnixMicro())
	}
	_, err := q.ExecRows(ctx, rescheduleJobsSQL, batch)
	return err
}

func keyBatch(keys []int64) *database.Batch {
	batch := database.NewBatch(database.BigInt)
	for _, key := range keys {
		batch.Add(key)
	}
	return batch
}
