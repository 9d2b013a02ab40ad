package database_test

import (
	"errors"
	"sync"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/databasetest/pgserver"
)

// startBouncer starts a PgBouncer before the server of the tests. The URL is that of the database behind it.
func startBouncer(t *testing.T, databaseURL string, settings ...string) string {
	t.Helper()
	b, err := pgserver.StartBouncer(databaseURL, settings...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Stop(); err != nil {
			t.Error(err)
		}
	})
	return b.URL
}

// A pool of one connection for each mode of PgBouncer: whatever a transaction leaves behind in the session, the next
// one finds.
func TestPooler_runsEveryTransactionWithItsSettings(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string][]string{
		"as it is": {"default_pool_size = 1"},
		"ignores the settings": {"default_pool_size = 1",
			"ignore_startup_parameters = vitrine.session, lock_timeout, " +
				"statement_timeout, idle_in_transaction_session_timeout, jit, synchronous_commit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := startBouncer(t, databasetest.NewMigratedURL(t, database.Postgres), settings...)
			db := openDB(t, database.Config{URL: address + "&lock_timeout=20s"})
			want := map[string]string{"statement_timeout": "2min", "lock_timeout": "20s", "jit": "off",
				"TimeZone":         "UTC",
				"application_name": "vitrine", "idle_in_transaction_session_timeout": "2min",
				"synchronous_commit": "on"}

			check := func(how string, q database.Querier) error {
				for setting, value := range want {
					var got string
					err := database.QueryRow(t.Context(), q, "SELECT current_setting($1)", []any{setting}, &got)
					if err != nil || got != value {
						t.Errorf("%s: %s = %q, %v, want %q", how, setting, got, err, value)
					}
				}
				return nil
			}
			for range 2 {
				err := errors.Join(
					db.Read(t.Context(), func(q database.Querier) error { return check("read", q) }),
					db.Snapshot(t.Context(), func(q database.Querier) error { return check("snapshot", q) }),
					db.Write(t.Context(), func(q database.Querier) error { return check("write", q) }))
				if err != nil {
					t.Fatal(err)
				}
			}

			err := db.Read(t.Context(), func(q database.Querier) error {
				return database.Exec(t.Context(), q, "CREATE TABLE by_mistake (n int)")
			})
			if err == nil {
				t.Error("a read wrote")
			}
		})
	}
}

func TestPooler_keepsTransactionsOfManyClientsApart(t *testing.T) {
	t.Parallel()
	address := startBouncer(t, databasetest.NewMigratedURL(t, database.Postgres), "default_pool_size = 3")
	dbs := []*database.DB{openDB(t, database.Config{URL: address}), openDB(t, database.Config{URL: address})}
	createTable(t, dbs[0], "CREATE TABLE numbers (n BIGINT NOT NULL PRIMARY KEY, touched INT NOT NULL DEFAULT 0)")
	const writers, writes = 8, 50
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			db := dbs[w%len(dbs)]
			for i := range writes {
				n := 1000 + w*writes + i

				err := db.Write(t.Context(), func(q database.Querier) error {
					batch := database.NewBatch(database.BigInt)
					batch.Add(int64(n))
					if _, err := q.ExecRows(t.Context(),
						"WITH r(n) AS (ROWS) INSERT INTO numbers (n) SELECT r.n FROM r", batch); err != nil {
						return err
					}

					var got int64
					if err := database.QueryRow(t.Context(), q, "SELECT n FROM numbers WHERE n = $1", []any{int64(n)},
						&got); err != nil {
						return err
					}

					return q.ExecLater(t.Context(), "UPDATE numbers SET touched = touched + 1 WHERE n = $1", nil,
						int64(n))
				})
				if err != nil {
					t.Errorf("write %d: %v", n, err)
					return
				}
			}
		})
	}

	all.Wait()
	got := queryInt(t, dbs[1], "SELECT COUNT(*) FROM numbers WHERE n >= 1000 AND touched = 1")
	if got != writers*writes {
		t.Errorf("%d rows, want %d", got, writers*writes)
	}
}

// Several nodes start at once on an empty database behind PgBouncer, which gives each transaction any session.
func TestPooler_migratesOnce(t *testing.T) {
	t.Parallel()
	address := startBouncer(t, databasetest.NewURL(t, database.Postgres), "default_pool_size = 4")
	var all sync.WaitGroup
	for range 3 {
		db := openDB(t, database.Config{URL: address})
		all.Go(func() {
			if err := db.Migrate(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
