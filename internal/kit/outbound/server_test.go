package outbound

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"testing"
)

const (
	// allowedHost stands for the internet in these tests: the guard allows it. private is where nobody may come.
	allowedHost = "127.0.0.1"
	blockedHost = "127.0.0.2"
)

// TestMain names a proxy that nobody listens at, before anything reads the environment: net/http does so once.
func TestMain(m *testing.M) {
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY"} {
		if err := os.Setenv(name, "http://"+allowedHost+":1"); err != nil {
			panic(err)
		}
	}
	m.Run()
}

// newGuard makes a guard for which public is the only address that it allows beside the internet.
func newGuard(t *testing.T, change func(*Config)) *Guard {
	t.Helper()
	cfg := Config{AllowNets: []netip.Prefix{netip.MustParsePrefix(allowedHost + "/32")}, AllowHTTP: true}
	if change != nil {
		change(&cfg)
	}
	g := New(cfg)
	t.Cleanup(g.CloseIdleConnections)
	return g
}

// webServer is a web server on public and private with one port. What comes to private is a finding.
type webServer struct {
	*httptest.Server
	port string
}

func newWebServer(t *testing.T, handler http.HandlerFunc) *webServer {
	t.Helper()
	s := &webServer{Server: unstartedServer(t, handler)}
	s.Start()
	return s.finishStart(t)
}

func newTLSWebServer(t *testing.T, handler http.HandlerFunc) *webServer {
	t.Helper()
	s := &webServer{Server: unstartedServer(t, handler)}
	s.StartTLS()
	return s.finishStart(t)
}

func unstartedServer(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if at := r.Context().Value(http.LocalAddrContextKey).(net.Addr).String(); !strings.HasPrefix(at, allowedHost+":") {
			t.Errorf("%s%s was requested at %s", r.Host, r.URL, at)
		}
		handler(w, r)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains about handshakes that are meant to fail
	server.Listener.Close()
	var err error
	if server.Listener, err = net.Listen("tcp4", ":0"); err != nil { // every address of this machine
		t.Fatal(err)
	}
	return server
}

func (s *webServer) finishStart(t *testing.T) *webServer {
	t.Helper()
	t.Cleanup(s.Close)
	t.Cleanup(s.CloseClientConnections)
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	s.port = port
	return s
}

// url is the address of a path of the site under some name.
func (s *webServer) url(scheme, host, path string) string {
	return scheme + "://" + host + ":" + s.port + path
}
