package database_test

import (
	"encoding/binary"
	"os"
	"sync"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/databasetest"
)

// countCommits counts the commits in the write-ahead log of a SQLite file. The last frame of a commit holds the size of
// the database; in all other frames this field is zero. See https://sqlite.org/fileformat2.html#the_write_ahead_log.
func countCommits(t *testing.T, path string) (n int) {
	t.Helper()
	wal, err := os.ReadFile(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}

	const header, frameHeader = 32, 24
	page := int(binary.BigEndian.Uint32(wal[8:]))
	salt := [8]byte(wal[16:24])
	for at := header; at+frameHeader+page <= len(wal); at += frameHeader + page {
		frame := wal[at:]
		if [8]byte(frame[8:16]) != salt {
			break // a frame from before the log was restarted
		}
		if binary.BigEndian.Uint32(frame[4:]) != 0 {
			n++
		}
	}

	return n
}

// writeTogether queues the given number of writes behind a blocking write, and returns how many commits they took.
func writeTogether(t *testing.T, writes int,
	write func(db *database.DB, i int, fn func(database.Querier) error) error) int {
	t.Helper()
	path := databasetest.NewMigratedURL(t, database.SQLite)
	db := openDB(t, database.Config{URL: path})
	createNumbers(t, db)
	before := countCommits(t, path)
	release := blockWriter(t, db)
	defer release()

	var all sync.WaitGroup
	for i := range writes {
		all.Go(func() {
			if err := write(db, i,
				func(q database.Querier) error { return insertNumbers(t.Context(), q, i) }); err != nil {
				t.Errorf("write %d: %v", i, err)
			}
		})
		waitForQueuedWrites(t, db, i+1)
	}

	release()
	all.Wait()

	if got := len(storedNumbers(t, db)); got != writes {
		t.Errorf("%d rows, want %d", got, writes)
	}

	return countCommits(t, path) - before
}

func TestWrite_sharesCommitsOnSQLite(t *testing.T) {
	t.Parallel()
	const writes = 100
	n := writeTogether(t, writes,
		func(db *database.DB, _ int, fn func(database.Querier) error) error { return db.Write(t.Context(), fn) })
	t.Logf("%d writes took %d commits", writes, n)
	// At most 64 writes share a commit, and only as many as run within 3 ms. How many these are depends on the machine,
	// so the test accepts a wide range.
	if n < 2 || n > writes*3/4 {
		t.Errorf("%d concurrent writes took %d commits", writes, n)
	}
}

func TestWriteAlone_doesNotShareCommit(t *testing.T) {
	t.Parallel()
	const writes, alone = 21, 10 // every second one is a WriteAlone
	n := writeTogether(t, writes, func(db *database.DB, i int, fn func(database.Querier) error) error {
		if i%2 == 1 {
			return db.WriteAlone(t.Context(), fn)
		}
		return db.Write(t.Context(), fn)
	})
	if n <= alone {
		t.Errorf("%d writes, %d of them with WriteAlone, took %d commits; want one for each of these", writes, alone, n)
	}
}
