package pushclient

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// errUnreadable ends a request that must be whole when something of the file cannot be read: the server sees it break off.
var errUnreadable = errors.New("the file holds what cannot be read")

// stream is a whole file as the body of one request, made while it is read. Only the sender reads it; what it noted may be asked for by
// others at any time.
type stream struct {
	items itemReader
	zip   *gzip.Writer
	buf   bytes.Buffer
	ended bool

	mu         sync.Mutex
	onSent     func(items int64) // nil once nobody listens
	started    bool
	sent       int64
	lines      itemLines
	unreadable *unreadableEntry // why it broke off
	err        error            // why the file could not be read on
}

func newStream(items itemReader, onSent func(items int64)) *stream {
	s := &stream{items: items, onSent: onSent}
	s.zip = newGzipWriter(&s.buf)
	return s
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

// fill packs one more item.
func (s *stream) fill() error {
	it, err := s.items.next()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.started = true
	switch {
	case errors.Is(err, io.EOF):
		s.ended = true
		return s.zip.Close()
	case err != nil:
		s.err = err
		return err
	case it.unreadable != nil:
		s.unreadable = it.unreadable
		return errUnreadable
	}
	_, _ = s.zip.Write(it.body) // into memory
	_, _ = s.zip.Write([]byte{'\n'})
	s.sent++
	s.lines.add(it.line)
	if s.onSent != nil {
		s.onSent(s.sent)
	}
	return nil
}

// Close does nothing: the sender may do it at any time, also while it reads.
func (s *stream) Close() error { return nil }

// detach says that nobody listens any more; a sender that gave up may still read.
func (s *stream) detach() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onSent = nil
}

// snapshot is what was sent so far, and why no more was.
func (s *stream) snapshot() (sent int64, lines itemLines, unreadable *unreadableEntry, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent, s.lines, s.unreadable, s.err
}

// notStarted reports whether nothing of it was read.
func (s *stream) notStarted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.started
}
