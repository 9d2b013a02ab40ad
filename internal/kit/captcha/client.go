package captcha

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

const (
	// verifyTimeout bounds a verification from the lookup to the last byte of the answer, the second try included.
	verifyTimeout = 3 * time.Second
	// dialTimeout bounds the lookup of the name together with the connection, and the TLS handshake once more.
	dialTimeout = time.Second
	// maxResponse is the longest body that is read, and the longest headers; the providers need less than one KiB.
	maxResponse = 64 << 10
	// maxIdleConns connections to a provider are kept for the next token, each for idleTimeout.
	maxIdleConns = 64
	idleTimeout  = 30 * time.Second
)

// Config is what the operator decides, and what tests put in place of the world.
type Config struct {
	// VerifyURL is asked instead of the provider's documented address, whichever provider it is.
	VerifyURL string
	// UserAgent is what requests call themselves, by default Vitrine.
	UserAgent string
	// RootCAs are the authorities that certificates are checked with, by default the machine's.
	RootCAs *x509.CertPool
}

// Client makes the requests of all verifiers, through a proxy where the environment says so. It goes to addresses that the operator or the
// provider's documentation gave, never to one of a user. It is safe for concurrent use.
type Client struct {
	cfg  Config
	http *http.Client
}

// NewClient refuses a VerifyURL that cannot be requested. Whoever made the client closes its idle connections in the end.
func NewClient(cfg Config) (*Client, error) {
	return newClient(cfg, new(net.Dialer).DialContext)
}

type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

func newClient(cfg Config, dial dialFunc) (*Client, error) {
	if cfg.VerifyURL != "" {
		u, err := url.Parse(cfg.VerifyURL)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
			return nil, errors.New("the URL that verifies captcha tokens must be absolute, such as https://captcha.example/siteverify")
		}
	}
	if cfg.UserAgent == "" {
		cfg.UserAgent = "Vitrine"
	}
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(ctx, dialTimeout)
			defer cancel()
			return dial(ctx, network, address)
		},
		TLSHandshakeTimeout:    dialTimeout,
		TLSClientConfig:        &tls.Config{RootCAs: cfg.RootCAs, MinVersion: tls.VersionTLS12},
		MaxResponseHeaderBytes: maxResponse,
		MaxIdleConns:           maxIdleConns,
		MaxIdleConnsPerHost:    maxIdleConns,
		IdleConnTimeout:        idleTimeout,
		DisableCompression:     true,
	}
	// A redirect is an answer like any other, and no verdict: following it would take the secret along.
	noRedirect := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{cfg: cfg, http: &http.Client{Transport: transport, CheckRedirect: noRedirect}}, nil
}

// CloseIdleConnections closes the connections that are kept for later.
func (c *Client) CloseIdleConnections() { c.http.CloseIdleConnections() }

// stage is how far a request came.
type stage int32

const (
	stageStarted   stage = iota // nothing was sent
	stageConnected              // the token may be used up
	stageResponded              // the first byte of an answer is there
)

// postWithRetry posts a form and returns the body of the answer, which is 200 and at most 64 KiB long. It fails with an *Unavailable. A second try
// is made only where nothing was sent: later the token may be used up, and the second answer would say so of the first.
func (c *Client) postWithRetry(ctx context.Context, defaultURL string, form url.Values) ([]byte, error) {
	bounded, cancel := context.WithTimeout(ctx, verifyTimeout)
	defer cancel()
	body, reached, err := c.postOnce(bounded, defaultURL, form)
	if err != nil && reached == stageStarted && bounded.Err() == nil {
		body, reached, err = c.postOnce(bounded, defaultURL, form)
	}
	if err != nil {
		return nil, asUnavailable(ctx, err, reached)
	}
	return body, nil
}

// postOnce makes one request and tells how far it came.
func (c *Client) postOnce(ctx context.Context, defaultURL string, form url.Values) ([]byte, stage, error) {
	var reached atomic.Int32
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:              func(httptrace.GotConnInfo) { reached.Store(int32(stageConnected)) },
		GotFirstResponseByte: func() { reached.Store(int32(stageResponded)) },
	})
	address := defaultURL
	if c.cfg.VerifyURL != "" {
		address = c.cfg.VerifyURL
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, stageStarted, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", c.cfg.UserAgent)
	response, err := c.http.Do(r)
	if err != nil {
		return nil, stage(reached.Load()), err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		// Read to its end, the connection serves the next token too.
		_, _ = io.CopyN(io.Discard, response.Body, maxResponse)
		return nil, stageResponded, statusError(response.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxResponse+1))
	if err == nil && len(body) > maxResponse {
		err = &Unavailable{Reason: TooLong}
	}
	return body, stageResponded, err
}
