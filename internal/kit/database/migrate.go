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

	_ "github.com/jackc/pgx/v5/stdlib" // the database/sql driver that goose needs
	"github.com/ncruces/go-sqlite3/driver"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations
var migrations embed.FS

// ErrNewerSchema is returned by Migrate if the schema is newer than this program.
var ErrNewerSchema = errors.New("the database belongs to a newer version of the program; downgrades are refused")

// Migrate brings the schema to this program's version. Several processes may call it concurrently. It refuses a newer
// schema.
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
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 120))
	if err != nil {
		return err
	}
	pool, err := sql.Open("pgx", e.url)
	if err != nil {
		return err
	}
	lockOption := goose.WithSessionLocker(locker)
	return errors.Join(applyMigrations(ctx, goose.DialectPostgres, pool, Postgres, lockOption), pool.Close())
}

func applyMigrations(
	ctx context.Context, dialect goose.Dialect, pool *sql.DB, dir string, opts ...goose.ProviderOption,
) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	files, err := fs.Sub(migrations, "migrations/"+dir)
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(dialect, pool, files, opts...)
	if err != nil {
		return err
	}
	for {
		current, target, err := provider.GetVersions(ctx)
		if err != nil {
			return err
		}
		if current > target {
			return fmt.Errorf("%w: it is at %d, this program knows %d", ErrNewerSchema, current, target)
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
