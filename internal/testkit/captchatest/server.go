// Package captchatest is a captcha provider on loopback, for tests only: all four of them at one address, each as its documentation says.
// Like them it tells its customers apart by the secret, so a Site has one, and each token belongs to one site, carries what will be said of
// it, and works once.
package captchatest

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"
)

// redirectPath is where redirects lead to.
const redirectPath = "/elsewhere"

// Server is the provider.
type Server struct {
	http *httptest.Server

	mu      sync.Mutex
	sites   map[string]*Site // by secret
	tokens  map[string]*token
	calls   []Call
	latency time.Duration
}

// Call is one request that came in.
type Call struct {
	Path   string
	Form   url.Values
	Header http.Header
}

// token is what was issued, and whether it was asked about.
type token struct {
	site    *Site
	handler http.HandlerFunc
	used    bool
}

// New starts a provider that ends with the test.
func New(tb testing.TB) *Server {
	tb.Helper()
	s := Start()
	tb.Cleanup(s.Close)
	return s
}

// Start starts a provider outside a test; Close ends it.
func Start() *Server {
	s := &Server{sites: map[string]*Site{}, tokens: map[string]*token{}}
	s.http = httptest.NewUnstartedServer(s)
	s.http.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains about connections that are meant to break
	s.http.Start()
	return s
}

// Close ends the provider, whatever still hangs.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// URL is where tokens of any site are verified.
func (s *Server) URL() string { return s.http.URL + "/verify" }

// Calls are the requests so far, in the order in which they came.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// SetLatency makes every answer take at least so long from now on.
func (s *Server) SetLatency(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latency = d
}

// UnreachableURL is an address at which nobody listens.
func UnreachableURL(tb testing.TB) string {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	if err := l.Close(); err != nil {
		tb.Fatal(err)
	}
	return "http://" + l.Addr().String() + "/verify"
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	handler, latency := s.recordCall(r)
	select {
	case <-time.After(latency):
		handler(w, r)
	case <-r.Context().Done():
	}
}

// recordCall notes a request, uses its token up, and returns what is to be answered and how long that takes.
func (s *Server) recordCall(r *http.Request) (http.HandlerFunc, time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, Call{Path: r.URL.Path, Form: r.PostForm, Header: r.Header.Clone()})
	return s.handlerFor(r), s.latency
}

func (s *Server) handlerFor(r *http.Request) http.HandlerFunc {
	form := r.PostForm
	if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/x-www-form-urlencoded" {
		return respondStatus(http.StatusBadRequest)
	}
	site := s.sites[form.Get("secret")]
	if site == nil {
		return respondJSON(refusalBodiesFor(form.Has("token")).secret)
	}
	text := form.Get(site.tokenField())
	t := s.tokens[text]
	refusals := refusalBodiesFor(site.tokenField() == "token")
	switch {
	case r.URL.Path == redirectPath:
		return respondJSON(site.renderAnswer(site.Good("")))
	case text == "":
		return respondJSON(refusals.missing)
	case t == nil || t.site != site:
		return respondJSON(refusals.invalid)
	case t.used:
		return respondJSON(site.usedTokenBody())
	case form.Has("sitekey") && form.Get("sitekey") != site.PublicKey:
		return respondJSON(sitekeyMismatchBody)
	}
	t.used = true
	return t.handler
}
