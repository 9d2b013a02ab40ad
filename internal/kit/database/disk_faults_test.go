package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"

	"vitrine/internal/kit/fault"
)

// diskOperation is a file operation that can be made to fail.
type diskOperation string

const (
	opWrite diskOperation = "write"
	opFsync diskOperation = "fsync"
)

// diskFaults decides which operations on a write-ahead log fail. faultyFile calls next before each operation.
type diskFaults struct {
	mu        sync.Mutex
	operation diskOperation
	skip      int // how many operations succeed first
	remaining int // how many operations fail after that
	err       error
	failed    int // how many operations have failed
}

// set makes operations of one kind fail with errno. skip is how many of them succeed first, and count is how many fail
// after that.
func (f *diskFaults) set(operation diskOperation, skip, count int, errno syscall.Errno) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.operation = operation
	f.skip = skip
	f.remaining = count
	f.failed = 0
	f.err = &fs.PathError{Op: string(operation), Path: "test", Err: errno} // like an error of package os
}

func (f *diskFaults) failures() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed
}

func (f *diskFaults) next(operation diskOperation) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil || operation != f.operation || f.remaining == 0 {
		return nil
	}
	if f.skip > 0 {
		f.skip--
		return nil
	}
	f.remaining--
	f.failed++
	return f.err
}

// wrapFile returns the file that a test uses instead of f.
type wrapFile func(f vfs.File) vfs.File

// wrappingVFS wraps the files that are registered in byPath. Other files use it too, unwrapped.
type wrappingVFS struct {
	vfs.VFS
	byPath *sync.Map // wrapFile by path of the file
}

func (d wrappingVFS) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, flags, err := vfsutil.WrapOpenFilename(d.VFS, name, flags)
	if err != nil {
		return nil, flags, err
	}
	if wrap, ok := d.byPath.Load(name.String()); ok {
		f = wrap.(wrapFile)(f)
	}
	return f, flags, nil
}

// faultyFile embeds sqliteFile for the methods that only call the wrapped file.
type faultyFile struct {
	sqliteFile
	faults *diskFaults
}

func (f *faultyFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.faults.next(opWrite); err != nil {
		n, _ := f.File.WriteAt(p[:len(p)/2], off) // a partial write, as on a full disk
		return n, err
	}
	return f.File.WriteAt(p, off)
}

func (f *faultyFile) Sync(flags vfs.SyncFlag) error {
	if err := f.faults.next(opFsync); err != nil {
		return err
	}
	return f.File.Sync(flags)
}

var wrapsByPath = sync.OnceValue(func() *sync.Map {
	registerVFS()
	byPath := &sync.Map{}
	vfs.Register(vfsName, sqliteVFS{wrappingVFS{vfs.Find("os"), byPath}})
	return byPath
})

// openFaulty opens a database with the table numbers and with a write-ahead log that can be made to fail.
func openFaulty(t *testing.T) (*DB, *diskFaults) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.db")
	faults := &diskFaults{}
	wrapsByPath().Store(path+"-wal", wrapFile(func(f vfs.File) vfs.File {
		return &faultyFile{sqliteFile{File: f}, faults}
	}))

	db, err := Open(t.Context(), Config{URL: path, Readers: 2})
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		faults.set(opWrite, 0, 0, 0)
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	err = db.Write(t.Context(), func(q Querier) error {
		_, err := q.Exec(t.Context(), "CREATE TABLE numbers (n INTEGER NOT NULL PRIMARY KEY, filler TEXT) STRICT")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	return db, faults
}

// insertLarge inserts rows that fill about one page each.
func insertLarge(q Querier, ids ...int) error {
	for _, n := range ids {
		if _, err := q.Exec(context.Background(), "INSERT INTO numbers (n, filler) VALUES ($1, $2)", n,
			strings.Repeat("x", 3000)); err != nil {
			return err
		}
	}
	return nil
}

func storedNumbers(t *testing.T, db *DB) (all []int) {
	t.Helper()
	err := db.Read(t.Context(), func(q Querier) error {
		return QueryEach(t.Context(), q, "SELECT n FROM numbers ORDER BY n", nil, func(r Rows) error {
			var n int
			err := r.Scan(&n)
			all = append(all, n)
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func isFault(err error, code string) bool {
	var f *fault.Error
	return errors.As(err, &f) && f.Kind == fault.Unavailable && f.Code == code
}

// shareCommit queues the writes in order behind a blocking write, so that they share one commit.
func shareCommit(t *testing.T, db *DB, writes ...func(Querier) error) []error {
	t.Helper()
	e := db.engine.(*sqliteEngine)
	e.writer.shareWindow = time.Minute // so long that the writes share a commit even on a slow machine
	started, proceed := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		_ = db.WriteAlone(t.Context(), func(Querier) error {
			close(started)
			<-proceed
			return nil
		})
	})
	<-started
	errs := make([]error, len(writes))

	for i, fn := range writes {
		all.Go(func() { errs[i] = db.Write(t.Context(), fn) })
		// Wait until the write is queued. storetest.Eventually cannot be used, because storetest imports this package.
		for deadline := time.Now().Add(10 * time.Second); e.writer.queue.len() <= i; time.Sleep(50 * time.Microsecond) {
			if time.Now().After(deadline) {
				t.Fatal("timed out waiting for a write to be queued")
			}
		}
	}

	close(proceed)
	all.Wait()
	return errs
}

// Each file write of a commit in turn fails with a full disk. The transaction must never be stored in part, and the
// next write must succeed.
func TestWrite_changesNothingWhenDiskIsFull(t *testing.T) {
	t.Parallel()
	for _, errno := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		t.Run(errno.Error(), func(t *testing.T) {
			db, faults := openFaulty(t)
			var want []int
			points := 0
			for ; ; points++ {
				faults.set(opWrite, points, 1, errno)
				err := db.Write(t.Context(),
					func(q Querier) error { return insertLarge(q, points*10, points*10+1, points*10+2) })
				if faults.failures() == 0 {
					if err != nil {
						t.Fatalf("write without a disk fault: %v", err)
					}
					break
				}

				if !isFault(err, "disk_full") {
					t.Errorf("disk full at file write %d: %v, want disk_full", points, err)
				}
				if got := storedNumbers(t, db); !slices.Equal(got, want) {
					t.Fatalf("disk full at file write %d: stored %v, want %v", points, got, want)
				}

				if err := db.Write(t.Context(),
					func(q Querier) error { return insertLarge(q, points*10+9) }); err != nil {
					t.Fatalf("after the disk was full at file write %d: %v", points, err)
				}

				want = append(want, points*10+9)
			}

			if points < 4 {
				t.Errorf("only %d file writes of a commit failed, want at least 4", points)
			}
			if err := db.Ping(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWrite_reportsDiskFullToAllWritesOfACommit(t *testing.T) {
	t.Parallel()
	db, faults := openFaulty(t)
	taken := errors.New("taken")
	faults.set(opWrite, 2, 1, syscall.ENOSPC)

	errs := shareCommit(t, db,
		func(q Querier) error { return errors.New("its own error") },
		func(q Querier) error { return insertLarge(q, 1) },
		func(q Querier) error { return insertLarge(q, 2) },
		func(q Querier) error {
			// The result of this write depends on row 1, which another write of the commit has inserted. When the
			// commit fails, that row is rolled back.
			var n int
			if err := QueryRow(context.Background(), q, "SELECT n FROM numbers WHERE n = 1", nil, &n); err == nil {
				return taken
			}
			return nil
		})
	for i, err := range errs[1:] {
		if !isFault(err, "disk_full") {
			t.Errorf("write %d of a commit on a full disk: %v, want disk_full", i+1, err)
		}
	}

	if err := errs[0]; err == nil || isFault(err, "disk_full") {
		t.Errorf("the write that failed by itself: %v, want its own error", err)
	}
	if got := storedNumbers(t, db); len(got) != 0 {
		t.Errorf("stored %v, want nothing", got)
	}
}

// A write that is larger than the page cache writes to the log before its commit. If that fails, SQLite rolls back the
// whole transaction.
func TestWrite_rerunsWhenAnotherWriteLosesSharedTransaction(t *testing.T) {
	t.Parallel()
	db, faults := openFaulty(t)
	err := db.Write(t.Context(), func(q Querier) error {
		_, err := q.Exec(t.Context(), "PRAGMA cache_size = 10")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	ran := [3]int{}
	rolledBack := false
	large := make([]int, 60)
	for i := range large {
		large[i] = 100 + i
	}

	refused := errors.New("refused")

	errs := shareCommit(t, db,
		func(q Querier) error { ran[0]++; return insertLarge(q, 1, 2) },
		func(q Querier) error {
			// This write sees the rows of the first one, and must see them again when both run again.
			ran[1]++
			var n int
			if err := QueryRow(context.Background(), q, "SELECT COUNT(*) FROM numbers", nil, &n); err != nil {
				return err
			}
			return fmt.Errorf("%w at %d", refused, n)
		},
		func(q Querier) error {
			ran[2]++
			faults.set(opWrite, 3, 1, syscall.ENOSPC)
			err := insertLarge(q, large...)
			rolledBack = db.engine.(*sqliteEngine).writer.conn.GetAutocommit()
			return err
		})
	if !rolledBack {
		t.Fatal("SQLite did not roll back the transaction; the test proves nothing")
	}

	if errs[0] != nil || !errors.Is(errs[1], refused) || !isFault(errs[2], "disk_full") {
		t.Errorf("the first two writes returned %v and %v, the large one %v", errs[0], errs[1], errs[2])
	}
	if ran != [3]int{2, 2, 1} {
		t.Errorf("the writes ran %v times, want the first two to run twice", ran)
	}
	if got := storedNumbers(t, db); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("stored %v, want the rows of the first write", got)
	}
}

func TestWrite_rollsBackTransactionWhenSavepointRollbackFails(t *testing.T) {
	t.Parallel()
	db, _ := openFaulty(t)
	refused := errors.New("refused")
	ran := 0

	errs := shareCommit(t, db,
		func(q Querier) error { ran++; return insertLarge(q, 1) },
		func(q Querier) error {
			if err := insertLarge(q, 2); err != nil {
				return err
			}
			// Release the job's own savepoint, so that the rollback to it fails.
			if _, err := q.Exec(context.Background(), "RELEASE job"); err != nil {
				return err
			}
			return refused
		},
		func(q Querier) error { return insertLarge(q, 3) })
	if errs[0] != nil || !errors.Is(errs[1], refused) || errs[2] != nil || ran != 2 {
		t.Errorf("the writes returned %v; the first one ran %d times, want 2", errs, ran)
	}

	if got := storedNumbers(t, db); !slices.Equal(got, []int{1, 3}) {
		t.Errorf("stored %v, want the rows of the other writes", got)
	}
}

func TestWrite_stopsAfterDiskFailure(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		on    diskOperation
		errno syscall.Errno
	}{
		{opWrite, syscall.EIO}, {opFsync, syscall.EIO},
		{opFsync, syscall.ENOSPC}, // the state on disk is unknown after a failed fsync
	} {
		t.Run(fmt.Sprint(c.on, " ", c.errno), func(t *testing.T) {
			db, faults := openFaulty(t)
			faults.set(c.on, 0, 1, c.errno)
			err := db.Write(t.Context(), func(q Querier) error { return insertLarge(q, 1) })
			if faults.failures() != 1 {
				t.Fatalf("%d disk faults, want 1 (error %v); the test proves nothing", faults.failures(), err)
			}

			if !errors.Is(err, sqlite3.IOERR) || !errors.Is(err, ErrUnknownOutcome) ||
				!isFault(err, "outcome_unknown") {
				t.Errorf("got %v, want an unknown outcome", err)
			}

			err = db.Write(t.Context(), func(Querier) error {
				t.Error("a write ran after the disk failure")
				return nil
			})
			if !isFault(err, "storage_failed") || !isFault(db.Ping(t.Context()), "storage_failed") {
				t.Errorf("the next write got %v, want storage_failed", err)
			}
			if got := storedNumbers(t, db); len(got) != 0 {
				t.Errorf("readers see %v, want nothing", got)
			}
		})
	}
}

func TestSQLiteFile_syncsDirectoryOfNewLog(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "folder")
	if err := syscall.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}

	newLog := func() vfs.File {
		f, _, err := vfs.Find("os").(vfs.VFSFilename).OpenFilename(nil,
			vfs.OPEN_READWRITE|vfs.OPEN_CREATE|vfs.OPEN_DELETEONCLOSE|vfs.OPEN_TEMP_JOURNAL)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return wrapSQLiteFile(f, filepath.Join(dir, "x-wal"), vfs.OPEN_READWRITE|vfs.OPEN_CREATE|vfs.OPEN_WAL)
	}

	synced, unsynced := newLog(), newLog()
	if err := synced.Sync(0); err != nil {
		t.Error(err)
	}

	// Syncing a removed directory fails. This shows whether a Sync of the file also syncs its directory.
	if err := syscall.Rmdir(dir); err != nil {
		t.Fatal(err)
	}
	if err := synced.Sync(0); err != nil {
		t.Errorf("the directory is synced more than once: %v", err)
	}
	if err := unsynced.Sync(0); err == nil {
		t.Error("the directory of a new log is not synced")
	}

	if f := wrapSQLiteFile(newLog(), filepath.Join(dir, "x.db"),
		vfs.OPEN_READWRITE|vfs.OPEN_CREATE|vfs.OPEN_MAIN_DB).(*sqliteFile); f.unsyncedDir != "" {
		t.Error("the database file syncs the directory too")
	}
}
