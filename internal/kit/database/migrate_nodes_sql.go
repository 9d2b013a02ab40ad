package database

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Each node has a row in the table nodes, which package queue writes. A node runs only on a database that has all of
// its migrations. So a node that runs while migrations are pending is older than these.
const liveNodesSQL = `
SELECT CAST(id AS text), lease_until, program
FROM nodes
WHERE lease_until > $1
ORDER BY id`

// nodePause is the time between two looks at the leases.
const nodePause = 250 * time.Millisecond

// liveNode is a node and its lease.
type liveNode struct {
	id         string
	leaseUntil int64
	program    string // "" if unknown
}

// String returns the id of the node, and what program it is.
func (n liveNode) String() string {
	if n.program == "" {
		return "node " + n.id
	}
	return fmt.Sprintf("node %s (%s)", n.id, n.program)
}

// liveNodes returns the nodes of PostgreSQL whose leases end after a time, in microseconds.
func liveNodes(ctx context.Context, pool *sql.DB, after int64) (live []liveNode, err error) {
	rows, err := pool.QueryContext(ctx, liveNodesSQL, after)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var n liveNode
		var program sql.NullString
		if err := rows.Scan(&n.id, &n.leaseUntil, &program); err != nil {
			return nil, err
		}
		n.program = program.String
		live = append(live, n)
	}
	return live, rows.Err()
}

// RunningNodes describes the nodes that run on a database. A node that was killed is among them for a few seconds.
func (db *DB) RunningNodes(ctx context.Context) ([]string, error) { return db.runningNodes(ctx, 1) }

// runningNodes describes the nodes that run on a database with this version of the schema.
func (db *DB) runningNodes(ctx context.Context, version int64) (running []string, err error) {
	if e, ok := db.engine.(*sqliteEngine); ok {
		return e.runningServer() // leases on SQLite do not expire
	}
	if version == 0 {
		return nil, nil // there is no table
	}

	err = db.Read(ctx, func(q Querier) error {
		running = nil
		now, err := selectServerTime(ctx, q)
		if err != nil {
			return err
		}

		return QueryEach(ctx, q, liveNodesSQL, []any{now.UnixMicro()}, func(r Rows) error {
			var n liveNode
			var program *string
			if err := r.Scan(&n.id, &n.leaseUntil, &program); err != nil {
				return err
			}

			if program != nil {
				n.program = *program
			}

			running = append(running, n.String())
			return nil
		})
	})

	return running, err
}

// excludeIncompatible returns an error if older nodes run and a pending migration is not compatible with them.
// Otherwise the caller may migrate until it calls release.
func (m *migrator) excludeIncompatible(ctx context.Context, status SchemaStatus) (release func() error, err error) {
	incompatible := status.Incompatible()
	if len(incompatible) == 0 {
		return func() error { return nil }, nil
	}
	release, err = m.excludeOlder(ctx, status.Version)
	if err != nil {
		return nil, fmt.Errorf("%w. They cannot run beside %s of this version. Nothing was changed. Stop them all, "+
			"then "+
			"run vitrine migrate or start this version; vitrine migrate --status lists the migrations and the nodes",
			err,
			numbered(incompatible))
	}
	return release, nil
}

// numbered returns words such as "the migration 5" or "the migrations 5, 6".
func numbered(numbers []int64) string {
	var words []string
	for _, n := range numbers {
		words = append(words, strconv.FormatInt(n, 10))
	}
	if len(words) == 1 {
		return "the migration " + words[0]
	}
	return "the migrations " + strings.Join(words, ", ")
}

// waitForNodes returns ErrOlderNodes if a node of PostgreSQL runs. A node writes its lease with its own clock, which
// may differ from the clock of this process. So a node whose lease is renewed while waitForNodes looks is alive,
// whatever the lease says. A node that was killed has a lease for a few seconds, which it does not renew: waitForNodes
// waits until it has expired.
func (m *migrator) waitForNodes(ctx context.Context, version int64) (release func() error, err error) {
	if version == 0 {
		return func() error { return nil }, nil // there is no table
	}

	before, err := liveNodes(ctx, m.pool, anyLease)
	if err != nil {
		return nil, err
	}

	start := time.Now()
	for now := before; len(now) > 0; {
		unexpired := unexpiredNodes(now)
		if len(unexpired) == 0 && time.Since(start) >= m.renewalWait {
			break
		}
		if len(unexpired) > 0 && time.Since(start) > m.nodeWait {
			return nil, fmt.Errorf("%w: %s", ErrOlderNodes, describeNodes(unexpired))
		}

		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(nodePause):
		}

		now, err = liveNodes(ctx, m.pool, anyLease)
		if err != nil {
			return nil, err
		}
		if renewed := renewedNodes(before, now); len(renewed) > 0 {
			return nil, fmt.Errorf("%w: %s", ErrOlderNodes, describeNodes(renewed))
		}
	}

	return func() error { return nil }, nil
}

// anyLease makes liveNodes return all nodes.
const anyLease = 0

// renewedNodes returns the nodes that are new, or have another lease than before.
func renewedNodes(before, now []liveNode) (renewed []liveNode) {
	for _, n := range now {
		if !slices.Contains(before, n) {
			renewed = append(renewed, n)
		}
	}
	return renewed
}

// unexpiredNodes returns the nodes whose leases have not expired by the clock of this process.
func unexpiredNodes(nodes []liveNode) (unexpired []liveNode) {
	now := time.Now().UnixMicro()
	for _, n := range nodes {
		if n.leaseUntil > now {
			unexpired = append(unexpired, n)
		}
	}
	return unexpired
}

func describeNodes(live []liveNode) string {
	var words []string
	for _, n := range live {
		words = append(words, n.String())
	}
	return strings.Join(words, "; ")
}

// warnOfOlderNodes logs an error if older nodes run beside migrations that are not compatible: they started after
// excludeIncompatible had looked. Nodes of this version wait with their start until the migration has ended.
func (m *migrator) warnOfOlderNodes(ctx context.Context, before SchemaStatus) {
	if m.engine == SQLite || len(before.Incompatible()) == 0 {
		return
	}
	live, err := liveNodes(ctx, m.pool, time.Now().UnixMicro())
	if err != nil {
		m.log.WarnContext(ctx, "cannot tell whether older nodes started during the migration", "error", err)
		return
	}
	if len(live) > 0 {
		m.log.ErrorContext(ctx, "older nodes started during the migration; stop them now, and run vitrine check",
			"nodes", describeNodes(live))
	}
}
