package database

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/ncruces/go-sqlite3/vfs"

	"vitrine/internal/testkit/promise"
)

// fileEvent is one entry of a diskRecord: an operation on a file, or the acknowledgement of a write.
type fileEvent struct {
	kind eventKind
	file string // "" for the database file, "-wal" for its write-ahead log
	at   int64  // the offset of a write, the new size of a truncation, the number of an acknowledgement
	data []byte // of a write
}

type eventKind int

const (
	evWrite eventKind = iota
	evTruncate
	evSync
	evAcknowledge
)

// diskRecord lists what happens to the files of a database, in order.
type diskRecord struct {
	mu     sync.Mutex
	events []fileEvent
}

func (r *diskRecord) add(e fileEvent) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.data = bytes.Clone(e.data)
	r.events = append(r.events, e)
}

// recordedFile records operations that change the file or make the changes durable. It embeds sqliteFile for the
// methods that only call the wrapped file.
type recordedFile struct {
	sqliteFile
	record *diskRecord
	name   string // see fileEvent.file
}

func (f *recordedFile) WriteAt(p []byte, off int64) (int, error) {
	f.record.add(fileEvent{evWrite, f.name, off, p})
	return f.File.WriteAt(p, off)
}

func (f *recordedFile) Truncate(size int64) error {
	f.record.add(fileEvent{kind: evTruncate, file: f.name, at: size})
	return f.File.Truncate(size)
}

// Sync is recorded after it has returned: until then the changes are not durable.
func (f *recordedFile) Sync(flags vfs.SyncFlag) error {
	err := f.File.Sync(flags)
	if err == nil {
		f.record.add(fileEvent{kind: evSync, file: f.name})
	}
	return err
}

// SizeHint is not passed on, so that the file grows only by recorded writes.
func (f *recordedFile) SizeHint(int64) error { return nil }

// sectorSize is the unit that a disk writes as a whole.
const sectorSize = 512

// lossyDisk holds what a disk may contain of the files of a database.
type lossyDisk struct {
	durable  map[string][]byte
	unsynced map[string][]fileEvent // since the last sync of the file
}

func (d *lossyDisk) apply(e fileEvent) {
	switch e.kind {
	case evSync:
		d.durable[e.file] = applyEvents(d.durable[e.file], d.unsynced[e.file], keepAll)
		d.unsynced[e.file] = nil
	case evWrite, evTruncate:
		d.unsynced[e.file] = append(d.unsynced[e.file], e)
	}
}

// afterPowerLoss returns the files after a power loss. keep decides for each sector of the unsynced writes, and for
// each truncation, whether it reached the disk.
func (d *lossyDisk) afterPowerLoss(keep func() bool) map[string][]byte {
	files := map[string][]byte{}
	for _, name := range []string{"", "-wal"} {
		content := applyEvents(bytes.Clone(d.durable[name]), d.unsynced[name], keep)
		if name == "" || d.durable[name] != nil || len(content) > 0 {
			files[name] = content
		}
	}
	return files
}

func keepAll() bool  { return true }
func keepNone() bool { return false }

// applyEvents applies those parts of the events to the content of a file that keep selects.
func applyEvents(content []byte, events []fileEvent, keep func() bool) []byte {
	for _, e := range events {
		if e.kind == evTruncate {
			if keep() {
				content = resize(content, e.at)
			}
			continue
		}

		for data, at := e.data, e.at; len(data) > 0; {
			n := min(int64(len(data)), sectorSize-at%sectorSize)
			if keep() {
				if at+n > int64(len(content)) {
					content = resize(content, at+n)
				}
				copy(content[at:], data[:n])
			}

			data = data[n:]
			at += n
		}
	}

	return content
}

func resize(content []byte, size int64) []byte {
	if size <= int64(len(content)) {
		return content[:size:size]
	}
	return append(content, make([]byte, size-int64(len(content)))...)
}

// recordWrites runs concurrent writes and checkpoints on a new database and returns its files before that, and the
// record. Each write inserts two rows, so that a partial write can be detected.
func recordWrites(t *testing.T, synchronous string) (before map[string][]byte, record []fileEvent) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.db")
	db := openPlain(t, path)
	execute(t, db, "CREATE TABLE halves (n INTEGER NOT NULL, half INTEGER NOT NULL, filler TEXT, "+
		"PRIMARY KEY (n, half)) STRICT")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	before = readFiles(t, path)
	if _, found := before["-wal"]; found {
		t.Fatal("the closed database has a write-ahead log")
	}

	disk := &diskRecord{}
	for _, name := range []string{"", "-wal"} {
		wrapsByPath().Store(path+name, wrapFile(func(f vfs.File) vfs.File {
			return &recordedFile{sqliteFile{File: f}, disk, name}
		}))
	}

	db = openPlain(t, path)
	writer := db.engine.(*sqliteEngine).writer.conn
	for _, pragma := range []string{"PRAGMA wal_autocheckpoint = 40", "PRAGMA synchronous = " + synchronous} {
		if _, err := writer.Exec(t.Context(), pragma); err != nil {
			t.Fatal(err)
		}
	}

	const goroutines, writes = 3, 25
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			for i := range writes {
				n := g*writes + i
				if err := db.Write(t.Context(), func(q Querier) error { return insertHalves(q, n) }); err != nil {
					t.Errorf("write %d: %v", n, err)
					return
				}
				disk.add(fileEvent{kind: evAcknowledge, at: int64(n)})
			}
		})
	}

	all.Wait()
	record = disk.events

	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	return before, record
}

func openPlain(t *testing.T, path string) *DB {
	t.Helper()
	db, err := Open(t.Context(), Config{URL: path, Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func execute(t *testing.T, db *DB, sql string) {
	t.Helper()
	err := db.Write(t.Context(), func(q Querier) error { return Exec(t.Context(), q, sql) })
	if err != nil {
		t.Fatal(err)
	}
}

func insertHalves(q Querier, n int) error {
	for half := range 2 {
		if err := Exec(context.Background(), q, "INSERT INTO halves (n, half, filler) VALUES ($1, $2, $3)", n, half,
			strings.Repeat(strconv.Itoa(n), 200+n%7*150)); err != nil {
			return err
		}
	}
	return nil
}

func readFiles(t *testing.T, path string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, name := range []string{"", "-wal"} {
		content, err := os.ReadFile(path + name)
		if err == nil {
			files[name] = content
		} else if !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	return files
}

// powerLossCheck counts what the states after a power loss show.
type powerLossCheck struct {
	states, lost int
	damaged      []string
}

// replay cuts the power after every event of the record, or after a sample of them, and opens what is on the disk: once
// without all unsynced changes, once with all, and once with a random part, with torn writes. A new log is durable with
// its first sync, as TestSQLiteFile_syncsDirectoryOfNewLog proves.
func replay(t *testing.T, before map[string][]byte, record []fileEvent) (check powerLossCheck) {
	t.Helper()
	disk := lossyDisk{durable: before, unsynced: map[string][]fileEvent{}}
	random := rand.New(rand.NewPCG(1, 2))
	folder := t.TempDir()
	var acknowledged []int64

	for i, e := range record {
		if e.kind == evAcknowledge {
			acknowledged = append(acknowledged, e.at)
		} else {
			disk.apply(e)
		}

		if !promise.ProveAll() && random.IntN(10) > 0 {
			continue
		}

		for _, variant := range []struct {
			name string
			keep func() bool
		}{{"none", keepNone}, {"all", keepAll}, {"some", func() bool { return random.IntN(2) == 0 }}} {
			path := filepath.Join(folder, fmt.Sprint(i, variant.name))
			check.states++
			missing, err := openAfterPowerLoss(t, path, disk.afterPowerLoss(variant.keep), acknowledged)
			check.lost += missing
			if err != nil {
				check.damaged = append(check.damaged, fmt.Sprintf("event %d, unsynced changes kept: %s: %v", i,
					variant.name,
					err))
			}
		}
	}

	return check
}

// openAfterPowerLoss opens the files as the program does and returns how many acknowledged writes are missing. The
// error says that the file is damaged or a write is stored in part.
func openAfterPowerLoss(
	t *testing.T, path string, files map[string][]byte, acknowledged []int64,
) (missing int, err error) {
	t.Helper()
	for name, content := range files {
		if err := os.WriteFile(path+name, content, privateMode); err != nil {
			t.Fatal(err)
		}
	}

	db, err := Open(t.Context(), Config{URL: path, Readers: 1})
	if err != nil {
		return 0, err
	}
	defer func() {
		err = errors.Join(err, db.Close(), os.Remove(path))
	}()

	err = db.Read(t.Context(), func(q Querier) error {
		var verdict string
		if err := QueryRow(t.Context(), q, "PRAGMA integrity_check", nil, &verdict); err != nil || verdict != "ok" {
			return fmt.Errorf("integrity_check: %s, %w", verdict, err)
		}

		whole := map[int64]bool{}

		err := QueryEach(t.Context(), q, "SELECT n, COUNT(*), MIN(filler), MAX(filler) FROM halves GROUP BY n", nil,
			func(r Rows) error {
				var n, count int64
				var low, high string
				if err := r.Scan(&n, &count, &low, &high); err != nil {
					return err
				}

				if want := strings.Repeat(strconv.FormatInt(n, 10), int(200+n%7*150)); count != 2 || low != want ||
					high != want {
					return fmt.Errorf("write %d is stored in part", n)
				}

				whole[n] = true
				return nil
			})

		for _, n := range acknowledged {
			if !whole[n] {
				missing++
			}
		}

		return err
	})

	return missing, err
}

// An acknowledged write survives a power loss at every moment, whichever of the unsynced changes reached the disk. With
// synchronous=NORMAL the same check finds lost writes, which shows that it can see them.
func TestWrite_survivesPowerLoss(t *testing.T) {
	t.Parallel()
	for _, synchronous := range []string{"FULL", "NORMAL"} {
		t.Run(synchronous, func(t *testing.T) {
			t.Parallel()
			before, record := recordWrites(t, synchronous)
			syncs := map[string]int{}
			for _, e := range record {
				if e.kind == evSync {
					syncs[e.file]++
				}
			}

			if syncs[""] < 2 {
				t.Fatalf("%d checkpoints are recorded, want at least 2; the test proves less than it says", syncs[""])
			}

			check := replay(t, before, record)
			t.Logf("%d states after a power loss at %d moments with synchronous=%s: %d acknowledged writes are missing",
				check.states, len(record), synchronous, check.lost)
			for _, damage := range check.damaged {
				t.Error(damage)
			}

			switch {
			case synchronous == "FULL" && check.lost > 0:
				t.Errorf("%d acknowledged writes are lost", check.lost)
			case synchronous == "NORMAL" && check.lost == 0:
				t.Error("the check finds no lost write, although nothing is synced; it proves nothing")
			}
		})
	}
}
