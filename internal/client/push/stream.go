package push

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// errUnreadable aborts a single request if an entry of the file cannot be read. The server sees an incomplete body.
var errUnreadable = errors.New("the file contains an unreadable entry")

// stream is the body of a single request: it compresses the file while it is sent. Only the HTTP transport calls Read.
// The other methods are safe for concurrent use.
type stream struct {
	src   *source
	gzip  *gzip.Writer
	buf   bytes.Buffer
	ended bool

	mu     sync.Mutex
	onSent func(items int64) // nil after detach
	state  streamState
}

// streamState says how much of the file was sent, and why reading stopped, if it did.
type streamState struct {
	started    bool
	sent       int64
	lines      itemLines
	unreadable *unreadableEntry // the entry that aborted the request
	err        error            // the error of reading the file
}

func (s *stream) Read(p []byte) (int, error) {
	for s.buf.Len() == 0 {
		if s.ended {
			return 0, io.EOF
		}
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
	return s.buf.Read(p)
}

func (s *stream) fill() error {
	it, err := s.src.next()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.started = true
	switch {
	case errors.Is(err, io.EOF):
		s.ended = true
		return s.gzip.Close()
	case err != nil:
		s.state.err = err
		return err
	case it.unreadable != nil:
		s.state.unreadable = it.unreadable
		return errUnreadable
	}
	_, _ = s.gzip.Write(it.body) // writing to memory does not fail
	_, _ = s.gzip.Write([]byte{'\n'})
	s.state.sent++
	s.state.lines.add(it.line)
	if s.onSent != nil {
		s.onSent(s.state.sent)
	}
	return nil
}

// Close does nothing: the transport may call it at any time, even during Read.
func (s *stream) Close() error { return nil }

// detach ends the calls of onSent. A transport may still call Read after the request has failed.
func (s *stream) detach() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onSent = nil
}

func (s *stream) snapshot() streamState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}
