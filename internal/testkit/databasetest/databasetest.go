// Package databasetest gives tests databases of their own, on both engines. It is for tests only.
//
// A test calls Each and runs twice. Whoever needs one engine calls Open, whoever starts the whole program calls NewURL.
// Migrations run once per engine and test process; every further database is a copy. Without PostgreSQL tests fail,
// they never skip: half of the product would go untested.
package databasetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"vitrine/internal/kit/database"
)

// setupTimeout bounds the making and dropping of one database; both take well under a second.
const setupTimeout = time.Minute

// Engines lists the engines the product runs on, by the names that database.DB.Engine gives them.
func Engines() []string { return []string{database.SQLite, database.Postgres} }

// Each runs fn as the subtests "sqlite" and "postgres", each with a fresh, migrated database that nobody else uses and
// that is closed and dropped when the subtest ends. fn may call t.Parallel.
func Each(t *testing.T, fn func(t *testing.T, db *database.DB)) {
	t.Helper()
	for _, engine := range Engines() {
		t.Run(engine, func(t *testing.T) { fn(t, Open(t, engine)) })
	}
}

// Open returns a fresh, migrated database, closed and dropped when tb ends.
func Open(tb testing.TB, engine string) *database.DB {
	tb.Helper()
	db, err := database.Open(tb.Context(), database.Config{URL: NewMigratedURL(tb, engine)})
	if err != nil {
		tb.Fatalf("open a %s database: %v", engine, err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Errorf("close the %s database: %v", engine, err)
		}
	})
	return db
}

// NewURL returns the URL or path of a fresh, empty database, not migrated, dropped when tb ends whoever is still
// connected to it.
func NewURL(tb testing.TB, engine string) string {
	tb.Helper()
	return newURL(tb, engine, Create)
}

// NewMigratedURL is NewURL with the migrations applied.
func NewMigratedURL(tb testing.TB, engine string) string {
	tb.Helper()
	return newURL(tb, engine, CreateMigrated)
}

func newURL(tb testing.TB, engine string, create func(ctx context.Context, engine, dir string) (Fresh, error)) string {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), setupTimeout)
	defer cancel()
	fresh, err := create(ctx, engine, tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), setupTimeout)
		defer cancel()
		if err := fresh.Drop(ctx); err != nil {
			tb.Error(err)
		}
	})
	return fresh.URL
}

// Fresh is a database just made.
type Fresh struct {
	URL string
	// Drop removes the database, whoever is still connected to it. A SQLite database stays: its file goes with the
	// folder it was made in.
	Drop func(context.Context) error
}

// Create makes an empty database for programs that are not tests, such as bench; SQLite's file lies in dir.
func Create(ctx context.Context, engine, dir string) (Fresh, error) {
	switch engine {
	case database.SQLite:
		return createSQLite(dir, nil)
	case database.Postgres:
		return createPostgres(ctx, "")
	}
	return Fresh{}, fmt.Errorf("unknown database engine %q", engine)
}

// CreateMigrated is Create with the migrations applied.
func CreateMigrated(ctx context.Context, engine, dir string) (Fresh, error) {
	switch engine {
	case database.SQLite:
		template, err := sqliteTemplate()
		if err != nil {
			return Fresh{}, err
		}
		return createSQLite(dir, template)
	case database.Postgres:
		template, err := postgresTemplate()
		if err != nil {
			return Fresh{}, err
		}
		return createPostgres(ctx, template)
	}
	return Fresh{}, fmt.Errorf("unknown database engine %q", engine)
}

// migrate brings the database at url to the newest schema and leaves no connection to it.
func migrate(ctx context.Context, url string) (err error) {
	db, err := database.Open(ctx, database.Config{URL: url})
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := db.Close(); err == nil {
			err = closeErr
		}
	}()
	return db.Migrate(ctx)
}
