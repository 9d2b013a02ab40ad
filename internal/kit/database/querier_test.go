package database_test

import (
	"database/sql"
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
)

type entity struct{}

func TestQuery_takesParametersByNumber(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *database.DB) {
		for _, c := range []struct {
			name, sql string
			args      []any
			want      []string
		}{
			{"in order", "SELECT CAST($1 AS text), CAST($2 AS text)", []any{"a", "b"}, []string{"a", "b"}},
			{"swapped", "SELECT CAST($2 AS text), CAST($1 AS text)", []any{"a", "b"}, []string{"b", "a"}},
			{"repeated", "SELECT CAST($1 AS text), CAST($1 AS text)", []any{"a"}, []string{"a", "a"}},
			{"repeated and swapped", "SELECT CAST($2 AS text), CAST($1 AS text) || CAST($2 AS text)", []any{"a", "b"},
				[]string{"b", "ab"}},
			{"more than nine", "SELECT CAST($10 AS text), $1 || $2 || $3 || $4 || $5 || $6 || $7 || $8 || $9",
				[]any{"1", "2", "3", "4", "5", "6", "7", "8", "9", "ten"}, []string{"ten", "123456789"}},
		} {
			got := make([]string, 2)

			err := db.Read(t.Context(), func(q database.Querier) error {
				return database.QueryRow(t.Context(), q, c.sql, c.args, &got[0], &got[1])
			})
			if err != nil || !cmp.Equal(got, c.want) {
				t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
			}
		}
	})
}

func TestQuery_refusesTooFewAndTooManyArguments(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *database.DB) {
		for _, args := range [][]any{{}, {"a"}, {"a", "b", "c"}} {
			err := db.Read(t.Context(), func(q database.Querier) error {
				var a, b *string
				return database.QueryRow(t.Context(), q, "SELECT CAST($1 AS text), CAST($2 AS text)", args, &a, &b)
			})
			if err == nil {
				t.Errorf("%d arguments for 2 parameters were accepted", len(args))
			}
		}
	})
}

func TestExec_storesValuesThatQueryReads(t *testing.T) {
	t.Parallel()
	thingID := id.New[entity]()

	eachEngine(t, func(t *testing.T, db *database.DB) {
		createTable(t, db, `CREATE TABLE v (n BIGINT NOT NULL, i BIGINT, b BOOLEAN, f DOUBLE PRECISION, s TEXT, `+
			`x BYTEA, u UUID)`)

		for n, c := range []struct {
			column string
			value  any
			dest   any // a pointer to the destination
			want   any // the expected value of the destination; nil if it equals value
		}{
			{column: "i", value: int64(math.MaxInt64), dest: new(int64)},
			{column: "i", value: int64(math.MinInt64), dest: new(int64)},
			{column: "i", value: int64(1<<53 + 1), dest: new(int64)}, // not representable as float64
			{column: "i", value: 7, dest: new(int)},
			{column: "i", value: int64(0), dest: new(*int64), want: new(int64(0))},
			{column: "i", value: new(int64(8)), dest: new(*int64)},
			{column: "i", value: new(9), dest: new(*int)},
			{column: "i", value: nil, dest: new(*int64), want: (*int64)(nil)},
			{column: "i", value: (*int64)(nil), dest: new(*int64)},
			{column: "i", value: sql.NullInt64{Int64: 5, Valid: true}, dest: new(sql.NullInt64)},
			{column: "i", value: sql.NullInt64{}, dest: new(sql.NullInt64)},
			{column: "b", value: true, dest: new(bool)},
			{column: "b", value: false, dest: new(bool)},
			{column: "b", value: new(true), dest: new(*bool)},
			{column: "b", value: new(false), dest: new(*bool)},
			{column: "b", value: (*bool)(nil), dest: new(*bool)},
			{column: "f", value: 0.1, dest: new(float64)},
			{column: "f", value: -math.MaxFloat64, dest: new(float64)},
			{column: "f", value: math.SmallestNonzeroFloat64, dest: new(float64)},
			{column: "f", value: 3.0, dest: new(float64)}, // SQLite stores it as an integer
			{column: "f", value: new(0.0), dest: new(*float64)},
			{column: "f", value: (*float64)(nil), dest: new(*float64)},
			{column: "f", value: sql.NullFloat64{Float64: 2.5, Valid: true}, dest: new(sql.NullFloat64)},
			{column: "s", value: "Лампа 🔦 \t\n'quoted'", dest: new(string)},
			{column: "s", value: "", dest: new(string)},
			{column: "s", value: "", dest: new(*string), want: new("")},
			{column: "s", value: new("p"), dest: new(*string)},
			{column: "s", value: (*string)(nil), dest: new(*string)},
			{column: "s", value: sql.NullString{String: "v", Valid: true}, dest: new(sql.NullString)},
			{column: "x", value: []byte{0, 1, 0xff, 0}, dest: new([]byte)},
			{column: "x", value: []byte{}, dest: new([]byte)}, // not NULL
			{column: "x", value: []byte(nil), dest: new([]byte)},
			{column: "x", value: nil, dest: new([]byte), want: []byte(nil)},
			{column: "u", value: thingID, dest: new(id.Of[entity])},
			{column: "u", value: &thingID, dest: new(*id.Of[entity])},
			{column: "u", value: (*id.Of[entity])(nil), dest: new(*id.Of[entity])},
			{column: "u", value: nil, dest: new(*id.Of[entity]), want: (*id.Of[entity])(nil)},
		} {
			want := c.want
			if want == nil {
				want = c.value
			}

			err := db.Write(t.Context(), func(q database.Querier) error {
				_, err := q.Exec(t.Context(), "INSERT INTO v (n, "+c.column+") VALUES ($1, $2)", n, c.value)
				return err
			})
			if err != nil {
				t.Errorf("store %#v in %s: %v", c.value, c.column, err)
				continue
			}

			err = db.Read(t.Context(), func(q database.Querier) error {
				return database.QueryRow(t.Context(), q, "SELECT "+c.column+" FROM v WHERE n = $1", []any{n}, c.dest)
			})
			if err != nil {
				t.Errorf("read %#v from %s: %v", want, c.column, err)
				continue
			}

			if got := reflect.ValueOf(c.dest).Elem().Interface(); !cmp.Equal(got, want) {
				t.Errorf("%s: stored %#v, read %#v:\n%s", c.column, want, got, cmp.Diff(want, got))
			}

			// Conditions in SQL must see NULL exactly for the values that are nil.
			null := reflect.ValueOf(want)
			isNull := want == nil || (null.Kind() == reflect.Pointer || null.Kind() == reflect.Slice) && null.IsNil() ||
				want == sql.NullInt64{}
			if got := queryInt(t, db, "SELECT COUNT(*) FROM v WHERE n = $1 AND "+c.column+" IS NULL",
				n) == 1; got != isNull {
				t.Errorf("%s: %#v is NULL in the table: %v, want %v", c.column, want, got, isNull)
			}
		}
	})
}

func TestQueryRow_refusesNullForPlainDestination(t *testing.T) {
	t.Parallel()

	eachEngine(t, func(t *testing.T, db *database.DB) {
		createTable(t, db, `CREATE TABLE v (n BIGINT NOT NULL, i BIGINT, b BOOLEAN, f DOUBLE PRECISION, s TEXT, `+
			`u UUID)`)
		mustExec(t, db, "INSERT INTO v (n) VALUES (1)")
		for column, dest := range map[string]any{
			"i": new(int64), "b": new(bool), "f": new(float64), "s": new(string), "u": new(id.Of[entity]),
		} {
			err := db.Read(t.Context(), func(q database.Querier) error {
				return database.QueryRow(t.Context(), q, "SELECT "+column+" FROM v", nil, dest)
			})
			if err == nil {
				t.Errorf("NULL was read into %T", dest)
			}
		}
	})
}

func TestQueryRow_returnsErrNoRows(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *database.DB) {
		err := db.Read(t.Context(), func(q database.Querier) error {
			var n int64
			return database.QueryRow(t.Context(), q, "SELECT 1 WHERE 1 = 2", nil, &n)
		})
		if !errors.Is(err, database.ErrNoRows) {
			t.Errorf("got %v, want ErrNoRows", err)
		}
	})
}

func TestScan_refusesWrongNumberOfDestinations(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *database.DB) {
		for _, sql := range []string{"SELECT 1", "SELECT 1, 2, 3"} {
			err := db.Read(t.Context(), func(q database.Querier) error {
				var a, b int64
				return database.QueryRow(t.Context(), q, sql, nil, &a, &b)
			})
			if err == nil {
				t.Errorf("%s was read into two numbers", sql)
			}
		}
	})
}

// A foreign key is checked at the end of the statement, after RETURNING has produced the first row.
func TestQueryRow_failsWhenTheStatementFailsAfterItsFirstRow(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *database.DB) {
		createTable(t, db, "CREATE TABLE parents (n BIGINT NOT NULL PRIMARY KEY)")
		createTable(t, db, "CREATE TABLE children (n BIGINT NOT NULL PRIMARY KEY, "+
			"parent BIGINT NOT NULL REFERENCES parents (n))")
		err := db.Write(t.Context(), func(q database.Querier) error {
			var n int64
			return database.QueryRow(t.Context(), q,
				"INSERT INTO children (n, parent) VALUES (1, 7), (2, 7) RETURNING n", nil, &n)
		})
		if err == nil {
			t.Error("a foreign key violation was not reported")
		}

		if n := queryInt(t, db, "SELECT COUNT(*) FROM children"); n != 0 {
			t.Errorf("%d children without parent are stored", n)
		}
	})
}

func TestNext_doesNotRerunStatementAfterLastRow(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *database.DB) {
		createTable(t, db, "CREATE TABLE numbers (n BIGINT NOT NULL)")

		err := db.Write(t.Context(), func(q database.Querier) error {
			rows, err := q.Query(t.Context(), "INSERT INTO numbers (n) VALUES (1) RETURNING n")
			if err != nil {
				return err
			}
			defer rows.Close()

			for rows.Next() {
			}

			for range 3 {
				if rows.Next() {
					t.Error("Next returned true after the last row")
				}
			}

			return rows.Err()
		})
		if err != nil {
			t.Fatal(err)
		}

		if n := queryInt(t, db, "SELECT COUNT(*) FROM numbers"); n != 1 {
			t.Errorf("one INSERT made %d rows", n)
		}
	})
}

func TestQuerier_refusesAStatementWhileRowsAreOpen(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *database.DB) {
		err := db.Read(t.Context(), func(q database.Querier) error {
			rows, err := q.Query(t.Context(), "SELECT 1 UNION ALL SELECT 2")
			if err != nil {
				return err
			}
			defer rows.Close()

			if !rows.Next() {
				t.Error("the query returned no row")
			}
			if _, err := q.Query(t.Context(), "SELECT 3"); err == nil {
				t.Error("a query ran while rows were open")
			}

			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestExec_countsChangedRows(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *database.DB) {
		createTable(t, db, "CREATE TABLE numbers (n BIGINT NOT NULL PRIMARY KEY)")

		for _, c := range []struct {
			sql  string
			want int64
		}{
			{"INSERT INTO numbers (n) VALUES (1), (2), (3)", 3},
			{"INSERT INTO numbers (n) VALUES (3), (4) ON CONFLICT DO NOTHING", 1},
			{"UPDATE numbers SET n = n + 10 WHERE n > 2", 2},
			{"UPDATE numbers SET n = 0 WHERE n > 100", 0},
			{"DELETE FROM numbers WHERE n < 100 RETURNING n", 4},
		} {
			err := db.Write(t.Context(), func(q database.Querier) error {
				n, err := q.Exec(t.Context(), c.sql)
				if n != c.want {
					t.Errorf("%s changed %d rows, want %d", c.sql, n, c.want)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
}

func TestViolatesIndex_identifiesIndex(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *database.DB) {
		createTable(t, db, "CREATE TABLE pairs (k BIGINT NOT NULL PRIMARY KEY, a BIGINT NOT NULL, b BIGINT NOT NULL, "+
			"c TEXT NOT NULL CHECK (c <> ''), d TEXT NOT NULL DEFAULT '')")
		mustExec(t, db, "CREATE UNIQUE INDEX pairs_a ON pairs (a, b)")
		mustExec(t, db, "CREATE UNIQUE INDEX pairs_c ON pairs (c)")
		mustExec(t, db, "CREATE UNIQUE INDEX pairs_lower ON pairs (lower(d)) WHERE d <> ''")
		mustExec(t, db, "INSERT INTO pairs (k, a, b, c, d) VALUES (1, 1, 1, 'x', 'x')")

		for _, c := range []struct {
			sql    string
			unique bool
			index  string // which index of the list below is violated; empty if none of them is
		}{
			{"INSERT INTO pairs (k, a, b, c) VALUES (1, 2, 2, 'y')", true, ""},
			{"INSERT INTO pairs (k, a, b, c) VALUES (2, 1, 1, 'y')", true, "pairs_a"},
			{"INSERT INTO pairs (k, a, b, c) VALUES (2, 2, 2, 'x')", true, "pairs_c"},
			{"INSERT INTO pairs (k, a, b, c, d) VALUES (2, 2, 2, 'y', 'X') /* pairs.c, pairs_c, pairs.a, pairs.b */",
				true, "pairs_lower"},
			{"INSERT INTO pairs (k, a, b, c) VALUES (2, 2, 2, '') /* pairs_c */", false, ""},
		} {
			err := db.Write(t.Context(), func(q database.Querier) error {
				_, err := q.Exec(t.Context(), c.sql)
				return err
			})
			if got := database.IsUniqueViolation(err); err == nil || got != c.unique {
				t.Errorf("%s: %v is a unique violation: %v, want %v", c.sql, err, got, c.unique)
			}

			for index, columns := range map[string]string{
				"pairs_a": "pairs.a, pairs.b", "pairs_c": "pairs.c", "pairs_lower": "no columns", "pairs_b": "pairs.a",
			} {
				if got := database.ViolatesIndex(err, index, columns); got != (index == c.index) {
					t.Errorf("%s: %v violates %s: %v, want %v", c.sql, err, index, got, index == c.index)
				}
			}
		}
	})
}
