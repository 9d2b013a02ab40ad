package apitest

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// Conn is a client that sends its requests one after the other on a single connection, which it keeps open as long as
// the server does. It never sends a request twice, as an http.Client may do when a kept connection turns out to be
// closed. It is not safe for concurrent use.
type Conn struct {
	server *Server
	conn   net.Conn // nil if not connected
	reader *bufio.Reader
	dials  int
}

// NewConn returns a client that connects with its first request. Its connection is closed when the test ends.
func (s *Server) NewConn() *Conn {
	c := &Conn{server: s}
	s.tb.Cleanup(c.Close)
	return c
}

// Dials returns how many connections the client has opened so far.
func (c *Conn) Dials() int { return c.dials }

// Close closes the connection. The next request opens another.
func (c *Conn) Close() {
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}

// Do sends a request on this connection and reads the response. The arguments are those of the Do of the server.
func (c *Conn) Do(method, path string, body any, options ...RequestOption) *Response {
	c.server.tb.Helper()
	r, err := c.Try(method, path, body, options...)
	if err != nil {
		c.server.tb.Fatalf("%s %s: %v", method, path, err)
	}
	return r
}

// OK is Do for requests that must succeed with this status.
func (c *Conn) OK(status int, method, path string, body any, options ...RequestOption) *Response {
	c.server.tb.Helper()
	r := c.Do(method, path, body, options...)
	if r.Status != status {
		c.server.tb.Fatalf("%s %s: got %d, want %d: %s", method, path, r.Status, status, truncate(r.Body))
	}
	return r
}

// Try is Do for requests that may fail without a response. It returns an error if the connection broke before the whole
// response was read. In that case it is unknown whether the server handled the request.
func (c *Conn) Try(method, path string, body any, options ...RequestOption) (*Response, error) {
	c.server.tb.Helper()
	if method != http.MethodGet && method != http.MethodHead {
		c.server.dumps.set(nil)
	}
	r, err := c.roundTrip(c.server.request(method, c.server.URL+path, body, options))
	if err != nil {
		c.Close()
		return nil, err
	}
	r.check()
	return r, nil
}

func (c *Conn) roundTrip(request *http.Request) (*Response, error) {
	if c.conn == nil {
		conn, err := net.Dial("tcp", strings.TrimPrefix(c.server.URL, "http://"))
		if err != nil {
			return nil, err
		}
		c.conn, c.reader = conn, bufio.NewReader(conn)
		c.dials++
	}
	if n := c.reader.Buffered(); n > 0 {
		return nil, fmt.Errorf("the last response was followed by %d bytes that belong to no request", n)
	}
	// Longer than any response may take, so that a server that does not respond fails the test instead of hanging it.
	if err := c.conn.SetDeadline(time.Now().Add(3 * time.Minute)); err != nil {
		return nil, err
	}
	writeErr := request.Write(c.conn)
	// A server may respond before it has read the whole request.
	response, err := http.ReadResponse(c.reader, request)
	if err != nil {
		return nil, errors.Join(writeErr, err)
	}
	defer response.Body.Close()
	r, err := newResponse(c.server.tb, request.Method, request.URL.RequestURI(), response)
	if err != nil {
		return nil, err
	}
	if response.Close || writeErr != nil {
		c.Close()
	}
	return r, nil
}
