package database

import "time"

// Migrations are the files of both engines.
var Migrations = migrations

// What the tests in database_test, which use databasetest, need to see or set.

// Waiting returns how many writes wait for SQLite's writer.
func (db *DB) Waiting() int { return len(db.engine.(*sqliteEngine).writer.jobs) }

// Stopping reports whether SQLite's writer was told to end.
func (db *DB) Stopping() bool {
	select {
	case <-db.engine.(*sqliteEngine).writer.stop:
		return true
	default:
		return false
	}
}

// EndWithin bounds COMMIT and ROLLBACK of PostgreSQL to d.
func (db *DB) EndWithin(d time.Duration) { db.engine.(*postgresEngine).endWithin = d }
