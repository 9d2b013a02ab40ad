package pushclient

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/fault"
)

// problem is the gate's problem document (RFC 9457).
type problem struct {
	Detail    string `json:"detail"`
	Code      string `json:"code"`
	RequestID string `json:"request_id"`
	Errors    []struct {
		Field   string `json:"field"`
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"errors"`
	Run *Run `json:"run"`
}

// refusalError is the error of a response that is not 2xx. run is the run in the problem document, or nil.
type refusalError struct {
	fault *fault.Error
	run   *Run
}

func (r *refusalError) Error() string { return r.fault.Error() }
func (r *refusalError) Unwrap() error { return r.fault }

// refusalRun returns the run of a refusalError with this code, or with any code if code is "".
func refusalRun(err error, code string) (Run, bool) {
	var r *refusalError
	if !errors.As(err, &r) || r.run == nil || code != "" && r.fault.Code != code {
		return Run{}, false
	}
	return *r.run, true
}

// responseError returns the error of a response that is not 2xx.
func responseError(resp *http.Response) error {
	if resp.StatusCode/100 == 3 {
		return fault.New(fault.Invalid, "redirected", "The address redirects to %s; use that address.",
			resp.Header.Get("Location"))
	}
	err := readProblem(resp)
	switch {
	case resp.StatusCode == http.StatusTooManyRequests, resp.StatusCode >= 500:
		return &transientError{err: err, retryAfter: parseRetryAfter(resp.Header.Get("Retry-After"), time.Now())}
	}
	return err
}

func readProblem(resp *http.Response) error {
	var p problem
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	body, err := readBody(resp)
	if err != nil || kind != "application/problem+json" || json.Unmarshal(body, &p) != nil || p.Code == "" {
		return notAGate(resp)
	}
	message := p.Detail
	if resp.StatusCode == http.StatusUnauthorized {
		message = "The gate rejects this token: it is unknown, expired or revoked."
	}
	if p.RequestID != "" && resp.StatusCode >= 500 {
		message += " The id of the request is " + p.RequestID + "."
	}
	f := &fault.Error{Kind: kindOf(resp.StatusCode), Code: p.Code, Message: message}
	for _, e := range p.Errors {
		f.Fields = append(f.Fields, fault.Field{Field: e.Field, Code: e.Code, Message: e.Message})
	}
	return &refusalError{f, p.Run}
}

// notAGate returns the error of a response that does not come from an exchange gate.
func notAGate(resp *http.Response) error {
	return fault.New(kindOf(resp.StatusCode), "not_a_gate",
		"The response (%s) is not from an exchange gate. Is this the address of a store's API?", statusText(resp))
}

// statusText returns the status code with its text, such as 200 OK.
func statusText(resp *http.Response) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode)))
}

func kindOf(status int) fault.Kind {
	switch {
	case status == http.StatusUnauthorized:
		return fault.Unauthenticated
	case status == http.StatusForbidden:
		return fault.Denied
	case status == http.StatusNotFound:
		return fault.NotFound
	case status == http.StatusConflict:
		return fault.Conflict
	case status == http.StatusTooManyRequests:
		return fault.TooMany
	case status >= 500:
		return fault.Unavailable
	}
	return fault.Invalid
}

// parseRetryAfter parses a Retry-After header: a number of seconds or a date.
func parseRetryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(value); err == nil && seconds > 0 {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}
