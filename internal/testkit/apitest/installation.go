package apitest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/databasetest"
)

// Installation is a data directory and a database for the program as a process.
type Installation struct {
	T      *testing.T
	Engine string
	Data   string
	// Database is the URL of the database; "" for the SQLite file in Data.
	Database string
}

// NewInstallation returns an installation with an empty database.
func NewInstallation(t *testing.T, engine string) *Installation {
	t.Helper()
	inst := &Installation{T: t, Engine: engine, Data: filepath.Join(t.TempDir(), "data")}
	if engine == database.Postgres {
		inst.Database = databasetest.NewURL(t, engine)
	}
	return inst
}

// NewMigratedInstallation is NewInstallation with a migrated database on PostgreSQL, where the program would need as
// long to migrate it as for everything else that it does when it starts.
func NewMigratedInstallation(t *testing.T, engine string) *Installation {
	t.Helper()
	inst := &Installation{T: t, Engine: engine, Data: filepath.Join(t.TempDir(), "data")}
	if engine == database.Postgres {
		inst.Database = databasetest.NewMigratedURL(t, engine)
	}
	return inst
}

// EachInstallation runs fn on both engines, in parallel.
func EachInstallation(t *testing.T, fn func(t *testing.T, inst *Installation)) {
	t.Helper()
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			fn(t, NewInstallation(t, engine))
		})
	}
}

// Command returns a command line of the program for this installation.
func (inst *Installation) Command(args ...string) *exec.Cmd {
	if inst.Data != "" {
		args = append(args, "--data", inst.Data)
	}
	if inst.Database != "" {
		args = append(args, "--database", inst.Database)
	}
	cmd := exec.Command(Program(inst.T), args...)
	// The environment of the tests must not influence the program.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + inst.T.TempDir(), "TMPDIR=" + os.TempDir()}
	return cmd
}

// Serve starts the server on free ports.
func (inst *Installation) Serve(args ...string) *Process {
	inst.T.Helper()
	return LaunchServer(inst.T, inst.ServeCommand(args...))
}

// ServeCommand returns the command line of a server on free ports.
func (inst *Installation) ServeCommand(args ...string) *exec.Cmd {
	return inst.Command(append([]string{"serve", "--api-addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0",
		"--shutdown-delay", "0s"}, args...)...)
}

// Run runs a command, which must succeed, and returns its standard output.
func (inst *Installation) Run(args ...string) string {
	inst.T.Helper()
	p := Launch(inst.T, inst.Command(args...))
	if code := p.Wait(); code != 0 {
		inst.T.Fatalf("vitrine %s exits with %d: %s", strings.Join(args, " "), code, p.Stderr)
	}
	return p.Stdout.String()
}

// WantFailure runs a command that must exit with code and print these words to standard error. With code 1 it must not
// print to standard output.
func (inst *Installation) WantFailure(code int, words []string, args ...string) {
	inst.T.Helper()
	p := Launch(inst.T, inst.Command(args...))
	if got := p.Wait(); got != code {
		inst.T.Errorf("vitrine %s exits with %d, want %d", strings.Join(args, " "), got, code)
	}
	for _, w := range words {
		if !strings.Contains(p.Stderr.String(), w) {
			inst.T.Errorf("vitrine %s does not print %q: %s", strings.Join(args, " "), w, p.Stderr)
		}
	}
	if code == 1 && p.Stdout.String() != "" {
		inst.T.Errorf("vitrine %s prints to standard output: %s", strings.Join(args, " "), p.Stdout)
	}
}

// FirstRun starts the server for the first time and returns it with a client for the first store.
func (inst *Installation) FirstRun(args ...string) (*Process, *Server) {
	inst.T.Helper()
	p := inst.Serve(args...)
	keys, ok := p.FirstRunKeys()
	if !ok {
		inst.T.Fatalf("the first run names no file with keys: %s", p.Stdout)
	}
	return p, p.Server(keys.Keys(inst.T))
}

// WriteDB writes to the database of the installation, with or without a running server.
func (inst *Installation) WriteDB(fn func(q database.Querier) error) {
	inst.T.Helper()
	storage := config.Storage{Data: inst.Data, Database: inst.Database}
	db, err := database.Open(inst.T.Context(), database.Config{URL: storage.DatabaseURL()})
	if err != nil {
		inst.T.Fatal(err)
	}
	if err := db.Write(inst.T.Context(), fn); err != nil {
		inst.T.Error(err)
	}
	if err := db.Close(); err != nil {
		inst.T.Error(err)
	}
}

// CountRows returns the result of a query for one number.
func CountRows(t testing.TB, db *database.DB, sql string, args ...any) (n int) {
	t.Helper()
	err := db.Read(t.Context(),
		func(q database.Querier) error { return database.QueryRow(t.Context(), q, sql, args, &n) })
	if err != nil {
		t.Errorf("%s: %v", sql, err)
	}
	return n
}
