package database_test

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/databasetest"
)

// An old primary that is started again after a failover takes writes. Nobody would find them on the new primary.
func TestOpen_refusesAReturnedOldPrimary(t *testing.T) {
	t.Parallel()

	primary, standby := startPair(t)
	file := filepath.Join(t.TempDir(), "postgres-timeline")
	address := bothHosts(t, standby, primary, "") // the old primary is named first
	db := openDB(t, database.Config{URL: address, TimelineFile: file})
	createNumbers(t, db)
	waitForReplay(t, openDB(t, database.Config{URL: primary.URL, Readers: 1}), standby)

	if err := errors.Join(primary.Crash(), standby.Promote()); err != nil {
		t.Fatal(err)
	}
	insertWhenAvailable(t, db, 1)
	if err := primary.Restart(); err != nil {
		t.Fatal(err)
	}

	t.Run("a running node", func(t *testing.T) {
		for n := 2; n < 10; n++ {
			insertWhenAvailable(t, db, n)
		}
		wantNumbers(t, standby.URL, 9)
	})

	t.Run("a node that starts, by what the servers say", func(t *testing.T) {
		insertWhenAvailable(t, openDB(t, database.Config{URL: address}), 10)
		wantNumbers(t, standby.URL, 10)
	})

	t.Run("a node that starts, by what it remembers", func(t *testing.T) {
		_, err := database.Open(t.Context(), database.Config{URL: primary.URL, TimelineFile: file})
		wantUnavailable(t, err, "database_unavailable")
		if err == nil || !strings.Contains(err.Error(), "delete "+file) {
			t.Errorf("the error does not say what to do: %v", err)
		}
	})

	t.Run("a database restored on purpose", func(t *testing.T) {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		openDB(t, database.Config{URL: primary.URL, TimelineFile: file})
	})
}

// insertWhenAvailable inserts a number, and waits while the database is unavailable, as a client would.
func insertWhenAvailable(t *testing.T, db *database.DB, n int) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		err := db.Write(t.Context(), func(q database.Querier) error {
			return database.Exec(t.Context(), q, "INSERT INTO numbers (n) VALUES ($1)", n)
		})
		if err == nil {
			return
		}
		wantUnavailable(t, err, "database_unavailable")
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// wantNumbers checks how many numbers the server has.
func wantNumbers(t *testing.T, address string, want int64) {
	t.Helper()
	db := openDB(t, database.Config{URL: address, Readers: 1})
	if got := queryInt(t, db, "SELECT COUNT(*) FROM numbers"); got != want {
		t.Errorf("%d numbers, want %d", got, want)
	}
}

func TestOpen_refusesADamagedTimelineFile(t *testing.T) {
	t.Parallel()

	file := filepath.Join(t.TempDir(), "postgres-timeline")
	if err := os.WriteFile(file, []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := database.Open(t.Context(), database.Config{URL: databasetest.ServerURL(t), TimelineFile: file})
	if err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("Open returned %v, want an error that names the file", err)
	}
}

// A power cut can leave an empty file on a disk that does not keep its promises. It must not keep a shop closed.
func TestOpen_acceptsAnEmptyTimelineFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "timeline")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	openDB(t, database.Config{URL: databasetest.ServerURL(t), TimelineFile: file})
	if text, err := os.ReadFile(file); err != nil || len(text) == 0 {
		t.Errorf("the file has %q, %v, want a timeline", text, err)
	}
}

// A role, a database or a server with room for fewer connections than the pool has.
func TestPostgres_waitsForItsOwnConnectionsWhenTheServerRefusesMore(t *testing.T) {
	t.Parallel()

	admin := openPostgres(t, nil)
	const role = "few_connections"
	mustExec(t, admin, "CREATE ROLE "+role+" LOGIN CONNECTION LIMIT 3")
	defer mustExec(t, admin, "DROP ROLE "+role)

	address, err := url.Parse(databasetest.ServerURL(t))
	if err != nil {
		t.Fatal(err)
	}
	address.User = url.User(role)
	db, err := database.Open(t.Context(), database.Config{URL: address.String()})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()

	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			err := db.Read(t.Context(), func(q database.Querier) error {
				return database.Exec(t.Context(), q, "SELECT pg_sleep(0.005)")
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()

	// A caller that does not want to wait longer gets the connections' own error.
	release := holdConnections(t, db, 3)
	defer release()
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	wantUnavailable(t, db.Read(short, func(database.Querier) error { return nil }), "database_busy")
}

// holdConnections takes n connections until release is called.
func holdConnections(t *testing.T, db *database.DB, n int) (release func()) {
	t.Helper()
	held := make(chan struct{})
	end := make(chan struct{})
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			err := db.Read(t.Context(), func(database.Querier) error {
				held <- struct{}{}
				<-end
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}

	for range n {
		<-held
	}
	return func() {
		close(end)
		all.Wait()
	}
}
