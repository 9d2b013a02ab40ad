package webhook

import (
	"context"
	"net/http"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/store"
)

// disableAfter is how long a receiver may fail without a success before it is disabled.
const disableAfter = 5 * 24 * time.Hour

// deliveryOutcome is the outcome of an attempt at a delivery.
type deliveryOutcome = queue.Outcome[deliveryJob, *attemptResult]

// recordOutcomes stores the results of a batch of attempts: the states of the deliveries, the attempts, and the times
// since which receivers have been failing. The queue calls it in the transaction that completes the jobs.
func (s *Service) recordOutcomes(ctx context.Context, q database.Querier, outcomes []deliveryOutcome) error {
	now := s.Now()
	states := make([]deliveryState, 0, len(outcomes))
	receivers := make(map[ReceiverID]*receiverResult)
	for _, o := range outcomes {
		result := o.Task.Output
		if result == nil {
			continue // the receiver was deleted, or loading it or the event failed
		}

		states = append(states, newDeliveryState(result, o))

		if result.requestMade {
			r := receivers[result.receiver.ID]
			if r == nil {
				r = &receiverResult{storeID: result.storeID, receiver: &result.receiver.Receiver}
				receivers[result.receiver.ID] = r
			}
			r.add(result, o.Err)
		}
	}

	if err := saveDeliveryStates(ctx, q, states, now); err != nil {
		return err
	}
	if err := insertAttempts(ctx, q, states); err != nil {
		return err
	}
	if err := s.updateReceiverHealth(ctx, q, receivers, now); err != nil {
		return err
	}

	return countAttempts(ctx, q, states)
}

// deliveryState is the new state of a delivery after an attempt.
type deliveryState struct {
	result *attemptResult
	status Status
	next   *time.Time
	// key is the delivery's key and number the attempt's number. Both are 0 if the delivery was deleted.
	key, number int64
}

func newDeliveryState(result *attemptResult, o deliveryOutcome) deliveryState {
	st := deliveryState{result: result, status: Delivered}
	switch {
	case o.Err == nil && !result.requestMade:
		st.status = Held
	case o.Err != nil && o.Next.IsZero():
		st.status = Dead
	case o.Err != nil:
		st.status = Pending
		st.next = &o.Next
	}
	return st
}

// receiverResult summarizes the results of a batch of attempts for one receiver.
type receiverResult struct {
	storeID                 store.ID
	receiver                *Receiver
	succeeded, failed, gone bool
}

func (r *receiverResult) add(result *attemptResult, failure error) {
	if failure == nil {
		r.succeeded = true
		return
	}
	r.failed = true
	if code := result.attempt.StatusCode; code != nil && *code == http.StatusGone {
		r.gone = true
	}
}

// updateReceiverHealth updates failing_since of receivers, and disables those that responded with 410 Gone or failed
// for too long. It compares the results with cached receivers, which may be a second old. If it skips a necessary
// update for that reason, the next attempt makes it.
func (s *Service) updateReceiverHealth(
	ctx context.Context, q database.Querier, results map[ReceiverID]*receiverResult, now time.Time,
) error {
	var recovered, failed []*receiverResult
	for _, r := range results {
		since := r.receiver.FailingSince
		switch {
		case r.gone:
			if err := s.disable(ctx, q, r, DisabledGone, now); err != nil {
				return err
			}
		case r.succeeded && since != nil:
			recovered = append(recovered, r)
		case r.succeeded || !r.failed:
		case since == nil:
			failed = append(failed, r)
		case now.Sub(*since) >= disableAfter:
			if err := s.disable(ctx, q, r, DisabledFailing, now); err != nil {
				return err
			}
		}
	}

	if err := clearFailingSince(ctx, q, recovered); err != nil {
		return err
	}
	if err := setFailingSince(ctx, q, failed, now); err != nil {
		return err
	}

	for _, r := range append(recovered, failed...) {
		s.receiverCache.forgetAfterCommit(store.In(q, r.storeID))
	}

	return nil
}

// disable disables a receiver, holds its pending deliveries and alerts the owners. It does nothing if the receiver was
// edited since the attempt began, because the new URL may respond differently.
func (s *Service) disable(
	ctx context.Context, q database.Querier, r *receiverResult, reason string, now time.Time,
) error {
	changed, err := disableReceiver(ctx, store.In(q, r.storeID), r.receiver, reason, now)
	if err != nil || !changed {
		return err
	}
	s.receiverCache.forgetAfterCommit(store.In(q, r.storeID))
	if err := s.holdPendingDeliveries(ctx, store.In(q, r.storeID), r.receiver.Key, r.receiver.ID); err != nil {
		return err
	}
	if s.Alert == nil {
		return nil
	}
	disabled := *r.receiver
	disabled.Enabled = false
	disabled.DisabledReason = &reason
	return s.Alert(ctx, store.In(q, r.storeID), disabled)
}
