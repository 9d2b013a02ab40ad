package webhook

import (
	"context"
	"math"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// DeliveryFilter leaves some of the deliveries; what is zero leaves all.
type DeliveryFilter struct {
	ReceiverID   *ReceiverID
	Type         string
	Status       Status
	From, Before time.Time // when they were made: the first instant, and the first that is past them
}

// Deliveries returns deliveries of a store, the newest first: those with keys below before, or the very newest if that is 0. next is where the
// following ones go on, 0 if there are none. A filter by a receiver that the store does not have leaves nothing.
func (s *Service) Deliveries(ctx context.Context, q database.Querier, storeID store.ID, f DeliveryFilter, before, limit int64) (list []Delivery, next int64, err error) {
	if before == 0 {
		before = math.MaxInt64 // no delivery has a key above
	}
	list, err = deliveriesBefore(ctx, q, storeID, f, before, limit+1)
	if err != nil || int64(len(list)) <= limit {
		return list, 0, err
	}
	return list[:limit], list[limit-1].Key, nil
}

// Delivery returns a delivery with its attempts in their order, or fault.NotFound. Two statements are run, so q should be on a snapshot.
func (s *Service) Delivery(ctx context.Context, q database.Querier, storeID store.ID, deliveryID DeliveryID) (Delivery, []Attempt, error) {
	d, err := oneDelivery(ctx, q, storeID, deliveryID)
	if err != nil {
		return Delivery{}, nil, err
	}
	attempts, err := readAttempts(ctx, q, storeID, d.Key)
	return d, attempts, err
}

// Tally is how many deliveries there are in each status.
type Tally map[Status]int64

// Tallies counts the deliveries of what happened in a store since a time, by the keys of their receivers. A receiver without any is not among them.
func (s *Service) Tallies(ctx context.Context, q database.Querier, storeID store.ID, since time.Time) (map[int64]Tally, error) {
	return countDeliveries(ctx, q, storeID, since)
}

// Undelivered counts what a receiver was not sent yet: what is pending, held and dead.
func (s *Service) Undelivered(ctx context.Context, q database.Querier, storeID store.ID, r Receiver) (Tally, error) {
	tally, err := countStranded(ctx, q, storeID, r.Key)
	if err != nil {
		return nil, err
	}
	if tally[Pending], err = s.Queue.CountLane(ctx, q, deliverKind, r.ID.String()); err != nil {
		return nil, err
	}
	return tally, nil
}
