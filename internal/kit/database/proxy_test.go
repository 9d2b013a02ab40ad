package database_test

import (
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// interception tells a proxy how to handle the next statement that contains a given text.
type interception struct {
	text   string
	handle func(c *proxyConn, message []byte) (goOn bool)
}

// proxy forwards the PostgreSQL protocol on loopback and can intercept one statement.
type proxy struct {
	target      atomic.Pointer[string] // the address of the server
	next        atomic.Pointer[interception]
	intercepted atomic.Int32 // how many statements were intercepted
	// dropNotifications makes the proxy drop notifications, and notificationsDropped counts them.
	dropNotifications    atomic.Bool
	notificationsDropped atomic.Int32
}

// proxyConn is one connection through the proxy.
type proxyConn struct {
	client, server net.Conn
	// dropResponses makes the proxy drop the server's responses. It closes the connection at the next ReadyForQuery.
	dropResponses atomic.Bool
	close         func()
}

// lead makes new connections lead to another server. Open connections stay.
func (p *proxy) lead(t *testing.T, serverURL string) {
	t.Helper()
	u, err := url.Parse(serverURL)
	if err != nil {
		t.Fatal(err)
	}
	p.target.Store(&u.Host)
}

// startProxy returns a proxy and the URL of the database through this proxy.
func startProxy(t *testing.T, serverURL string) (*proxy, string) {
	t.Helper()
	u, err := url.Parse(serverURL)
	if err != nil {
		t.Fatal(err)
	}

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	p := &proxy{}
	p.lead(t, serverURL)
	var all sync.WaitGroup
	var mu sync.Mutex
	var open []func()

	all.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}

			server, err := net.Dial("tcp", *p.target.Load())
			if err != nil {
				client.Close()
				continue
			}

			c := &proxyConn{client: client, server: server, close: sync.OnceFunc(func() {
				client.Close()
				server.Close()
			})}
			mu.Lock()
			open = append(open, c.close)
			mu.Unlock()
			all.Go(func() { defer c.close(); p.forwardRequests(c) })
			all.Go(func() { defer c.close(); p.forwardResponses(c) })
		}
	})

	t.Cleanup(func() {
		l.Close()
		mu.Lock()
		for _, c := range open {
			c()
		}
		mu.Unlock()
		all.Wait()
	})

	u.Host = l.Addr().String()
	return p, u.String()
}

// intercept makes the proxy call the function handle for the next statement that contains the given text, and only for
// that one.
func (p *proxy) intercept(text string, handle func(c *proxyConn, message []byte) bool) {
	p.next.Store(&interception{text, handle})
}

func (p *proxy) forwardRequests(c *proxyConn) {
	first := true
	for {
		m, err := readMessage(c.client, !first)
		if err != nil {
			return
		}

		// Q is a simple query (as pgx sends COMMIT), P the Parse message of a prepared statement.
		if i := p.next.Load(); !first && i != nil && (m[0] == 'Q' || m[0] == 'P') &&
			strings.Contains(string(m), i.text) && p.next.CompareAndSwap(i, nil) {
			p.intercepted.Add(1)
			if !i.handle(c, m) {
				return
			}
			continue
		}

		first = false
		if _, err := c.server.Write(m); err != nil {
			return
		}
	}
}

func (p *proxy) forwardResponses(c *proxyConn) {
	for {
		m, err := readMessage(c.server, true)
		if err != nil {
			return
		}

		if m[0] == 'A' && p.dropNotifications.Load() {
			p.notificationsDropped.Add(1)
			continue
		}

		if c.dropResponses.Load() {
			if m[0] == 'Z' {
				return
			}
			continue
		}

		if _, err := c.client.Write(m); err != nil {
			return
		}
	}
}

// readMessage reads one protocol message. Only the first message of a client has no type byte.
func readMessage(r io.Reader, hasType bool) ([]byte, error) {
	head := make([]byte, 4, 5)
	if hasType {
		head = head[:5]
	}
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	m := make([]byte, len(head)+int(binary.BigEndian.Uint32(head[len(head)-4:]))-4)
	copy(m, head)
	_, err := io.ReadFull(r, m[len(head):])
	return m, err
}

// The handlers for intercept. They return false to close the connection.

// cutBeforeRequest closes the connection without forwarding the request.
func cutBeforeRequest(*proxyConn, []byte) bool { return false }

// cutBeforeResponse forwards the request, drops the response, and closes the connection.
func cutBeforeResponse(c *proxyConn, m []byte) bool {
	c.dropResponses.Store(true)
	_, err := c.server.Write(m)
	return err == nil
}

// ignoreRequest drops the request and keeps the connection open.
func ignoreRequest(*proxyConn, []byte) bool { return true }

// terminateSession forwards the request, but responds like a server that is shutting down.
func terminateSession(c *proxyConn, m []byte) bool {
	c.dropResponses.Store(true)
	fatal := pgproto3.ErrorResponse{
		Severity: "FATAL", SeverityUnlocalized: "FATAL", Code: "57P01",
		Message: "terminating connection due to administrator command",
	}
	answer, err := fatal.Encode(nil)
	if err != nil {
		return false
	}
	if _, err := c.client.Write(answer); err != nil {
		return false
	}
	_, err = c.server.Write(m)
	return err == nil
}

// refuseAsStandby responds like a standby to the start of a write transaction.
func refuseAsStandby(c *proxyConn, _ []byte) bool {
	refusal := pgproto3.ErrorResponse{
		Severity: "ERROR", SeverityUnlocalized: "ERROR", Code: "0A000",
		Message: "cannot set transaction read-write mode during recovery",
	}
	answer, err := refusal.Encode(nil)
	if err != nil {
		return false
	}
	answer, err = (&pgproto3.ReadyForQuery{TxStatus: 'I'}).Encode(answer)
	if err != nil {
		return false
	}
	_, err = c.client.Write(answer)
	return err == nil
}
