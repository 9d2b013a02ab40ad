package push

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"vitrine/internal/client/request"
	"vitrine/internal/kit/fault"
)

// maxResponseBytes limits the size of a response, except one with rejects. A run with 2,000 issues takes well under a
// megabyte.
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

// unexpectedRun returns the error of a response that contains another run than the requested one.
func unexpectedRun(id, wanted string) error {
	return &request.Transient{Limited: true, Err: fault.New(fault.Unavailable, "wrong_run",
		"The server answered with the run %s instead of %s.", id, wanted)}
}
