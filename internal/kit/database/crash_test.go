package database_test

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
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
	t.Parallel()
	const killsPerDatabase = 100 // the checks of a larger database would take most of the time
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			kills := killCount(t, engine)
			writes := 0
			for done := 0; done < kills; done += killsPerDatabase {
				writes += killWriters(t, engine, min(killsPerDatabase, kills-done))
			}
			t.Logf("%d writes were acknowledged before %d kills on %s", writes, kills, engine)
		})
	}
}

// killWriters kills writers on a new database, checks the database after each kill, and returns the number of
// acknowledged writes.
func killWriters(t *testing.T, engine string, kills int) int {
	t.Helper()
	url := databasetest.NewMigratedURL(t, engine)
	db, err := database.Open(t.Context(), database.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}

	createTable(t, db, "CREATE TABLE halves (n BIGINT NOT NULL, half BIGINT NOT NULL, PRIMARY KEY (n, half))")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	var all []int64
	for range kills {
		acknowledged := runAndKillWriter(t, url)
		checkHalves(t, url, acknowledged)
		all = append(all, acknowledged...)
	}

	checkHalves(t, url, all)
	return len(all)
}

// killCount returns how often a writer is killed: VITRINE_KILLS or 10 times, and on PostgreSQL VITRINE_KILLS_POSTGRES
// times if that is set.
func killCount(t *testing.T, engine string) int {
	t.Helper()
	text := cmp.Or(os.Getenv("VITRINE_KILLS"), "10")
	if engine == database.Postgres {
		text = cmp.Or(os.Getenv("VITRINE_KILLS_POSTGRES"), text)
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("the number of kills is %q, want a number above 0", text)
	}
	return n
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

// checkHalves opens the database again and checks that the acknowledged writes are stored, and that none of the writes
// since the first of them is partial. The numbers of a writer are above those of the writers before it.
func checkHalves(t *testing.T, url string, acknowledged []int64) {
	t.Helper()
	db, err := database.Open(t.Context(), database.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()

	var since int64
	if len(acknowledged) > 0 {
		since = slices.Min(acknowledged) - 64 // a write that began earlier may be acknowledged later
	}

	stored := map[int64]bool{}
	for _, n := range queryInts(t, db, "SELECT n FROM halves WHERE half = 0 AND n >= $1", since) {
		stored[n] = true
	}

	for _, n := range acknowledged {
		if !stored[n] {
			t.Errorf("%d was acknowledged and is lost", n)
		}
	}

	if n := queryInt(t, db,
		"SELECT COUNT(*) FROM (SELECT n FROM halves WHERE n >= $1 GROUP BY n HAVING COUNT(*) <> 2) AS torn",
		since); n != 0 {
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
