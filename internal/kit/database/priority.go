package database

import "context"

// Priority says how many of the connections the work may find in use before it waits. Some connections are kept for
// work of higher priority, so that a lookup of a few rows never waits behind reads that take seconds.
type Priority int

// The priorities. Read, Snapshot and Write have the priority Normal, WriteAlone has Long.
const (
	// Normal is for reads and writes of some milliseconds.
	Normal Priority = iota
	// Short is for lookups of a few rows, such as credentials.
	Short
	// Long is for work that may take seconds.
	Long
	// check is for Ping, which always finds a connection.
	check
)

// connectionLimits limit the connections in use by priority. The limits of a priority are listed from the lowest
// priority that they apply to: work that waits for the first of them does not count against higher priorities.
type connectionLimits map[Priority][]chan struct{}

// newConnectionLimits returns the limits for n connections. With a single connection nothing is reserved.
func newConnectionLimits(n int) connectionLimits {
	short := make(chan struct{}, max(1, n-1))
	normal := make(chan struct{}, max(1, n-1-max(1, n/8)))
	long := make(chan struct{}, max(1, n/2))
	return connectionLimits{Short: {short}, Normal: {normal, short}, Long: {long, normal, short}}
}

// acquire waits until the priority allows another connection. closed is closed when the database is closed; it may be
// nil.
func (l connectionLimits) acquire(ctx context.Context, p Priority, closed <-chan struct{}) (release func(), err error) {
	held := 0
	release = func() {
		for _, limit := range l[p][:held] {
			<-limit
		}
	}
	for _, limit := range l[p] {
		select {
		case limit <- struct{}{}:
			held++
		case <-ctx.Done():
			release()
			return nil, ctx.Err()
		case <-closed:
			release()
			return nil, errClosed
		}
	}

	return release, nil
}

// Connections returns how many connections work of the priority can use at once. On SQLite these are the read
// connections; writes have a connection of their own.
func (db *DB) Connections(p Priority) int { return cap(db.engine.connectionLimits()[p][0]) }
