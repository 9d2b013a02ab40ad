package queue

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
)

const insertNodeSQL = `
INSERT INTO nodes (id, lease_until, program)
VALUES ($1, $2, $3)`

const renewNodeSQL = `
UPDATE nodes
SET lease_until = $2
WHERE id = $1`

const nodeExistsSQL = `
SELECT COUNT(*)
FROM nodes
WHERE id = $1`

const deleteNodeSQL = `
DELETE FROM nodes
WHERE id = $1`

const deleteNodesSQL = `
DELETE FROM nodes`

const deleteDeadNodesSQL = `
DELETE FROM nodes
WHERE lease_until < $1
  AND id <> $2`

const listNodesSQL = `
SELECT n.id, n.lease_until, (SELECT COUNT(*) FROM lanes l WHERE l.node = n.id)
FROM nodes n
ORDER BY n.id`

const insertLanesSQL = `
WITH r(kind, lane) AS (ROWS)
INSERT INTO lanes (kind, lane, node, epoch)
SELECT kind, lane, $1, $2
FROM r
WHERE TRUE
ON CONFLICT (kind, lane) DO NOTHING
RETURNING kind, lane`

const lockLanesSQL = `
WITH r(kind, lane) AS (ROWS)
SELECT l.kind, l.lane, l.node, l.epoch
FROM r
CROSS JOIN lanes l
WHERE l.kind = r.kind
  AND l.lane = r.lane
ORDER BY l.kind, l.lane`

const deleteLanesSQL = `
WITH r(kind, lane) AS (ROWS)
DELETE FROM lanes
WHERE (kind, lane) IN (SELECT kind, lane FROM r)
  AND node = $1`

const deleteLanesOfNodeSQL = `
DELETE FROM lanes
WHERE node = $1`

const deleteAllLanesSQL = `
DELETE FROM lanes`

// freeOrphanLanes inserts FOR UPDATE SKIP LOCKED between the two parts. It skips lanes that a running transaction of a
// dead node has locked with Fence; a poll after the end of that transaction frees them.
const deleteOrphansHead, deleteOrphansTail = `
DELETE FROM lanes
WHERE (kind, lane) IN (
	SELECT l.kind, l.lane
	FROM lanes l
	WHERE (SELECT COUNT(*) FROM nodes n WHERE n.id = l.node) = 0
	ORDER BY l.kind, l.lane`, `)`

// insertNode registers a node.
func insertNode(ctx context.Context, q database.Querier, node nodeID, until time.Time, program string) error {
	return database.Exec(ctx, q, insertNodeSQL, node, until.UnixMicro(), program)
}

// deleteNodesAndLanes removes all nodes and frees all lanes.
func deleteNodesAndLanes(ctx context.Context, q database.Querier) error {
	if _, err := q.Exec(ctx, deleteNodesSQL); err != nil {
		return err
	}
	return database.Exec(ctx, q, deleteAllLanesSQL)
}

// renewNode extends the lease and reports whether the node was still registered.
func renewNode(ctx context.Context, q database.Querier, node nodeID, until time.Time) (bool, error) {
	n, err := q.Exec(ctx, renewNodeSQL, node, until.UnixMicro())
	return n == 1, err
}

func nodeExists(ctx context.Context, q database.Querier, node nodeID) (bool, error) {
	var n int
	err := database.QueryRow(ctx, q, nodeExistsSQL, []any{node}, &n)
	return n > 0, err
}

// deleteNode releases all lanes of the node and removes it. Its unfinished jobs were interrupted, which is no death.
func deleteNode(ctx context.Context, q database.Querier, node nodeID) error {
	if err := deleteRunningOfNode(ctx, q, node); err != nil {
		return err
	}
	if _, err := q.Exec(ctx, deleteLanesOfNodeSQL, node); err != nil {
		return err
	}
	return database.Exec(ctx, q, deleteNodeSQL, node)
}

// registeredNode is a row of nodes with the number of lanes that the node leases.
type registeredNode struct {
	id    nodeID
	until int64 // in microseconds
	lanes int
}

func listNodes(ctx context.Context, q database.Querier) (found []registeredNode, err error) {
	err = database.QueryEach(ctx, q, listNodesSQL, nil,
		database.AppendScanned(&found, func(rows database.Rows) (n registeredNode, err error) {
			err = rows.Scan(&n.id, &n.until, &n.lanes)
			return n, err
		}))
	return found, err
}

// freeOrphanLanes removes the nodes whose lease has expired and records their deaths, and frees all lanes of nodes that
// are not registered.
func (m *membership) freeOrphanLanes(ctx context.Context, tx database.Querier, self nodeID, now time.Time) error {
	dead, err := selectNodeIDs(ctx, tx, deadNodesSQL, now.UnixMicro(), self)
	if err != nil {
		return err
	}
	err = m.buryNodes(ctx, tx, dead, now, func() error {
		return database.Exec(ctx, tx, deleteDeadNodesSQL, now.UnixMicro(), self)
	})
	if err != nil {
		return err
	}
	return database.Exec(ctx, tx, deleteOrphansHead+tx.Dialect().ForUpdate+tx.Dialect().SkipLocked+deleteOrphansTail)
}

// insertLanes leases the lanes that no node holds and returns their leases.
func insertLanes(
	ctx context.Context, q database.Querier, names []laneName, node nodeID, epoch int64,
) (leased []lease, err error) {
	err = q.QueryRows(ctx, insertLanesSQL, laneBatch(names), func(rows database.Rows) error {
		l := lease{node: node, epoch: epoch}
		err := rows.Scan(&l.kind, &l.lane)
		leased = append(leased, l)
		return err
	}, node, epoch)
	return leased, err
}

// lockLanes returns which of the leases are still held, and locks their rows until the transaction ends, so that no
// other node can take over the lanes. No two leases may be of the same lane.
func lockLanes(ctx context.Context, q database.Querier, leases []lease) (map[lease]bool, error) {
	names := make([]laneName, len(leases))
	for i, l := range leases {
		names[i] = l.laneName
	}
	held := make(map[lease]bool, len(leases))
	err := q.QueryRows(ctx, lockLanesSQL+q.Dialect().ForKeyShare, laneBatch(names), func(rows database.Rows) error {
		var l lease
		err := rows.Scan(&l.kind, &l.lane, &l.node, &l.epoch)
		held[l] = true
		return err
	})
	return held, err
}

func deleteLanes(ctx context.Context, q database.Querier, names []laneName, node nodeID) error {
	return database.ExecRows(ctx, q, deleteLanesSQL, laneBatch(names), node)
}

func laneBatch(names []laneName) *database.Batch {
	batch := database.NewBatch(database.Text, database.Text)
	for _, n := range names {
		batch.Add(n.kind, n.lane)
	}
	return batch
}
