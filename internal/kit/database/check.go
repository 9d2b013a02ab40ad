package database

import (
	"context"
	"errors"
	"fmt"

	"github.com/ncruces/go-sqlite3"
)

// QuickCheck reads all pages of a SQLite file and reports damage as an error, after which all writes are refused. It
// uses a connection of its own and ends with ctx. It does not compare indexes with their tables. It does nothing on
// PostgreSQL.
func (db *DB) QuickCheck(ctx context.Context) error {
	return db.stopOnStorageFailure(classifyDatabaseError(db.engine.check(ctx, "PRAGMA quick_check(1)")))
}

// IntegrityCheck is like QuickCheck, and also compares indexes with their tables, which takes several times as long.
func (db *DB) IntegrityCheck(ctx context.Context) error {
	return db.stopOnStorageFailure(classifyDatabaseError(db.engine.check(ctx, "PRAGMA integrity_check(1)")))
}

// check runs a PRAGMA that returns the text ok or the first damage that it found.
func (e *sqliteEngine) check(ctx context.Context, pragma string) (err error) {
	c, err := e.connect(ctx, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.shutdown()) }()
	var result string
	if err := QueryRow(ctx, c, pragma, nil, &result); err != nil {
		return err
	}
	if result != "ok" {
		return fmt.Errorf("%s is damaged: %w: %s", e.path, sqlite3.CORRUPT, result)
	}
	return nil
}

func (*postgresEngine) check(context.Context, string) error { return nil }
