package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/ncruces/go-sqlite3"
)

// The -wal and -shm files had mode 0644: in a data directory that others may enter, they could read password hashes.
// Files that an earlier version left behind are corrected, too.
func TestM6_filesOfTheDatabaseArePrivate(t *testing.T) {
	t.Parallel()
	old := syscall.Umask(0o022)
	defer syscall.Umask(old)

	path := filepath.Join(t.TempDir(), "test.db")

	wantPrivate := func(when string) {
		t.Helper()
		for _, suffix := range []string{"", "-wal", "-shm"} {
			info, err := os.Stat(path + suffix)
			if err != nil || info.Mode().Perm() != privateMode {
				t.Errorf("%s: %s has the mode %v, want %v; %v", when, path+suffix, info, privateMode, err)
			}
		}
	}

	db, err := Open(t.Context(), Config{URL: path})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()

	wantPrivate("a new file")

	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Chmod(path+suffix, 0o644); err != nil {
			t.Fatal(err)
		}
	}

	again, err := Open(t.Context(), Config{URL: "file:" + path})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()

	wantPrivate("an old file")
}

func TestLock_refusesASecondHolderAndNamesTheFirst(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	unlock, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}

	_, err = Lock(path)
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(),
		fmt.Sprintf("(process %d): %s", os.Getpid(), path)) {
		t.Errorf("the second lock: %v", err)
	}

	if err := unlock(); err != nil {
		t.Error(err)
	}

	unlock, err = Lock(path)
	if err != nil {
		t.Fatalf("after the first was unlocked: %v", err)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
	if _, err := Lock(filepath.Join(t.TempDir(), "missing", "test.db")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a missing directory: %v", err)
	}
}

// A destroyed page was noticed only when it was read.
func TestL7_quickCheckFindsADestroyedPage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	db, err := Open(t.Context(), Config{URL: path})
	if err != nil {
		t.Fatal(err)
	}

	fillRows(t, db, 0, 2000)
	if err := errors.Join(db.QuickCheck(t.Context()), db.IntegrityCheck(t.Context())); err != nil {
		t.Errorf("a sound file: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(make([]byte, 4096), 8*4096); err != nil {
		t.Fatal(err)
	}

	f.Close()
	if db, err = Open(t.Context(), Config{URL: path}); err != nil {
		t.Fatal(err)
	}
	defer db.Close()

	if err := db.Ping(t.Context()); err != nil {
		t.Errorf("before the check: %v", err)
	}
	if err := db.QuickCheck(t.Context()); !errors.Is(err, sqlite3.CORRUPT) {
		t.Errorf("the check of a damaged file: %v", err)
	}
	if err := db.Ping(t.Context()); err == nil {
		t.Error("after the check, the database is still reported as sound")
	}
}

func fillRows(t *testing.T, db *DB, from, to int) {
	t.Helper()
	err := db.Write(t.Context(), func(q Querier) error {
		if _, err := q.Exec(t.Context(),
			"CREATE TABLE IF NOT EXISTS filler (n INTEGER PRIMARY KEY, s TEXT)"); err != nil {
			return err
		}

		for n := from; n < to; n++ {
			if _, err := q.Exec(t.Context(), "INSERT INTO filler (n, s) VALUES ($1, $2)", n,
				strings.Repeat("x", 100)); err != nil {
				return err
			}
		}

		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func countRows(t *testing.T, db *DB) (n int) {
	t.Helper()
	if err := db.Read(t.Context(), func(q Querier) error {
		return QueryRow(t.Context(), q, "SELECT COUNT(*) FROM filler", nil, &n)
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// A backup holds all that was committed before it, and whole transactions only, while others write.
func TestM9_backupIsASnapshot(t *testing.T) {
	t.Parallel()
	db, _ := openFile(t)
	fillRows(t, db, 0, 500)
	ctx, stop := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	wait.Go(func() {
		for n := 500; ctx.Err() == nil; n += 10 {
			fillRows(t, db, n, n+10)
		}
	})
	path := filepath.Join(t.TempDir(), "copy.db")
	err := db.Backup(t.Context(), path)
	stop()
	wait.Wait()
	if err != nil {
		t.Fatal(err)
	}

	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != privateMode {
		t.Errorf("the backup has the mode %v, %v", info, err)
	}

	restored, err := Open(t.Context(), Config{URL: path})
	if err != nil {
		t.Fatal(err)
	}
	defer restored.Close()

	if err := restored.IntegrityCheck(t.Context()); err != nil {
		t.Error(err)
	}
	if n := countRows(t, restored); n < 500 || n%10 != 0 {
		t.Errorf("the backup has %d rows, want whole transactions of 10 and the first 500", n)
	}
	if err := db.Backup(t.Context(), path); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("a backup over an existing file: %v", err)
	}
}

// A restored file whose predecessor left a write-ahead log had the transactions of that log applied to it.
func TestM9_replaceFileRemovesTheOldLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "test.db")
	file := filepath.Join(dir, "new.db")

	db, err := Open(t.Context(), Config{URL: path})
	if err != nil {
		t.Fatal(err)
	}

	fillRows(t, db, 0, 200)
	if err := db.Backup(t.Context(), file); err != nil {
		t.Fatal(err)
	}

	fillRows(t, db, 200, 500)

	// The files are those that a killed process leaves.
	killed := t.TempDir()
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(path + suffix)
		if err == nil {
			err = os.WriteFile(filepath.Join(killed, "test.db"+suffix), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}

	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	path = filepath.Join(killed, "test.db")
	if err := ReplaceFile(path, file); err != nil {
		t.Fatal(err)
	}
	if db, err = Open(t.Context(), Config{URL: path}); err != nil {
		t.Fatal(err)
	}
	defer db.Close()

	if n := countRows(t, db); n != 200 {
		t.Errorf("the restored database has %d rows, want 200", n)
	}
}

func TestHasTable(t *testing.T) {
	t.Parallel()
	db, _ := openFile(t)
	for _, want := range []bool{false, true} {
		if got, err := db.HasTable(t.Context(), "meta"); err != nil || got != want {
			t.Errorf("HasTable returns %t, %v; want %t", got, err, want)
		}
		if err := db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
