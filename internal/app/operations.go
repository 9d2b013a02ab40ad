package app

import (
	"crypto/subtle"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
)

// minFreeDisk is the free disk space, in bytes, that the server needs to be ready to write.
const minFreeDisk = 64 << 20

// databaseReserve is how many bytes of the database's disk the bodies of pushes in the background leave free. It is
// more than minFreeDisk, so that pushes alone cannot make the server unavailable.
const databaseReserve = 2 * minFreeDisk

// databaseRoom returns a function that returns how many more bytes the bodies of pushes may take on the disk of the
// database. It returns nil for PostgreSQL, whose disk is not known.
func (a *App) databaseRoom() func() int64 {
	file := a.DB.File()
	if file == "" {
		return nil
	}
	return func() int64 { return FreeBytes(filepath.Dir(file)) - databaseReserve }
}

func (a *App) operations() []httpapi.Route {
	metrics := promhttp.HandlerFor(a.Registry, promhttp.HandlerOpts{})
	return []httpapi.Route{
		{Method: "GET", Path: "/healthz", Handler: writeHealth, PlainMediaType: "application/json", Tag: "Operations",
			Summary: "The process is alive", Status: 200},
		{Method: "GET", Path: "/readyz", Handler: a.readyToRead, PlainMediaType: "application/json", Tag: "Operations",
			Summary: "The node can serve: the database can be read", Status: 200},
		{Method: "GET", Path: "/readyz/write", Handler: a.readyToWrite, PlainMediaType: "application/json",
			Tag: "Operations", Summary: "The node can also write: to the database, its disk and the image storage",
			Status: 200},
		{Method: "GET", Path: "/metrics", PlainMediaType: "text/plain", Tag: "Operations",
			Summary: "Prometheus metrics", Status: 200, Handler: func(w http.ResponseWriter, r *httpapi.Request) error {
				if err := a.mayReadMetrics(r.Request); err != nil {
					return err
				}

				metrics.ServeHTTP(w, r.Request)
				return nil
			}},
	}
}

// mayReadMetrics returns a fault unless the request may read the metrics and the profiles.
func (a *App) mayReadMetrics(r *http.Request) error { return mayReadMetrics(r, a.cfg.MetricsToken) }

// mayReadMetrics checks the token of --metrics-token. Without one, only this machine may read the metrics: the request
// must come from a loopback address, not through a proxy, and its Host must be one that no other site can have, since a
// page in a browser on this machine could otherwise read the metrics by DNS rebinding.
func mayReadMetrics(r *http.Request, token string) error {
	if token != "" {
		given, ok := httpapi.Bearer(r)
		if !ok || subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
			return fault.New(fault.Unauthenticated, httpapi.CredentialRequired,
				"Send the token of --metrics-token with the header Authorization: Bearer.")
		}
		return nil
	}

	if !isLoopback(r.RemoteAddr) || isForwarded(r.Header) || !isAddressOrLocalhost(r.Host) {
		return fault.New(fault.Denied, "metrics_token_required",
			"Without --metrics-token the metrics and profiles can be read only "+
				"on the server's own machine, at its IP address or localhost. Start the server with --metrics-token, "+
				"or "+
				"VITRINE_METRICS_TOKEN, and send that token with the header Authorization: Bearer.")
	}

	return nil
}

func isLoopback(remote string) bool {
	if host, _, err := net.SplitHostPort(remote); err == nil {
		remote = host
	}
	address, err := netip.ParseAddr(remote)
	return err == nil && address.Unmap().IsLoopback()
}

func isForwarded(h http.Header) bool {
	return h.Get("X-Forwarded-For") != "" || h.Get("Forwarded") != "" || h.Get("X-Real-IP") != ""
}

// isAddressOrLocalhost reports whether a Host header names an IP address or localhost.
func isAddressOrLocalhost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil || strings.EqualFold(host, "localhost")
}

func writeHealth(w http.ResponseWriter, _ *httpapi.Request) error {
	return writeHealthState(w, http.StatusOK, map[string]string{"status": "ok"})
}

func writeHealthState(w http.ResponseWriter, status int, state map[string]string) error {
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

// warnOfUntrustedProxy returns a function that logs one warning for the whole process. It is called with the address of
// a peer that sent X-Forwarded-For and is not a trusted proxy.
func warnOfUntrustedProxy(log *slog.Logger) func(peer netip.Addr) {
	var once sync.Once
	return func(peer netip.Addr) {
		once.Do(func() {
			log.Warn("ignored X-Forwarded-For from an untrusted proxy", "peer", peer.String(), "advice", fmt.Sprintf(
				"All clients behind it share the limits of one address. If it is your proxy, set "+
					"--trusted-proxy %s/%d.", peer, peer.BitLen()))
		})
	}
}
