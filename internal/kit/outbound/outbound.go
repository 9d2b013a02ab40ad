// Package outbound makes HTTP requests to URLs that users gave: images, webhook receivers and SMS gateways. To prevent
// server-side request forgery (SSRF) it decides which IP addresses may be reached. It also classifies the failures of
// such requests. It does not interpret responses.
//
// The check is made in the dialer, on the IP address that a host name resolved to, for every attempt and every
// redirect. DNS rebinding therefore does not help an attacker. CheckURL makes the same check as far as it is possible
// without a DNS lookup, so that the user gets an error when entering a URL. All ports are allowed.
package outbound

import (
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"time"

	"code.dny.dev/ssrf"
)

// Config holds the operator's settings, and replacements of system defaults for tests.
type Config struct {
	// AllowNets are private or special networks that may be reached as an exception.
	AllowNets []netip.Prefix
	// AllowHTTP also allows http:// URLs.
	AllowHTTP bool
	// UserAgent is the User-Agent header. The default is Vitrine.
	UserAgent string
	// Now is the clock for dates in Retry-After. The default is time.Now.
	Now func() time.Time
	// Resolver resolves host names. The default is the system's.
	Resolver *net.Resolver
	// RootCAs verify certificates. The default is the system pool.
	RootCAs *x509.CertPool
}

// Guard makes requests and decides which IP addresses may be reached. It is safe for concurrent use.
type Guard struct {
	cfg     Config
	filter  *ssrf.Guardian
	dialer  *net.Dialer
	fetcher *http.Client
	// fetchTimeout limits a Fetch, from the DNS lookup to the last byte.
	fetchTimeout time.Duration
}

// New returns a guard. It ignores proxies of the environment: with a proxy the dialer would check the proxy's address
// instead of the target's.
func New(cfg Config) *Guard {
	if cfg.UserAgent == "" {
		cfg.UserAgent = "Vitrine"
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	g := &Guard{cfg: cfg, filter: newAddressFilter(cfg.AllowNets), fetchTimeout: fetchTimeout}
	g.dialer = &net.Dialer{Timeout: connectTimeout, Resolver: cfg.Resolver, ControlContext: g.checkDial}
	g.fetcher = g.Client(ClientConfig{MaxConnsPerHost: fetchesPerHost, MaxRedirects: fetchRedirects})
	return g
}

// CloseIdleConnections closes the idle connections of Fetch.
func (g *Guard) CloseIdleConnections() { g.fetcher.CloseIdleConnections() }
