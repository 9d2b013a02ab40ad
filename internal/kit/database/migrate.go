package database

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"path"
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

// ErrUnreleasedSchema is returned by Migrate and SchemaStatus for a database that was made before the first release.
// Its migrations have the same numbers as later ones, and are others.
var ErrUnreleasedSchema = errors.New("the database was made by a version before the first release, and cannot be " +
	"migrated. Nothing was changed. Start with a new, empty database. To take a catalogue along, " +
	"start the old program " +
	"on the old database, and copy each store with vitrine copy")

// ErrOlderNodes is returned by Migrate if older programs use the database that the pending migrations are not for.
var ErrOlderNodes = errors.New("older nodes are running")

// Migrate brings the schema to this program's version. Several processes may call it concurrently. It refuses a newer
// schema, unless that schema is marked as one that this program can use. While nodes of older versions run, it applies
// only migrations that are marked as compatible with them, and otherwise none: it returns ErrOlderNodes.
func (db *DB) Migrate(ctx context.Context) error {
	err := db.engine.migrate(ctx, db.migration, db.log)
	if err != nil {
		return fmt.Errorf("migrate the database: %w", classifyDatabaseError(err))
	}
	return nil
}

// migrateOptions are the settings of a migration. Only tests change them.
type migrateOptions struct {
	// files has the migrations of both engines.
	files fs.FS
	// nodeWait is how long to wait until the leases of dead nodes have expired.
	nodeWait time.Duration
	// renewalWait is how long to look whether expired leases are renewed.
	renewalWait time.Duration
}

var defaultMigrateOptions = migrateOptions{
	files:       migrations,
	nodeWait:    10 * time.Second, // more than the duration of a lease
	renewalWait: 5 * time.Second,  // more than the time between two renewals of a lease
}

func (e *sqliteEngine) migrate(ctx context.Context, o migrateOptions, log *slog.Logger) error {
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

	m := &migrator{migrateOptions: o, log: log, pool: pool, engine: SQLite, lock: e.lockMigrations,
		excludeOlder: e.excludeServer}
	return errors.Join(m.apply(ctx, goose.DialectSQLite3), pool.Close())
}

func (e *postgresEngine) migrate(ctx context.Context, o migrateOptions, log *slog.Logger) error {
	pool := stdlib.OpenDB(*e.admin)
	unlock, err := lockMigrations(ctx, pool)
	if err != nil {
		return errors.Join(err, pool.Close())
	}
	noLock := func(context.Context) (func() error, error) { return func() error { return nil }, nil }
	m := &migrator{migrateOptions: o, log: log, pool: pool, engine: Postgres, lock: noLock} // it has the lock
	m.excludeOlder = m.waitForNodes
	return errors.Join(m.apply(ctx, goose.DialectPostgres), unlock(), pool.Close())
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
		fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", lock.DefaultLockID),
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return nil, errors.Join(err, tx.Rollback())
		}
	}

	return tx.Commit, nil
}

// migrationTimeout limits the wait for other processes that migrate, and the migrations.
const migrationTimeout = 10 * time.Minute

// migrator applies migrations to one database.
type migrator struct {
	migrateOptions
	log    *slog.Logger
	pool   *sql.DB
	engine string
	// lock waits until no other process migrates.
	lock func(context.Context) (unlock func() error, err error)
	// excludeOlder returns ErrOlderNodes if nodes of older versions run. Otherwise it keeps those from starting that it
	// can, until release is called.
	excludeOlder func(ctx context.Context, version int64) (release func() error, err error)
}

func (m *migrator) apply(ctx context.Context, dialect goose.Dialect) error {
	ctx, cancel := context.WithTimeout(ctx, migrationTimeout)
	defer cancel()

	files, err := fs.Sub(m.files, "migrations/"+m.engine)
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(dialect, m.pool, files)
	if err != nil {
		return err
	}

	current, target, err := provider.GetVersions(ctx)
	if err == nil && current > 0 {
		err = checkFirstMigration(ctx, m.pool)
	}

	switch {
	case err != nil:
		return err
	case current > target:
		return checkNewerSchema(ctx, m.pool, current, target)
	case current == target:
		return nil
	}

	unlock, err := m.lock(ctx)
	if err != nil {
		return err
	}

	return errors.Join(m.applyPending(ctx, provider), unlock())
}

// applyPending applies the pending migrations unless older nodes run. No other process migrates.
func (m *migrator) applyPending(ctx context.Context, provider *goose.Provider) error {
	current, target, err := provider.GetVersions(ctx)
	if err != nil || current >= target {
		return err
	}
	status, err := statusAt(m.files, current)
	if err != nil {
		return err
	}

	release, err := m.excludeIncompatible(ctx, status)
	if err != nil {
		return err
	}

	m.log.InfoContext(ctx, "migrating the database", "from", current, "to", target, "migrations", len(status.Pending))
	level := slog.LevelInfo
	if current == 0 {
		level = slog.LevelDebug // on a new database they take no time
	}

	err = m.applyEach(ctx, provider, level)
	if err == nil {
		m.warnOfOlderNodes(ctx, status)
	}

	return errors.Join(err, release())
}

// applyEach applies the pending migrations one after the other, and logs each of them at the level.
func (m *migrator) applyEach(ctx context.Context, provider *goose.Provider, level slog.Level) error {
	for {
		current, target, err := provider.GetVersions(ctx)
		if err != nil || current >= target {
			return err
		}

		applied, err := provider.UpByOne(ctx)
		if err != nil {
			return err
		}
		number, name, err := parseMigrationName(path.Base(applied.Source.Path))
		if err != nil {
			return err
		}

		m.log.Log(ctx, level, "applied a migration", "number", number, "name", name,
			"duration_ms", applied.Duration.Milliseconds())
	}
}
