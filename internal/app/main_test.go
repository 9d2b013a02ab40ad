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

// vitrine is the program, built once for all tests.
var vitrine string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "vitrine-app-")
	if err == nil {
		vitrine, err = apitest.Build(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// place is where an installation keeps its things: a data directory, and a database on one of the engines.
type place struct {
	t        *testing.T
	engine   string
	data     string
	database string // empty for the SQLite file in data
}

// eachPlace runs fn on both engines, in parallel.
func eachPlace(t *testing.T, fn func(t *testing.T, at *place)) {
	t.Helper()
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			fn(t, newPlace(t, engine))
		})
	}
}

func newPlace(t *testing.T, engine string) *place {
	t.Helper()
	at := &place{t: t, engine: engine, data: filepath.Join(t.TempDir(), "data")}
	if engine == database.Postgres {
		at.database = databasetest.NewURL(t, engine)
	}
	return at
}

// command is a command line of the program in this place.
func (at *place) command(args ...string) *exec.Cmd {
	if at.data != "" {
		args = append(args, "--data", at.data)
	}
	if at.database != "" {
		args = append(args, "--database", at.database)
	}
	cmd := exec.Command(vitrine, args...)
	// Nothing of the tests' own environment decides what the program does.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + at.t.TempDir(), "TMPDIR=" + os.TempDir()}
	return cmd
}

// serve starts the server on ports of its own.
func (at *place) serve(args ...string) *apitest.Process {
	at.t.Helper()
	return apitest.LaunchServer(at.t, at.serving(args...))
}

func (at *place) serving(args ...string) *exec.Cmd {
	return at.command(append([]string{"serve", "--api-addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0", "--shutdown-delay", "0s"}, args...)...)
}

// run runs a command to its end, which must be a success, and returns what it printed.
func (at *place) run(args ...string) string {
	at.t.Helper()
	p := apitest.Launch(at.t, at.command(args...))
	if code := p.Wait(); code != 0 {
		at.t.Fatalf("vitrine %s ends with %d: %s", strings.Join(args, " "), code, p.Stderr)
	}
	return p.Stdout.String()
}

// fail runs a command that must end with that code, print nothing to standard output, and say these words.
func (at *place) fail(code int, words []string, args ...string) {
	at.t.Helper()
	p := apitest.Launch(at.t, at.command(args...))
	if got := p.Wait(); got != code {
		at.t.Errorf("vitrine %s ends with %d, want %d", strings.Join(args, " "), got, code)
	}
	for _, w := range words {
		if !strings.Contains(p.Stderr.String(), w) {
			at.t.Errorf("vitrine %s does not say %q: %s", strings.Join(args, " "), w, p.Stderr)
		}
	}
	if code == 1 && p.Stdout.String() != "" {
		at.t.Errorf("vitrine %s prints %s", strings.Join(args, " "), p.Stdout)
	}
}

// first starts the server for the first time and returns it with the shop that it made.
func (at *place) first(args ...string) (*apitest.Process, *apitest.Shop) {
	at.t.Helper()
	p := at.serve(args...)
	keys, ok := p.FirstKeys()
	if !ok {
		at.t.Fatalf("the first run prints no keys: %s", p.Stdout)
	}
	return p, p.Shop(keys.Keys(at.t))
}
