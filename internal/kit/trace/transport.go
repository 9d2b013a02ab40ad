package trace

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
)

// Transport adds a span to each request that is made with the context of a trace. The span has the host, but neither
// the path nor the query, which may contain secrets. It ends with the headers of the response. The server does not get
// the ids of the trace: requests go to servers of others, who could join the trace, or connect requests of one person
// by it.
type Transport struct {
	Base http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, span := StartClient(r.Context(), r.Method)
	if span.Recording() {
		span.String("http.request.method", r.Method)
		span.String("server.address", r.URL.Hostname())
		if port, err := strconv.ParseInt(r.URL.Port(), 10, 64); err == nil {
			span.Int("server.port", port)
		}
		r = r.WithContext(ctx)
	}

	response, err := t.Base.RoundTrip(r)
	if err != nil {
		span.Fail(connectionErrorType(err))
	} else {
		span.Int("http.response.status_code", int64(response.StatusCode))
		if response.StatusCode >= http.StatusBadRequest {
			span.Fail(strconv.Itoa(response.StatusCode))
		}
	}

	span.End()
	return response, err
}

// connectionErrorType returns a word for an error of a connection.
func connectionErrorType(err error) string {
	var netErr net.Error
	switch {
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.As(err, &netErr) && netErr.Timeout():
		return "timeout"
	}
	return "connection"
}

// CloseIdleConnections is called by http.Client.CloseIdleConnections.
func (t Transport) CloseIdleConnections() {
	if base, ok := t.Base.(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}
