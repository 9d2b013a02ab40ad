package outbound

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Phase is the step at which a request failed.
type Phase string

// The phases. PhaseTimeout covers timeouts at every step.
const (
	PhaseDNS      Phase = "dns"       // the DNS lookup failed
	PhaseConnect  Phase = "connect"   // there was no connection, or it broke
	PhaseTLS      Phase = "tls"       // the handshake failed, or the certificate is not valid
	PhaseTimeout  Phase = "timeout"   // a step took too long
	PhaseStatus   Phase = "status"    // the response has an unexpected status
	PhaseBlocked  Phase = "blocked"   // the guard does not allow the URL or the address
	PhaseTooLarge Phase = "too_large" // the body exceeds the size limit
)

// maxRetryAfter caps the server's Retry-After.
const maxRetryAfter = 24 * time.Hour

// Failure is the error of a failed request. Message is for the user who gave the URL, the cause is for the log. The
// cause is nil if the guard blocked the request: a cause would tell closed from filtered ports and let strangers scan
// our network.
type Failure struct {
	Phase   Phase
	Status  int // response status; 0 if there was no response
	Message string
	// Retry reports whether a later attempt may succeed. RetryAfter is the server's Retry-After, or 0; it is also set
	// if Retry is false, for callers that always retry.
	Retry      bool
	RetryAfter time.Duration

	cause error
}

func (e *Failure) Error() string {
	text := string(e.Phase) + ": " + e.Message
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

// Unwrap returns the cause, or nil.
func (e *Failure) Unwrap() error { return e.cause }

// FailureOf converts an error of one of the guard's clients, or of reading a response body, to a *Failure. It returns
// nil for nil.
func FailureOf(err error) *Failure {
	if err == nil {
		return nil
	}
	if known, ok := errors.AsType[*Failure](err); ok {
		return known
	}
	if request, ok := errors.AsType[*url.Error](err); ok {
		err = request.Err // drop the URL, which may contain a secret
	}
	if IsTimeout(err) {
		return retryableError(PhaseTimeout, "The server took too long to answer.", err)
	}
	return retryableError(PhaseConnect, "The connection broke before the answer was complete.", err)
}

func retryableError(phase Phase, message string, cause error) *Failure {
	return &Failure{Phase: phase, Message: message, Retry: true, cause: cause}
}

// dialError classifies the failure of a dial.
func dialError(err error) *Failure {
	var lookup *net.DNSError
	switch {
	case errors.Is(err, errBlocked):
		return blockedError(blockedMessage)
	case IsTimeout(err):
		return retryableError(PhaseTimeout, "It took too long to find the server and to connect to it.", err)
	case errors.As(err, &lookup):
		return retryableError(PhaseDNS, "The name of the host could not be looked up.", err)
	default:
		return retryableError(PhaseConnect, "The server could not be connected to.", err)
	}
}

func handshakeError(err error) *Failure {
	if IsTimeout(err) {
		return retryableError(PhaseTimeout, "The TLS handshake took too long.", err)
	}
	return retryableError(PhaseTLS,
		"There was no TLS connection: the server must have a valid certificate for this name.", err)
}

// blockedMessage is the only message for an address that the guard blocked.
const blockedMessage = "The address is not allowed."

func blockedError(message string) *Failure { return &Failure{Phase: PhaseBlocked, Message: message} }

// StatusError returns the error for a response with an unexpected status. Retry is true for statuses that may be
// temporary: 5xx, 408, 425 and 429.
func (g *Guard) StatusError(r *http.Response) *Failure {
	e := &Failure{
		Phase: PhaseStatus, Status: r.StatusCode, Message: "The server answered " + strconv.Itoa(r.StatusCode) + ".",
		RetryAfter: parseRetryAfter(r.Header.Get("Retry-After"), g.cfg.Now()),
	}
	e.Retry = r.StatusCode >= 500 || r.StatusCode == http.StatusTooManyRequests ||
		r.StatusCode == http.StatusRequestTimeout || r.StatusCode == http.StatusTooEarly
	return e
}

// parseRetryAfter parses a number of seconds or a date. It returns 0 for an invalid value and for a past date.
func parseRetryAfter(header string, now time.Time) time.Duration {
	var wait time.Duration
	if seconds, err := strconv.ParseUint(header, 10, 32); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if date, err := http.ParseTime(header); err == nil {
		wait = date.Sub(now)
	}
	return min(max(wait, 0), maxRetryAfter)
}

// IsTimeout reports whether err is a timeout of the network or a deadline that has passed.
func IsTimeout(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}
