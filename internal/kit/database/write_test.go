package database_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

// insertNumbers inserts rows into the table numbers.
func insertNumbers(ctx context.Context, q database.Querier, numbers ...int) error {
	for _, n := range numbers {
		if _, err := q.Exec(ctx, "INSERT INTO numbers (n) VALUES ($1)", n); err != nil {
			return err
		}
	}
	return nil
}

// withNumbers runs fn on each engine, on a database with the table numbers.
func withNumbers(t *testing.T, fn func(t *testing.T, db *database.DB)) {
	t.Helper()
	eachEngine(t, func(t *testing.T, db *database.DB) {
		createNumbers(t, db)
		fn(t, db)
	})
}

func createNumbers(tb testing.TB, db *database.DB) {
	tb.Helper()
	createTable(tb, db, "CREATE TABLE numbers (n BIGINT NOT NULL PRIMARY KEY)")
}

func storedNumbers(tb testing.TB, db *database.DB) []int64 {
	tb.Helper()
	return queryInts(tb, db, "SELECT n FROM numbers ORDER BY n")
}

// blockWriter blocks the SQLite writer, or the only connection of PostgreSQL, until release is called.
func blockWriter(t *testing.T, db *database.DB) (release func()) {
	t.Helper()
	started := make(chan struct{})
	proceed := make(chan struct{})
	ended := make(chan error)
	go func() {
		ended <- db.WriteAlone(t.Context(), func(database.Querier) error {
			close(started)
			<-proceed
			return nil
		})
	}()
	<-started

	return sync.OnceFunc(func() {
		close(proceed)
		if err := <-ended; err != nil {
			t.Errorf("the blocking write: %v", err)
		}
	})
}

// waitForQueuedWrites waits until n writes are in the queue of the SQLite writer.
func waitForQueuedWrites(t *testing.T, db *database.DB, n int) {
	t.Helper()
	storetest.Eventually(t, fmt.Sprintf("%d writes are queued", n), func() bool { return db.QueuedWrites() >= n })
}

func TestWrite_commitsAllOrNothing(t *testing.T) {
	t.Parallel()
	withNumbers(t, func(t *testing.T, db *database.DB) {
		refused := errors.New("refused")
		for _, write := range []func(context.Context, func(database.Querier) error) error{db.Write, db.WriteAlone} {
			err := write(t.Context(), func(q database.Querier) error { return insertNumbers(t.Context(), q, 1, 2) })
			if err != nil {
				t.Error(err)
			}

			err = write(t.Context(), func(q database.Querier) error {
				if err := insertNumbers(t.Context(), q, 3, 4); err != nil {
					return err
				}
				return refused
			})
			if !errors.Is(err, refused) {
				t.Errorf("got %v, want the error of fn", err)
			}

			if got := storedNumbers(t, db); !slices.Equal(got, []int64{1, 2}) {
				t.Errorf("stored %v, want the rows of the first write", got)
			}

			mustExec(t, db, "DELETE FROM numbers")
		}
	})
}

func TestAfterCommit_runsOnlyAfterCommit(t *testing.T) {
	t.Parallel()
	withNumbers(t, func(t *testing.T, db *database.DB) {
		var called []string

		write := func(name string, end error) {
			t.Helper()
			err := db.Write(t.Context(), func(q database.Querier) error {
				q.AfterCommit(func() {
					if len(storedNumbers(t, db)) > 0 {
						called = append(called, name)
					}
				})
				return errors.Join(insertNumbers(t.Context(), q, len(called)+1), end)
			})
			if !errors.Is(err, end) {
				t.Fatal(err)
			}
		}

		write("undone", errors.New("undo"))
		write("first", nil)
		write("undone", errors.New("undo"))
		write("second", nil)

		err := db.Read(t.Context(), func(q database.Querier) error {
			q.AfterCommit(func() { called = append(called, "a read") })
			return nil
		})
		if err != nil || !slices.Equal(called, []string{"first", "second"}) {
			t.Errorf("error %v; AfterCommit ran for %q, want first and second", err, called)
		}
	})
}

func TestWrite_rollsBackWhenStatementFails(t *testing.T) {
	t.Parallel()
	withNumbers(t, func(t *testing.T, db *database.DB) {
		err := db.Write(t.Context(), func(q database.Querier) error { return insertNumbers(t.Context(), q, 1, 2, 1) })
		if !database.IsUniqueViolation(err) {
			t.Errorf("got %v, want a unique violation", err)
		}
		if fault.KindOf(err) != fault.Internal {
			t.Errorf("%v is reported to clients as retryable", err)
		}
		if got := storedNumbers(t, db); len(got) != 0 {
			t.Errorf("stored %v, want nothing", got)
		}
	})
}

func TestWrite_passesPanicToCaller(t *testing.T) {
	t.Parallel()
	withNumbers(t, func(t *testing.T, db *database.DB) {
		for range 3 {
			func() {
				defer func() {
					if p := recover(); p != "on purpose" {
						t.Errorf("recovered %v, want the panic of fn", p)
					}
				}()

				err := db.Write(t.Context(), func(q database.Querier) error {
					if err := insertNumbers(t.Context(), q, 1); err != nil {
						return err
					}

					// Panic while the rows of a query are still open.
					rows, err := q.Query(t.Context(), "SELECT n FROM numbers")
					if err != nil {
						return err
					}

					rows.Next()
					panic("on purpose")
				})

				t.Errorf("Write returned %v after a panic", err)
			}()
		}

		err := db.Write(t.Context(), func(q database.Querier) error { return insertNumbers(t.Context(), q, 2) })
		if got := storedNumbers(t, db); err != nil || !slices.Equal(got, []int64{2}) {
			t.Errorf("after the panics: stored %v, %v, want [2]", got, err)
		}
	})
}

func TestWrite_refusesRowsLeftOpen(t *testing.T) {
	t.Parallel()
	withNumbers(t, func(t *testing.T, db *database.DB) {
		err := db.Write(t.Context(), func(q database.Querier) error {
			_, err := q.Query(t.Context(), "INSERT INTO numbers (n) VALUES (1) RETURNING n")
			return err
		})
		if err == nil || fault.KindOf(err) != fault.Internal {
			t.Errorf("got %v, want an internal error", err)
		}
		err = db.Write(t.Context(), func(q database.Querier) error { return insertNumbers(t.Context(), q, 2) })
		if got := storedNumbers(t, db); err != nil || !slices.Equal(got, []int64{2}) {
			t.Errorf("stored %v, %v, want the row of the next write", got, err)
		}
	})
}

// Twenty writes are queued together. Every third one fails, in one of several ways, and must not affect the others.
func TestWrite_isolatesFailuresInASharedCommit(t *testing.T) {
	t.Parallel()
	withNumbers(t, func(t *testing.T, db *database.DB) {
		mustExec(t, db, "INSERT INTO numbers (n) VALUES (1000)")
		refused := errors.New("refused")
		release := func() {}
		if db.Engine() == database.SQLite {
			release = blockWriter(t, db)
		}
		defer release()

		write := func(i int) (err error) {
			defer func() {
				if p := recover(); p != nil {
					err = refused
				}
			}()
			return db.Write(t.Context(), func(q database.Querier) error {
				if err := insertNumbers(t.Context(), q, i, i+100); err != nil {
					return err
				}

				switch i % 9 {
				case 2:
					return refused
				case 5:
					panic("on purpose")
				case 8:
					return insertNumbers(t.Context(), q, 1000) // a unique violation
				}

				return nil
			})
		}

		const writes = 20
		errs := make([]error, writes)
		var all sync.WaitGroup
		for i := range writes {
			all.Go(func() { errs[i] = write(i) })
		}

		if db.Engine() == database.SQLite {
			waitForQueuedWrites(t, db, writes)
		}

		release()
		all.Wait()
		want := []int64{1000}
		for i := range writes {
			if failed := i%3 == 2; failed != (errs[i] != nil) {
				t.Errorf("write %d: %v", i, errs[i])
			}
			if i%3 != 2 {
				want = append(want, int64(i), int64(i+100))
			}
		}

		slices.Sort(want)
		if got := storedNumbers(t, db); !slices.Equal(got, want) {
			t.Errorf("stored %v\nwant   %v", got, want)
		}
	})
}

func TestWrite_isVisibleWhenAcknowledged(t *testing.T) {
	t.Parallel()
	withNumbers(t, func(t *testing.T, db *database.DB) {
		const writers, each = 50, 8
		var all sync.WaitGroup
		for w := range writers {
			all.Go(func() {
				for i := range each {
					n := w*each + i
					if err := db.Write(t.Context(),
						func(q database.Querier) error { return insertNumbers(t.Context(), q, n) }); err != nil {
						t.Errorf("write %d: %v", n, err)
						return
					}

					if queryInt(t, db, "SELECT COUNT(*) FROM numbers WHERE n = $1", n) != 1 {
						t.Errorf("%d was acknowledged but is not visible", n)
					}
				}
			})
		}

		all.Wait()
		if got := len(storedNumbers(t, db)); got != writers*each {
			t.Errorf("%d rows, want %d", got, writers*each)
		}
	})
}

func TestWrite_isCancelledWhileQueued(t *testing.T) {
	t.Parallel()
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			db := openDB(t, database.Config{URL: databasetest.NewMigratedURL(t, engine), Readers: 1})
			release := blockWriter(t, db)
			defer release()

			ctx, cancel := context.WithCancel(t.Context())
			var ran atomic.Bool
			result := make(chan error)
			go func() {
				result <- db.Write(ctx, func(database.Querier) error {
					ran.Store(true)
					return nil
				})
			}()

			if engine == database.SQLite {
				waitForQueuedWrites(t, db, 1)
			}

			cancel()

			select {
			case err := <-result:
				if !errors.Is(err, context.Canceled) {
					t.Errorf("got %v, want context.Canceled", err)
				}
			case <-time.After(10 * time.Second):
				t.Fatal("Write did not return after its context was cancelled")
			}

			release()
			if err := db.Write(t.Context(), func(database.Querier) error { return nil }); err != nil {
				t.Error(err)
			}
			if ran.Load() {
				t.Error("a cancelled write ran")
			}
		})
	}
}

func TestWrite_returnsOutcomeWhenCancelledWhileRunning(t *testing.T) {
	t.Parallel()
	withNumbers(t, func(t *testing.T, db *database.DB) {
		for name, then := range map[string]func(context.Context, database.Querier) error{
			"after the last statement": func(context.Context, database.Querier) error { return nil },
			"before the next statement": func(ctx context.Context,
				q database.Querier) error {
				return insertNumbers(ctx, q, 2)
			},
			"and fn returns it": func(ctx context.Context, _ database.Querier) error { return ctx.Err() },
		} {
			ctx, cancel := context.WithCancel(t.Context())
			err := db.Write(ctx, func(q database.Querier) error {
				if err := insertNumbers(ctx, q, 1); err != nil {
					return err
				}
				cancel()
				return then(ctx, q)
			})
			if errors.Is(err, database.ErrUnknownOutcome) {
				t.Errorf("%s: %v", name, err)
			}

			if err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("%s: got %v, want context.Canceled or nothing", name, err)
			}
			if stored := len(storedNumbers(t, db)) > 0; stored != (err == nil) {
				t.Errorf("%s: the write returned %v, but its row is stored: %v", name, err, stored)
			}

			mustExec(t, db, "DELETE FROM numbers")
		}
	})
}

func TestWrite_failsCleanlyAfterClose(t *testing.T) {
	t.Parallel()
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			db := openDB(t, database.Config{URL: databasetest.NewMigratedURL(t, engine)})
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}

			nothing := func(database.Querier) error { return nil }
			for name, call := range map[string]func() error{
				"Write":      func() error { return db.Write(t.Context(), nothing) },
				"WriteAlone": func() error { return db.WriteAlone(t.Context(), nothing) },
				"Read":       func() error { return db.Read(t.Context(), nothing) },
				"Snapshot":   func() error { return db.Snapshot(t.Context(), nothing) },
				"Ping":       func() error { return db.Ping(t.Context()) },
				"PingRead":   func() error { return db.PingRead(t.Context()) },
			} {
				answer := make(chan error, 1)
				go func() { answer <- call() }()
				select {
				case err := <-answer:
					wantUnavailable(t, err, "database_unavailable")
				case <-time.After(10 * time.Second):
					t.Fatalf("%s blocks on a closed database", name)
				}
			}

			if err := db.Close(); err != nil {
				t.Errorf("second Close: %v", err)
			}
		})
	}
}

func TestClose_completesQueuedWrites(t *testing.T) {
	t.Parallel()
	path := databasetest.NewMigratedURL(t, database.SQLite)
	db := openDB(t, database.Config{URL: path})
	createNumbers(t, db)
	release := blockWriter(t, db)
	const writes = 20
	var all sync.WaitGroup
	for i := range writes {
		all.Go(func() {
			if err := db.WriteAlone(t.Context(),
				func(q database.Querier) error { return insertNumbers(t.Context(), q, i) }); err != nil {
				t.Errorf("write %d: %v", i, err)
			}
		})
	}

	waitForQueuedWrites(t, db, writes)
	closed := make(chan error)
	go func() { closed <- db.Close() }()
	storetest.Eventually(t, "the writer is stopping", db.WriterStopping)
	err := db.Write(t.Context(), func(database.Querier) error { return nil })
	wantUnavailable(t, err, "database_unavailable") // a write after Close is refused
	release()
	all.Wait()

	if err := <-closed; err != nil {
		t.Error(err)
	}
	if got := len(storedNumbers(t, openDB(t, database.Config{URL: path}))); got != writes {
		t.Errorf("%d rows are stored, want %d", got, writes)
	}
}

func TestWrite_keepsProgrammingErrorsInternal(t *testing.T) {
	t.Parallel()
	withNumbers(t, func(t *testing.T, db *database.DB) {
		for _, sql := range []string{
			"SELECT nothing FROM nowhere", "INSERT INTO meta (name) VALUES ('no value')", "no SQL at all"} {
			err := db.Write(t.Context(), func(q database.Querier) error {
				_, err := q.Exec(t.Context(), sql)
				return err
			})
			var f *fault.Error
			if err == nil || errors.As(err, &f) {
				t.Errorf("%s: got %v, want an internal error", sql, err)
			}
		}
	})
}
