package exchange

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"vitrine/internal/fault"
)

const (
	// atomicFailures is after how many failed items a push that is to be applied whole is given up: it will not be, and what is told of it is
	// held in memory.
	atomicFailures = 10_000
	// atomicTime bounds the transaction of such a push.
	atomicTime = time.Hour
)

// errRejected ends the transaction of a push that is to be applied whole and has an item that failed.
var errRejected = errors.New("an item of an atomic push failed")

// atomic applies a push in one transaction, all of it or nothing. It is read to its end before that begins.
func (p *pushing) atomic(ctx context.Context, body io.ReadCloser) error {
	file, err := p.spoolFile(body)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it is a temporary file that was read
	ctx, cancel := context.WithTimeout(ctx, atomicTime)
	defer cancel()
	var all *atomicPush
	err = p.again(func() error {
		return p.s.DB.WriteAlone(ctx, func(q querier) error {
			if _, err := file.Seek(0, io.SeekStart); err != nil {
				return err
			}
			all = newAtomicPush(p)
			return all.apply(ctx, q, file)
		})
	})
	rejected, undone := errors.Is(err, errRejected), errors.Is(err, errUndo)
	if err != nil && !rejected && !undone {
		return err
	}
	p.ignored = all.pushing.ignored
	if rejected {
		return p.reject(ctx, all)
	}
	*p.run = *all.pushing.run
	if undone {
		return p.s.write(ctx, func(q querier) error { return p.recordAll(ctx, q, all) })
	}
	return p.linkAll(ctx, all.arrived)
}

// spoolFile copies the body into a file that has no name any more.
func (p *pushing) spoolFile(body io.Reader) (*os.File, error) {
	file, err := os.CreateTemp(p.s.SpoolDir, "push-*")
	if err != nil {
		return nil, fmt.Errorf("spool a push: %w", err)
	}
	_ = os.Remove(file.Name())
	if _, err := io.Copy(file, body); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// atomicPush is the work of one transaction that applies a whole push. It has a run of its own, since the transaction may be repeated.
type atomicPush struct {
	pushing  pushing
	errors   []Note
	warnings []Note
	rejects  []reject
	arrived  []string
}

func newAtomicPush(p *pushing) *atomicPush {
	run := *p.run
	return &atomicPush{pushing: pushing{
		s: p.s, storeID: p.storeID, run: &run, gate: p.gate, dry: map[string]bool{}, within: p.within,
		// Nothing is unmade between its batches, so rows say which items are about the same thing.
	}}
}

// apply applies all items, and returns errRejected if one of them failed, or errUndo for a dry run.
func (a *atomicPush) apply(ctx context.Context, q querier, body io.Reader) error {
	p := &a.pushing
	dry := p.run.DryRun
	p.run.DryRun = false
	var batch []*item
	bytes := int64(0)
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		done, err := p.applyIn(ctx, q, batch)
		if err != nil {
			return err
		}
		batch, bytes = nil, 0
		return a.took(ctx, q, done, dry)
	}
	e := &elements{gate: p.gate, ignored: &p.ignored, emit: func(it *item) error {
		batch = append(batch, it)
		if bytes += it.weight(); len(batch) < batchItems && bytes < batchBytes {
			return nil
		}
		return flush()
	}}
	err := e.read(p.run.Format, body)
	if err == nil {
		err = flush()
	}
	if p.run.DryRun = dry; err != nil {
		return err
	}
	return a.end(ctx, q)
}

// took takes over what became of a batch. Where it will stay, it is written; where not, it is kept to be told.
func (a *atomicPush) took(ctx context.Context, q querier, done *applied, dry bool) error {
	p := &a.pushing
	p.remember(done)
	if a.arrived = append(a.arrived, arrivedOf(done)...); p.run.Failed == 0 && !dry {
		return p.record(ctx, q, done)
	}
	a.errors = append(a.errors, done.errors...)
	a.rejects = append(a.rejects, done.rejects...)
	a.warnings = append(a.warnings, done.warnings...)
	a.warnings = a.warnings[:min(len(a.warnings), atomicFailures)]
	if p.run.Failed >= atomicFailures {
		return errRejected
	}
	return nil
}

// end archives what is missing and says whether all of it may stay.
func (a *atomicPush) end(ctx context.Context, q querier) error {
	p := &a.pushing
	if p.run.Failed > 0 {
		return errRejected
	}
	if p.run.ArchiveMissing {
		if err := p.archiveMissingIn(ctx, q); err != nil {
			return err
		}
	}
	if p.run.DryRun {
		p.run.Warnings = int64(len(a.warnings))
		return errUndo
	}
	return nil
}

// reject stores what there is to say of a push of which nothing was applied, and returns its fault.
func (p *pushing) reject(ctx context.Context, all *atomicPush) error {
	was := all.pushing.run
	p.run.Received, p.run.Failed, p.run.Errors, p.run.Warnings = was.Received, was.Failed, int64(len(all.errors)), int64(len(all.warnings))
	if err := p.s.write(ctx, func(q querier) error { return p.recordAll(ctx, q, all) }); err != nil {
		return err
	}
	return fault.New(fault.Invalid, "push_rejected",
		"%d of %d items failed, so nothing of this push was applied: it was sent with atomic=true. The run says which, and why.", was.Failed, was.Received)
}

// recordAll stores what there is to say of a push whose transaction was undone.
func (p *pushing) recordAll(ctx context.Context, q querier, all *atomicPush) error {
	for i := range all.warnings {
		all.warnings[i].Number = int64(i + 1)
	}
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
	for piece := range slices.Chunk(all.rejects, batchItems) {
		if err := insertRejects(ctx, q, p.storeID, p.run.Key, piece); err != nil {
			return err
		}
	}
	return saveRun(ctx, q, p.storeID, p.run)
}
