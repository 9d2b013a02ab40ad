package database_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/databasetest"
)

func countNumbers(ctx context.Context, q database.Querier) (n int64, err error) {
	err = database.QueryRow(ctx, q, "SELECT COUNT(*) FROM numbers", nil, &n)
	return n, err
}

func TestSnapshot_ignoresConcurrentCommits(t *testing.T) {
	t.Parallel()
	withNumbers(t, func(t *testing.T, db *database.DB) {
		var seen []int64
		next := 0

		countThreeTimes := func(q database.Querier) error {
			for range 3 {
				count, err := countNumbers(t.Context(), q)
				if err != nil {
					return err
				}

				seen = append(seen, count)
				next++
				err = db.Write(t.Context(),
					func(w database.Querier) error { return insertNumbers(t.Context(), w, next) })
				if err != nil {
					return err
				}
			}

			return nil
		}
		if err := db.Snapshot(t.Context(), countThreeTimes); err != nil || !slices.Equal(seen, []int64{0, 0, 0}) {
			t.Errorf("Snapshot saw %v, %v, want one state", seen, err)
		}

		seen = nil
		if err := db.Read(t.Context(), countThreeTimes); err != nil || !slices.Equal(seen, []int64{3, 4, 5}) {
			t.Errorf("Read saw %v, %v, want each commit", seen, err)
		}

		seen = nil
		if err := db.Snapshot(t.Context(), countThreeTimes); err != nil || !slices.Equal(seen, []int64{6, 6, 6}) {
			t.Errorf("a later Snapshot saw %v, %v, want the state at its own start", seen, err)
		}
	})
}

func TestRead_cannotWrite(t *testing.T) {
	t.Parallel()
	withNumbers(t, func(t *testing.T, db *database.DB) {
		for name, read := range map[string]func(context.Context, func(database.Querier) error) error{
			"Read": db.Read, "Snapshot": db.Snapshot,
		} {
			for _, sql := range []string{
				"INSERT INTO numbers (n) VALUES (1)", "CREATE TABLE more (n INTEGER)", "DROP TABLE numbers",
				"DELETE FROM numbers",
			} {
				err := read(t.Context(), func(q database.Querier) error {
					_, err := q.Exec(t.Context(), sql)
					return err
				})
				if err == nil {
					t.Errorf("%s ran %s", name, sql)
				}
			}
		}

		if got := storedNumbers(t, db); len(got) != 0 {
			t.Errorf("a reader stored %v", got)
		}
	})
}

// eachWithOneReader opens each database with one read connection, so that consecutive reads use the same connection.
func eachWithOneReader(t *testing.T, fn func(t *testing.T, db *database.DB)) {
	t.Helper()
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			db := openDB(t, database.Config{URL: databasetest.NewMigratedURL(t, engine), Readers: 1})
			createNumbers(t, db)
			fn(t, db)
		})
	}
}

func TestRead_seesNewStateAfterRowsWereLeftOpen(t *testing.T) {
	t.Parallel()
	eachWithOneReader(t, func(t *testing.T, db *database.DB) {
		mustExec(t, db, "INSERT INTO numbers (n) VALUES (1), (2)")

		for name, read := range map[string]func(context.Context, func(database.Querier) error) error{
			"Read": db.Read, "Snapshot": db.Snapshot,
		} {
			mustExec(t, db, "DELETE FROM numbers WHERE n > 2")
			_ = read(t.Context(), func(q database.Querier) error {
				rows, err := q.Query(t.Context(), "SELECT n FROM numbers ORDER BY n")
				if err == nil && !rows.Next() {
					t.Error("the query returned no rows")
				}
				return err
			})
			mustExec(t, db, "INSERT INTO numbers (n) VALUES (3)")

			if got := storedNumbers(t, db); !slices.Equal(got, []int64{1, 2, 3}) {
				t.Errorf("after a %s with rows left open the next read sees %v", name, got)
			}
		}
	})
}

func TestRead_releasesConnectionAfterPanic(t *testing.T) {
	t.Parallel()
	eachWithOneReader(t, func(t *testing.T, db *database.DB) {
		for _, read := range []func(context.Context, func(database.Querier) error) error{db.Read, db.Snapshot} {
			func() {
				defer func() {
					if p := recover(); p != "on purpose" {
						t.Errorf("recovered %v, want the panic of fn", p)
					}
				}()
				_ = read(t.Context(), func(q database.Querier) error {
					if _, err := countNumbers(t.Context(), q); err != nil {
						return err
					}
					panic("on purpose")
				})
			}()
		}

		mustExec(t, db, "INSERT INTO numbers (n) VALUES (1)")
		if got := storedNumbers(t, db); len(got) != 1 {
			t.Errorf("after the panics a read sees %v, want one row", got)
		}
	})
}

func TestSnapshot_endsTransactionWhenCancelled(t *testing.T) {
	t.Parallel()
	eachWithOneReader(t, func(t *testing.T, db *database.DB) {
		ctx, cancel := context.WithCancel(t.Context())
		err := db.Snapshot(ctx, func(q database.Querier) error {
			if _, err := countNumbers(ctx, q); err != nil {
				return err
			}
			cancel()
			_, err := countNumbers(ctx, q)
			return err
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}

		mustExec(t, db, "INSERT INTO numbers (n) VALUES (1)")
		if got := storedNumbers(t, db); len(got) != 1 {
			t.Errorf("the next read sees %v", got)
		}
		if err := db.Snapshot(t.Context(), func(database.Querier) error { return nil }); err != nil {
			t.Errorf("the next snapshot: %v", err)
		}
	})
}

// The context of one statement may end before the next statement, which has its own context.
func TestRead_ignoresCancelledContextOfEarlierStatement(t *testing.T) {
	t.Parallel()

	eachWithOneReader(t, func(t *testing.T, db *database.DB) {
		err := db.Read(t.Context(), func(q database.Querier) error {
			ctx, cancel := context.WithCancel(t.Context())
			_, err := countNumbers(ctx, q)
			cancel()
			if err != nil {
				return err
			}
			var n int64
			return database.QueryRow(t.Context(), q, "SELECT COUNT(*) + 1 FROM numbers", nil, &n)
		})
		if err != nil {
			t.Error(err)
		}
	})
}

const endlessSQL = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT COUNT(*) FROM r"

func TestRead_interruptsStatementWhenContextEnds(t *testing.T) {
	t.Parallel()
	eachWithOneReader(t, func(t *testing.T, db *database.DB) {
		for _, c := range []struct {
			make func() (context.Context, context.CancelFunc)
			want func(error) bool
		}{
			{func() (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(20*time.Millisecond, cancel)
				return ctx, cancel
			}, func(err error) bool { return errors.Is(err, context.Canceled) }},
			{func() (context.Context, context.CancelFunc) {
				return context.WithTimeout(t.Context(), 20*time.Millisecond)
			},
				func(err error) bool {
					wantUnavailable(t, err, "database_busy")
					return errors.Is(err, context.DeadlineExceeded)
				}},
		} {
			ctx, cancel := c.make()
			err := db.Read(ctx, func(q database.Querier) error {
				var n int64
				return database.QueryRow(ctx, q, endlessSQL, nil, &n)
			})
			cancel()
			if !c.want(err) {
				t.Errorf("got %v", err)
			}

			if got := storedNumbers(t, db); len(got) != 0 {
				t.Errorf("the next read sees %v", got)
			}
		}
	})
}

func TestRead_stopsWaitingForConnectionWhenContextEnds(t *testing.T) {
	t.Parallel()
	eachWithOneReader(t, func(t *testing.T, db *database.DB) {
		err := db.Read(t.Context(), func(database.Querier) error {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			return db.Read(ctx, func(database.Querier) error {
				t.Error("a second read ran at the same time")
				return nil
			})
		})
		wantUnavailable(t, err, "database_busy")
	})
}
