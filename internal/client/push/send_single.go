package push

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"

	"vitrine/internal/kit/fault"
)

// sendSingleRequest streams the file in one request. It aborts the request if an entry of the file cannot be read: an
// atomic push must be complete, and with ArchiveMissing the gate would archive the products that were not sent.
func (p *pusher) sendSingleRequest(ctx context.Context) error {
	if p.File == Stdin {
		p.Notify("A push from standard input cannot be resumed.")
	}

	w := &singleRequest{pusher: p}
	defer w.close()

	header := p.requestHeader()
	header.Set("Expect", "100-continue") // a rejected token is reported before the upload
	run, err := p.client.postItems(ctx, p.Entity, p.requestQuery(), header, w.newBody)
	if w.stream == nil {
		return err
	}

	w.stream.detach()
	state := w.stream.snapshot()
	if state.unreadable != nil {
		return w.reportUnreadable(*state.unreadable)
	}

	if err == nil {
		run, err = p.client.waitForRun(ctx, run, func(done int64) {
			p.Progress(w.stream.src.progress(state.sent, done))
		})
	}

	if err == nil {
		err = runError(run)
	}

	if reported, ok := refusalRun(err, ""); ok {
		run = reported
	}

	if run.ID != "" && !run.unfinished() {
		if err := p.recordRun(ctx, run, state.lines); err != nil {
			return err
		}
		p.itemsSent = state.sent
	}

	if _, ok := refusalRun(err, "push_rejected"); ok && run.Failed > 0 {
		p.report.Refused = true
		return nil
	}

	return err
}

type singleRequest struct {
	*pusher
	stream *uploadStream // nil before the first attempt
}

// newBody returns a body that begins at the start of the file.
func (w *singleRequest) newBody() (io.ReadCloser, error) {
	if w.stream != nil {
		switch state := w.stream.snapshot(); {
		case !state.started:
			return w.stream, nil
		case state.err != nil || state.unreadable != nil:
			return nil, errors.Join(state.err, errUnreadable)
		case w.File == Stdin:
			return nil, errCannotResend
		}

		w.close()
	}

	src, err := w.open()
	if err != nil {
		return nil, err
	}

	w.stream = &uploadStream{src: src, onSent: func(sent int64) { w.Progress(src.progress(sent, 0)) }}
	w.stream.gzip = newGzipWriter(&w.stream.buf)
	return w.stream, nil
}

func (w *singleRequest) close() {
	if w.stream != nil {
		w.stream.detach()
		w.reportCharset(w.stream.src)
		_ = w.stream.src.Close() // opened for reading only
	}
}

// reportUnreadable reads the rest of the file to report all unreadable entries.
func (w *singleRequest) reportUnreadable(first unreadableEntry) error {
	entries := []unreadableEntry{first}
	for {
		if err := w.recordUnreadable(entries); err != nil {
			return err
		}

		it, err := w.stream.src.next()
		if err != nil {
			break
		}

		entries = entries[:0]
		if it.unreadable != nil {
			entries = append(entries, *it.unreadable)
		}
	}

	if w.Atomic {
		w.report.Refused = true
		return nil
	}

	return fault.New(fault.Conflict, "unreadable", "The file contains unreadable entries, so the missing products are "+
		"not known: nothing was archived. Items before the first unreadable entry may have been applied.")
}

// errUnreadable aborts a single request if an entry of the file cannot be read. The server sees an incomplete body.
var errUnreadable = errors.New("the file contains an unreadable entry")

// uploadStream is the body of a single request. Only the HTTP transport calls Read, possibly while other methods run.
type uploadStream struct {
	src   *inputSource
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

func (s *uploadStream) Read(p []byte) (int, error) {
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

func (s *uploadStream) fill() error {
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
func (s *uploadStream) Close() error { return nil }

// detach ends the calls of onSent. A transport may still call Read after the request has failed.
func (s *uploadStream) detach() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onSent = nil
}

func (s *uploadStream) snapshot() streamState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}
