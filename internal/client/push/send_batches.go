package push

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/klauspost/compress/gzip"

	"vitrine/internal/kit/fault"
)

// sendBatches sends the file in requests of limited size, one after the other, and saves its progress after each.
func (p *pusher) sendBatches(ctx context.Context) error {
	src, err := p.open()
	if err != nil {
		return err
	}
	defer func() {
		p.reportCharset(src)
		_ = src.Close() // opened for reading only
	}()

	state, err := p.resume(src)
	if err != nil {
		return err
	}

	p.Progress(src.progress(p.itemsSent, 0))
	var b requestBatch
	var pending *item

	var readErr error
	for readErr == nil {
		pending, readErr = b.fill(src.next, p.Items, p.Bytes, pending)

		if b.items > 0 {
			run, err := p.sendBatch(ctx, &b, src)
			if err != nil {
				return err
			}
			if err := p.recordRun(ctx, run, b.lines); err != nil {
				return err
			}
		}

		if err := p.recordUnreadable(b.unreadable); err != nil {
			return err
		}

		p.itemsSent += b.items
		p.entriesDone += b.entries()
		p.saveState(state)
		p.Progress(src.progress(p.itemsSent, 0))
	}

	if !errors.Is(readErr, io.EOF) {
		return readErr
	}

	return state.remove()
}

func (p *pusher) sendBatch(ctx context.Context, b *requestBatch, src *inputSource) (Run, error) {
	run, err := p.client.postItems(ctx, p.Entity, p.requestQuery(), p.requestHeader(), b.finish())
	if err == nil {
		run, err = p.client.waitForRun(ctx, run, func(done int64) {
			p.Progress(src.progress(p.itemsSent+b.items, p.itemsSent+done))
		})
	}
	if err != nil {
		return run, err
	}
	return run, runError(run)
}

func runError(run Run) error {
	if run.Status != "failed" {
		return nil
	}
	f := fault.New(fault.Unavailable, "run_failed", "The server could not finish run %s.", run.ID)
	if run.Problem != nil {
		f = fault.New(fault.Conflict, run.Problem.Code, "%s", run.Problem.Message)
	}
	return &gateRefusalError{f, &run}
}

func (p *pusher) requestQuery() url.Values {
	q := url.Values{}
	for name, set := range map[string]bool{
		"dry_run": p.DryRun, "atomic": p.Atomic, "archive_missing": p.ArchiveMissing,
		"revertible": p.Revertible,
	} {
		if set {
			q.Set(name, "true")
		}
	}
	if p.MaxArchiveShare != nil {
		q.Set("max_archive_share", strconv.FormatFloat(*p.MaxArchiveShare, 'f', -1, 64))
	}
	return q
}

func (p *pusher) requestHeader() http.Header {
	h := http.Header{"Content-Type": {"application/x-ndjson"}, "Content-Encoding": {"gzip"}}
	if p.Async {
		h.Set("Prefer", "respond-async")
	}
	return h
}

// resume skips the part of the file that an earlier, interrupted push has sent, if there was one.
func (p *pusher) resume(src *inputSource) (*stateFile, error) {
	if !p.resumable() {
		if p.File == Stdin {
			p.Notify("A push from standard input cannot be resumed.")
		}
		return &stateFile{}, nil
	}

	current, err := fingerprintOf(p.File)
	if err != nil {
		return nil, err
	}

	file := &stateFile{
		path:     StateFile(p.File),
		identity: pushIdentity{Fingerprint: current, To: p.Gate.String(), Entity: p.Entity, Format: p.Format},
	}
	saved, reason := file.load()
	if p.Restart || saved == nil {
		if reason != "" && !p.Restart {
			p.Notify(fmt.Sprintf("%s Starting from the beginning.", reason))
		}
		return file, nil
	}

	for range saved.Entries {
		if _, err := src.next(); err != nil {
			return nil, fmt.Errorf("skip the items of the interrupted push: %w", err)
		}
	}

	p.entriesDone, p.itemsSent = saved.Entries, saved.Items
	p.earlierDuration = time.Duration(saved.Report.DurationMS) * time.Millisecond
	p.report = saved.Report
	p.report.File = p.File
	p.report.Resumed = true
	p.Notify(fmt.Sprintf("Resuming an interrupted push after %d items; --restart starts over.", p.itemsSent))

	return file, p.rejects.resume(saved.RejectsBytes)
}

// saveState saves the progress of the push. If that fails, the push continues but cannot be resumed.
func (p *pusher) saveState(file *stateFile) {
	if file.path == "" {
		return
	}
	p.report.setDuration(p.earlierDuration + time.Since(p.startedAt))
	state := savedState{Entries: p.entriesDone, Items: p.itemsSent, RejectsBytes: p.rejects.size, Report: p.report}
	if err := file.save(state); err != nil {
		p.Notify(fmt.Sprintf("Cannot save progress (%v): this push cannot be resumed.", err))
		file.path = ""
	}
}

// requestBatch collects the items of one request as gzip-compressed NDJSON.
type requestBatch struct {
	compressed bytes.Buffer
	gzip       *gzip.Writer
	items      int64
	rawBytes   int64 // before compression
	lines      itemLines
	// unreadable has the entries of the file, between the items, that could not be read.
	unreadable []unreadableEntry
}

// newGzipWriter uses BestSpeed: on a network of 1 Gbit/s a slower level costs more time than it saves.
func newGzipWriter(w io.Writer) *gzip.Writer {
	gz, _ := gzip.NewWriterLevel(w, gzip.BestSpeed) // a valid level
	return gz
}

func (b *requestBatch) reset() {
	b.compressed.Reset()
	if b.gzip == nil {
		b.gzip = newGzipWriter(&b.compressed)
	}
	b.gzip.Reset(&b.compressed)
	b.items = 0
	b.rawBytes = 0
	b.lines = b.lines[:0]
	b.unreadable = nil
}

// entries returns the number of entries of the file in the batch: items and unreadable entries.
func (b *requestBatch) entries() int64 { return b.items + int64(len(b.unreadable)) }

// fill reads items into the batch until a limit is reached. An item larger than maxBytes gets a batch of its own. If
// the next item does not fit, fill returns it as excess; the caller passes it as pending to the next call. The error is
// io.EOF after the last item, or the error of reading the file; the batch then contains the items before it.
func (b *requestBatch) fill(
	read func() (item, error), maxItems int, maxBytes int64, pending *item,
) (excess *item, err error) {
	b.reset()

	for b.entries() < int64(maxItems) {
		next := pending
		pending = nil
		if next == nil {
			it, err := read()
			if err != nil {
				return nil, err
			}
			next = &it
		}

		switch {
		case next.unreadable != nil:
			b.unreadable = append(b.unreadable, *next.unreadable)
			continue
		case b.items > 0 && b.rawBytes+int64(len(next.body)) >= maxBytes:
			return next, nil
		}

		b.add(*next)
	}

	return nil, nil
}

func (b *requestBatch) add(it item) {
	_, _ = b.gzip.Write(it.body) // writing to memory does not fail
	_, _ = b.gzip.Write([]byte{'\n'})
	b.items++
	b.rawBytes += int64(len(it.body)) + 1
	b.lines.add(it.line)
}

// finish completes the gzip stream and returns the request body. The body is valid until the batch is reset.
func (b *requestBatch) finish() bodyFunc {
	_ = b.gzip.Close() // writing to memory does not fail
	content := b.compressed.Bytes()
	return func() (io.ReadCloser, error) { return sizedBody{bytes.NewReader(content)}, nil }
}

type sizedBody struct{ *bytes.Reader }

func (sizedBody) Close() error { return nil }
