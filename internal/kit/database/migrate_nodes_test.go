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
	"testing/fstest"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/databasetest"
)

// nodeVersion is a schema that has nodes, and after which a migration is not compatible with older nodes.
const nodeVersion = 30

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

// overlay returns the migrations and one more, with the same statement for both engines.
func overlay(t *testing.T, name, sql string) fstest.MapFS {
	t.Helper()
	all := fstest.MapFS{}
	err := fs.WalkDir(database.Migrations, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(database.Migrations, path)
		all[path] = &fstest.MapFile{Data: text}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []string{database.SQLite, database.Postgres} {
		all["migrations/"+engine+"/"+name] = &fstest.MapFile{Data: []byte("-- +goose Up\n" + sql)}
	}
	return all
}

func TestMigrate_refusesBesideALiveOlderNode(t *testing.T) {
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			db := newOldDB(t, engine, nodeVersion)
			db.SetNodeWait(0)
			stop := db.startNode(t, time.Hour)
			before := schemaLines(t, db.DB)

			err := db.Migrate(t.Context())
			name := "process "
			if engine == database.Postgres {
				name = "node " + testNode
			}
			if !errors.Is(err, database.ErrOlderNodes) || !strings.Contains(err.Error(), name) ||
				!strings.Contains(err.Error(), "Stop them all") || !strings.Contains(err.Error(), " 32, 33, ") {
				t.Errorf("beside an older node: %v", err)
			}
			if got := schemaLines(t, db.DB); !equal(got, before) {
				t.Errorf("the refused database was changed to\n%q", got)
			}
			if s := db.status(t); len(s.Nodes) != 1 || !strings.Contains(s.Nodes[0], name) || s.Version != nodeVersion {
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
	databasetest.Each(t, func(t *testing.T, open *database.DB) {
		db := oldDB{open}
		db.SetNodeWait(0)
		defer db.startNode(t, time.Hour)()
		const sql = "CREATE TABLE next_version (n bigint);\n"

		err := db.MigrateWith(t.Context(), overlay(t, "90001_next.sql", sql))
		if !errors.Is(err, database.ErrOlderNodes) || !strings.Contains(err.Error(), "the migration 90001 ") {
			t.Errorf("a migration without a mark: %v", err)
		}
		err = db.MigrateWith(t.Context(), overlay(t, "90001_next.sql", "-- +compatible: older nodes do not use it.\n"+sql))
		if err != nil {
			t.Errorf("a compatible migration: %v", err)
		}
		if n := queryInt(t, db.DB, "SELECT COUNT(*) FROM next_version"); n != 0 {
			t.Errorf("the new table has %d rows", n)
		}
	})
}

// A node that was killed does not renew its lease, which ends after some seconds.
func TestMigrate_waitsForTheLeaseOfADeadNode(t *testing.T) {
	for _, engine := range databasetest.Engines() {
		if engine == database.SQLite {
			continue // a lock ends with its process
		}
		db := newOldDB(t, engine, nodeVersion)
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
	for _, lease := range []time.Duration{time.Hour, -time.Hour} {
		for _, engine := range databasetest.Engines() {
			if engine == database.SQLite {
				continue // leases are not used
			}
			db := newOldDB(t, engine, nodeVersion)
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
	for _, engine := range databasetest.Engines() {
		if engine == database.SQLite {
			continue // leases are not used
		}
		db := newOldDB(t, engine, nodeVersion)
		db.SetRenewalWait(time.Millisecond)
		db.startNode(t, -time.Hour)
		db.migrate(t)
	}
}

// A server cannot start while a command migrates its SQLite file.
func TestMigrate_keepsServersOfSQLiteFromStarting(t *testing.T) {
	db := newOldDB(t, database.SQLite, nodeVersion)
	release, err := db.ExcludeServer(t.Context(), nodeVersion)
	if err != nil {
		t.Fatal(err)
	}
	_, err = database.Lock(db.File())
	if !errors.Is(err, database.ErrLocked) ||
		!strings.Contains(err.Error(), "which migrates it): "+db.File()+". Start the server when the migration has ended") {
		t.Errorf("a server that starts meanwhile: %v", err)
	}
	// Another command that migrates is not a server.
	other, err := db.ExcludeServer(t.Context(), nodeVersion)
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
	for _, engine := range databasetest.Engines() {
		if engine == database.SQLite {
			continue // the lock excludes it
		}
		var log bytes.Buffer
		db := openDB(t, database.Config{URL: databasetest.NewURL(t, engine), Log: slog.New(slog.NewTextHandler(&log, nil))})
		sql := fmt.Sprintf("INSERT INTO nodes (id, lease_until, program) VALUES ('%s', %d, 'shop-1, process 7, version 1');\n",
			testNode, time.Now().Add(time.Hour).UnixMicro())
		if err := db.MigrateWith(t.Context(), overlay(t, "90001_next.sql", sql)); err != nil {
			t.Fatal(err)
		}
		if got := log.String(); !strings.Contains(got, "level=ERROR msg=\"older nodes started during the migration") ||
			!strings.Contains(got, testNode+" (shop-1, process 7, version 1)") {
			t.Errorf("the log is\n%s", got)
		}
	}
}

func TestMigrate_logsEachMigration(t *testing.T) {
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			db := oldDB{openDB(t, database.Config{URL: databasetest.NewURL(t, engine),
				Log: slog.New(slog.NewTextHandler(&log, nil))})}
			if err := db.MigrateTo(t.Context(), nodeVersion); err != nil {
				t.Fatal(err)
			}
			db.migrate(t)
			known := db.status(t).Known

			first, rest, _ := strings.Cut(log.String(), "\n")
			want := fmt.Sprintf("msg=\"migrating the database\" from=%d to=%d migrations=%d", nodeVersion, known, known-nodeVersion)
			if !strings.Contains(first, want) {
				t.Errorf("the first line is %s, want %s", first, want)
			}
			line := regexp.MustCompile(`level=INFO msg="applied a migration" number=(\d+) name="?[a-z ]+"? duration_ms=\d+\n`)
			if n := len(line.FindAllString(rest, -1)); n != int(known-nodeVersion) || n != strings.Count(rest, "\n") {
				t.Errorf("%d migrations were logged, want %d:\n%s", n, known-nodeVersion, rest)
			}
		})
	}
}

// wantRaised checks that a migration that is not compatible keeps older programs from starting after it. Those up to
// nodeVersion were released without.
func wantRaised(t *testing.T, path string, text []byte) {
	t.Helper()
	var number int64
	if _, err := fmt.Sscanf(path[strings.LastIndex(path, "/")+1:], "%d_", &number); err != nil {
		t.Fatal(err)
	}
	raised := fmt.Sprintf("UPDATE schema_compatibility SET oldest_program = %d;", number)
	if number > nodeVersion && !bytes.Contains(text, []byte(raised)) {
		t.Errorf("%s must have a line \"-- +compatible: \" with the reason why nodes of the version before may run beside it, "+
			"or %s", path, raised)
	}
}

// Both engines mark the same migrations as compatible. One that shuts older programs out is not compatible.
func TestMigrations_sayWhetherTheyAreCompatible(t *testing.T) {
	mark := regexp.MustCompile(`(?m)^-- \+compatible:? ?(.*)$`)
	marks := map[string][]string{}
	for _, engine := range []string{database.SQLite, database.Postgres} {
		files, err := fs.Glob(database.Migrations, "migrations/"+engine+"/*.sql")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			text, err := fs.ReadFile(database.Migrations, path)
			if err != nil {
				t.Fatal(err)
			}
			found := mark.FindSubmatch(text)
			if found == nil {
				wantRaised(t, path, text)
				continue
			}
			if len(found[1]) < 10 {
				t.Errorf("%s gives no reason for being compatible", path)
			}
			if bytes.Contains(text, []byte("SET oldest_program")) {
				t.Errorf("%s shuts older programs out, and says that it is compatible", path)
			}
			marks[engine] = append(marks[engine], strings.TrimPrefix(path, "migrations/"+engine+"/")+" "+string(found[1]))
		}
	}
	if len(marks[database.SQLite]) < 3 || !slices.Equal(marks[database.SQLite], marks[database.Postgres]) {
		t.Errorf("compatible on SQLite:\n%q, on PostgreSQL:\n%q", marks[database.SQLite], marks[database.Postgres])
	}
	status, err := database.StatusAt(nodeVersion)
	if err != nil {
		t.Fatal(err)
	}
	if p := status.Pending; !p[0].Compatible || p[1].Compatible || !p[4].Compatible || p[5].Compatible {
		t.Errorf("the migrations after %d are %+v", nodeVersion, p)
	}
}
