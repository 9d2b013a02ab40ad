package outbound

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Phase is how far a request came before it failed.
type Phase string

// The phases. Whatever takes too long is a time-out, wherever it happens.
const (
	PhaseDNS      Phase = "dns"       // the name could not be looked up
	PhaseConnect  Phase = "connect"   // no connection, or it broke
	PhaseTLS      Phase = "tls"       // no handshake, or a certificate that is not valid
	PhaseTimeout  Phase = "timeout"   // it took too long
	PhaseStatus   Phase = "status"    // an answer that is not what was asked for
	PhaseBlocked  Phase = "blocked"   // the guard does not allow the address
	PhaseTooLarge Phase = "too_large" // an answer over the limit
)

// maxRetryAfter is the longest that a server's Retry-After is believed.
const maxRetryAfter = 24 * time.Hour

// Error is a request that failed. Message is for whoever gave the address; the cause is for the log, and there is none where the guard stood
// in the way: the difference between refused, silent and absent would show strangers our network port by port.
type Error struct {
	Phase   Phase
	Status  int // of the answer, when there was one
	Message string
	// Retry tells that the same request may well succeed later; RetryAfter, for those who try whatever came, not before when: 0 if the server did not say.
	Retry      bool
	RetryAfter time.Duration

	cause error
}

func (e *Error) Error() string {
	text := string(e.Phase) + ": " + e.Message
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// Explain finds the *Error in what a client of the guard returned or in what reading an answer's body did, or makes one. Nil stays nil.
func Explain(err error) *Error {
	if err == nil {
		return nil
	}
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err // without the address, which may hold a secret
	}
	if isTimeout(err) {
		return &Error{Phase: PhaseTimeout, Message: "The server took too long to answer.", Retry: true, cause: err}
	}
	return &Error{Phase: PhaseConnect, Message: "The connection broke before the answer was complete.", Retry: true, cause: err}
}

// dialError says why there is no connection.
func dialError(err error) *Error {
	var lookup *net.DNSError
	switch {
	case errors.Is(err, errBlocked):
		return blockedError(blockedMessage)
	case isTimeout(err):
		return &Error{Phase: PhaseTimeout, Message: "It took too long to find the server and to connect to it.", Retry: true, cause: err}
	case errors.As(err, &lookup):
		return &Error{Phase: PhaseDNS, Message: "The name of the host could not be looked up.", Retry: true, cause: err}
	default:
		return &Error{Phase: PhaseConnect, Message: "The server could not be connected to.", Retry: true, cause: err}
	}
}

func handshakeError(err error) *Error {
	if isTimeout(err) {
		return &Error{Phase: PhaseTimeout, Message: "The TLS handshake took too long.", Retry: true, cause: err}
	}
	return &Error{Phase: PhaseTLS, Message: "There was no TLS connection: the server must have a valid certificate for this name.", Retry: true, cause: err}
}

// blockedMessage is all that is said of an address that the guard stopped.
const blockedMessage = "The address is not allowed."

func blockedError(message string) *Error { return &Error{Phase: PhaseBlocked, Message: message} }

// StatusError is the failure that an answer's status means. Retrying makes sense where the server says that it is busy or broken.
func (g *Guard) StatusError(r *http.Response) *Error {
	e := &Error{
		Phase: PhaseStatus, Status: r.StatusCode, Message: "The server answered " + strconv.Itoa(r.StatusCode) + ".",
		RetryAfter: parseRetryAfter(r.Header.Get("Retry-After"), g.cfg.Now()),
	}
	switch {
	case r.StatusCode >= 500, r.StatusCode == http.StatusTooManyRequests, r.StatusCode == http.StatusRequestTimeout, r.StatusCode == http.StatusTooEarly:
		e.Retry = true
	}
	return e
}

// parseRetryAfter reads seconds or a date; what is neither, or past, is 0.
func parseRetryAfter(header string, now time.Time) time.Duration {
	var wait time.Duration
	if seconds, err := strconv.ParseUint(header, 10, 32); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if date, err := http.ParseTime(header); err == nil {
		wait = date.Sub(now)
	}
	return min(max(wait, 0), maxRetryAfter)
}

func isTimeout(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}
