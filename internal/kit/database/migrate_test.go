package database_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/databasetest"
)

// runMigrator opens a database and migrates it, in a process of its own.
func runMigrator(url string) {
	ctx := context.Background()
	db, err := database.Open(ctx, database.Config{URL: url})
	if err == nil {
		err = errors.Join(db.Migrate(ctx), db.Ping(ctx), db.Close())
	}
	if err != nil {
		exitWithError(err)
	}
}

// schemaLines returns the schema as text, including the tables of goose.
func schemaLines(t *testing.T, db *database.DB) (all []string) {
	t.Helper()
	sql := "SELECT type || ' ' || name || ' ' || COALESCE(sql, '') FROM sqlite_master WHERE name <> 'sqlite_sequence' ORDER BY type, name"
	if db.Engine() == database.Postgres {
		sql = "SELECT table_name || ' ' || column_name || ' ' || data_type FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1"
	}
	err := db.Read(t.Context(), func(q database.Querier) error {
		return database.QueryEach(t.Context(), q, sql, nil, func(r database.Rows) error {
			var s string
			err := r.Scan(&s)
			all = append(all, s)
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

const versionsSQL = "SELECT version_id FROM goose_db_version ORDER BY id"

func TestMigrate_twiceChangesNothing(t *testing.T) {
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			db := openDB(t, database.Config{URL: databasetest.NewURL(t, engine)})
			if err := db.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			tables, applied := schemaLines(t, db), queryInts(t, db, versionsSQL)
			if len(applied) < 2 {
				t.Fatalf("applied %v, want at least two versions", applied)
			}
			if err := db.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := queryInts(t, db, versionsSQL); !equal(got, applied) {
				t.Errorf("applied %v, but %v after the second migration", applied, got)
			}
			if got := schemaLines(t, db); !equal(got, tables) {
				t.Errorf("the second migration changed the schema to\n%q\nfrom\n%q", got, tables)
			}
		})
	}
}

func equal[T comparable](a, b []T) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// Several processes open and migrate a fresh database at the same time, as at the first start of several nodes.
func TestMigrate_appliesOnceWhenRunConcurrently(t *testing.T) {
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			url := databasetest.NewURL(t, engine)
			var all sync.WaitGroup
			for range 2 {
				cmd := roleCommand(t, "migrator", url)
				all.Go(func() {
					if err := cmd.Run(); err != nil {
						t.Errorf("migration in another process: %v", err)
					}
				})
			}
			for range 4 {
				all.Go(func() {
					db, err := database.Open(t.Context(), database.Config{URL: url, Readers: 2})
					if err != nil {
						t.Errorf("open: %v", err)
						return
					}
					if err := errors.Join(db.Migrate(t.Context()), db.Close()); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			reference := databasetest.Open(t, engine)
			db := openDB(t, database.Config{URL: url})
			if got, want := queryInts(t, db, versionsSQL), queryInts(t, reference, versionsSQL); !equal(got, want) {
				t.Errorf("applied %v, want %v", got, want)
			}
			if got, want := schemaLines(t, db), schemaLines(t, reference); !equal(got, want) {
				t.Errorf("the schema is\n%q, want\n%q", got, want)
			}
		})
	}
}

// This forces a rare race of the test above: several processes see pending migrations, and then get the lock in turn.
func TestMigrate_rechecksWhenAnotherProcessMigrated(t *testing.T) {
	reference := databasetest.Open(t, database.SQLite)
	var ddl string
	err := reference.Read(t.Context(), func(q database.Querier) error {
		return database.QueryRow(t.Context(), q, "SELECT sql FROM sqlite_master WHERE name = 'goose_db_version'", nil,
			&ddl)
	})
	if err != nil {
		t.Fatal(err)
	}
	url := databasetest.NewURL(t, database.SQLite)
	db := openDB(t, database.Config{URL: url})
	mustExec(t, db, ddl)
	mustExec(t, db, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (0, 1)")

	release := blockWriter(t, db)
	defer release()
	var all sync.WaitGroup
	for range 3 {
		other := openDB(t, database.Config{URL: url, Readers: 1})
		all.Go(func() {
			if err := other.Migrate(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	// The test cannot observe whether the others already wait for SQLite's lock, so it sleeps.
	time.Sleep(300 * time.Millisecond)
	release()
	all.Wait()
	if got, want := schemaLines(t, db), schemaLines(t, reference); !equal(got, want) {
		t.Errorf("the schema is\n%q, want\n%q", got, want)
	}
	if got, want := queryInts(t, db, versionsSQL), queryInts(t, reference, versionsSQL); !equal(got, want) {
		t.Errorf("applied %v, want %v", got, want)
	}
}

func TestMigrate_refusesNewerSchema(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		yes := "true"
		if db.Engine() == database.SQLite {
			yes = "1"
		}
		mustExec(t, db, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, "+yes+")")
		before := schemaLines(t, db)
		if err := db.Migrate(t.Context()); err != nil {
			t.Errorf("a newer schema that says that this program can use it: %v", err)
		}
		mustExec(t, db, "UPDATE schema_compatibility SET oldest_program = 99999")
		err := db.Migrate(t.Context())
		if !errors.Is(err, database.ErrNewerSchema) {
			t.Errorf("got %v, want ErrNewerSchema", err)
		}
		if got := schemaLines(t, db); !equal(got, before) {
			t.Errorf("the refused database was changed to\n%q", got)
		}
	})
}

// Characters that are special in a URL must not be special in a path.
func TestOpen_escapesSQLitePath(t *testing.T) {
	dir := t.TempDir()
	names := []string{"50% off", "a%20b", "a#b?c&mode=memory", "Лампа + 'Licht' \\"}
	for _, name := range names {
		path := filepath.Join(dir, name, "v.db")
		if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		db := openDB(t, database.Config{URL: path})
		if err := db.Migrate(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if n := queryInt(t, db, "SELECT COUNT(*) FROM stores"); n != 0 {
			t.Errorf("%s: %d stores, want 0", name, n)
		}
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, err := os.ReadDir(dir); err != nil || len(got) != len(names) {
		t.Errorf("%d directories were used, but these exist: %v", len(names), got)
	}
}

// oldDB is a database of an earlier version of the program.
type oldDB struct{ *database.DB }

// newOldDB returns a new database with the migrations up to a version.
func newOldDB(t *testing.T, engine string, version int64) oldDB {
	t.Helper()
	db := openDB(t, database.Config{URL: databasetest.NewURL(t, engine)})
	if err := db.MigrateTo(t.Context(), version); err != nil {
		t.Fatal(err)
	}
	return oldDB{db}
}

// exec executes a statement in which {n} stands for the UUID and <n> for the hash that consist of the digit n.
func (d oldDB) exec(t *testing.T, sql string) {
	t.Helper()
	for n := range 10 {
		uuid, hash := strings.Repeat(strconv.Itoa(n), 32), strings.Repeat(strconv.Itoa(n), 64)
		if d.Engine() == database.Postgres {
			uuid, hash = "'"+uuid+"'::uuid", `'\x`+hash+"'::bytea"
		} else {
			uuid, hash = "x'"+uuid+"'", "x'"+hash+"'"
		}
		sql = strings.NewReplacer(fmt.Sprintf("{%d}", n), uuid, fmt.Sprintf("<%d>", n), hash).Replace(sql)
	}
	mustExec(t, d.DB, sql)
}

func (d oldDB) migrate(t *testing.T) {
	t.Helper()
	if err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// check compares the rows that queries of one column return, joined by commas, with those that are wanted.
func (d oldDB) check(t *testing.T, queries map[string]string) {
	t.Helper()
	for sql, want := range queries {
		var rows []string
		err := d.Read(t.Context(), func(q database.Querier) error {
			rows = nil
			return database.QueryEach(t.Context(), q, sql, nil, database.AppendColumn(&rows))
		})
		if got := strings.Join(rows, ", "); err != nil || got != want {
			t.Errorf("%s: got %q, %v; want %q", sql, got, err, want)
		}
	}
}
