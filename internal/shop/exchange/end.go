package exchange

import (
	"context"
	"time"

	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
)

// end saves a finished run in the caller's transaction and emits exchange.completed. The event is emitted only by the
// first call for a run, and never for a dry run.
func (s *Service) end(ctx context.Context, tx store.Tx, run *Run) error {
	first, err := setFinished(ctx, tx, run)
	if err != nil {
		return err
	}
	if err := saveRun(ctx, tx, run); err != nil || !first || run.DryRun {
		return err
	}
	shop, err := s.Stores.OneIn(ctx, tx)
	if err != nil {
		return err
	}
	told := *run
	told.Warnings += told.late
	dates := locale.NewDates(shop.Language(), shop.Zone(), s.now())
	return s.Events.Emit(ctx, tx, event.ExchangeCompleted, wire.AppendJSON(nil, told.JSON(dates)))
}

// endSilent ends a run as interrupted if its last heartbeat is still older than since. It does nothing if a node has
// renewed the heartbeat or finished the run since the caller looked.
func (s *Service) endSilent(ctx context.Context, q querier, ref runRef, now, since time.Time) error {
	run, found, err := lockSilent(ctx, q, ref, since)
	if err != nil || !found {
		return err
	}
	run.Status, run.Problem, run.FinishedAt = Failed, interrupted(), &now
	return s.end(ctx, store.In(q, ref.storeID), &run)
}
