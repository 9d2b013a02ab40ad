package httpapi

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"vitrine/internal/kit/fault"
)

// slowClient is a body that arrives in pieces, and the writer of its connection. A Read fails at the deadline that was
// set, as on a connection.
type slowClient struct {
	*httptest.ResponseRecorder
	piece, pieces int           // the size of a piece in bytes, and how many there are
	pause         time.Duration // before each piece
	deadline      time.Time
}

func (c *slowClient) SetReadDeadline(t time.Time) error {
	c.deadline = t
	return nil
}

func (c *slowClient) Read(p []byte) (int, error) {
	if c.pieces == 0 {
		return 0, io.EOF
	}
	arrival := time.Now().Add(c.pause)
	if !c.deadline.IsZero() && arrival.After(c.deadline) {
		time.Sleep(time.Until(c.deadline))
		return 0, os.ErrDeadlineExceeded
	}
	time.Sleep(c.pause)
	c.pieces--
	return copy(p, make([]byte, c.piece)), nil
}

func (c *slowClient) Close() error { return nil }

// A body must arrive at 16 KiB/s on average after the first 30 seconds. Only the stream of the gate may be slower.
func TestM8_bodyMustArriveAtAMinimumRate(t *testing.T) {
	const kib = 1 << 10
	for _, c := range []struct {
		name          string
		piece, pieces int
		pause         time.Duration
		mayBeSlow     bool
		code          string
		ends          time.Duration
	}{
		{"a byte every 15 s", 1, 1000, 15 * time.Second, false, "body_too_slow", 30 * time.Second},
		{"4 KiB/s", 4 * kib, 1000, time.Second, false, "body_too_slow", 40 * time.Second},
		{"16 KiB/s", 16 * kib, 1000, time.Second, false, "", 1000 * time.Second},
		{"a short body within 30 s", 1, 29, time.Second, false, "", 29 * time.Second},
		{"silence after a large body", 1 << 20, 2, 45 * time.Second, false, "body_too_slow", 30 * time.Second},
		{"a stream of a byte every 50 s", 1, 100, 50 * time.Second, true, "", 5000 * time.Second},
		{"a silent stream", 1, 2, 61 * time.Second, true, "body_incomplete", 60 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := &slowClient{httptest.NewRecorder(), c.piece, c.pieces, c.pause, time.Time{}}
				b := &requestBody{mayBeSlow: c.mayBeSlow}
				b.init(client, &http.Request{Body: client, ContentLength: -1})
				start := time.Now()
				_, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{b}, make([]byte, 1<<20))
				f, _ := errors.AsType[*fault.Error](bodyFault(err, Unlimited))
				if (f == nil) != (c.code == "") || f != nil && f.Code != c.code {
					t.Errorf("got %v, want %q", err, c.code)
				}

				if took := time.Since(start).Round(time.Second); took != c.ends {
					t.Errorf("it ended after %s, want %s", took, c.ends)
				}
			})
		})
	}

	if StatusOf(fault.TooSlow) != http.StatusRequestTimeout {
		t.Error("a slow body is not 408")
	}
}

// A client must read a response at 16 KiB/s on average after the first minute.
func TestH6_responseMustBeReadAtAMinimumRate(t *testing.T) {
	start := time.Date(2026, 11, 14, 12, 0, 0, 0, time.UTC)
	w := &responseRecorder{}
	if got := w.nextDeadline(start, 32<<10); got != start.Add(62*time.Second) {
		t.Errorf("the first deadline is %s", got)
	}
	w.bytes = 32 << 10
	for after, want := range map[time.Duration]time.Duration{
		time.Second:      63 * time.Second, // 60 s from now, and 2 s for the next 32 KiB
		50 * time.Second: 64 * time.Second, // 60 s from the start, and 4 s for 64 KiB
		70 * time.Second: 64 * time.Second, // in the past: the connection is closed
	} {
		if got := w.nextDeadline(start.Add(after), 32<<10); got != start.Add(want) {
			t.Errorf("after %s the deadline is at %s, want %s", after, got.Sub(start), want)
		}
	}
}
