package databasetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"vitrine/internal/kit/database"
)

// Main runs the tests of a package, in which OpenReused hands emptied databases from one test to the next, and removes
// these databases. It returns the exit code. A package calls it in its TestMain:
//
//	func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }
func Main(m *testing.M) int {
	reusable().enabled = true
	code := m.Run()
	if err := reusable().removeAll(); err != nil {
		fmt.Fprintln(os.Stderr, "remove the databases of the tests:", err)
		code = max(code, 1)
	}
	return code
}

// OpenReused returns a migrated database without rows. It may have been used by an earlier test: to empty it is much
// cheaper than to open another. A database is not reused if the test has written a lot, fails, closes it, changes its
// schema or analyses its tables. In a package that does not call Main, OpenReused is the same as Open.
func OpenReused(tb testing.TB, engine string) *database.DB {
	tb.Helper()
	Require(tb, engine)
	if !reusable().enabled {
		return Open(tb, engine)
	}

	taken, err := reusable().take(tb.Context(), engine)
	if err != nil {
		tb.Fatalf("open a %s database: %v", engine, err)
	}

	tb.Cleanup(func() {
		if err := reusable().giveBack(taken, tb.Failed()); err != nil {
			tb.Error(err)
		}
	})
	return taken.db
}

// reusable has the databases that no test uses at the moment.
var reusable = sync.OnceValue(func() *reusedDatabases {
	return &reusedDatabases{free: map[string][]*reusedDatabase{}}
})

type reusedDatabases struct {
	enabled bool
	mu      sync.Mutex
	free    map[string][]*reusedDatabase // by engine
}

// reusedDatabase is a database that outlives the test for which it was opened.
type reusedDatabase struct {
	db *database.DB
	// empty makes the database as it was after its migrations, or returns why it cannot be used again.
	empty func(context.Context) error
	// drop closes what empty uses, and removes the database.
	drop func(context.Context) error
}

// take returns a database without rows.
func (r *reusedDatabases) take(ctx context.Context, engine string) (*reusedDatabase, error) {
	if taken := r.takeFree(engine); taken != nil {
		return taken, nil
	}

	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), setupTimeout)
	defer cancel()
	if engine == database.Postgres {
		return createReusedPostgres(ctx)
	}
	return createReusedSQLite(ctx)
}

// takeFree returns nil if all databases are in use.
func (r *reusedDatabases) takeFree(engine string) (taken *reusedDatabase) {
	r.mu.Lock()
	defer r.mu.Unlock()
	free := r.free[engine]
	if len(free) == 0 {
		return nil
	}
	r.free[engine], taken = free[:len(free)-1], free[len(free)-1]
	return taken
}

// createReusedSQLite creates a database in a directory of its own.
func createReusedSQLite(ctx context.Context) (*reusedDatabase, error) {
	dir, err := os.MkdirTemp("", "vitrine-test-")
	if err != nil {
		return nil, err
	}
	fresh, err := CreateMigrated(ctx, database.SQLite, dir)
	if err != nil {
		return nil, err
	}
	db, err := database.Open(ctx, database.Config{URL: fresh.URL})
	if err != nil {
		return nil, err
	}

	state, err := readSQLiteState(ctx, db)
	if err != nil {
		return nil, err
	}

	return &reusedDatabase{
		db:    db,
		empty: func(ctx context.Context) error { return state.restore(ctx, db) },
		drop:  func(context.Context) error { return os.RemoveAll(dir) },
	}, nil
}

func createReusedPostgres(ctx context.Context) (*reusedDatabase, error) {
	fresh, err := CreateMigrated(ctx, database.Postgres, "")
	if err != nil {
		return nil, err
	}
	db, err := database.Open(ctx, database.Config{URL: fresh.URL})
	if err != nil {
		return nil, err
	}

	cleaner, err := newPostgresCleaner(ctx, fresh.URL)
	if err != nil {
		return nil, err
	}

	return &reusedDatabase{
		db:    db,
		empty: cleaner.restore,
		drop: func(ctx context.Context) error {
			return errors.Join(cleaner.close(ctx), fresh.Drop(ctx))
		},
	}, nil
}

// giveBack empties a database for the next test, or removes it.
func (r *reusedDatabases) giveBack(d *reusedDatabase, failed bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), setupTimeout)
	defer cancel()
	if failed || d.empty(ctx) != nil {
		return d.remove(ctx)
	}

	r.mu.Lock()
	defer r.mu.Unlock()
	engine := d.db.Engine()
	r.free[engine] = append(r.free[engine], d)
	return nil
}

// remove deletes the database. A test may have closed it already.
func (d *reusedDatabase) remove(ctx context.Context) error {
	_ = d.db.Close()
	return d.drop(ctx)
}

func (r *reusedDatabases) removeAll() (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), setupTimeout)
	defer cancel()
	for _, free := range r.free {
		for _, d := range free {
			err = errors.Join(err, d.remove(ctx))
		}
	}
	return err
}
