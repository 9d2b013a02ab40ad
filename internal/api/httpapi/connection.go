package httpapi

import (
	"context"
	"errors"
	"net"
	"os"
	"sync/atomic"
)

// Listen wraps a listener so that its connections record whether the client closed them. The http.Server that serves
// the listener must use ConnContext.
func Listen(l net.Listener) net.Listener { return disconnectListener{l} }

type disconnectListener struct{ net.Listener }

func (l disconnectListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return &clientConnection{TCPConn: tcp}, nil
	}
	return c, err
}

// clientConnection is a TCP connection that records whether the client closed it.
type clientConnection struct {
	*net.TCPConn
	clientClosed atomic.Bool // the client closed the connection, or the network lost it
}

// Read implements net.Conn. After a failed Read, net/http cancels the context of the request, whatever the error.
// Deadline errors and net.ErrClosed are caused by the server; any other error means that the client disconnected.
func (c *clientConnection) Read(b []byte) (int, error) {
	n, err := c.TCPConn.Read(b)
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, net.ErrClosed) {
		c.clientClosed.Store(true)
	}
	return n, err
}

type connectionKey struct{}

// ConnContext is for http.Server.ConnContext. It stores the connection in the context of its requests.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	if c, ok := c.(*clientConnection); ok {
		return context.WithValue(ctx, connectionKey{}, c)
	}
	return ctx
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
