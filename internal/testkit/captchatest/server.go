// Package captchatest provides a captcha server on loopback, for tests only. It implements all four providers at one
// URL, each as documented. As with the real providers the secret identifies the customer, here a Site. Each token
// belongs to one site, has a fixed response, and can be used once.
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

// redirectPath is the target of redirects.
const redirectPath = "/elsewhere"

// Server is the captcha server. It is safe for concurrent use.
type Server struct {
	http *httptest.Server

	mu      sync.Mutex
	sites   map[string]*Site // by secret
	tokens  map[string]*token
	calls   []Call
	latency time.Duration
}

// Call is one received request.
type Call struct {
	Form url.Values
}

// token is an issued token.
type token struct {
	site    *Site
	handler http.HandlerFunc
	used    bool
}

// New starts a server that is closed at the end of the test.
func New(tb testing.TB) *Server {
	tb.Helper()
	s := Start()
	tb.Cleanup(s.Close)
	return s
}

// Start starts a server outside a test. The caller closes it.
func Start() *Server {
	s := &Server{sites: map[string]*Site{}, tokens: map[string]*token{}}
	s.http = httptest.NewUnstartedServer(s)
	s.http.Config.ErrorLog = log.New(io.Discard, "", 0) // it logs the connections that are meant to break
	s.http.Start()
	return s
}

// Close closes the server and all its connections.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// URL returns the URL that verifies tokens of all sites.
func (s *Server) URL() string { return s.http.URL + "/verify" }

// Calls returns the requests in the order of their arrival.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// SetLatency sets the minimum time that each response takes from now on.
func (s *Server) SetLatency(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latency = d
}

// UnreachableURL returns a URL at which nothing listens.
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

// ServeHTTP implements http.Handler.
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

// recordCall records a request and marks its token as used. It returns the handler for the response and the latency.
func (s *Server) recordCall(r *http.Request) (http.HandlerFunc, time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, Call{Form: r.PostForm})
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
		return respondJSON(site.renderAnswer(site.GoodAnswer("")))
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
