package database

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/testkit/promise"
)

// sortedRows is the number of rows of the table that the tests sort, each of about sortedRowSize bytes.
const sortedRows, sortedRowSize = 150_000, 250

func fillSorted(t *testing.T, db *DB) {
	t.Helper()
	err := db.Write(t.Context(), func(q Querier) error {
		if _, err := q.Exec(t.Context(),
			"CREATE TABLE sorted (n INTEGER PRIMARY KEY, word TEXT NOT NULL) STRICT"); err != nil {
			return err
		}
		_, err := q.Exec(t.Context(), `
INSERT INTO sorted (n, word)
WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < $1)
SELECT n, HEX(RANDOMBLOB(8)) || $2 FROM numbers`, sortedRows, strings.Repeat("x", sortedRowSize-16))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A sort took memory for all of its rows, outside of Go's heap, and the connection kept it for good: two requests for
// the facets of a large store took more than the limit of the process.
func TestRead_boundsTheMemoryOfALargeSort(t *testing.T) {
	promise.OnlyThorough(t)
	t.Parallel()
	db, e := openFile(t)
	fillSorted(t, db)
	for _, statement := range []string{
		"SELECT word FROM sorted ORDER BY word",
		"SELECT word FROM sorted GROUP BY word HAVING COUNT(DISTINCT n) > 0",
		"SELECT COUNT(DISTINCT word) FROM sorted",
		"SELECT COUNT(*) FROM (SELECT word FROM sorted UNION SELECT word || 'a' FROM sorted)",
	} {
		var during int64
		err := db.Read(t.Context(), func(q Querier) error {
			conn := q.(*sqliteConn).Conn
			return QueryEach(t.Context(), q, statement, nil, func(Rows) error {
				during = max(during, memoryOf(conn))
				return nil
			})
		})
		if err != nil {
			t.Fatal(err)
		}

		if during == 0 || during > maxReadMemory {
			t.Errorf("%s: the connection has %d bytes, want at most %d", statement, during, maxReadMemory)
		}
	}

	if total := db.Stats().ReadMemory; total > int64(e.readers)*maxReadMemory {
		t.Errorf("the read connections have %d bytes", total)
	}

	left, err := filepath.Glob(filepath.Join(filepath.Dir(e.path), ".vitrine-sort-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %q %v", left, err)
	}
}

// The directory of temporary files of the system may be missing or in memory.
func TestRead_sortsInTheDirectoryOfTheDatabase(t *testing.T) {
	db, e := openFile(t)
	fillSorted(t, db)
	t.Setenv("SQLITE_TMPDIR", "/missing")
	t.Setenv("TMPDIR", "/missing")

	read := func() error {
		return db.Read(t.Context(), func(q Querier) error {
			return QueryEach(t.Context(), q, "SELECT word FROM sorted ORDER BY word", nil,
				func(Rows) error { return nil })
		})
	}
	if err := read(); err != nil {
		t.Error(err)
	}

	if os.Getuid() == 0 {
		return // may write to any directory
	}
	if err := os.Chmod(filepath.Dir(e.path), 0o500); err != nil {
		t.Fatal(err)
	}
	if err := read(); err == nil {
		t.Error("the sort used another directory")
	}

	if err := os.Chmod(filepath.Dir(e.path), 0o700); err != nil {
		t.Fatal(err)
	}
}

func TestRead_replacesAConnectionThatHasGrown(t *testing.T) {
	promise.OnlyThorough(t)
	t.Parallel()
	db, e := openFile(t)
	for range 4 { // each connection, twice
		var size int64
		err := db.Read(t.Context(), func(q Querier) error {
			err := QueryRow(t.Context(), q, "SELECT LENGTH(REPLACE(HEX(ZEROBLOB($1)), '0', '1'))", []any{maxReadMemory},
				&size)
			if grown := memoryOf(q.(*sqliteConn).Conn); grown <= maxReadMemory {
				t.Errorf("the statement took only %d bytes", grown)
			}
			return err
		})
		if err != nil || size != 2*maxReadMemory {
			t.Fatalf("%d %v", size, err)
		}
	}

	for _, c := range connectionsOf(t, e)[1:] {
		if kept := memoryOf(c.Conn); kept == 0 || kept > maxReadMemory {
			t.Errorf("a connection keeps %d bytes, want at most %d", kept, maxReadMemory)
		}
	}

	if total := db.Stats().ReadMemory; total == 0 || total > int64(e.readers)*maxReadMemory {
		t.Errorf("the read connections count as %d bytes", total)
	}

	err := db.Read(context.Background(), func(q Querier) error {
		_, err := q.Exec(context.Background(), "CREATE TABLE x (n INTEGER)")
		return err
	})
	if err == nil {
		t.Error("a new connection can write")
	}
}
