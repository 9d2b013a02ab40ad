package apitest

import (
	"bytes"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Proxy stands between the program and its PostgreSQL and breaks what a network breaks.
type Proxy struct {
	// URL is that of the database, by way of the proxy.
	URL string

	tb             testing.TB
	target         string
	listener       net.Listener
	mu             sync.Mutex
	conns          map[net.Conn]bool
	refusing       bool
	stalled        chan struct{} // not nil while nothing is passed on; closed when it is again
	trigger        []byte
	forwardTrigger bool // whether the message with trigger does
	lastMessage    time.Time
	wait           sync.WaitGroup
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
	p.closeConns()
}

// closeConns ends all connections; the caller holds the lock.
func (p *Proxy) closeConns() {
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
	if p.stalled == nil {
		p.stalled = make(chan struct{})
	}
}

// Hear passes everything on again.
func (p *Proxy) Hear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stalled != nil {
		close(p.stalled)
		p.stalled = nil
	}
}

// CutAfter ends a connection when the next message that holds text has reached the server and was answered, before the answer passes. Once.
func (p *Proxy) CutAfter(text string) { p.setTrigger(text, true) }

// CutBefore ends a connection when the next message that holds text comes, before it reaches the server. Once.
func (p *Proxy) CutBefore(text string) { p.setTrigger(text, false) }

// setTrigger waits until nothing goes on any more, so that it is not the work of a worker that is cut.
func (p *Proxy) setTrigger(text string, arrives bool) {
	for {
		p.mu.Lock()
		if time.Since(p.lastMessage) > 200*time.Millisecond {
			p.trigger, p.forwardTrigger = []byte(text), arrives
			p.mu.Unlock()
			return
		}
		p.mu.Unlock()
		time.Sleep(20 * time.Millisecond)
	}
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
			dropResponse := new(atomic.Bool) // with the next answer
			p.wait.Go(func() { p.copyMessages(server, client, true, dropResponse) })
			p.wait.Go(func() { p.copyMessages(client, server, false, dropResponse) })
		}
		p.mu.Unlock()
	}
}

// copyMessages copies one direction of a connection and ends both with it.
func (p *Proxy) copyMessages(to, from net.Conn, fromClient bool, dropResponse *atomic.Bool) {
	defer func() { _, _ = to.Close(), from.Close() }()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if stalled := p.stallChannel(); stalled != nil {
			<-stalled
		}
		if fromClient {
			cut, arrives := p.takeTrigger(buffer[:n])
			if cut && !arrives {
				return
			}
			dropResponse.Store(cut)
		} else if dropResponse.Load() {
			return
		}
		if _, writeErr := to.Write(buffer[:n]); err != nil || writeErr != nil {
			return
		}
	}
}

func (p *Proxy) stallChannel() chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stalled
}

// takeTrigger reports whether the connection is to be cut at this message, and whether the message shall arrive.
func (p *Proxy) takeTrigger(message []byte) (cut, arrives bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lastMessage = time.Now()
	if p.trigger == nil || !bytes.Contains(message, p.trigger) {
		return false, false
	}
	p.trigger = nil
	return true, p.forwardTrigger
}
