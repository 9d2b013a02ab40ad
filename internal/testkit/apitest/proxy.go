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

// Proxy is a TCP proxy between the program and PostgreSQL that simulates network failures.
type Proxy struct {
	// URL is the URL of the database through the proxy.
	URL string

	target         string
	listener       net.Listener
	mu             sync.Mutex
	conns          map[net.Conn]bool
	refusing       bool
	stalled        chan struct{} // not nil while messages are withheld; closed to release them
	trigger        []byte
	forwardTrigger bool // forward the message with trigger to the server
	lastMessage    time.Time
	wait           sync.WaitGroup
}

// NewProxy starts a proxy to the given database. It listens on loopback until the test ends.
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
	p := &Proxy{target: u.Host, listener: listener, conns: map[net.Conn]bool{}}
	u.Host = listener.Addr().String()
	p.URL = u.String()
	p.wait.Go(p.accept)
	tb.Cleanup(func() {
		_ = listener.Close()
		p.Resume()
		p.Disable()
		p.wait.Wait()
	})
	return p
}

// Disable closes all connections and refuses new ones.
func (p *Proxy) Disable() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refusing = true
	p.closeConns()
}

// closeConns closes all connections. The caller holds p.mu.
func (p *Proxy) closeConns() {
	for c := range p.conns {
		_ = c.Close()
		delete(p.conns, c)
	}
}

// Enable accepts connections again.
func (p *Proxy) Enable() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refusing = false
}

// Stall withholds all messages and keeps the connections open, like a server that hangs or a network cable that was
// pulled.
func (p *Proxy) Stall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stalled == nil {
		p.stalled = make(chan struct{})
	}
}

// Resume forwards messages again.
func (p *Proxy) Resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stalled != nil {
		close(p.stalled)
		p.stalled = nil
	}
}

// DisconnectAfter closes a connection after the next message that contains text: the server handles the message, but
// its response is dropped. Only one message is affected.
func (p *Proxy) DisconnectAfter(text string) { p.setTrigger(text, true) }

// DisconnectBefore closes a connection at the next message that contains text, before the server gets the message.
// Only one message is affected.
func (p *Proxy) DisconnectBefore(text string) { p.setTrigger(text, false) }

// setTrigger sets the trigger as soon as the connections are idle, so that it does not match a message of a background
// worker.
func (p *Proxy) setTrigger(text string, forward bool) {
	for {
		p.mu.Lock()
		if time.Since(p.lastMessage) > 200*time.Millisecond {
			p.trigger, p.forwardTrigger = []byte(text), forward
			p.mu.Unlock()
			return
		}
		p.mu.Unlock()
		time.Sleep(20 * time.Millisecond) // no event says that connections are idle, so poll
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
			dropResponse := new(atomic.Bool) // drop the next response and close the connection
			p.wait.Go(func() { p.copyMessages(server, client, true, dropResponse) })
			p.wait.Go(func() { p.copyMessages(client, server, false, dropResponse) })
		}
		p.mu.Unlock()
	}
}

// copyMessages copies one direction of a connection. At the end it closes both directions.
func (p *Proxy) copyMessages(to, from net.Conn, fromClient bool, dropResponse *atomic.Bool) {
	defer func() { _, _ = to.Close(), from.Close() }()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if stalled := p.stallChannel(); stalled != nil {
			<-stalled
		}
		if fromClient {
			found, forward := p.takeTrigger(buffer[:n])
			if found && !forward {
				return
			}
			dropResponse.Store(found)
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

// takeTrigger reports whether the message contains the trigger, which it then removes, and whether to forward the
// message to the server.
func (p *Proxy) takeTrigger(message []byte) (found, forward bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lastMessage = time.Now()
	if p.trigger == nil || !bytes.Contains(message, p.trigger) {
		return false, false
	}
	p.trigger = nil
	return true, p.forwardTrigger
}
