package exchange

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/trace"
	"vitrine/internal/shop/catalog/push"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/store"
)

const (
	// If more than maxCollectedFailures items fail, or their size exceeds maxCollectedBytes, the push is rejected
	// without decoding the rest: the results are held in memory, and the push will not be applied anyway. At most
	// maxCollectedFailures warnings are kept, too.
	maxCollectedFailures = 10_000
	maxCollectedBytes    = 32 << 20
	// wholePushTimeout limits the duration of the transaction of a whole push.
	wholePushTimeout = time.Hour
)

// errRejected rolls back the transaction of a whole push because an item failed.
var errRejected = errors.New("an item of an atomic push failed")

// pushInOneTransaction applies a push in one transaction, all of it or nothing:
//
//  1. It copies the body to a file, so that the transaction does not wait for the client.
//  2. It opens the transaction. See wholePush.runTransaction. The transaction is retried as a whole, with a new
//     wholePush each time. On SQLite other writes would all wait for it, so it gives way: see tryUntilApplied.
//  3. After the commit, it links pending references to the entities of this push, in separate transactions. After a
//     rollback, it stores the results in another transaction.
func (p *pushRun) pushInOneTransaction(ctx context.Context, body io.Reader) error {
	if p.appliedBefore > 0 {
		return nil // an earlier attempt committed all items, and was interrupted before the run was finished
	}

	spooled := p.pushes.SpoolShare.Open(store.MemoryOwner(p.storeID))
	defer spooled.Release()

	file, err := spoolFile(p.pushes.SpoolDir, p.pushes.newWholeBody(body, p.run.Params, spooled))
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it is a temporary file that is not written any more

	ctx, cancel := context.WithTimeout(ctx, wholePushTimeout)
	defer cancel()

	w, err := p.tryUntilApplied(ctx, file)
	if w != nil {
		p.ignored = w.ignored
	}

	switch {
	case err == nil:
		*p.run = *w.run
		return p.pushes.linkReferences(ctx, p.storeID, p.run.Entity, w.linkableIDs)
	case errors.Is(err, errRollBack):
		return p.saveResults(ctx, w, *w.run)
	case errors.Is(err, errRejected):
		return p.rejectPush(ctx, w)
	case fault.KindOf(err) == fault.Conflict:
		p.run.Received = w.run.Received // the other counts stay 0: nothing was applied
	}

	return err
}

// tryUntilApplied makes attempts to apply the push in one transaction until one of them need not give way to other
// writes. See tryOnce for its errors. If it had to give way at every attempt, it returns fault.Conflict; nothing was
// applied then.
func (p *pushRun) tryUntilApplied(ctx context.Context, file *os.File) (*wholePush, error) {
	ctx = database.WithOwner(ctx, p.storeID)
	var w *wholePush
	received := int64(0)
	err := p.pushes.yielding.Retry(ctx, func(patience database.Patience) error {
		next, err := p.tryOnce(ctx, file, patience)
		if next != nil {
			w = next
			received = max(received, w.run.Received)
		}
		return err
	})

	if errors.Is(err, database.ErrYielded) {
		w.run.Received = received
		return w, p.tooLargeFault()
	}

	return w, err
}

// tooLargeFault returns the fault of a push that had to give way at every attempt.
func (p *pushRun) tooLargeFault() error {
	what := "An atomic push"
	advice := "Push without atomic=true, in smaller parts or at a quieter time"
	if !p.run.Atomic {
		what = "A dry run of categories"
		advice = "Try it with fewer categories or at a quieter time"
	}
	return fault.New(fault.Conflict, "atomic_too_large",
		"Nothing of this push was applied. %s is one transaction; on SQLite all other writes of the server wait for "+
			"it, so it gives way to them, and other writes came at every attempt. %s, or run the server on PostgreSQL.",
		what, advice)
}

// tryOnce makes one attempt to apply the push in one transaction. It returns errRejected if an item of an atomic push
// failed, errRollBack if a dry run succeeded, and database.ErrYielded if other writes waited for too long.
func (p *pushRun) tryOnce(ctx context.Context, file *os.File, patience database.Patience) (w *wholePush, err error) {
	err = p.pushes.withStoreLock(ctx, p.storeID, func() error {
		return p.pushes.DB.WriteYielding(ctx, patience, func(q querier) error {
			if _, err := file.Seek(0, io.SeekStart); err != nil {
				return err
			}
			w = p.newWholePush()
			return w.runTransaction(ctx, q, file)
		})
	})
	return w, err
}

// spoolFile copies the body into a temporary file. It unlinks the file at once, so that a crash leaves no file behind.
func spoolFile(dir string, body io.Reader) (*os.File, error) {
	file, err := os.CreateTemp(dir, "push-*")
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
		return fault.New(fault.Unavailable, "disk_full",
			"The disk is full; nothing was changed. The service goes on when there is room again.").
			After(30 * time.Second).Because(err)
	}
	return fmt.Errorf("spool push to a file: %w", err)
}

// wholePush is one attempt to apply a push in one transaction. It has a copy of the run, because it may be rolled back.
type wholePush struct {
	pushRun
	results     pushResults // of all batches; of the warnings, at most maxCollectedFailures
	rejectBytes int         // total size of results.rejects
	changeBytes int         // total size of results.changes, at most maxCollectedBytes
	end         push.PushEnd
	linkableIDs []string // the appliedItems.linkableIDs of all batches
}

func (p *pushRun) newWholePush() *wholePush {
	run := *p.run
	return &wholePush{pushRun: pushRun{
		pushes: p.pushes, storeID: p.storeID, run: &run, handler: p.handler, fence: p.fence,
		createdSubjects: newHashSet(), ignored: item.Ignored{Mapping: run.Mapping},
	}}
}

// runTransaction applies all items in the caller's transaction, stores their results and archives the missing products.
// push.Pushes.End is its last statement: after it, the transaction must not take any lock. The transaction commits if
// runTransaction returns nil. It is rolled back by errRejected if an item of an atomic push failed, and by errRollBack
// in a dry run.
func (w *wholePush) runTransaction(ctx context.Context, q querier, body io.Reader) error {
	if err := w.pushBatches(ctx, q, body); err != nil {
		return err
	}
	if w.run.Atomic && w.run.Failed > 0 {
		return errRejected
	}

	if w.run.ArchiveMissing {
		missing, err := w.missingProducts(ctx, q)
		if err != nil {
			return err
		}

		// All products are archived by one call. ArchiveAll records the changes in rows of the store that every write
		// locks last. After that, the transaction must not lock any more products.
		if err := w.archiveIn(ctx, q, w.run, missing); err != nil {
			return err
		}
	}

	if w.run.DryRun {
		return errRollBack
	}

	return w.pushes.catalogPushes.End(ctx, store.In(q, w.storeID), w.end)
}

// pushBatches applies all items in the caller's transaction. It returns errRejected once too many have failed.
func (w *wholePush) pushBatches(ctx context.Context, q querier, body io.Reader) error {
	// The items of the next batch are decoded while a batch is applied, so that the transaction is shorter.
	for b, err := range w.handler.stream(ctx, w.run.Format, io.NopCloser(body), batchItems, &w.ignored) {
		if err != nil {
			return err
		}

		_, span := trace.Start(ctx, "push batch")
		span.Int("vitrine.push.items", int64(len(b.items())))
		applied, err := w.runBatch(ctx, q, b)
		endBatchSpan(span, err)
		if err != nil {
			return err
		}

		w.merge(applied)
		w.end.Add(applied.outcomes)
		w.linkableIDs = append(w.linkableIDs, applied.linkableIDs()...)
		w.collectResults(applied.results)

		switch {
		case w.run.Failed == 0 && !w.run.DryRun:
			tx := store.In(q, w.storeID)
			if err := applied.results.save(ctx, tx, &applied.run, w.pushes.keptLimit()); err != nil {
				return err
			}
		case w.tooManyFailures():
			return errRejected
		}
	}

	return nil
}

// tooManyFailures reports whether the push is rejected without reading its other items.
func (w *wholePush) tooManyFailures() bool {
	return w.run.Failed >= maxCollectedFailures || w.rejectBytes >= maxCollectedBytes
}

// collectResults adds the results of a batch to the results of the push, which are stored after a rollback.
func (w *wholePush) collectResults(r pushResults) {
	w.results.errors = append(w.results.errors, r.errors...)
	room := maxCollectedFailures - len(w.results.warnings)
	w.results.warnings = append(w.results.warnings, r.warnings[:min(len(r.warnings), room)]...)
	w.results.rejects = append(w.results.rejects, r.rejects...)
	for _, c := range r.changes {
		if w.changeBytes += c.size(); w.changeBytes > maxCollectedBytes {
			break
		}
		w.results.changes = append(w.results.changes, c)
	}
	for _, rejected := range r.rejects {
		w.rejectBytes += len(rejected.sent)
	}
}

// rejectPush stores the results of an atomic push that was rolled back because items failed, and returns its fault.
func (p *pushRun) rejectPush(ctx context.Context, w *wholePush) error {
	run := *p.run
	run.Received = w.run.Received
	run.Failed = w.run.Failed
	run.Errors = w.run.Errors
	run.Warnings = int64(len(w.results.warnings))
	if err := p.saveResults(ctx, w, run); err != nil {
		return err
	}
	return fault.New(fault.Invalid, "push_rejected",
		"%d of %d items failed, so nothing of this push was applied: it was sent with atomic=true. "+
			"The run says which, and why.", w.run.Failed, w.run.Received)
}

// saveResults stores the results of a push that was rolled back, and the run that counts them. p gets the counts of the
// run after the commit, so that it is never ahead of the database.
func (p *pushRun) saveResults(ctx context.Context, w *wholePush, run Run) error {
	err := p.pushes.write(ctx, func(q querier) error {
		return w.results.save(ctx, store.In(q, p.storeID), &run, p.pushes.keptLimit())
	})
	if err == nil {
		*p.run = run
	}
	return err
}
