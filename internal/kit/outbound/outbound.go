// Package outbound makes all requests to addresses that users gave: images now, receivers of webhooks and senders of SMS alike. It owns
// which addresses may be reached, and how such a request fails; what is done with an answer is its callers' business.
//
// The boundary is the dialer: it judges the address that a name resolved to, on every attempt and every redirect, so a name that
// resolves differently the second time gains nothing. CheckURL is the same judgement as far as the text of an address tells, for a
// friendly answer at the moment somebody gives it. Any port is fine.
package outbound

import (
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"time"

	"code.dny.dev/ssrf"
)

// Config is what the operator decides, and what tests put in place of the world.
type Config struct {
	// AllowNets are networks that may be reached although they are special: the operator's exceptions.
	AllowNets []netip.Prefix
	// AllowHTTP lets addresses begin with http:// too.
	AllowHTTP bool
	// UserAgent is what requests call themselves, by default Vitrine.
	UserAgent string
	// Now is the clock that a date in Retry-After is held against, by default time.Now.
	Now func() time.Time
	// Resolver looks names up, by default the machine's.
	Resolver *net.Resolver
	// RootCAs are the authorities that certificates are checked with, by default the machine's.
	RootCAs *x509.CertPool
}

// Guard decides which addresses may be reached. It is safe for concurrent use.
type Guard struct {
	cfg     Config
	filter  *ssrf.Guardian
	dialer  *net.Dialer
	fetcher *http.Client
	// fetchTimeout bounds a Fetch from the name's lookup to the last byte.
	fetchTimeout time.Duration
}

// New makes a guard. Proxies that the environment names are never used: behind one the guard would judge the proxy's address.
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

// CloseIdleConnections closes the connections that Fetch keeps for the next one.
func (g *Guard) CloseIdleConnections() { g.fetcher.CloseIdleConnections() }
