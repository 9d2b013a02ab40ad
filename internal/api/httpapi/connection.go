package httpapi

import (
	"container/list"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/memory"
)

const (
	// connectionMemory is the approximate memory of a connection with a request of ordinary headers, in bytes.
	connectionMemory = 64 << 10
	// freeHeaderBytes of the headers are part of connectionMemory. Each byte beyond them costs headerFactor bytes: many
	// short query parameters take about 12 times their length, since each becomes an entry of a map with a slice and
	// two strings.
	freeHeaderBytes = 4 << 10
	headerFactor    = 12
	// maxLingering is how many refused connections may stay open for a moment, so that their clients can read why.
	maxLingering = 256
)

// ConnectionLimits are the limits of a listener.
type ConnectionLimits struct {
	// Total and PerAddress are how many connections may be open at the same time; 0 means no limit.
	Total, PerAddress int
	// Exempt are the networks whose addresses have no limit of their own, such as those of proxies.
	Exempt []netip.Prefix
	// Memory is the share for connections and the headers of requests; nil means no limit.
	Memory *memory.Share
	// Refused is called for each connection that is refused, with the reason: total, address or memory. It may be nil.
	Refused func(reason string)
}

// ListenWithin wraps a listener so that its connections record whether the client closed them, and limits the
// connections. At a limit of an address or of all connections, the connection that has been waiting longest for a
// request is closed. If all of them have a request in progress, the new one gets a 429 or a 503. These responses are
// sent without waiting for a request; past maxLingering of them at once, a client may see a reset connection instead.
// The http.Server that serves the listener must use ConnContext and ConnState.
func ListenWithin(l net.Listener, limits ConnectionLimits) net.Listener {
	return &clientListener{Listener: l, limits: limits, byAddress: map[string]int{}, waiting: list.New()}
}

type clientListener struct {
	net.Listener
	limits ConnectionLimits

	mu        sync.Mutex
	open      int
	byAddress map[string]int
	waiting   *list.List // the connections without a request in progress, the longest waiting first

	lingering atomic.Int64 // refused connections whose request is still being discarded
}

// Accept implements net.Listener.
func (l *clientListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		tcp, ok := c.(*net.TCPConn)
		if err != nil || !ok {
			return c, err
		}
		conn := &clientConnection{TCPConn: tcp, listener: l}
		refusal := l.add(conn)
		if refusal == nil {
			return conn, nil
		}
		l.sendRefusal(conn, refusal)
	}
}

// sendRefusal sends the response to a connection that is refused, and closes it.
func (l *clientListener) sendRefusal(c *clientConnection, response []byte) {
	if l.lingering.Add(1) > maxLingering {
		l.lingering.Add(-1)
		_, _ = c.TCPConn.Write(response) // the socket buffer is empty, so this does not block
		_ = c.TCPConn.Close()
		return
	}

	go func() {
		defer l.lingering.Add(-1)
		c.refuse(response)
		_ = c.TCPConn.Close()
	}()
}

// add counts a new connection. If it exceeds a limit, add returns the response to it.
func (l *clientListener) add(c *clientConnection) (refusal []byte) {
	address := c.RemoteAddr().String()
	isExempt := true
	if a, ok := parseAddress(address); ok {
		isExempt = trustedProxies(l.limits.Exempt).contain(a)
	}

	if c.address = limiterKey(address); isExempt {
		c.held = l.limits.Memory.Open(memory.Owner{})
	} else {
		c.held = l.limits.Memory.Open(memory.Owner{Address: c.address})
	}

	l.mu.Lock()
	defer l.mu.Unlock()

	if most := l.limits.PerAddress; most > 0 && !isExempt && l.byAddress[c.address] >= most &&
		!l.closeLongestWaiting(c.address, c) {
		return l.refuse("address", http.StatusTooManyRequests)
	}

	if most := l.limits.Total; most > 0 && l.open >= most && !l.closeLongestWaiting("", c) {
		return l.refuse("total", http.StatusServiceUnavailable)
	}

	err := c.held.Grow(connectionMemory)
	for fault.KindOf(err) == fault.TooMany && l.closeLongestWaiting(c.address, c) {
		err = c.held.Grow(connectionMemory)
	}

	if fault.KindOf(err) == fault.Unavailable && l.closeLongestWaiting("", c) {
		err = c.held.Grow(connectionMemory)
	}

	if err != nil {
		return l.refuse("memory", StatusOf(fault.KindOf(err)))
	}

	l.open++
	l.byAddress[c.address]++
	c.place = l.waiting.PushBack(c)

	return nil
}

func (l *clientListener) refuse(reason string, status int) []byte {
	if l.limits.Refused != nil {
		l.limits.Refused(reason)
	}
	return connectionRefusal(status)
}

// closeLongestWaiting closes the connection of an address that has been waiting longest for a request, and reports
// whether there was one. The address "" means all addresses. It never closes keep, the connection that needs the room.
// The caller holds the lock.
func (l *clientListener) closeLongestWaiting(address string, keep *clientConnection) bool {
	for e := l.waiting.Front(); e != nil; e = e.Next() {
		c := e.Value.(*clientConnection)
		if c != keep && (address == "" || c.address == address) {
			l.remove(c)
			_ = c.TCPConn.Close() // net/http notices, and calls c.Close
			return true
		}
	}
	return false
}

// makeRoom closes another connection of the same address that waits for a request, and reports whether there was one.
func (l *clientListener) makeRoom(c *clientConnection) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closeLongestWaiting(c.address, c)
}

// remove stops counting a connection. The caller holds the lock.
func (l *clientListener) remove(c *clientConnection) {
	if c.removed {
		return
	}
	c.removed = true
	l.open--
	if l.byAddress[c.address]--; l.byAddress[c.address] == 0 {
		delete(l.byAddress, c.address)
	}
	if c.place != nil {
		l.waiting.Remove(c.place)
		c.place = nil
	}
	c.releaseMemory()
}

// setWaiting notes whether the connection waits for a request or for the rest of its headers.
func (l *clientListener) setWaiting(c *clientConnection, waits bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case c.removed || waits == (c.place != nil):
	case waits:
		c.place = l.waiting.PushBack(c)
	default:
		l.waiting.Remove(c.place)
		c.place = nil
	}
}

// clientConnection is a TCP connection that records whether the client closed it.
type clientConnection struct {
	*net.TCPConn
	clientClosed atomic.Bool // the client closed the connection, or the network lost it

	listener *clientListener
	address  string
	// place is the place in the listener's list of waiting connections; nil during a request. removed means that the
	// connection is not counted any more. Both belong to the listener's lock.
	place   *list.Element
	removed bool

	handling atomic.Bool // a handler runs, or its response is being sent

	mu          sync.Mutex
	held        *memory.Grant
	headerBytes int64 // how many bytes were read since the last request
	lines       headerLines
	closed      bool // nothing more may be acquired
}

// Read implements net.Conn. After a failed Read, net/http cancels the context of the request, whatever the error.
// Deadline errors and net.ErrClosed are caused by the server; any other error means that the client disconnected.
func (c *clientConnection) Read(b []byte) (int, error) {
	n, err := c.TCPConn.Read(b)
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, net.ErrClosed) {
		c.clientClosed.Store(true)
	}

	if !c.handling.Load() {
		if !c.countLines(b[:n]) {
			c.refuse(headerLinesRefusal())
			return 0, errHeaderLines
		}

		refused := c.holdHeaders(n)
		for fault.KindOf(refused) == fault.TooMany && c.listener.makeRoom(c) {
			refused = c.holdHeaders(0)
		}

		if refused != nil {
			c.refuse(connectionRefusal(StatusOf(fault.KindOf(refused))))
			return 0, refused
		}
	}

	return n, err
}

// refuse sends the response to a request whose headers are refused, and nothing afterwards: net/http would send a
// second response for the error that Read returns. It then reads and discards the rest of the request for a moment,
// since closing a connection with unread bytes resets it, and the client might lose the response.
func (c *clientConnection) refuse(response []byte) {
	if _, err := c.TCPConn.Write(response); err != nil {
		return
	}
	_ = c.CloseWrite()
	_ = c.SetReadDeadline(time.Now().Add(lingerTimeout))
	_, _ = io.CopyN(io.Discard, c.TCPConn, maxDrainBytes)
}

// countLines counts the lines of the headers in b, and reports whether there are not too many.
func (c *clientConnection) countLines(b []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lines.add(b)
}

// holdHeaders acquires the memory of n more bytes of headers, or returns a fault.
func (c *clientConnection) holdHeaders(n int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.headerBytes += int64(n)
	if c.closed || c.headerBytes <= freeHeaderBytes {
		return nil
	}
	return c.held.Grow(connectionMemory + (c.headerBytes-freeHeaderBytes)*headerFactor)
}

func (c *clientConnection) releaseMemory() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.held.Release()
}

// Write implements net.Conn. While no handler runs, net/http writes only its own short error responses, which Write
// replaces by problems.
func (c *clientConnection) Write(b []byte) (int, error) {
	if !c.handling.Load() {
		if problem := problemFor(b); problem != nil {
			_, err := c.TCPConn.Write(problem)
			return len(b), err
		}
	}
	return c.TCPConn.Write(b)
}

// Close implements net.Conn.
func (c *clientConnection) Close() error {
	c.listener.mu.Lock()
	c.listener.remove(c)
	c.listener.mu.Unlock()
	return c.TCPConn.Close()
}

type connectionKey struct{}

// ConnContext is for http.Server.ConnContext. It stores the connection in the context of its requests.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	if c, ok := c.(*clientConnection); ok {
		return context.WithValue(ctx, connectionKey{}, c)
	}
	return ctx
}

// ConnState is for http.Server.ConnState. After a response, the connection waits for the next request.
func ConnState(c net.Conn, state http.ConnState) {
	if c, ok := c.(*clientConnection); ok && state == http.StateIdle {
		c.mu.Lock()
		c.headerBytes = 0
		c.lines = headerLines{}
		c.held.Shrink(connectionMemory)
		c.mu.Unlock()
		c.handling.Store(false)
		c.listener.setWaiting(c, true)
	}
}

// beginHandling notes that the handler of a request runs on its connection.
func beginHandling(ctx context.Context) {
	if c, ok := ctx.Value(connectionKey{}).(*clientConnection); ok {
		c.handling.Store(true)
		c.listener.setWaiting(c, false)
	}
}

// clientDisconnected reports whether the client closed the connection of the request that ctx belongs to. For a
// connection that was not accepted through Listen it reports whether the context was cancelled.
func clientDisconnected(ctx context.Context) bool {
	if c, ok := ctx.Value(connectionKey{}).(*clientConnection); ok {
		return c.clientClosed.Load()
	}
	return connectionCancelled(ctx)
}

// connectionCancelled reports whether the context of a request was cancelled. Its connection cannot carry another
// request then.
func connectionCancelled(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }
