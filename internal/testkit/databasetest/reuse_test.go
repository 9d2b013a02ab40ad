package databasetest_test

import (
	"errors"
	"maps"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/databasetest"
)

// oneRow inserts a row, and manyRows so many that emptying the table takes long.
var oneRow, manyRows = map[string]string{
	database.SQLite:   `INSERT INTO meta (name, value) VALUES ('test', CAST('value' AS BLOB))`,
	database.Postgres: `INSERT INTO meta (name, value) VALUES ('test', CAST(nextval('jobs_key_seq') AS TEXT)::BYTEA)`,
}, map[string]string{
	database.SQLite:   `INSERT INTO meta (name, value) VALUES ('test', zeroblob(1000000))`,
	database.Postgres: `INSERT INTO meta (name, value) SELECT 'n' || n, 'x' FROM generate_series(1, 30000) n`,
}

func TestOpenReused_handsOverAnEmptiedDatabase(t *testing.T) {
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			var first, second, third, fourth *database.DB
			var rows map[string]int64
			t.Run("writes rows", func(t *testing.T) {
				first = databasetest.OpenReused(t, engine)
				rows = countRows(t, first)
				exec(t, first, oneRow[engine])
			})

			t.Run("changes the schema", func(t *testing.T) {
				second = databasetest.OpenReused(t, engine)
				if got := countRows(t, second); !maps.Equal(got, rows) {
					t.Errorf("the rows per table are %v, want %v", got, rows)
				}
				if engine == database.Postgres {
					wantNoTrace(t, second)
				}
				exec(t, second, `CREATE TABLE mark (n INTEGER NOT NULL)`)
			})

			t.Run("gets another database and writes a lot", func(t *testing.T) {
				third = databasetest.OpenReused(t, engine)
				exec(t, third, manyRows[engine])
			})
			t.Run("gets another one", func(t *testing.T) { fourth = databasetest.OpenReused(t, engine) })

			if first != second {
				t.Error("a database was not reused after a test that only wrote rows")
			}
			if second == third {
				t.Error("a database was reused after a test that changed its schema")
			}
			if third == fourth {
				t.Error("a database was reused after a test that wrote so much that emptying it takes long")
			}
		})
	}
}

// A database whose tables were analysed has other plans.
func TestOpenReused_isAnotherDatabaseAfterAnalyze(t *testing.T) {
	databasetest.Require(t, database.Postgres)
	var first, second *database.DB
	t.Run("analyses", func(t *testing.T) {
		first = databasetest.OpenReused(t, database.Postgres)
		exec(t, first, oneRow[database.Postgres])
		exec(t, first, `ANALYZE meta`)
	})
	t.Run("gets another database", func(t *testing.T) { second = databasetest.OpenReused(t, database.Postgres) })
	if first == second {
		t.Error("a database was reused after a test that analysed a table")
	}
}

// wantNoTrace checks that keys begin with 1 again, and that the planner knows no size of a table.
func wantNoTrace(t *testing.T, db *database.DB) {
	t.Helper()
	var key, sized int64
	err := db.Write(t.Context(), func(q database.Querier) error {
		return errors.Join(
			database.QueryRow(t.Context(), q, `SELECT nextval('jobs_key_seq')`, nil, &key),
			database.QueryRow(t.Context(), q, `SELECT COUNT(*) FROM pg_class WHERE relkind = 'r' AND `+
				`reltuples >= 0 AND relnamespace = 'public'::REGNAMESPACE`, nil, &sized))
	})
	if key != 1 || sized != 0 || err != nil {
		t.Errorf("the next key is %d, the planner knows the sizes of %d tables, %v", key, sized, err)
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
