package database

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5/stdlib" // the database/sql driver that goose needs
	"github.com/ncruces/go-sqlite3/driver"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations
var migrations embed.FS

// ErrNewerSchema is returned by Migrate if the schema is newer than this program.
var ErrNewerSchema = errors.New("the database belongs to a newer version of the program; downgrades are refused")

// Migrate brings the schema to this program's version. Several processes may call it concurrently. It refuses a newer
// schema, unless that schema is marked as one that this program can use.
func (db *DB) Migrate(ctx context.Context) error {
	if err := db.engine.migrate(ctx); err != nil {
		return fmt.Errorf("migrate the database: %w", classifyDatabaseError(err))
	}
	return nil
}

func (e *sqliteEngine) migrate(ctx context.Context) error {
	// Migrations use a separate connection. Concurrent writes wait for SQLite's lock.
	dsn, err := e.dsn(url.Values{"_txlock": {"immediate"}, "_pragma": {"busy_timeout(60000)", "synchronous(full)"}})
	if err != nil {
		return err
	}
	pool, err := driver.Open(dsn)
	if err != nil {
		return err
	}
	pool.SetMaxOpenConns(1)
	return errors.Join(applyMigrations(ctx, goose.DialectSQLite3, pool, SQLite), pool.Close())
}

func (e *postgresEngine) migrate(ctx context.Context) error {
	pool := stdlib.OpenDB(*e.admin)
	unlock, err := lockMigrations(ctx, pool)
	if err != nil {
		return errors.Join(err, pool.Close())
	}
	err = applyMigrations(ctx, goose.DialectPostgres, pool, Postgres)
	return errors.Join(err, unlock(), pool.Close())
}

// lockMigrations waits until no other process migrates. The lock belongs to a transaction of its own connection: a lock
// of a session would not work behind a connection pooler.
func lockMigrations(ctx context.Context, pool *sql.DB) (unlock func() error, err error) {
	ctx, cancel := context.WithTimeout(ctx, migrationTimeout)
	defer cancel()
	tx, err := pool.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return nil, err
	}
	for _, statement := range []string{
		"SET LOCAL statement_timeout = 0", "SET LOCAL lock_timeout = 0",
		"SET LOCAL idle_in_transaction_session_timeout = 0",
		fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", lock.DefaultLockID), // the lock of versions before 29
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return nil, errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit, nil
}

// migrationTimeout limits the wait for other processes that migrate, and the migrations.
const migrationTimeout = 10 * time.Minute

func applyMigrations(ctx context.Context, dialect goose.Dialect, pool *sql.DB, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, migrationTimeout)
	defer cancel()
	files, err := fs.Sub(migrations, "migrations/"+dir)
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(dialect, pool, files)
	if err != nil {
		return err
	}
	for {
		current, target, err := provider.GetVersions(ctx)
		if err != nil {
			return err
		}
		if current > target {
			return checkNewerSchema(ctx, pool, current, target)
		}
		if current == target {
			return nil
		}
		_, failure := provider.Up(ctx)
		if failure == nil {
			return nil
		}
		// SQLite has no lock for all migrations together, so the failure may be due to another process that migrates at
		// the same time. If that process has applied some migrations, continue after those.
		now, _, err := provider.GetVersions(ctx)
		if err != nil || now <= current {
			return failure
		}
	}
}
