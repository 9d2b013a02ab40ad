package apitest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

// Main runs the tests of a package, which share one server per engine, and stops these servers. It returns the exit
// code. A package calls it in its TestMain:
//
//	func TestMain(m *testing.M) { os.Exit(apitest.Main(m)) }
func Main(m *testing.M) int {
	pool().enabled = true
	code := m.Run()
	if err := pool().stop(); err != nil {
		fmt.Fprintln(os.Stderr, "stop the shared servers:", err)
		code = max(code, 1)
	}
	return code
}

// serverPool has the shared servers of a test process.
type serverPool struct {
	enabled bool
	mu      sync.Mutex
	servers map[string]*poolServer // by engine and mode
	tests   int                    // how many tests have used the pool
	exit    []func()
}

// poolServer is a shared server, or the error that prevented its start.
type poolServer struct {
	*Server
	tb  *processTB
	err error
}

// pool returns the pool of this process.
var pool = sync.OnceValue(func() *serverPool { return &serverPool{servers: map[string]*poolServer{}} })

// sharedMode returns the mode of the server that a test with these options can share, and whether there is one.
func sharedMode(options []Option) (mode string, ok bool) {
	for _, o := range options {
		if o.mode == "" {
			return "", false
		}
		mode += " " + o.mode
	}
	return mode, pool().enabled
}

// sharedServer returns the shared server of the engine and mode, with new stores and a client for this test.
func sharedServer(tb testing.TB, engine, mode string, options []Option) *Server {
	tb.Helper()
	databasetest.Require(tb, engine)
	running, number := pool().get(engine, mode, options)
	if running.err != nil {
		tb.Fatalf("start the shared server: %v", running.err)
	}

	s := *running.Server
	s.tb = tb
	s.test = &testState{shared: true}
	s.Clock = storetest.NewFixedClock(StartTime, func() {
		tb.Helper()
		tb.Fatal("the test moves the clock of a shared server: pass apitest.Alone()")
	})
	s.Log = running.Log.view(s.test.owns)
	s.dumps = &dumpCache{schema: running.dumps.schema}
	s.client = newClient(tb, testAddress(number))
	tb.Cleanup(s.logIfFailed)
	s.Keys = s.NewStore(store.Edit{})
	s.Other = s.NewStore(store.Edit{})

	return &s
}

// testAddress returns an address of loopback, from which the requests of a test come, so that tests do not share limits
// per address. Only Linux has these addresses without configuration; elsewhere the result is nil.
func testAddress(number int) net.Addr {
	if runtime.GOOS != "linux" {
		return nil
	}
	return &net.TCPAddr{IP: net.IPv4(127, 1+byte(number>>16), byte(number>>8), byte(number))}
}

// get returns a shared server, which it starts if needed, and the number of the test.
func (p *serverPool) get(engine, mode string, options []Option) (running *poolServer, number int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tests++
	key := engine + mode
	if p.servers[key] == nil {
		p.servers[key] = startShared(engine, options)
	}
	return p.servers[key], p.tests
}

func startShared(engine string, options []Option) (running *poolServer) {
	running = &poolServer{tb: newProcessTB()}
	defer func() {
		if failure := recover(); failure != nil {
			running.err = fmt.Errorf("%v", failure)
		}
	}()
	settings := startSettings{clock: storetest.NewClock(StartTime)}
	running.Server = startServer(running.tb, engine, settings, options)
	return running
}

// atExit registers a function for the end of Main.
func (p *serverPool) atExit(fn func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.exit = append(p.exit, fn)
}

// stop stops all servers and removes their files and databases.
func (p *serverPool) stop() (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, running := range p.servers {
		err = errors.Join(err, running.tb.end())
	}
	for _, fn := range p.exit {
		fn()
	}
	return err
}

// testState is what all copies of a server in one test share.
type testState struct {
	shared bool

	mu       sync.Mutex
	stores   []store.ID
	requests []string // their ids, from the responses
}

func (t *testState) addStore(id store.ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stores = append(t.stores, id)
}

// ownStores returns the stores of the test if it shares its server.
func (t *testState) ownStores() []store.ID {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.shared {
		return nil
	}
	return slices.Clone(t.stores)
}

func (t *testState) addRequest(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.shared && id != "" {
		t.requests = append(t.requests, id)
	}
}

// owns reports whether a line of the log names a store or a request of the test.
func (t *testState) owns(line string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.ContainsFunc(t.stores, func(id store.ID) bool { return strings.Contains(line, id.String()) }) ||
		slices.ContainsFunc(t.requests, func(id string) bool { return strings.Contains(line, id) })
}

// needsAlone fails the test if it shares its server.
func (s *Server) needsAlone(method string) {
	s.tb.Helper()
	if s.test.shared {
		s.tb.Fatalf("%s needs a server of the test's own: pass apitest.Alone()", method)
	}
}

// processTB stands for a whole test process: what it cleans up lasts until the end of the process.
type processTB struct {
	testing.TB // nil; the methods below are those that starting a server needs

	ctx      context.Context
	cancel   context.CancelFunc
	mu       sync.Mutex
	cleanups []func()
	failures []error
}

func newProcessTB() *processTB {
	ctx, cancel := context.WithCancel(context.Background())
	return &processTB{ctx: ctx, cancel: cancel}
}

// end runs the cleanups and returns what failed.
func (p *processTB) end() error {
	p.cancel()
	for _, cleanup := range slices.Backward(p.cleanups) {
		cleanup()
	}
	return errors.Join(p.failures...)
}

// Context returns a context that lasts until the end of the process.
func (p *processTB) Context() context.Context { return p.ctx }

// Helper does nothing.
func (p *processTB) Helper() {}

// Failed returns false: each test prints its own part of the log.
func (p *processTB) Failed() bool { return false }

// Cleanup registers a function for the end of the process.
func (p *processTB) Cleanup(fn func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cleanups = append(p.cleanups, fn)
}

// TempDir creates a directory that is removed at the end of the process.
func (p *processTB) TempDir() string {
	dir, err := os.MkdirTemp("", "vitrine-test-")
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// Error records a failure.
func (p *processTB) Error(args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failures = append(p.failures, errors.New(fmt.Sprint(args...)))
}

// Errorf records a failure.
func (p *processTB) Errorf(format string, args ...any) { p.Error(fmt.Sprintf(format, args...)) }

// Fatal panics; startShared turns that into an error.
func (p *processTB) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

// Fatalf panics; startShared turns that into an error.
func (p *processTB) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
