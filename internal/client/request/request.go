// Package request has the common parts of the program's HTTP clients: push, which calls the exchange gate, and listen,
// which calls the admin API. It retries requests and converts responses that are not 2xx to faults.
package request

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"vitrine/internal/kit/fault"
)

// Transient is an error after which the request may be sent again.
type Transient struct {
	Err        error
	RetryAfter time.Duration // minimum delay before the next attempt; 0 if the server did not set one
	// Limited limits the number of retries after this error to Retries.Limited.
	Limited bool
}

func (e *Transient) Error() string { return e.Err.Error() }
func (e *Transient) Unwrap() error { return e.Err }

// Retries says how often a request is retried. The delay begins with MinDelay and doubles, up to MaxDelay.
type Retries struct {
	Max, Limited       int
	MinDelay, MaxDelay time.Duration
	// Before is called before the delay with the error of the last attempt.
	Before func(err error, delay time.Duration)
}

// Do calls fn until it succeeds, it returns an error that is not Transient, or the retries are used up. Do unwraps a
// Transient that it returns. It does not wait beyond the deadline of ctx.
func (r Retries) Do(ctx context.Context, fn func() error) error {
	backoff := r.MinDelay
	limited := 0
	for retries := 0; ; retries++ {
		err := fn()
		transient, ok := errors.AsType[*Transient](err)
		if !ok {
			return err
		}

		if transient.Limited {
			limited++
		}

		delay := max(backoff, transient.RetryAfter)
		end, limitedTime := ctx.Deadline()
		if retries >= r.Max || limited > r.Limited || limitedTime && time.Until(end) < delay {
			return transient.Err
		}

		backoff = min(2*backoff, r.MaxDelay)
		r.Before(transient.Err, delay)

		if err := Sleep(ctx, delay); err != nil {
			return err
		}
	}
}

// Sleep waits for d, or returns the context's error as soon as the context ends.
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ReadBody reads a response up to maxBytes. If the response is incomplete, the error is Transient.
func ReadBody(resp *http.Response, maxBytes int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBytes))
	if err != nil {
		return nil, IncompleteResponse(err)
	}
	return body, nil
}

// IncompleteResponse returns the error of a response whose body could not be read to its end.
func IncompleteResponse(cause error) error {
	return &Transient{Err: fault.New(fault.Unavailable, "unreachable", "The response is incomplete.").Because(cause)}
}

// UnreachableServer returns the error of a request to a server that sent no response.
func UnreachableServer(server fmt.Stringer, err error) error {
	if urlErr, ok := errors.AsType[*url.Error](err); ok { // its text repeats the address
		err = urlErr.Err
	}
	return &Transient{Err: fault.New(fault.Unavailable, "unreachable", "%s cannot be reached.", server).Because(err)}
}

// Problem is a problem document (RFC 9457), the body of a response that is not 2xx.
type Problem struct {
	Detail    string `json:"detail"`
	Code      string `json:"code"`
	RequestID string `json:"request_id"`
	Errors    []struct {
		Field   string `json:"field"`
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"errors"`
}

// Fault returns the problem as a fault. Its kind follows from the status of the response.
func (p Problem) Fault(status int) *fault.Error {
	f := &fault.Error{Kind: KindOf(status), Code: p.Code, Message: p.Detail}
	for _, e := range p.Errors {
		f.Fields = append(f.Fields, fault.Field{Field: e.Field, Code: e.Code, Message: e.Message})
	}
	if p.RequestID != "" && status >= 500 {
		f.Message += " The id of the request is " + p.RequestID + "."
	}
	return f
}

// KindOf returns the kind of fault for a response status. It is Invalid for a status without a kind of its own.
func KindOf(status int) fault.Kind {
	if status >= 500 {
		return fault.Unavailable
	}
	kind, ok := map[int]fault.Kind{
		http.StatusUnauthorized: fault.Unauthenticated, http.StatusForbidden: fault.Denied,
		http.StatusNotFound: fault.NotFound, http.StatusConflict: fault.Conflict,
		http.StatusTooManyRequests: fault.TooMany,
	}[status]
	if !ok {
		return fault.Invalid
	}
	return kind
}

// RetryAfter parses the Retry-After header of a response, a number of seconds or a date. It returns 0 without a header.
func RetryAfter(resp *http.Response, now time.Time) time.Duration {
	value := resp.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil && seconds > 0 {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

// StatusText returns a status code with its text, such as 200 OK.
func StatusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}

// IsToken reports whether a token begins with the prefix and has only characters that a header may contain.
func IsToken(token, prefix string) bool {
	return strings.HasPrefix(token, prefix) &&
		!strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })
}

// IsLocal reports whether a host is localhost or a loopback address.
func IsLocal(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Serialized returns a function that calls fn while it holds mu.
func Serialized[T any](mu *sync.Mutex, fn func(T)) func(T) {
	return func(v T) {
		mu.Lock()
		defer mu.Unlock()
		fn(v)
	}
}
