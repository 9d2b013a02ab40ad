package push

import (
	"errors"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/client/problem"
	"vitrine/internal/kit/fault"
)

// problemDocument is the body of a gate's response that is not 2xx. Run is set if the gate processed a part of the
// push.
type problemDocument struct {
	problem.Document
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
	var p problemDocument
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	body, err := readBody(resp)
	if err != nil || kind != "application/problem+json" || json.Unmarshal(body, &p) != nil || p.Code == "" {
		return notAGate(resp)
	}
	f := p.Fault(resp.StatusCode)
	if resp.StatusCode == http.StatusUnauthorized {
		f.Message = "The gate rejects this token: it is unknown, expired or revoked."
	}
	if p.RequestID != "" && resp.StatusCode >= 500 {
		f.Message += " The id of the request is " + p.RequestID + "."
	}
	return &refusalError{f, p.Run}
}

// notAGate returns the error of a response that does not come from an exchange gate.
func notAGate(resp *http.Response) error {
	return fault.New(problem.KindOf(resp.StatusCode), "not_a_gate",
		"The response (%s) is not from an exchange gate. Is this the address of a store's API?",
		problem.StatusText(resp.StatusCode))
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
