package database

import (
	"context"
	"database/sql"
	"io/fs"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/ncruces/go-sqlite3/driver"
	"github.com/pressly/goose/v3"
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
	n.timings.minReconnect, n.timings.maxReconnect, n.timings.timeout = reconnect, reconnect, timeout
}

// SetBeginTimeout sets how long WriteSoon waits.
func (db *DB) SetBeginTimeout(d time.Duration) { db.beginTimeout = d }

// SetNodeWait sets how long Migrate waits for the leases of dead nodes.
func (db *DB) SetNodeWait(d time.Duration) { db.nodeWait = d }

// SetRenewalWait sets how long Migrate looks whether expired leases are renewed.
func (db *DB) SetRenewalWait(d time.Duration) { db.renewalWait = d }

// ExcludeServer does what Migrate does before it applies migrations to a SQLite file of this version.
func (db *DB) ExcludeServer(ctx context.Context, version int64) (release func() error, err error) {
	return db.engine.(*sqliteEngine).excludeServer(ctx, version)
}

// MigrateWith is Migrate with other files.
func (db *DB) MigrateWith(ctx context.Context, files fs.FS) error { return db.migrate(ctx, files) }

// MigrateTo brings the schema of a new database to an earlier version.
func (db *DB) MigrateTo(ctx context.Context, version int64) error {
	var pool *sql.DB
	var dialect goose.Dialect
	var err error
	switch e := db.engine.(type) {
	case *sqliteEngine:
		var dsn string
		if dsn, err = e.dsn(url.Values{}); err != nil {
			return err
		}
		dialect = goose.DialectSQLite3
		pool, err = driver.Open(dsn)
	case *postgresEngine:
		dialect = goose.DialectPostgres
		pool = stdlib.OpenDB(*e.admin)
	}
	if err != nil {
		return err
	}
	defer pool.Close()
	files, err := fs.Sub(migrations, "migrations/"+db.Engine())
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(dialect, pool, files)
	if err != nil {
		return err
	}
	_, err = provider.UpTo(ctx, version)
	return err
}

// ForgetReplicaFailure makes the next read ask the replica again.
func (db *DB) ForgetReplicaFailure() {
	db.replica.mu.Lock()
	defer db.replica.mu.Unlock()
	db.replica.retry = time.Time{}
}
