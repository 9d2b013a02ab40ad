package push

import (
	"context"
	"errors"
	"io"

	"vitrine/internal/kit/fault"
)

// sendSingleRequest streams the file in one request. It aborts the request if an entry of the file cannot be read, so
// that the gate does not archive products that are in the file.
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

// singleRequest is the file of a push in a single request.
type singleRequest struct {
	*pusher
	stream *stream // nil before the first attempt
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
	w.stream = &stream{src: src, onSent: func(sent int64) { w.Progress(src.progress(sent, 0)) }}
	w.stream.gzip = newGzipWriter(&w.stream.buf)
	return w.stream, nil
}

func (w *singleRequest) close() {
	if w.stream != nil {
		w.stream.detach()
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
