package webhook

import (
	"context"
	"math"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// DeliveryFilter selects deliveries. A zero field does not filter.
type DeliveryFilter struct {
	ReceiverID   *ReceiverID
	Type         string
	Status       Status
	From, Before time.Time // creation time: From is inclusive, Before exclusive
}

// Deliveries returns up to limit deliveries of a store, newest first. The parameter before is the key at which the page
// ends: only deliveries with lower keys are returned; 0 selects the newest. The result next is the value of before for
// the next page, or 0 after the last page. A filter by an unknown receiver matches nothing.
func (s *Service) Deliveries(
	ctx context.Context, tx store.Tx, f DeliveryFilter, before, limit int64,
) (list []Delivery, next int64, err error) {
	defer fault.AddContext(&err, "list the deliveries of store %s", tx.StoreID())
	if before == 0 {
		before = math.MaxInt64 // all keys are below
	}
	list, err = selectDeliveryPage(ctx, tx, f, before, limit+1)
	if err != nil || int64(len(list)) <= limit {
		return list, 0, err
	}
	return list[:limit], list[limit-1].Key, nil
}

// Delivery returns a delivery with its attempts in order, or fault.NotFound. It runs two statements, so tx should be a
// snapshot.
func (s *Service) Delivery(
	ctx context.Context, tx store.Tx, deliveryID DeliveryID,
) (d Delivery, attempts []Attempt, err error) {
	defer fault.AddContext(&err, "read delivery %s", deliveryID)
	if d, err = selectDelivery(ctx, tx, deliveryID); err != nil {
		return Delivery{}, nil, err
	}
	attempts, err = selectAttempts(ctx, tx, d.Key)
	return d, attempts, err
}

// StatusCounts is the number of deliveries in each status.
type StatusCounts map[Status]int64

// CountUndelivered counts the pending, held and dead deliveries of a receiver.
func (s *Service) CountUndelivered(ctx context.Context, tx store.Tx, r Receiver) (counts StatusCounts, err error) {
	defer fault.AddContext(&err, "count the deliveries of receiver %s", r.ID)
	if counts, err = countStranded(ctx, tx, r.Key); err != nil {
		return nil, err
	}
	counts[Pending], err = s.Queue.CountLane(ctx, tx.Unscoped(), deliveryKind, r.ID.String())
	return counts, err
}
