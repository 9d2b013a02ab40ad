package webhook

import (
	"context"
	"strings"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
)

// recoverBatch is the maximum number of deliveries that Recover processes in one transaction.
const recoverBatch = 500

// Redeliver makes a delivery pending and due now, whatever its status. The same event is sent under the same id, with
// all attempts of the schedule. It returns fault.NotFound, or fault.Conflict if the receiver is disabled or does not
// want the type of the event any more.
func (s *Service) Redeliver(ctx context.Context, tx store.Tx, deliveryID DeliveryID) (_ Delivery, err error) {
	defer fault.AddContext(&err, "redeliver delivery %s", deliveryID)

	d, err := selectDelivery(ctx, tx, deliveryID) // not locked, because makeDeliveriesDue locks jobs first
	if err != nil {
		return Delivery{}, err
	}
	r, err := s.enabledReceiver(ctx, tx, d.ReceiverID)
	if err != nil {
		return Delivery{}, err
	}

	if !r.Wants(d.Type) {
		if err := requireExample(ctx, tx, d); err != nil {
			return Delivery{}, err
		}
	}

	due := []dueDelivery{{key: d.Key, id: d.ID, sequence: d.Sequence}}
	if _, err := s.makeDeliveriesDue(ctx, tx, d.ReceiverID, due, evenDelivered); err != nil {
		return Delivery{}, err
	}

	err = audit.Record(ctx, tx, audit.Entry{Action: audit.DeliveryRedelivered,
		Object: audit.Object{Kind: "delivery", ID: deliveryID.String(), Label: d.Type}})
	if err != nil {
		return Delivery{}, err
	}

	return selectDelivery(ctx, tx, deliveryID)
}

// requireExample returns fault.Conflict if the event of a delivery is no example.
func requireExample(ctx context.Context, tx store.Tx, d Delivery) error {
	e, err := event.BySequence(ctx, tx, d.Sequence)
	if err != nil || e.ForOneReceiver {
		return err
	}
	return fault.New(fault.Conflict, "type_not_wanted",
		"This receiver does not want events of the type %s any more, so they are not sent to it. Add the type to "+
			"webhook_types first.", d.Type)
}

// UndeliveredTypes returns the types of the pending, held and dead deliveries of a receiver.
func (s *Service) UndeliveredTypes(ctx context.Context, tx store.Tx, r Receiver) (_ []string, err error) {
	defer fault.AddContext(&err, "read the types of the undelivered events of receiver %s", r.ID)
	return undeliveredTypes(ctx, tx, r.Key)
}

// Recovery says which deliveries Recover sends again: those to a receiver that were created at the time Since or later.
type Recovery struct {
	ReceiverID ReceiverID
	Since      time.Time
	// By is the author of the entry in the log.
	By store.Actor
	// May returns a fault if the author may not have the receiver's events sent. It may be nil.
	May func(Receiver) error
}

// Recover makes the pending, held and dead deliveries of a receiver due now and returns their number. It skips events
// of types that the receiver does not want any more. It uses several transactions, of which the first records the
// recovery. If one fails, the deliveries of the earlier ones stay recovered, and the caller may call Recover again. It
// returns fault.NotFound, fault.Conflict if the receiver is disabled, or the fault of May.
func (s *Service) Recover(ctx context.Context, storeID store.ID, recovery Recovery) (recovered int64, err error) {
	receiverID := recovery.ReceiverID
	defer fault.AddContext(&err, "recover deliveries of receiver %s", receiverID)

	recorded := false

	// Recovered deliveries are pending, so the pending ones come first: in the other order some would count twice.
	for _, stranded := range []bool{false, true} {
		for last, more := int64(0), true; more; {
			var batch []dueDelivery
			var sent int64

			err := s.DB.Write(ctx, func(q database.Querier) error {
				tx := store.In(q, storeID).By(recovery.By, s.Now())
				r, err := s.enabledReceiver(ctx, tx, receiverID)
				if err != nil {
					return err
				}

				if !recorded {
					if err := recovery.record(ctx, tx, r); err != nil {
						return err
					}
				}

				batch, err = selectUndelivered(ctx, tx, stranded, r.Key, recovery.Since, last, recoverBatch)
				if err != nil {
					return err
				}

				sent, err = s.makeDeliveriesDue(ctx, tx, receiverID, wantedDeliveries(r, batch), onlyUndelivered)
				return err
			})
			if err != nil {
				return recovered, err
			}

			recovered += sent
			recorded = true

			if more = len(batch) == recoverBatch; more {
				last = batch[len(batch)-1].key
			}
		}
	}

	return recovered, nil
}

// record checks that the author may have the events sent, and records the recovery.
func (recovery *Recovery) record(ctx context.Context, tx store.Tx, r Receiver) error {
	if recovery.May != nil {
		if err := recovery.May(r); err != nil {
			return err
		}
	}
	return audit.Record(ctx, tx, r.entry(audit.DeliveriesRecovered))
}

// wantedDeliveries returns the deliveries whose events the receiver wants.
func wantedDeliveries(r Receiver, list []dueDelivery) (wanted []dueDelivery) {
	for _, d := range list {
		if d.forOneReceiver || r.Wants(d.eventType) {
			wanted = append(wanted, d)
		}
	}
	return wanted
}

// enabledReceiver returns a receiver, fault.NotFound, or fault.Conflict if the receiver is disabled. It locks the row
// FOR KEY SHARE, which blocks EditReceiver and DeleteReceiver until the transaction ends.
func (s *Service) enabledReceiver(ctx context.Context, tx store.Tx, receiverID ReceiverID) (Receiver, error) {
	r, err := selectReceiver(ctx, tx, receiverID, tx.Dialect().ForKeyShare)
	if err == nil && !r.Enabled {
		err = fault.New(fault.Conflict, "receiver_disabled",
			"This receiver is disabled, so nothing is sent to it. Set enabled to true first.")
	}
	return r, err
}

// dueDelivery is a delivery that is about to become due.
type dueDelivery struct {
	key      int64
	id       DeliveryID
	sequence int64
	// eventType and forOneReceiver are members of the event. Only selectUndelivered sets them.
	eventType      string
	forOneReceiver bool
}

// makeDeliveriesDue makes deliveries of one receiver pending and their jobs due, and adds the jobs that are missing. It
// returns the number of deliveries that it made pending. Lock order: jobs before deliveries, as in recordOutcomes. So
// it sees the final status of a delivery whose attempt ends concurrently.
func (s *Service) makeDeliveriesDue(
	ctx context.Context, tx store.Tx, receiverID ReceiverID, list []dueDelivery, which pendingScope,
) (int64, error) {
	if len(list) == 0 {
		return 0, nil
	}

	names := make([]string, len(list))
	for i, d := range list {
		names[i] = d.id.String()
	}

	queued, err := s.Queue.RunNow(ctx, tx.Unscoped(), deliveryKind, receiverID.String(), names)
	if err != nil {
		return 0, err
	}
	pending, err := markPending(ctx, tx, which, list, s.Now())
	if err != nil {
		return 0, err
	}

	var jobs []queue.Job
	for i, d := range list {
		if pending[d.key] && !queued[names[i]] {
			jobs = append(jobs, deliveryJob{tx.StoreID(), d.id, d.sequence}.queueJob(receiverID))
		}
	}

	return int64(len(pending)), s.Queue.Add(ctx, tx.Unscoped(), jobs...)
}

// parkDelivery makes a delivery dead whose job is parked. Redeliver and Recover try it again, like any dead one.
func (s *Service) parkDelivery(ctx context.Context, q database.Querier, j deliveryJob) error {
	s.Log.ErrorContext(ctx, "a delivery was parked", "store_id", j.storeID, "delivery_id", j.delivery)
	return markDead(ctx, store.In(q, j.storeID), j.delivery, s.Now())
}

// unparkDelivery makes a delivery pending whose job was parked.
func (s *Service) unparkDelivery(ctx context.Context, q database.Querier, j deliveryJob) error {
	tx := store.In(q, j.storeID)
	d, err := selectDelivery(ctx, tx, j.delivery)
	if err != nil {
		return err
	}
	_, err = markPending(ctx, tx, onlyUndelivered, []dueDelivery{{key: d.Key, id: d.ID, sequence: d.Sequence}}, s.Now())
	return err
}

// holdPendingDeliveries cancels the jobs of a receiver and makes its pending deliveries held.
func (s *Service) holdPendingDeliveries(
	ctx context.Context, tx store.Tx, receiverKey int64, receiverID ReceiverID,
) error {
	if err := s.cancelJobs(ctx, tx.Unscoped(), receiverID); err != nil {
		return err
	}
	return markHeld(ctx, tx, receiverKey, s.Now())
}

// SendTest sends the example of an event type to one receiver, whatever types it wants, and returns the delivery. The
// feed does not show the event. It returns fault.NotFound, fault.Invalid for an unknown type, or fault.Conflict if the
// receiver is disabled.
func (s *Service) SendTest(
	ctx context.Context, tx store.Tx, receiverID ReceiverID, eventType string,
) (_ Delivery, err error) {
	defer fault.AddContext(&err, "send a test to receiver %s", receiverID)

	kind, known := event.FindType(eventType)
	if !known {
		return Delivery{}, fault.OneField("type", "unknown_type", "There is no type %q; the types are %s.", eventType,
			strings.Join(event.TypeIDs(), ", "))
	}

	r, err := s.enabledReceiver(ctx, tx, receiverID)
	if err != nil {
		return Delivery{}, err
	}
	sequence, err := event.Insert(ctx, tx, id.New[event.Event](), eventType, kind.Example, &r.Key, s.Now())
	if err != nil {
		return Delivery{}, err
	}

	d := newDelivery{storeID: tx.StoreID(), id: id.New[Delivery](), receiver: r.Key, sequence: sequence,
		eventType: eventType, status: Pending, at: s.Now()}
	if err := insertDeliveries(ctx, tx.Unscoped(), []newDelivery{d}); err != nil {
		return Delivery{}, err
	}
	if err := s.Queue.Add(ctx, tx.Unscoped(), d.queueJob(r.ID)); err != nil {
		return Delivery{}, err
	}
	if err := audit.Record(ctx, tx, r.entry(audit.ReceiverTested)); err != nil {
		return Delivery{}, err
	}

	tx.Unscoped().AfterCommit(func() { s.Queue.ResumeLane(deliveryKind, r.ID.String()) })
	return selectDelivery(ctx, tx, d.id)
}
