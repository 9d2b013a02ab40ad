package order

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/periodic"
	"vitrine/internal/shop/store"
)

const (
	// deleteDraftsInterval is the time between two searches for expired drafts.
	deleteDraftsInterval = time.Hour
	// emptyDraftRetention is how long a guest's draft without items is kept after its last change, if DraftRetention is
	// not shorter.
	emptyDraftRetention = 24 * time.Hour
	// deleteDraftsBatch is the maximum number of drafts that one transaction deletes. SQLite, which has one writer,
	// needs about a second for them if each draft has MaxItems items.
	deleteDraftsBatch = 100
	// cancelInterval is the time between two searches for submitted orders that nobody confirmed.
	cancelInterval = time.Minute
	// cancelBatch is the maximum number of orders that one search returns.
	cancelBatch = 100
)

// Run deletes drafts that were not changed during DraftRetention, and empty ones of guests after a day, at once and
// then every hour. It cancels guests' orders that were not confirmed within ReservationTimeout, every minute. Every few
// seconds it indexes submitted orders for the search, finds the people of guests' orders, and counts the popularity of
// products. It returns nil when ctx
// ends. Failures are logged, and the work is retried at the next interval.
func (s *Service) Run(ctx context.Context) error {
	return periodic.Run(ctx, s.Log,
		periodic.Task{Name: "delete expired drafts", Every: deleteDraftsInterval, Do: s.deleteExpiredDrafts},
		periodic.Task{Name: "cancel unconfirmed orders", Every: cancelInterval, Do: s.cancelUnconfirmed},
		periodic.Task{Name: "find the people of guests' orders", Every: indexInterval,
			Do: guestFinder{s.DB}.findGuests},
		periodic.Task{Name: "index orders for the search", Every: indexInterval, Do: s.indexOrders},
		periodic.Task{Name: "count the popularity of products", Every: popularityInterval, Do: s.counter.count})
}

// deleteExpiredDrafts deletes the expired drafts of all stores with their items.
func (s *Service) deleteExpiredDrafts(ctx context.Context) error {
	if s.DraftRetention <= 0 {
		return nil
	}
	now := s.Now()
	if err := s.deleteDraftsBefore(ctx, now.Add(-s.DraftRetention), selectDraftsBefore); err != nil {
		return err
	}
	return s.deleteDraftsBefore(ctx, now.Add(-min(s.DraftRetention, emptyDraftRetention)), selectEmptyDraftsBefore)
}

// deleteDraftsBefore deletes the drafts that the function selectDrafts returns for the given time. It uses one
// transaction per batch, so that other writes can run between them.
func (s *Service) deleteDraftsBefore(
	ctx context.Context, before time.Time,
	selectDrafts func(ctx context.Context, q database.Querier, before time.Time, limit int64) ([]expiredDraft, error),
) error {
	for {
		drafts, err := database.Read(ctx, s.DB, func(q database.Querier) ([]expiredDraft, error) {
			return selectDrafts(ctx, q, before, deleteDraftsBatch)
		})
		if err != nil || len(drafts) == 0 {
			return err
		}
		err = s.DB.WriteAlone(ctx, func(q database.Querier) error { return deleteDrafts(ctx, q, drafts) })
		if err != nil {
			return err
		}
	}
}

// cancelUnconfirmed cancels guests' orders that were submitted longer than ReservationTimeout ago and are not
// confirmed, each in a transaction of its own. It goes on after an order that cannot be cancelled.
func (s *Service) cancelUnconfirmed(ctx context.Context) error {
	if s.ReservationTimeout <= 0 {
		return nil
	}

	before := s.Now().Add(-s.ReservationTimeout)
	var after unconfirmedOrder
	var failures []error
	for {
		orders, err := database.Read(ctx, s.DB, func(q database.Querier) ([]unconfirmedOrder, error) {
			return selectUnconfirmed(ctx, q, before, after, cancelBatch)
		})
		if err != nil || len(orders) == 0 {
			return errors.Join(append(failures, err)...)
		}

		for _, o := range orders {
			if err := s.cancelOne(ctx, o); err != nil {
				failures = append(failures, err)
			}
		}

		after = orders[len(orders)-1]
	}
}

// cancelOne cancels an order, unless somebody confirmed or cancelled it since it was selected.
func (s *Service) cancelOne(ctx context.Context, o unconfirmedOrder) error {
	shop, err := s.Stores.Find(ctx, o.storeID)
	if err != nil {
		return err
	}

	err = s.DB.Write(ctx, func(q database.Querier) error {
		tx := store.In(q, o.storeID)
		current, err := selectOrder(ctx, tx, o.id, tx.Dialect().ForUpdate)
		if err != nil || current.State != Submitted {
			return err
		}
		_, err = s.Cancel(ctx, tx, shop, o.id, nil, "")
		return err
	})
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}

	return err
}
