package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// plainClient sends HTTP/1.1 requests that are ready to be written. It needs a fraction of the processor time of
// http.Client: a client that sends thousands of requests a second shares the machine with the server.
type plainClient struct {
	address string
	idle    chan *plainConnection
}

type plainConnection struct {
	net.Conn
	responses *bufio.Reader
}

func newPlainClient(url string) *plainClient {
	return &plainClient{address: strings.TrimPrefix(url, "http://"), idle: make(chan *plainConnection, overloadClients)}
}

// send writes a request, reads the response, and returns its status.
func (c *plainClient) send(ctx context.Context, request string) (status int, err error) {
	conn, err := c.connect(ctx)
	if err != nil {
		return 0, err
	}
	deadline, _ := ctx.Deadline() // zero without a deadline
	if err := conn.SetDeadline(deadline); err != nil {
		return 0, err
	}
	res, _, err := conn.exchange(request)
	if err != nil {
		_ = conn.Close()
		return 0, err
	}
	if res.Close {
		return res.StatusCode, conn.Close()
	}
	select {
	case c.idle <- conn:
	default:
		_ = conn.Close()
	}
	return res.StatusCode, nil
}

// connect returns an idle connection, or a new one.
func (c *plainClient) connect(ctx context.Context) (*plainConnection, error) {
	select {
	case conn := <-c.idle:
		return conn, nil
	default:
	}
	conn, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(ctx, "tcp", c.address)
	if err != nil {
		return nil, fmt.Errorf("connect to the server: %w", err)
	}
	return &plainConnection{conn, bufio.NewReader(conn)}, nil
}

// exchange writes a request and reads the response. It returns the length of the body.
func (c *plainConnection) exchange(request string) (res *http.Response, length int64, err error) {
	if _, err := io.WriteString(c, request); err != nil {
		return nil, 0, err
	}
	if res, err = http.ReadResponse(c.responses, nil); err != nil {
		return nil, 0, err
	}
	length, err = io.Copy(io.Discard, res.Body)
	return res, length, err
}

// close closes the idle connections.
func (c *plainClient) close() {
	for {
		select {
		case conn := <-c.idle:
			_ = conn.Close()
		default:
			return
		}
	}
}
