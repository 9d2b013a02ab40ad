package webhook

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/store"
)

// failingMost is how long a receiver may fail without a success before it is disabled.
const failingMost = 5 * 24 * time.Hour

// settle stores the results of a batch of attempts: the state of the deliveries, the attempts, and the failure records
// of the receivers. The queue calls it in the transaction that completes the jobs.
func (s *Service) settle(ctx context.Context, q database.Querier, outcomes []queue.Outcome) error {
	now := s.Now()
	states := make([]state, 0, len(outcomes))
	records := make(map[ReceiverID]*record)
	for _, o := range outcomes {
		note, ok := o.Task.Output.(*sent)
		if !ok || note == nil {
			continue // the receiver was deleted, or it or the event could not be loaded
		}
		states = append(states, stateAfter(note, o))
		if note.made {
			r := records[note.receiver.ID]
			if r == nil {
				r = &record{storeID: note.storeID, receiver: &note.receiver.Receiver}
				records[note.receiver.ID] = r
			}
			r.add(note, o.Err)
		}
	}
	if err := saveStates(ctx, q, states, now); err != nil {
		return fmt.Errorf("save deliveries: %w", err)
	}
	if err := insertAttempts(ctx, q, states); err != nil {
		return fmt.Errorf("save attempts: %w", err)
	}
	return s.judgeReceivers(ctx, q, records, now)
}

// state is the new state of a delivery after an attempt.
type state struct {
	sent   *sent
	status Status
	next   *time.Time
	// key is the delivery's key and number the attempt's number. Both are 0 if the delivery was deleted.
	key, number int64
}

func stateAfter(note *sent, o queue.Outcome) state {
	st := state{sent: note, status: Delivered}
	switch {
	case o.Err == nil && !note.made:
		st.status = Held
	case o.Err != nil && o.Next.IsZero():
		st.status = Dead
	case o.Err != nil:
		st.status, st.next = Pending, &o.Next
	}
	return st
}

// record summarizes the results of a batch of attempts for one receiver.
type record struct {
	storeID                 store.ID
	receiver                *Receiver
	succeeded, failed, gone bool
}

func (r *record) add(note *sent, failure error) {
	if failure == nil {
		r.succeeded = true
		return
	}
	r.failed = true
	if code := note.attempt.StatusCode; code != nil && *code == http.StatusGone {
		r.gone = true
	}
}

// judgeReceivers updates failing_since of receivers, and disables those that responded with 410 Gone or failed for too
// long. The cached receiver may be a second old; an update that is missed because of that happens at the next attempt.
func (s *Service) judgeReceivers(ctx context.Context, q database.Querier, records map[ReceiverID]*record, now time.Time) error {
	var healed, fallen []*record
	for _, r := range records {
		since := r.receiver.FailingSince
		switch {
		case r.gone:
			if err := s.disable(ctx, q, r, DisabledGone, now); err != nil {
				return err
			}
		case r.succeeded && since != nil:
			healed = append(healed, r)
		case r.succeeded || !r.failed:
		case since == nil:
			fallen = append(fallen, r)
		case now.Sub(*since) >= failingMost:
			if err := s.disable(ctx, q, r, DisabledFailing, now); err != nil {
				return err
			}
		}
	}
	if err := markHealed(ctx, q, healed); err != nil {
		return fmt.Errorf("note that receivers succeed again: %w", err)
	}
	if err := markFallen(ctx, q, fallen, now); err != nil {
		return fmt.Errorf("note that receivers fail: %w", err)
	}
	for _, r := range append(healed, fallen...) {
		s.receiversChanged(store.In(q, r.storeID))
	}
	return nil
}

// disable disables a receiver, holds its pending deliveries and alerts the owners. It does nothing if the receiver was
// edited since the attempt began, because the new URL may respond differently.
func (s *Service) disable(ctx context.Context, q database.Querier, r *record, reason string, now time.Time) error {
	changed, err := disableReceiver(ctx, store.In(q, r.storeID), r.receiver, reason, now)
	if err != nil {
		return fmt.Errorf("disable receiver %s: %w", r.receiver.ID, err)
	}
	if !changed {
		return nil
	}
	s.receiversChanged(store.In(q, r.storeID))
	if err := s.hold(ctx, store.In(q, r.storeID), r.receiver.Key, r.receiver.ID); err != nil {
		return err
	}
	if s.Alert == nil {
		return nil
	}
	disabled := *r.receiver
	disabled.Enabled, disabled.DisabledReason = false, &reason
	return s.Alert(ctx, store.In(q, r.storeID), disabled)
}
