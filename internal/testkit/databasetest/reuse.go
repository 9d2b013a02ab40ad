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

// Main runs the tests of a package, in which OpenReused hands emptied SQLite databases from one test to the next, and
// removes these databases. It returns the exit code. A package calls it in its TestMain:
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

// OpenReused returns a migrated database without rows. A SQLite database may have been used by an earlier test: to
// empty it is cheaper than to open another. It is not reused if the test has written a lot, fails, closes it or changes
// its schema.
// A PostgreSQL database is always new: dead rows and the plans of earlier tests would make it slow. In a package that
// does not call Main, OpenReused is the same as Open.
func OpenReused(tb testing.TB, engine string) *database.DB {
	tb.Helper()
	Require(tb, engine)
	if !reusable().enabled || engine != database.SQLite {
		return Open(tb, engine)
	}

	taken, err := reusable().take(tb.Context())
	if err != nil {
		tb.Fatalf("open a SQLite database: %v", err)
	}

	tb.Cleanup(func() {
		if err := reusable().giveBack(taken, tb.Failed()); err != nil {
			tb.Error(err)
		}
	})
	return taken.db
}

// reusable has the databases that no test uses at the moment.
var reusable = sync.OnceValue(func() *reusedDatabases { return &reusedDatabases{} })

type reusedDatabases struct {
	enabled bool
	mu      sync.Mutex
	free    []*reusedDatabase
}

type reusedDatabase struct {
	db     *database.DB
	dir    string
	schema int64 // the number of changes of its schema
	pages  int64 // how many pages it needs without rows
}

// take returns a database without rows.
func (r *reusedDatabases) take(ctx context.Context) (*reusedDatabase, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.free); n > 0 {
		last := r.free[n-1]
		r.free = r.free[:n-1]
		return last, nil
	}
	return createReused(ctx)
}

// createReused creates a database that may outlive the test.
func createReused(ctx context.Context) (d *reusedDatabase, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), setupTimeout)
	defer cancel()

	d = &reusedDatabase{}
	if d.dir, err = os.MkdirTemp("", "vitrine-test-"); err != nil {
		return nil, err
	}
	fresh, err := CreateMigrated(ctx, database.SQLite, d.dir)
	if err != nil {
		return nil, err
	}
	if d.db, err = database.Open(ctx, database.Config{URL: fresh.URL}); err != nil {
		return nil, err
	}

	if d.schema, err = schemaVersion(ctx, d.db); err != nil {
		return nil, err
	}
	d.pages, err = usedPages(ctx, d.db)
	return d, err
}

// giveBack empties a database for the next test, or removes it.
func (r *reusedDatabases) giveBack(d *reusedDatabase, failed bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), setupTimeout)
	defer cancel()
	if failed || !d.empty(ctx) {
		return d.remove()
	}

	r.mu.Lock()
	defer r.mu.Unlock()
	r.free = append(r.free, d)
	return nil
}

// emptiedPages is how many pages of rows are deleted in less time than another database takes.
const emptiedPages = 30

// empty removes all rows. It reports whether the database can be used again.
func (d *reusedDatabase) empty(ctx context.Context) bool {
	schema, err := schemaVersion(ctx, d.db)
	if err != nil || schema != d.schema {
		return false
	}
	pages, err := usedPages(ctx, d.db)
	return err == nil && pages-d.pages <= emptiedPages && deleteAllRows(ctx, d.db) == nil
}

// remove deletes the database. A test may have closed it already.
func (d *reusedDatabase) remove() error {
	_ = d.db.Close()
	return os.RemoveAll(d.dir)
}

func (r *reusedDatabases) removeAll() (err error) {
	for _, d := range r.free {
		err = errors.Join(err, d.remove())
	}
	return err
}
