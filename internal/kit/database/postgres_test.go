package database_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/databasetest/pgserver"
	"vitrine/internal/testkit/storetest"
)

// withSettings adds PostgreSQL settings to a URL. They apply to every connection.
func withSettings(t *testing.T, address string, settings map[string]string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	for k, v := range settings {
		q.Set(k, v)
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// openPostgres opens a fresh PostgreSQL database with a table that holds the numbers 1 and 2.
func openPostgres(t *testing.T, settings map[string]string) *database.DB {
	t.Helper()
	db := openDB(t, database.Config{URL: withSettings(t, databasetest.NewMigratedURL(t, database.Postgres), settings)})
	createTable(t, db, "CREATE TABLE numbers (n BIGINT NOT NULL PRIMARY KEY, touched BIGINT NOT NULL DEFAULT 0)")
	mustExec(t, db, "INSERT INTO numbers (n) VALUES (1), (2)")
	return db
}

func increment(ctx context.Context, q database.Querier, n int) error {
	_, err := q.Exec(ctx, "UPDATE numbers SET touched = touched + 1 WHERE n = $1", n)
	return err
}

func TestWrite_retriesAfterDeadlock(t *testing.T) {
	t.Parallel()
	db := openPostgres(t, map[string]string{"deadlock_timeout": "50ms"})
	var both, all sync.WaitGroup
	both.Add(2)
	var runs atomic.Int32

	for _, order := range [][2]int{{1, 2}, {2, 1}} {
		all.Go(func() {
			first := true

			err := db.Write(t.Context(), func(q database.Querier) error {
				runs.Add(1)
				if err := increment(t.Context(), q, order[0]); err != nil {
					return err
				}

				if first { // wait until both have locked one row: then each needs the row of the other
					first = false
					both.Done()
					both.Wait()
				}

				return increment(t.Context(), q, order[1])
			})
			if err != nil {
				t.Errorf("%v: %v", order, err)
			}
		})
	}

	all.Wait()
	if got := queryInts(t, db, "SELECT touched FROM numbers ORDER BY n"); !slices.Equal(got, []int64{2, 2}) {
		t.Errorf("the rows were incremented %v times, want twice each", got)
	}
	if n := runs.Load(); n < 3 { // on a busy machine the second attempt may meet the same deadlock again
		t.Errorf("the two writes ran %d times in total, want at least 3", n)
	}
}

func TestWrite_retriesAfterSerialisationFailure(t *testing.T) {
	t.Parallel()
	db := openPostgres(t, nil)
	runs := 0

	err := db.Write(t.Context(), func(q database.Querier) error {
		runs++
		if _, err := q.Exec(t.Context(), "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"); err != nil {
			return err
		}
		if _, err := countNumbers(t.Context(), q); err != nil {
			return err
		}

		if runs == 1 { // another transaction changes the row first
			mustExec(t, db, "UPDATE numbers SET touched = 10 WHERE n = 1")
		}

		return increment(t.Context(), q, 1)
	})
	if err != nil || runs != 2 {
		t.Errorf("ran %d times with error %v, want twice and nil", runs, err)
	}

	if got := queryInt(t, db, "SELECT touched FROM numbers WHERE n = 1"); got != 11 {
		t.Errorf("touched = %d, want 11", got)
	}
}

func TestWrite_stopsRetryingAfterSixTries(t *testing.T) {
	t.Parallel()
	db := openPostgres(t, nil)
	runs := 0
	err := db.Write(t.Context(), func(q database.Querier) error {
		runs++
		_, err := q.Exec(t.Context(), "DO $do$ BEGIN RAISE EXCEPTION 'lost' USING ERRCODE = '40001'; END $do$")
		return err
	})
	wantUnavailable(t, err, "database_busy")
	if runs != 6 {
		t.Errorf("ran %d times, want 6", runs)
	}

	runs = 0
	err = db.Write(t.Context(), func(q database.Querier) error {
		runs++
		_, err := q.Exec(t.Context(), "DO $do$ BEGIN RAISE EXCEPTION 'a bug' USING ERRCODE = '23503'; END $do$")
		return err
	})
	if runs != 1 || err == nil || fault.KindOf(err) != fault.Internal {
		t.Errorf("a write with an error that is not retryable ran %d times, %v", runs, err)
	}
}

func TestWrite_isBusyAfterLockTimeout(t *testing.T) {
	t.Parallel()

	db := openPostgres(t, map[string]string{"lock_timeout": "50ms"})
	err := db.Write(t.Context(), func(q database.Querier) error {
		if err := increment(t.Context(), q, 1); err != nil {
			return err
		}
		err := db.Write(t.Context(), func(q database.Querier) error { return increment(t.Context(), q, 1) })
		wantUnavailable(t, err, "database_busy")
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if got := queryInt(t, db, "SELECT touched FROM numbers WHERE n = 1"); got != 1 {
		t.Errorf("touched = %d, want 1", got)
	}
}

func TestOpen_configuresEveryPostgresConnection(t *testing.T) {
	t.Parallel()
	db := openDB(t, database.Config{URL: databasetest.NewMigratedURL(t, database.Postgres), Readers: 1})
	for setting, want := range map[string]string{
		"synchronous_commit": "on", "statement_timeout": "2min", "lock_timeout": "30s",
		"idle_in_transaction_session_timeout": "2min", "TimeZone": "UTC", "application_name": "vitrine",
	} {
		var got string
		err := db.Read(t.Context(), func(q database.Querier) error {
			return database.QueryRow(t.Context(), q, "SELECT current_setting($1)", []any{setting}, &got)
		})
		if err != nil || got != want {
			t.Errorf("%s = %q, %v, want %q", setting, got, err, want)
		}
	}
}

// openThroughProxy opens a fresh database twice: through a proxy and directly.
func openThroughProxy(t *testing.T) (p *proxy, through, direct *database.DB) {
	t.Helper()
	address := databasetest.NewMigratedURL(t, database.Postgres)
	direct = openDB(t, database.Config{URL: address})
	createNumbers(t, direct)
	p, proxyURL := startProxy(t, address)
	return p, openDB(t, database.Config{URL: proxyURL}), direct
}

func TestWrite_hasUnknownOutcomeWhenCommitIsLost(t *testing.T) {
	t.Parallel()
	p, db, direct := openThroughProxy(t)
	n := 0
	for _, c := range []struct {
		name   string
		handle func(*proxyConn, []byte) bool
		stored bool
	}{
		{"the COMMIT does not arrive", cutBeforeRequest, false},
		{"the response does not arrive", cutBeforeResponse, true},
		{"the server shuts down after the COMMIT", terminateSession, true},
	} {
		n++
		runs := 0
		err := db.Write(t.Context(), func(q database.Querier) error {
			runs++
			p.intercept("commit", c.handle)
			return insertNumbers(t.Context(), q, n)
		})
		if p.intercepted.Load() != int32(n) {
			t.Fatalf("%s: no request was intercepted", c.name)
		}

		if !errors.Is(err, database.ErrUnknownOutcome) {
			t.Errorf("%s: %v, want ErrUnknownOutcome", c.name, err)
		}

		wantUnavailable(t, err, "outcome_unknown")
		if runs != 1 {
			t.Errorf("%s: ran %d times, want once", c.name, runs)
		}

		if c.stored {
			waitForNumber(t, direct, n)
		} else if slices.Contains(storedNumbers(t, direct), int64(n)) {
			t.Errorf("%s: the row is stored", c.name)
		}

		// The next write uses a new connection.
		if err := db.Write(t.Context(),
			func(q database.Querier) error { return insertNumbers(t.Context(), q, 100+n) }); err != nil {
			t.Errorf("after %s: %v", c.name, err)
		}
	}
}

// waitForNumber waits until the commit of n is visible.
func waitForNumber(t *testing.T, db *database.DB, n int) {
	t.Helper()
	storetest.Eventually(t, fmt.Sprintf("%d is stored", n), func() bool {
		return slices.Contains(storedNumbers(t, db), int64(n))
	})
}

func TestWrite_limitsWaitForCommit(t *testing.T) {
	t.Parallel()
	p, db, _ := openThroughProxy(t)
	db.SetEndTimeout(50 * time.Millisecond)
	began := time.Now()

	err := db.Write(t.Context(), func(q database.Querier) error {
		p.intercept("commit", ignoreRequest)
		return insertNumbers(t.Context(), q, 1)
	})
	if !errors.Is(err, database.ErrUnknownOutcome) {
		t.Errorf("got %v, want ErrUnknownOutcome", err)
	}

	refused := errors.New("refused")
	err = db.Write(t.Context(), func(q database.Querier) error {
		p.intercept("rollback", ignoreRequest)
		return refused
	})
	if !errors.Is(err, refused) || p.intercepted.Load() != 2 {
		t.Errorf("got %v after %d interceptions, want the error of fn after 2", err, p.intercepted.Load())
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("the two writes took %s", took)
	}
}

func TestPostgres_isUnavailableWhenConnectionIsLost(t *testing.T) {
	t.Parallel()
	p, db, direct := openThroughProxy(t)
	const statement = "SELECT CAST($1 AS bigint) AS cut_here"
	for name, run := range map[string]func(context.Context, func(database.Querier) error) error{
		"Read": db.Read, "Snapshot": db.Snapshot, "Write": db.Write,
	} {
		for _, handle := range []func(*proxyConn, []byte) bool{cutBeforeRequest, cutBeforeResponse, terminateSession} {
			err := run(t.Context(), func(q database.Querier) error {
				if name == "Write" {
					if err := insertNumbers(t.Context(), q, 1); err != nil {
						return err
					}
				}
				p.intercept("cut_here", handle)
				var n int64
				return database.QueryRow(t.Context(), q, statement, []any{7}, &n)
			})

			wantUnavailable(t, err, "database_unavailable")
			if errors.Is(err, database.ErrUnknownOutcome) {
				t.Errorf("%s: %v, though nothing was committed", name, err)
			}
			if err := db.Ping(t.Context()); err != nil {
				t.Errorf("%s: the next connection: %v", name, err)
			}
		}
	}

	if p.intercepted.Load() != 9 {
		t.Errorf("%d requests were intercepted, want 9", p.intercepted.Load())
	}
	if got := storedNumbers(t, direct); len(got) != 0 {
		t.Errorf("a write on a lost connection stored %v", got)
	}
}

// backendPIDs uses count connections at the same time, and returns the process ids of their backends.
func backendPIDs(t *testing.T, db *database.DB, count int) (pids []int64) {
	t.Helper()
	err := db.Read(t.Context(), func(q database.Querier) error {
		var pid int64
		if err := database.QueryRow(t.Context(), q, "SELECT pg_backend_pid()", nil, &pid); err != nil {
			return err
		}

		if count > 1 {
			pids = backendPIDs(t, db, count-1)
		}

		pids = append(pids, pid)
		return nil
	})
	if err != nil {
		t.Error(err)
	}

	return pids
}

// If all connections break at once, only one caller should see an error.
func TestPostgres_resetsPoolAfterOneLostConnection(t *testing.T) {
	t.Parallel()
	address := databasetest.NewMigratedURL(t, database.Postgres)
	db := openDB(t, database.Config{URL: address})
	direct := openDB(t, database.Config{URL: address})
	const many = 4
	before := backendPIDs(t, db, many)
	if n := queryInt(t, direct,
		"SELECT COUNT(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity WHERE datname = current_database() "+
			"AND pid <> pg_backend_pid()"); n < many {
		t.Fatalf("%d connections were terminated, want at least 4", n)
	}

	wantUnavailable(t, db.Write(t.Context(), func(database.Querier) error { return nil }), "database_unavailable")
	after := backendPIDs(t, db, many)
	if len(after) != many || slices.ContainsFunc(after, func(pid int64) bool { return slices.Contains(before, pid) }) {
		t.Errorf("the backends are %v, were %v; want four new ones", after, before)
	}

	// A timeout of one caller must not reset the pool.
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()

	err := db.Read(ctx, func(q database.Querier) error {
		_, err := q.Exec(ctx, "SELECT pg_sleep(60)")
		return err
	})
	wantUnavailable(t, err, "database_busy")
	kept := slices.DeleteFunc(backendPIDs(t, db, many), func(pid int64) bool { return !slices.Contains(after, pid) })
	if len(kept) != many-1 {
		t.Errorf("%d of %d connections are left after one timed out, want all but one", len(kept), many)
	}
}

func TestPing_failsOnStandby(t *testing.T) {
	t.Parallel()

	p, db, _ := openThroughProxy(t)
	if err := db.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	// There is no standby in this test. The proxy answers BEGIN READ WRITE as a standby would.
	p.intercept("begin read write", refuseAsStandby)
	wantUnavailable(t, db.Ping(t.Context()), "database_unavailable")
	if err := db.PingRead(t.Context()); err != nil {
		t.Errorf("a standby can be read, and PingRead returned %v", err)
	}
	p.intercept("begin read write", refuseAsStandby)
	wantUnavailable(t, db.Write(t.Context(), func(database.Querier) error { return nil }), "database_unavailable")
	if p.intercepted.Load() != 2 {
		t.Errorf("%d requests were intercepted, want 2", p.intercepted.Load())
	}
}

func TestOpen_isUnavailableWithoutServer(t *testing.T) {
	t.Parallel()
	// Nothing listens on the reserved port 1.
	_, err := database.Open(t.Context(),
		database.Config{URL: "postgres://postgres@127.0.0.1:1/postgres?sslmode=disable"})
	wantUnavailable(t, err, "database_unavailable")
	address, err := url.Parse(databasetest.ServerURL(t))
	if err != nil {
		t.Fatal(err)
	}
	address.Path = "/no_such_database"
	_, err = database.Open(t.Context(), database.Config{URL: address.String()})
	wantUnavailable(t, err, "database_unavailable")
}

func TestPostgres_recoversAfterServerRestart(t *testing.T) {
	t.Parallel()
	server, err := pgserver.Start(pgserver.Options{})
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	db := openDB(t, database.Config{URL: server.URL})
	createNumbers(t, db)

	ctx, stop := context.WithCancel(t.Context())
	defer stop()

	var next, unavailable, succeeded atomic.Int64
	var restarted atomic.Bool
	var mu sync.Mutex
	var acknowledged []int64
	var all sync.WaitGroup

	try := func(what string, run func() error) {
		for ctx.Err() == nil {
			err := run()
			var f *fault.Error
			switch {
			case err == nil && restarted.Load():
				succeeded.Add(1)
			case err == nil:
			case ctx.Err() != nil:
				return
			case errors.As(err, &f) && f.Kind == fault.Unavailable:
				unavailable.Add(1)
				time.Sleep(time.Millisecond) // wait before the next try, as a client would
			default:
				t.Errorf("%s while the server is down: %v, want Unavailable", what, err)
				return
			}
		}
	}
	for range 4 {
		all.Go(func() {
			try("a write", func() error {
				n := next.Add(1)
				err := db.Write(ctx, func(q database.Querier) error { return insertNumbers(ctx, q, int(n)) })
				if err == nil {
					mu.Lock()
					acknowledged = append(acknowledged, n)
					mu.Unlock()
				}
				return err
			})
		})

		all.Go(func() {
			try("a read", func() error {
				return db.Read(ctx, func(q database.Querier) error {
					_, err := countNumbers(ctx, q)
					return err
				})
			})
		})
	}

	for range 2 {
		before := next.Load()
		storetest.Eventually(t, "50 more writes have begun", func() bool { return next.Load() >= before+50 })
		if err := server.Restart(); err != nil {
			t.Fatal(err)
		}
	}

	restarted.Store(true)
	storetest.Eventually(t, "200 calls have succeeded after the restart",
		func() bool { return succeeded.Load() >= 200 })
	stop()
	all.Wait()

	if unavailable.Load() == 0 {
		t.Error("no call failed during the restarts; the test proves nothing")
	}

	// A call that was just cancelled may have left a broken connection: the first read may be refused, as others were.
	storetest.Eventually(t, "the database can be read", func() bool {
		err := db.Read(t.Context(), func(q database.Querier) error {
			return database.QueryEach(t.Context(), q, "SELECT 1", nil, func(database.Rows) error { return nil })
		})
		return err == nil
	})
	stored := map[int64]bool{}
	for _, n := range storedNumbers(t, db) {
		stored[n] = true
	}

	for _, n := range acknowledged {
		if !stored[n] {
			t.Errorf("%d was acknowledged and is lost", n)
		}
	}

	t.Logf("%d writes acknowledged, %d calls refused while the server was down", len(acknowledged), unavailable.Load())
}

// The callback ignores the error that closed the connection. Then no COMMIT can be sent, so the outcome is known.
func TestWrite_isUnavailableWhenConnectionIsLostBeforeCommit(t *testing.T) {
	t.Parallel()
	p, db, direct := openThroughProxy(t)

	err := db.Write(t.Context(), func(q database.Querier) error {
		if err := insertNumbers(t.Context(), q, 1); err != nil {
			return err
		}
		p.intercept("cut_here", cutBeforeRequest)
		var n int64
		_ = database.QueryRow(t.Context(), q, "SELECT 1 AS cut_here", nil, &n)
		return nil
	})

	wantUnavailable(t, err, "database_unavailable")
	if errors.Is(err, database.ErrUnknownOutcome) {
		t.Errorf("got %v, though no COMMIT was sent", err)
	}
	if got := storedNumbers(t, direct); len(got) != 0 {
		t.Errorf("stored %v, want nothing", got)
	}
}

// The callback ignores the error of a statement. PostgreSQL then answers the COMMIT with a ROLLBACK.
func TestWrite_failsWhenCallbackIgnoresStatementError(t *testing.T) {
	t.Parallel()
	withNumbers(t, func(t *testing.T, db *database.DB) {
		err := db.Write(t.Context(), func(q database.Querier) error {
			if err := insertNumbers(t.Context(), q, 1); err != nil {
				return err
			}
			_ = insertNumbers(t.Context(), q, 1)
			return nil
		})
		if stored := len(storedNumbers(t, db)) > 0; stored != (err == nil) ||
			errors.Is(err, database.ErrUnknownOutcome) {
			t.Errorf("the write returned %v, but its row is stored: %v", err, stored)
		}
	})
}
