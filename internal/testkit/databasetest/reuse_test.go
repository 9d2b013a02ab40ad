package databasetest_test

import (
	"maps"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/databasetest"
)

func TestOpenReused_handsOverAnEmptiedDatabase(t *testing.T) {
	var first, second, third, fourth *database.DB
	var rows map[string]int64
	t.Run("writes rows", func(t *testing.T) {
		first = databasetest.OpenReused(t, database.SQLite)
		rows = countRows(t, first)
		exec(t, first, `INSERT INTO meta (name, value) VALUES ('test', CAST('value' AS BLOB))`)
	})

	t.Run("changes the schema", func(t *testing.T) {
		second = databasetest.OpenReused(t, database.SQLite)
		if got := countRows(t, second); !maps.Equal(got, rows) {
			t.Errorf("the rows per table are %v, want %v", got, rows)
		}
		exec(t, second, `CREATE TABLE mark (n INTEGER NOT NULL)`)
	})

	t.Run("gets another database and writes a lot", func(t *testing.T) {
		third = databasetest.OpenReused(t, database.SQLite)
		exec(t, third, `INSERT INTO meta (name, value) VALUES ('test', zeroblob(1000000))`)
	})
	t.Run("gets another one", func(t *testing.T) { fourth = databasetest.OpenReused(t, database.SQLite) })

	if first != second {
		t.Error("a database was not reused after a test that only wrote rows")
	}
	if second == third {
		t.Error("a database was reused after a test that changed its schema")
	}
	if third == fourth {
		t.Error("a database was reused after a test that wrote so much that emptying it takes long")
	}
}

func countRows(t *testing.T, db *database.DB) map[string]int64 {
	t.Helper()
	counts, err := db.CountRows(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return counts
}

func exec(t *testing.T, db *database.DB, sql string) {
	t.Helper()
	err := db.Write(t.Context(), func(q database.Querier) error {
		_, err := q.Exec(t.Context(), sql)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
