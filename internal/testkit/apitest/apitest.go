// Package apitest runs the whole program in the process of the test: both listeners on loopback, the workers and a real
// database. It is for tests only.
//
// A test calls Each, which runs it on SQLite and PostgreSQL. It gets a server with two stores, a credential of each
// kind for both, and a clock that only the test advances. The methods of the server send HTTP requests. Every response
// is checked for what all responses of the API have in common (see Response), and a Dump shows whether a request
// changed the database.
//
// In a package whose TestMain calls Main, all tests share one server per engine, and each test gets stores of its own:
// a store sees nothing of the others. A test that moves the clock, configures or stops the server, reads its metrics or
// looks at the whole database asks for a server of its own with an option, such as Alone.
package apitest

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

// StartTime is the initial time of the clock of every server.
var StartTime = time.Date(2026, 11, 14, 12, 0, 5, 0, time.UTC)

// Server is a running program and a client of it.
type Server struct {
	// Keys are the credentials of the store under test.
	Keys
	// Other are the credentials of a second store in the same database, whose data the first store must never see.
	Other Keys

	App *app.App
	// URL and AdminURL are the addresses of the two listeners, without a trailing slash.
	URL, AdminURL string
	Engine        string
	Clock         *storetest.Clock
	Log           *Log

	tb         testing.TB
	test       *testState // what all copies of the server in one test share
	database   string
	blob       string // where the images are
	client     *http.Client
	dumps      *dumpCache
	documented *documentedCodes
	stop       func() error
}

// dumpCache caches the dump that was taken after the last refused request. The dump is nil when the database may have
// changed since. All copies of a server share one cache.
type dumpCache struct {
	mu     sync.Mutex
	dump   Dump
	schema *dumpSchema
}

// dumpSchema has the columns of each table that a dump includes, once they are known. Tests that share a server share
// it.
type dumpSchema struct {
	mu      sync.Mutex
	columns map[string][]string
}

func newDumpCache() *dumpCache { return &dumpCache{schema: &dumpSchema{}} }

func (k *dumpCache) set(d Dump) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.dump = d
}

func (k *dumpCache) get() Dump {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.dump
}

// Keys are the credentials of one store.
type Keys struct {
	StoreID                       store.ID
	Secret, Publishable, Exchange string
}

// Option changes how a server is started.
type Option struct {
	apply func(*startSettings)
	// mode names the servers that tests with this option share. With "" the test gets a server of its own.
	mode string
}

// Alone gives the test a server of its own.
func Alone() Option { return Option{apply: func(*startSettings) {}} }

type startSettings struct {
	config.Serve
	database     string
	clock        *storetest.Clock
	createStores bool
}

// WithConfig changes the configuration of the program.
func WithConfig(change func(*config.Serve)) Option {
	return Option{apply: func(s *startSettings) { change(&s.Serve) }}
}

// WithDatabase uses the database at url, migrated or not, instead of a new one. The caller drops it.
func WithDatabase(url string) Option {
	return Option{apply: func(s *startSettings) { s.database = url }}
}

// Each runs fn in parallel subtests named "sqlite" and "postgres", each with the server that StartServer returns.
func Each(t *testing.T, fn func(t *testing.T, s *Server), options ...Option) {
	t.Helper()
	eachOf(t, databasetest.Engines(), fn, options)
}

// Sampled is Each on the engine that databasetest.SampledEngines chooses.
func Sampled(t *testing.T, fn func(t *testing.T, s *Server), options ...Option) {
	t.Helper()
	eachOf(t, databasetest.SampledEngines(t), fn, options)
}

// EachSQLite is like Each, but runs fn on SQLite only.
func EachSQLite(t *testing.T, fn func(t *testing.T, s *Server), options ...Option) {
	t.Helper()
	eachOf(t, []string{database.SQLite}, fn, options)
}

func eachOf(t *testing.T, engines []string, fn func(t *testing.T, s *Server), options []Option) {
	t.Helper()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			fn(t, StartServer(t, engine, options...))
		})
	}
}

// StartServer returns a server with two new stores. It is shared with other tests of the package if the package has
// called Main and the options allow it. Otherwise StartServer starts a server that stops when the test ends.
func StartServer(tb testing.TB, engine string, options ...Option) *Server {
	tb.Helper()
	if mode, ok := sharedMode(options); ok {
		return sharedServer(tb, engine, mode, options)
	}
	return startServer(tb, engine, startSettings{clock: storetest.NewClock(StartTime), createStores: true}, options)
}

// StartNode starts a second node of the program on the same database and image storage, with the same stores and clock.
func (s *Server) StartNode(options ...Option) *Server {
	s.tb.Helper()
	s.needsAlone("StartNode")
	settings := startSettings{clock: s.Clock, database: s.database}
	settings.Blob = s.blob
	node := startServer(s.tb, s.Engine, settings, options)
	node.Keys, node.Other, node.dumps = s.Keys, s.Other, s.dumps
	return node
}

// secretKey is the secret key of all nodes.
const secretKey = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

func startServer(tb testing.TB, engine string, settings startSettings, options []Option) *Server {
	tb.Helper()
	settings.Data = tb.TempDir()
	settings.SearchMemory = 64
	settings.APIAddr = "127.0.0.1:0"
	settings.AdminAddr = "127.0.0.1:0"
	settings.ShutdownTimeout = 20 * time.Second
	settings.AdmissionWait = time.Minute // the machine may be busy with other tests

	for _, o := range options {
		o.apply(&settings)
	}

	if settings.database == "" {
		settings.database = databasetest.NewMigratedURL(tb, engine)
	}

	s := &Server{tb: tb, test: &testState{}, Engine: engine, Clock: settings.clock, Log: &Log{},
		database: settings.database,
		blob:     settings.BlobURL(settings.Storage), dumps: newDumpCache(), documented: &documentedCodes{}}
	core := s.newCore(settings)
	a, err := app.Assemble(tb.Context(), core, settings.Serve, "test", s.logger())
	if err != nil {
		tb.Fatal(err)
	}

	s.App = a
	s.run()
	tb.Cleanup(s.Stop)
	s.client = newClient(tb, nil)

	if settings.createStores {
		s.Keys, s.Other = s.NewStore(store.Edit{}), s.NewStore(store.Edit{})
	}

	return s
}

func (s *Server) logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(s.Log, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func (s *Server) newCore(settings startSettings) *app.Core {
	s.tb.Helper()
	if err := os.MkdirAll(settings.SpoolDir(), 0o700); err != nil {
		s.tb.Fatal(err)
	}

	v, err := vault.ParseKey(secretKey)
	if err != nil {
		s.tb.Fatal(err)
	}

	db, err := database.Open(s.tb.Context(), database.Config{URL: settings.database,
		ReplicaURL: settings.DatabaseReplica,
		Log:        s.logger()})
	if err != nil {
		s.tb.Fatal(err)
	}

	core, err := app.NewCore(s.tb.Context(), db, v, s.Clock.Now, s.logger())
	if err != nil {
		_ = db.Close()
		s.tb.Fatal(err)
	}

	// The tests of package account and those of the program as a process hash as it does in production.
	core.Accounts = account.New(account.Deps{DB: db, Stores: core.Stores, Keys: core.Access, Vault: v,
		Now: s.Clock.Now, Log: s.logger(), WeakHashes: true})
	return core
}

// run starts the program and waits until it is listening.
func (s *Server) run() {
	s.tb.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.tb.Context()))
	ready := make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- s.App.Run(ctx, func(api, admin net.Addr) {
			s.URL, s.AdminURL = "http://"+api.String(), "http://"+admin.String()
			close(ready)
		})
	}()
	s.stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})

	select {
	case <-ready:
	case err := <-ended:
		cancel()
		s.tb.Fatalf("the program exited before it was listening: %v", err)
	}
}

// Stop shuts the program down as a signal would. It is called automatically at the end of the test.
func (s *Server) Stop() {
	s.tb.Helper()
	s.needsAlone("Stop")
	s.client.CloseIdleConnections() // Shutdown would wait for connections that were opened and never used
	if err := s.stop(); err != nil {
		s.tb.Errorf("the program exited with %v", err)
	}
	s.logIfFailed()
}

// logIfFailed prints the warnings and errors of the server if the test has failed.
func (s *Server) logIfFailed() {
	s.tb.Helper()
	if s.tb.Failed() {
		for _, line := range s.Log.WarningsAndErrors() {
			s.tb.Log(line)
		}
	}
}

// WithTB returns a copy of s that reports failures to tb, which may be a subtest.
func (s *Server) WithTB(tb testing.TB) *Server {
	c := *s
	c.tb = tb
	return &c
}

// WithKeys returns a copy of s that sends the credentials of another store.
func (s *Server) WithKeys(k Keys) *Server {
	c := *s
	c.Keys = k
	return &c
}

// NewStore creates a store with a credential of each kind and without an operator.
func (s *Server) NewStore(e store.Edit) Keys {
	s.tb.Helper()
	var k Keys

	s.Write(func(ctx context.Context, q database.Querier) error {
		created, err := s.App.Stores.Create(ctx, q, e)
		if err != nil {
			return err
		}

		k = Keys{StoreID: created.ID}
		for kind, token := range map[access.Kind]*string{
			access.SecretKey: &k.Secret, access.PublishableKey: &k.Publishable, access.ExchangeToken: &k.Exchange,
		} {
			key := access.NewKey{Kind: kind, Name: "test"}
			if kind == access.ExchangeToken {
				key.Scopes = access.FullExchange().Words()
			}
			if _, *token, err = s.App.Access.CreateKey(ctx, store.In(q, created.ID), key); err != nil {
				return err
			}
		}

		return nil
	})

	s.test.addStore(k.StoreID)
	return k
}

// NewKey creates another credential of the store.
func (s *Server) NewKey(n access.NewKey) (access.Key, string) {
	s.tb.Helper()
	n.Name = "test"
	var key access.Key
	var token string
	s.Write(func(ctx context.Context, q database.Querier) (err error) {
		key, token, err = s.App.Access.CreateKey(ctx, store.In(q, s.StoreID), n)
		return err
	})
	return key, token
}

// LogEntries returns the entries of the store's log, the newest first.
func (s *Server) LogEntries() (list []audit.StoredEntry) {
	s.tb.Helper()
	err := s.App.DB.Read(s.tb.Context(), func(q database.Querier) (err error) {
		list, _, err = s.App.Audit.List(s.tb.Context(), store.In(q, s.StoreID), audit.Filter{}, 1000)
		return err
	})
	if err != nil {
		s.tb.Fatal(err)
	}
	return list
}

// Write runs fn in a transaction on the database of the program.
func (s *Server) Write(fn func(ctx context.Context, q database.Querier) error) {
	s.tb.Helper()
	s.dumps.set(nil)
	err := s.App.DB.Write(s.tb.Context(), func(q database.Querier) error { return fn(s.tb.Context(), q) })
	if err != nil {
		s.tb.Fatal(err)
	}
}

// HoldConnections takes all database connections that work of the priority can use, until release is called.
func (s *Server) HoldConnections(p database.Priority) (release func()) {
	s.tb.Helper()
	s.needsAlone("HoldConnections")
	n := s.App.DB.Connections(p)
	begun := make(chan struct{})
	end := make(chan struct{})
	ended := make(chan error, n)

	for range n {
		go func() {
			ended <- s.App.DB.ReadWith(context.WithoutCancel(s.tb.Context()), p, true, func(database.Querier) error {
				begun <- struct{}{}
				<-end
				return nil
			})
		}()
	}

	for range n {
		<-begun
	}

	free := sync.OnceFunc(func() { close(end) })
	s.tb.Cleanup(free) // before the server stops, which waits for the connections
	return func() {
		free()
		for range n {
			if err := <-ended; err != nil {
				s.tb.Error(err)
			}
		}
	}
}

// Metrics returns the response of /metrics.
func (s *Server) Metrics() string {
	s.tb.Helper()
	s.needsAlone("Metrics")
	r := s.send(s.request(http.MethodGet, s.AdminURL+"/metrics", nil, nil))
	if r.Status != http.StatusOK {
		s.tb.Fatalf("GET /metrics: %d", r.Status)
	}
	return string(r.Body)
}

func (k Keys) String() string { return fmt.Sprintf("the keys of store %s", k.StoreID) }
