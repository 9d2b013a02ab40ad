package pushclient

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

// sendParts sends the file in requests of bounded size, one after the other, and notes after each how far it is.
func (p *push) sendParts(ctx context.Context) error {
	src, items, err := p.open()
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }() // it was only read
	state, err := p.resume(items)
	if err != nil {
		return err
	}
	p.report.ignore(items.ignored())
	p.tell(src)
	var b batch
	var ahead *item
	var ended error
	for ended == nil {
		ahead, ended = b.gather(items, p.Items, p.Bytes, ahead)
		if b.items > 0 {
			run, err := p.send(ctx, &b, src)
			if err != nil {
				return err
			}
			if err := p.settle(ctx, run, b.lines); err != nil {
				return err
			}
		}
		if err := p.settleUnreadable(b.unreadable); err != nil {
			return err
		}
		p.items += b.items
		p.entries += b.entries()
		p.save(state)
		p.tell(src)
	}
	if !errors.Is(ended, io.EOF) {
		return ended
	}
	return state.remove()
}

// send sends one batch and waits for its run.
func (p *push) send(ctx context.Context, b *batch, src *source) (Run, error) {
	run, err := p.gate.push(ctx, p.Entity, p.query(), p.header(), b.body())
	if err == nil {
		run, err = p.gate.await(ctx, run, func(done int64) {
			p.Progress(Progress{Bytes: src.read.Load(), Size: src.size, Items: p.items + b.items, Done: p.items + done})
		})
	}
	if err != nil {
		return run, err
	}
	return run, failure(run)
}

// failure is the error of a run that failed after its answer.
func failure(run Run) error {
	if run.Status != "failed" {
		return nil
	}
	f := fault.New(fault.Unavailable, "run_failed", "The server could not finish run %s.", run.ID)
	if run.Problem != nil {
		f = fault.New(fault.Conflict, run.Problem.Code, "%s", run.Problem.Message)
	}
	return &refused{f, &run}
}

// query is what a push says beside its items.
func (p *push) query() url.Values {
	q := url.Values{}
	for name, set := range map[string]bool{"dry_run": p.DryRun, "atomic": p.Atomic, "archive_missing": p.ArchiveMissing} {
		if set {
			q.Set(name, "true")
		}
	}
	if p.MaxArchiveShare != nil {
		q.Set("max_archive_share", strconv.FormatFloat(*p.MaxArchiveShare, 'f', -1, 64))
	}
	return q
}

func (p *push) header() http.Header {
	h := http.Header{"Content-Type": {"application/x-ndjson"}, "Content-Encoding": {"gzip"}}
	if p.Async {
		h.Set("Prefer", "respond-async")
	}
	return h
}

func (p *push) tell(src *source) {
	p.Progress(Progress{Bytes: src.read.Load(), Size: src.size, Items: p.items})
}

// resume goes on where an earlier push of the same file was cut, if there was one.
func (p *push) resume(items itemReader) (*stateFile, error) {
	if !p.resumable() {
		if p.File == Stdin {
			p.Say("A push from standard input cannot be resumed.")
		}
		return &stateFile{}, nil
	}
	mark, err := fingerprintOf(p.File)
	if err != nil {
		return nil, err
	}
	file := &stateFile{path: StateFile(p.File), of: identity{Fingerprint: mark, To: p.Gate.String(), Entity: p.Entity, Format: p.Format}}
	was, why := file.load()
	if p.Restart || was == nil {
		if why != "" && !p.Restart {
			p.Say(fmt.Sprintf("%s Starting at the beginning.", why))
		}
		return file, nil
	}
	for range was.Entries {
		if _, err := items.next(); err != nil {
			return nil, fmt.Errorf("go to where the last push was cut: %w", err)
		}
	}
	p.entries, p.items, p.spent = was.Entries, was.Items, time.Duration(was.Report.DurationMS)*time.Millisecond
	p.report = was.Report
	p.report.File = p.File
	p.report.Resumed = true
	p.Say(fmt.Sprintf("Going on after %d items of a push that was cut; --restart begins again.", p.items))
	return file, p.rejects.resume(was.RejectsBytes)
}

// save notes how far the push is. It cannot be gone on with if that fails, which is no reason to stop.
func (p *push) save(file *stateFile) {
	if file.path == "" {
		return
	}
	p.report.finish(p.spent + time.Since(p.began))
	err := file.save(state{Entries: p.entries, Items: p.items, RejectsBytes: p.rejects.size, Report: p.report})
	if err != nil {
		p.Say(fmt.Sprintf("It cannot be noted how far the push is, so it could not be gone on with: %v", err))
		file.path = ""
	}
}
