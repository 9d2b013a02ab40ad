package push

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/client/request"
	"vitrine/internal/kit/fault"
)

// maxResponseBytes limits a response, except rejects. A run with 2,000 issues takes well under a megabyte.
const maxResponseBytes = 32 << 20

// unexpectedResponse returns the error of a 2xx response without the expected result. body holds at least the first
// byte of the response; cause is the decoding error, if decoding was tried. A 2xx response without a result does not
// prove that the request was processed, so the request is sent again, which is safe at the gate. The number of retries
// depends on the body:
//
//   - An empty body or a truncated JSON object comes from a gate, or from a proxy in front of it, that failed. It is
//     retried like a 503.
//   - HTML or XML comes from a different kind of server, so the address is wrong. It is not retried.
//   - Anything else is retried limitedRetries times.
func unexpectedResponse(resp *http.Response, body []byte, wanted string, cause error) error {
	status := request.StatusText(resp.StatusCode)
	switch text := bytes.TrimSpace(body); {
	case len(text) == 0:
		return &request.Transient{Err: fault.New(fault.Unavailable, "empty_answer",
			"The server answered %s without %s: the body is empty. Is this the address of a store's API?", status,
			wanted)}
	case text[0] == '{' && errors.Is(cause, io.ErrUnexpectedEOF):
		return &request.Transient{Err: fault.New(fault.Unavailable, "incomplete_answer",
			"The server answered %s with a part of %s: the body is cut off.", status, wanted)}
	case text[0] == '<':
		return notAGate(resp)
	}
	return &request.Transient{Limited: true, Err: notAGate(resp)}
}

// gateRefusalError is the error of a response that is not 2xx. run is the run in the problem document, or nil.
type gateRefusalError struct {
	fault *fault.Error
	run   *Run
}

func (r *gateRefusalError) Error() string { return r.fault.Error() }
func (r *gateRefusalError) Unwrap() error { return r.fault }

// refusalRun returns the run of a gateRefusalError with this code, or with any code if code is "".
func refusalRun(err error, code string) (Run, bool) {
	r, ok := errors.AsType[*gateRefusalError](err)
	if !ok || r.run == nil || code != "" && r.fault.Code != code {
		return Run{}, false
	}
	return *r.run, true
}

func gateResponseError(resp *http.Response) error {
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
	return &gateRefusalError{f, p.Run}
}

func notAGate(resp *http.Response) error {
	return fault.New(request.KindOf(resp.StatusCode), "not_a_gate",
		"The response (%s) is not from an exchange gate. Is this the address of a store's API?",
		request.StatusText(resp.StatusCode))
}
