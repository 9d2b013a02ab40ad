package database

import (
	"context"
	"io/fs"
	"time"
)

// Migrations are the migration files of both engines.
var Migrations = migrations

// The following functions are for the tests in package database_test.

// QueuedWrites returns the number of writes in the queue of the SQLite writer.
func (db *DB) QueuedWrites() int { return db.engine.(*sqliteEngine).writer.queue.len() }

// WriterStopping reports whether the SQLite writer has been told to stop.
func (db *DB) WriterStopping() bool {
	q := db.engine.(*sqliteEngine).writer.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed
}

// SetEndTimeout sets the time limit of COMMIT and ROLLBACK on PostgreSQL.
func (db *DB) SetEndTimeout(d time.Duration) { db.engine.(*postgresEngine).endTimeout = d }

// SetTimings sets the delay between attempts to connect, and the timeout of statements.
func (n *Notifier) SetTimings(reconnect, timeout time.Duration) {
	n.timings.minReconnect = reconnect
	n.timings.maxReconnect = reconnect
	n.timings.timeout = timeout
}

// SetBeginTimeout sets how long WriteSoon waits.
func (db *DB) SetBeginTimeout(d time.Duration) { db.beginTimeout = d }

// SetNodeWait sets how long Migrate waits for the leases of dead nodes.
func (db *DB) SetNodeWait(d time.Duration) { db.migration.nodeWait = d }

// SetRenewalWait sets how long Migrate looks whether expired leases are renewed.
func (db *DB) SetRenewalWait(d time.Duration) { db.migration.renewalWait = d }

// SetMigrations replaces the files of Migrate and SchemaStatus.
func (db *DB) SetMigrations(files fs.FS) { db.migration.files = files }

// ExcludeServer does what Migrate does before it applies migrations to a SQLite file of this version.
func (db *DB) ExcludeServer(ctx context.Context, version int64) (release func() error, err error) {
	return db.engine.(*sqliteEngine).excludeServer(ctx, version)
}

// ForgetReplicaFailure makes the next read ask the replica again.
func (db *DB) ForgetReplicaFailure() {
	db.replica.mu.Lock()
	defer db.replica.mu.Unlock()
	db.replica.retry = time.Time{}
}
