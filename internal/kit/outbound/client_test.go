package outbound

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine/internal/testkit/outboundtest"
)

// fetchError fetches a URL, which must fail, and returns the error.
func fetchError(t *testing.T, g *Guard, url string) *Failure {
	t.Helper()
	fetched, err := g.Fetch(t.Context(), FetchRequest{URL: url, MaxBytes: 1 << 20})
	if err == nil {
		t.Fatalf("%s was fetched: %q", url, fetched.Body)
	}
	return FailureOf(err)
}

// wantBlocked fails the test unless the error says only that the guard blocked the request.
func wantBlocked(t *testing.T, what string, e *Failure) {
	t.Helper()
	if e.Phase != PhaseBlocked || e.Retry || e.Status != 0 || e.Unwrap() != nil ||
		e.Error() != "blocked: The address is not allowed." {
		t.Errorf("%s: %+v", what, e)
	}
}

func TestDial_checksTheResolvedAddressEachTime(t *testing.T) {
	s := newWebServer(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") })
	dns := outboundtest.NewDNSServer(map[string][]string{
		"rebinding.example": {allowedHost, blockedHost}, "inside.example": {blockedHost},
	})
	g := newGuard(t, func(c *Config) { c.Resolver = dns.Resolver() })

	url := s.url("http", "rebinding.example", "/")
	if f, err := g.Fetch(t.Context(), FetchRequest{URL: url, MaxBytes: 10}); err != nil || string(f.Body) != "hello" {
		t.Fatalf("first fetch: %q, %v", f.Body, err)
	}
	g.CloseIdleConnections()
	wantBlocked(t, "second fetch", fetchError(t, g, url))
	wantBlocked(t, "a name with a blocked address", fetchError(t, g, s.url("http", "inside.example", "/")))
	wantBlocked(t, "a blocked address", fetchError(t, g, s.url("http", blockedHost, "/")))
}

func TestClient_checksEveryRedirect(t *testing.T) {
	s := newWebServer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", r.URL.Query().Get("to"))
		w.WriteHeader(http.StatusFound)
	})
	dns := outboundtest.NewDNSServer(map[string][]string{"inside.example": {blockedHost}})
	g := newGuard(t, func(c *Config) { c.Resolver = dns.Resolver() })
	for _, to := range []string{
		s.url("http", blockedHost, "/"), s.url("http", "inside.example", "/"), "//" + blockedHost + ":" + s.port + "/",
		s.url("http", "[::ffff:"+blockedHost+"]", "/"), "http://169.254.169.254/latest/meta-data/", "http://[::1]/",
	} {
		wantBlocked(t, to, fetchError(t, g, s.url("http", allowedHost, "/?to="+to)))
	}

	for _, to := range []string{
		"file:///etc/passwd", "ftp://shop.example/", "http://user:pass@shop.example/", "http://shop.example:0/",
	} {
		if e := fetchError(t, g, s.url("http", allowedHost, "/?to="+to)); e.Phase != PhaseBlocked || e.Retry {
			t.Errorf("%s: %+v", to, e)
		}
	}

	for _, to := range []string{
		"", "http://shop.example/%zz?key=secret", "http://secret:%zz@shop.example/", "http://[::1/secret",
		"http://shop.example:secret/",
	} {
		e := fetchError(t, g, s.url("http", allowedHost, "/?to="+url.QueryEscape(to)))
		if e.Phase != PhaseStatus || e.Status != http.StatusFound || e.Retry || strings.Contains(e.Error(), "secret") {
			t.Errorf("an invalid redirect to %q: %v, %+v", to, e, e)
		}
	}
}

func TestClient_followsThreeRedirects(t *testing.T) {
	seen := make(chan *http.Request, 10)
	s := newWebServer(t, func(w http.ResponseWriter, r *http.Request) {
		seen <- r
		if left := strings.TrimPrefix(r.URL.Path, "/"); left != "" {
			http.Redirect(w, r, "/"+left[1:], http.StatusMovedPermanently)
			return
		}
		io.WriteString(w, "the end")
	})
	g := newGuard(t, func(c *Config) { c.UserAgent = "Vitrine/test" })
	f, err := g.Fetch(t.Context(),
		FetchRequest{URL: s.url("http", allowedHost, "/xxx"), MaxBytes: 100, Accept: "image/png", ETag: `"1"`})
	if err != nil || string(f.Body) != "the end" {
		t.Fatalf("%q, %v", f.Body, err)
	}

	first := <-seen
	if first.Header.Get("If-None-Match") != `"1"` {
		t.Errorf("the first request has the headers %v", first.Header)
	}

	for range 3 {
		r := <-seen
		if len(r.Header) != 3 || r.Header.Get(HopHeader) != "1" || r.Header.Get("User-Agent") != "Vitrine/test" ||
			r.Header.Get("Accept") != "image/png" {
			t.Errorf("a redirected request has the headers %v", r.Header)
		}
	}

	if e := fetchError(t, g, s.url("http", allowedHost, "/xxxx")); e.Phase != PhaseStatus ||
		e.Status != http.StatusMovedPermanently || e.Retry {
		t.Errorf("four redirects: %+v", e)
	}

	loop := newWebServer(t,
		func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) })
	if e := fetchError(t, g, loop.url("http", allowedHost, "/")); e.Phase != PhaseStatus || e.Retry {
		t.Errorf("a loop: %+v", e)
	}
}

func TestClient_checksCertificatesAndRefusesRedirectsToHTTP(t *testing.T) {
	plain := newWebServer(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "over plain http") })
	s := newTLSWebServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/open" {
			http.Redirect(w, r, plain.url("http", allowedHost, "/"), http.StatusFound)
			return
		}
		io.WriteString(w, "hello")
	})
	dns := outboundtest.NewDNSServer(map[string][]string{"example.com": {allowedHost}, "other.example": {allowedHost}})
	trusting := newGuard(t, func(c *Config) {
		c.Resolver = dns.Resolver()
		c.RootCAs = x509.NewCertPool()
		c.RootCAs.AddCert(s.Certificate())
	})
	if f, err := trusting.Fetch(t.Context(),
		FetchRequest{URL: s.url("https", "example.com", "/"), MaxBytes: 10}); err != nil || string(f.Body) != "hello" {
		t.Errorf("%q, %v", f.Body, err)
	}

	if e := fetchError(t, trusting, s.url("https", "example.com", "/open")); e.Phase != PhaseBlocked || e.Retry ||
		!strings.Contains(e.Message, "https") {
		t.Errorf("a redirect to http: %+v", e)
	}

	for what, e := range map[string]*Failure{
		"a certificate for another name": fetchError(t, trusting, s.url("https", "other.example", "/")),
		"an unknown certificate":         fetchError(t, newGuard(t, nil), s.url("https", allowedHost, "/")),
		"no TLS":                         fetchError(t, trusting, plain.url("https", allowedHost, "/")),
	} {
		if e.Phase != PhaseTLS || !e.Retry {
			t.Errorf("%s: %+v", what, e)
		}
	}
}

func TestClient_usesNoProxy(t *testing.T) {
	// ProxyFromEnvironment never uses a proxy for loopback addresses, so the test needs a name.
	if u, err := http.ProxyFromEnvironment(
		httptest.NewRequest(http.MethodGet, "http://shop.example/", http.NoBody)); err != nil || u == nil {
		t.Fatalf("the environment has no proxy: %v, %v", u, err)
	}
	s := newWebServer(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "direct") })
	dns := outboundtest.NewDNSServer(map[string][]string{"shop.example": {allowedHost}})
	g := newGuard(t, func(c *Config) { c.Resolver = dns.Resolver() })
	f, err := g.Fetch(t.Context(), FetchRequest{URL: s.url("http", "shop.example", "/"), MaxBytes: 10})
	if err != nil || string(f.Body) != "direct" {
		t.Errorf("%q, %v", f.Body, err)
	}
}

func TestClient_returnsRedirectsThatItDoesNotFollow(t *testing.T) {
	s := newWebServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" || r.Host != allowedHost+":"+r.URL.Query().Get("port") {
			t.Errorf("%s was requested from %s", r.URL, r.Host)
		}
		http.Redirect(w, r, "/next", http.StatusTemporaryRedirect)
	})
	client := newGuard(t, nil).Client(ClientConfig{})
	defer client.CloseIdleConnections()

	r, err := http.NewRequest(http.MethodPost, s.url("http", allowedHost, "/?port="+s.port), strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}

	r.Host = "intranet" // must be ignored: the client takes the Host header from the URL
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()

	if response.StatusCode != http.StatusTemporaryRedirect {
		t.Errorf("the status is %s", response.Status)
	}
}

func TestClient_timesOut(t *testing.T) {
	s := newWebServer(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	g := newGuard(t, nil)
	for what, cfg := range map[string]ClientConfig{
		"whole request":   {Timeout: 50 * time.Millisecond},
		"response header": {HeaderTimeout: 50 * time.Millisecond},
	} {
		client := g.Client(cfg)
		response, err := client.Get(s.url("http", allowedHost, "/"))
		if err == nil {
			response.Body.Close()
		}
		if e := FailureOf(err); e == nil || e.Phase != PhaseTimeout || !e.Retry {
			t.Errorf("%s: %+v", what, e)
		}
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := g.Fetch(ctx, FetchRequest{URL: s.url("http", allowedHost, "/")})

	var e *Failure
	if !errors.Is(err, context.Canceled) || errors.As(err, &e) {
		t.Errorf("after cancel: got %v", err)
	}
}
