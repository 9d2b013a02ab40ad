package webhook

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

// MaxReceivers is the maximum number of receivers of a store. The fan-out matches every event against each of them.
const MaxReceivers = 100

// Receivers returns one page of a store's receivers in the order of their creation, and the total number.
func (s *Service) Receivers(
	ctx context.Context, tx store.Tx, limit, offset int64,
) (_ []Receiver, total int64, err error) {
	defer fault.AddContext(&err, "list the receivers of store %s", tx.StoreID())
	return selectReceiverPage(ctx, tx, limit, offset)
}

// Receiver returns a receiver or fault.NotFound.
func (s *Service) Receiver(ctx context.Context, tx store.Tx, receiverID ReceiverID) (_ Receiver, err error) {
	defer fault.AddContext(&err, "read receiver %s", receiverID)
	return selectReceiver(ctx, tx, receiverID, "")
}

// CreateReceiver registers a receiver and returns its secret, which cannot be read later. It returns fault.Invalid with
// each invalid field, or fault.Conflict if the store has MaxReceivers already.
func (s *Service) CreateReceiver(
	ctx context.Context, tx store.Tx, e ReceiverEdit,
) (r Receiver, secret string, err error) {
	defer fault.AddContext(&err, "create a receiver in store %s", tx.StoreID())

	now := database.Moment(s.Now())
	secret = newSigningSecret()
	r = Receiver{ID: id.New[Receiver](), Enabled: true, Version: 1, CreatedAt: now, UpdatedAt: now,
		secret: s.sealSecret(secret)}
	if err := fault.Fields(append(e.missingFields(), e.apply(&r, s.Guard.CheckURL)...)); err != nil {
		return Receiver{}, "", err
	}

	n, err := lockReceivers(ctx, tx)
	if err != nil {
		return Receiver{}, "", err
	}

	if n >= MaxReceivers {
		return Receiver{}, "", fault.New(fault.Conflict, "too_many_receivers",
			"The store has %d receivers, which is the most it can have. Delete one that is not needed any more.", n)
	}

	s.receiverCache.forgetAfterCommit(tx)
	if err := insertReceiver(ctx, tx, &r); err != nil {
		return Receiver{}, "", err
	}

	return r, secret, audit.Record(ctx, tx, r.entry(audit.ReceiverCreated))
}

// EditReceiver updates a receiver. If the edit disables it, its pending deliveries become held. If the edit enables it,
// its failure record is reset, and held deliveries stay held until Recover or Redeliver. EditReceiver returns
// fault.NotFound, fault.Stale, or fault.Invalid with each invalid field.
func (s *Service) EditReceiver(
	ctx context.Context, tx store.Tx, receiverID ReceiverID, e ReceiverEdit, pre fault.Precondition,
) (_ Receiver, err error) {
	defer fault.AddContext(&err, "edit receiver %s", receiverID)

	if e.Enabled != nil && !*e.Enabled {
		if err := s.cancelJobs(ctx, tx.Unscoped(), receiverID); err != nil {
			return Receiver{}, err
		}
	}

	r, err := s.lockReceiver(ctx, tx, receiverID, pre)
	if err != nil {
		return Receiver{}, err
	}

	before := r
	if err := fault.Fields(e.apply(&r, s.Guard.CheckURL)); err != nil {
		return Receiver{}, err
	}
	if err := s.saveReceiver(ctx, tx, &r); err != nil {
		return Receiver{}, err
	}
	if err := audit.Record(ctx, tx, r.editEntry(&before)); err != nil {
		return Receiver{}, err
	}

	switch {
	case before.Enabled && !r.Enabled:
		return r, s.holdPendingDeliveries(ctx, tx, r.Key, r.ID)
	case r.URL != before.URL || r.Enabled && !before.Enabled:
		// The receiver may respond now: reset the circuit breaker and resume the paused lane.
		tx.Unscoped().AfterCommit(func() {
			s.sender.breakers.recordSuccess(r.ID.String())
			s.Queue.ResumeLane(deliveryKind, r.ID.String())
		})
	}

	return r, nil
}

// DeleteReceiver deletes a receiver with its deliveries and jobs. It returns fault.NotFound or fault.Stale.
func (s *Service) DeleteReceiver(
	ctx context.Context, tx store.Tx, receiverID ReceiverID, pre fault.Precondition,
) (err error) {
	defer fault.AddContext(&err, "delete receiver %s", receiverID)

	if err := s.cancelJobs(ctx, tx.Unscoped(), receiverID); err != nil {
		return err
	}

	r, err := s.lockReceiver(ctx, tx, receiverID, pre)
	if err != nil {
		return err
	}
	if err := s.cancelJobs(ctx, tx.Unscoped(), receiverID); err != nil { // jobs added before the receiver was locked
		return err
	}

	tx.Unscoped().AfterCommit(func() { s.sender.breakers.recordSuccess(r.ID.String()) }) // frees the failure counter
	s.receiverCache.forgetAfterCommit(tx)

	if err := deleteHoursOfReceiver(ctx, tx, r.Key); err != nil {
		return err
	}
	if err := deleteReceiver(ctx, tx, r.Key); err != nil {
		return err
	}

	return audit.Record(ctx, tx, r.entry(audit.ReceiverDeleted))
}

// RotateSecret replaces the secret of a receiver and returns the new one, which cannot be read later. The previous
// secret also signs for 24 hours; an older one stops signing at once. It returns fault.NotFound.
func (s *Service) RotateSecret(
	ctx context.Context, tx store.Tx, receiverID ReceiverID,
) (_ Receiver, secret string, err error) {
	defer fault.AddContext(&err, "rotate the secret of receiver %s", receiverID)
	r, err := s.lockReceiver(ctx, tx, receiverID, nil)
	if err != nil {
		return Receiver{}, "", err
	}
	secret = newSigningSecret()
	r.rotate(s.sealSecret(secret), database.Moment(s.Now()))
	if err := s.saveReceiver(ctx, tx, &r); err != nil {
		return Receiver{}, "", err
	}
	return r, secret, audit.Record(ctx, tx, r.entry(audit.ReceiverSecretRotated))
}

// cancelJobs deletes the jobs of a receiver. Lock order: recordOutcomes locks jobs before receivers, so callers cancel
// the jobs before they lock the receiver. Only then do they check that the receiver belongs to the store; if it does
// not, the error rolls the deletion of the jobs back.
func (s *Service) cancelJobs(ctx context.Context, q database.Querier, receiverID ReceiverID) error {
	_, err := s.Queue.CancelLane(ctx, q, deliveryKind, receiverID.String())
	return err
}

// lockReceiver returns a receiver locked for update. It returns fault.NotFound, or fault.Stale if pre does not hold.
func (s *Service) lockReceiver(
	ctx context.Context, tx store.Tx, receiverID ReceiverID, pre fault.Precondition,
) (Receiver, error) {
	r, err := selectReceiver(ctx, tx, receiverID, tx.Dialect().ForUpdate)
	if err != nil {
		return Receiver{}, err
	}
	return r, pre.Check(r.Version)
}

// saveReceiver increments the version and updates the receiver.
func (s *Service) saveReceiver(ctx context.Context, tx store.Tx, r *Receiver) error {
	r.Version++
	r.UpdatedAt = database.Moment(s.Now())
	s.receiverCache.forgetAfterCommit(tx)
	return updateReceiver(ctx, tx, r)
}
