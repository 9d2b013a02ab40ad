package webhook_test

import (
	"testing"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

func (r *fixture) edit(id webhook.ReceiverID, e webhook.ReceiverEdit) {
	r.Helper()
	r.Write(func(tx store.Tx) error {
		_, err := r.EditReceiver(r.Context(), tx, id, e, nil)
		return err
	})
}

// Undelivered events of types that were removed went to the new address of the receiver.
func TestRecover_sendsOnlyTypesThatTheReceiverWants(t *testing.T) {
	eachEngine(t, func(r *fixture) {
		k := r.newReceiver(respondStatus(503))
		other := r.newReceiver(nil, event.Test)
		r.emit(event.OrderSubmitted, 1)
		r.waitForDeliveries(k.ID, "pending 1")
		r.edit(k.ID, webhook.ReceiverEdit{Types: &[]string{"exchange.*"}, Enabled: new(false)})
		r.edit(k.ID, webhook.ReceiverEdit{URL: &other.url, Enabled: new(true)})
		r.waitForDeliveries(k.ID, "held 1")

		recoverAll := func(want int64) {
			r.Helper()
			n, err := r.Recover(r.Context(), r.Store.ID,
				webhook.Recovery{ReceiverID: k.ID, Since: r.Clock.Now().Add(-time.Hour)})
			if n != want || err != nil {
				r.Errorf("recovered %d deliveries, want %d: %v", n, want, err)
			}
		}
		recoverAll(0)
		err := r.TryWrite(func(tx store.Tx) error {
			_, err := r.Redeliver(r.Context(), tx, r.deliveries(k.ID)[0].ID)
			return err
		})
		if fault.KindOf(err) != fault.Conflict {
			r.Errorf("Redeliver: %v, want Conflict", err)
		}

		if n := len(other.requests()); n != 0 {
			r.Errorf("%d requests were sent to the new address", n)
		}

		// Those who may send the type add it again.
		other.mu.Lock()
		other.secrets = k.secrets
		other.mu.Unlock()
		r.edit(k.ID, webhook.ReceiverEdit{Types: &[]string{"*"}})
		recoverAll(1)
		r.waitForDeliveries(k.ID, "delivered 2")
	})
}

// The retry of an event whose type was removed meanwhile is held. Examples are sent whatever the types are.
func TestAttempt_holdsEventsThatTheReceiverNoLongerWants(t *testing.T) {
	eachEngine(t, func(r *fixture) {
		k := r.newReceiver(respondStatus(503))
		r.emit(event.OrderSubmitted, 1)
		r.waitForDeliveries(k.ID, "pending 1")
		r.edit(k.ID, webhook.ReceiverEdit{Types: &[]string{"exchange.*"}})
		k.respondWith(nil)
		r.advance(time.Minute)
		r.waitForDeliveries(k.ID, "held 1")

		r.Write(func(tx store.Tx) error {
			_, err := r.SendTest(r.Context(), tx, k.ID, event.OrderSubmitted)
			return err
		})
		r.waitForDeliveries(k.ID, "held 1", "delivered 1")
	})
}
