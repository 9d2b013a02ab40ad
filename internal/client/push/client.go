package pushclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"vitrine/internal/kit/fault"
)

// client speaks to one gate.
type client struct {
	http    *http.Client
	gate    Gate
	retries int
	notify  func(string)
	// newConnections is set once a 2xx response was wrong. Every later request then has a connection of its own.
	newConnections bool
}

// bodyFunc is what a request carries, made anew for each time it is sent. It returns errCannotResend if it cannot be.
type bodyFunc func() (io.ReadCloser, error)

// errCannotResend says that a request cannot be sent again.
var errCannotResend = errors.New("standard input cannot be read twice")

// postItems posts items and returns their run; with Prefer: respond-async it may be one that is not done.
func (c *client) postItems(ctx context.Context, entity string, query url.Values, header http.Header, newBody bodyFunc) (Run, error) {
	var run Run
	var lastErr error // before items said that there is no second time
	err := c.retry(ctx, func() error {
		body, err := newBody()
		if errors.Is(err, errCannotResend) && lastErr != nil {
			return fmt.Errorf("%w; %w", lastErr, errCannotResend)
		}
		if err != nil {
			return err
		}
		err = c.do(ctx, http.MethodPost, c.gate.url(query, entity), header, body, func(resp *http.Response) (err error) {
			run, err = readRun(resp, http.StatusOK, http.StatusAccepted)
			return err
		})
		lastErr = unwrapTransient(err)
		return err
	})
	return run, err
}

// do sends one request. take reads a 2xx response and returns an error if it does not hold what the request asked for.
// Any other response is an error. The error is a passing one if the request may be sent again.
func (c *client) do(
	ctx context.Context, method, address string, header http.Header, body io.ReadCloser,
	decode func(*http.Response) error,
) error {
	req, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return err
	}
	if header != nil {
		req.Header = header.Clone()
	}
	req.Header.Set("Authorization", "Bearer "+c.gate.token)
	req.Header.Set("User-Agent", "vitrine-push")
	if body != nil {
		req.Body, req.ContentLength = body, -1
		if sized, ok := body.(interface{ Size() int64 }); ok {
			req.ContentLength = sized.Size()
		}
	}
	req.Close = c.newConnections
	resp, err := c.http.Do(req)
	if err != nil {
		return unreachableError(ctx, c.gate, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return responseError(resp)
	}
	if err := decode(resp); err != nil {
		resp.Body.Close()
		c.abandonConnections()
		return err
	}
	return nil
}

// abandonConnections makes the next request use a new connection. The body of the wrong response must be closed: its
// connection is then closed or idle, and CloseIdleConnections closes the idle ones. That does nothing if the caller's
// RoundTripper hides the method, and another user of a shared Transport may hold the connection meanwhile. So later
// requests also set Request.Close: net/http may still send such a request on an idle connection, but closes the
// connection after it. In the worst case each bad connection costs one more try.
func (c *client) abandonConnections() {
	c.newConnections = true
	c.http.CloseIdleConnections()
}

// unreachableError is the error of a request without an answer.
func unreachableError(ctx context.Context, gate Gate, err error) error {
	var faultErr *fault.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &faultErr), errors.Is(err, errUnreadable):
		return err // the file could not be read on
	}
	var urlErr *url.Error // says again which address
	if errors.As(err, &urlErr) {
		err = urlErr.Err
	}
	return &transientError{err: fault.New(fault.Unavailable, "unreachable", "%s cannot be reached.", gate).Because(err)}
}

// transientError is an error that may be gone when one tries again.
type transientError struct {
	err        error
	retryAfter time.Duration // not before; 0 if nobody said
	// limitRetries limits the retries after this error to limitedRetries.
	limitRetries bool
}

func (e *transientError) Error() string { return e.err.Error() }
func (e *transientError) Unwrap() error { return e.err }

// unwrapTransient is the error without its being passing.
func unwrapTransient(err error) error {
	var transient *transientError
	if errors.As(err, &transient) {
		return transient.err
	}
	return err
}

const (
	minRetryDelay = 500 * time.Millisecond
	maxRetryDelay = 30 * time.Second
	// limitedRetries bounds the retries after a response with other content than the request asked for. It may be the
	// response to another request, if requests and responses of a connection no longer match, and a new connection
	// corrects that at once. Otherwise the address is wrong, and the user should learn it in seconds, not in minutes.
	limitedRetries = 2
)

// retry runs fn until it succeeds, fails for good, or has failed too often.
func (c *client) retry(ctx context.Context, fn func() error) error {
	backoff, limited := minRetryDelay, 0
	for retries := 0; ; retries++ {
		err := fn()
		var transient *transientError
		if err == nil || !errors.As(err, &transient) || retries >= c.retries {
			return unwrapTransient(err)
		}
		if transient.limitRetries {
			limited++
		}
		if limited > limitedRetries {
			return unwrapTransient(err)
		}
		delay := max(backoff, transient.retryAfter)
		backoff = min(2*backoff, maxRetryDelay)
		c.notify(fmt.Sprintf("%s Trying again in %s.", errorSummary(transient.err), delay.Round(100*time.Millisecond)))
		if err := sleep(ctx, delay); err != nil {
			return err
		}
	}
}

// errorSummary is an error in one sentence.
func errorSummary(err error) string {
	var f *fault.Error
	if !errors.As(err, &f) {
		return err.Error() + "."
	}
	if f.Cause != nil {
		return fmt.Sprintf("%s (%v)", f.Message, f.Cause)
	}
	return f.Message
}

// sleep waits, or returns the context's error as soon as it has one.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
