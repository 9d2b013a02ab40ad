package queue

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
)

// sqliteLeaseDuration is practically unlimited: a single process owns the SQLite file, so no other node waits for the
// lease to expire.
const sqliteLeaseDuration = 100 * 365 * 24 * time.Hour

// writeTimeout limits one transaction of the queue itself, shutdownTimeout the writes during shutdown.
const (
	writeTimeout    = 30 * time.Second
	shutdownTimeout = 10 * time.Second
)

// leaseExpiry returns the expiry time of a lease that is renewed now.
func (q *Queue) leaseExpiry() time.Time {
	if q.DB.Engine() == database.SQLite {
		return q.Now().Add(sqliteLeaseDuration)
	}
	return q.Now().Add(q.timings.leaseDuration)
}

// register inserts this process into the table nodes under a new id, so that leases of an earlier registration are
// never mistaken for its own. When the process starts (atStart) and uses SQLite, register also removes all other nodes
// and frees their lanes.
func (q *Queue) register(ctx context.Context, atStart bool) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()

	node := id.New[nodeTag]()
	q.mu.Lock()
	lost := slices.Clone(q.lostNodes)
	q.mu.Unlock()

	err := q.DB.Write(ctx, func(tx database.Querier) error {
		for _, earlier := range lost { // at most one, unless the last registrations have failed
			if err := retractDeath(ctx, tx, earlier); err != nil {
				return err
			}
		}

		if atStart && q.DB.Engine() == database.SQLite {
			if err := q.buryAllNodes(ctx, tx); err != nil {
				return err
			}
		}

		return insertNode(ctx, tx, node, q.leaseExpiry(), q.Program)
	})
	if err != nil {
		return err
	}

	q.mu.Lock()
	q.node = node
	q.lostNodes = nil
	q.mu.Unlock()
	q.Wake()

	return nil
}

// buryAllNodes removes all nodes and lanes. It is for SQLite: one process owns the file, so all other nodes are dead.
func (q *Queue) buryAllNodes(ctx context.Context, tx database.Querier) error {
	dead, err := allNodes(ctx, tx)
	if err != nil {
		return err
	}
	return q.buryNodes(ctx, tx, dead, q.Now(), func() error { return deleteNodesAndLanes(ctx, tx) })
}

// renewLoop renews the node's lease until ctx ends. It registers the node again if other nodes have removed it as dead.
func (q *Queue) renewLoop(ctx context.Context) {
	tick := time.NewTicker(q.timings.renewInterval)
	defer tick.Stop()
	var failures failureLog
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		failures.report(ctx, q.Log, "cannot renew the node's lease on background jobs; retrying", q.renewLease(ctx))
	}
}

func (q *Queue) renewLease(ctx context.Context) error {
	q.mu.Lock()
	node := q.node
	q.mu.Unlock()
	if node.IsZero() {
		return q.register(ctx, false)
	}

	alive, err := q.renewNode(ctx, node)
	if err != nil || alive {
		return err
	}

	q.Log.WarnContext(ctx, "the node's lease on background jobs has expired; its running jobs are run again")
	q.dropAllLanes(ErrLost)
	q.mu.Lock()
	q.lostNodes = append(q.lostNodes, node) // this process is alive: no job has killed it
	q.mu.Unlock()

	return q.register(ctx, false)
}

// renewNode renews the node's lease and reports whether the node is still registered. On SQLite it only reads: the
// lease does not expire, and a write every few seconds would keep the disk awake.
func (q *Queue) renewNode(ctx context.Context, node nodeID) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	if q.DB.Engine() == database.SQLite {
		return database.Read(ctx, q.DB, func(tx database.Querier) (bool, error) { return nodeExists(ctx, tx, node) })
	}
	return database.Write(ctx, q.DB, func(tx database.Querier) (bool, error) {
		return renewNode(ctx, tx, node, q.leaseExpiry())
	})
}

// dropAllLanes drops all lanes of this node, cancels their attempts with the given cause, and returns the id that the
// node had.
func (q *Queue) dropAllLanes(cause error) nodeID {
	q.mu.Lock()
	defer q.mu.Unlock()
	node := q.node
	q.node = nodeID{}
	for l := range q.leasedLanes() {
		l.kindState.dropLane(l, cause)
	}
	return node
}

// deregister releases all lanes and removes the node, so that other nodes need not wait for the lease to expire.
func (q *Queue) deregister(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, shutdownTimeout)
	defer cancel()
	node := q.dropAllLanes(context.Canceled)
	err := q.DB.Write(ctx, func(tx database.Querier) error { return deleteNode(ctx, tx, node) })
	if err != nil {
		q.Log.WarnContext(ctx, "cannot release the node's lease on background jobs; it will expire", "error", err)
	}
}
