package mixed

import (
	"bufio"
	"context"
	"errors"
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
	dialer  net.Dialer
	idle    chan *plainConnection
}

type plainConnection struct {
	net.Conn
	responses *bufio.Reader
}

func newPlainClient(url string) *plainClient {
	return &plainClient{address: strings.TrimPrefix(url, "http://"), dialer: net.Dialer{Timeout: 5 * time.Second},
		idle: make(chan *plainConnection, overloadClients)}
}

// from makes the client use another address of this machine, as a visitor of another store does.
func (c *plainClient) from(address string) *plainClient {
	c.dialer.LocalAddr = &net.TCPAddr{IP: net.ParseIP(address)}
	return c
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

	res, err := conn.exchange(request)
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
	conn, err := c.dialer.DialContext(ctx, "tcp", c.address)
	if err != nil {
		return nil, fmt.Errorf("connect to the server: %w", err)
	}
	return &plainConnection{conn, bufio.NewReader(conn)}, nil
}

func (c *plainConnection) exchange(request string) (*http.Response, error) {
	if _, err := io.WriteString(c, request); err != nil {
		return nil, err
	}
	res, err := http.ReadResponse(c.responses, nil)
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(io.Discard, res.Body)
	return res, err
}

// get writes a request and returns the length of the response body. A status other than 200 is an error.
func (c *plainConnection) get(request string) (length int64, err error) {
	if _, err := io.WriteString(c, request); err != nil {
		return 0, err
	}
	res, err := http.ReadResponse(c.responses, nil)
	if err != nil {
		return 0, err
	}
	if res.StatusCode != http.StatusOK {
		body, err := io.ReadAll(io.LimitReader(res.Body, 500))
		return 0, errors.Join(fmt.Errorf("the response is %s: %s", res.Status, body), err)
	}
	return io.Copy(io.Discard, res.Body)
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
