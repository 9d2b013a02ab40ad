package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"vitrine/internal/shop/account"
)

// memoryFlag is the setting of the server, and memoryLimit the same in MiB.
const (
	memoryFlag  = "512MiB"
	memoryLimit = 512
)

// target is the program under attack as a process of its own, with its stores on SQLite.
type target struct {
	api, admin string // addresses of the listeners
	data       string
	// attacked is the store whose credentials the attackers have. An ordinary client uses it, too, and another one uses
	// the other store.
	attacked, other    account.ProvisionedStore
	attackedSold, sold string // ids of variants of the two stores
	// large has many products, wordy a large dictionary.
	large, wordy account.ProvisionedStore

	cmd   *exec.Cmd
	out   bytes.Buffer // must not be read before the process has ended
	ended chan struct{}
}

func buildProgram(ctx context.Context, dir string) (binary string, err error) {
	binary = filepath.Join(dir, "vitrine")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-o", binary, "./cmd/vitrine")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return binary, nil
}

// newTarget creates two stores in dir.
func newTarget(ctx context.Context, binary, dir string) (*target, error) {
	t := &target{data: filepath.Join(dir, "data")}
	for _, s := range []*account.ProvisionedStore{&t.attacked, &t.other} {
		if err := createStore(ctx, binary, t.data, s); err != nil {
			return nil, err
		}
	}
	for _, address := range []*string{&t.api, &t.admin} {
		free, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		*address = free.Addr().String()
		_ = free.Close()
	}
	return t, nil
}

// start starts the program with its default limits, but for the given flags, and waits until it is ready.
func (t *target) start(ctx context.Context, binary string, flags ...string) error {
	t.cmd = exec.CommandContext(ctx, binary, append([]string{"serve", "--data", t.data, "--api-addr", t.api,
		"--admin-addr", t.admin, "--memory", memoryFlag, "--no-first-store", "--log-level", "error",
		"--shutdown-delay", "0s"}, flags...)...)
	t.cmd.Stdout, t.cmd.Stderr = &t.out, &t.out
	if err := t.cmd.Start(); err != nil {
		return err
	}

	ended := make(chan struct{})
	cmd := t.cmd
	t.ended = ended
	go func() {
		_ = cmd.Wait() // alive reports the end
		close(ended)
	}()

	for ctx.Err() == nil && t.alive() {
		if t.ready(ctx) == nil {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}

	return errors.Join(errors.New("the server does not become ready"), t.stop())
}

// alive reports whether the process is running.
func (t *target) alive() bool {
	select {
	case <-t.ended:
		return false
	default:
		return true
	}
}

// ready returns an error unless /readyz is 200 within two seconds.
func (t *target) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+t.admin+"/readyz", nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("/readyz is %d", res.StatusCode)
	}
	return nil
}

// stop ends the process and returns what it has logged as an error, if it did not end by itself.
func (t *target) stop() error {
	if t.alive() {
		_ = t.cmd.Process.Signal(syscall.SIGTERM) // it may end at this moment
	}
	select {
	case <-t.ended:
	case <-time.After(20 * time.Second):
		_ = t.cmd.Process.Kill()
		<-t.ended
	}
	if t.cmd.ProcessState.Success() {
		return nil
	}
	return fmt.Errorf("the server ended with %s: %s", t.cmd.ProcessState, lastBytes(t.out.String(), 4000))
}

func lastBytes(s string, n int) string { return s[max(0, len(s)-n):] }

// resetPeak makes the kernel start again to count the peak of the memory.
func (t *target) resetPeak() error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", t.cmd.Process.Pid), []byte("5"), 0)
}

// peakMiB returns the largest resident memory since resetPeak, or 0 if the process has ended.
func (t *target) peakMiB() int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", t.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	line, _, _ := strings.Cut(rest, "kB")
	kib, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		return 0
	}
	return kib / 1024
}

// processorTime returns how long the threads of the process have run on a processor, and how long they have waited for
// one. On a machine with other work, a long wait explains slow responses.
func (t *target) processorTime() (used, waited time.Duration) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", t.cmd.Process.Pid)) // the pattern is valid
	for _, path := range threads {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // the thread has ended
		}
		var run, wait int64
		if _, err := fmt.Sscan(string(stat), &run, &wait); err == nil {
			used, waited = used+time.Duration(run), waited+time.Duration(wait)
		}
	}
	return used, waited
}
