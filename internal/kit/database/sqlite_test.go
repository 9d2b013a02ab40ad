package database

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
)

// openFile opens a new SQLite file. Tests of package database cannot use databasetest, which imports this package.
func openFile(tb testing.TB) (*DB, *sqliteEngine) {
	tb.Helper()
	db, err := Open(tb.Context(), Config{URL: filepath.Join(tb.TempDir(), "test.db"), Readers: 2})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return db, db.engine.(*sqliteEngine)
}

func TestOlderVersion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"3.51.2", "3.51.3", true}, {"3.51.3", "3.51.3", false}, {"3.51.4", "3.51.3", false},
		{"3.7.0", "3.51.3", true}, {"3.53.0", "3.51.3", false}, {"3.9.9", "3.51.3", true}, // not compared as text
		{"3.51.10", "3.51.3", false}, {"3.100.0", "3.51.3", false}, {"2.99.99", "3.51.3", true},
		{"4.0.0", "3.51.3", false},
		{"3.51", "3.51.3", true}, {"3.52", "3.51.3", false}, {"3.51.3.1", "3.51.3", false}, {"", "3.51.3", true},
	} {
		if got := olderVersion(c.a, c.b); got != c.want {
			t.Errorf("olderVersion(%q, %q) = %v", c.a, c.b, got)
		}
	}
}

func TestOpen_usesSQLiteWithoutCheckpointBug(t *testing.T) {
	t.Parallel()
	_, e := openFile(t)
	c := e.writer.conn
	var version string
	if err := QueryRow(t.Context(), c, "SELECT sqlite_version()", nil, &version); err != nil {
		t.Fatal(err)
	}
	if olderVersion(version, "3.51.3") {
		t.Errorf("SQLite is %s, want 3.51.3 or newer", version)
	}
	if err := checkSQLiteVersion(t.Context(), c); err != nil {
		t.Error(err)
	}
}

// connectionsOf returns the write connection and the read connections, none of which is in use.
func connectionsOf(t *testing.T, e *sqliteEngine) []*sqliteConn {
	t.Helper()
	all := []*sqliteConn{e.writer.conn}
	for range e.readers {
		all = append(all, <-e.idleReaders)
	}
	for _, c := range all[1:] {
		e.idleReaders <- c
	}
	return all
}

func TestOpen_configuresEverySQLiteConnection(t *testing.T) {
	t.Parallel()
	_, e := openFile(t)
	if e.readers != 2 {
		t.Errorf("%d readers, want 2", e.readers)
	}

	for _, c := range connectionsOf(t, e) {
		name := "the writer"
		queryOnly := "0"
		tempStore := "2"
		if c != e.writer.conn {
			name, queryOnly, tempStore = "a reader", "1", "1"
		}

		for pragma, want := range map[string]string{
			"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "trusted_schema": "0",
			"cell_size_check": "1",
			"mmap_size":       "0", "temp_store": tempStore, "busy_timeout": "5000", "journal_size_limit": "67108864",
			"query_only": queryOnly,
		} {
			var got string
			if err := QueryRow(t.Context(), c, "PRAGMA "+pragma, nil, &got); err != nil || got != want {
				t.Errorf("%s has %s = %q, %v, want %s", name, pragma, got, err, want)
			}
		}
	}
}

func TestPrepare_boundsCachedStatements(t *testing.T) {
	t.Parallel()
	db, e := openFile(t)

	err := db.Read(t.Context(), func(q Querier) error {
		for n := range maxStatements + 50 {
			var got int
			if err := QueryRow(t.Context(), q, fmt.Sprintf("SELECT %d", n), nil, &got); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}

	// If batches were not split into chunks of a few fixed sizes, each of these batches would need its own statement.
	for rows := 1; rows < 250; rows += 7 {
		batch := NewBatch(BigInt)
		for n := range rows {
			batch.Add(n)
		}

		err := db.Read(t.Context(), func(q Querier) error {
			return q.QueryRows(t.Context(), "WITH r(n) AS (ROWS) SELECT n FROM r", batch,
				func(Rows) error { return nil })
		})
		if err != nil {
			t.Fatal(err)
		}
	}

	for _, c := range connectionsOf(t, e) {
		prepared := 0
		for range c.Stmts() {
			prepared++
		}

		if prepared > maxStatements || len(c.statements) > maxStatements {
			t.Errorf("a connection has %d prepared statements, %d of them cached, want at most %d", prepared,
				len(c.statements), maxStatements)
		}

		if prepared != len(c.statements) {
			t.Errorf("a connection has %d prepared statements but %d cached ones", prepared, len(c.statements))
		}
	}
}

func TestPrepare_reusesStatement(t *testing.T) {
	t.Parallel()
	_, e := openFile(t)
	c := e.writer.conn
	ctx := context.Background()
	for range 3 {
		var got int
		if err := QueryRow(ctx, c, "SELECT 7", nil, &got); err != nil || got != 7 {
			t.Fatal(got, err)
		}
	}

	known := len(c.statements)
	first := c.statements[statementKey{sql: "SELECT 7"}]

	if _, err := c.Exec(ctx, "SELECT 7"); err != nil {
		t.Fatal(err)
	}
	if c.statements[statementKey{sql: "SELECT 7"}] != first || len(c.statements) != known || first == nil {
		t.Error("a statement was prepared twice")
	}
}

// SQLite never updates planner statistics by itself. Statistics from a time when the database was small would make it
// scan whole tables after the database has grown.
func TestClose_leavesNoPlannerStatistics(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "vitrine.db")
	for range 2 {
		db, err := Open(t.Context(), Config{URL: path})
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}

		var counted int64
		err = db.Read(t.Context(), func(q Querier) error {
			return QueryRow(t.Context(), q, "SELECT COUNT(*) FROM sqlite_schema WHERE name LIKE 'sqlite_stat%'", nil,
				&counted)
		})
		if err != nil || counted != 0 {
			t.Errorf("there are %d tables of planner statistics, %v; want none", counted, err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
