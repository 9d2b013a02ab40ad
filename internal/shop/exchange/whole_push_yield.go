package exchange

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
)

// errInconclusive is returned by checkInBatches if only the whole transaction shows the outcome of the items.
var errInconclusive = errors.New("items of different batches depend on each other")

// checkItems is the number of items that checkInBatches applies in one transaction. It is a fraction of batchItems,
// because other writes are waiting.
const checkItems = batchItems / 5

// yielding says how the transaction of a whole push gives way to other writes on SQLite.
type yielding struct {
	// patience is that of the first attempt. Each further attempt doubles Background, so that a push of any length
	// succeeds on a server that has only background work besides. It also doubles Owner, up to maxOwner.
	patience database.Patience
	maxOwner time.Duration
	// attempts is the maximum number of attempts. Before the second one there is a pause of firstPause. Each further
	// pause is twice as long, up to maxPause.
	attempts             int
	firstPause, maxPause time.Duration
}

// defaultYielding makes the writes of other stores wait for about 250 ms: the patience, the time until the interrupted
// statement returns, and the rollback. They wait longer during the COMMIT of a very large push. If they write all the
// time, it gives up after about a minute. Writes of the same store may wait longer.
func defaultYielding() yielding {
	return yielding{
		patience: database.Patience{
			Others: 100 * time.Millisecond, Owner: time.Second, Background: 20 * time.Second,
		},
		maxOwner: 8 * time.Second, attempts: 16, firstPause: 200 * time.Millisecond, maxPause: 5 * time.Second,
	}
}

// applyYielding makes attempts to apply the push in one transaction until one of them need not give way to other
// writes. See tryWhole for its errors. After the first time that it gave way, it checks the items in separate
// transactions, so that a push with invalid items is rejected, and a dry run ends, without another attempt. If it had
// to give way at every attempt, it returns fault.Conflict; nothing was applied then.
func (p *pushRun) applyYielding(ctx context.Context, file *os.File) (*wholePush, error) {
	y := p.s.yielding
	ctx = database.WithOwner(ctx, p.storeID)
	pause, received := y.firstPause, int64(0)
	for attempt := 1; ; attempt++ {
		w, err := p.tryWhole(ctx, file, y.patience)
		if !errors.Is(err, database.ErrYielded) {
			return w, err
		}
		if attempt == 1 {
			checked, err := p.checkInBatches(ctx, file)
			received = checked.run.Received
			switch {
			case errors.Is(err, errInconclusive):
			case err != nil:
				return checked, err
			}
		}
		if attempt >= y.attempts {
			w.run.Received = max(w.run.Received, received)
			return w, p.tooLargeFault()
		}
		select {
		case <-ctx.Done():
			return w, ctx.Err()
		case <-time.After(pause):
		}
		pause = min(2*pause, y.maxPause)
		y.patience.Owner = min(2*y.patience.Owner, y.maxOwner)
		y.patience.Background *= 2
	}
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
// returns errInconclusive if items of different batches are about the same row, since the changes of the earlier batches
// are rolled back, and for categories, which refer to each other. All other pushes in one transaction are atomic.
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

// checkBatch applies a batch in a transaction that is rolled back, and collects its results. It returns errRejected once
// too many items have failed.
func (w *wholePush) checkBatch(ctx context.Context, b itemBatch) error {
	var applied *appliedBatch
	err := w.withStoreLock(ctx, func() error {
		return w.s.DB.WriteAlone(ctx, func(q querier) (err error) {
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
