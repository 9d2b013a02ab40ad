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

// trick is what a proxy does to the next statement that holds its words.
type trick struct {
	words string
	do    func(c *proxied, message []byte) (goOn bool)
}

// proxy forwards PostgreSQL's protocol on loopback until its trick's turn comes.
type proxy struct {
	target string
	trick  atomic.Pointer[trick]
	done   atomic.Int32 // how often a trick was played
}

// proxied is one connection through the proxy.
type proxied struct {
	client, server net.Conn
	// mute keeps the server's answers from the client; the first ReadyForQuery then ends the connection.
	mute  atomic.Bool
	close func()
}

// startProxy returns a proxy and the address of serverURL's database through it.
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
	p := &proxy{target: u.Host}
	var all sync.WaitGroup
	var mu sync.Mutex
	var open []func()
	all.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", p.target)
			if err != nil {
				client.Close()
				continue
			}
			c := &proxied{client: client, server: server, close: sync.OnceFunc(func() {
				client.Close()
				server.Close()
			})}
			mu.Lock()
			open = append(open, c.close)
			mu.Unlock()
			all.Go(func() { defer c.close(); p.requests(c) })
			all.Go(func() { defer c.close(); p.answers(c) })
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

// play makes the proxy do something to the next statement with these words, once.
func (p *proxy) play(words string, do func(c *proxied, message []byte) bool) {
	p.trick.Store(&trick{words, do})
}

func (p *proxy) requests(c *proxied) {
	first := true
	for {
		m, err := readMessage(c.client, !first)
		if err != nil {
			return
		}
		// Q is a statement of its own (as pgx sends COMMIT), P one that is prepared.
		if t := p.trick.Load(); !first && t != nil && (m[0] == 'Q' || m[0] == 'P') && strings.Contains(string(m), t.words) && p.trick.CompareAndSwap(t, nil) {
			p.done.Add(1)
			if !t.do(c, m) {
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

func (p *proxy) answers(c *proxied) {
	for {
		m, err := readMessage(c.server, true)
		if err != nil {
			return
		}
		if c.mute.Load() {
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

// readMessage reads one message of the protocol, whole; only the first of a client has no type.
func readMessage(r io.Reader, typed bool) ([]byte, error) {
	head := make([]byte, 4, 5)
	if typed {
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

// The tricks.

// cutBefore loses the message.
func cutBefore(*proxied, []byte) bool { return false }

// cutAfter delivers the message and loses the answer.
func cutAfter(c *proxied, m []byte) bool {
	c.mute.Store(true)
	_, err := c.server.Write(m)
	return err == nil
}

// swallow loses the message and leaves the connection open.
func swallow(*proxied, []byte) bool { return true }

// terminate delivers the message and answers as a server does that is shut down at that moment.
func terminate(c *proxied, m []byte) bool {
	c.mute.Store(true)
	fatal := pgproto3.ErrorResponse{
		Severity: "FATAL", SeverityUnlocalized: "FATAL", Code: "57P01", Message: "terminating connection due to administrator command",
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

// refuseWrites answers as a standby does when a transaction wants to write.
func refuseWrites(c *proxied, _ []byte) bool {
	refusal := pgproto3.ErrorResponse{
		Severity: "ERROR", SeverityUnlocalized: "ERROR", Code: "0A000", Message: "cannot set transaction read-write mode during recovery",
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
