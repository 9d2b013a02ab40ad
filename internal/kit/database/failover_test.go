package database_test

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/testkit/databasetest/pgserver"
)

// startPair starts a primary and a standby, which has each commit before it is acknowledged.
func startPair(t *testing.T) (primary, standby *pgserver.Server) {
	t.Helper()
	start := func(start func() (*pgserver.Server, error)) *pgserver.Server {
		s, err := start()
		if err != nil {
			t.Fatal(err)
		}

		t.Cleanup(func() {
			if err := s.Stop(); err != nil {
				t.Error(err)
			}
		})
		return s
	}

	primary = start(func() (*pgserver.Server, error) {
		return pgserver.Start(pgserver.Options{Settings: []string{"synchronous_commit = on"}})
	})
	standby = start(func() (*pgserver.Server, error) {
		return primary.StartStandby(pgserver.Options{Settings: []string{"synchronous_commit = on"}})
	})
	return primary, standby
}

// bothHosts returns a URL with the hosts of both servers.
func bothHosts(t *testing.T, primary, standby *pgserver.Server, query string) string {
	t.Helper()
	first, err := url.Parse(primary.URL)
	if err != nil {
		t.Fatal(err)
	}
	second, err := url.Parse(standby.URL)
	if err != nil {
		t.Fatal(err)
	}
	// The standby is named first: a client must look further.
	return "postgres://postgres@" + second.Host + "," + first.Host + "/postgres?sslmode=disable" + query
}

func TestFailover_findsTheNewPrimary(t *testing.T) {
	t.Parallel()
	primary, standby := startPair(t)
	dbs := map[string]*database.DB{}
	for _, query := range []string{"", "&target_session_attrs=read-write", "&target_session_attrs=primary"} {
		dbs[query] = openDB(t, database.Config{URL: bothHosts(t, primary, standby, query)})
	}

	createNumbers(t, dbs[""])

	// Wait until the standby follows, and then for each commit.
	admin := openDB(t, database.Config{URL: primary.URL, Readers: 1})
	for queryInt(t, admin, "SELECT COUNT(*) FROM pg_stat_replication WHERE state = 'streaming'") == 0 {
		time.Sleep(10 * time.Millisecond)
	}

	var mu sync.Mutex
	acknowledged := map[int64]bool{}

	write := func(ctx context.Context, db *database.DB, n int64) error {
		err := db.Write(ctx, func(q database.Querier) error {
			return database.Exec(ctx, q, "INSERT INTO numbers (n) VALUES ($1)", n)
		})
		if err == nil {
			mu.Lock()
			defer mu.Unlock()
			acknowledged[n] = true
		}

		return err
	}

	next := int64(0)
	for query, db := range dbs {
		for range 20 {
			next++
			if err := write(t.Context(), db, next); err != nil {
				t.Fatalf("%q: %v", query, err)
			}
		}
	}

	waitForReplay(t, admin, standby)
	if err := errors.Join(primary.Crash(), standby.Promote()); err != nil {
		t.Fatal(err)
	}

	for query, db := range dbs {
		for tries := 0; ; tries++ {
			next++
			err := write(t.Context(), db, next)
			if err == nil {
				break
			}
			if f, ok := errors.AsType[*fault.Error](err); !ok || f.Kind != fault.Unavailable || tries == 200 {
				t.Fatalf("%q: %v", query, err)
			}

			time.Sleep(20 * time.Millisecond)
		}
	}

	for n := range acknowledged {
		if queryInt(t, dbs[""], "SELECT COUNT(*) FROM numbers WHERE n = $1", n) != 1 {
			t.Errorf("the acknowledged %d is lost", n)
		}
	}
}

// waitForReplay waits until the standby has all commits of the primary.
func waitForReplay(t *testing.T, primary *database.DB, standby *pgserver.Server) {
	t.Helper()
	follower := openDB(t, database.Config{URL: standby.URL, Readers: 1})
	want := queryInt(t, primary, "SELECT (pg_current_wal_lsn() - '0/0')::bigint")
	for queryInt(t, follower, "SELECT (pg_last_wal_replay_lsn() - '0/0')::bigint") < want {
		time.Sleep(10 * time.Millisecond)
	}
}

// A proxy that leads to a standby for a while, as during a switchover: its connections stay open when it leads to the
// primary again.
func TestFailover_leavesAStandbyBehindAProxy(t *testing.T) {
	t.Parallel()
	primary, standby := startPair(t)
	admin := openDB(t, database.Config{URL: primary.URL, Readers: 1})
	createNumbers(t, admin)
	waitForReplay(t, admin, standby)
	p, address := startProxy(t, standby.URL)
	db := openDB(t, database.Config{URL: address})
	write := func() error {
		return db.Write(t.Context(), func(q database.Querier) error {
			return database.Exec(t.Context(), q, "INSERT INTO numbers (n) VALUES (1)")
		})
	}
	wantUnavailable(t, write(), "database_unavailable")
	if got := queryInt(t, db, "SELECT COUNT(*) FROM numbers"); got != 0 {
		t.Errorf("%d rows", got)
	}

	p.lead(t, primary.URL)

	for tries := 0; ; tries++ {
		err := write()
		if err == nil {
			break
		}

		wantUnavailable(t, err, "database_unavailable")
		if tries == 200 {
			t.Fatal(err)
		}

		time.Sleep(20 * time.Millisecond)
	}
}
