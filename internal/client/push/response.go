package pushclient

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"vitrine/internal/kit/fault"
)

// maxResponseBytes bounds a response other than rejects, in bytes: a run with 2,000 issues takes well under a megabyte.
const maxResponseBytes = 32 << 20

func readBody(resp *http.Response) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxResponseBytes))
	if err != nil {
		return nil, incompleteResponse(err)
	}
	return body, nil
}

// incompleteResponse is the error of a response whose body could not be read to its end.
func incompleteResponse(cause error) error {
	return &transientError{err: fault.New(fault.Unavailable, "unreachable", "The answer broke off.").Because(cause)}
}

// unexpectedResponse is the error of a 2xx response that does not hold what the request asked for; body is at least its first
// byte, and cause is why it could not be decoded, if that was tried. A success without a result proves nothing, so the
// request is sent again, which is safe at the gate. How often depends on the body:
//
//   - An empty one or a part of a JSON object comes from a gate, or a proxy before it, that failed. It is retried as a
//     503 is.
//   - A page of HTML or XML comes from another kind of server, so the address is wrong. It is not retried.
//   - Anything else is retried limitedRetries times.
func unexpectedResponse(resp *http.Response, body []byte, wanted string, cause error) error {
	status := statusText(resp)
	switch text := bytes.TrimSpace(body); {
	case len(text) == 0:
		return &transientError{err: fault.New(fault.Unavailable, "empty_answer",
			"The server answered %s without %s: the body is empty. Is it the address of a store's API?", status, wanted)}
	case text[0] == '{' && errors.Is(cause, io.ErrUnexpectedEOF):
		return &transientError{err: fault.New(fault.Unavailable, "incomplete_answer",
			"The server answered %s without the end of %s: the body is cut off.", status, wanted)}
	case text[0] == '<':
		return notAGate(resp)
	}
	return &transientError{limitRetries: true, err: notAGate(resp)}
}

// unexpectedRun is the error of a response with another run than the request asked for.
func unexpectedRun(id, wanted string) error {
	return &transientError{limitRetries: true, err: fault.New(fault.Unavailable, "wrong_run",
		"The server answered with the run %s instead of %s.", id, wanted)}
}
