package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"golang.org/x/sync/errgroup"

	"vitrine/internal/api/exchangeapi"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/api/storeapi"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/blob"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/memory"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/bulk"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/inquiry"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/privacy"
	"vitrine/internal/shop/protection"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

// columnsWait is how often as long as for a slot a list of products waits for the search columns.
const columnsWait = 10

// closeTimeout is how long the workers and the database may take to stop after the requests have ended. The promise is
// that the defaults of --shutdown-delay and --shutdown-timeout and this together are less than 25 seconds.
const closeTimeout = 3 * time.Second

// App is the server: two listeners and the background workers.
type App struct {
	*Core
	Catalog *catalog.Service
	// Images stores the image files.
	Images *imagefile.Files
	// Outbound sends all requests to URLs that users gave.
	Outbound *outbound.Guard
	// Queue runs background jobs. Exchange handles pushes.
	Queue    *queue.Queue
	Bulk     *bulk.Service
	Exchange *exchange.Service
	// Webhooks sends events to receivers. Events adds events.
	Webhooks *webhook.Service
	Events   *event.Emitter
	// Protection checks requests for operations that a captcha protects.
	Protection *protection.Service
	// Notify sends messages to people. Customers signs customers in.
	Notify    *notify.Service
	Customers *customer.Service

	// Privacy erases and exports the data of people.
	Privacy *privacy.Service

	databaseID store.DatabaseID
	budget     *memory.Budget
	blobs      blob.Store
	search     *search.Service
	orders     *order.Service
	inquiries  *inquiry.Service
	counts     *store.DailyCounts
	cfg        config.Serve
	version    string
	log        *slog.Logger
	registry   *prometheus.Registry
	api        *httpapi.Server
	admin      *httpapi.Server
	health     *healthMetrics
	stopping   atomic.Bool
	// blobsFailing says that the last check of the image storage failed.
	blobsFailing atomic.Bool
	// freeDisk returns the free bytes of the file system of a directory. Tests replace it.
	freeDisk func(dir string) int64
	// listeners are those of the API and of the administration; nil before listen.
	listeners []net.Listener
	// unlock releases the lock of the SQLite file.
	unlock func() error
}

// New locks and opens the database, and opens the blob store and the listeners; Run serves. If an address is in use, no
// store is created.
func New(ctx context.Context, cfg config.Serve, version string, log *slog.Logger) (*App, error) {
	if err := makeDataDir(cfg.Storage); err != nil {
		return nil, err
	}
	warnOfOpenDataDir(ctx, cfg.Storage, log)
	unlock, err := lockDatabase(cfg.Storage)
	if err != nil {
		return nil, err
	}
	if cfg.NoMigrate {
		if err := requireSchema(ctx, cfg.Storage, log); err != nil {
			return nil, errors.Join(err, unlock())
		}
	}
	core, err := Open(ctx, cfg.Storage, log)
	if err != nil {
		return nil, errors.Join(err, unlock())
	}
	a, err := Assemble(ctx, core, cfg, version, log)
	if err != nil {
		return nil, errors.Join(err, core.Close(), unlock())
	}
	a.unlock = unlock
	if err := a.listen(); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	debug.SetMemoryLimit(a.budget.HeapLimit())
	return a, nil
}

// Assemble opens the blob store and creates the server on an open core. Run closes both when it returns. On an error
// the core stays open.
func Assemble(ctx context.Context, core *Core, cfg config.Serve, version string, log *slog.Logger) (*App, error) {
	a := &App{Core: core, cfg: cfg, log: log, version: version, registry: prometheus.NewRegistry(),
		unlock: func() error { return nil }, freeDisk: freeBytes}
	var err error
	if a.budget, err = newBudget(cfg, core.DB.PageCacheBytes()); err != nil {
		return nil, err
	}
	if a.Images, a.blobs, err = core.OpenImages(ctx, cfg.Storage, cfg.Files, a.budget, log); err != nil {
		return nil, err
	}
	if a.databaseID, err = store.FindDatabaseID(ctx, core.DB); err != nil {
		return nil, errors.Join(err, a.blobs.Close())
	}
	if err := a.assemble(version); err != nil {
		return nil, errors.Join(err, a.blobs.Close())
	}
	return a, nil
}

func (a *App) assemble(version string) error {
	cfg := a.cfg
	public, err := publicURL(cfg.PublicURL)
	if err != nil {
		return err
	}
	trusted, err := cfg.TrustedProxies()
	if err != nil {
		return err
	}
	if a.Outbound, err = newOutboundGuard(cfg, version, a.Now); err != nil {
		return err
	}
	a.Queue = queue.New(queue.Deps{DB: a.DB, Now: a.Now, Log: a.log})
	a.Catalog = catalog.New(catalog.Deps{Now: a.Now, Guard: a.Outbound, Queue: a.Queue,
		Cache: a.budget.AttributeCache})
	if a.Notify, err = a.newNotify(); err != nil {
		return err
	}
	a.Webhooks = a.newWebhooks()
	a.Events = event.New(event.Deps{Now: a.Now, Wake: a.Webhooks.Wake})
	a.counts = store.NewDailyCounts(a.DB, a.Now, a.log)
	a.orders = order.New(order.Deps{DB: a.DB, Stores: a.Stores, Catalog: a.Catalog, Events: a.Events, Now: a.Now,
		Log: a.log, DraftRetention: cfg.DraftRetention, MaxGuestDrafts: cfg.MaxGuestDrafts,
		MaxLinePieces: cfg.MaxLineQuantity, ReservationTimeout: cfg.ReservationTimeout, PublicURL: public,
		Counts: a.counts})
	pushes := newPushMetrics()
	a.Exchange = exchange.New(exchange.Deps{
		DB: a.DB, Catalog: a.Catalog, Access: a.Access, Stores: a.Stores, Events: a.Events, Queue: a.Queue, Now: a.Now,
		Orders: a.orders, Log: a.log,
		Retention: cfg.ExchangeRetention, SpoolDir: cfg.SpoolDir(), SpoolShare: a.budget.Spool,
		DatabaseRoom: a.databaseRoom(), Observe: pushes.observe,
	})
	a.Customers = a.newCustomers()
	a.Privacy = privacy.New(privacy.Deps{DB: a.DB, Notify: a.Notify, Audit: a.Audit, Now: a.Now, Log: a.log,
		InquiryRetention: cfg.InquiryRetention, CustomerRetention: cfg.CustomerRetention,
		OrderRetention: cfg.OrderPersonalDataRetention})
	// downloads fetches the images that were pushed by URL.
	downloads := catalog.NewDownloader(catalog.DownloaderDeps{DB: a.DB, Catalog: a.Catalog, Files: a.Images,
		Report: a.Exchange.WarnLate, Package: a.Exchange.PackagePicture})
	a.Bulk = bulk.New(bulk.Deps{DB: a.DB, Products: a.Catalog.Products, Queue: a.Queue, Now: a.Now})
	a.Queue.Register(a.Exchange.Kind(), a.Exchange.OneCKind(), downloads.Kind(), a.Notify.Kind(), a.Webhooks.Kind(), a.Bulk.Kind())
	a.search = search.New(search.Deps{DB: a.DB, Products: a.Catalog.Products, Log: a.log,
		Memory: a.budget.Search.Limit(), Dir: cfg.SearchDir(), Database: a.databaseID,
		FreeDisk: func() int64 { return freeBytes(cfg.SearchDir()) },
		MaxWait:  columnsWait * max(0, cmp.Or(cfg.AdmissionWait, admissionWait))})
	measureSearch(a.budget.Search, a.search)
	a.registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	a.registry.MustRegister(searchMetrics(a.search)...)
	a.registry.MustRegister(signInMetrics(a)...)
	a.health = &healthMetrics{app: a}
	a.registry.MustRegister(queueMetrics{a.Queue, a.Now}, memoryMetrics{a.budget}, databaseMetrics{a.DB}, a.health, readyMetrics{a},
		pushes.runs, pushes.items, buildInfo(version, a.DB.Engine()))
	bounds := newAdmission(a.DB, cfg.AdmissionWait)
	a.registry.MustRegister(admissionMetrics{bounds})
	if a.Protection, err = a.newProtection(version); err != nil {
		return err
	}
	deps := httpapi.Deps{
		DB: a.DB, Vault: a.Vault, Log: a.log, Now: a.Now, Authenticate: a.byKey,
		Audit: a.Audit, Metrics: httpapi.NewMetrics(a.registry), SpoolDir: cfg.SpoolDir(), Admission: bounds,
		FailedCredentialsPerMinute: cfg.FailedCredentialsPerMinute,
		PublicWritesPerMinute:      cfg.PublicWritesPerMinute, PublicWritesPerPerson: cfg.PublicWritesPerPerson,
		PublicWritesPerStore: cfg.PublicWritesPerStore,
		TrustedProxies:       trusted,
		OnUntrustedProxy:     warnOfUntrustedProxy(a.log),
		Memory:               a.budget,
	}
	loginsPerHour, cartLinesPerHour := cfg.CodesPerAddress, cfg.CartLinesPerHour
	if cfg.Dev {
		deps.FailedCredentialsPerMinute, deps.PublicWritesPerMinute, loginsPerHour, cartLinesPerHour = 0, 0, 0, 0
		deps.AllowLocalOrigins = true
	}
	a.inquiries = inquiry.New(inquiry.Deps{Events: a.Events, Now: a.Now})
	routes := storeapi.New(storeapi.Deps{
		DB: a.DB, Catalog: a.Catalog, Search: a.search, Images: a.Images, PublicURL: public,
		Protection: a.Protection, Inquiries: a.inquiries, Orders: a.orders,
		Customers: a.Customers, LoginsPerHour: loginsPerHour, CartLinesPerHour: cartLinesPerHour,
		PageCache: a.budget.PageCache, ProductCache: a.budget.ProductCache, ValueCache: a.budget.ValueCache,
	}).Routes()
	routes = append(routes, exchangeapi.New(exchangeapi.Deps{DB: a.DB, Exchange: a.Exchange, PublicURL: public,
		Authenticate: a.Access.Authenticate, Vault: a.Vault, Now: a.Now, Log: a.log}).Routes()...)
	about := spec.About(version)
	about.Tags = append(about.Tags, exchangeapi.Tag())
	document, err := openapi.NewDocument(about, routes)
	if err != nil {
		return err
	}
	demo, err := a.demoRoutes(public)
	if err != nil {
		return err
	}
	deps.NoRoute = exchangeapi.NoRoute
	a.api = httpapi.NewServer(deps, slices.Concat(routes, document.Routes(), demo))
	deps.NoRoute = nil
	a.admin, err = a.newAdmin(deps, version, public)
	return err
}

// Close closes idle connections, the blob store and the database, and releases its lock.
func (a *App) Close() error {
	a.Outbound.CloseIdleConnections()
	a.Notify.CloseIdleConnections()
	a.Webhooks.CloseIdleConnections()
	a.Protection.Client.CloseIdleConnections()
	return errors.Join(a.blobs.Close(), a.Core.Close(), a.unlock())
}

// API returns the server of the public API, which Run serves on the first listener.
func (a *App) API() *httpapi.Server { return a.api }

// Admin returns the server of the administration, which Run serves on the second listener.
func (a *App) Admin() *httpapi.Server { return a.admin }

// byKey authenticates a request by its bearer token. On the exchange gate the token may be in the path.
func (a *App) byKey(ctx context.Context, r *http.Request) (access.Principal, error) {
	if p, gate, err := exchangeapi.Authenticate(ctx, r, a.Access.Authenticate); gate {
		return p, err
	}
	token, ok := httpapi.Bearer(r)
	if !ok {
		return access.Principal{}, fault.New(fault.Unauthenticated, httpapi.CredentialRequired,
			"Send a key with the header Authorization: Bearer pk_… or sk_….")
	}
	return a.byToken(ctx, token)
}

// byToken authenticates a token. Customer tokens are stored apart from all others.
func (a *App) byToken(ctx context.Context, token string) (access.Principal, error) {
	if kind, err := access.ParseToken(token); err == nil && kind == access.CustomerToken {
		return a.Customers.Authenticate(ctx, token)
	}
	return a.Access.Authenticate(ctx, token)
}

// Run calls ready with the two addresses and serves until ctx is done. Then it completes requests and closes the app.
func (a *App) Run(ctx context.Context, ready func(api, admin net.Addr)) error {
	if err := a.listen(); err != nil {
		return err
	}
	apiListener, adminListener := a.listeners[0], a.listeners[1]
	apiLimits, adminLimits, err := a.connectionLimits()
	if err != nil {
		return err
	}
	workers, stopWorkers := context.WithCancel(database.InBackground(context.WithoutCancel(ctx)))
	defer stopWorkers()
	jobs, stopJobs := context.WithCancel(workers)
	defer stopJobs()
	a.search.Prepare()
	var background errgroup.Group
	if a.cfg.NoBackground {
		a.log.WarnContext(ctx, "background work is off: --no-background")
	} else {
		background.Go(func() error { return a.Queue.Run(jobs) })
	}
	for _, work := range a.workers() {
		background.Go(func() error { return work(workers) })
	}

	servers := []*http.Server{a.newHTTPServer(exchangeapi.HideToken(a.api)), a.newHTTPServer(a.admin)}
	failed := make(chan error, len(servers))
	go func() { failed <- servers[0].Serve(httpapi.ListenWithin(apiListener, apiLimits)) }()
	go func() { failed <- servers[1].Serve(httpapi.ListenWithin(adminListener, adminLimits)) }()
	a.log.InfoContext(ctx, "started", "version", a.version, "go", runtime.Version(), "database", a.DB.Engine(),
		"api_addr", apiListener.Addr().String(), "admin_addr", adminListener.Addr().String(), "pid", os.Getpid())
	if ready != nil {
		ready(apiListener.Addr(), adminListener.Addr())
	}
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	start := time.Now()
	a.log.InfoContext(ctx, "stopping", "version", a.version)
	a.shutdown(ctx, servers, stopJobs)
	stopWorkers()
	err = errors.Join(err, endWithin(closeTimeout, func() error { return errors.Join(background.Wait(), a.Close()) }))
	end := []any{"version", a.version, "duration_ms", time.Since(start).Milliseconds()}
	if err != nil {
		a.log.ErrorContext(ctx, "stopped with an error", append(end, "error", err)...)
		return err
	}
	a.log.InfoContext(ctx, "stopped", end...)
	return nil
}

// endWithin returns the result of fn, or an error if it takes too long. Everything that was acknowledged is durable by
// then, so that the process can end.
func endWithin(limit time.Duration, fn func() error) error {
	ended := make(chan error, 1)
	go func() { ended <- fn() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(limit):
		return fmt.Errorf("background work did not end within %s of the last request; another node or the next start "+
			"continues it", limit)
	}
}

// listen opens the two listeners. It does nothing if they are open.
func (a *App) listen() error {
	if a.listeners != nil {
		return nil
	}
	api, err := listenTCP("--api-addr", "API", a.listenAddr(a.cfg.APIAddr, ":8080"))
	if err != nil {
		return err
	}
	admin, err := listenTCP("--admin-addr", "administration", a.cfg.AdminAddr)
	if err != nil {
		return errors.Join(err, api.Close())
	}
	a.listeners = []net.Listener{api, admin}
	return nil
}

// listenTCP opens a listener. Its error names the flag that changes the address.
func listenTCP(flag, name, address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("listen for the %s: another program uses %s; stop it or choose another address with %s, "+
			"such as %s 127.0.0.1:8090: %w", name, address, flag, flag, err)
	}
	if err != nil {
		return nil, fmt.Errorf("listen for the %s on %s %s: %w", name, flag, address, err)
	}
	return l, nil
}

// workers returns the background workers but the queue. Each of them runs until its context is done. With
// --no-background these are only those that requests need, and that record what requests did.
func (a *App) workers() []func(context.Context) error {
	needed := []func(context.Context) error{
		a.Access.Run, a.Images.RunThumbnails, a.search.Run, a.counts.Run, a.checkDatabase, a.analyzeTables, a.watchBlobs,
		a.health.run,
	}
	if a.cfg.NoBackground {
		return append(needed, a.Exchange.RunHeartbeats)
	}
	return append(needed, a.api.PruneIdempotencyRecords, a.Images.Run, a.Exchange.Run, a.Protection.Run, a.Notify.Run,
		a.Customers.Run, a.orders.Run, a.Webhooks.Run, a.Privacy.Run,
		func(ctx context.Context) error { return a.Audit.RunRetention(ctx, a.DB, a.cfg.AuditRetention, a.log) },
		func(ctx context.Context) error { return a.Catalog.Attributes.Run(ctx, a.DB, a.log) },
		func(ctx context.Context) error { return a.Catalog.Deletions.Run(ctx, a.DB, a.log) },
		func(ctx context.Context) error { return a.Catalog.Merges.Run(ctx, a.DB, a.log) },
	)
}

func (a *App) newHTTPServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ConnContext: httpapi.ConnContext, ConnState: httpapi.ConnState,
		ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: httpapi.ServerMaxHeaderBytes,
		// Messages of net/http may contain the address of a client, but never a path or a header.
		ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelWarn),
	}
}

// shutdown reports on /readyz that the server is stopping, waits for load balancers, and completes the open requests.
// Meanwhile it calls stopJobs: the queue claims no more jobs, and other nodes take over those that are not done. Pushes
// are asked to end after half of the time, and have to after three quarters of it.
func (a *App) shutdown(ctx context.Context, servers []*http.Server, stopJobs func()) {
	a.stopping.Store(true)
	if !a.cfg.Dev && ctx.Err() != nil {
		time.Sleep(a.cfg.ShutdownDelay)
	}
	stopJobs()
	limit := a.cfg.ShutdownTimeout
	deadline, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	defer time.AfterFunc(limit/2, a.Exchange.Interrupt).Stop()
	defer time.AfterFunc(limit/4*3, a.Exchange.Abort).Stop()
	var group errgroup.Group
	for _, s := range servers {
		group.Go(func() error {
			if err := s.Shutdown(deadline); err != nil {
				return errors.Join(err, s.Close())
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		a.log.WarnContext(deadline, "closed connections of requests that did not end in time", "error", err)
	}
}

// listenAddr returns the address to listen at. With --dev the default address is on loopback: development settings are
// not for the network.
func (a *App) listenAddr(addr, defaultAddr string) string {
	if a.cfg.Dev && addr == defaultAddr {
		return "127.0.0.1" + addr
	}
	return addr
}
