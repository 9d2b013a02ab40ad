package httpapi

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"vitrine/internal/kit/fault"
)

const (
	// MaxHeaderBytes limits the request line and the headers of a request, in bytes. It leaves room for a list that is
	// filtered by a thousand values.
	MaxHeaderBytes = 128 << 10
	// maxHostBytes is the longest host name that the DNS allows.
	maxHostBytes = 255
	// headerSlack is how many bytes net/http reads beyond http.Server.MaxHeaderBytes.
	headerSlack = 4 << 10
)

// ServerMaxHeaderBytes is the value of http.Server.MaxHeaderBytes for which net/http refuses more than MaxHeaderBytes.
const ServerMaxHeaderBytes = MaxHeaderBytes - headerSlack

// netHTTPError is what follows the status line in the error responses of net/http itself.
var netHTTPError = []byte("\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")

// problemFor returns the problem that replaces an error response of net/http, or nil if b is none.
func problemFor(b []byte) []byte {
	const version = "HTTP/1.1 "
	at := bytes.Index(b, netHTTPError)
	if at < len(version)+3 || !bytes.HasPrefix(b, []byte(version)) {
		return nil
	}

	status, err := strconv.Atoi(string(b[len(version) : len(version)+3]))
	if err != nil {
		return nil
	}

	f := fault.New(fault.Malformed, "malformed_request", "The request is not valid HTTP/1.1: %s.",
		b[at+len(netHTTPError):])
	if status == http.StatusRequestHeaderFieldsTooLarge {
		f = fault.New(fault.TooLarge, "headers_too_large",
			"The request line and the headers may have at most %d bytes together.", MaxHeaderBytes)
	}

	return rawProblem(status, f, "")
}

// connectionRefusal returns the response to a connection that exceeds a limit: 429 for the limit of its address, 503
// for the limit of all connections.
func connectionRefusal(status int) []byte {
	f := fault.New(fault.TooMany, "too_many_connections", "This address has too many connections, or requests with "+
		"long headers, at the same time.")
	if status == http.StatusServiceUnavailable {
		f = fault.New(fault.Unavailable, "overloaded", "The server has too many connections at the moment.")
	}
	return rawProblem(status, f, "Retry-After: 5\r\n")
}

// headerLinesRefusal returns the response to a request with more than maxHeaderLines.
func headerLinesRefusal() []byte {
	return rawProblem(http.StatusRequestHeaderFieldsTooLarge, fault.New(fault.TooLarge, "headers_too_large",
		"The request may have at most %d header lines.", maxHeaderLines), "")
}

// rawProblem returns a whole response with a problem, after which the connection is closed.
func rawProblem(status int, f *fault.Error, headers string) []byte {
	id := uuid.Must(uuid.NewV7()).String()
	body := newProblem(f, status, id).json(nil)
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nContent-Type: application/problem+json\r\nContent-Length: %d\r\n"+
		"X-Request-Id: %s\r\nCache-Control: no-store\r\nConnection: close\r\n%s\r\n%s", status, http.StatusText(status),
		len(body), id, headers, body)
}

// checkHost returns a fault if the header Host is longer than any host name.
func checkHost(host string) error {
	if len(host) > maxHostBytes {
		return fault.New(fault.Malformed, "malformed_host", "The header Host has %d bytes; at most %d are allowed.",
			len(host), maxHostBytes)
	}
	return nil
}
