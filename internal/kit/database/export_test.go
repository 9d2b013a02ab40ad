package database

import "time"

// Migrations are the files of both engines.
var Migrations = migrations

// What the tests in database_test, which use databasetest, need to see or set.

// QueuedWrites returns how many writes wait for SQLite's writer.
func (db *DB) QueuedWrites() int { return len(db.engine.(*sqliteEngine).writer.jobs) }

// WriterStopping reports whether SQLite's writer was told to end.
func (db *DB) WriterStopping() bool {
	select {
	case <-db.engine.(*sqliteEngine).writer.stop:
		return true
	default:
		return false
	}
}

// SetEndTimeout bounds COMMIT and ROLLBACK of PostgreSQL to d.
func (db *DB) SetEndTimeout(d time.Duration) { db.engine.(*postgresEngine).endTimeout = d }
