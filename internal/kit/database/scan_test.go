package database_test

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"vitrine/internal/kit/database"
)

func TestScanHelpers_readColumnsPairsAndTimes(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *database.DB) {
		at := time.Date(2026, 2, 3, 4, 5, 6, 7000, time.UTC)

		err := db.Read(t.Context(), func(q database.Querier) error {
			var names []string
			pairs := map[string]int64{}
			sql := "WITH r(name, n) AS (ROWS) SELECT name, n FROM r ORDER BY n"
			batch := database.NewBatch(database.Text, database.BigInt)
			batch.Add("b", 1)
			batch.Add("a", 2)
			if err := q.QueryRows(t.Context(), sql, batch, database.PutPairs(pairs)); err != nil {
				return err
			}

			if want := map[string]int64{"a": 2, "b": 1}; !maps.Equal(pairs, want) {
				t.Errorf("PutPairs read %v, want %v", pairs, want)
			}

			sql = "WITH r(name) AS (ROWS) SELECT name FROM r ORDER BY name"
			batch = database.BatchOf(database.Text, []string{"y", "x"})
			if err := q.QueryRows(t.Context(), sql, batch, database.AppendColumn(&names)); err != nil {
				return err
			}
			if !slices.Equal(names, []string{"x", "y"}) {
				t.Errorf("AppendColumn read %q, want x and y", names)
			}

			type times struct {
				plain       time.Time
				null, given *time.Time
			}
			scan := func(rows database.Rows) (v times, err error) {
				err = rows.Scan(database.Time(&v.plain), database.NullTime(&v.null), database.NullTime(&v.given))
				return v, err
			}
			sql = "SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT), CAST($1 AS BIGINT)"
			args := []any{at.UnixMicro(), database.MicrosOrNull(nil)}
			got, err := database.QueryOne(t.Context(), q, sql, args, scan)
			if err != nil {
				return err
			}

			if got.plain != at || got.null != nil || got.given == nil || *got.given != at {
				t.Errorf("read %v, want %v, nil and %[2]v", got, at)
			}

			_, err = database.QueryOne(t.Context(), q, sql+" WHERE 1 = 0", args, scan)
			if !errors.Is(err, database.ErrNoRows) {
				t.Errorf("QueryOne of no row: %v, want ErrNoRows", err)
			}

			var unset time.Time
			err = database.QueryRow(t.Context(), q, "SELECT CAST(NULL AS BIGINT)", nil, database.Time(&unset))
			if err == nil {
				t.Error("NULL was read into a time")
			}

			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestNullIfZero_isNilOnlyForTheZeroValue(t *testing.T) {
	t.Parallel()
	for got, want := range map[any]any{
		database.NullIfZero(""): nil, database.NullIfZero("x"): "x", database.NullIfZero(int64(7)): int64(7),
		database.MicrosOrNull(new(time.UnixMicro(5))): int64(5),
	} {
		if got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}
