package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/kit/config"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/store"
)

// benchEnvironment is a new, migrated database with a binary of the program, and what the benchmarks of a run share:
// the filled stores, the settings of pushes and those of mixed traffic.
type benchEnvironment struct {
	engine string
	url    string
	dir    string
	binary string
	stores *filledStores
	pushes *pushSettings
	mixed  *mixedSettings
}

func buildBinary(ctx context.Context, dir string) (string, error) {
	binary := filepath.Join(dir, "vitrine")
	out, err := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", binary, "./cmd/vitrine").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return binary, nil
}

// benchServer is the program running in this process, with one store.
type benchServer struct {
	priceCount int // number of prices pushed by pushPrice
	url        string
	admin      string
	keys       account.ProvisionedStore
	app        *app.App
	stop       func() error
}

// startServer starts the program in this process with a new store.
func (e *benchEnvironment) startServer(ctx context.Context) (*benchServer, error) {
	data, err := os.MkdirTemp(e.dir, "data-")
	if err != nil {
		return nil, err
	}
	return startServerAt(ctx, config.Storage{Data: data, Database: e.url}, nil)
}

// startServerAt starts the program in this process, so that client, server and bare handler share the machine in the
// same way. If keys is nil, it creates a store.
func startServerAt(ctx context.Context, storage config.Storage, keys *account.ProvisionedStore) (*benchServer, error) {
	return startServerWith(ctx, config.Serve{Storage: storage}, keys)
}

// startServerWith is like startServerAt but also accepts other settings of the server.
func startServerWith(ctx context.Context, cfg config.Serve, keys *account.ProvisionedStore) (*benchServer, error) {
	cfg.APIAddr = "127.0.0.1:0"
	cfg.AdminAddr = "127.0.0.1:0"
	cfg.Dev = true
	cfg.SearchMemory = 512

	// On a shared machine a request may wait for a second. Only the benchmark of overload is about refusals.
	cfg.AdmissionWait = cmp.Or(cfg.AdmissionWait, time.Minute)

	// Writing the access log is a part of serving a request, so it is enabled and discarded.
	a, err := app.New(ctx, cfg, "bench", slog.New(slog.NewJSONHandler(io.Discard, nil)))
	if err != nil {
		return nil, err
	}

	if keys == nil {
		made, err := a.CreateStore(ctx, store.Edit{}, account.NewOwner{})
		if err != nil {
			return nil, err
		}
		keys = &made
	}

	ctx, cancel := context.WithCancel(ctx)
	addresses, runErr := make(chan [2]string, 1), make(chan error, 1)
	go func() {
		runErr <- a.Run(ctx, func(api, admin net.Addr) {
			addresses <- [2]string{"http://" + api.String(), "http://" + admin.String()}
		})
	}()
	select {
	case err := <-runErr:
		cancel()
		return nil, err
	case at := <-addresses:
		return &benchServer{url: at[0], admin: at[1], keys: *keys, app: a, stop: func() error {
			cancel()
			return <-runErr
		}}, nil
	}
}

// newClient returns a client that reuses connections. It does not decompress responses, so that both sides of a
// comparison read the same bytes.
func newClient() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}}
}

func (s *benchServer) do(c *http.Client, method, path string, body []byte) ([]byte, error) {
	req, err := http.NewRequest(method, s.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}

	req.Header.Set("Authorization", "Bearer "+s.keys.SecretKey)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}

	res, err := c.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()

	respBody, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 300 {
		err = fmt.Errorf("%s %s answered %d: %.300s", method, path, res.StatusCode, respBody)
	}

	return respBody, err
}

// measureAlternately runs two measurements in turn and returns the median of each. A disturbance of the machine affects
// both.
func measureAlternately(rounds int, ours, raw func() (time.Duration, error)) (o, r time.Duration, err error) {
	var os, rs []time.Duration
	for i := range rounds {
		first, second := ours, raw
		if i%2 == 1 {
			first, second = raw, ours
		}

		a, err := first()
		if err != nil {
			return 0, 0, err
		}
		b, err := second()
		if err != nil {
			return 0, 0, err
		}

		if i%2 == 1 {
			a, b = b, a
		}

		os, rs = append(os, a), append(rs, b)
	}

	return median(os), median(rs), nil
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

func measureTime(fn func() error) (time.Duration, error) {
	start := time.Now()
	err := fn()
	return time.Since(start), err
}

// benchProcess is the program as a process of its own.
type benchProcess struct {
	cmd        *exec.Cmd
	api, admin string
	out        bytes.Buffer
}

// startProcess starts the binary, with more flags if there are any, and waits until it is ready. It returns the time
// that took.
func (e *benchEnvironment) startProcess(
	ctx context.Context, data string, flags ...string,
) (*benchProcess, time.Duration, error) {
	admin, err := freeAddress()
	if err != nil {
		return nil, 0, err
	}
	api, err := freeAddress()
	if err != nil {
		return nil, 0, err
	}

	p := &benchProcess{api: "http://" + api, admin: "http://" + admin}
	args := []string{
		"serve", "--data", data, "--api-addr", api, "--admin-addr", admin, "--log-level", "error", "--shutdown-delay",
		"0s", "--database", e.url,
	}
	p.cmd = exec.CommandContext(ctx, e.binary, append(args, flags...)...)
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.out
	start := time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, 0, err
	}

	c := newClient()
	err = waitUntil(ctx, "the program is ready", 20*time.Second, time.Millisecond, func() (bool, error) {
		res, err := c.Get(p.admin + "/readyz")
		if err != nil {
			return false, nil //nolint:nilerr // it does not listen yet
		}
		return res.StatusCode == http.StatusOK, res.Body.Close()
	})
	took := time.Since(start)
	if err != nil {
		return nil, 0, errors.Join(fmt.Errorf("%w: %s", err, p.out.String()), p.stop())
	}

	return p, took, nil
}

func (p *benchProcess) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return p.cmd.Wait()
}

// memoryMiB returns the value of a line of /proc/PID/status, such as VmRSS or VmHWM, converted to MiB.
func (p *benchProcess) memoryMiB(line string) (float64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for l := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(l, line+":"); ok {
			kib, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kib / 1024, err
		}
	}
	return 0, fmt.Errorf("no %s", line)
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String(), nil
}
