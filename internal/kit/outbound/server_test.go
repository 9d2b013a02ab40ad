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
	// allowedHost represents a public address: the guards of the tests allow it. No request may reach blockedHost.
	allowedHost = "127.0.0.1"
	blockedHost = "127.0.0.2"
)

// TestMain sets a proxy that does not exist. It must do so before any request, since net/http reads the environment
// once.
func TestMain(m *testing.M) {
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY"} {
		if err := os.Setenv(name, "http://"+allowedHost+":1"); err != nil {
			panic(err)
		}
	}
	m.Run()
}

// newGuard returns a guard that allows allowedHost in addition to public addresses.
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

// webServer is a server that listens on allowedHost and blockedHost, on the same port. A request to blockedHost fails
// the test.
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
		at := r.Context().Value(http.LocalAddrContextKey).(net.Addr).String()
		if !strings.HasPrefix(at, allowedHost+":") {
			t.Errorf("%s%s was requested at %s", r.Host, r.URL, at)
		}
		handler(w, r)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // the tests cause failed handshakes
	server.Listener.Close()
	var err error
	if server.Listener, err = net.Listen("tcp4", ":0"); err != nil { // all addresses of this machine
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

// url returns the URL of a path on the server, with the given host.
func (s *webServer) url(scheme, host, path string) string {
	return scheme + "://" + host + ":" + s.port + path
}
