package trace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"golang.org/x/net/http/httpguts"
	"google.golang.org/protobuf/proto"
)

const (
	// firstPause is the pause before the second attempt to send a batch. Each further pause is twice as long.
	firstPause     = 500 * time.Millisecond
	connectTimeout = 3 * time.Second
	maxResponse    = 64 << 10
)

// client sends spans to a collector as OTLP over HTTP, in the binary encoding. It uses no proxy of the environment and
// follows no redirects: a redirect would send the headers to another server.
type client struct {
	url     string
	headers http.Header
	http    *http.Client
	// stopped is closed when the program ends: nothing is tried again. aborted is closed when its time is over.
	stopped, aborted chan struct{}
	stop, abort      func()
}

// newClient returns a client of the collector at the URL. Headers have the form name=value,name=value, with values that
// may be percent-encoded.
func newClient(endpoint, headers string) (*client, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" {
		return nil, errors.New("--otlp-endpoint must be the URL of a collector for OTLP over HTTP, such as " +
			"http://localhost:4318, without user and query")
	}

	if !strings.HasSuffix(u.Path, "/v1/traces") {
		u = u.JoinPath("v1/traces")
	}

	parsed, err := parseHeaders(headers)
	if err != nil {
		return nil, err
	}

	c := &client{url: u.String(), headers: parsed, stopped: make(chan struct{}), aborted: make(chan struct{})}
	c.stop = sync.OnceFunc(func() { close(c.stopped) })
	c.abort = sync.OnceFunc(func() { close(c.aborted) })
	c.http = &http.Client{
		Transport: &http.Transport{
			DialContext: (&net.Dialer{Timeout: connectTimeout}).DialContext, TLSHandshakeTimeout: connectTimeout,
			ForceAttemptHTTP2: true, MaxIdleConns: 1, IdleConnTimeout: time.Minute,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}

	return c, nil
}

// parseHeaders parses name=value,name=value. Its errors do not quote the values, which are secret.
func parseHeaders(text string) (http.Header, error) {
	h := http.Header{}
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, encoded, ok := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(encoded))
		if !ok || err != nil || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, errors.New("--otlp-headers must have the form name=value,name=value")
		}
		h.Add(name, value)
	}
	return h, nil
}

// Start implements otlptrace.Client.
func (*client) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client.
func (*client) Stop(context.Context) error { return nil }

// UploadTraces implements otlptrace.Client. It tries again until ctx ends, unless the collector refuses the spans.
func (c *client) UploadTraces(ctx context.Context, spans []*otlp.ResourceSpans) error {
	// TracesData has the same encoding as the request of the protocol, ExportTraceServiceRequest, whose package would
	// bring gRPC along.
	body, err := proto.Marshal(&otlp.TracesData{ResourceSpans: spans})
	if err != nil {
		return err
	}

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	go func() {
		select {
		case <-c.aborted:
			cancel()
		case <-ctx.Done():
		}
	}()

	for pause := firstPause; ; pause *= 2 {
		again, err := c.post(ctx, body)
		if err == nil || !again || c.isStopped() {
			return err
		}

		select {
		case <-ctx.Done():
			return err
		case <-c.stopped:
			return err
		case <-time.After(pause):
		}
	}
}

// post makes one request. again reports whether another attempt may succeed.
func (c *client) post(ctx context.Context, body []byte) (again bool, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return false, err
	}

	r.Header = c.headers.Clone()
	r.Header.Set("Content-Type", "application/x-protobuf")
	r.Header.Set("User-Agent", "Vitrine")

	response, err := c.http.Do(r)
	if err != nil {
		return true, err
	}
	defer response.Body.Close()

	_, _ = io.CopyN(io.Discard, response.Body, maxResponse) // so that the connection can be used again

	switch code := response.StatusCode; code {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return false, nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true, fmt.Errorf("the collector responded with the status %d", code)
	default:
		return false, fmt.Errorf("the collector responded with the status %d", code)
	}
}

// isStopped reports whether the program ends.
func (c *client) isStopped() bool {
	select {
	case <-c.stopped:
		return true
	default:
		return false
	}
}
