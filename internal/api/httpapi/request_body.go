package httpapi

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

const (
	// clientIdleTimeout is how long a client may pause while it sends its request body or reads the response.
	clientIdleTimeout = 60 * time.Second
	// After bodyGracePeriod a body must arrive at minBodyRate bytes a second on average, unless it is a stream. So a
	// client cannot hold the memory of a body for long.
	bodyGracePeriod = 30 * time.Second
	minBodyRate     = 16 << 10
	// drainTimeout is how long a response waits for the rest of a body that its handler did not read, and maxDrainBytes
	// is how many bytes of the rest are read at most. Some of the rest must be read, since a client may send its whole
	// request before it reads the response.
	drainTimeout  = 10 * time.Second
	maxDrainBytes = 256 << 10
	// lingerTimeout is how long net/http may continue to read a body that was cut short, after the response and before
	// it closes the connection. Closing a connection with unread bytes resets it, and the client might lose the
	// response.
	lingerTimeout = time.Second
)

var (
	// errBodyRead marks an error of the connection, or of the transfer coding, while a body was read.
	errBodyRead = errors.New("read the request body")
	// errBodyTooSlow marks the error of a body that did not arrive at minBodyRate.
	errBodyTooSlow = errors.New("the request body arrives too slowly")
)

// requestBody is a request's body as it arrives on the connection. Read fails if the body does not arrive at
// minBodyRate. It waits for a client that may be slow as long as bytes arrive, and fails once none have arrived for
// clientIdleTimeout. requestBody also knows whether the connection can
// carry another request: it can if the body was read to its end.
//
// Once a body has ended, no read deadline may be set any more. net/http then reads in the background, to notice that
// the client disconnects. If that read fails, even because of a deadline, net/http cancels the context of the
// connection, and so that of every later request on it. A body that was cut short by a deadline has cancelled that
// context already, so its connection is closed after the response.
type requestBody struct {
	source io.Reader           // net/http's body
	writer http.ResponseWriter // gives access to the deadlines of the connection
	length int64               // the Content-Length; -1 without one
	// awaitsContinue is true if the client waits for a 100 Continue before it sends the body (Expect: 100-continue).
	// The first Read sends it.
	awaitsContinue bool
	mayBeSlow      bool // minBodyRate does not apply; set before the first Read
	timed          bool // waited is measured

	mu       sync.Mutex
	started  time.Time     // the time of the first Read
	read     int64         // how many bytes were read
	readFrom time.Time     // the time of the last Read
	waited   time.Duration // how long all Reads took together, if timed is true
	reading  bool          // a Read is under way
	ended    bool          // the end was read
	closed   bool          // Close was called before the end
	failed   bool          // a Read failed, or drain did not reach the end
	timedOut bool          // the client sent nothing for too long
}

// init makes b the body of r. Without a body, b is at its end from the start.
func (b *requestBody) init(w http.ResponseWriter, r *http.Request) {
	b.writer = w
	b.length = r.ContentLength
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		b.source = http.NoBody
		b.ended = true
		return
	}
	b.source = r.Body
	b.awaitsContinue = strings.EqualFold(r.Header.Get("Expect"), "100-continue")
}

// Read implements io.Reader. After Close or an error it returns os.ErrClosed. Errors other than io.EOF wrap
// errBodyRead.
func (b *requestBody) Read(p []byte) (int, error) {
	if err := b.beginRead(); err != nil {
		return 0, err
	}
	n, err := b.source.Read(p)
	b.endRead(n, err)
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return n, err
	case errors.Is(err, os.ErrDeadlineExceeded) && !b.mayBeSlow:
		return n, fmt.Errorf("%w: %w: %w", errBodyRead, errBodyTooSlow, err)
	}
	return n, fmt.Errorf("%w: %w", errBodyRead, err)
}

func (b *requestBody) beginRead() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed, b.failed:
		return os.ErrClosed
	case b.ended:
		return io.EOF
	}
	b.reading, b.awaitsContinue = true, false
	b.readFrom = time.Now()
	b.setDeadline(b.nextDeadline(b.readFrom))
	return nil
}

// nextDeadline returns when the next bytes must have arrived.
func (b *requestBody) nextDeadline(now time.Time) time.Time {
	if b.started.IsZero() {
		b.started = now
	}
	idle := now.Add(clientIdleTimeout)
	if b.mayBeSlow {
		return idle
	}
	if due := b.started.Add(bodyGracePeriod + transferTime(b.read)); due.Before(idle) {
		return due
	}
	return idle
}

// transferTime returns how long n bytes take at minBodyRate.
func transferTime(n int64) time.Duration {
	return time.Duration(float64(n) / minBodyRate * float64(time.Second))
}

func (b *requestBody) endRead(n int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()

	b.reading = false
	b.read += int64(n)

	if b.timed {
		b.waited += time.Since(b.readFrom)
	}

	switch {
	case errors.Is(err, io.EOF):
		b.ended = true
		if !b.closed {
			b.setDeadline(time.Time{})
		}
	case err != nil:
		b.failed = true
		b.timedOut = !b.closed && errors.Is(err, os.ErrDeadlineExceeded)
	}
}

// Close makes a Read that is under way, and all later ones, return an error. It may be called by another goroutine
// than the one that reads. Closing a body that was read to its end does nothing.
func (b *requestBody) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.ended {
		b.closed = true
		b.setDeadline(time.Now())
	}
	return nil
}

// bytesRead returns how many bytes were read.
func (b *requestBody) bytesRead() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.read
}

// readWait returns how long Read has waited for the client, if that is measured.
func (b *requestBody) readWait() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.waited
}

// drain is called once, before the status of the response is sent, and reports whether the connection can carry another
// request. If the handler has not read the whole body, drain reads and discards the rest, unless the rest is long or
// the client waits for a 100 Continue.
func (b *requestBody) drain() bool {
	b.mu.Lock()
	defer b.mu.Unlock()

	if b.ended {
		return !b.closed
	}

	drainable := !b.closed && !b.failed && !b.reading && !b.awaitsContinue && b.length-b.read <= maxDrainBytes
	if drainable {
		b.setDeadline(time.Now().Add(drainTimeout))
		_, err := io.CopyN(io.Discard, b.source, maxDrainBytes+1)
		if errors.Is(err, io.EOF) {
			b.ended = true
			b.setDeadline(time.Time{})
			return true
		}
		b.timedOut = errors.Is(err, os.ErrDeadlineExceeded)
	}

	b.failed = true
	b.setDeadline(time.Now().Add(lingerTimeout))
	return false
}

// clientTimedOut reports whether the client sent nothing of the body for too long. The timeout has cancelled the
// context of the connection, so a response that fails later is counted as client_left.
func (b *requestBody) clientTimedOut() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.timedOut
}

// setDeadline sets the read deadline of the connection, if the writer has one (httptest.ResponseRecorder has none).
func (b *requestBody) setDeadline(t time.Time) {
	_ = http.NewResponseController(b.writer).SetReadDeadline(t)
}
