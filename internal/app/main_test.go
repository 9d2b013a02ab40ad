package app_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/databasetest"
)

// vitrineBinary is the path of the program, which is built once for all tests.
var vitrineBinary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "vitrine-app-")
	if err == nil {
		vitrineBinary, err = apitest.Build(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// installation is a data directory and a database for the program.
type installation struct {
	t        *testing.T
	engine   string
	data     string
	database string // empty for the SQLite file in data
}

// eachEngine runs fn on both engines, in parallel.
func eachEngine(t *testing.T, fn func(t *testing.T, inst *installation)) {
	t.Helper()
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			fn(t, newInstallation(t, engine))
		})
	}
}

func newInstallation(t *testing.T, engine string) *installation {
	t.Helper()
	inst := &installation{t: t, engine: engine, data: filepath.Join(t.TempDir(), "data")}
	if engine == database.Postgres {
		inst.database = databasetest.NewURL(t, engine)
	}
	return inst
}

// command returns a command line of the program for this installation.
func (inst *installation) command(args ...string) *exec.Cmd {
	if inst.data != "" {
		args = append(args, "--data", inst.data)
	}
	if inst.database != "" {
		args = append(args, "--database", inst.database)
	}
	cmd := exec.Command(vitrineBinary, args...)
	// The environment of the tests must not influence the program.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + inst.t.TempDir(), "TMPDIR=" + os.TempDir()}
	return cmd
}

// serve starts the server on free ports.
func (inst *installation) serve(args ...string) *apitest.Process {
	inst.t.Helper()
	return apitest.LaunchServer(inst.t, inst.serveCommand(args...))
}

func (inst *installation) serveCommand(args ...string) *exec.Cmd {
	return inst.command(append([]string{"serve", "--api-addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0",
		"--shutdown-delay", "0s"}, args...)...)
}

// run runs a command, which must succeed, and returns its standard output.
func (inst *installation) run(args ...string) string {
	inst.t.Helper()
	p := apitest.Launch(inst.t, inst.command(args...))
	if code := p.Wait(); code != 0 {
		inst.t.Fatalf("vitrine %s exits with %d: %s", strings.Join(args, " "), code, p.Stderr)
	}
	return p.Stdout.String()
}

// wantFailure runs a command that must exit with code and print these words to standard error. With code 1 it must not
// print to standard output.
func (inst *installation) wantFailure(code int, words []string, args ...string) {
	inst.t.Helper()
	p := apitest.Launch(inst.t, inst.command(args...))
	if got := p.Wait(); got != code {
		inst.t.Errorf("vitrine %s exits with %d, want %d", strings.Join(args, " "), got, code)
	}
	for _, w := range words {
		if !strings.Contains(p.Stderr.String(), w) {
			inst.t.Errorf("vitrine %s does not print %q: %s", strings.Join(args, " "), w, p.Stderr)
		}
	}
	if code == 1 && p.Stdout.String() != "" {
		inst.t.Errorf("vitrine %s prints to standard output: %s", strings.Join(args, " "), p.Stdout)
	}
}

// firstRun starts the server for the first time and returns it with a client for the first store.
func (inst *installation) firstRun(args ...string) (*apitest.Process, *apitest.Server) {
	inst.t.Helper()
	p := inst.serve(args...)
	keys, ok := p.FirstRunKeys()
	if !ok {
		inst.t.Fatalf("the first run names no file with keys: %s", p.Stdout)
	}
	return p, p.Server(keys.Keys(inst.t))
}
