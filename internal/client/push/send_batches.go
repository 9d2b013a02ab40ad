package push

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"vitrine/internal/kit/fault"
)

// sendBatches sends the file in requests of limited size, one after the other, and saves its progress after each.
func (p *pusher) sendBatches(ctx context.Context) error {
	src, err := p.open()
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }() // opened for reading only
	state, err := p.resume(src)
	if err != nil {
		return err
	}
	p.Progress(src.progress(p.itemsSent, 0))
	var b batch
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

func (p *pusher) sendBatch(ctx context.Context, b *batch, src *source) (Run, error) {
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
	return &refusalError{f, &run}
}

func (p *pusher) requestQuery() url.Values {
	q := url.Values{}
	for name, set := range map[string]bool{
		"dry_run": p.DryRun, "atomic": p.Atomic, "archive_missing": p.ArchiveMissing,
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
func (p *pusher) resume(src *source) (*stateFile, error) {
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
		identity: identity{Fingerprint: current, To: p.Gate.String(), Entity: p.Entity, Format: p.Format},
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
	p.report.File, p.report.Resumed = p.File, true
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
