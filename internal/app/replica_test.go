package app_test

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/databasetest/pgserver"
)

// Reads of the catalogue come from the replica when it has caught up, and always show the client's own writes: while
// the replica is behind, and when it is gone, the primary answers.
func TestReplica_answersCatalogueReadsThatAreNotStale(t *testing.T) {
	t.Parallel()
	primary := startPostgres(t, func() (*pgserver.Server, error) { return pgserver.Start(pgserver.Options{}) })
	standby := startPostgres(t, func() (*pgserver.Server, error) { return primary.StartStandby(pgserver.Options{}) })
	s := apitest.StartServer(t, database.Postgres, apitest.WithDatabase(primary.URL),
		apitest.WithConfig(func(c *config.Serve) {
			c.DatabaseReplica = standby.URL
			c.SearchMemory = 0 // lists by SQL: every list needs the database
		}))
	created := s.OK(201, "POST", "/v2/variant-options", `{"name": "Size", "values": [{"name": "S"}]}`)
	option := "/v2/variant-options/" + created.Text("data.id")
	count := func() int64 {
		stats, ok := s.App.DB.ReplicaStats()
		if !ok {
			t.Fatal("there is no replica")
		}
		return stats.Reads
	}

	read := func(want string) {
		t.Helper()
		if got := s.Get(option).Text("data.name"); got != want {
			t.Errorf("the name is %q, want %q", got, want)
		}
	}
	rename := func(name string) {
		t.Helper()
		s.OK(200, "PUT", option, map[string]string{"name": name})
	}
	catchUp := func() {
		t.Helper()
		before := count()
		for count() == before {
			time.Sleep(10 * time.Millisecond)
			s.Get(option)
		}
	}
	for _, path := range []string{"/v2/products?with=variants", "/v2/variant-options?with=values"} {
		catchUp()
		before := count()
		s.Get(path, apitest.As(s.Publishable))
		if count() == before {
			t.Errorf("GET %s did not read from the replica", path)
		}
	}

	execPostgres(t, standby.URL, "SELECT pg_wal_replay_pause()")
	before := count()

	for _, name := range []string{"Width", "Height", "Depth"} {
		rename(name)
		read(name)
	}

	if got := count(); got != before {
		t.Errorf("%d reads came from a replica that is behind", got-before)
	}

	execPostgres(t, standby.URL, "SELECT pg_wal_replay_resume()")
	catchUp()
	read("Depth")

	if err := standby.Crash(); err != nil {
		t.Fatal(err)
	}

	rename("Length")
	read("Length")
	read("Length")

	if text := string(s.DoAdmin("GET", "/metrics", nil).Body); !strings.Contains(text,
		`replica_reads_total{outcome="answered"}`) {
		t.Error("the metrics do not count the reads of the replica")
	}

	if stats, _ := s.App.DB.ReplicaStats(); stats.Failed == 0 || stats.Behind == 0 {
		t.Errorf("the counts are %+v", stats)
	}
}

func startPostgres(t *testing.T, start func() (*pgserver.Server, error)) *pgserver.Server {
	t.Helper()
	s, err := start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// After a power cut the database starts when it is ready, and the program waits for it. It does not wait for a database
// that does not exist.
func TestServe_waitsForTheDatabaseAtItsStart(t *testing.T) {
	t.Parallel()

	server := startPostgres(t, func() (*pgserver.Server, error) { return pgserver.Start(pgserver.Options{}) })
	inst := newInstallation(t, database.Postgres)
	inst.Database = server.URL
	if err := server.Crash(); err != nil {
		t.Fatal(err)
	}

	free := []string{"serve", "--api-addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0"}
	inst.WantFailure(1, []string{"cannot be reached"}, append(free, "--database-wait", "100ms")...)

	restarted := make(chan error, 1)
	time.AfterFunc(time.Second, func() { restarted <- server.Restart() })
	inst.Serve()
	if err := <-restarted; err != nil {
		t.Fatal(err)
	}

	missing, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	missing.Path = "/no_such_database"
	inst.Database = missing.String()
	p := apitest.Launch(t, inst.Command(free...))
	if code := p.Wait(); code != 1 || strings.Contains(p.Stderr.String(), "waiting") {
		t.Errorf("with a database that does not exist serve exits with %d: %s", code, p.Stderr)
	}
}

func execPostgres(t *testing.T, url, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

// A command often runs as root, whose files the server cannot read. Only the server writes which timeline it has seen.
func TestCommands_leaveTheTimelineFileToTheServer(t *testing.T) {
	t.Parallel()
	inst := newInstallation(t, database.Postgres)
	inst.FirstRun()
	file := filepath.Join(inst.Data, "postgres-timeline")
	if err := os.Remove(file); err != nil {
		t.Fatalf("the server has not written the file: %v", err)
	}
	inst.Run("store", "list")
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a command has written the file: %v", err)
	}
}
