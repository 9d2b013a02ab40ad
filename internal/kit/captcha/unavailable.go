package captcha

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/url"
	"strconv"

	"vitrine/internal/kit/outbound"
)

// Unavailable is the error of a verification that gave no verdict.
type Unavailable struct {
	// Transient reports that the provider was unreachable, too slow, or responded 5xx. The operator may choose to let
	// requests pass in these cases. Requests must not pass after other failures: their cause may be a wrong secret or
	// URL, and nobody would notice the mistake.
	Transient bool
	// Reason is one of the constants below.
	Reason string

	cause error
}

// Reasons why there is no verdict. There are few of them and they are short, so that they can be metric labels.
const (
	Timeout        = "timeout"
	UnknownHost    = "unknown_host"    // the DNS lookup failed
	NotConnected   = "not_connected"   // connection refused, host unreachable, or no TLS
	BadCertificate = "bad_certificate" // the server may be an impostor
	Broken         = "broken"          // the connection broke before the response was complete
	ServerError    = "server_error"    // status 5xx
	BadStatus      = "bad_status"      // a status other than 200 and 5xx
	TooLong        = "too_long"        // a response longer than 64 KiB
	Nonsense       = "nonsense"        // not HTTP, not JSON, or not as the provider documents
	Canceled       = "canceled"        // the caller's context was cancelled
)

// UnavailableReasons returns all reasons of Unavailable.
func UnavailableReasons() []string {
	return []string{Timeout, UnknownHost, NotConnected, BadCertificate, Broken, ServerError, BadStatus, TooLong,
		Nonsense,
		Canceled}
}

func (e *Unavailable) Error() string {
	text := "no captcha verdict: " + e.Reason
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

// Unwrap returns the cause. It is nil if the cause might contain a secret.
func (e *Unavailable) Unwrap() error { return e.cause }

// providerStatusError returns the error for a status other than 200.
func providerStatusError(status int) *Unavailable {
	e := &Unavailable{Reason: BadStatus, cause: errors.New("the provider answered " + strconv.Itoa(status))}
	if status >= 500 && status <= 599 {
		e.Transient = true
		e.Reason = ServerError
	}
	return e
}

// invalidProviderResponse returns the error for a response that cannot be parsed. It has no cause, since parsers quote
// their input.
func invalidProviderResponse() *Unavailable { return &Unavailable{Reason: Nonsense} }

// asUnavailable converts an error of a request, or of reading its response, to an *Unavailable. ctx is the caller's
// context. s is the stage that the request reached.
func asUnavailable(ctx context.Context, err error, s requestStage) *Unavailable {
	if known, ok := errors.AsType[*Unavailable](err); ok {
		return known
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return &Unavailable{Reason: Canceled, cause: context.Canceled}
	}

	if request, ok := errors.AsType[*url.Error](err); ok {
		err = request.Err // drop the URL, which may contain a password of the operator
	}

	var lookup *net.DNSError
	var certificate *tls.CertificateVerificationError
	switch {
	case outbound.IsTimeout(err):
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
		return invalidProviderResponse()
	}
}

// isConnectionBroken reports whether the connection ended in the middle of a response.
func isConnectionBroken(err error) bool {
	var e *net.OpError
	return errors.As(err, &e) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
