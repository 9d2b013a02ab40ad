package app

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/periodic"
)

const (
	// readyTimeout limits a check of the database. Load balancers often wait for two to five seconds.
	readyTimeout = 2 * time.Second
	// blobCheckInterval is how often the image storage is checked, and blobCheckTimeout how long a check may take.
	blobCheckInterval, blobCheckTimeout = 5 * time.Second, 4 * time.Second
)

// The states of the parts of a server.
const (
	partOK          = "ok"
	partUnavailable = "unavailable"
	partReadOnly    = "read_only" // the database can be read and not written
	partFull        = "full"
	partStopping    = "stopping"
	partLoading     = "loading" // the search columns are being read
)

// readiness says what a node can do. A node that cannot write still serves the catalogue, so that these are two things.
type readiness struct {
	stopping bool
	// warming says that the search columns of the stores in use are being read, while other nodes serve.
	warming bool
	// noBackground says that the node was started with --no-background.
	noBackground bool
	// database is partOK, partReadOnly or partUnavailable; disk is partOK or partFull; blobs is partOK or
	// partUnavailable.
	database, disk, blobs string
}

func (r readiness) canRead() bool { return !r.stopping && !r.warming && r.database != partUnavailable }

func (r readiness) canWrite() bool {
	return !r.stopping && r.database == partOK && r.disk == partOK && r.blobs == partOK
}

// checkReadiness looks at the database and its disk. The image storage was checked some seconds ago. The log has the
// details of what is wrong.
func (a *App) checkReadiness(ctx context.Context) readiness {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	r := a.newReadiness()
	r.database = a.pingDatabase(ctx)
	a.checkParts(ctx, &r)
	return r
}

// lastReadiness is like checkReadiness, but does not ask the database: a scrape is frequent, and must not wait for it.
// It uses the result of the last check, which requests to /readyz and the worker of healthMetrics make, unless that is
// too old.
func (a *App) lastReadiness(ctx context.Context) readiness {
	last := a.lastPing.Load()
	if last == nil || time.Since(last.at) > 2*healthInterval {
		return a.checkReadiness(ctx)
	}
	r := a.newReadiness()
	r.database = last.state
	a.checkParts(ctx, &r)
	return r
}

// LastDatabaseCheck returns when the last check of the database began, or the zero time before the first one.
func (a *App) LastDatabaseCheck() time.Time {
	if last := a.lastPing.Load(); last != nil {
		return last.at
	}
	return time.Time{}
}

func (a *App) newReadiness() readiness {
	return readiness{stopping: a.stopping.Load(), warming: a.warming.Load(), noBackground: a.cfg.NoBackground,
		database: partOK, disk: partOK, blobs: partOK}
}

// pingResult is the result of a check of the database, which began at that time: partOK, partReadOnly or
// partUnavailable.
type pingResult struct {
	state string
	at    time.Time
}

// pingDatabase asks the database and returns its state. It remembers the result, unless ctx was cancelled or a later
// check has ended before.
func (a *App) pingDatabase(ctx context.Context) string {
	state := partOK
	began := time.Now()
	if err := a.DB.PingRead(ctx); err != nil {
		a.log.WarnContext(ctx, "not ready: the database cannot be read", "error", err)
		state = partUnavailable
	} else if err := a.DB.Ping(ctx); err != nil {
		a.log.WarnContext(ctx, "not ready to write: the database refuses writes", "error", err)
		state = partReadOnly
	}

	last := a.lastPing.Load()
	for !errors.Is(ctx.Err(), context.Canceled) && (last == nil || last.at.Before(began)) {
		if a.lastPing.CompareAndSwap(last, &pingResult{state, began}) {
			break
		}
		last = a.lastPing.Load()
	}

	return state
}

// checkParts looks at the disk of the database and the last check of the image storage.
func (a *App) checkParts(ctx context.Context, r *readiness) {
	// Only the disk of the database counts. Requests cannot fill it with temporary files: the spool leaves more than
	// minFreeDisk free.
	if file := a.DB.File(); file != "" {
		if free := a.FreeDisk(filepath.Dir(file)); free < minFreeDisk {
			a.log.WarnContext(ctx, "not ready to write: the disk of the database is full", "free_bytes", free)
			r.disk = partFull
		}
	}
	if a.blobsFailing.Load() {
		r.blobs = partUnavailable
	}
}

// readyToRead answers 503 only if the node can serve nothing. A full disk or a database that refuses writes leaves the
// catalogue readable, and a load balancer that removed all nodes would take it down.
func (a *App) readyToRead(w http.ResponseWriter, r *httpapi.Request) error {
	ready := a.checkReadiness(r.Context())
	return writeReadiness(w, ready, ready.canRead())
}

// readyToWrite answers 503 if orders, pushes or images could not be stored.
func (a *App) readyToWrite(w http.ResponseWriter, r *httpapi.Request) error {
	ready := a.checkReadiness(r.Context())
	return writeReadiness(w, ready, ready.canWrite())
}

func writeReadiness(w http.ResponseWriter, r readiness, ok bool) error {
	state := map[string]string{"status": partOK, "read": partOK, "write": partOK, "database": r.database,
		"disk": r.disk, "images": r.blobs}
	if r.noBackground {
		state["background"] = "off"
	}

	if !r.canRead() {
		state["read"] = partUnavailable
	}

	if !r.canWrite() {
		state["write"] = partUnavailable
	}

	status := http.StatusOK
	if !ok {
		state["status"] = partUnavailable
		status = http.StatusServiceUnavailable
		w.Header().Set("Retry-After", "2")
	}

	if r.warming {
		state["search"] = partLoading
	}

	if r.stopping {
		state["status"] = partStopping
	}

	return writeHealthState(w, status, state)
}

// watchBlobs is a worker that checks the image storage every few seconds. Requests to /readyz use its last result, so
// that a storage that does not respond does not delay them.
func (a *App) watchBlobs(ctx context.Context) error {
	return periodic.Run(ctx, a.log, periodic.Task{Name: "check the image storage", Every: blobCheckInterval,
		Do: func(ctx context.Context) error {
			limited, cancel := context.WithTimeout(ctx, blobCheckTimeout)
			defer cancel()

			err := a.blobs.Check(limited)
			if ctx.Err() != nil {
				return nil
			}

			if failing := err != nil; a.blobsFailing.Swap(failing) != failing {
				if failing {
					a.log.WarnContext(ctx, "not ready to write: the image storage fails", "error", err)
				} else {
					a.log.InfoContext(ctx, "the image storage works again")
				}
			}

			return nil
		}})
}

// readyMetrics has the gauge vitrine_ready.
type readyMetrics struct{ app *App }

var readyGauge = prometheus.NewDesc("vitrine_ready",
	"1 if the node can serve reads, or also writes, as /readyz and /readyz/write answer. The database was checked at "+
		"most "+
		"30 seconds ago.", []string{"for"}, nil)

// Describe implements prometheus.Collector.
func (readyMetrics) Describe(out chan<- *prometheus.Desc) { out <- readyGauge }

// Collect implements prometheus.Collector.
func (m readyMetrics) Collect(out chan<- prometheus.Metric) {
	r := m.app.lastReadiness(context.Background())
	for purpose, ready := range map[string]bool{"read": r.canRead(), "write": r.canWrite()} {
		value := 0.0
		if ready {
			value = 1
		}
		out <- prometheus.MustNewConstMetric(readyGauge, prometheus.GaugeValue, value, purpose)
	}
}
