package database_test

import (
	"context"
	"errors"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/storetest"
)

// kindStats returns the statistics of one kind of transactions.
func kindStats(t *testing.T, db *database.DB, kind database.Kind) database.TransactionStats {
	t.Helper()
	for _, s := range db.Stats().Transactions {
		if s.Kind == kind {
			return s
		}
	}
	t.Fatalf("there are no statistics of kind %s", kind)
	return database.TransactionStats{}
}

func TestStats_measureTransactionsByKind(t *testing.T) {
	t.Parallel()
	withNumbers(t, func(t *testing.T, db *database.DB) {
		nothing := func(database.Querier) error { return nil }
		kinds := []database.Kind{database.ReadKind, database.SnapshotKind, database.WriteKind}
		var before []database.TransactionStats
		for _, kind := range kinds {
			before = append(before, kindStats(t, db, kind))
		}

		for range 3 {
			if err := errors.Join(db.Read(t.Context(), nothing), db.Snapshot(t.Context(), nothing),
				db.Write(t.Context(), nothing), db.WriteAlone(t.Context(), nothing)); err != nil {
				t.Fatal(err)
			}
		}

		for i, want := range []int64{3, 3, 6} {
			got := kindStats(t, db, kinds[i])
			if n := got.Took.Count - before[i].Took.Count; n != want {
				t.Errorf("%d transactions of kind %s were measured, want %d", n, kinds[i], want)
			}
			if n := got.Wait.Count - before[i].Wait.Count; n != want {
				t.Errorf("%d waits of kind %s were measured, want %d", n, kinds[i], want)
			}
			if got.Took.Total <= before[i].Took.Total || got.Took.Total < got.Wait.Total {
				t.Errorf("%s took %v, of which it waited %v", kinds[i], got.Took.Total, got.Wait.Total)
			}

			buckets := got.Took.Buckets()
			if n := int64(buckets[120]); n != got.Took.Count {
				t.Errorf("the last bucket of %s has %d of %d", kinds[i], n, got.Took.Count)
			}
		}
	})
}

// A write that ends before it begins counts as one that waited.
func TestStats_countAbandonedTransactions(t *testing.T) {
	t.Parallel()
	withNumbers(t, func(t *testing.T, db *database.DB) {
		before := kindStats(t, db, database.WriteKind)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := db.Write(ctx, func(database.Querier) error { return nil }); err == nil {
			t.Fatal("a write with an ended context succeeded")
		}
		got := kindStats(t, db, database.WriteKind)
		if got.Took.Count != before.Took.Count+1 || got.Wait.Count != before.Wait.Count+1 {
			t.Errorf("measured %d transactions and %d waits, want one of each",
				got.Took.Count-before.Took.Count, got.Wait.Count-before.Wait.Count)
		}
	})
}

func TestStats_countConnections(t *testing.T) {
	t.Parallel()

	withNumbers(t, func(t *testing.T, db *database.DB) {
		err := db.Read(t.Context(), func(q database.Querier) error {
			c := db.Stats().Connections
			if c.InUse < 1 || c.Max < c.InUse+c.Idle {
				t.Errorf("during a read the connections are %+v", c)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if c := db.Stats().Connections; c.InUse != 0 {
			t.Errorf("without a transaction %d connections are in use", c.InUse)
		}
	})
}

func TestStats_showTheWriteQueue(t *testing.T) {
	t.Parallel()
	withNumbers(t, func(t *testing.T, db *database.DB) {
		if db.Engine() != database.SQLite {
			return // writes have no queue there
		}

		const queued = 3
		done := make(chan error, queued)
		err := db.WriteAlone(t.Context(), func(database.Querier) error {
			for range queued {
				go func() { done <- db.Write(t.Context(), func(database.Querier) error { return nil }) }()
			}
			storetest.Eventually(t, "the writes are queued", func() bool { return db.Stats().WriteQueue == queued })
			return nil
		})
		for range queued {
			err = errors.Join(err, <-done)
		}

		if n := db.Stats().WriteQueue; err != nil || n != 0 {
			t.Errorf("%d writes are queued at the end, %v", n, err)
		}
	})
}

func TestLogState_showsPagesThatWaitForACheckpoint(t *testing.T) {
	t.Parallel()
	withNumbers(t, func(t *testing.T, db *database.DB) {
		before, err := db.LogState(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		err = db.Write(t.Context(), func(q database.Querier) error { return insertNumbers(t.Context(), q, 1) })
		if err != nil {
			t.Fatal(err)
		}

		state, err := db.LogState(t.Context())
		switch s := db.Stats(); {
		case err != nil:
			t.Fatal(err)
		case db.Engine() != database.SQLite:
			if state != (database.LogState{}) {
				t.Errorf("PostgreSQL has the state %+v", state)
			}
		case state.Pending <= before.Pending || state.Pages < state.Pending || s.LogBytes == 0 || s.FileBytes == 0:
			t.Errorf("after a write the log has %+v, before %+v; %d bytes, and the file %d bytes", state, before,
				s.LogBytes, s.FileBytes)
		}
	})
}
