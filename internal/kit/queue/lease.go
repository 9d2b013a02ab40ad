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

// membership registers this node, renews its lease, and removes dead nodes.
type membership struct {
	*core
	// node is the id of this process in the table nodes, zero while it is not registered.
	node nodeID
	// lostNodes are earlier ids of this process under which other nodes may have recorded its death.
	lostNodes []nodeID
}

// leaseExpiry returns the expiry time of a lease that is renewed now.
func (m *membership) leaseExpiry() time.Time {
	if m.DB.Engine() == database.SQLite {
		return m.Now().Add(sqliteLeaseDuration)
	}
	return m.Now().Add(m.timings.leaseDuration)
}

// register inserts this process into the table nodes under a new id, so that leases of an earlier registration are
// never mistaken for its own. When the process starts (atStart) and uses SQLite, register also removes all other nodes
// and frees their lanes.
func (m *membership) register(ctx context.Context, atStart bool) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()

	node := id.New[nodeTag]()
	m.mu.Lock()
	lost := slices.Clone(m.lostNodes)
	m.mu.Unlock()

	err := m.DB.Write(ctx, func(tx database.Querier) error {
		for _, earlier := range lost { // at most one, unless the last registrations have failed
			if err := retractDeath(ctx, tx, earlier); err != nil {
				return err
			}
		}

		if atStart && m.DB.Engine() == database.SQLite {
			if err := m.buryAllNodes(ctx, tx); err != nil {
				return err
			}
		}

		return insertNode(ctx, tx, node, m.leaseExpiry(), m.Program)
	})
	if err != nil {
		return err
	}

	m.mu.Lock()
	m.node = node
	m.lostNodes = nil
	m.mu.Unlock()
	m.Wake()

	return nil
}

// buryAllNodes removes all nodes and lanes. It is for SQLite: one process owns the file, so all other nodes are dead.
func (m *membership) buryAllNodes(ctx context.Context, tx database.Querier) error {
	dead, err := allNodes(ctx, tx)
	if err != nil {
		return err
	}
	return m.buryNodes(ctx, tx, dead, m.Now(), func() error { return deleteNodesAndLanes(ctx, tx) })
}

// renewLoop renews the node's lease until ctx ends. It registers the node again if other nodes have removed it as dead.
func (m *membership) renewLoop(ctx context.Context) {
	tick := time.NewTicker(m.timings.renewInterval)
	defer tick.Stop()
	var failures failureLog
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		failures.report(ctx, m.Log, "cannot renew the node's lease on background jobs; retrying", m.renewLease(ctx))
	}
}

func (m *membership) renewLease(ctx context.Context) error {
	m.mu.Lock()
	node := m.node
	m.mu.Unlock()
	if node.IsZero() {
		return m.register(ctx, false)
	}

	alive, err := m.renewNode(ctx, node)
	if err != nil || alive {
		return err
	}

	m.Log.WarnContext(ctx, "the node's lease on background jobs has expired; its running jobs are run again")
	m.dropAllLanes(ErrLost)
	m.mu.Lock()
	m.lostNodes = append(m.lostNodes, node) // this process is alive: no job has killed it
	m.mu.Unlock()

	return m.register(ctx, false)
}

// renewNode renews the node's lease and reports whether the node is still registered. On SQLite it only reads: the
// lease does not expire, and a write every few seconds would keep the disk awake.
func (m *membership) renewNode(ctx context.Context, node nodeID) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	if m.DB.Engine() == database.SQLite {
		return database.Read(ctx, m.DB, func(tx database.Querier) (bool, error) { return nodeExists(ctx, tx, node) })
	}
	return database.Write(ctx, m.DB, func(tx database.Querier) (bool, error) {
		return renewNode(ctx, tx, node, m.leaseExpiry())
	})
}

// dropAllLanes drops all lanes of this node, cancels their attempts with the given cause, and returns the id that the
// node had.
func (m *membership) dropAllLanes(cause error) nodeID {
	m.mu.Lock()
	defer m.mu.Unlock()
	node := m.node
	m.node = nodeID{}
	for l := range m.leasedLanes() {
		l.kindState.dropLane(l, cause)
	}
	return node
}

// deregister releases all lanes and removes the node, so that other nodes need not wait for the lease to expire.
func (m *membership) deregister(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, shutdownTimeout)
	defer cancel()
	node := m.dropAllLanes(context.Canceled)
	err := m.DB.Write(ctx, func(tx database.Querier) error { return deleteNode(ctx, tx, node) })
	if err != nil {
		m.Log.WarnContext(ctx, "cannot release the node's lease on background jobs; it will expire", "error", err)
	}
}
