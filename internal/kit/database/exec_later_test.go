package database_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"vitrine/internal/kit/database"
)

// laterTables has t, in which numbers are unique.
const laterTables = `CREATE TABLE t (n BIGINT NOT NULL PRIMARY KEY)`

func insertLater(ctx context.Context, q database.Querier, n int64) error {
	return q.ExecLater(ctx, "INSERT INTO t (n) VALUES ($1)", nil, n)
}

func insertAllLater(ctx context.Context, q database.Querier, from, to int64) error {
	batch := database.NewBatch(database.BigInt)
	for n := from; n < to; n++ {
		batch.Add(n)
	}
	return q.ExecLater(ctx, "WITH r(n) AS (ROWS) INSERT INTO t (n) SELECT r.n FROM r", batch)
}

func numbers(ctx context.Context, q database.Querier) (list []int64, err error) {
	err = database.QueryEach(ctx, q, "SELECT n FROM t ORDER BY n", nil, database.AppendColumn(&list))
	return list, err
}

// Whatever the next statement is, it sees the effect of the statements before it; and so does the commit.
func TestExecLater_isSeenByTheNextStatement(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *database.DB) {
		createTable(t, db, laterTables)
		ctx := t.Context()

		err := db.Write(ctx, func(q database.Querier) error {
			err := errors.Join(insertLater(ctx, q, 1), insertLater(ctx, q, 2))
			if got, err := numbers(ctx, q); err != nil || !slices.Equal(got, []int64{1, 2}) {
				t.Errorf("a query saw %d, %v", got, err)
			}

			err = errors.Join(err, insertAllLater(ctx, q, 3, 5), insertAllLater(ctx, q, 0, 0))
			if n, err := q.Exec(ctx, "DELETE FROM t WHERE n > $1", 2); err != nil || n != 2 {
				t.Errorf("a statement changed %d rows, %v", n, err)
			}

			err = errors.Join(err, insertLater(ctx, q, 3))
			var found []int64
			batch := database.NewBatch(database.BigInt)
			batch.Add(int64(3))

			all := database.BatchQuery{SQL: "WITH r(n) AS (ROWS) SELECT t.n FROM r JOIN t ON t.n = r.n", Batch: batch,
				Each: database.AppendColumn(&found)}
			if err := q.QueryAll(ctx, all); err != nil || !slices.Equal(found, []int64{3}) {
				t.Errorf("QueryAll saw %d, %v", found, err)
			}

			return errors.Join(err, insertAllLater(ctx, q, 4, 20_000))
		})
		if err != nil {
			t.Fatal(err)
		}

		got, err := database.Read(ctx, db, func(q database.Querier) ([]int64, error) { return numbers(ctx, q) })
		if err != nil || len(got) != 19_999 {
			t.Errorf("after the commit there are %d rows, %v", len(got), err)
		}
	})
}

// A statement that fails fails the transaction, and its error names it: that of the call itself, of the next statement,
// or of the commit.
func TestExecLater_failsTheTransaction(t *testing.T) {
	t.Parallel()
	next := map[string]func(ctx context.Context, q database.Querier) error{
		"query": func(ctx context.Context, q database.Querier) error { _, err := numbers(ctx, q); return err },
		"statement": func(ctx context.Context, q database.Querier) error {
			return database.Exec(ctx, q, "DELETE FROM t")
		},
		"commit": func(context.Context, database.Querier) error { return nil },
	}

	eachEngine(t, func(t *testing.T, db *database.DB) {
		createTable(t, db, laterTables)
		ctx := t.Context()
		for name, call := range next {
			err := db.Write(ctx, func(q database.Querier) error {
				if err := database.Exec(ctx, q, "INSERT INTO t (n) VALUES (1)"); err != nil {
					return err
				}
				if err := insertLater(ctx, q, 1); err != nil {
					return err
				}
				return call(ctx, q)
			})
			if !database.IsUniqueViolation(err) {
				t.Errorf("%s: the error is %v", name, err)
			}

			got, err := database.Read(ctx, db, func(q database.Querier) ([]int64, error) { return numbers(ctx, q) })
			if err != nil || len(got) != 0 {
				t.Errorf("%s: after the failure there are %d, %v", name, got, err)
			}
		}
	})
}

// Like the commit itself, the statements that are sent before it do not heed the cancellation of the caller's context.
func TestExecLater_commitIgnoresCancellation(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *database.DB) {
		createTable(t, db, laterTables)
		ctx, cancel := context.WithCancel(t.Context())
		err := db.Write(ctx, func(q database.Querier) error {
			defer cancel()
			return insertLater(ctx, q, 1)
		})
		got, readErr := database.Read(t.Context(), db,
			func(q database.Querier) ([]int64, error) { return numbers(t.Context(), q) })
		if err != nil || readErr != nil || !slices.Equal(got, []int64{1}) {
			t.Errorf("the transaction returned %v and left %d, %v", err, got, readErr)
		}
	})
}
