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
	say     func(string)
	// fresh is set once a 2xx response was wrong. Every later request then has a connection of its own.
	fresh bool
}

// body is what a request carries, made anew for each time it is sent. It returns errSentOnce if it cannot be.
type body func() (io.ReadCloser, error)

// errSentOnce says that a request cannot be sent again.
var errSentOnce = errors.New("standard input cannot be read twice")

// push posts items and returns their run; with Prefer: respond-async it may be one that is not done.
func (c *client) push(ctx context.Context, entity string, query url.Values, header http.Header, items body) (Run, error) {
	var run Run
	var failed error // before items said that there is no second time
	err := c.retry(ctx, func() error {
		content, err := items()
		if errors.Is(err, errSentOnce) && failed != nil {
			return fmt.Errorf("%w; %w", failed, errSentOnce)
		}
		if err != nil {
			return err
		}
		err = c.do(ctx, http.MethodPost, c.gate.url(query, entity), header, content, func(answer *http.Response) (err error) {
			run, err = readRun(answer, http.StatusOK, http.StatusAccepted)
			return err
		})
		failed = final(err)
		return err
	})
	return run, err
}

// do sends one request. take reads a 2xx response and returns an error if it does not hold what the request asked for.
// Any other response is an error. The error is a passing one if the request may be sent again.
func (c *client) do(
	ctx context.Context, method, address string, header http.Header, content io.ReadCloser,
	take func(*http.Response) error,
) error {
	r, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return err
	}
	if header != nil {
		r.Header = header.Clone()
	}
	r.Header.Set("Authorization", "Bearer "+c.gate.token)
	r.Header.Set("User-Agent", "vitrine-push")
	if content != nil {
		r.Body, r.ContentLength = content, -1
		if sized, ok := content.(interface{ Size() int64 }); ok {
			r.ContentLength = sized.Size()
		}
	}
	r.Close = c.fresh
	answer, err := c.http.Do(r)
	if err != nil {
		return unreachable(ctx, c.gate, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		return refusal(answer)
	}
	if err := take(answer); err != nil {
		answer.Body.Close()
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
	c.fresh = true
	c.http.CloseIdleConnections()
}

// unreachable is the error of a request without an answer.
func unreachable(ctx context.Context, gate Gate, err error) error {
	var own *fault.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &own), errors.Is(err, errUnreadable):
		return err // the file could not be read on
	}
	var wrapped *url.Error // says again which address
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return &passing{err: fault.New(fault.Unavailable, "unreachable", "%s cannot be reached.", gate).Because(err)}
}

// passing is an error that may be gone when one tries again.
type passing struct {
	err   error
	after time.Duration // not before; 0 if nobody said
	// few limits the retries after this error to fewRetries.
	few bool
}

func (p *passing) Error() string { return p.err.Error() }
func (p *passing) Unwrap() error { return p.err }

// final is the error without its being passing.
func final(err error) error {
	var p *passing
	if errors.As(err, &p) {
		return p.err
	}
	return err
}

const (
	firstWait   = 500 * time.Millisecond
	longestWait = 30 * time.Second
	// fewRetries bounds the retries after a response with other content than the request asked for. It may be the
	// response to another request, if requests and responses of a connection no longer match, and a new connection
	// corrects that at once. Otherwise the address is wrong, and the user should learn it in seconds, not in minutes.
	fewRetries = 2
)

// retry runs fn until it succeeds, fails for good, or has failed too often.
func (c *client) retry(ctx context.Context, fn func() error) error {
	wait, few := firstWait, 0
	for again := 0; ; again++ {
		err := fn()
		var p *passing
		if err == nil || !errors.As(err, &p) || again >= c.retries {
			return final(err)
		}
		if p.few {
			few++
		}
		if few > fewRetries {
			return final(err)
		}
		pause := max(wait, p.after)
		wait = min(2*wait, longestWait)
		c.say(fmt.Sprintf("%s Trying again in %s.", brief(p.err), pause.Round(100*time.Millisecond)))
		if err := sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// brief is an error in one sentence.
func brief(err error) string {
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
