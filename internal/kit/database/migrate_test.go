package database_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/databasetest"
)

// runMigrator opens a database and migrates it, in a process of its own.
func runMigrator(url string, files fs.FS) {
	ctx := context.Background()
	db, err := database.Open(ctx, database.Config{URL: url})
	if err == nil {
		db.SetMigrations(files)
		err = errors.Join(db.Migrate(ctx), db.Ping(ctx), db.Close())
	}
	if err != nil {
		exitWithError(err)
	}
}

// schemaLines returns the schema as text, including the tables of goose.
func schemaLines(t *testing.T, db *database.DB) (all []string) {
	t.Helper()
	sql := "SELECT type || ' ' || name || ' ' || COALESCE(sql, '') FROM sqlite_master " +
		"WHERE name <> 'sqlite_sequence' ORDER BY type, name"
	if db.Engine() == database.Postgres {
		sql = "SELECT table_name || ' ' || column_name || ' ' || data_type FROM information_schema.columns " +
			"WHERE table_schema = 'public' ORDER BY 1"
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
	t.Parallel()
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			db := openDB(t, database.Config{URL: databasetest.NewURL(t, engine)})
			if err := db.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}

			tables := schemaLines(t, db)
			applied := queryInts(t, db, versionsSQL)
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
	t.Parallel()
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
	t.Parallel()
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
	t.Parallel()
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
	t.Parallel()
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

// A database of the time before the first release has other migrations with the same numbers.
func TestMigrate_refusesADatabaseFromBeforeTheFirstRelease(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		mustExec(t, db, "DELETE FROM meta WHERE name = 'first_migration'")

		for _, version := range []string{"1", "40"} {
			applied := "1"
			if db.Engine() == database.Postgres {
				applied = "true"
			}

			mustExec(t, db, "INSERT INTO goose_db_version (version_id, is_applied) VALUES ("+version+", "+applied+")")
			before := schemaLines(t, db)

			if err := db.Migrate(t.Context()); !errors.Is(err, database.ErrUnreleasedSchema) {
				t.Errorf("at version %s: got %v, want ErrUnreleasedSchema", version, err)
			}
			if _, err := db.SchemaStatus(t.Context()); !errors.Is(err, database.ErrUnreleasedSchema) {
				t.Errorf("the status at version %s: got %v, want ErrUnreleasedSchema", version, err)
			}
			if got := schemaLines(t, db); !equal(got, before) {
				t.Errorf("the refused database was changed to\n%q", got)
			}
		}
	})
}

// oldDB is a database of an earlier version of the program: its migrations are pending.
type oldDB struct{ *database.DB }

// newOldDB returns a new database that has the migrations of this program, and lacks the given ones.
func newOldDB(t *testing.T, engine string, next ...string) oldDB {
	t.Helper()
	db := databasetest.Open(t, engine)
	db.SetMigrations(withNext(next...))
	return oldDB{db}
}

// Migrations that follow those of this program. Only the second can be applied beside older nodes. withNext replaces
// OWN_NUMBER.
const (
	incompatibleSQL = "CREATE TABLE next_version (n bigint);\n" +
		"UPDATE schema_compatibility SET oldest_program = OWN_NUMBER;\n"
	compatibleSQL = "-- +compatible: older nodes do not use it.\nCREATE TABLE next_version (n bigint);\n"
)

// withNext returns the migrations of this program and further ones, which have the same statements for both engines.
func withNext(next ...string) fstest.MapFS {
	all := fstest.MapFS{}
	for _, engine := range []string{database.SQLite, database.Postgres} {
		dir := "migrations/" + engine + "/"
		files, err := fs.ReadDir(database.Migrations, "migrations/"+engine)
		if err != nil {
			panic(err)
		}

		for _, f := range files {
			text, err := fs.ReadFile(database.Migrations, dir+f.Name())
			if err != nil {
				panic(err)
			}
			all[dir+f.Name()] = &fstest.MapFile{Data: text}
		}

		for i, sql := range next {
			number := len(files) + i + 1
			name := fmt.Sprintf("%s%05d_next.sql", dir, number)
			sql = strings.ReplaceAll(sql, "OWN_NUMBER", strconv.Itoa(number))
			all[name] = &fstest.MapFile{Data: []byte("-- +goose Up\n" + sql)}
		}
	}

	return all
}

func (d oldDB) migrate(t *testing.T) {
	t.Helper()
	if err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// known returns the number of migrations of this program.
func known(t *testing.T) int64 {
	t.Helper()
	status, err := database.StatusAt(0)
	if err != nil {
		t.Fatal(err)
	}
	return status.Known
}
