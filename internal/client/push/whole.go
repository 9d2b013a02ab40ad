package pushclient

import (
	"context"
	"errors"
	"io"

	"vitrine/internal/kit/fault"
)

// sendWhole sends the file in one request, which streams: what is atomic or missing is judged over it all. If something of the file
// cannot be read the request breaks off, so that nothing is taken for missing that is there.
func (p *push) sendWhole(ctx context.Context) error {
	if p.File == Stdin {
		p.Say("A push from standard input cannot be resumed.")
	}
	w := &whole{push: p}
	defer w.close()
	header := p.header()
	header.Set("Expect", "100-continue") // a token that is not taken costs no upload
	run, err := p.gate.push(ctx, p.Entity, p.query(), header, w.body)
	if w.stream == nil {
		return err
	}
	w.stream.leave()
	sent, l, broke, _ := w.stream.noted()
	p.report.ignore(w.items.ignored())
	if broke != nil {
		return w.breakOff(*broke)
	}
	if err == nil {
		run, err = p.gate.await(ctx, run, func(done int64) {
			p.Progress(Progress{Bytes: w.src.read.Load(), Size: w.src.size, Items: sent, Done: done})
		})
	}
	if err == nil {
		err = failure(run)
	}
	if told, ok := refusedRun(err, ""); ok {
		run = told
	}
	if run.ID != "" && !run.waiting() {
		if err := p.settle(ctx, run, l); err != nil {
			return err
		}
		p.items = sent
	}
	if _, ok := refusedRun(err, "push_rejected"); ok && run.Failed > 0 {
		p.report.Refused = true
		return nil
	}
	return err
}

// whole is the file of a request that takes all of it.
type whole struct {
	*push
	src    *source
	items  itemReader
	stream *stream
}

// body is the file from its beginning.
func (w *whole) body() (io.ReadCloser, error) {
	if w.stream != nil {
		if w.stream.untouched() {
			return w.stream, nil
		}
		if _, _, broke, err := w.stream.noted(); err != nil || broke != nil {
			return nil, errors.Join(err, errUnreadable)
		}
		if w.File == Stdin {
			return nil, errSentOnce
		}
		w.close()
	}
	src, items, err := w.open()
	if err != nil {
		return nil, err
	}
	w.src, w.items = src, items
	w.stream = newStream(items, func(sent int64) {
		w.Progress(Progress{Bytes: src.read.Load(), Size: src.size, Items: sent})
	})
	return w.stream, nil
}

func (w *whole) close() {
	if w.stream != nil {
		w.stream.leave()
		_ = w.src.Close() // it was only read
	}
}

// breakOff reads the rest of the file, to say all that cannot be read.
func (w *whole) breakOff(first unreadable) error {
	found := []unreadable{first}
	for {
		if err := w.settleUnreadable(found); err != nil {
			return err
		}
		it, err := w.items.next()
		if err != nil {
			break
		}
		found = found[:0]
		if it.unreadable != nil {
			found = append(found, *it.unreadable)
		}
	}
	if w.Atomic {
		w.report.Refused = true
		return nil
	}
	return fault.New(fault.Conflict, "unreadable",
		"Something of the file cannot be read, so it is not known what is missing: nothing was archived. What stands before it may be applied.")
}
