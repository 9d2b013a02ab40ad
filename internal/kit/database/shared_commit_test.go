package database_test

import (
	"encoding/binary"
	"os"
	"sync"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/databasetest"
)

// countCommits counts the commits in the write-ahead log of a SQLite file: the frames that carry the size of the database,
// as the last frame of a commit does. https://sqlite.org/fileformat2.html#the_write_ahead_log
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
			break // left from before the log began anew
		}
		if binary.BigEndian.Uint32(frame[4:]) != 0 {
			n++
		}
	}
	return n
}

// writeTogether makes so many writes wait, one behind the other, and returns how many commits they took in all.
func writeTogether(t *testing.T, writes int, write func(db *database.DB, i int, fn func(database.Querier) error) error) int {
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
			if err := write(db, i, func(q database.Querier) error { return insertNumbers(t.Context(), q, i) }); err != nil {
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
	const writes = 100
	n := writeTogether(t, writes, func(db *database.DB, _ int, fn func(database.Querier) error) error { return db.Write(t.Context(), fn) })
	t.Logf("%d writes took %d commits", writes, n)
	// 64 may share one, or as many as 3 ms hold; how many those are is the machine's business.
	if n < 2 || n > writes*3/4 {
		t.Errorf("%d concurrent writes took %d commits", writes, n)
	}
}

func TestWriteAlone_doesNotShareCommit(t *testing.T) {
	const writes = 21 // every other one alone: so nobody has a neighbour to share with
	n := writeTogether(t, writes, func(db *database.DB, i int, fn func(database.Querier) error) error {
		if i%2 == 1 {
			return db.WriteAlone(t.Context(), fn)
		}
		return db.Write(t.Context(), fn)
	})
	if n != writes {
		t.Errorf("%d writes, every other one with WriteAlone, took %d commits; want one each", writes, n)
	}
}
