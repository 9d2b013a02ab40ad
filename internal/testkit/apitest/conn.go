package apitest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// Conn is a client that sends its requests one after the other on a single connection, which it keeps open as long as
// the server does. It sends each request once, whereas the transport of net/http may resend a request when an idle
// connection turns out to be closed. It is not safe for concurrent use.
type Conn struct {
	*Server // its methods send requests on the connection

	conn   net.Conn // nil if not connected
	reader *bufio.Reader
	dials  int
}

// NewConn returns a client that connects with its first request. Its connection is closed when the test ends.
func (s *Server) NewConn() *Conn {
	c := &Conn{Server: s.WithTB(s.tb)}
	c.client = &http.Client{Transport: c, CheckRedirect: s.client.CheckRedirect}
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

// RoundTrip sends a request and reads the whole response. It returns an error if the connection breaks first. It is
// then unknown whether the server handled the request.
func (c *Conn) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := c.exchange(request)
	if err != nil {
		c.Close()
	}
	return response, err
}

func (c *Conn) exchange(request *http.Request) (*http.Response, error) {
	if c.conn == nil {
		conn, err := net.Dial("tcp", request.URL.Host)
		if err != nil {
			return nil, err
		}
		c.conn, c.reader = conn, bufio.NewReader(conn)
		c.dials++
	}

	if n := c.reader.Buffered(); n > 0 {
		return nil, fmt.Errorf("the last response was followed by %d bytes that belong to no request", n)
	}

	// The deadline exceeds the time of any response. It lets the test fail, not hang, if the server never responds.
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

	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("read the body: %w", err)
	}

	if response.Close || writeErr != nil {
		c.Close()
	}

	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}
