package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"vitrine/internal/api/exchangeapi"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog/firstslug"
)

// closeTimeout is how long the workers and the database may take to stop after the requests have ended. The promise is
// that the defaults of --shutdown-delay and --shutdown-timeout and this together are less than 25 seconds.
const closeTimeout = 3 * time.Second

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
	a.warming.Store(a.hasNeighbours(ctx))
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
		return nil, fmt.Errorf("listen for the %s: another program uses %s; stop it or choose another address with "+
			"%s, "+
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
		a.Access.Run, a.Accounts.Run, a.Images.RunThumbnails, a.search.Run, a.counts.Run, a.searches.Run,
		a.checkDatabase, a.analyzeTables, a.watchBlobs, a.health.run, a.watchReplica,
		a.live.Run, a.warmUp,
	}
	if a.clock != nil {
		needed = append(needed, a.clock.Run)
	}
	if a.cfg.NoBackground {
		return append(needed, a.Exchange.RunHeartbeats)
	}

	return append(needed, a.api.PruneIdempotencyRecords, a.Images.Run, a.Exchange.Run, a.OneC.Run, a.Protection.Run,
		a.Notify.Run,
		a.Customers.Run, a.orders.Run, a.Webhooks.Run, a.Privacy.Run, a.searches.RunRetention, a.changes.Run,
		func(ctx context.Context) error { return a.Audit.RunRetention(ctx, a.DB, a.cfg.AuditRetention, a.log) },
		func(ctx context.Context) error { return a.Catalog.Attributes.Run(ctx, a.DB, a.log) },
		func(ctx context.Context) error { return a.Catalog.Deletions.Run(ctx, a.DB, a.log) },
		func(ctx context.Context) error { return a.Catalog.Merges.Run(ctx, a.DB, a.log) },
		func(ctx context.Context) error { return a.Catalog.Images.RunColors(ctx, a.DB, a.Images, a.log) },
		firstslug.New(a.DB, a.Catalog, a.log).Run,
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
	a.live.Close()
	limit := a.cfg.ShutdownTimeout
	deadline, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	defer time.AfterFunc(limit/2, a.Exchange.Pushes.Interrupt).Stop()
	defer time.AfterFunc(limit/4*3, a.Exchange.Pushes.Abort).Stop()

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
