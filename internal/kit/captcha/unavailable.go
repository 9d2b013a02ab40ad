package captcha

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/url"
	"strconv"
)

// Unavailable is the lack of a verdict.
type Unavailable struct {
	// Transient tells that the provider could not be reached, was too slow, or said that it is broken (5xx): what an operator may let pass.
	// All else is an answer that should not have been given, and letting that pass would hide a wrong secret or address for ever.
	Transient bool
	// Reason is one of the constants below.
	Reason string

	cause error
}

// The reasons why there is no verdict, short enough to count by.
const (
	Timeout        = "timeout"
	UnknownHost    = "unknown_host"    // the provider's name could not be looked up
	NotConnected   = "not_connected"   // refused, unreachable, no TLS
	BadCertificate = "bad_certificate" // somebody else may be answering
	Broken         = "broken"          // the connection, before the answer was complete
	ServerError    = "server_error"    // 5xx
	BadStatus      = "bad_status"      // neither 200 nor 5xx
	TooLong        = "too_long"        // an answer of more than 64 KiB
	Nonsense       = "nonsense"        // no HTTP, no JSON, or not what the provider documents
	Canceled       = "canceled"        // whoever asked has left
)

func (e *Unavailable) Error() string {
	text := "no captcha verdict: " + e.Reason
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

// Unwrap returns the cause, if there is one that can be told.
func (e *Unavailable) Unwrap() error { return e.cause }

// statusError is an answer that is not 200.
func statusError(status int) *Unavailable {
	e := &Unavailable{Reason: BadStatus, cause: errors.New("the provider answered " + strconv.Itoa(status))}
	if status >= 500 && status <= 599 {
		e.Transient, e.Reason = true, ServerError
	}
	return e
}

// invalidResponse has no cause: the messages of parsers quote what they could not read.
func invalidResponse() *Unavailable { return &Unavailable{Reason: Nonsense} }

// asUnavailable finds the *Unavailable in what a request or the reading of its answer failed with, or makes one. ctx is the caller's, and s how
// far the request came.
func asUnavailable(ctx context.Context, err error, s stage) *Unavailable {
	var known *Unavailable
	if errors.As(err, &known) {
		return known
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return &Unavailable{Reason: Canceled, cause: context.Canceled}
	}
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err // without the address, which the operator may have put a password into
	}
	var lookup *net.DNSError
	var certificate *tls.CertificateVerificationError
	switch {
	case isTimeout(err):
		return &Unavailable{Transient: true, Reason: Timeout, cause: err}
	case errors.As(err, &lookup):
		return &Unavailable{Transient: true, Reason: UnknownHost, cause: err}
	case errors.As(err, &certificate):
		return &Unavailable{Reason: BadCertificate, cause: err}
	case s == stageStarted:
		return &Unavailable{Transient: true, Reason: NotConnected, cause: err}
	case s == stageConnected || isConnectionBroken(err):
		return &Unavailable{Transient: true, Reason: Broken, cause: err}
	default:
		return invalidResponse()
	}
}

func isTimeout(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}

// isConnectionBroken recognises the end of a connection in the middle of an answer.
func isConnectionBroken(err error) bool {
	var e *net.OpError
	return errors.As(err, &e) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
