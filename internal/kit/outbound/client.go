package outbound

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"maps"
	"net"
	"net/http"
	"net/url"
	"time"

	"vitrine/internal/kit/cache"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/trace"
)

const (
	// connectTimeout limits the DNS lookup and the connection together. handshakeTimeout limits the TLS handshake.
	connectTimeout   = 5 * time.Second
	handshakeTimeout = 5 * time.Second
	// headerTimeout is the default of ClientConfig.HeaderTimeout.
	headerTimeout = 10 * time.Second
	// maxIdleConns is the default of ClientConfig.Idle. Idle connections are closed after idleTimeout.
	maxIdleConns = 64
	idleTimeout  = 30 * time.Second
	// maxHeaderBytes limits the total size of the response headers.
	maxHeaderBytes = 64 << 10
)

// HopHeader is set on every request to a URL that a user gave, and on no other requests. A server that receives a write
// with this header knows that it was sent by a Vitrine server, possibly by itself, and can refuse it to prevent an
// endless loop.
const HopHeader = "Vitrine-Hop"

// ClientConfig configures a client.
type ClientConfig struct {
	// Timeout limits a request from the DNS lookup to the last byte of the body, including redirects. Without it the
	// context of the request must have a deadline.
	Timeout time.Duration
	// HeaderTimeout limits the time until the response headers. The default is 10 s.
	HeaderTimeout time.Duration
	// MaxConnsPerHost limits the concurrent requests to one host; further requests wait. 0 means no limit.
	MaxConnsPerHost int
	// IdlePerHost and Idle limit the idle connections to one host and in total. The defaults are MaxConnsPerHost and
	// 64.
	IdlePerHost, Idle int
	// MaxRedirects limits the redirects that are followed. With 0 a redirect is returned like any other response.
	MaxRedirects int
}

// Client returns an HTTP/1.1 client that reaches only addresses that the guard allows and does not decompress bodies.
// Each request, including redirected ones, is checked with CheckURL. A redirect keeps only the headers User-Agent,
// Accept and HopHeader, and never leads from https to http. The caller closes the client's idle connections when done.
func (g *Guard) Client(cfg ClientConfig) *http.Client {
	transport := &http.Transport{
		Proxy:                  nil,
		DialContext:            g.dial,
		DialTLSContext:         g.dialTLS,
		ResponseHeaderTimeout:  cmp.Or(cfg.HeaderTimeout, headerTimeout),
		MaxResponseHeaderBytes: maxHeaderBytes,
		MaxConnsPerHost:        cfg.MaxConnsPerHost,
		MaxIdleConnsPerHost:    cmp.Or(cfg.IdlePerHost, cfg.MaxConnsPerHost),
		MaxIdleConns:           cmp.Or(cfg.Idle, maxIdleConns),
		IdleConnTimeout:        idleTimeout,
		DisableCompression:     true,
	}

	return &http.Client{
		Transport: &guardedTransport{g, trace.Transport{Base: transport},
			cache.New(checkedURLsBudget, checkedURLSize)},
		CheckRedirect: redirectPolicy(cfg.MaxRedirects), Timeout: cfg.Timeout,
	}
}

// Dial connects to an address if the guard allows it, for protocols other than HTTP. Its errors are of type *Failure.
func (g *Guard) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return g.dial(ctx, network, address)
}

// RootCAs returns the certificates that verify servers; nil is the system pool.
func (g *Guard) RootCAs() *x509.CertPool { return g.cfg.RootCAs }

// dial connects to an address if the guard allows it.
func (g *Guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := g.dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, dialError(err)
	}
	return conn, nil
}

func (g *Guard) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	plain, err := g.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}

	conn := tls.Client(plain, &tls.Config{ServerName: host, RootCAs: g.cfg.RootCAs, MinVersion: tls.VersionTLS12})
	ctx, cancel := context.WithTimeout(ctx, handshakeTimeout)
	defer cancel()

	if err := conn.HandshakeContext(ctx); err != nil {
		plain.Close()
		return nil, handshakeError(err)
	}

	return conn, nil
}

// checkedURLsBudget is the size in bytes of the cache of valid URLs. Clients request the same URLs repeatedly.
const checkedURLsBudget = 1 << 20

// guardedTransport checks the URL of each request before sending it. All its errors are of type *Failure.
type guardedTransport struct {
	guard     *Guard
	transport trace.Transport
	// checkedURLs caches the results of CheckURL by URL. Errors are not cached. The values are read-only.
	checkedURLs *cache.Cache[url.URL, *url.URL]
}

// checkedURLSize estimates the bytes that a cached URL takes, twice as a url.URL.
func checkedURLSize(key url.URL, _ *url.URL) int {
	return 512 + 2*(len(key.Host)+len(key.Path)+len(key.RawPath)+len(key.RawQuery)+len(key.Fragment))
}

// checkCached returns the cached result of CheckURL, or calls CheckURL and caches its result.
func (t *guardedTransport) checkCached(requested *url.URL) (*url.URL, error) {
	if u, ok := t.checkedURLs.Get(*requested); ok {
		return u, nil
	}
	u, err := t.guard.CheckURL(requested.String())
	if err == nil && requested.User == nil { // the pointer User is another one in each parsed URL
		t.checkedURLs.Put(*requested, u)
	}
	return u, err
}

// RoundTrip implements http.RoundTripper. http.Client also calls it for each redirect. It removes an invalid Location
// header from the response.
func (t *guardedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	u, err := t.checkCached(r.URL)
	if err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, blockedURL(err)
	}

	r = r.WithContext(r.Context()) // a copy
	r.URL, r.Host, r.Header = u, "", r.Header.Clone()
	if r.Header.Get("User-Agent") == "" {
		r.Header.Set("User-Agent", t.guard.cfg.UserAgent)
	}

	r.Header.Set(HopHeader, "1")
	response, err := t.transport.RoundTrip(r)
	if err != nil {
		return nil, FailureOf(err)
	}

	if location := response.Header.Get("Location"); location != "" {
		if _, err := url.Parse(location); err != nil {
			// http.Client would quote the invalid URL in its error, and with it any secret that the URL contains.
			response.Header.Del("Location")
		}
	}

	return response, nil
}

// CloseIdleConnections is called by http.Client.CloseIdleConnections.
func (t *guardedTransport) CloseIdleConnections() { t.transport.CloseIdleConnections() }

// blockedURL converts an error of CheckURL to the *Failure of a request.
func blockedURL(err error) *Failure {
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Code == InvalidURL {
		return blockedError(f.Message)
	}
	return blockedError(blockedMessage)
}

// redirectPolicy returns a CheckRedirect function. It does not check the URL of a redirect, because RoundTrip does.
func redirectPolicy(maxRedirects int) func(*http.Request, []*http.Request) error {
	return func(r *http.Request, via []*http.Request) error {
		switch {
		case maxRedirects == 0:
			return http.ErrUseLastResponse
		case len(via) > maxRedirects:
			return &Failure{Phase: PhaseStatus, Status: r.Response.StatusCode,
				Message: "The server redirects too often."}
		case via[len(via)-1].URL.Scheme == "https" && r.URL.Scheme != "https":
			return blockedError("The server redirects from https to http, which is not followed.")
		}
		maps.DeleteFunc(r.Header, func(name string, _ []string) bool {
			return name != "User-Agent" && name != "Accept"
		})
		return nil
	}
}
