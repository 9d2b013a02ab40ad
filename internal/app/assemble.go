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
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"vitrine/internal/api/exchangeapi"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/api/storeapi"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/blob"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/memory"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/kit/queue"
	"vitrine/internal/kit/trace"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/address"
	"vitrine/internal/shop/bulk"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/change"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/exchange/onec"
	"vitrine/internal/shop/feed"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/inquiry"
	"vitrine/internal/shop/live"
	"vitrine/internal/shop/mailing"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/privacy"
	"vitrine/internal/shop/protection"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/searchlog"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

// columnsWait is how often as long as for a slot a list of products waits for the search columns.
const columnsWait = 10

// App is the server: two listeners and the background workers.
type App struct {
	*Core
	Catalog *catalog.Service
	// Images stores the image files.
	Images *imagefile.Files
	// Outbound sends all requests to URLs that users gave.
	Outbound *outbound.Guard
	// Queue runs background jobs. Exchange handles pushes, OneC the exchange with 1C.
	Queue    *queue.Queue
	Bulk     *bulk.Service
	Exchange *exchange.Service
	OneC     *onec.Service
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
	adoptions  *order.Adoptions
	inquiries  *inquiry.Service
	counts     *store.DailyCounts
	searches   *searchlog.Log
	changes    *change.Service
	feeds      *feed.Service
	mailing    *mailing.Service
	live       *live.Hub // tells pages that lists have changed
	cfg        config.Serve
	version    string
	log        *slog.Logger
	// Registry has the metrics of the program.
	Registry *prometheus.Registry
	tracer   *trace.Tracer // nil without --otlp-endpoint
	api      *httpapi.Server
	admin    *httpapi.Server
	health   *healthMetrics
	stopping atomic.Bool
	// warming says that the node reads the columns of the stores in use, while other nodes serve.
	warming atomic.Bool
	// blobsFailing says that the last check of the image storage failed.
	blobsFailing atomic.Bool
	// lastPing is the last check of the database; nil before the first one.
	lastPing atomic.Pointer[pingResult]
	// FreeDisk returns the free bytes of the file system of a directory. Tests replace it.
	FreeDisk func(dir string) int64
	// listeners are the listeners of the API and of the administration; nil before listen.
	listeners []net.Listener
	// unlock releases the lock of the SQLite file.
	unlock func() error
}

// New locks and opens the database, and opens the blob store and the listeners; Run serves. If an address is in use, no
// store is created.
func New(ctx context.Context, cfg config.Serve, version string, log *slog.Logger) (*App, error) {
	if err := checkReplica(cfg.Storage); err != nil {
		return nil, err
	}
	if err := MakeDataDir(cfg.Storage); err != nil {
		return nil, err
	}

	warnOfOpenDataDir(ctx, cfg.Storage, log)
	unlock, err := lockDatabase(cfg.Storage)
	if err != nil {
		return nil, err
	}

	if err := waitForDatabase(ctx, cfg, log); err != nil {
		return nil, errors.Join(err, unlock())
	}

	if cfg.NoMigrate {
		if err := requireSchema(ctx, cfg.Storage, log); err != nil {
			return nil, errors.Join(err, unlock())
		}
	}

	core, err := openCore(ctx, cfg.Storage, openOptions{create: true, locked: true}, log)
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
	a := &App{Core: core, cfg: cfg, log: log, version: version, Registry: prometheus.NewRegistry(),
		unlock: func() error { return nil }, FreeDisk: FreeBytes}
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

	a.tracer, err = trace.New(trace.Config{Endpoint: cfg.OTLPEndpoint, Headers: cfg.OTLPHeaders,
		Sample: cfg.TraceSample, Version: version, Log: log})
	if err != nil {
		return nil, errors.Join(err, a.blobs.Close())
	}

	if err := a.assemble(version); err != nil {
		a.flushTraces()
		return nil, errors.Join(err, a.blobs.Close())
	}

	return a, nil
}

// assemble creates the services, then the two servers.
func (a *App) assemble(version string) error {
	public, err := publicURL(a.cfg.PublicURL)
	if err != nil {
		return err
	}
	if a.Outbound, err = newOutboundGuard(a.cfg, version, a.Now); err != nil {
		return err
	}

	pushes := newPushMetrics()
	if err := a.newServices(public, pushes); err != nil {
		return err
	}
	if a.Protection, err = a.newProtection(version); err != nil {
		return err
	}

	bounds := newAdmission(a.DB, a.cfg.AdmissionWait)
	a.registerMetrics(version, pushes, bounds)
	deps, err := a.httpDeps(bounds)
	if err != nil {
		return err
	}
	if a.api, err = a.newAPI(deps, version, public); err != nil {
		return err
	}

	a.admin, err = a.newAdmin(deps, version, public)
	return err
}

// programName says which program this is, for operators who look for a node.
func programName(version string) string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return fmt.Sprintf("%s, process %d, version %s", host, os.Getpid(), version)
}

// newServices creates the services of the shop, each after those that it uses.
func (a *App) newServices(public string, pushes pushMetrics) error {
	cfg := a.cfg
	a.Queue = queue.New(queue.Deps{DB: a.DB, Now: a.Now, Log: a.log, Tracer: a.tracer, Program: programName(a.version)})
	a.Catalog = catalog.New(catalog.Deps{Now: a.Now, ProductText: view.ReadProductText, Guard: a.Outbound,
		Queue: a.Queue,
		Cache: a.budget.AttributeCache})

	var err error
	if a.Notify, err = a.newNotify(); err != nil {
		return err
	}

	a.Webhooks = a.newWebhooks()
	a.live = live.New(a.DB)
	a.Events = event.New(event.Deps{Now: a.Now, Wake: a.Webhooks.Wake, Emitted: a.live.Emitted})
	a.changes = change.New(change.Deps{DB: a.DB, Events: a.Events, Webhooks: a.Webhooks, Now: a.Now, Log: a.log})
	a.counts = store.NewDailyCounts(a.DB, a.Now, a.log)
	a.searches = searchlog.New(searchlog.Deps{DB: a.DB, Now: a.Now, Log: a.log})
	a.orders = order.New(order.Deps{DB: a.DB, Stores: a.Stores, Catalog: a.Catalog, Events: a.Events, Now: a.Now,
		Log: a.log, DraftRetention: cfg.DraftRetention, MaxGuestDrafts: cfg.MaxGuestDrafts,
		MaxLinePieces: cfg.MaxLineQuantity, ReservationTimeout: cfg.ReservationTimeout, PublicURL: public,
		Counts: a.counts, Searches: a.searches, Announce: a.announceOrder})
	a.adoptions = order.NewAdoptions(order.AdoptionDeps{DB: a.DB, Queue: a.Queue, Now: a.Now})
	a.Exchange = exchange.New(exchange.Deps{
		DB: a.DB, Catalog: a.Catalog, Access: a.Access, Stores: a.Stores, Events: a.Events, Queue: a.Queue, Now: a.Now,
		Orders: a.orders, Importer: onec.Importer(), Log: a.log,
		Retention: cfg.ExchangeRetention, SpoolDir: cfg.SpoolDir(), SpoolShare: a.budget.Spool,
		DatabaseRoom: a.databaseRoom(), Observe: pushes.observe, Failed: a.announceFailure,
	})
	a.OneC = onec.New(onec.Deps{DB: a.DB, Stores: a.Stores, Exchange: a.Exchange, Orders: a.orders, Queue: a.Queue,
		Now: a.Now, Log: a.log, ImportShare: a.budget.Bodies})
	a.Customers = a.newCustomers()
	a.feeds = feed.New(feed.Deps{DB: a.DB, Stores: a.Stores, Vault: a.Vault, Now: a.Now})
	a.Privacy = privacy.New(privacy.Deps{DB: a.DB, Notify: a.Notify, Audit: a.Audit, Now: a.Now, Log: a.log,
		InquiryRetention: cfg.InquiryRetention, CustomerRetention: cfg.CustomerRetention,
		OrderRetention: cfg.OrderPersonalDataRetention})

	// downloads fetches the images that were pushed by URL.
	downloads := catalog.NewDownloader(catalog.DownloaderDeps{DB: a.DB, Catalog: a.Catalog, Files: a.Images,
		Report: a.Exchange.Runs.WarnLate, Package: a.OneC.PackagePicture,
		PackagePath: a.OneC.PackagePath})
	a.Bulk = bulk.New(bulk.Deps{DB: a.DB, Products: a.Catalog.Products, Queue: a.Queue, Now: a.Now})
	a.Queue.Register(a.Exchange.Pushes.Kind(), a.OneC.Kind(), downloads.Kind(), a.Notify.Kind(), a.Webhooks.Kind(),
		a.Bulk.Kind(), a.adoptions.Kind())
	a.search = search.New(search.Deps{DB: a.DB, Products: a.Catalog.Products, Log: a.log,
		Memory: a.budget.Search.Limit(), Dir: cfg.SearchDir(), Database: a.databaseID,
		FreeDisk: func() int64 { return FreeBytes(cfg.SearchDir()) },
		MaxWait:  columnsWait * max(0, cmp.Or(cfg.AdmissionWait, admissionWait))})
	measureSearch(a.budget.Search, a.search)
	a.inquiries = inquiry.New(inquiry.Deps{Events: a.Events, Now: a.Now, Announce: a.announceInquiry})

	return a.newMailing(public)
}

// registerMetrics registers what the server measures.
func (a *App) registerMetrics(version string, pushes pushMetrics, bounds httpapi.Admission) {
	a.Registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	a.Registry.MustRegister(searchMetrics(a.search)...)
	a.Registry.MustRegister(traceMetrics(a.tracer)...)
	a.Registry.MustRegister(signInMetrics(a)...)
	a.health = &healthMetrics{app: a}
	a.Registry.MustRegister(queueMetrics{a.Queue, a.Now}, memoryMetrics{a.budget}, databaseMetrics{a.DB}, a.health,
		readyMetrics{a}, pushes.runs, pushes.items, buildInfo(version, a.DB.Engine()), admissionMetrics{bounds})
}

// httpDeps returns what both servers use.
func (a *App) httpDeps(bounds httpapi.Admission) (httpapi.Deps, error) {
	cfg := a.cfg
	trusted, err := cfg.TrustedProxies()
	if err != nil {
		return httpapi.Deps{}, err
	}

	deps := httpapi.Deps{
		DB: a.DB, Vault: a.Vault, Log: a.log, Now: a.Now, Authenticate: a.byKey,
		Metrics: httpapi.NewMetrics(a.Registry), SpoolDir: cfg.SpoolDir(), Admission: bounds,
		Tracer:                     a.tracer,
		FailedCredentialsPerMinute: cfg.FailedCredentialsPerMinute,
		PublicWritesPerMinute:      cfg.PublicWritesPerMinute, PublicWritesPerPerson: cfg.PublicWritesPerPerson,
		PublicWritesPerStore: cfg.PublicWritesPerStore,
		TrustedProxies:       trusted,
		OnUntrustedProxy:     warnOfUntrustedProxy(a.log),
		Memory:               a.budget,
	}
	if cfg.Dev {
		deps.FailedCredentialsPerMinute, deps.PublicWritesPerMinute = 0, 0
		deps.AllowLocalOrigins = true
	}

	return deps, nil
}

// newAPI returns the server of the public API.
func (a *App) newAPI(deps httpapi.Deps, version, public string) (*httpapi.Server, error) {
	loginsPerHour := a.cfg.CodesPerAddress
	cartLinesPerHour := a.cfg.CartLinesPerHour
	if a.cfg.Dev {
		loginsPerHour, cartLinesPerHour = 0, 0
	}

	routes := storeapi.New(storeapi.Deps{
		DB: a.DB, Catalog: a.Catalog, Search: a.search, Images: a.Images, PublicURL: public,
		Protection: a.Protection, Inquiries: a.inquiries, Orders: a.orders, Adoptions: a.adoptions,
		Customers: a.Customers, Searches: a.searches, Changes: a.changes, Addresses: address.New(a.Now), Feeds: a.feeds,
		LoginsPerHour: loginsPerHour, CartLinesPerHour: cartLinesPerHour,
		PageCache: a.budget.PageCache, ProductCache: a.budget.ProductCache, ValueCache: a.budget.ValueCache,
	}).Routes()
	routes = append(routes, exchangeapi.New(exchangeapi.Deps{DB: a.DB, Exchange: a.Exchange, OneC: a.OneC,
		PublicURL:    public,
		Authenticate: a.Access.Authenticate, Vault: a.Vault, Now: a.Now, Log: a.log}).Routes()...)
	about := spec.About(version)
	about.Tags = append(about.Tags, exchangeapi.Tag())

	document, err := openapi.NewDocument(about, routes)
	if err != nil {
		return nil, err
	}
	demo, err := a.demoRoutes(public)
	if err != nil {
		return nil, err
	}

	deps.NoRoute = exchangeapi.NoRoute
	deps.Quotas = storeapi.Quotas()
	return httpapi.NewServer(deps, slices.Concat(routes, document.Routes(), demo)), nil
}

// Close sends the rest of the traces, closes idle connections, the blob store and the database, and releases its lock.
func (a *App) Close() error {
	var flush sync.WaitGroup
	flush.Go(a.flushTraces)
	defer flush.Wait()
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

// byToken authenticates a token. Customer tokens and feed keys are stored apart from all others.
func (a *App) byToken(ctx context.Context, token string) (access.Principal, error) {
	kind, err := access.ParseToken(token)
	switch {
	case err == nil && kind == access.CustomerToken:
		return a.Customers.Authenticate(ctx, token)
	case err == nil && kind == access.FeedKey:
		return a.feeds.Authenticate(ctx, token)
	}
	return a.Access.Authenticate(ctx, token)
}
