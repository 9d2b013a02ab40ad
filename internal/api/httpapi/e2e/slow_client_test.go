package e2e

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/internal/api/exchangeapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

// fastListener is a listener that divides the deadlines of its connections by 200. A timeout of one minute becomes 300
// ms.
type fastListener struct{ net.Listener }

type fastConn struct{ net.Conn }

func (l fastListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(16 << 10) // otherwise the kernel would buffer megabytes for a client that does not read
	}
	return fastConn{c}, err
}

func shorten(t time.Time) time.Time {
	if left := time.Until(t); left > 0 {
		return time.Now().Add(left / fastFactor)
	}
	return t
}

func (c fastConn) SetReadDeadline(t time.Time) error  { return c.Conn.SetReadDeadline(shorten(t)) }
func (c fastConn) SetWriteDeadline(t time.Time) error { return c.Conn.SetWriteDeadline(shorten(t)) }

// dialFastServer serves the API of s on a fastListener and returns a connection to it.
func dialFastServer(t *testing.T, s *apitest.Server) net.Conn {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: exchangeapi.HideToken(s.App.API())}
	go func() { _ = server.Serve(fastListener{listener}) }()
	t.Cleanup(func() { _ = server.Close() })
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	return conn
}

// fastFactor is by how much a fastListener shortens timeouts. A client on a busy machine must still keep within them.
const fastFactor = 50

// fastIdleTimeout is how long a client may pause: clientIdleTimeout, as shortened by a fastListener.
const fastIdleTimeout = 60 * time.Second / fastFactor

// A client that stops sending its body gets a 408. A client that sends a short body slowly is served.
func TestSlowClient_stalledBodyIs408AndSlowBodyIsRead(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite)
	head := "POST " + optionsPath + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + s.Secret +
		"\r\nContent-Type: application/json\r\nContent-Length: 81\r\n\r\n"
	body := `{"name": "slow body"}` + strings.Repeat(" ", 60)

	conn := dialFastServer(t, s)
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.WriteString(conn, head+body[:10]); err != nil {
		t.Fatal(err)
	}

	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(response.Body)
	if response.StatusCode != 408 || !strings.Contains(string(text), "body_too_slow") {
		t.Errorf("a body that stops got %d %s", response.StatusCode, text)
	}

	conn = dialFastServer(t, s)
	if _, err := io.WriteString(conn, head); err != nil {
		t.Fatal(err)
	}

	// The 81 pauses take 2.7 times the idle timeout in total, but each is only a small part of it. The test must sleep:
	// connection deadlines use real time. In real time the body takes less than bodyGracePeriod.
	for i := range body {
		time.Sleep(fastIdleTimeout / 30)
		if _, err := io.WriteString(conn, body[i:i+1]); err != nil {
			t.Fatal(err)
		}
	}

	if response, err = http.ReadResponse(bufio.NewReader(conn), nil); err != nil || response.StatusCode != 201 {
		t.Fatalf("a slow body got %v, %v", response, err)
	}
	if got := s.Get(optionsPath).Texts("data", "name"); len(got) != 1 || got[0] != "slow body" {
		t.Errorf("the options are %q, want one named slow body", got)
	}
}

// The response to a push whose client stops sending names the items that failed, although the context of the connection
// was cancelled.
func TestSlowClient_stalledPushReportsFailedItems(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite)
	conn := dialFastServer(t, s)
	body := `{"id": 1, "name": {}}` + "\n"

	head := "POST /v2/sync-gate/products HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + s.Exchange + "\r\n" +
		"Content-Type: application/x-ndjson\r\nContent-Length: 1000\r\n\r\n"
	if _, err := io.WriteString(conn, head+body); err != nil {
		t.Fatal(err)
	}

	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(response.Body)
	if response.StatusCode != 400 || !strings.Contains(string(text), "body_incomplete") || !response.Close {
		t.Errorf("a push that stops got %d %s", response.StatusCode, text)
	}
	if !strings.Contains(string(text), `"failed":1`) || !strings.Contains(string(text), `"field":"name"`) {
		t.Errorf("the report does not name the item that failed: %s", text)
	}
}

// A request whose handler does not read the body gets its response although the body never arrives: the server waits
// for it no longer than drainTimeout, so that such requests hold no resources for long.
func TestSlowClient_missingBodyDoesNotDelayResponse(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite)
	for _, c := range []struct {
		line   string
		status int
	}{
		{"POST /v2/nothing", 404}, {"PATCH " + optionsPath, 405}, {"POST " + optionsPath, 401},
		{"GET " + optionsPath, 401}, {"GET /openapi.json", 200},
	} {
		for _, length := range []string{"Content-Length: 100", "Transfer-Encoding: chunked"} {
			conn := dialFastServer(t, s)
			_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
			if _, err := io.WriteString(conn,
				c.line+" HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"+length+"\r\n\r\n"); err != nil {
				t.Fatal(err)
			}

			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Errorf("%s, %s: %v", c.line, length, err)
			} else if response.StatusCode != c.status {
				t.Errorf("%s, %s: %d, want %d", c.line, length, response.StatusCode, c.status)
			}
		}
	}
}

// A client that stops reading the response is disconnected. It holds neither the connection nor the database.
func TestSlowClient_stalledReaderIsDisconnected(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite, apitest.Alone())
	var b strings.Builder
	b.WriteString(`{"name": "x", "values": [{"name": "0"}`)

	for range 5_000 { // the response is longer than the socket buffers of both ends
		b.WriteString(`,{"name": "` + strings.Repeat("v", 250) + `"}`)
	}

	path := optionsPath + "/" + s.OK(201, "POST", optionsPath, b.String()+`]}`).Text("data.id") + "?with=values"
	conn := dialFastServer(t, s)
	_ = conn.(*net.TCPConn).SetReadBuffer(16 << 10)
	if _, err := io.WriteString(conn,
		"GET "+path+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+s.Secret+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}

	logged := func() bool {
		for _, line := range s.Log.Lines("request") {
			if line["route"] == "GET /v2/variant-options/{id}" {
				return true
			}
		}
		return false
	}
	storetest.Eventually(t, "the request of a client that does not read ends", logged)

	// The client can see that the rest of the response is missing.
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return // the client received nothing
	}
	if n, err := io.Copy(io.Discard, response.Body); err == nil {
		t.Errorf("the client received %d bytes, and the response looks complete", n)
	}
}
