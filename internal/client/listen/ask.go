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

// maxAnswer bounds a response of the administration, in bytes.
const maxAnswer = 1 << 20

const (
	// maxTries is how often a request is sent, and firstWait the pause before the second time; it doubles with each
	// try.
	maxTries  = 4
	firstWait = 100 * time.Millisecond
)

// passing is a failure that may be gone when the request is sent again.
type passing struct{ fault *fault.Error }

func (p *passing) Error() string { return p.fault.Error() }
func (p *passing) Unwrap() error { return p.fault }

// retry calls try until it succeeds, fails for good, or has failed maxTries times, but not after the context's end.
// Each try after the first has a new connection: ask leaves none open, and retry closes idle ones that others left,
// since net/http may send even a request with Close on an idle connection.
func (j *Job) retry(ctx context.Context, try func() error) error {
	wait := firstWait
	for tries := 1; ; tries++ {
		err := try()
		var p *passing
		if !errors.As(err, &p) {
			return err
		}
		if tries == maxTries || !sleep(ctx, max(wait, p.fault.RetryAfter)) {
			return p.fault
		}
		j.Client.CloseIdleConnections()
		wait *= 2
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

// ask sends one request to the administration. take looks at a 2xx response and returns an error if it does not prove
// that the request was done. Any other response is a fault. The error is a passing one if the request may be sent
// again.
func (j *Job) ask(
	ctx context.Context, method, address string, header http.Header, body []byte,
	take func(status int, text []byte) error,
) error {
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if header != nil {
		r.Header = header.Clone()
	}
	r.Header.Set("Authorization", "Bearer "+j.Admin.key)
	r.Header.Set("User-Agent", "vitrine-listen")
	r.Close = true // requests are rare, so no connection is kept for the next one
	answer, err := j.Client.Do(r)
	if err != nil {
		return &passing{unreachable(j.Admin, err)}
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return &passing{unreachable(j.Admin, err)}
	}
	if answer.StatusCode/100 != 2 {
		return refused(j.Admin, answer, text)
	}
	return take(answer.StatusCode, text)
}

// refused is the error of a response other than 2xx. A server that is unavailable, or still works on an earlier try,
// is asked again.
func refused(admin Admin, answer *http.Response, text []byte) error {
	f := refusal(admin, answer, text)
	if f.Kind != fault.Unavailable && f.Code != "idempotency_in_progress" {
		return f
	}
	if seconds, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil {
		f = f.After(time.Duration(seconds) * time.Second)
	}
	return &passing{f}
}

// noReceiver is the error of a 2xx response to a registration that holds no receiver. It proves nothing, so the request
// is sent again, except after a page of HTML or XML: that comes from another kind of server.
func noReceiver(admin Admin, status int, text []byte) error {
	switch text = bytes.TrimSpace(text); {
	case len(text) == 0:
		return &passing{fault.New(fault.Unavailable, "empty_answer",
			"%s answered %s without a receiver: the body is empty. Is it the address of a store's administration?",
			admin, statusText(status))}
	case text[0] == '<':
		return notAdmin(admin, status)
	}
	return &passing{notAdmin(admin, status)}
}

// notDeleted is the error of a 2xx response to a DELETE other than 204 No Content, which does not prove that the
// receiver is deleted.
func notDeleted(admin Admin, status int) error {
	return &passing{fault.New(fault.Unavailable, "not_deleted", "%s answered %s instead of %s.",
		admin, statusText(status), statusText(http.StatusNoContent))}
}
