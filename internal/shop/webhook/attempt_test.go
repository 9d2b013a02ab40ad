package webhook_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/outbound"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

func TestAttempt_sendsEventToReceiversThatWantItsType(t *testing.T) {
	eachEngine(t, func(r *fixture) {
		all := r.newReceiver(nil)
		orders := r.newReceiver(nil, "order.*")
		one := r.newReceiver(nil, event.FeedbackSubmitted)
		none := r.newReceiver(nil, event.Test)
		r.emit(event.OrderSubmitted, 1)
		r.emit(event.FeedbackSubmitted, 1)
		r.waitForDeliveries(all.ID, "delivered 1", "delivered 1")
		r.waitForDeliveries(orders.ID, "delivered 1")
		r.waitForDeliveries(one.ID, "delivered 1")
		r.waitForDeliveries(none.ID)
		got := orders.requests()[0]
		created, _, _ := strings.Cut(strings.SplitN(got.body, `"created_at":"`, 2)[1], `"`)
		if at, err := time.Parse(time.RFC3339Nano, created); err != nil || !strings.HasSuffix(created, "Z") ||
			time.Since(at) > time.Minute {
			r.Errorf("created_at is %q", created)
		}

		want := fmt.Sprintf(`{"id":%q,"type":"order.submitted","store_id":%q,"created_at":%q,"sequence":1,`+
			`"payload":{"n": 1}}`, got.id, r.Store.ID, created)
		if got.body != want {
			r.Errorf("sent %s, want %s", got.body, want)
		}

		seconds, err := strconv.ParseInt(got.header.Get("webhook-timestamp"), 10, 64)
		if err != nil || r.Clock.Now().Unix()-seconds > 60 || got.header.Get("Content-Type") != "application/json" ||
			got.header.Get(outbound.HopHeader) != "1" {
			r.Errorf("headers are %v", got.header)
		}
	})
}

// Delivery is at least once: each attempt has the same webhook-id and a new signature, until a 2xx response or the end
// of the schedule.
func TestAttempt_retriesBySchedule(t *testing.T) {
	eachEngine(t, func(r *fixture) {
		k := r.newReceiver(respondStatus(500))
		r.emit(event.OrderSubmitted, 1)
		waits := []time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
			10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour}
		for i, wait := range waits {
			r.waitForDeliveries(k.ID, fmt.Sprintf("pending %d", i+1))
			d := r.deliveries(k.ID)[0]
			if left := d.NextAttemptAt.Sub(r.Clock.Now()); left > wait || left < wait-30*time.Second ||
				d.LastStatusCode == nil || *d.LastStatusCode != 500 {
				r.Errorf("after attempt %d the next is in %s, want %s; %+v", i+1, left, wait, d)
			}
			r.advance(wait + time.Minute)
		}

		r.waitForDeliveries(k.ID, "dead 10")
		seen := map[string]bool{}
		for _, got := range k.requests() {
			seen[got.id] = true
		}

		if len(seen) != 1 || len(k.requests()) != 10 {
			r.Errorf("%d requests with %d ids", len(k.requests()), len(seen))
		}

		// A dead delivery can be redelivered: the same event with all attempts of the schedule.
		k.respondWith(nil)
		r.Write(func(tx store.Tx) error {
			_, err := r.Redeliver(r.Context(), tx, r.deliveries(k.ID)[0].ID)
			return err
		})
		r.waitForDeliveries(k.ID, "delivered 11")
		var attempts []webhook.Attempt
		err := r.TryRead(func(tx store.Tx) (err error) {
			_, attempts, err = r.Delivery(r.Context(), tx, r.deliveries(k.ID)[0].ID)
			return err
		})
		if err != nil || len(attempts) != 11 || attempts[0].Number != 1 || *attempts[0].Phase != "status" ||
			attempts[10].Phase != nil || *attempts[10].StatusCode != 204 {
			r.Errorf("%v; attempts are %+v", err, attempts)
		}
	})
}

func TestAttempt_honoursRetryAfter(t *testing.T) {
	eachEngine(t, func(r *fixture) {
		for header, want := range map[string]time.Duration{"3600": time.Hour, "9999999": 24 * time.Hour,
			"1": 5 * time.Second} {
			k := r.newReceiver(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", header)
				w.WriteHeader(429)
			}, "order.submitted")
			r.emit(event.OrderSubmitted, 1)
			r.waitForDeliveries(k.ID, "pending 1")

			left := r.deliveries(k.ID)[0].NextAttemptAt.Sub(r.Clock.Now())
			if left > want || left < want-30*time.Second {
				r.Errorf("with Retry-After: %s the next attempt is in %s, want %s", header, left, want)
			}

			r.Write(func(tx store.Tx) error {
				return r.DeleteReceiver(r.Context(), tx, k.ID, nil)
			})
		}
	})
}

func TestAttempt_sendsToCurrentURL(t *testing.T) {
	eachEngine(t, func(r *fixture) {
		old := r.newReceiver(respondStatus(503), "order.submitted")
		other := r.newReceiver(nil, event.Test)
		r.emit(event.OrderSubmitted, 1)
		r.waitForDeliveries(old.ID, "pending 1")
		other.secrets = old.secrets
		r.Write(func(tx store.Tx) error {
			_, err := r.EditReceiver(r.Context(), tx, old.ID, webhook.ReceiverEdit{URL: &other.url},
				nil)
			return err
		})
		r.advance(time.Minute)
		r.waitForDeliveries(old.ID, "delivered 2")

		if len(other.requests()) != 1 {
			r.Error("the event was not sent to the new URL")
		}
	})
}

// After a rotation both secrets sign for 24 hours, then only the new one does.
func TestAttempt_signsWithOldSecretForADayAfterRotation(t *testing.T) {
	eachEngine(t, func(r *fixture) {
		k := r.newReceiver(nil)
		r.Write(func(tx store.Tx) error {
			_, secret, err := r.RotateSecret(r.Context(), tx, k.ID)
			k.secrets = append(k.secrets, secret)
			return err
		})
		r.emit(event.OrderSubmitted, 1)
		r.waitForDeliveries(k.ID, "delivered 1")
		r.advance(25 * time.Hour)
		k.mu.Lock()
		k.secrets = k.secrets[1:]
		k.mu.Unlock()
		r.emit(event.OrderSubmitted, 1)
		r.waitForDeliveries(k.ID, "delivered 1", "delivered 1")

		for i, want := range []int{2, 1} {
			if n := len(strings.Fields(k.requests()[i].header.Get("webhook-signature"))); n != want {
				r.Errorf("request %d has %d signatures, want %d", i+1, n, want)
			}
		}
	})
}

func TestSendTest_ignoresTypesOfReceiver(t *testing.T) {
	eachEngine(t, func(r *fixture) {
		k := r.newReceiver(nil, "order.submitted")
		other := r.newReceiver(nil)
		for _, eventType := range []string{event.Test, event.OrderCancelled} {
			r.Write(func(tx store.Tx) error {
				d, err := r.SendTest(r.Context(), tx, k.ID, eventType)
				if d.Type != eventType || d.Status != webhook.Pending {
					r.Errorf("delivery is %+v", d)
				}
				return err
			})
		}

		r.waitForDeliveries(k.ID, "delivered 1", "delivered 1")
		r.emit(event.OrderSubmitted, 1) // its sequence follows those of the test events
		r.waitForDeliveries(other.ID, "delivered 1")

		err := r.TryRead(func(tx store.Tx) error {
			events, _, err := event.Feed(r.Context(), tx, 0, 10)
			if len(events) != 1 || events[0].Sequence != 3 {
				r.Errorf("the feed has %d events; it must not list test events", len(events))
			}
			return err
		})
		if err != nil {
			r.Error(err)
		}
	})
}
