package apitest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// RequestOption changes a request before it is sent.
type RequestOption func(*http.Request)

// As sends the request with another credential; "" sends none.
func As(token string) RequestOption {
	return func(r *http.Request) {
		r.Header.Del("Authorization")
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
	}
}

// Header sets a header; an empty value removes it.
func Header(name, value string) RequestOption {
	return func(r *http.Request) {
		r.Header.Del(name)
		if value != "" {
			r.Header.Set(name, value)
		}
	}
}

// HeaderLines sets a header with several values, each on a line of its own.
func HeaderLines(name string, values ...string) RequestOption {
	return func(r *http.Request) { r.Header[http.CanonicalHeaderKey(name)] = values }
}

// newClient returns a client whose connections come from the address, unless that is nil.
func newClient(tb testing.TB, from net.Addr) *http.Client {
	transport := &http.Transport{
		DialContext:         (&net.Dialer{LocalAddr: from}).DialContext,
		DisableCompression:  true, // tests of compression set Accept-Encoding themselves
		MaxIdleConnsPerHost: 64,
	}
	tb.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport: transport, Timeout: 3 * time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Do sends a request with the secret key of the store and reads the response. A string, a []byte or an io.Reader is
// sent as the body unchanged, nil sends none, and any other value is encoded as JSON. The Content-Type is
// application/json unless an option changes it.
func (s *Server) Do(method, path string, body any, options ...RequestOption) *Response {
	s.tb.Helper()
	r, err := s.Try(method, path, body, options...)
	if err != nil {
		s.tb.Fatalf("%s %s: %v", method, path, err)
	}
	return r
}

// Try is like Do but returns an error, instead of failing the test, if there is no response.
func (s *Server) Try(method, path string, body any, options ...RequestOption) (*Response, error) {
	s.tb.Helper()
	if method != http.MethodGet && method != http.MethodHead {
		s.dumps.set(nil)
	}
	r, err := s.roundTrip(s.request(method, s.URL+path, body, options))
	if err == nil {
		r.check()
		s.checkCode(r, path)
	}
	return r, err
}

// TryURL is like Try but also returns an error, instead of failing the test, if the path is invalid in a URL.
func (s *Server) TryURL(method, path string, body any, options ...RequestOption) (*Response, error) {
	s.tb.Helper()
	if _, err := http.NewRequestWithContext(s.tb.Context(), method, s.URL+path, nil); err != nil {
		return nil, err
	}
	return s.Try(method, path, body, options...)
}

// DoAdmin is like Do but sends the request to the admin listener. It does not check the response, which may be HTML.
func (s *Server) DoAdmin(method, path string, body any, options ...RequestOption) *Response {
	s.tb.Helper()
	s.dumps.set(nil)
	return s.send(s.request(method, s.AdminURL+path, body, options))
}

func (s *Server) request(method, url string, body any, options []RequestOption) *http.Request {
	s.tb.Helper()
	var reader io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(b)
	case []byte:
		reader = bytes.NewReader(b)
	case io.Reader:
		reader = b
	default:
		text, err := json.Marshal(b)
		if err != nil {
			s.tb.Fatal(err)
		}
		reader = bytes.NewReader(text)
	}

	r, err := http.NewRequestWithContext(s.tb.Context(), method, url, reader)
	if err != nil {
		s.tb.Fatal(err)
	}

	r.Header.Set("User-Agent", "apitest")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}

	As(s.Secret)(r)
	for _, o := range options {
		o(r)
	}

	return r
}

func (s *Server) send(r *http.Request) *Response {
	s.tb.Helper()
	response, err := s.roundTrip(r)
	if err != nil {
		s.tb.Fatalf("%s %s: %v", r.Method, r.URL, err)
	}
	return response
}

func (s *Server) roundTrip(r *http.Request) (*Response, error) {
	response, err := s.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	s.test.addRequest(response.Header.Get("X-Request-Id"))
	return newResponse(s.tb, r.Method, r.URL.RequestURI(), response)
}

// SendRaw sends text on a new connection and reads the response. It can send requests that net/http refuses to send.
func (s *Server) SendRaw(text string) *Response {
	s.tb.Helper()
	s.dumps.set(nil)
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		s.tb.Fatal(err)
	}
	defer conn.Close()

	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(conn, text); err != nil {
		s.tb.Fatal(err)
	}

	method, rest, _ := strings.Cut(text, " ")
	path, _, _ := strings.Cut(rest, " ")
	response, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		s.tb.Fatalf("%s %s: %v", method, path, err)
	}
	defer response.Body.Close()

	r, err := newResponse(s.tb, method, path, response)
	if err != nil {
		s.tb.Fatalf("%s %s: %v", method, path, err)
	}

	return r
}

// OK calls Do and fails the test unless the response has this status.
func (s *Server) OK(status int, method, path string, body any, options ...RequestOption) *Response {
	s.tb.Helper()
	r := s.Do(method, path, body, options...)
	if r.Status != status {
		s.tb.Fatalf("%s %s: got %d, want %d: %s", method, path, r.Status, status, truncateText(r.Body))
	}
	return r
}

// Get calls OK with the status 200, the method GET and no body.
func (s *Server) Get(path string, options ...RequestOption) *Response {
	s.tb.Helper()
	return s.OK(http.StatusOK, http.MethodGet, path, nil, options...)
}

// WantProblem calls Do and fails the test unless the response is this problem, in the format of Response.Problem, and
// the database is unchanged.
func (s *Server) WantProblem(problem, method, path string, body any, options ...RequestOption) *Response {
	s.tb.Helper()
	before := s.dumps.get()
	if before == nil {
		before = s.Dump()
	}

	r := s.Do(method, path, body, options...)
	if got := r.Problem(); got != problem {
		s.tb.Errorf("%s %s %s\n got %s\nwant %s\n%s", method, path, truncateBody(body), got, problem,
			truncateText(r.Body))
	}

	now := s.Dump()
	if diff := before.Diff(now); diff != "" {
		s.tb.Errorf("%s %s %s failed but changed the database:\n%s", method, path, truncateBody(body), diff)
	}

	s.dumps.set(now)
	return r
}

func truncateBody(body any) string {
	switch b := body.(type) {
	case string:
		return truncateText([]byte(b))
	case []byte:
		return truncateText(b)
	}
	return ""
}

func truncateText(b []byte) string {
	const limit = 600
	if len(b) > limit {
		return string(b[:limit]) + "…"
	}
	return string(b)
}
