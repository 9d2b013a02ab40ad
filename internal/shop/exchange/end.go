package exchange

import (
	"context"
	"time"

	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
)

// end stores how a run came out, in the caller's transaction, and emits exchange.completed. A run ends once, whoever finds it ended too, so there is
// one event of it; a dry run changed nothing, so there is none.
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

// endSilent ends a run of which nobody has said since a time that it goes on. Whoever came back to life in between keeps it.
func (s *Service) endSilent(ctx context.Context, q querier, ref runRef, now, since time.Time) error {
	run, found, err := lockSilent(ctx, q, ref, since)
	if err != nil || !found {
		return err
	}
	run.Status, run.Problem, run.FinishedAt = Failed, interrupted(), &now
	return s.end(ctx, store.In(q, ref.storeID), &run)
}
