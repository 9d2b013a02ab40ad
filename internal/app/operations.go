package app

import (
	"context"
	"net/http"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"vitrine/internal/api/httpapi"
)

// minFreeDisk is the free disk space, in bytes, that the server needs to be ready.
const minFreeDisk = 64 << 20

func (a *App) operations() []httpapi.Route {
	metrics := promhttp.HandlerFor(a.registry, promhttp.HandlerOpts{})
	return []httpapi.Route{
		{Method: "GET", Path: "/healthz", Handler: writeHealth, PlainMediaType: "application/json", Tag: "Operations",
			Summary: "The process is alive", Status: 200},
		{Method: "GET", Path: "/readyz", Handler: a.readiness, PlainMediaType: "application/json", Tag: "Operations",
			Summary: "The database answers and there is room on the disk", Status: 200},
		{Method: "GET", Path: "/metrics", PlainMediaType: "text/plain", Tag: "Operations",
			Summary: "Prometheus metrics", Status: 200, Handler: func(w http.ResponseWriter, r *httpapi.Request) error {
				metrics.ServeHTTP(w, r.Request)
				return nil
			}},
	}
}

func writeHealth(w http.ResponseWriter, _ *httpapi.Request) error {
	return writeState(w, http.StatusOK, map[string]string{"status": "ok"})
}

// readiness reports to load balancers whether the server can handle requests. The log has the details.
func (a *App) readiness(w http.ResponseWriter, r *httpapi.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	state, status := map[string]string{"status": "ok", "database": "ok", "disk": "ok"}, http.StatusOK
	fail := func(part, reason string) {
		state[part], state["status"], status = reason, "unavailable", http.StatusServiceUnavailable
	}
	if err := a.DB.Ping(ctx); err != nil {
		a.log.WarnContext(ctx, "not ready: the database does not respond", "error", err)
		fail("database", "unavailable")
	}
	// Only the disk of the database counts. Requests cannot fill it with temporary files: the spool leaves more than
	// minFreeDisk free.
	if file := a.DB.File(); file != "" {
		if free := freeBytes(filepath.Dir(file)); free < minFreeDisk {
			a.log.WarnContext(ctx, "not ready: the disk of the database is full", "free_bytes", free)
			fail("disk", "full")
		}
	}
	if a.stopping.Load() {
		state["status"], status = "stopping", http.StatusServiceUnavailable
	}
	if status != http.StatusOK {
		w.Header().Set("Retry-After", "2")
	}
	return writeState(w, status, state)
}

func writeState(w http.ResponseWriter, status int, state map[string]string) error {
	body, err := json.Marshal(state, json.Deterministic(true))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, err = w.Write(append(body, '\n'))
	return err
}
