package apitest

import (
	"bytes"
	"net"
	"net/url"
	"sync"
	"testing"
)

// Proxy stands between the program and its PostgreSQL and breaks what a network breaks.
type Proxy struct {
	// URL is that of the database, by way of the proxy.
	URL string

	tb       testing.TB
	target   string
	listener net.Listener
	mu       sync.Mutex
	conns    map[net.Conn]bool
	refusing bool
	deaf     chan struct{} // not nil while nothing is passed on; closed when it is again
	cutAfter []byte
	wait     sync.WaitGroup
}

// NewProxy listens on loopback until tb ends.
func NewProxy(tb testing.TB, database string) *Proxy {
	tb.Helper()
	u, err := url.Parse(database)
	if err != nil {
		tb.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	p := &Proxy{tb: tb, target: u.Host, listener: listener, conns: map[net.Conn]bool{}}
	u.Host = listener.Addr().String()
	p.URL = u.String()
	p.wait.Go(p.accept)
	tb.Cleanup(func() {
		_ = listener.Close()
		p.Hear()
		p.Cut()
		p.wait.Wait()
	})
	return p
}

// Cut ends all connections and refuses new ones until Mend.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refusing = true
	p.drop()
}

// drop ends all connections; the caller holds the lock.
func (p *Proxy) drop() {
	for c := range p.conns {
		_ = c.Close()
		delete(p.conns, c)
	}
}

// Mend takes connections again.
func (p *Proxy) Mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refusing = false
}

// Deafen passes nothing on until Hear, though connections stay open: a machine that hangs, a cable that was pulled.
func (p *Proxy) Deafen() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.deaf == nil {
		p.deaf = make(chan struct{})
	}
}

// Hear passes everything on again.
func (p *Proxy) Hear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.deaf != nil {
		close(p.deaf)
		p.deaf = nil
	}
}

// CutAfter lets the next message that holds text reach the server and then ends that connection before its answer comes back, once.
func (p *Proxy) CutAfter(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cutAfter = []byte(text)
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.target)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		if p.refusing {
			_, _ = client.Close(), server.Close()
		} else {
			p.conns[client], p.conns[server] = true, true
			p.wait.Go(func() { p.pass(server, client, true) })
			p.wait.Go(func() { p.pass(client, server, false) })
		}
		p.mu.Unlock()
	}
}

// pass copies one direction of a connection and ends both with it.
func (p *Proxy) pass(to, from net.Conn, fromClient bool) {
	defer from.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if deaf := p.hearing(); deaf != nil {
			<-deaf
		}
		if fromClient && p.cutsAfter(buffer[:n]) {
			_ = from.Close()
			_, _ = to.Write(buffer[:n])
			return // the answer finds nobody, and that ends the connection to the server
		}
		if n > 0 {
			if _, writeErr := to.Write(buffer[:n]); writeErr != nil {
				err = writeErr
			}
		}
		if err != nil {
			_ = to.Close()
			return
		}
	}
}

func (p *Proxy) hearing() chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.deaf
}

func (p *Proxy) cutsAfter(message []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cutAfter == nil || !bytes.Contains(message, p.cutAfter) {
		return false
	}
	p.cutAfter = nil
	return true
}
