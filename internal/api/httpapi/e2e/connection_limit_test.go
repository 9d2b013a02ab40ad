package e2e

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/memory"
)

// startLimitedServer starts a server of /hello and of more routes, whose connections are limited.
func startLimitedServer(t *testing.T, limits httpapi.ConnectionLimits, more ...httpapi.Route) *handlerServer {
	t.Helper()
	deps := httpapi.Deps{Log: slog.New(slog.DiscardHandler), Now: time.Now}
	server := &http.Server{ConnContext: httpapi.ConnContext, ConnState: httpapi.ConnState,
		MaxHeaderBytes: httpapi.ServerMaxHeaderBytes, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelWarn),
		Handler: httpapi.NewServer(deps, append(more, httpapi.Route{Method: "GET", Path: "/hello", Handler: serveHello},
			httpapi.Route{Method: "POST", Path: "/hello", Handler: serveHello}))}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(httpapi.ListenWithin(listener, limits)) }()
	t.Cleanup(func() { _ = server.Close() })
	return &handlerServer{t: t, address: listener.Addr().String()}
}

// withConnectionMemory returns limits with a share of which one address may hold two connections.
func withConnectionMemory() httpapi.ConnectionLimits {
	return httpapi.ConnectionLimits{Memory: memory.NewShare("connections", "connections", 256<<10)}
}

// longHeader returns a header line of n bytes.
func longHeader(n int) string { return "X: " + strings.Repeat("x", n-5) + "\r\n" }

// After the response to headers that were refused while they arrived, net/http sent a 400 of its own.
func TestH2_refusedHeadersGetOneResponse(t *testing.T) {
	s := startLimitedServer(t, withConnectionMemory())
	c := s.dial()
	c.send("GET /hello HTTP/1.1\r\nHost: x\r\n" + longHeader(40<<10) + "\r\n")
	text, err := io.ReadAll(c.r)
	if got := string(text); err != nil || !strings.HasPrefix(got, "HTTP/1.1 429 ") ||
		strings.Count(got, "HTTP/1.1") != 1 {
		t.Errorf("got %q, %v; want one response", got, err)
	}
}

// Idle connections of an address kept its new ones, and its long requests, from being served: at the memory limit of an
// address, no waiting connection was closed.
func TestM8_idleConnectionsOfAnAddressMakeRoomForItsRequests(t *testing.T) {
	s := startLimitedServer(t, withConnectionMemory())
	first, second, third := s.dial(), s.dial(), s.dial()
	third.wantHello()
	first.wantClosed()
	third.send("GET /hello HTTP/1.1\r\nHost: x\r\n" + longHeader(8<<10) + "\r\n") // costs nearly two connections
	if r, body := third.receive(); r.StatusCode != 200 {
		t.Errorf("the request with long headers got %d %s", r.StatusCode, body)
	}
	second.wantClosed()
}

// Thousands of header lines took net/http long to parse, in each request again. They are refused while they arrive.
func TestH2_headerLinesAreBounded(t *testing.T) {
	s := startLimitedServer(t, httpapi.ConnectionLimits{})
	request := func(lines int) string {
		return "POST /hello HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n" + strings.Repeat("a:\r\n", lines-2) +
			"\r\n" +
			strings.Repeat("\n", 1000)
	}
	c := s.dial()
	c.send(strings.Repeat(request(200), 3)) // pipelined, with bodies of many lines

	for range 3 {
		if r, body := c.receive(); r.StatusCode != 200 {
			t.Errorf("a request with 200 header lines got %d %s", r.StatusCode, body)
		}
	}

	c.send(request(201))

	if r, body := c.receive(); r.StatusCode != 431 || !strings.Contains(body, `"code":"headers_too_large"`) ||
		!strings.Contains(body, "at most 200 header lines") || !r.Close {
		t.Errorf("a request with 201 header lines got %d %s, closing: %t", r.StatusCode, body, r.Close)
	}

	c.wantClosed()
}

// A connection that was refused was closed before its request was read, so that its client saw a reset and not why.
func TestL4_aRefusedConnectionSaysWhyAlsoToALongRequest(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	wait := func(w http.ResponseWriter, r *httpapi.Request) error {
		close(entered)
		<-leave
		return serveHello(w, r)
	}
	s := startLimitedServer(t, httpapi.ConnectionLimits{PerAddress: 1},
		httpapi.Route{Method: "GET", Path: "/wait", Handler: wait})
	first := s.dial()
	first.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
	<-entered

	for range 20 {
		refused := s.dial()
		refused.send("POST /hello HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + strings.Repeat("x", 100_000))
		if r, body := refused.receive(); r.StatusCode != 429 || !strings.Contains(body, "too_many_connections") {
			t.Errorf("a refused connection got %d %s", r.StatusCode, body)
		}
	}

	close(leave)
	if r, body := first.receive(); r.StatusCode != 200 || body != "hello" {
		t.Errorf("the connection that was open got %d %s", r.StatusCode, body)
	}
}
