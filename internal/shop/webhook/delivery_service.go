package webhook

import (
	"context"
	"fmt"
	"strings"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
)

// recoverPiece is how many deliveries are recovered in one transaction.
const recoverPiece = 500

// Redeliver makes a delivery pending and due now, whatever its status. The same event is sent under the same id, with
// all attempts of the schedule. It returns fault.NotFound, or fault.Conflict if the receiver is disabled.
func (s *Service) Redeliver(ctx context.Context, tx store.Tx, deliveryID DeliveryID) (Delivery, error) {
	d, err := oneDelivery(ctx, tx, deliveryID) // without a lock, because jobs are locked first
	if err != nil {
		return Delivery{}, err
	}
	if _, err := s.enabledReceiver(ctx, tx, d.ReceiverID); err != nil {
		return Delivery{}, err
	}
	if _, err := s.sendNow(ctx, tx, d.ReceiverID, []waitingDelivery{{d.Key, d.ID, d.Sequence}}, evenDeliveredSQL); err != nil {
		return Delivery{}, err
	}
	return oneDelivery(ctx, tx, deliveryID)
}

// Recover makes all undelivered deliveries of a receiver created at or after since due now: pending, held and dead
// ones. It returns their number. It uses several transactions; if one fails, the deliveries of the earlier ones stay
// recovered, and the caller may call it again. It returns fault.NotFound, or fault.Conflict if the receiver is
// disabled.
func (s *Service) Recover(ctx context.Context, storeID store.ID, receiverID ReceiverID, since time.Time) (recovered int64, err error) {
	// Stranded deliveries become pending. They come second, so that none is counted twice.
	for _, which := range []string{waitingDeliveriesSQL, strandedDeliveriesSQL} {
		for last, more := int64(0), true; more; {
			var piece []waitingDelivery
			var sent int64
			err := s.DB.Write(ctx, func(q database.Querier) error {
				r, err := s.enabledReceiver(ctx, store.In(q, storeID), receiverID)
				if err != nil {
					return err
				}
				if piece, err = openDeliveries(ctx, q, which, storeID, r.Key, since, last, recoverPiece); err != nil {
					return err
				}
				sent, err = s.sendNow(ctx, store.In(q, storeID), receiverID, piece, notDeliveredSQL)
				return err
			})
			if err != nil {
				return recovered, err
			}
			recovered += sent
			if more = len(piece) == recoverPiece; more {
				last = piece[len(piece)-1].key
			}
		}
	}
	return recovered, nil
}

// enabledReceiver returns a receiver, fault.NotFound, or fault.Conflict if it is disabled. Its FOR KEY SHARE lock
// blocks EditReceiver and DeleteReceiver until the transaction ends.
func (s *Service) enabledReceiver(ctx context.Context, tx store.Tx, receiverID ReceiverID) (Receiver, error) {
	r, err := oneReceiver(ctx, tx, receiverID, tx.Dialect().ForKeyShare)
	if err == nil && !r.Enabled {
		err = fault.New(fault.Conflict, "receiver_disabled", "This receiver is disabled, so nothing is sent to it. Set enabled to true first.")
	}
	return r, err
}

// waitingDelivery is a delivery that is about to become due.
type waitingDelivery struct {
	key      int64
	id       DeliveryID
	sequence int64
}

// sendNow makes deliveries of one receiver pending and their jobs due; it adds the jobs that are missing. It returns
// the number of deliveries. which is evenDeliveredSQL or notDeliveredSQL. Lock order: jobs before deliveries, as in
// transactions that record outcomes. So a delivery that was delivered concurrently is seen as delivered here.
func (s *Service) sendNow(ctx context.Context, tx store.Tx, receiverID ReceiverID, list []waitingDelivery, which string) (int64, error) {
	names := make([]string, len(list))
	for i, d := range list {
		names[i] = d.id.String()
	}
	there, err := s.Queue.RunNow(ctx, tx.Unscoped(), deliverKind, receiverID.String(), names)
	if err != nil {
		return 0, err
	}
	pending, err := markPending(ctx, tx.Unscoped(), which, tx.StoreID(), list, s.Now())
	if err != nil {
		return 0, fmt.Errorf("send deliveries again: %w", err)
	}
	var jobs []queue.Job
	for i, d := range list {
		if pending[d.key] && !there[names[i]] {
			jobs = append(jobs, parcel{tx.StoreID(), d.id, d.sequence}.job(receiverID))
		}
	}
	return int64(len(pending)), s.Queue.Add(ctx, tx.Unscoped(), jobs...)
}

// hold cancels the jobs of a receiver and makes its pending deliveries held.
func (s *Service) hold(ctx context.Context, tx store.Tx, receiverKey int64, receiverID ReceiverID) error {
	if err := s.cancelJobs(ctx, tx.Unscoped(), receiverID); err != nil {
		return err
	}
	if err := markHeld(ctx, tx, receiverKey, s.Now()); err != nil {
		return fmt.Errorf("hold deliveries of receiver %s: %w", receiverID, err)
	}
	return nil
}

// SendTest sends the example of an event type to one receiver, whatever types it wants, and returns the delivery. The
// feed does not show the event. It returns fault.NotFound, fault.Invalid for an unknown type, or fault.Conflict if the
// receiver is disabled.
func (s *Service) SendTest(ctx context.Context, tx store.Tx, receiverID ReceiverID, eventType string) (Delivery, error) {
	kind, known := event.FindType(eventType)
	if !known {
		return Delivery{}, fault.OneField("type", "unknown_type", "There is no type %q; the types are %s.", eventType, strings.Join(event.TypeIDs(), ", "))
	}
	r, err := s.enabledReceiver(ctx, tx, receiverID)
	if err != nil {
		return Delivery{}, err
	}
	sequence, err := event.Insert(ctx, tx, eventType, kind.Example, &r.Key, s.Now())
	if err != nil {
		return Delivery{}, err
	}
	d := newDelivery{storeID: tx.StoreID(), id: id.New[Delivery](), receiver: r.Key, sequence: sequence, eventType: eventType, status: Pending, at: s.Now()}
	if err := insertDeliveries(ctx, tx.Unscoped(), []newDelivery{d}); err != nil {
		return Delivery{}, fmt.Errorf("make a delivery: %w", err)
	}
	if err := s.Queue.Add(ctx, tx.Unscoped(), d.job(r.ID)); err != nil {
		return Delivery{}, err
	}
	tx.Unscoped().AfterCommit(func() { s.Queue.ResumeLane(deliverKind, r.ID.String()) })
	return oneDelivery(ctx, tx, d.id)
}
