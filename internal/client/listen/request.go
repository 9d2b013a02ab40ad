package listener

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"vitrine/internal/kit/fault"
)

// maxResponseBytes bounds a response of the administration, in bytes.
const maxResponseBytes = 1 << 20

const (
	// maxAttempts is how often a request is sent, and minRetryDelay the pause before the second time; it doubles with each
	// try.
	maxAttempts   = 4
	minRetryDelay = 100 * time.Millisecond
)

// transientError is a failure that may be gone when the request is sent again.
type transientError struct{ fault *fault.Error }

func (e *transientError) Error() string { return e.fault.Error() }
func (e *transientError) Unwrap() error { return e.fault }

// retry calls try until it succeeds, fails for good, or has failed maxAttempts times, but not after the context's end.
// Each try after the first has a new connection: ask leaves none open, and retry closes idle ones that others left,
// since net/http may send even a request with Close on an idle connection.
func (j *Job) retry(ctx context.Context, fn func() error) error {
	delay := minRetryDelay
	for attempts := 1; ; attempts++ {
		err := fn()
		var transient *transientError
		if !errors.As(err, &transient) {
			return err
		}
		if attempts == maxAttempts || !sleep(ctx, max(delay, transient.fault.RetryAfter)) {
			return transient.fault
		}
		j.Client.CloseIdleConnections()
		delay *= 2
	}
}

// sleep waits. It reports false, at once if it can, if the context ends before.
func sleep(ctx context.Context, d time.Duration) bool {
	if end, ok := ctx.Deadline(); ok && time.Until(end) < d {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// send sends one request to the administration. take looks at a 2xx response and returns an error if it does not prove
// that the request was done. Any other response is a fault. The error is a passing one if the request may be sent
// again.
func (j *Job) send(
	ctx context.Context, method, address string, header http.Header, body []byte,
	check func(status int, respBody []byte) error,
) error {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if header != nil {
		req.Header = header.Clone()
	}
	req.Header.Set("Authorization", "Bearer "+j.Admin.key)
	req.Header.Set("User-Agent", "vitrine-listen")
	req.Close = true // requests are rare, so no connection is kept for the next one
	resp, err := j.Client.Do(req)
	if err != nil {
		return &transientError{unreachableError(j.Admin, err)}
	}
	defer resp.Body.Close()
	respBody, err := io.ReadAll(io.LimitReader(resp.Body, maxResponseBytes))
	if err != nil {
		return &transientError{unreachableError(j.Admin, err)}
	}
	if resp.StatusCode/100 != 2 {
		return responseError(j.Admin, resp, respBody)
	}
	return check(resp.StatusCode, respBody)
}

// responseError is the error of a response other than 2xx. A server that is unavailable, or still works on an earlier try,
// is asked again.
func responseError(admin Admin, resp *http.Response, body []byte) error {
	f := problemFault(admin, resp, body)
	if f.Kind != fault.Unavailable && f.Code != "idempotency_in_progress" {
		return f
	}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
		f = f.After(time.Duration(seconds) * time.Second)
	}
	return &transientError{f}
}

// noReceiverError is the error of a 2xx response to a registration that holds no receiver. It proves nothing, so the request
// is sent again, except after a page of HTML or XML: that comes from another kind of server.
func noReceiverError(admin Admin, status int, body []byte) error {
	switch body = bytes.TrimSpace(body); {
	case len(body) == 0:
		return &transientError{fault.New(fault.Unavailable, "empty_answer",
			"%s answered %s without a receiver: the body is empty. Is it the address of a store's administration?",
			admin, statusText(status))}
	case body[0] == '<':
		return notAdminError(admin, status)
	}
	return &transientError{notAdminError(admin, status)}
}

// notDeletedError is the error of a 2xx response to a DELETE other than 204 No Content, which does not prove that the
// receiver is deleted.
func notDeletedError(admin Admin, status int) error {
	return &transientError{fault.New(fault.Unavailable, "not_deleted", "%s answered %s instead of %s.",
		admin, statusText(status), statusText(http.StatusNoContent))}
}
