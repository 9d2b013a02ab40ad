package outbound

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"vitrine/internal/kit/fault"
)

const (
	// connectTimeout bounds the lookup of a name together with the connection, handshakeTimeout TLS.
	connectTimeout   = 5 * time.Second
	handshakeTimeout = 5 * time.Second
	// headerTimeout is how long a server may think before its answer begins, where the client says nothing else.
	headerTimeout = 10 * time.Second
	// maxIdleConns connections of a client are kept for the next request where it says nothing else, each for idleTimeout.
	maxIdleConns = 64
	idleTimeout  = 30 * time.Second
	// maxHeaderBytes is how long the headers of an answer may be together.
	maxHeaderBytes = 64 << 10
)

// HopHeader is on every request that is sent to an address that a user gave, and on none that a person or a program of theirs makes. Whoever gets
// one that would change something knows by it that a store calls itself, or another one, and would do so for ever.
const HopHeader = "Vitrine-Hop"

// ClientConfig is what differs between those who make requests.
type ClientConfig struct {
	// Timeout bounds a request from the lookup to the last byte of the answer, redirects included. Without one the request's context must.
	Timeout time.Duration
	// HeaderTimeout is how long the server may take to begin its answer, by default 10 s.
	HeaderTimeout time.Duration
	// MaxConnsPerHost is how many requests are under way to one host at once, the others wait; 0 is any number.
	MaxConnsPerHost int
	// IdlePerHost is how many connections to one host are kept for the next request, by default MaxConnsPerHost, and Idle how many to all, by default 64.
	IdlePerHost, Idle int
	// MaxRedirects is how many redirects are followed. With 0 an answer that redirects is returned like any other.
	MaxRedirects int
}

// Client makes a client that reaches only what the guard allows, over HTTP/1.1, and unpacks nothing. Its requests, redirected ones too,
// go through CheckURL; a redirect carries on only User-Agent, Accept and HopHeader, and never leads from https to http. Explain tells why one
// failed. The caller closes its idle connections in the end.
func (g *Guard) Client(cfg ClientConfig) *http.Client {
	if cfg.HeaderTimeout == 0 {
		cfg.HeaderTimeout = headerTimeout
	}
	if cfg.IdlePerHost == 0 {
		cfg.IdlePerHost = cfg.MaxConnsPerHost
	}
	if cfg.Idle == 0 {
		cfg.Idle = maxIdleConns
	}
	transport := &http.Transport{
		Proxy:                  nil,
		DialContext:            g.dial,
		DialTLSContext:         g.dialTLS,
		ResponseHeaderTimeout:  cfg.HeaderTimeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
		MaxConnsPerHost:        cfg.MaxConnsPerHost,
		MaxIdleConnsPerHost:    cfg.IdlePerHost,
		MaxIdleConns:           cfg.Idle,
		IdleConnTimeout:        idleTimeout,
		DisableCompression:     true,
	}
	return &http.Client{Transport: &guardedTransport{guard: g, transport: transport, checkedURLs: map[string]*url.URL{}}, CheckRedirect: redirectPolicy(cfg.MaxRedirects), Timeout: cfg.Timeout}
}

// dial connects to an address that the guard allows.
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

// maxCheckedURLs is how many addresses a client remembers to be right: what users give does not change between requests.
const maxCheckedURLs = 1000

// guardedTransport sends a request if its address may be requested, and says why it failed.
type guardedTransport struct {
	guard     *Guard
	transport *http.Transport

	mu          sync.Mutex
	checkedURLs map[string]*url.URL // never changed, those that are refused are not there
}

// checkCached is CheckURL, once for each address.
func (t *guardedTransport) checkCached(raw string) (*url.URL, error) {
	t.mu.Lock()
	u := t.checkedURLs[raw]
	t.mu.Unlock()
	if u != nil {
		return u, nil
	}
	u, err := t.guard.CheckURL(raw)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.checkedURLs) >= maxCheckedURLs {
		clear(t.checkedURLs)
	}
	t.checkedURLs[raw] = u
	return u, nil
}

// RoundTrip is called for each redirect anew. An answer's Location is an address, or is left out.
func (t *guardedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	u, err := t.checkCached(r.URL.String())
	if err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, blockedURL(err)
	}
	r = r.Clone(r.Context())
	r.URL, r.Host = u, ""
	if r.Header.Get("User-Agent") == "" {
		r.Header.Set("User-Agent", t.guard.cfg.UserAgent)
	}
	r.Header.Set(HopHeader, "1")
	response, err := t.transport.RoundTrip(r)
	if err != nil {
		return nil, Explain(err)
	}
	if _, err := url.Parse(response.Header.Get("Location")); err != nil {
		// It leads nowhere, and http.Client would quote all of it in an error for the log, whatever secret it holds.
		response.Header.Del("Location")
	}
	return response, nil
}

// CloseIdleConnections is what http.Client looks for.
func (t *guardedTransport) CloseIdleConnections() { t.transport.CloseIdleConnections() }

// blockedURL is what CheckURL found, as the failure of a request.
func blockedURL(err error) *Error {
	var f *fault.Error
	if errors.As(err, &f) && f.Code == InvalidURL {
		return blockedError(f.Message)
	}
	return blockedError(blockedMessage)
}

// redirectPolicy decides about redirects. Their address is judged when they are sent.
func redirectPolicy(maxRedirects int) func(*http.Request, []*http.Request) error {
	return func(r *http.Request, via []*http.Request) error {
		switch {
		case maxRedirects == 0:
			return http.ErrUseLastResponse
		case len(via) > maxRedirects:
			return &Error{Phase: PhaseStatus, Status: r.Response.StatusCode, Message: "The server redirects too often."}
		case via[len(via)-1].URL.Scheme == "https" && r.URL.Scheme != "https":
			return blockedError("The server redirects from https to http, which is not followed.")
		}
		kept := http.Header{}
		for _, name := range []string{"User-Agent", "Accept"} {
			if value := r.Header.Get(name); value != "" {
				kept.Set(name, value)
			}
		}
		r.Header = kept
		return nil
	}
}
