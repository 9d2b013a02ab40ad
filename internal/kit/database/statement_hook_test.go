package database_test

import (
	"errors"
	"slices"
	"testing"

	"vitrine/internal/kit/database"
)

// A hook sees each statement of a write transaction and the commit, and its error undoes the transaction.
func TestWithStatementHook_failsStatementsOfWrites(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *database.DB) {
		createTable(t, db, "CREATE TABLE numbers (n BIGINT NOT NULL PRIMARY KEY)")
		refused := errors.New("refused")
		for _, failAt := range []int{1, 2, 3, 4, 5, 0} {
			var calls []string

			ctx := database.WithStatementHook(t.Context(), func(sql string, after bool) error {
				if after {
					sql = "after " + sql
				}
				if calls = append(calls, sql); len(calls) == failAt {
					return refused
				}
				return nil
			})

			err := db.Write(ctx, func(q database.Querier) error {
				if err := database.Exec(ctx, q, "INSERT INTO numbers (n) VALUES (1)"); err != nil {
					return err
				}
				return q.ExecLater(ctx, "INSERT INTO numbers (n) VALUES (2)", nil)
			})
			want := int64(0)
			if failAt == 0 {
				want = 2
			}

			if errors.Is(err, refused) != (failAt > 0) || queryInt(t, db, "SELECT COUNT(*) FROM numbers") != want {
				t.Errorf("failure %d: got %v, want %d rows", failAt, err, want)
			}

			if all := []string{
				"INSERT INTO numbers (n) VALUES (1)", "after INSERT INTO numbers (n) VALUES (1)",
				"INSERT INTO numbers (n) VALUES (2)", "after INSERT INTO numbers (n) VALUES (2)", "COMMIT",
			}; failAt == 0 && !slices.Equal(calls, all) {
				t.Errorf("the hook is called with %q", calls)
			}
		}
	})
}
