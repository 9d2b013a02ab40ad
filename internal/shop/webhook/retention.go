package webhook

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
)

const (
	// pruneInterval is the interval between two runs of Prune, pruneBatch the maximum number of rows deleted in one
	// transaction.
	pruneInterval = time.Hour
	pruneBatch    = 500
)

// runPrune runs Prune periodically until ctx ends.
func (s *Service) runPrune(ctx context.Context) {
	if s.Retention == 0 {
		return
	}
	tick := time.NewTicker(pruneInterval)
	defer tick.Stop()
	for {
		if err := s.Prune(ctx); err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "deleting expired events failed; it will be retried", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Prune deletes deliveries older than the retention, except pending ones, and then events of that age that have no
// deliveries.
func (s *Service) Prune(ctx context.Context) error {
	before := s.Now().Add(-s.Retention)
	for last, more := int64(0), true; more; {
		err := s.DB.Write(ctx, func(q database.Querier) (err error) {
			last, more, err = deleteDeliveries(ctx, q, before, last, pruneBatch)
			return err
		})
		if err != nil {
			return err
		}
	}
	for n := int64(pruneBatch); n == pruneBatch; {
		err := s.DB.Write(ctx, func(q database.Querier) (err error) {
			n, err = deleteEvents(ctx, q, before, pruneBatch)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
