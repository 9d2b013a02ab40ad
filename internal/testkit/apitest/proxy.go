package apitest

import (
	"bytes"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// Proxy is a TCP proxy between the program and PostgreSQL that simulates network failures.
type Proxy struct {
	// URL is the URL of the database through the proxy.
	URL string

	target      string
	listener    net.Listener
	mu          sync.Mutex
	conns       map[net.Conn]bool
	refusing    bool
	standby     bool          // refuse write transactions as a standby does
	stalled     chan struct{} // not nil while messages are withheld; closed to release them
	trigger     *trigger
	lastMessage time.Time
	wait        sync.WaitGroup
}

// trigger matches messages of one connection that contain the texts, one text after another.
type trigger struct {
	texts   []string
	forward bool // forward the message with the last text to the server
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

// ActAsStandby makes the server look like a standby, which refuses to begin write transactions, or ends that.
func (p *Proxy) ActAsStandby(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.standby = on
}

func (p *Proxy) actsAsStandby() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.standby
}

// refuseAsStandby responds like a standby to the start of a write transaction.
func refuseAsStandby(client net.Conn) error {
	answer, err := (&pgproto3.ErrorResponse{
		Severity: "ERROR", SeverityUnlocalized: "ERROR", Code: "0A000",
		Message: "cannot set transaction read-write mode during recovery",
	}).Encode(nil)
	if err == nil {
		answer, err = (&pgproto3.ReadyForQuery{TxStatus: 'I'}).Encode(answer)
	}
	if err == nil {
		_, err = client.Write(answer)
	}
	return err
}

// DisconnectAfter closes the next connection that sends messages with these texts, one text after another, after the
// message with the last text: the server handles it, but its response is dropped. Only one connection is affected.
func (p *Proxy) DisconnectAfter(texts ...string) { p.setTrigger(&trigger{texts, true}) }

// DisconnectBefore closes the next connection that sends messages with these texts, one text after another, before the
// server gets the message with the last text. Only one connection is affected.
func (p *Proxy) DisconnectBefore(texts ...string) { p.setTrigger(&trigger{texts, false}) }

// setTrigger sets the trigger as soon as the connections are idle, so that it does not match a message of earlier work.
func (p *Proxy) setTrigger(t *trigger) {
	for {
		p.mu.Lock()
		if time.Since(p.lastMessage) > 200*time.Millisecond {
			p.trigger = t
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
	var sent triggerProgress
	for {
		n, err := from.Read(buffer)
		if stalled := p.stallChannel(); stalled != nil {
			<-stalled
		}

		if fromClient && p.actsAsStandby() && bytes.Contains(buffer[:n], []byte("begin read write")) {
			if refuseAsStandby(from) != nil {
				return
			}
			continue
		}

		if fromClient {
			found, forward := p.takeTrigger(&sent, buffer[:n])
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

// triggerProgress is how many texts of a trigger a connection has sent.
type triggerProgress struct {
	trigger *trigger
	texts   int
}

// takeTrigger reports whether the message completes the trigger, which it then removes, and whether to forward the
// message to the server.
func (p *Proxy) takeTrigger(sent *triggerProgress, message []byte) (found, forward bool) {
	p.mu.Lock()
	defer p.mu.Unlock()

	p.lastMessage = time.Now()
	if p.trigger == nil {
		return false, false
	}

	if sent.trigger != p.trigger {
		*sent = triggerProgress{trigger: p.trigger}
	}

	for sent.texts < len(p.trigger.texts) {
		i := bytes.Index(message, []byte(p.trigger.texts[sent.texts]))
		if i < 0 {
			return false, false
		}
		message = message[i:]
		sent.texts++
	}

	p.trigger = nil
	return true, sent.trigger.forward
}
