package pushclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"vitrine/internal/fault"
)

// client speaks to one gate.
type client struct {
	http    *http.Client
	gate    Gate
	retries int
	say     func(string)
}

// maxAnswer is the most that an answer other than rejects may have: a run with 2,000 issues takes well under a megabyte.
const maxAnswer = 32 << 20

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
		answer, err := c.do(ctx, http.MethodPost, c.gate.url(query, entity), header, content)
		if err == nil {
			defer answer.Body.Close()
			run, err = readRun(answer)
		}
		failed = final(err)
		return err
	})
	return run, err
}

// do sends one request. The answer is a success; anything else is an error: a passing one if it makes sense to try again.
func (c *client) do(ctx context.Context, method, address string, header http.Header, content io.ReadCloser) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return nil, err
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
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, unreachable(ctx, c.gate, err)
	}
	if answer.StatusCode/100 == 2 {
		return answer, nil
	}
	defer answer.Body.Close()
	return nil, refusal(answer)
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
)

// retry runs fn until it succeeds, fails for good, or has failed too often.
func (c *client) retry(ctx context.Context, fn func() error) error {
	wait := firstWait
	for again := 0; ; again++ {
		err := fn()
		var p *passing
		if err == nil || !errors.As(err, &p) || again >= c.retries {
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

func readAll(answer *http.Response) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return nil, &passing{err: fault.New(fault.Unavailable, "unreachable", "The answer broke off.").Because(err)}
	}
	return body, nil
}
