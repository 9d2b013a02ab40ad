package apitest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/storetest"
)

// programVariable names the environment variable with the path of the program that `make test` has built for all
// packages.
const programVariable = "VITRINE_TEST_PROGRAM"

// Program returns the path of the program, which is built once per test process unless `make test` has built it.
func Program(tb testing.TB) string {
	tb.Helper()
	path, err := program()
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

var program = sync.OnceValues(func() (string, error) {
	if path := os.Getenv(programVariable); path != "" {
		_, err := os.Stat(path) // the go command then knows that the result of the tests depends on the file
		return path, err
	}
	dir, err := os.MkdirTemp("", "vitrine-program-")
	if err != nil {
		return "", err
	}
	pool().atExit(func() { _ = os.RemoveAll(dir) })
	return build(dir)
})

// build compiles the program into dir and returns its path. It uses the flags of a release, without the race detector.
func build(dir string) (string, error) {
	path := filepath.Join(dir, "vitrine")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", path, "vitrine/cmd/vitrine")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return path, nil
}

// Process is the program running as a process of its own.
type Process struct {
	// URL and AdminURL are the addresses that the program printed.
	URL, AdminURL  string
	Stdout, Stderr *Log

	tb   testing.TB
	cmd  *exec.Cmd
	done chan struct{} // closed when the process has exited
}

// readyOutput matches what serve prints once it is listening.
var readyOutput = regexp.MustCompile(`(?s)Vitrine \S+ is ready\.\n` +
	`  API +(http://\S+) .*?\n  Administration +(http://\S+)\n`)

// Launch starts a command. The process is killed when the test ends.
func Launch(tb testing.TB, cmd *exec.Cmd) *Process {
	tb.Helper()
	output := &Log{}
	cmd.Stdout = output
	return launch(tb, cmd, output)
}

// launch starts a command whose standard output is already connected. output collects what it prints.
func launch(tb testing.TB, cmd *exec.Cmd, output *Log) *Process {
	tb.Helper()
	p := &Process{Stdout: output, Stderr: &Log{}, tb: tb, cmd: cmd, done: make(chan struct{})}
	cmd.Stderr = p.Stderr

	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}

	go func() {
		_ = cmd.Wait() // ProcessState has the result
		close(p.done)
	}()
	tb.Cleanup(func() {
		p.Kill()
		if tb.Failed() {
			tb.Logf("%s\nstandard output:\n%s\nstandard error:\n%s", cmd, p.Stdout, tail(p.Stderr.String()))
		}
	})

	return p
}

// LaunchServer starts a server and waits until it is ready.
func LaunchServer(tb testing.TB, cmd *exec.Cmd) *Process {
	tb.Helper()
	return waitUntilReady(tb, Launch(tb, cmd))
}

func waitUntilReady(tb testing.TB, p *Process) *Process {
	tb.Helper()
	var found []string
	storetest.Eventually(tb, "the server is ready", func() bool {
		if p.Ended() {
			tb.Fatalf("the server exited with %d before it was ready: %s", p.cmd.ProcessState.ExitCode(), p.Stderr)
		}
		found = readyOutput.FindStringSubmatch(p.Stdout.String())
		return found != nil
	})
	p.URL, p.AdminURL = found[1], found[2]
	return p
}

// Signal sends a signal to the process. It does nothing if the process has exited.
func (p *Process) Signal(s syscall.Signal) {
	p.tb.Helper()
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.tb.Error(err)
	}
}

// Kill kills the process with SIGKILL and waits until it has exited.
func (p *Process) Kill() {
	p.tb.Helper()
	p.Signal(syscall.SIGKILL)
	<-p.done
}

// Pause stops the process with SIGSTOP and returns when all of its threads are stopped. Resume continues it.
func (p *Process) Pause() {
	p.tb.Helper()
	p.Signal(syscall.SIGSTOP)
	for deadline := time.Now().Add(time.Minute); !p.isPaused(); time.Sleep(50 * time.Microsecond) {
		if time.Now().After(deadline) {
			p.tb.Fatalf("%s did not pause within a minute", p.cmd)
		}
	}
}

// isPaused reports whether all threads of the process are stopped.
func (p *Process) isPaused() bool {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", p.cmd.Process.Pid))
	for _, thread := range threads {
		stat, err := os.ReadFile(thread)
		if _, state, found := strings.Cut(string(stat), ") "); err != nil || !found || state[0] != 'T' {
			return false
		}
	}
	return err == nil && len(threads) > 0
}

// Resume continues the process after Pause.
func (p *Process) Resume() {
	p.tb.Helper()
	p.Signal(syscall.SIGCONT)
}

// Wait waits until the process has exited and returns its exit code.
func (p *Process) Wait() int {
	p.tb.Helper()
	select {
	case <-p.done:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(3 * time.Minute):
		p.tb.Fatalf("%s did not exit within three minutes: %s", p.cmd, tail(p.Stderr.String()))
		return -1
	}
}

// Ended reports whether the process has exited.
func (p *Process) Ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Server returns a client of the process with the credentials of a store. It has no App and no Clock, and it cannot
// dump the database.
func (p *Process) Server(k Keys) *Server {
	return &Server{Keys: k, URL: p.URL, AdminURL: p.AdminURL, tb: p.tb, test: &testState{},
		client: newClient(p.tb, nil), dumps: newDumpCache(),
		Log: p.Stderr}
}

// Provisioned is the output of `vitrine store create --json`.
type Provisioned struct {
	StoreID        string `json:"store_id"`
	SecretKey      string `json:"secret_key"`
	PublishableKey string `json:"publishable_key"`
	ExchangeToken  string `json:"exchange_token"`
	AdminEmail     string `json:"admin_email"`
	AdminPassword  string `json:"admin_password"`
}

// Keys returns the credentials of the store.
func (p Provisioned) Keys(tb testing.TB) Keys {
	tb.Helper()
	storeID, err := id.Parse[store.Store](p.StoreID)
	if err != nil {
		tb.Fatalf("parse the store id %q: %v", p.StoreID, err)
	}
	return Keys{storeID, p.SecretKey, p.PublishableKey, p.ExchangeToken}
}

// firstRunFile matches the line in which a command names the file with the keys of the first store.
var firstRunFile = regexp.MustCompile(`(?m)^  (.*first-run\.json)$`)

// FirstRunKeys returns the keys of the store that the command created on its first run. It reads them from the file
// that the command names. The result is false if it names none.
func (p *Process) FirstRunKeys() (Provisioned, bool) {
	p.tb.Helper()
	line := firstRunFile.FindStringSubmatch(p.Stdout.String())
	if line == nil {
		return Provisioned{}, false
	}
	text, err := os.ReadFile(line[1])
	if err != nil {
		p.tb.Fatal(err)
	}
	return ParseJSON[firstRun](p.tb, string(text)).Provisioned, true
}

// firstRun is the content of first-run.json.
type firstRun struct {
	Provisioned

	APIURL   string `json:"api_url"`
	AdminURL string `json:"admin_url"`
}

// PrintedKeys returns the keys that a command on a terminal prints on its first run, and whether it has printed all of
// them.
func (p *Process) PrintedKeys() (Provisioned, bool) {
	var found Provisioned
	for name, to := range map[string]*string{
		"store id": &found.StoreID, "operator": &found.AdminEmail, "password": &found.AdminPassword,
		"secret key": &found.SecretKey, "publishable key": &found.PublishableKey,
		"exchange token": &found.ExchangeToken,
	} {
		for line := range strings.Lines(p.Stdout.String()) {
			if rest, ok := strings.CutPrefix(line, "  "+name+" "); ok {
				*to = strings.Fields(rest)[0]
			}
		}
	}
	return found, !slices.Contains([]string{found.StoreID, found.SecretKey, found.PublishableKey,
		found.ExchangeToken, found.AdminEmail, found.AdminPassword}, "")
}

// GetAdmin gets a path of the admin listener without a credential.
func (p *Process) GetAdmin(path string) (status int, body string) {
	p.tb.Helper()
	r := p.Server(Keys{}).DoAdmin(http.MethodGet, path, nil)
	return r.Status, string(r.Body)
}

func tail(text string) string {
	const limit = 3000
	if len(text) > limit {
		return "…" + text[len(text)-limit:]
	}
	return text
}

// ParseJSON decodes text, which must be a single JSON document without unknown members.
func ParseJSON[T any](tb testing.TB, text string) (v T) {
	tb.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		tb.Fatalf("parse %s: %v", text, err)
	}
	if d.More() {
		tb.Fatalf("more than one JSON document in %s", text)
	}
	return v
}

// SignIn signs an operator in and returns the session cookie, or "" if the password is wrong.
func (p *Process) SignIn(email, password string) string {
	p.tb.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := client.PostForm(p.AdminURL+"/login", url.Values{"email": {email}, "password": {password}})
	if err != nil {
		p.tb.Fatal(err)
	}
	_ = r.Body.Close()
	for _, c := range r.Cookies() {
		if strings.HasPrefix(c.Name, "__Host-") && r.StatusCode < 400 {
			return c.Name + "=" + c.Value
		}
	}
	return ""
}
