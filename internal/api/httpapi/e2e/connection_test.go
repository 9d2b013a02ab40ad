package e2e

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

// handlerServer is a server of handlers that a test defines, on a TCP listener.
type handlerServer struct {
	t        *testing.T
	address  string
	log      *apitest.Log
	registry *prometheus.Registry
}

// handlers maps "METHOD /path" to a handler.
type handlers map[string]httpapi.Handler

// startHandlerServer starts a server of the handlers. change, unless it is nil, may modify the server before it starts
// and wrap its listener.
func startHandlerServer(
	t *testing.T, served handlers, change func(*http.Server, net.Listener) net.Listener,
) *handlerServer {
	t.Helper()
	s := &handlerServer{t: t, log: &apitest.Log{}, registry: prometheus.NewRegistry()}
	var routes []httpapi.Route
	for pattern, h := range served {
		method, path, _ := strings.Cut(pattern, " ")
		routes = append(routes, httpapi.Route{Method: method, Path: path, Handler: h})
	}

	deps := httpapi.Deps{Log: slog.New(slog.NewJSONHandler(s.log, nil)), Now: time.Now,
		Metrics: httpapi.NewMetrics(s.registry)}
	server := &http.Server{Handler: httpapi.NewServer(deps, routes), ConnContext: httpapi.ConnContext}
	open, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	s.address = open.Addr().String()
	accept := httpapi.ListenWithin(open, httpapi.ConnectionLimits{})
	if change != nil {
		accept = change(server, accept)
	}

	go func() { _ = server.Serve(accept) }()
	t.Cleanup(func() { _ = server.Close() })
	return s
}

// accelerate divides the deadlines of the server's connections by 200.
func accelerate(server *http.Server, l net.Listener) net.Listener {
	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return httpapi.ConnContext(ctx, c.(fastConn).Conn)
	}
	return fastListener{l}
}

// clientConn is a connection on which a test sends several requests.
type clientConn struct {
	net.Conn
	t *testing.T
	r *bufio.Reader
}

func (s *handlerServer) dial() *clientConn {
	s.t.Helper()
	c, err := net.Dial("tcp", s.address)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	return &clientConn{c, s.t, bufio.NewReader(c)}
}

func (c *clientConn) send(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		c.t.Fatal(err)
	}
}

// receive reads one response and returns it with its body.
func (c *clientConn) receive() (*http.Response, string) {
	c.t.Helper()
	r, err := http.ReadResponse(c.r, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return r, string(body)
}

// wantHello fails unless GET /hello on the connection gets its response.
func (c *clientConn) wantHello() {
	c.t.Helper()
	c.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
	if r, body := c.receive(); r.StatusCode != 200 || body != "hello" {
		c.t.Errorf("the next request on the connection got %d %q", r.StatusCode, body)
	}
}

// wantClosed fails unless the server has closed the connection and sent nothing more.
func (c *clientConn) wantClosed() {
	c.t.Helper()
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	if rest, err := io.ReadAll(c.r); err != nil && !errors.Is(err, io.EOF) || len(rest) > 0 {
		c.t.Errorf("the connection goes on with %q, %v; want its end", rest, err)
	}
}

// abortCounts returns the number of aborted requests by reason, from the metrics, without those that are 0.
func (s *handlerServer) abortCounts() string {
	s.t.Helper()
	families, err := s.registry.Gather()
	if err != nil {
		s.t.Fatal(err)
	}

	counts := map[string]float64{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				if family.GetName() == "vitrine_http_aborted_total" && label.GetName() == "reason" {
					counts[label.GetValue()] += metric.GetCounter().GetValue()
				}
			}
		}
	}

	var list []string
	for _, reason := range slices.Sorted(maps.Keys(counts)) {
		if counts[reason] == 0 {
			continue
		}
		list = append(list, fmt.Sprint(reason, " ", counts[reason]))
	}

	return strings.Join(list, ", ")
}

// waitForAborts waits until abortCounts returns want. The client may notice the end of its connection before the server
// updates the metrics.
func (s *handlerServer) waitForAborts(want string) {
	s.t.Helper()
	storetest.EventuallyEqual(s.t, "the metrics count as aborted", want, s.abortCounts)
}

// serveHello responds with hello. Like a handler that queries the database, it fails if the context was cancelled.
func serveHello(w http.ResponseWriter, r *httpapi.Request) error {
	if err := r.Context().Err(); err != nil {
		return err
	}
	_, err := io.WriteString(w, "hello")
	return err
}

func errUnavailable() error {
	return fault.New(fault.Unavailable, "away", "Not now.").After(time.Second)
}

// postRequest returns a request with a JSON body, as sent on the wire.
func postRequest(path, body string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		path, len(body), body)
}

// Closing a body that was read to its end does not close the connection, which can carry the next request.
func TestConnection_staysOpenWhenReadBodyIsClosed(t *testing.T) {
	s := startHandlerServer(t,
		handlers{"GET /hello": serveHello, "POST /push": func(_ http.ResponseWriter, r *httpapi.Request) error {
			body, err := r.Stream("application/json")
			if err != nil {
				return err
			}
			defer body.Release()

			if _, err := io.Copy(io.Discard, body); err != nil {
				return err
			}

			_ = body.Close()

			// net/http reads in the background now. A read deadline would make that read fail and cancel the context.
			select {
			case <-r.Context().Done():
				t.Error("closing the body has cancelled the context of its connection")
			case <-time.After(20 * time.Millisecond):
			}

			return errUnavailable()
		}}, nil)

	c := s.dial()
	for _, request := range []string{
		postRequest("/push", `{"payload": []}`),
		"POST /push HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: " +
			"chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
	} {
		c.send(request)
		if r, _ := c.receive(); r.StatusCode != 503 || r.Close {
			t.Errorf("the push got %d, closing: %t", r.StatusCode, r.Close)
		}
		c.wantHello()
	}

	if got := s.abortCounts(); got != "" {
		t.Errorf("the metrics count %q as aborted", got)
	}
}

// Closing a body before its end closes the connection after the response, even if the rest of the body arrives.
func TestConnection_closesWhenBodyIsClosedEarly(t *testing.T) {
	cut := make(chan struct{})

	s := startHandlerServer(t,
		handlers{"GET /hello": serveHello, "POST /push": func(_ http.ResponseWriter, r *httpapi.Request) error {
			body, err := r.Stream("application/json")
			if err != nil {
				return err
			}
			defer body.Release()

			if _, err := io.ReadFull(body, make([]byte, 4)); err != nil {
				return err
			}

			_ = body.Close()
			if n, err := body.Read(make([]byte, 4)); n > 0 || err == nil {
				t.Errorf("a closed body gives %d bytes, %v", n, err)
			}

			close(cut)
			return errUnavailable()
		}}, nil)

	head, body, _ := strings.Cut(postRequest("/push", `{"payload": []}`), "\r\n\r\n")
	c := s.dial()
	c.send(head + "\r\n\r\n" + body[:4])
	<-cut
	c.send(body[4:])

	if r, _ := c.receive(); r.StatusCode != 503 || !r.Close {
		t.Errorf("the push got %d, closing: %t", r.StatusCode, r.Close)
	}

	c.wantClosed()
}

// Close interrupts a Read that waits for the client.
func TestConnection_bodyCloseInterruptsRead(t *testing.T) {
	s := startHandlerServer(t, handlers{"POST /push": func(_ http.ResponseWriter, r *httpapi.Request) error {
		body, err := r.Stream("application/json")
		if err != nil {
			return err
		}
		defer body.Release()

		if _, err := io.ReadFull(body, make([]byte, 1)); err != nil {
			return err
		}

		read := make(chan error)
		go func() {
			_, err := body.Read(make([]byte, 1))
			read <- err
		}()
		time.Sleep(10 * time.Millisecond) // the Read has usually begun by then; both orders must work
		_ = body.Close()

		if err := <-read; err == nil {
			t.Error("a Read that was ended by Close returns no error")
		}

		return errUnavailable()
	}}, nil)

	c := s.dial()
	c.send("POST /push HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{")
	if r, _ := c.receive(); r.StatusCode != 503 || !r.Close {
		t.Errorf("the push got %d, closing: %t", r.StatusCode, r.Close)
	}

	c.wantClosed()
}

// The connection stays usable if the handler does not read the body and takes longer than drainTimeout. The handler may
// pause before its response or in the middle of it.
func TestConnection_staysOpenAfterSlowRequestWithUnreadBody(t *testing.T) {
	// accelerate shortens drainTimeout to 10 s / 200. The pause of the handler is longer: 11 s / 200. The test must
	// sleep: connection deadlines use real time.
	const long = 11 * time.Second / 200

	s := startHandlerServer(t, handlers{
		"GET /hello": serveHello,
		"POST /slow": func(w http.ResponseWriter, r *httpapi.Request) error {
			time.Sleep(long)
			return serveHello(w, r)
		},
		"POST /slow-response": func(w http.ResponseWriter, r *httpapi.Request) error {
			w.Header().Set("Content-Length", "5")
			_, _ = io.WriteString(w, "hel")
			if err := http.NewResponseController(w).Flush(); err != nil {
				return err
			}
			time.Sleep(long)
			_, _ = io.WriteString(w, "lo")
			return nil
		},
	}, accelerate)
	for _, path := range []string{"/slow", "/slow-response"} {
		c := s.dial()
		c.send(postRequest(path, `{}`))
		if r, body := c.receive(); r.StatusCode != 200 || body != "hello" || r.Close {
			t.Errorf("%s: %d %q, closing: %t", path, r.StatusCode, body, r.Close)
		}
		c.wantHello()
	}

	if got := s.abortCounts(); got != "" {
		t.Errorf("the metrics count %q as aborted", got)
	}
}

// If a request is refused before its body is read, its connection stays open, provided that the body has at most
// maxDrainBytes (256 KiB). The connection is closed if the body is longer, or if the client waits for a 100 Continue,
// which is never sent.
func TestConnection_staysOpenAfterRefusedRequestWithShortBody(t *testing.T) {
	s := startHandlerServer(t,
		handlers{"GET /hello": serveHello, "POST /no": func(http.ResponseWriter, *httpapi.Request) error {
			return fault.New(fault.Denied, "forbidden", "No.")
		}}, nil)
	c := s.dial()
	for _, body := range []string{`{}`, strings.Repeat(" ", 100_000)} {
		c.send(postRequest("/no", body))
		if r, _ := c.receive(); r.StatusCode != 403 || r.Close {
			t.Errorf("a body of %d bytes: %d, closing: %t", len(body), r.StatusCode, r.Close)
		}
		c.wantHello()
	}

	head := "POST /no HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
	c.send(head + "Content-Length: 1000000\r\n\r\n")

	if r, _ := c.receive(); r.StatusCode != 403 || !r.Close {
		t.Errorf("a long body: %d, closing: %t", r.StatusCode, r.Close)
	}

	c = s.dial()
	c.send(head + "Content-Length: 10\r\nExpect: 100-continue\r\n\r\n")
	if r, _ := c.receive(); r.StatusCode != 403 || !r.Close {
		t.Errorf("a body that was not asked for: %d, closing: %t", r.StatusCode, r.Close)
	}
}

// A handler that writes no response and returns no error is a bug. The response is a 500, not an empty 200.
func TestConnection_handlerWithoutResponseIs500(t *testing.T) {
	s := startHandlerServer(t, handlers{
		"GET /hello":   serveHello,
		"GET /nothing": func(http.ResponseWriter, *httpapi.Request) error { return nil },
		"GET /cancelled": func(_ http.ResponseWriter, r *httpapi.Request) error {
			ctx, cancel := context.WithCancel(r.Context())
			cancel()
			return ctx.Err() // the handler cancelled its own work; the client is still connected
		},
	}, nil)

	c := s.dial()
	for _, path := range []string{"/nothing", "/cancelled"} {
		c.send("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n")
		if r, body := c.receive(); r.StatusCode != 500 || !strings.Contains(body, `"code":"internal"`) {
			t.Errorf("%s: %d %q", path, r.StatusCode, body)
		}
		c.wantHello()
	}

	if got := s.log.Lines("handler wrote no response"); len(got) != 1 || got[0]["level"] != "ERROR" ||
		got[0]["route"] != "GET /nothing" {
		t.Errorf("the log says %v", got)
	}
}

// A request on a connection whose context was cancelled is not handled. The connection is closed without a response,
// and the abort is counted as connection_lost, not as client_left.
func TestConnection_cancelledContextGetsNoResponse(t *testing.T) {
	ran := false

	s := startHandlerServer(t, handlers{"GET /hello": func(w http.ResponseWriter, r *httpapi.Request) error {
		ran = true
		return serveHello(w, r)
	}}, func(server *http.Server, l net.Listener) net.Listener {
		server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
			ctx, cancel := context.WithCancel(httpapi.ConnContext(ctx, c))
			cancel()
			return ctx
		}
		return l
	})

	c := s.dial()
	c.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
	c.wantClosed()
	s.waitForAborts("connection_lost 1")

	if ran {
		t.Error("the handler ran")
	}

	if lines := s.log.Lines("request"); len(lines) != 1 || lines[0]["status"] != float64(499) ||
		lines[0]["aborted"] != "connection_lost" {
		t.Errorf("the access log says %v", lines)
	}

	if lines := s.log.Lines("request aborted"); len(lines) != 1 || lines[0]["level"] != "WARN" ||
		lines[0]["reason"] != "connection_lost" {
		t.Errorf("the log says %v", lines)
	}
}

// If the context is cancelled during a request although the client is connected, the connection is closed. The client
// must not get an empty success.
func TestConnection_contextCancelledDuringRequestGetsNoResponse(t *testing.T) {
	cancels := make(chan context.CancelFunc, 1)
	s := startHandlerServer(t, handlers{"GET /wait": func(_ http.ResponseWriter, r *httpapi.Request) error {
		(<-cancels)()
		<-r.Context().Done()
		return fmt.Errorf("read: %w", r.Context().Err())
	}}, func(server *http.Server, l net.Listener) net.Listener {
		server.ConnContext = cancellableConnContext(cancels)
		return l
	})
	c := s.dial()
	c.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
	c.wantClosed()
	s.waitForAborts("connection_lost 1")
}

// A handler that does not need the context may respond although the context was cancelled. The response is complete,
// and the connection is closed after it.
func TestConnection_closesAfterResponseOnCancelledContext(t *testing.T) {
	cancels := make(chan context.CancelFunc, 1)

	s := startHandlerServer(t, handlers{"GET /respond": func(w http.ResponseWriter, r *httpapi.Request) error {
		(<-cancels)()
		<-r.Context().Done()
		_, err := io.WriteString(w, "hello")
		return err
	}}, func(server *http.Server, l net.Listener) net.Listener {
		server.ConnContext = cancellableConnContext(cancels)
		return l
	})

	c := s.dial()
	c.send("GET /respond HTTP/1.1\r\nHost: x\r\n\r\n")
	if r, body := c.receive(); r.StatusCode != 200 || body != "hello" || !r.Close {
		t.Errorf("the response is %d %q, closing: %t", r.StatusCode, body, r.Close)
	}

	c.wantClosed()
}

// cancellableConnContext returns a function for http.Server.ConnContext that sends the cancel function of each context
// to cancels.
func cancellableConnContext(cancels chan<- context.CancelFunc) func(context.Context, net.Conn) context.Context {
	return func(ctx context.Context, c net.Conn) context.Context {
		ctx, cancel := context.WithCancel(httpapi.ConnContext(ctx, c))
		cancels <- cancel
		return ctx
	}
}

// A client that disconnects before the response is counted and logged as client_left, without a warning.
func TestConnection_clientDisconnectIsCountedSeparately(t *testing.T) {
	began := make(chan struct{})
	s := startHandlerServer(t, handlers{"GET /wait": func(_ http.ResponseWriter, r *httpapi.Request) error {
		close(began)
		<-r.Context().Done()
		return r.Context().Err()
	}}, nil)
	c := s.dial()
	c.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
	<-began
	_ = c.Close()
	s.waitForAborts("client_left 1")

	if lines := s.log.Lines("request"); len(lines) != 1 || lines[0]["status"] != float64(499) ||
		lines[0]["aborted"] != "client_left" {
		t.Errorf("the access log says %v", lines)
	}

	if warnings := s.log.WarningsAndErrors(); len(warnings) > 0 {
		t.Errorf("the log has a warning or an error: %v", warnings)
	}
}

// A response that fails after its status was sent is aborted and counted, so that no client takes it for complete.
func TestConnection_abortsBrokenResponse(t *testing.T) {
	s := startHandlerServer(t, handlers{
		"GET /panic": func(w http.ResponseWriter, _ *httpapi.Request) error {
			_, _ = io.WriteString(w, "half")
			panic("the other half")
		},
		"GET /abort": func(w http.ResponseWriter, _ *httpapi.Request) error {
			_, _ = io.WriteString(w, "half")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		},
		"GET /error": func(w http.ResponseWriter, _ *httpapi.Request) error {
			_, _ = io.WriteString(w, "half")
			return errors.New("the other half cannot be read")
		},
		"GET /file": func(w http.ResponseWriter, r *httpapi.Request) error {
			http.ServeContent(w, r.Request, "half.txt", time.Time{}, &failingFile{strings.NewReader("half of it")})
			return nil
		},
	}, nil)
	for _, path := range []string{"/panic", "/abort", "/error", "/file"} {
		c := s.dial()
		c.send("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n")
		if r, err := http.ReadResponse(c.r, nil); err == nil {
			if body, err := io.ReadAll(r.Body); err == nil {
				t.Errorf("%s: %d %q, and the response looks complete", path, r.StatusCode, body)
			}
		}
	}

	s.waitForAborts("response_broken 4")
	if lines := s.log.Lines("request aborted"); len(lines) != 4 {
		t.Errorf("the log says %v", lines)
	}
}

// failingFile is a file whose Read fails after four bytes.
type failingFile struct{ *strings.Reader }

func (f *failingFile) Read(p []byte) (int, error) {
	if f.Len() <= int(f.Size())-4 {
		return 0, errors.New("the disk is broken")
	}
	return f.Reader.Read(p[:min(len(p), 4)])
}

// A body that ends with a connection reset or with a broken transfer coding is malformed. It is not an internal error.
func TestConnection_unreadableBodyIsMalformed(t *testing.T) {
	read := make(chan error, 1)
	s := startHandlerServer(t, handlers{"POST /json": func(w http.ResponseWriter, r *httpapi.Request) error {
		r.JSONBody(httpapi.BodyLimit)
		read <- r.Err()
		return r.Err()
	}}, nil)
	head := "POST /json HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
	reset := s.dial()
	reset.send(head + "Content-Length: 10\r\n\r\n{")
	_ = reset.Conn.(*net.TCPConn).SetLinger(0)
	_ = reset.Close()

	if err := <-read; fault.KindOf(err) != fault.Malformed {
		t.Errorf("a body that was reset is %v", err)
	}

	broken := s.dial()
	broken.send(head + "Transfer-Encoding: chunked\r\n\r\nno length\r\n")
	if r, body := broken.receive(); r.StatusCode != 400 || !strings.Contains(body, "body_incomplete") || !r.Close {
		t.Errorf("a broken chunk got %d %s, closing: %t", r.StatusCode, body, r.Close)
	}

	<-read
	if warnings := s.log.WarningsAndErrors(); len(warnings) > 0 {
		t.Errorf("the log has a warning or an error: %v", warnings)
	}
}

// A GET may announce a body that never arrives. When the server has waited too long for it, the context of the
// connection is cancelled. A response that breaks because of that is counted as client_left.
func TestConnection_missingBodyCountsAsClientLeft(t *testing.T) {
	s := startHandlerServer(t, handlers{"GET /file": func(w http.ResponseWriter, r *httpapi.Request) error {
		http.ServeContent(w, r.Request, "file.txt", time.Time{}, &contextFile{strings.NewReader("hello"), r.Context()})
		return nil
	}}, accelerate)
	c := s.dial()
	c.send("GET /file HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n")
	if _, err := io.ReadAll(c.r); err != nil && !errors.Is(err, io.EOF) {
		t.Logf("the connection ends with %v", err) // the server may also reset the connection
	}
	s.waitForAborts("client_left 1")
}

// contextFile is a file whose Read fails once its context is cancelled, like that of a file in remote storage.
type contextFile struct {
	*strings.Reader
	ctx context.Context
}

func (f *contextFile) Read(p []byte) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	return f.Reader.Read(p)
}

// A handler that renders no body is a bug and gets a 500, unless its status is 204 or it has set the Type of the
// response. A Flush without a status sends the status 200.
func TestConnection_emptyRenderedResponseIs500(t *testing.T) {
	respond := func(fill func(out *httpapi.Response)) httpapi.Handler {
		return func(w http.ResponseWriter, r *httpapi.Request) error {
			return r.Respond(w, func(out *httpapi.Response) error {
				fill(out)
				return nil
			})
		}
	}

	s := startHandlerServer(t, handlers{
		"GET /empty":      respond(func(*httpapi.Response) {}),
		"GET /no-content": respond(func(out *httpapi.Response) { out.Status = http.StatusNoContent }),
		"GET /lines":      respond(func(out *httpapi.Response) { out.Type = "application/x-ndjson" }),
		"GET /flushed": func(w http.ResponseWriter, _ *httpapi.Request) error {
			return http.NewResponseController(w).Flush()
		},
	}, nil)
	c := s.dial()
	for path, status := range map[string]int{"/empty": 500, "/no-content": 204, "/lines": 200, "/flushed": 200} {
		c.send("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n")
		if r, body := c.receive(); r.StatusCode != status || (status == 500) != (body != "") {
			t.Errorf("%s: %d %q, want %d", path, r.StatusCode, body, status)
		}
	}
}

// At the limit of all connections, the one that has waited longest for a request makes room. Connections with a request
// in progress are kept.
func TestM8_waitingConnectionsMakeRoom(t *testing.T) {
	release := make(chan struct{})
	busy := make(chan struct{}, 2)
	deps := httpapi.Deps{Log: slog.New(slog.DiscardHandler), Now: time.Now}

	server := &http.Server{ConnContext: httpapi.ConnContext, ConnState: httpapi.ConnState,
		Handler: httpapi.NewServer(deps, []httpapi.Route{
			{Method: "GET", Path: "/hello", Handler: serveHello},
			{Method: "GET", Path: "/busy", Handler: func(w http.ResponseWriter, _ *httpapi.Request) error {
				busy <- struct{}{}
				<-release
				_, err := io.WriteString(w, "done")
				return err
			}},
		})}

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	go func() { _ = server.Serve(httpapi.ListenWithin(listener, httpapi.ConnectionLimits{Total: 2})) }()
	t.Cleanup(func() { _ = server.Close() })
	s := &handlerServer{t: t, address: listener.Addr().String()}
	working, idle := s.dial(), s.dial()
	working.send("GET /busy HTTP/1.1\r\nHost: x\r\n\r\n")
	<-busy
	third := s.dial()
	third.wantHello() // idle was closed

	if _, err := idle.r.ReadByte(); err == nil {
		t.Error("the connection that waited is still open")
	}

	third.send("GET /busy HTTP/1.1\r\nHost: x\r\n\r\n")
	<-busy

	if r, body := s.dial().receive(); r.StatusCode != 503 || !strings.Contains(body, `"overloaded"`) ||
		r.Header.Get("Retry-After") == "" {
		t.Errorf("with two requests in progress, a third connection got %d %s", r.StatusCode, body)
	}

	close(release)
	if _, body := working.receive(); body != "done" {
		t.Errorf("the first request got %q", body)
	}
	if _, body := third.receive(); body != "done" {
		t.Errorf("the second request got %q", body)
	}

	working.wantHello()
}
