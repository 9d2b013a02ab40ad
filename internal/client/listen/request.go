package listen

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"vitrine/internal/client/problem"
	"vitrine/internal/kit/fault"
)

// maxResponseBytes limits the size of a response of the admin API.
const maxResponseBytes = 1 << 20

const (
	// maxAttempts is the number of attempts of a request, and minRetryDelay the delay before the second one. The delay
	// doubles with each attempt.
	maxAttempts   = 4
	minRetryDelay = 100 * time.Millisecond
)

// transientError is an error after which the request may be sent again.
type transientError struct{ fault *fault.Error }

func (e *transientError) Error() string { return e.fault.Error() }
func (e *transientError) Unwrap() error { return e.fault }

// retry calls fn until it succeeds, returns an error that is not transient, has failed maxAttempts times, or ctx ends.
// Each attempt after the first uses a new connection: send leaves no connection open, and retry closes the idle
// connections of other users of the client, because net/http may send even a request with Close set on an idle
// connection.
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

// sleep waits for d and returns true. It returns false if the context ends before, without waiting if the deadline is
// earlier.
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

// send sends one request to the admin API. check returns an error if a 2xx response does not prove that the request was
// processed. Any other status is an error. The error is a transientError if the request may be sent again.
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
	req.Close = true // requests are rare, so connections are not reused
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

// responseError returns the error of a response that is not 2xx. It is transient if the server is unavailable or is
// still processing an earlier attempt.
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

// noReceiverError returns the error of a 2xx response to a registration without a receiver. The response proves
// nothing, so the request is sent again, unless the body is HTML or XML: that comes from a different kind of server.
func noReceiverError(admin Admin, status int, body []byte) error {
	switch body = bytes.TrimSpace(body); {
	case len(body) == 0:
		return &transientError{fault.New(fault.Unavailable, "empty_answer",
			"%s answered %s without a receiver: the body is empty. Is this the address of a store's administration?",
			admin, problem.StatusText(status))}
	case body[0] == '<':
		return notAdminError(admin, status)
	}
	return &transientError{notAdminError(admin, status)}
}

// notDeletedError returns the error of a 2xx response to a DELETE that is not 204 No Content and so does not prove the
// deletion.
func notDeletedError(admin Admin, status int) error {
	return &transientError{fault.New(fault.Unavailable, "not_deleted", "%s answered %s instead of %s.",
		admin, problem.StatusText(status), problem.StatusText(http.StatusNoContent))}
}
