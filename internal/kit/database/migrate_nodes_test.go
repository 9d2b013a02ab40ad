package database_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/databasetest"
)

const testNode = "01980000-0000-7000-8000-000000000001"

// startNode pretends that a server of an older version runs, until stop is called.
func (d oldDB) startNode(t *testing.T, lease time.Duration) (stop func()) {
	t.Helper()
	if d.Engine() == database.SQLite {
		unlock, err := database.Lock(d.File())
		if err != nil {
			t.Fatal(err)
		}
		return func() { _ = unlock() }
	}
	mustExec(t, d.DB, fmt.Sprintf("INSERT INTO nodes (id, lease_until) VALUES ('%s', %d)", testNode,
		time.Now().Add(lease).UnixMicro()))
	return func() { mustExec(t, d.DB, "DELETE FROM nodes") }
}

func TestMigrate_refusesBesideALiveOlderNode(t *testing.T) {
	t.Parallel()
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			db := newOldDB(t, engine, incompatibleSQL)
			db.SetNodeWait(0)
			stop := db.startNode(t, time.Hour)
			before := schemaLines(t, db.DB)

			err := db.Migrate(t.Context())
			name := "process "
			if engine == database.Postgres {
				name = "node " + testNode
			}

			if !errors.Is(err, database.ErrOlderNodes) || !strings.Contains(err.Error(), name) ||
				!strings.Contains(err.Error(), "Stop them all") ||
				!strings.Contains(err.Error(), fmt.Sprintf("the migration %d of this version", known(t)+1)) {
				t.Errorf("beside an older node: %v", err)
			}

			if got := schemaLines(t, db.DB); !equal(got, before) {
				t.Errorf("the refused database was changed to\n%q", got)
			}
			if s := db.status(t); len(s.Nodes) != 1 || !strings.Contains(s.Nodes[0], name) || s.Version != known(t) {
				t.Errorf("the status beside an older node is %+v", s)
			}

			stop()
			if s := db.status(t); len(s.Nodes) != 0 {
				t.Errorf("the status after the node has stopped is %+v", s)
			}

			db.migrate(t)
		})
	}
}

// A compatible migration is applied beside older nodes, and one that does not say so is not.
func TestMigrate_appliesCompatibleMigrationsBesideOlderNodes(t *testing.T) {
	t.Parallel()
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			db := newOldDB(t, engine, incompatibleSQL)
			db.SetNodeWait(0)
			defer db.startNode(t, time.Hour)()

			err := db.Migrate(t.Context())
			if !errors.Is(err, database.ErrOlderNodes) || !strings.Contains(err.Error(),
				fmt.Sprintf("the migration %d ", known(t)+1)) {
				t.Errorf("a migration without a mark: %v", err)
			}

			db.SetMigrations(withNext(compatibleSQL))
			db.migrate(t)

			if n := queryInt(t, db.DB, "SELECT COUNT(*) FROM next_version"); n != 0 {
				t.Errorf("the new table has %d rows", n)
			}
		})
	}
}

// A node that was killed does not renew its lease, which ends after some seconds.
func TestMigrate_waitsForTheLeaseOfADeadNode(t *testing.T) {
	t.Parallel()
	for _, engine := range databasetest.Engines() {
		if engine == database.SQLite {
			continue // a lock ends with its process
		}
		db := newOldDB(t, engine, incompatibleSQL)
		db.SetNodeWait(time.Hour)
		db.SetRenewalWait(time.Millisecond)
		db.startNode(t, 700*time.Millisecond)
		db.migrate(t)
		if s := db.status(t); len(s.Pending) != 0 {
			t.Errorf("the status after the migration is %+v", s)
		}
	}
}

// A node that renews its lease is alive, so that nobody need wait until it expires. The clock of a node may be behind:
// its leases have expired already when it writes them.
func TestMigrate_refusesWhenALeaseIsRenewed(t *testing.T) {
	t.Parallel()
	for _, lease := range []time.Duration{time.Hour, -time.Hour} {
		for _, engine := range databasetest.Engines() {
			if engine == database.SQLite {
				continue // leases are not used
			}

			db := newOldDB(t, engine, incompatibleSQL)
			db.SetNodeWait(time.Hour)
			db.SetRenewalWait(time.Hour)
			db.startNode(t, lease)
			ctx, cancel := context.WithCancel(t.Context())
			var renewing sync.WaitGroup
			renewing.Go(func() {
				for ctx.Err() == nil {
					mustExec(t, db.DB, "UPDATE nodes SET lease_until = lease_until + 1")
				}
			})

			err := db.Migrate(t.Context())
			if !errors.Is(err, database.ErrOlderNodes) || !strings.Contains(err.Error(), "node "+testNode) {
				t.Errorf("a lease of %v: got %v, want ErrOlderNodes", lease, err)
			}

			cancel()
			renewing.Wait()
		}
	}
}

// A node that died long ago is no longer renewed.
func TestMigrate_ignoresAnOldLeaseThatIsNotRenewed(t *testing.T) {
	t.Parallel()
	for _, engine := range databasetest.Engines() {
		if engine == database.SQLite {
			continue // leases are not used
		}
		db := newOldDB(t, engine, incompatibleSQL)
		db.SetRenewalWait(time.Millisecond)
		db.startNode(t, -time.Hour)
		db.migrate(t)
	}
}

// A server cannot start while a command migrates its SQLite file.
func TestMigrate_keepsServersOfSQLiteFromStarting(t *testing.T) {
	t.Parallel()
	db := newOldDB(t, database.SQLite, incompatibleSQL)
	release, err := db.ExcludeServer(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}

	_, err = database.Lock(db.File())
	if !errors.Is(err, database.ErrLocked) ||
		!strings.Contains(err.Error(), "which migrates it): "+db.File()+
			". Start the server when the migration has ended") {
		t.Errorf("a server that starts meanwhile: %v", err)
	}

	// Another command that migrates is not a server.
	other, err := db.ExcludeServer(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(other(), release()); err != nil {
		t.Fatal(err)
	}

	unlock, err := database.Lock(db.File())
	if err != nil {
		t.Fatalf("after the migration: %v", err)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
}

// A node of an older version may have looked at the schema before the migration, and register after it.
func TestMigrate_reportsNodesThatStartedMeanwhile(t *testing.T) {
	t.Parallel()
	for _, engine := range databasetest.Engines() {
		if engine == database.SQLite {
			continue // the lock excludes it
		}

		var log bytes.Buffer
		db := openDB(t, database.Config{URL: databasetest.NewMigratedURL(t, engine),
			Log: slog.New(slog.NewTextHandler(&log, nil))})
		sql := fmt.Sprintf("INSERT INTO nodes (id, lease_until, program) VALUES ('%s', %d, 'shop-1, process 7, "+
			"version 1');\n",
			testNode, time.Now().Add(time.Hour).UnixMicro())
		db.SetMigrations(withNext(sql))
		if err := db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}

		if got := log.String(); !strings.Contains(got, "level=ERROR msg=\"older nodes started during the migration") ||
			!strings.Contains(got, testNode+" (shop-1, process 7, version 1)") {
			t.Errorf("the log is\n%s", got)
		}
	}
}

func TestMigrate_logsEachMigration(t *testing.T) {
	t.Parallel()
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			db := oldDB{openDB(t, database.Config{URL: databasetest.NewMigratedURL(t, engine),
				Log: slog.New(slog.NewTextHandler(&log, nil))})}
			db.SetMigrations(withNext("CREATE TABLE next_2 (n bigint);\n", "CREATE TABLE next_3 (n bigint);\n"))
			db.migrate(t)

			first, rest, _ := strings.Cut(log.String(), "\n")
			from := known(t)
			want := fmt.Sprintf("msg=\"migrating the database\" from=%d to=%d migrations=2", from, from+2)
			if !strings.Contains(first, want) {
				t.Errorf("the first line is %s, want %s", first, want)
			}

			line := regexp.MustCompile(`level=INFO msg="applied a migration" number=(\d+) name="?[a-z ]+"? ` +
				`duration_ms=\d+\n`)
			if n := len(line.FindAllString(rest, -1)); n != 2 || n != strings.Count(rest, "\n") {
				t.Errorf("%d migrations were logged, want 2:\n%s", n, rest)
			}
		})
	}
}

// markProblems returns what is wrong with the marks of the migrations: each but the first is compatible with older
// nodes and gives the reason, or raises oldest_program; and both engines say the same.
func markProblems(t *testing.T, files fs.FS) (problems []string) {
	t.Helper()
	mark := regexp.MustCompile(`(?m)^-- \+compatible:? ?(.*)$`)
	marks := map[string][]string{}
	for _, engine := range []string{database.SQLite, database.Postgres} {
		names, err := fs.Glob(files, "migrations/"+engine+"/*.sql")
		if err != nil {
			t.Fatal(err)
		}

		for i, path := range names {
			text, err := fs.ReadFile(files, path)
			if err != nil {
				t.Fatal(err)
			}

			reason := mark.FindSubmatch(text)
			raises := bytes.Contains(text, fmt.Appendf(nil, "UPDATE schema_compatibility SET oldest_program = %d;",
				i+1))
			switch {
			case reason == nil && !raises && i > 0:
				problems = append(problems,
					path+" must have a line \"-- +compatible: \" with the reason why nodes of the "+
						"version before may run beside it, or raise oldest_program to its own number")
			case reason != nil && len(reason[1]) < 10:
				problems = append(problems, path+" gives no reason for being compatible")
			case reason != nil && bytes.Contains(text, []byte("SET oldest_program")):
				problems = append(problems, path+" shuts older programs out, and says that it is compatible")
			case reason != nil:
				marks[engine] = append(marks[engine], fmt.Sprintf("%d %s", i+1, reason[1]))
			}
		}
	}

	if !slices.Equal(marks[database.SQLite], marks[database.Postgres]) {
		problems = append(problems, fmt.Sprintf("compatible on SQLite are %q, on PostgreSQL %q", marks[database.SQLite],
			marks[database.Postgres]))
	}

	return problems
}

func TestMigrations_sayWhetherTheyAreCompatible(t *testing.T) {
	t.Parallel()
	if got := markProblems(t, database.Migrations); len(got) > 0 {
		t.Errorf("the migrations: %s", strings.Join(got, "\n"))
	}
	if got := markProblems(t, withNext(incompatibleSQL, compatibleSQL)); len(got) > 0 {
		t.Errorf("migrations that say it well: %s", strings.Join(got, "\n"))
	}

	one := fmt.Sprintf("migrations/sqlite/%05d_next.sql", known(t)+1)
	for sql, want := range map[string]string{
		"CREATE TABLE n (n bigint);\n":                          one + " must have",
		"UPDATE schema_compatibility SET oldest_program = 1;\n": one + " must have",
		"-- +compatible: yes\n":                                 one + " gives no reason",
		"-- +compatible: some reason\nUPDATE schema_compatibility SET oldest_program = 99;\n": one + " shuts",
	} {
		got := markProblems(t, withNext(sql))
		if len(got) != 2 || !strings.HasPrefix(got[0], want) {
			t.Errorf("%s: got %q, want a line with %q for each engine", sql, got, want)
		}
	}

	different := withNext(compatibleSQL)
	different[one] = withNext(incompatibleSQL)[one]
	if got := markProblems(t, different); len(got) != 1 || !strings.HasPrefix(got[0], "compatible on SQLite are [") {
		t.Errorf("engines that differ: %q", got)
	}
}
