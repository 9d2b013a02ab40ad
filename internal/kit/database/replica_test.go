package database_test

import (
	"context"
	"errors"
	"net/url"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/databasetest"
)

// A replica answers reads while it is fresh. If it is behind, hangs, loses the connection or refuses it, the primary
// answers. What the caller's function returns is returned as it is.
func TestReadReplica_fallsBackToThePrimary(t *testing.T) {
	t.Parallel()
	address := databasetest.NewMigratedURL(t, database.Postgres)
	p, proxyURL := startProxy(t, address)
	db := openDB(t, database.Config{URL: address, ReplicaURL: proxyURL})
	createNumbers(t, db)
	fresh := true
	errOwn := errors.New("own")
	read := func(result error) error {
		return db.ReadReplica(t.Context(), database.Normal, true,
			func(context.Context, database.Querier) (bool, error) { return fresh, nil },
			func(q database.Querier) error {
				var n int
				return errors.Join(database.QueryRow(t.Context(), q, "SELECT COUNT(*) FROM numbers", nil, &n), result)
			})
	}

	for stats, _ := db.ReplicaStats(); stats.Reads == 0; stats, _ = db.ReplicaStats() { // it connects in the background
		if err := read(nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}

	want := func(what string, wantErr error, reads, behind, failed int64) {
		t.Helper()
		before, _ := db.ReplicaStats()

		if err := read(wantErr); !errors.Is(err, wantErr) || (err == nil) != (wantErr == nil) {
			t.Errorf("%s: %v", what, err)
		}

		after, _ := db.ReplicaStats()
		got := database.ReplicaStats{Reads: after.Reads - before.Reads, Behind: after.Behind - before.Behind,
			Failed: after.Failed - before.Failed}
		if got != (database.ReplicaStats{Reads: reads, Behind: behind, Failed: failed}) {
			t.Errorf("%s: counted %+v", what, got)
		}
	}

	want("fresh", nil, 1, 0, 0)
	want("own error", errOwn, 1, 0, 0)
	fresh = false
	want("behind", nil, 0, 1, 0)
	fresh = true
	p.intercept("commit", cutBeforeResponse)
	want("the connection is lost", nil, 0, 0, 1)
	want("left alone", nil, 0, 0, 0)
	db.ForgetReplicaFailure()
	p.intercept("begin isolation level repeatable read", ignoreRequest)
	want("hangs", nil, 0, 0, 1)
	want("left alone", nil, 0, 0, 0)
	db.ForgetReplicaFailure()
	want("works again", nil, 1, 0, 0)
}

// If all connections to the replica are in use, the primary answers, and the next read asks the replica again.
func TestReadReplica_busyReplicaHasNotFailed(t *testing.T) {
	t.Parallel()
	address := databasetest.NewMigratedURL(t, database.Postgres)
	oneConnection, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}

	query := oneConnection.Query()
	query.Set("pool_max_conns", "1")
	oneConnection.RawQuery = query.Encode()
	db := openDB(t, database.Config{URL: address, ReplicaURL: oneConnection.String()})
	read := func(fn func() error) {
		err := db.ReadReplica(t.Context(), database.Normal, true,
			func(context.Context, database.Querier) (bool, error) { return true, nil },
			func(database.Querier) error { return fn() })
		if err != nil {
			t.Error(err)
		}
	}
	nothing := func() error { return nil }
	for stats, _ := db.ReplicaStats(); stats.Reads == 0; stats, _ = db.ReplicaStats() { // it connects in the background
		read(nothing)
		time.Sleep(10 * time.Millisecond)
	}

	before, _ := db.ReplicaStats()
	read(func() error { // it has the connection
		read(nothing)
		return nil
	})
	read(nothing)

	after, _ := db.ReplicaStats()
	if after.Reads != before.Reads+2 || after.Busy != before.Busy+1 || after.Failed != before.Failed {
		t.Errorf("counted %+v after %+v, want two reads and a busy one", after, before)
	}
}
