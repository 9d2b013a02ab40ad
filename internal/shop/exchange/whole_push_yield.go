package exchange

import (
	"context"
	"errors"
	"io"
	"os"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
)

// errInconclusive is returned by checkInBatches if only the whole transaction shows the outcome of the items.
var errInconclusive = errors.New("items of different batches depend on each other")

// checkItems is the number of items that checkInBatches applies in one transaction. It is a fraction of batchItems,
// because other writes are waiting.
const checkItems = batchItems / 5

// applyYielding makes attempts to apply the push in one transaction until one of them need not give way to other
// writes. See tryWhole for its errors. After the first time that it gave way, it checks the items in separate
// transactions, so that a push with invalid items is rejected, and a dry run ends, without another attempt. If it had
// to give way at every attempt, it returns fault.Conflict; nothing was applied then.
func (p *pushRun) applyYielding(ctx context.Context, file *os.File) (*wholePush, error) {
	ctx = database.WithOwner(ctx, p.storeID)
	var w *wholePush
	received := int64(0)
	err := p.pushes.yielding.Retry(ctx, func(attempt int, patience database.Patience) (err error) {
		w, err = p.tryWhole(ctx, file, patience)
		if attempt > 1 || !errors.Is(err, database.ErrYielded) {
			return err
		}
		checked, checkErr := p.checkInBatches(ctx, file)
		received = checked.run.Received
		if checkErr != nil && !errors.Is(checkErr, errInconclusive) {
			w, err = checked, checkErr
		}
		return err
	})
	if errors.Is(err, database.ErrYielded) {
		w.run.Received = max(w.run.Received, received)
		return w, p.tooLargeFault()
	}
	return w, err
}

// tooLargeFault returns the fault of a push that had to give way at every attempt.
func (p *pushRun) tooLargeFault() error {
	what, advice := "An atomic push", "Push without atomic=true, in smaller parts or at a quieter time"
	if !p.run.Atomic {
		what, advice = "A dry run of categories", "Try it with fewer categories or at a quieter time"
	}
	return fault.New(fault.Conflict, "atomic_too_large",
		"Nothing of this push was applied. %s is one transaction; on SQLite all other writes of the server wait for it, "+
			"so it gives way to them, and other writes came at every attempt. %s, or run the server on PostgreSQL.",
		what, advice)
}

// checkInBatches applies the items in batches, each in a transaction that is rolled back, and collects their results.
// It returns errRejected if an item failed, errRollBack if a dry run succeeded, and nil if the push may succeed. It
// returns errInconclusive if items of different batches are about the same row, since the changes of the earlier
// batches are rolled back, and for categories, which refer to each other. All other pushes in one transaction are
// atomic.
func (p *pushRun) checkInBatches(ctx context.Context, file *os.File) (*wholePush, error) {
	w := p.newWholePush()
	if p.run.Entity == Categories {
		return w, errInconclusive
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return w, err
	}
	w.rollsBack = true
	for b, err := range w.handler.decode(w.run.Format, file, &w.ignored) {
		if err != nil {
			return w, err
		}
		for from, n := 0, len(b.items()); from < n; from += checkItems {
			if err := w.checkBatch(ctx, b.slice(from, min(from+checkItems, n))); err != nil {
				return w, err
			}
		}
	}
	switch {
	case w.run.Failed > 0:
		return w, errRejected
	case w.run.DryRun:
		return w, w.endDryRun(ctx)
	}
	return w, nil
}

// checkBatch applies a batch in a transaction that is rolled back, and collects its results. It returns errRejected
// once too many items have failed.
func (w *wholePush) checkBatch(ctx context.Context, b itemBatch) error {
	var applied *appliedBatch
	err := w.pushes.withStoreLock(ctx, w.storeID, func() error {
		return w.pushes.DB.WriteAlone(ctx, func(q querier) (err error) {
			if applied, err = w.applyBatchIn(ctx, q, b); err != nil {
				return err
			}
			return errRollBack
		})
	})
	switch {
	case !errors.Is(err, errRollBack):
		return err
	case w.repeats(applied):
		return errInconclusive
	}
	w.merge(applied)
	w.collectResults(applied.results)
	if w.tooManyFailures() {
		return errRejected
	}
	return nil
}

// repeats reports whether an item of the batch is about the same row as an item of an earlier batch.
func (w *wholePush) repeats(a *appliedBatch) bool {
	for i, it := range a.items {
		if o := &a.outcomes[i]; w.createdSubjects.has(it.Subject) || w.seenRows.has(o.Key, o.Part) {
			return true
		}
	}
	return false
}

// endDryRun counts the products that would be archived, and returns errRollBack.
func (w *wholePush) endDryRun(ctx context.Context) error {
	if w.run.ArchiveMissing {
		if err := w.archiveMissing(ctx); err != nil {
			return err
		}
	}
	return errRollBack
}
