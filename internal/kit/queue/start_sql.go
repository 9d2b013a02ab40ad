package queue

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
)

const insertStartsSQL = `
WITH r(job_key) AS (ROWS)
INSERT INTO job_starts (job_key, node, started_at, alone)
SELECT r.job_key, $1, $2, FALSE
FROM r
WHERE TRUE
ON CONFLICT (job_key, node) DO UPDATE
SET started_at = EXCLUDED.started_at, died_at = NULL, alone = FALSE`

const deleteStartsSQL = `
WITH r(key) AS (ROWS)
DELETE FROM job_starts
WHERE job_key IN (SELECT key FROM r)`

// deleteRunningSQL keeps the deaths of the jobs.
const deleteRunningSQL = `
WITH r(job_key, node) AS (ROWS)
DELETE FROM job_starts
WHERE (job_key, node) IN (SELECT job_key, node FROM r)
  AND died_at IS NULL`

const deleteStartsOfNodeSQL = `
DELETE FROM job_starts
WHERE node = $1`

const deleteRunningOfNodeSQL = `
DELETE FROM job_starts
WHERE node = $1
  AND died_at IS NULL`

const deleteNodeDeathSQL = `
DELETE FROM node_deaths
WHERE node = $1`

const deadNodesSQL = `
SELECT id
FROM nodes
WHERE lease_until < $1
  AND id <> $2
ORDER BY id`

const allNodesSQL = `
SELECT id
FROM nodes
ORDER BY id`

const insertNodeDeathsSQL = `
WITH r(node) AS (ROWS)
INSERT INTO node_deaths (node, died_at)
SELECT r.node, $1
FROM r
WHERE TRUE
ON CONFLICT (node) DO NOTHING`

const deleteOldNodeDeathsSQL = `
DELETE FROM node_deaths
WHERE died_at < $1`

const lastNodeDeathSQL = `
SELECT COALESCE(MAX(died_at), 0)
FROM node_deaths`

// interruptedStartsSQL selects the jobs that were running on nodes that are not registered any more, with the number of
// earlier deaths of each job, and the number of deaths for which it alone is blamed.
const interruptedStartsSQL = `
SELECT s.job_key, s.node, j.kind,
	(SELECT COUNT(*) FROM job_starts e WHERE e.job_key = s.job_key AND e.died_at IS NOT NULL),
	(SELECT COUNT(*) FROM job_starts e WHERE e.job_key = s.job_key AND e.died_at IS NOT NULL AND e.alone)
FROM job_starts s
CROSS JOIN jobs j
WHERE j.key = s.job_key
  AND s.died_at IS NULL
  AND (SELECT COUNT(*) FROM nodes n WHERE n.id = s.node) = 0
ORDER BY s.node, s.job_key`

const setDiedSQL = `
WITH r(job_key, node, alone) AS (ROWS)
UPDATE job_starts
SET died_at = $1, alone = r.alone
FROM r
WHERE job_starts.job_key = r.job_key
  AND job_starts.node = r.node
  AND job_starts.died_at IS NULL`

// insertDiedSQL records that a job was running, unmarked, when its node died.
const insertDiedSQL = `
INSERT INTO job_starts (job_key, node, started_at, died_at, alone)
VALUES ($1, $2, $3, $3, TRUE)
ON CONFLICT (job_key, node) DO NOTHING`

// deleteEndedStartsSQL deletes what is recorded of jobs that do not exist any more.
const deleteEndedStartsSQL = `
DELETE FROM job_starts
WHERE (SELECT COUNT(*) FROM jobs j WHERE j.key = job_starts.job_key) = 0`

// deleteUnblamedStartsSQL deletes what is left of the starts of dead nodes after the blame was assigned: the light jobs
// that ran beside a heavy one.
const deleteUnblamedStartsSQL = `
DELETE FROM job_starts
WHERE died_at IS NULL
  AND (SELECT COUNT(*) FROM nodes n WHERE n.id = job_starts.node) = 0`

// dueInLanesSQL selects the jobs of some kinds that are due in the lanes of a node. Two of them show that there is more
// than one.
const dueInLanesSQL = `
WITH r(kind) AS (ROWS)
SELECT j.key
FROM r
CROSS JOIN lanes l
CROSS JOIN jobs j
WHERE l.node = $1
  AND l.kind = r.kind
  AND j.kind = l.kind
  AND j.lane = l.lane
  AND j.due_at <= $2
ORDER BY j.key
LIMIT 2`

const suspicionsSQL = `
SELECT s.job_key, j.kind, COUNT(*), SUM(CASE WHEN s.alone THEN 1 ELSE 0 END), MAX(s.died_at)
FROM job_starts s
CROSS JOIN jobs j
WHERE j.key = s.job_key
  AND s.died_at IS NOT NULL
GROUP BY s.job_key, j.kind
ORDER BY s.job_key`

// insertStarts records that a node starts jobs.
func insertStarts(ctx context.Context, q database.Querier, node nodeID, keys []int64, now time.Time) error {
	return database.ExecRows(ctx, q, insertStartsSQL, jobKeyBatch(keys), node, now.UnixMicro())
}

// deleteStarts clears jobs that ended: neither a running start nor a death is recorded of them any more.
func deleteStarts(ctx context.Context, q database.Querier, keys []int64) error {
	return database.ExecRows(ctx, q, deleteStartsSQL, jobKeyBatch(keys))
}

// deleteRunning deletes the running starts of attempts that were not made. The deaths of the jobs stay.
func deleteRunning(ctx context.Context, q database.Querier, tasks []*Task) error {
	batch := database.NewBatch(database.BigInt, database.UUID)
	for _, t := range tasks {
		batch.Add(t.key, t.lease.node)
	}
	return database.ExecRows(ctx, q, deleteRunningSQL, batch)
}

// deleteRunningOfNode deletes the running starts of a node that stops in order.
func deleteRunningOfNode(ctx context.Context, q database.Querier, node nodeID) error {
	return database.Exec(ctx, q, deleteRunningOfNodeSQL, node)
}

// retractDeath deletes the death of a node that turned out to be alive, and the deaths of its jobs.
func retractDeath(ctx context.Context, q database.Querier, node nodeID) error {
	if _, err := q.Exec(ctx, deleteStartsOfNodeSQL, node); err != nil {
		return err
	}
	_, err := q.Exec(ctx, deleteNodeDeathSQL, node)
	return err
}

// interruptedStart is a job that was running when its node died.
type interruptedStart struct {
	key    int64
	node   nodeID
	kind   string
	before suspicion // only the numbers of deaths
}

func interruptedStarts(ctx context.Context, q database.Querier) (found []interruptedStart, err error) {
	err = database.QueryEach(ctx, q, interruptedStartsSQL, nil,
		database.AppendScanned(&found, func(rows database.Rows) (s interruptedStart, err error) {
			err = rows.Scan(&s.key, &s.node, &s.kind, &s.before.deaths, &s.before.alone)
			return s, err
		}))
	return found, err
}

// setDied records the deaths of jobs; alone says which of them are blamed alone.
func setDied(
	ctx context.Context, q database.Querier, starts []interruptedStart, alone map[int64]bool, now time.Time,
) error {
	batch := database.NewBatch(database.BigInt, database.UUID, database.Bool)
	for _, s := range starts {
		batch.Add(s.key, s.node, alone[s.key])
	}
	return database.ExecRows(ctx, q, setDiedSQL, batch, now.UnixMicro())
}

// deleteStale deletes starts of dead nodes for which no job is blamed, starts of jobs that have ended, and old deaths
// of nodes.
func deleteStale(ctx context.Context, q database.Querier, now time.Time) error {
	for _, sql := range []string{deleteUnblamedStartsSQL, deleteEndedStartsSQL} {
		if _, err := q.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return database.Exec(ctx, q, deleteOldNodeDeathsSQL, now.Add(-nodeDeathRetention).UnixMicro())
}

// dueInLanes returns up to two jobs of the given kinds that are due in the lanes of a node.
func dueInLanes(
	ctx context.Context, q database.Querier, node nodeID, kinds []string, now time.Time,
) (keys []int64, err error) {
	err = q.QueryRows(ctx, dueInLanesSQL, database.BatchOf(database.Text, kinds),
		database.AppendScanned(&keys, func(rows database.Rows) (key int64, err error) {
			err = rows.Scan(&key)
			return key, err
		}), node, now.UnixMicro())
	return keys, err
}

func selectNodeIDs(ctx context.Context, q database.Querier, sql string, args ...any) (ids []nodeID, err error) {
	err = database.QueryEach(ctx, q, sql, args,
		database.AppendScanned(&ids, func(rows database.Rows) (node nodeID, err error) {
			err = rows.Scan(&node)
			return node, err
		}))
	return ids, err
}

func allNodes(ctx context.Context, q database.Querier) ([]nodeID, error) {
	return selectNodeIDs(ctx, q, allNodesSQL)
}

// insertDied records the death of a job whose start was not recorded.
func insertDied(ctx context.Context, q database.Querier, key int64, node nodeID, now time.Time) error {
	_, err := q.Exec(ctx, insertDiedSQL, key, node, now.UnixMicro())
	return err
}

// insertNodeDeaths records the deaths of nodes, and returns how many of them no other transaction has recorded.
func insertNodeDeaths(ctx context.Context, q database.Querier, nodes []nodeID, now time.Time) (int64, error) {
	batch := database.NewBatch(database.UUID)
	for _, node := range nodes {
		batch.Add(node)
	}
	return q.ExecRows(ctx, insertNodeDeathsSQL, batch, now.UnixMicro())
}

// lastNodeDeath returns when the death of a node was last recorded; zero if none is.
func lastNodeDeath(ctx context.Context, q database.Querier) (time.Time, error) {
	var at int64
	if err := database.QueryRow(ctx, q, lastNodeDeathSQL, nil, &at); err != nil || at == 0 {
		return time.Time{}, err
	}
	return time.UnixMicro(at), nil
}

// selectSuspicions returns the jobs that were running when a node died, by key.
func selectSuspicions(ctx context.Context, q database.Querier) (map[int64]suspicion, error) {
	found := map[int64]suspicion{}
	err := database.QueryEach(ctx, q, suspicionsSQL, nil, func(rows database.Rows) error {
		var key int64
		var s suspicion
		err := rows.Scan(&key, &s.kind, &s.deaths, &s.alone, database.Time(&s.last))
		found[key] = s
		return err
	})
	return found, err
}
