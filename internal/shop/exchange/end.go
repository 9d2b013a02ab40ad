package exchange

import (
	"context"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
)

// End saves a finished run in the caller's transaction and emits exchange.completed. The event is emitted only by
// the first call for a run, and never for a dry run.
func (s *Runs) End(ctx context.Context, tx store.Tx, run *Run) error {
	first, err := setRunFinished(ctx, tx, run)
	if err != nil {
		return err
	}
	if err := saveRun(ctx, tx, run); err != nil || !first {
		return err
	}

	ended := Ended{Entity: run.Entity, Status: run.Status, DryRun: run.DryRun, Counts: run.Counts,
		Archived: run.Archived}
	tx.Unscoped().AfterCommit(func() { s.observe(ended) })

	if !run.IsParked() {
		if err := releaseFile(ctx, tx, run); err != nil {
			return err
		}
	}

	if run.DryRun {
		return nil
	}

	if run.Status == Failed && s.Failed != nil {
		if err := s.Failed(ctx, tx, run); err != nil {
			return err
		}
	}

	st, err := s.Stores.FindIn(ctx, tx)
	if err != nil {
		return err
	}
	if err := s.countPendingImages(ctx, tx, []*Run{run}); err != nil {
		return err
	}

	payload := *run
	payload.Warnings += payload.lateWarnings
	dates := locale.NewDates(st.Language(), st.Zone(), s.now())
	return s.Events.Emit(ctx, tx, event.ExchangeCompleted, wire.AppendJSON(nil, payload.JSON(dates)))
}

// Ended is the end of a push. Counts and Archived are taken from its run.
type Ended struct {
	Entity string
	// Status is Completed, Failed or Refused.
	Status Status
	DryRun bool
	Counts
	Archived int64
}

// Refused is the status of a push that was refused before it had a run. It is only in Ended: no run has it.
const Refused Status = "refused"

// CountRefused reports a push to Observe that was refused before it had a run.
func (s *Pushes) CountRefused(p Params) {
	s.observe(Ended{Entity: p.Entity, Status: Refused, DryRun: p.DryRun})
}

func (s *core) observe(e Ended) {
	if s.Observe != nil {
		s.Observe(e)
	}
}

// endStaleRun ends a run as interrupted, unless it is finished or had a heartbeat since the given time.
func (s *Runs) endStaleRun(ctx context.Context, q querier, ref RunRef, now, since time.Time) error {
	tx := store.In(q, ref.StoreID)
	run, err := lockStaleRun(ctx, tx, ref.Key, since)
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	run.Status = Failed
	run.FinishedAt = &now
	run.Problem = &RunProblem{
		Code:    "interrupted",
		Message: "The server stopped while this push was running. The items counted above were applied; push again.",
	}
	return s.End(ctx, tx, &run)
}
