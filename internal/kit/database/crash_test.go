package database_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/databasetest"
)

// runWriter writes with 16 goroutines until the process is killed, and prints the number of each acknowledged write. A
// write inserts two rows, so that a partial write can be detected.
func runWriter(url string) {
	ctx := context.Background()
	db, err := database.Open(ctx, database.Config{URL: url})
	if err != nil {
		exitWithError(err)
	}
	var next atomic.Int64
	next.Store(time.Now().UnixNano())
	for range 16 {
		go func() {
			for {
				n := next.Add(1)
				err := db.Write(ctx, func(q database.Querier) error {
					for half := range 2 {
						if _, err := q.Exec(ctx, "INSERT INTO halves (n, half) VALUES ($1, $2)", n, half); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					exitWithError(err)
				}
				// A line is written by one system call and is shorter than PIPE_BUF, so lines are not mixed or cut.
				if _, err := fmt.Fprintln(os.Stdout, n); err != nil {
					exitWithError(err)
				}
			}
		}()
	}
	select {}
}

// roleCommand returns a command that runs a copy of this test binary in a role.
func roleCommand(t *testing.T, role string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.Stderr = os.Stderr
	return cmd
}

func TestWrite_survivesKill(t *testing.T) {
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			const kills = 10
			url := databasetest.NewMigratedURL(t, engine)
			db, err := database.Open(t.Context(), database.Config{URL: url})
			if err != nil {
				t.Fatal(err)
			}
			createTable(t, db, "CREATE TABLE halves (n BIGINT NOT NULL, half BIGINT NOT NULL, PRIMARY KEY (n, half))")
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			total := 0
			for range kills {
				acknowledged := runAndKillWriter(t, url)
				total += len(acknowledged)
				checkHalves(t, url, acknowledged)
			}
			t.Logf("%d writes were acknowledged before %d kills", total, kills)
		})
	}
}

// runAndKillWriter runs a writer and kills it at a random moment after its first write. It returns the acknowledged
// writes.
func runAndKillWriter(t *testing.T, url string) (acknowledged []int64) {
	t.Helper()
	cmd := roleCommand(t, "writer", url)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var n int64
		if _, err := fmt.Sscan(lines.Text(), &n); err != nil {
			t.Fatalf("the writer printed %q", lines.Text())
		}
		if acknowledged = append(acknowledged, n); len(acknowledged) == 1 {
			time.AfterFunc(rand.N(60*time.Millisecond), func() { _ = cmd.Process.Kill() })
		}
	}
	_ = cmd.Wait()
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGKILL {
		t.Fatalf("the writer was not killed: %v", cmd.ProcessState)
	}
	return acknowledged
}

// checkHalves opens the database again and checks that all acknowledged writes are stored and no write is partial.
func checkHalves(t *testing.T, url string, acknowledged []int64) {
	t.Helper()
	db, err := database.Open(t.Context(), database.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	stored := map[int64]bool{}
	for _, n := range queryInts(t, db, "SELECT n FROM halves WHERE half = 0") {
		stored[n] = true
	}
	for _, n := range acknowledged {
		if !stored[n] {
			t.Errorf("%d was acknowledged and is lost", n)
		}
	}
	if n := queryInt(t, db, "SELECT COUNT(*) FROM (SELECT n FROM halves GROUP BY n HAVING COUNT(*) <> 2) AS torn"); n != 0 {
		t.Errorf("%d writes are stored only in part", n)
	}
	if db.Engine() == database.SQLite {
		var verdict string
		err := db.Read(t.Context(), func(q database.Querier) error {
			return database.QueryRow(t.Context(), q, "PRAGMA integrity_check", nil, &verdict)
		})
		if err != nil || !strings.EqualFold(verdict, "ok") {
			t.Errorf("integrity_check: %s, %v", verdict, err)
		}
	}
}
