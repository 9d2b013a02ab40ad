package webhook

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/periodic"
	"vitrine/internal/shop/store"
)

const (
	// pruneInterval is the interval between two runs of Prune; pruneBatch is the maximum number of rows that one
	// transaction deletes.
	pruneInterval = time.Hour
	pruneBatch    = 500
)

// runPrune runs Prune periodically until ctx ends. Without a Retention nothing expires, and it returns at once.
func (s *Service) runPrune(ctx context.Context) {
	if s.Retention == 0 {
		return
	}
	_ = periodic.Run(ctx, s.Log, periodic.Task{ // Run always returns nil
		Name: "delete expired events and deliveries", Every: pruneInterval, Do: s.Prune,
	})
}

// Prune deletes deliveries older than the retention, except pending ones, with their parked jobs, and then the events
// of that age that have no deliveries left. It records the age, for vitrine check, and also deletes old counts of
// attempts.
func (s *Service) Prune(ctx context.Context) error {
	before := s.Now().Add(-s.Retention)
	err := s.DB.Write(ctx, func(q database.Querier) error {
		return deleteAttemptHours(ctx, q, hourNumber(s.Now().Add(-hourRetention)))
	})
	if err != nil {
		return err
	}

	for last, more := int64(0), true; more; {
		after := last // the function may run more than once
		err := s.DB.Write(ctx, func(q database.Querier) (err error) {
			var deleted []DeliveryID
			if deleted, last, more, err = deleteDeliveries(ctx, q, before, after, pruneBatch); err != nil {
				return err
			}
			return s.cancelParked(ctx, q, deleted)
		})
		if err != nil {
			return err
		}
	}

	stores, err := database.Read(ctx, s.DB, func(q database.Querier) ([]store.ID, error) {
		return storesWithExpiredEvents(ctx, q, before)
	})
	if err != nil || len(stores) == 0 {
		return err
	}

	// Before the first deletion, so that no snapshot has the deletion without the record.
	err = s.DB.Write(ctx, func(q database.Querier) error { return recordPrunedBefore(ctx, q, before) })
	if err != nil {
		return err
	}

	for _, storeID := range stores {
		if err := s.pruneEvents(ctx, storeID, before); err != nil {
			return err
		}
	}

	return nil
}

// cancelParked deletes the parked jobs of deliveries that are deleted.
func (s *Service) cancelParked(ctx context.Context, q database.Querier, deleted []DeliveryID) error {
	if len(deleted) == 0 {
		return nil
	}
	names := make([]string, len(deleted))
	for i, deliveryID := range deleted {
		names[i] = deliveryID.String()
	}
	return s.Queue.CancelParked(ctx, q, deliveryKind, names)
}

// pruneEvents deletes the expired events of a store that have no deliveries left.
func (s *Service) pruneEvents(ctx context.Context, storeID store.ID, before time.Time) error {
	for last, more := int64(0), true; more; {
		after := last
		err := s.DB.Write(ctx, func(q database.Querier) (err error) {
			last, more, err = deleteEvents(ctx, store.In(q, storeID), before, after, pruneBatch)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
