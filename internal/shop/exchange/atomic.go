package exchange

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
)

const (
	// A push that is to be applied whole is given up after so many failed items, or so many bytes of them: it will not be applied, and what
	// is told of it is held in memory. Of warnings as many are kept.
	atomicFailures    = 10_000
	atomicRejectBytes = 32 << 20
	// atomicTime bounds the transaction of such a push.
	atomicTime = time.Hour
)

// errRejected ends the transaction of a push that is to be applied whole and has an item that failed.
var errRejected = errors.New("an item of an atomic push failed")

// atomic applies a push in one transaction, all of it or nothing. It is read to its end before that begins.
func (p *pushRun) atomic(ctx context.Context, body io.ReadCloser) error {
	if p.done > 0 {
		return nil // it was applied, and stopped before that could be told
	}
	file, err := p.spoolFile(body)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it is a temporary file that was read
	ctx, cancel := context.WithTimeout(ctx, atomicTime)
	defer cancel()
	var all *atomicPush
	err = p.retry(ctx, func() error {
		return p.s.DB.WriteAlone(ctx, func(q querier) error {
			if _, err := file.Seek(0, io.SeekStart); err != nil {
				return err
			}
			all = newAtomicPush(p)
			return all.apply(ctx, q, file)
		})
	})
	if all != nil {
		p.ignored = all.pushRun.ignored
	}
	switch {
	case err == nil:
		*p.run = *all.pushRun.run
		return p.linkAll(ctx, all.arrived)
	case errors.Is(err, errUndo):
		*p.run = *all.pushRun.run
		return p.s.write(ctx, func(q querier) error { return p.recordAll(ctx, q, all) })
	case errors.Is(err, errRejected):
		return p.reject(ctx, all)
	case fault.KindOf(err) == fault.Conflict:
		p.run.Received = all.pushRun.run.Received // of which nothing was applied
	}
	return err
}

// spoolFile copies the body into a file that has no name any more.
func (p *pushRun) spoolFile(body io.Reader) (*os.File, error) {
	file, err := os.CreateTemp(p.s.SpoolDir, "push-*")
	if err != nil {
		return nil, spoolFault(err)
	}
	_ = os.Remove(file.Name())
	if _, err := io.Copy(file, body); err != nil {
		return nil, errors.Join(spoolFault(err), file.Close())
	}
	return file, nil
}

func spoolFault(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fault.New(fault.Unavailable, "disk_full", "The disk is full; nothing was changed. The service goes on when there is room again.").
			After(30 * time.Second).Because(err)
	}
	return fmt.Errorf("spool a push: %w", err)
}

// atomicPush is the work of one transaction that applies a whole push. It has a run of its own, since the transaction may be repeated.
type atomicPush struct {
	pushRun  pushRun
	end      catalog.PushEnd
	errors   []Note
	warnings []Note
	rejects  []reject
	bytes    int // of the rejects
	arrived  []string
}

func newAtomicPush(p *pushRun) *atomicPush {
	run := *p.run
	return &atomicPush{pushRun: pushRun{s: p.s, storeID: p.storeID, run: &run, handler: p.handler, created: newHashes(), fence: p.fence}}
}

// apply applies all items, and returns errRejected if one of them failed, or errUndo for a dry run.
func (a *atomicPush) apply(ctx context.Context, q querier, body io.Reader) error {
	p := &a.pushRun
	err := p.handler.decode(p.run.Format, body, &p.ignored, func(b batch) error {
		done, err := p.applyIn(ctx, q, b)
		if err != nil {
			return err
		}
		return a.took(ctx, q, done)
	})
	if err != nil {
		return err
	}
	return a.finish(ctx, q)
}

// took takes over what became of a batch. Where it may stay, it is written; it is kept too, since it may still be undone.
func (a *atomicPush) took(ctx context.Context, q querier, done *applied) error {
	p := &a.pushRun
	p.remember(done)
	a.end.Add(done.outcomes)
	a.arrived = append(a.arrived, arrivedOf(done)...)
	a.errors = append(a.errors, done.errors...)
	a.rejects = append(a.rejects, done.rejects...)
	for _, r := range done.rejects {
		a.bytes += len(r.sent)
	}
	a.warnings = append(a.warnings, done.warnings[:min(len(done.warnings), atomicFailures-len(a.warnings))]...)
	switch {
	case p.run.Failed == 0 && !p.run.DryRun:
		return p.record(ctx, q, done)
	case p.run.Failed >= atomicFailures || a.bytes >= atomicRejectBytes:
		return errRejected
	}
	return nil
}

// finish archives what is missing and says whether all of it may stay.
func (a *atomicPush) finish(ctx context.Context, q querier) error {
	p := &a.pushRun
	if p.run.Atomic && p.run.Failed > 0 {
		return errRejected
	}
	if p.run.ArchiveMissing {
		if err := p.archiveMissingIn(ctx, q); err != nil {
			return err
		}
	}
	if p.run.DryRun {
		return errUndo
	}
	return p.s.Catalog.Pushes.End(ctx, q, p.storeID, a.end)
}

// reject stores what there is to say of a push of which nothing was applied, and returns its fault.
func (p *pushRun) reject(ctx context.Context, all *atomicPush) error {
	was := all.pushRun.run
	p.run.Received, p.run.Failed, p.run.Errors, p.run.Warnings = was.Received, was.Failed, was.Errors, int64(len(all.warnings))
	if err := p.s.write(ctx, func(q querier) error { return p.recordAll(ctx, q, all) }); err != nil {
		return err
	}
	return fault.New(fault.Invalid, "push_rejected",
		"%d of %d items failed, so nothing of this push was applied: it was sent with atomic=true. The run says which, and why.", was.Failed, was.Received)
}

// recordAll stores what there is to say of a push whose transaction was undone.
func (p *pushRun) recordAll(ctx context.Context, q querier, all *atomicPush) error {
	for piece := range slices.Chunk(all.errors, batchItems) {
		if err := insertNotes(ctx, q, p.storeID, p.run.Key, Error, piece); err != nil {
			return err
		}
	}
	for piece := range slices.Chunk(all.warnings, batchItems) {
		if err := insertNotes(ctx, q, p.storeID, p.run.Key, Warning, piece); err != nil {
			return err
		}
	}
	if err := insertRejects(ctx, q, p.storeID, p.run.Key, all.rejects); err != nil {
		return err
	}
	return saveRun(ctx, q, p.storeID, p.run)
}
