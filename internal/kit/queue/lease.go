package queue

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
)

// sqliteLeaseDuration is how long the lease of a SQLite node lasts: one process owns the file, so nobody waits for it to end.
const sqliteLeaseDuration = 100 * 365 * 24 * time.Hour

// writeTimeout bounds one write of the queue's own, shutdownTimeout what is still written once the program is told to stop.
const (
	writeTimeout    = 30 * time.Second
	shutdownTimeout = 10 * time.Second
)

// leaseExpiry is until when a lease holds that is renewed now.
func (q *Queue) leaseExpiry() time.Time {
	if q.DB.Engine() == database.SQLite {
		return q.Now().Add(sqliteLeaseDuration)
	}
	return q.Now().Add(q.timings.leaseDuration)
}

// register makes this process a node, under a new id: leases of a former one are never taken for its own. At the start of a SQLite node
// (first), all that others had is free at once.
func (q *Queue) register(ctx context.Context, atStart bool) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	node := id.New[nodeTag]()
	err := q.DB.Write(ctx, func(tx database.Querier) error {
		return insertNode(ctx, tx, node, q.leaseExpiry(), atStart && q.DB.Engine() == database.SQLite)
	})
	if err != nil {
		return err
	}
	q.mu.Lock()
	q.node = node
	q.mu.Unlock()
	q.Wake()
	return nil
}

// renewLoop renews the lease of this node until ctx ends, and registers anew where others have taken the node for dead.
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
	q.dropAllLanes()
	return q.register(ctx, false)
}

// renewNode reports whether the node is still registered. On SQLite there is nothing to renew: a write each few seconds would keep
// the disk from resting.
func (q *Queue) renewNode(ctx context.Context, node nodeID) (alive bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	if q.DB.Engine() == database.SQLite {
		err = q.DB.Read(ctx, func(tx database.Querier) error {
			alive, err = nodeExists(ctx, tx, node)
			return err
		})
		return alive, err
	}
	err = q.DB.Write(ctx, func(tx database.Querier) error {
		alive, err = renewNode(ctx, tx, node, q.leaseExpiry())
		return err
	})
	return alive, err
}

// dropAllLanes ends the attempts at everything that this node had.
func (q *Queue) dropAllLanes() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.node = nodeID{}
	for _, ks := range q.kinds {
		for _, l := range ks.lanes {
			ks.dropLane(l, ErrLost)
		}
	}
}

// deregister gives everything back, so that others need not wait for the lease to end.
func (q *Queue) deregister(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, shutdownTimeout)
	defer cancel()
	q.mu.Lock()
	node := q.node
	q.node = nodeID{}
	for _, ks := range q.kinds {
		for _, l := range ks.lanes {
			ks.dropLane(l, context.Canceled)
		}
	}
	q.mu.Unlock()
	err := q.DB.Write(ctx, func(tx database.Querier) error { return deleteNode(ctx, tx, node) })
	if err != nil {
		q.Log.WarnContext(ctx, "cannot release the node's lease on background jobs; it will expire", "error", err)
	}
}
