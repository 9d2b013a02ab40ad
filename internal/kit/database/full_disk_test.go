package database_test

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/testkit/databasetest"
)

// runFullDisk runs in a process of its own. It limits the file size to 1 MiB, which simulates a full disk, and later
// raises the limit. For the write with the number n it prints "stored n" or "refused n". After it has raised the limit
// it prints "room".
func runFullDisk(path string) {
	signal.Ignore(syscall.SIGXFSZ) // a write beyond the limit raises this signal, which by default kills the process
	ctx := context.Background()
	db, err := database.Open(ctx, database.Config{URL: path})
	if err != nil {
		exitWithError(err)
	}

	limitFileSize(1 << 20)
	var mu sync.Mutex

	write := func(n, size int) error {
		err := db.Write(ctx, func(q database.Querier) error {
			for half := range 2 {
				if _, err := q.Exec(ctx, "INSERT INTO halves (n, half, filler) VALUES ($1, $2, $3)", n, half,
					strings.Repeat("x", size)); err != nil {
					return err
				}
			}
			return nil
		})

		mu.Lock()
		defer mu.Unlock()

		var f *fault.Error
		switch {
		case err == nil:
			fmt.Println("stored", n)
		case errors.As(err, &f) && f.Kind == fault.Unavailable && f.Code == "disk_full" && f.RetryAfter > 0:
			fmt.Println("refused", n)
		default:
			exitWithError(fmt.Errorf("write %d: %w", n, err))
		}

		return err
	}

	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			for n := w; n < 400; n += 8 {
				if write(n, 3000) != nil {
					return
				}
			}
		})
	}

	all.Wait()

	// While the disk is full, writes keep failing and reads keep working.
	if write(1000, 600_000) == nil {
		exitWithError(errors.New("a write succeeded on a full disk"))
	}

	err = db.Read(ctx, func(q database.Querier) error {
		_, err := q.Exec(ctx, "SELECT COUNT(*) FROM halves")
		return err
	})
	if err != nil {
		exitWithError(err)
	}

	limitFileSize(1 << 30)
	fmt.Println("room")

	for n := 2000; n < 2010; n++ {
		_ = write(n, 600_000)
	}

	if err := db.Ping(ctx); err != nil {
		exitWithError(err)
	}

	if err := db.Close(); err != nil {
		exitWithError(err)
	}
}

// limitFileSize sets the maximum file size of this process.
func limitFileSize(bytes uint64) {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &l); err != nil {
		exitWithError(err)
	}
	l.Cur = min(bytes, l.Max)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &l); err != nil {
		exitWithError(err)
	}
}

func TestWrite_refusesOnFullDiskAndRecovers(t *testing.T) {
	t.Parallel()
	path := databasetest.NewMigratedURL(t, database.SQLite)
	db, err := database.Open(t.Context(), database.Config{URL: path})
	if err != nil {
		t.Fatal(err)
	}

	createTable(t, db, "CREATE TABLE halves (n BIGINT NOT NULL, half BIGINT NOT NULL, filler TEXT NOT NULL, "+
		"PRIMARY KEY (n, half))")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	cmd := roleCommand(t, "full", path)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v; the process printed:\n%s", err, out)
	}

	before, after, ok := strings.Cut(string(out), "room\n")
	if !ok || !strings.Contains(before, "stored") || !strings.Contains(before, "refused 1000\n") {
		t.Errorf("while the disk filled up the process printed:\n%s", out)
	}
	if strings.Count(after, "stored") != 10 || strings.Contains(after, "refused") {
		t.Errorf("with free space again the process printed:\n%s", after)
	}

	db = openDB(t, database.Config{URL: path})
	stored := map[int64]bool{}
	for _, n := range queryInts(t, db, "SELECT n FROM halves") {
		stored[n] = true
	}

	lines := 0
	for line := range strings.Lines(before + after) {
		var word string
		var n int64
		if _, err := fmt.Sscan(line, &word, &n); err != nil {
			t.Fatalf("the process printed %q", line)
		}

		lines++
		if stored[n] != (word == "stored") {
			t.Errorf("the process printed %q, but the row is stored: %v", strings.TrimSpace(line), stored[n])
		}

		delete(stored, n)
	}

	if len(stored) > 0 {
		t.Errorf("stored but not reported: %v", stored)
	}

	checkHalves(t, path, nil)
	t.Logf("%d writes", lines)
}
