package push

import (
	"errors"
	"mime"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/client/request"
	"vitrine/internal/kit/fault"
)

// refusalError is the error of a response that is not 2xx. run is the run in the problem document, or nil.
type refusalError struct {
	fault *fault.Error
	run   *Run
}

func (r *refusalError) Error() string { return r.fault.Error() }
func (r *refusalError) Unwrap() error { return r.fault }

// refusalRun returns the run of a refusalError with this code, or with any code if code is "".
func refusalRun(err error, code string) (Run, bool) {
	r, ok := errors.AsType[*refusalError](err)
	if !ok || r.run == nil || code != "" && r.fault.Code != code {
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
	if resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500 {
		return &request.Transient{Err: err, RetryAfter: request.RetryAfter(resp, time.Now())}
	}
	return err
}

func readProblem(resp *http.Response) error {
	var p struct {
		request.Problem
		Run *Run `json:"run"` // set if the gate processed a part of the push
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	body, err := request.ReadBody(resp, maxResponseBytes)
	if err != nil || kind != "application/problem+json" || json.Unmarshal(body, &p) != nil || p.Code == "" {
		return notAGate(resp)
	}
	f := p.Fault(resp.StatusCode)
	if f.Kind == fault.Unauthenticated {
		f.Message = "The gate rejects this token: it is unknown, expired or revoked."
	}
	return &refusalError{f, p.Run}
}

// notAGate returns the error of a response that does not come from an exchange gate.
func notAGate(resp *http.Response) error {
	return fault.New(request.KindOf(resp.StatusCode), "not_a_gate",
		"The response (%s) is not from an exchange gate. Is this the address of a store's API?",
		request.StatusText(resp.StatusCode))
}
