// Package harness has what the benchmarks share: databases, servers and processes of the program, stores filled with
// products, pushes, timing, figures and plots.
package harness

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

// Environment is a new, migrated database with a binary of the program, and what the benchmarks of a run share:
// the filled stores, the settings of pushes and those of mixed traffic.
type Environment struct {
	Engine string
	URL    string
	Dir    string
	Binary string
	Stores *filledStores
	Pushes *PushSettings
	Mixed  *MixedSettings
	// PriceLists is the number of price lists that the benchmark of prices creates.
	PriceLists int
}

func BuildBinary(ctx context.Context, dir string) (string, error) {
	binary := filepath.Join(dir, "vitrine")
	out, err := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", binary, "./cmd/vitrine").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return binary, nil
}

// Server is the program running in this process, with one store.
type Server struct {
	PriceCount int // number of prices pushed by pushPrice
	URL        string
	Admin      string
	Keys       account.ProvisionedStore
	App        *app.App
	Stop       func() error
}

// StartServer starts the program in this process with a new store.
func (e *Environment) StartServer(ctx context.Context) (*Server, error) {
	data, err := os.MkdirTemp(e.Dir, "data-")
	if err != nil {
		return nil, err
	}
	return StartServerAt(ctx, config.Storage{Data: data, Database: e.URL}, nil)
}

// StartServerAt starts the program in this process, so that client, server and bare handler share the machine in the
// same way. If keys is nil, it creates a store.
func StartServerAt(ctx context.Context, storage config.Storage, keys *account.ProvisionedStore) (*Server, error) {
	return StartServerWith(ctx, config.Serve{Storage: storage}, keys)
}

// StartServerWith is like StartServerAt but also accepts other settings of the server.
func StartServerWith(ctx context.Context, cfg config.Serve, keys *account.ProvisionedStore) (*Server, error) {
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
		return &Server{URL: at[0], Admin: at[1], Keys: *keys, App: a, Stop: func() error {
			cancel()
			return <-runErr
		}}, nil
	}
}

// NewClient returns a client that reuses connections. It does not decompress responses, so that both sides of a
// comparison read the same bytes.
func NewClient() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}}
}

func (s *Server) Do(c *http.Client, method, path string, body []byte) ([]byte, error) {
	req, err := http.NewRequest(method, s.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}

	req.Header.Set("Authorization", "Bearer "+s.Keys.SecretKey)
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

// MeasureAlternately runs two measurements in turn and returns the median of each. A disturbance of the machine affects
// both.
func MeasureAlternately(rounds int, ours, raw func() (time.Duration, error)) (o, r time.Duration, err error) {
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

	return Median(os), Median(rs), nil
}

func Median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

func MeasureTime(fn func() error) (time.Duration, error) {
	start := time.Now()
	err := fn()
	return time.Since(start), err
}

// Process is the program as a process of its own.
type Process struct {
	Cmd        *exec.Cmd
	API, Admin string
	Out        bytes.Buffer
}

// StartProcess starts the binary, with more flags if there are any, and waits until it is ready. It returns the time
// that took.
func (e *Environment) StartProcess(
	ctx context.Context, data string, flags ...string,
) (*Process, time.Duration, error) {
	admin, err := freeAddress()
	if err != nil {
		return nil, 0, err
	}
	api, err := freeAddress()
	if err != nil {
		return nil, 0, err
	}

	p := &Process{API: "http://" + api, Admin: "http://" + admin}
	args := []string{
		"serve", "--data", data, "--api-addr", api, "--admin-addr", admin, "--log-level", "error", "--shutdown-delay",
		"0s", "--database", e.URL,
	}
	p.Cmd = exec.CommandContext(ctx, e.Binary, append(args, flags...)...)
	p.Cmd.Stdout, p.Cmd.Stderr = &p.Out, &p.Out
	start := time.Now()
	if err := p.Cmd.Start(); err != nil {
		return nil, 0, err
	}

	c := NewClient()
	err = WaitUntil(ctx, "the program is ready", 20*time.Second, time.Millisecond, func() (bool, error) {
		res, err := c.Get(p.Admin + "/readyz")
		if err != nil {
			return false, nil //nolint:nilerr // it does not listen yet
		}
		return res.StatusCode == http.StatusOK, res.Body.Close()
	})
	took := time.Since(start)
	if err != nil {
		return nil, 0, errors.Join(fmt.Errorf("%w: %s", err, p.Out.String()), p.Stop())
	}

	return p, took, nil
}

func (p *Process) Stop() error {
	if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return p.Cmd.Wait()
}

// MemoryMiB returns the value of a line of /proc/PID/status, such as VmRSS or VmHWM, converted to MiB.
func (p *Process) MemoryMiB(line string) (float64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Cmd.Process.Pid))
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

// ProcessorTime returns the time that the process has used of all processors.
func (p *Process) ProcessorTime() (time.Duration, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:])) // from the third on: see proc(5)
	user, err := strconv.ParseInt(fields[11], 10, 64)
	if err != nil {
		return 0, err
	}
	system, err := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond, err
}

// ResetPeakMemory makes the present memory of the process its peak: see clear_refs in proc(5).
func (p *Process) ResetPeakMemory() error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.Cmd.Process.Pid), []byte("5"), 0)
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String(), nil
}
