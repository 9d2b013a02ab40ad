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

	"vitrine/internal/kit/trace"
)

const (
	// verifyTimeout limits a verification from the DNS lookup to the last byte of the response, including the retry.
	verifyTimeout = 3 * time.Second
	// dialTimeout limits the DNS lookup and the connection together, and separately the TLS handshake.
	dialTimeout = time.Second
	// maxResponse limits the body of a response and, separately, its headers. Real responses are shorter than 1 KiB.
	maxResponse = 64 << 10
	// maxIdleConns limits the idle connections, which are closed after idleTimeout.
	maxIdleConns = 64
	idleTimeout  = 30 * time.Second
)

// Config holds the operator's settings, and replacements of system defaults for tests.
type Config struct {
	// VerifyURL replaces the documented URL of every provider.
	VerifyURL string
	// TestTokens replaces every provider by the built-in one, which judges test tokens and makes no requests. It is for
	// development only.
	TestTokens bool
	// UserAgent is the User-Agent header. The default is Vitrine.
	UserAgent string
	// RootCAs verify certificates. The default is the system pool.
	RootCAs *x509.CertPool
}

// Client makes the requests of all verifiers. It uses the proxy of the environment. It requests only URLs from the
// operator or from a provider's documentation, never URLs from users. It is safe for concurrent use.
type Client struct {
	cfg  Config
	http *http.Client
}

// NewClient returns a client, or an error for an invalid VerifyURL. The caller closes its idle connections when done.
func NewClient(cfg Config) (*Client, error) {
	return newClient(cfg, new(net.Dialer).DialContext)
}

type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

func newClient(cfg Config, dial dialFunc) (*Client, error) {
	if cfg.VerifyURL != "" {
		u, err := url.Parse(cfg.VerifyURL)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
			return nil, errors.New("the URL that verifies captcha tokens must be absolute, such as " +
				"https://captcha.example/siteverify")
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

	// A redirect is returned as a response and is no verdict. Following it would send the secret to another server.
	noRedirect := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{cfg: cfg, http: &http.Client{Transport: trace.Transport{Base: transport},
			CheckRedirect: noRedirect}},
		nil
}

// CloseIdleConnections closes the idle connections.
func (c *Client) CloseIdleConnections() { c.http.CloseIdleConnections() }

// requestStage is how far a request has got.
type requestStage int32

const (
	stageStarted   requestStage = iota // nothing was sent
	stageConnected                     // the request may have been sent, so the token may be used
	stageResponded                     // the first byte of the response has arrived
)

// postWithRetry posts a form and returns the body of a 200 response of at most 64 KiB. Otherwise it returns an
// *Unavailable. It retries once, and only if nothing was sent: once a request was sent, the token may be used up, and
// the provider would reject a second request for that reason.
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

// postOnce makes one request and returns the body and the stage that the request reached.
func (c *Client) postOnce(ctx context.Context, defaultURL string, form url.Values) ([]byte, requestStage, error) {
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
		return nil, requestStage(reached.Load()), err
	}
	defer response.Body.Close()

	if response.StatusCode != http.StatusOK {
		// A connection can be reused only after the body was read to its end.
		_, _ = io.CopyN(io.Discard, response.Body, maxResponse)
		return nil, stageResponded, providerStatusError(response.StatusCode)
	}

	body, err := io.ReadAll(io.LimitReader(response.Body, maxResponse+1))
	if err == nil && len(body) > maxResponse {
		err = &Unavailable{Reason: TooLong}
	}

	return body, stageResponded, err
}
