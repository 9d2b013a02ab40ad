package webhook

import (
	"context"
	"math"
	"time"

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
func (s *Service) Deliveries(ctx context.Context, tx store.Tx, f DeliveryFilter, before, limit int64) (list []Delivery, next int64, err error) {
	if before == 0 {
		before = math.MaxInt64 // no delivery has a key above
	}
	list, err = deliveriesBefore(ctx, tx, f, before, limit+1)
	if err != nil || int64(len(list)) <= limit {
		return list, 0, err
	}
	return list[:limit], list[limit-1].Key, nil
}

// Delivery returns a delivery with its attempts in their order, or fault.NotFound. Two statements are run, so q should be on a snapshot.
func (s *Service) Delivery(ctx context.Context, tx store.Tx, deliveryID DeliveryID) (Delivery, []Attempt, error) {
	d, err := oneDelivery(ctx, tx, deliveryID)
	if err != nil {
		return Delivery{}, nil, err
	}
	attempts, err := readAttempts(ctx, tx, d.Key)
	return d, attempts, err
}

// Tally is how many deliveries there are in each status.
type Tally map[Status]int64

// Tallies counts the deliveries of what happened in a store since a time, by the keys of their receivers. A receiver without any is not among them.
func (s *Service) Tallies(ctx context.Context, tx store.Tx, since time.Time) (map[int64]Tally, error) {
	return countDeliveries(ctx, tx, since)
}

// Undelivered counts what a receiver was not sent yet: what is pending, held and dead.
func (s *Service) Undelivered(ctx context.Context, tx store.Tx, r Receiver) (Tally, error) {
	tally, err := countStranded(ctx, tx, r.Key)
	if err != nil {
		return nil, err
	}
	if tally[Pending], err = s.Queue.CountLane(ctx, tx.Unscoped(), deliverKind, r.ID.String()); err != nil {
		return nil, err
	}
	return tally, nil
}
