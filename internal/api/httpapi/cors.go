package httpapi

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// writePreflight responds to a CORS preflight. A preflight carries no key, so the store is unknown: every origin is
// allowed, but without credentials. The response to the actual request names its origin only if the store allows it.
func writePreflight(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE")
	h.Set("Access-Control-Allow-Headers",
		"Authorization, Content-Type, Content-Encoding, If-Match, If-None-Match, Idempotency-Key, "+
			"X-Order-Token, X-Request-Id, Prefer")
	h.Set("Access-Control-Max-Age", "600")
	h.Add("Vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers")
	w.WriteHeader(http.StatusNoContent)
}

// allowOrigin names the request's origin in the response if the principal's store allows it, or if it is on this
// machine and Deps.AllowLocalOrigins is set.
func allowOrigin(w http.ResponseWriter, r *Request) {
	origin := r.Header.Get("Origin")
	local := r.server.AllowLocalOrigins && IsLocalOrigin(origin)
	if origin == "" || !local && !r.Principal.Store.AllowsOrigin(origin) {
		return
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "ETag, Location, Retry-After, Idempotent-Replayed, X-Request-Id, Allow")
}

// IsLocalOrigin reports whether an origin is on this machine, whatever its port.
func IsLocalOrigin(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	host := strings.ToLower(u.Hostname())
	address, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && address.IsLoopback()
}
