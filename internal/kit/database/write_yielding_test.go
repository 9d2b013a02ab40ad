package database_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"vitrine/internal/kit/database"
)

// A long transaction stopped the writes of all stores for its whole length. Now it is rolled back when another write
// waits for too long, even in the middle of a statement.
func TestM2_longTransactionGivesWayToOtherWrites(t *testing.T) {
	t.Parallel()
	for name, goOn := range map[string]func(q database.Querier) error{
		"in a long statement": func(q database.Querier) error {
			var n int64
			return database.QueryRow(t.Context(), q, endlessSQL, nil, &n)
		},
		"between short statements": func(q database.Querier) error {
			for n := 100; ; n++ {
				if err := insertNumbers(t.Context(), q, n); err != nil {
					return err
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			db := openSQLiteWithNumbers(t)
			started := make(chan struct{})
			other := make(chan error, 1)
			go func() {
				<-started
				other <- db.Write(t.Context(),
					func(q database.Querier) error { return insertNumbers(t.Context(), q, 2) })
			}()
			patience := database.Patience{Others: time.Millisecond, Background: time.Hour}
			err := db.WriteYielding(t.Context(), patience, func(q database.Querier) error {
				if err := insertNumbers(t.Context(), q, 1); err != nil {
					return err
				}
				close(started)
				return goOn(q)
			})
			if !errors.Is(err, database.ErrYielded) {
				t.Errorf("the long transaction returned %v, want ErrYielded", err)
			}

			if err := <-other; err != nil {
				t.Errorf("the other write: %v", err)
			}
			if got := storedNumbers(t, db); !slices.Equal(got, []int64{2}) {
				t.Errorf("stored %v, want only the row of the other write", got)
			}

			// The connection works as before, and an undisturbed transaction commits.
			err = db.WriteYielding(t.Context(), patience,
				func(q database.Querier) error { return insertNumbers(t.Context(), q, 3) })
			if got := storedNumbers(t, db); err != nil || !slices.Equal(got, []int64{2, 3}) {
				t.Errorf("the second attempt returned %v and stored %v", err, got)
			}
		})
	}
}

// Background work waits for a long transaction, and so does another long transaction: otherwise they would roll back
// each other for ever.
func TestWriteYielding_doesNotGiveWayToBackgroundWrites(t *testing.T) {
	t.Parallel()
	db := openSQLiteWithNumbers(t)
	patience := database.Patience{Others: 0, Background: time.Hour}
	ends := make(chan error, 2)

	err := db.WriteYielding(t.Context(), patience, func(q database.Querier) error {
		go func() {
			ends <- db.Write(database.InBackground(t.Context()),
				func(q database.Querier) error { return insertNumbers(t.Context(), q, 2) })
		}()
		go func() {
			ends <- db.WriteYielding(t.Context(), patience,
				func(q database.Querier) error { return insertNumbers(t.Context(), q, 3) })
		}()
		waitForQueuedWrites(t, db, 2)
		time.Sleep(20 * time.Millisecond) // several checks of whether to yield

		return insertNumbers(t.Context(), q, 1)
	})
	if err := errors.Join(err, <-ends, <-ends); err != nil {
		t.Error(err)
	}

	if got := storedNumbers(t, db); !slices.Equal(got, []int64{1, 2, 3}) {
		t.Errorf("stored %v, want all three rows", got)
	}
}

// A write that its caller has given up does not count as waiting.
func TestWriteYielding_doesNotGiveWayToAbandonedWrites(t *testing.T) {
	t.Parallel()
	db := openSQLiteWithNumbers(t)
	release := blockWriter(t, db)
	defer release()

	ctx, cancel := context.WithCancel(t.Context())
	abandoned := make(chan error, 1)
	go func() { abandoned <- db.Write(ctx, func(database.Querier) error { return nil }) }()
	waitForQueuedWrites(t, db, 1)
	cancel()

	if err := <-abandoned; !errors.Is(err, context.Canceled) {
		t.Fatalf("the abandoned write returned %v", err)
	}

	ended := make(chan error, 1)
	go func() {
		ended <- db.WriteYielding(t.Context(), database.Patience{},
			func(q database.Querier) error { return insertNumbers(t.Context(), q, 1) })
	}()
	waitForQueuedWrites(t, db, 2)
	release()

	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// On PostgreSQL other writes do not wait for a long transaction, so it need not give way.
func TestWriteYielding_commitsOnBothEngines(t *testing.T) {
	t.Parallel()
	withNumbers(t, func(t *testing.T, db *database.DB) {
		err := db.WriteYielding(t.Context(), database.Patience{}, func(q database.Querier) error {
			if db.Engine() == database.Postgres {
				err := db.Write(t.Context(), func(q database.Querier) error { return insertNumbers(t.Context(), q, 2) })
				if err != nil {
					return err
				}
			}
			return insertNumbers(t.Context(), q, 1)
		})
		if got := storedNumbers(t, db); err != nil || got[0] != 1 {
			t.Errorf("it returned %v and stored %v", err, got)
		}
	})
}

func openSQLiteWithNumbers(t *testing.T) *database.DB {
	t.Helper()
	db := openDB(t, database.Config{URL: t.TempDir() + "/test.db"})
	createNumbers(t, db)
	return db
}

// Retry makes as many attempts as it may. Each has more patience with its own store and with background work.
func TestYielding_retriesWithMorePatience(t *testing.T) {
	t.Parallel()
	y := database.Yielding{
		Patience: database.Patience{Others: 1, Owner: 3, Background: 5}, MaxOwner: 8, Attempts: 4, FirstPause: 1,
	}
	var seen []database.Patience
	err := y.Retry(t.Context(), func(patience database.Patience) error {
		seen = append(seen, patience)
		return database.ErrYielded
	})

	want := []database.Patience{{Others: 1, Owner: 3, Background: 5}, {Others: 1, Owner: 6, Background: 10},
		{Others: 1, Owner: 8, Background: 20}, {Others: 1, Owner: 8, Background: 40}}
	if !errors.Is(err, database.ErrYielded) || !slices.Equal(seen, want) {
		t.Errorf("it returned %v after attempts with %v, want ErrYielded after %v", err, seen, want)
	}

	other := errors.New("other")
	if err := y.Retry(t.Context(), func(database.Patience) error { return other }); !errors.Is(err, other) {
		t.Errorf("it returned %v, want the error of the attempt", err)
	}
}
