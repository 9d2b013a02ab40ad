package webhook_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
	"vitrine/internal/testkit/storetest"
)

func (r *fixture) loadReceiver(id webhook.ReceiverID) (one webhook.Receiver) {
	r.Helper()
	r.Read(func(tx store.Tx) (err error) {
		one, err = r.Receiver(r.Context(), tx, id)
		return err
	})
	return one
}

func (r *fixture) setEnabled(id webhook.ReceiverID, enabled bool) {
	r.Helper()
	r.Write(func(tx store.Tx) error {
		_, err := r.EditReceiver(r.Context(), tx, id, webhook.ReceiverEdit{Enabled: &enabled}, nil)
		return err
	})
}

// If an operator or the program disables a receiver, its deliveries are held, and Recover sends them.
func TestRecordOutcomes_holdsDeliveriesOfDisabledReceiver(t *testing.T) {
	for name, test := range map[string]struct {
		disable func(r *fixture, k *testReceiver)
		reason  string
	}{
		"410": {func(r *fixture, k *testReceiver) {
			k.respondWith(respondStatus(410))
			r.emit(event.OrderSubmitted, 1)
		}, webhook.DisabledGone},
		"five days": {func(r *fixture, k *testReceiver) {
			k.respondWith(respondStatus(500))
			r.emit(event.OrderSubmitted, 1)
			r.waitForDeliveries(k.ID, "delivered 1", "pending 1")
			r.advance(5*24*time.Hour + time.Minute)
		}, webhook.DisabledFailing},
		"by hand": {func(r *fixture, k *testReceiver) {
			k.respondWith(respondStatus(503))
			r.emit(event.OrderSubmitted, 1)
			r.waitForDeliveries(k.ID, "delivered 1", "pending 1")
			r.setEnabled(k.ID, false)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			eachEngine(t, func(r *fixture) {
				k := r.newReceiver(nil)
				r.emit(event.OrderSubmitted, 1)
				r.waitForDeliveries(k.ID, "delivered 1")
				test.disable(r, k)
				r.Eventually("the receiver is disabled", func() bool { return !r.loadReceiver(k.ID).Enabled })

				got := r.loadReceiver(k.ID)
				if test.reason == "" && got.DisabledReason != nil || test.reason != "" &&
					(got.DisabledReason == nil || *got.DisabledReason != test.reason) {
					r.Errorf("disabled reason is %v, want %q", got.DisabledReason, test.reason)
				}

				if alerts := r.alerts.all(); test.reason == "" && len(alerts) > 0 || test.reason != "" &&
					!slices.Equal(alerts, []string{test.reason}) {
					r.Errorf("alerts are %q", alerts)
				}

				r.emit(event.OrderSubmitted, 1)
				r.Eventually("the new delivery is held", func() bool {
					got := r.deliverySummaries(k.ID)
					return len(got) == 3 && got[1][:4] == "held" && got[2] == "held 0"
				})
				before := len(k.requests())

				if _, err := r.Recover(r.Context(), r.Store.ID,
					webhook.Recovery{ReceiverID: k.ID}); fault.KindOf(err) != fault.Conflict {
					r.Errorf("Recover of a disabled receiver: %v, want Conflict", err)
				}

				k.respondWith(nil)
				r.setEnabled(k.ID, true)

				if n, err := r.Recover(r.Context(), r.Store.ID,
					webhook.Recovery{ReceiverID: k.ID, Since: r.Clock.Now().Add(-30 * 24 * time.Hour)}); n != 2 ||
					err != nil {
					r.Errorf("recovered %d: %v", n, err)
				}

				r.Eventually("all deliveries are delivered", func() bool {
					return !slices.ContainsFunc(r.deliveries(k.ID),
						func(d webhook.Delivery) bool { return d.Status != webhook.Delivered })
				})
				if n := len(k.requests()) - before; n != 2 {
					r.Errorf("%d requests after it was enabled, want 2", n)
				}
				if got := r.loadReceiver(k.ID); got.FailingSince != nil || got.DisabledReason != nil {
					r.Errorf("failures were not reset: %+v", got)
				}
			})
		})
	}
}

// A node must not rely on its cache when another node has just created or enabled a receiver and sent it an event.
func TestAttempt_seesReceiverChangedByAnotherNode(t *testing.T) {
	eachEngine(t, func(r *fixture) {
		known, held := r.newReceiver(nil), r.newReceiver(nil)
		r.setEnabled(held.ID, false)
		node := r.Service
		other := r.newNode()

		for n := 1; n <= 3; n++ {
			r.emit(event.OrderSubmitted, 1) // fills the cache of the node
			r.Eventually("the event is delivered",
				func() bool { return r.countDeliveries(known, webhook.Delivered) == n })
			r.Service = other

			made := r.newReceiver(nil, event.Test)
			for _, k := range []*testReceiver{made, held} {
				r.setEnabled(k.ID, true)
				r.Write(func(tx store.Tx) error {
					_, err := r.SendTest(r.Context(), tx, k.ID, event.Test)
					return err
				})
			}

			r.Service = node
			r.Queue.Wake()
			r.Eventually("the test events are delivered", func() bool {
				return r.countDeliveries(made, webhook.Delivered) == 1 &&
					r.countDeliveries(held, webhook.Delivered) == n
			})
			r.setEnabled(held.ID, false)
		}
	})
}

// The receiver's URL changes while a request to the old URL is running. The 410 of the old URL must not disable the
// receiver.
func TestRecordOutcomes_doesNotDisableReceiverWhoseURLChangedDuringAttempt(t *testing.T) {
	eachEngine(t, func(r *fixture) {
		asked, change := make(chan struct{}), make(chan struct{})
		k := r.newReceiver(func(w http.ResponseWriter, _ *http.Request) {
			close(asked)
			<-change
			w.WriteHeader(http.StatusGone)
		})
		r.emit(event.OrderSubmitted, 1)
		<-asked
		better := httptest.NewServer(respondStatus(204))
		r.Cleanup(better.Close)
		r.Write(func(tx store.Tx) error {
			_, err := r.EditReceiver(r.Context(), tx, k.ID, webhook.ReceiverEdit{URL: &better.URL},
				nil)
			return err
		})
		close(change)
		r.waitForDeliveries(k.ID, "pending 1")
		r.advance(time.Minute)
		r.waitForDeliveries(k.ID, "delivered 2")

		if alerts := r.alerts.all(); len(alerts) > 0 || !r.loadReceiver(k.ID).Enabled {
			r.Errorf("the receiver was disabled; alerts are %q", alerts)
		}
	})
}

func TestRecover_sendsUndeliveredSince(t *testing.T) {
	eachEngine(t, func(r *fixture) {
		k := r.newReceiver(respondStatus(500))
		r.emit(event.OrderSubmitted, 1)
		r.waitForDeliveries(k.ID, "pending 1")
		r.advance(time.Hour)
		since := r.Clock.Now()
		const n = 1203 // more than two batches of recoverBatch (500) deliveries
		r.emit(event.OrderSubmitted, n)
		r.Eventually("all deliveries exist", func() bool { return r.Count("deliveries") == n+1 })
		r.Eventually("the breaker opens", func() bool { return len(k.requests()) > 5 })

		recoveryEnded := make(chan struct{}) // until then no delivery succeeds, so that all have to be recovered
		k.respondWith(func(http.ResponseWriter, *http.Request) { <-recoveryEnded })
		allowed := 0
		recovered, err := r.Recover(r.Context(), r.Store.ID, webhook.Recovery{ReceiverID: k.ID, Since: since,
			May: func(got webhook.Receiver) error {
				if allowed++; got.ID != k.ID {
					r.Errorf("asked for receiver %s", got.ID)
				}
				return nil
			}})
		close(recoveryEnded)

		if allowed != 1 {
			r.Errorf("asked %d times, want once, in the first transaction", allowed)
		}

		if err != nil || recovered < n-10 || recovered > n {
			r.Errorf("recovered %d: %v", recovered, err)
		}

		r.Eventually("they are delivered", func() bool {
			return r.Count("deliveries WHERE status <> 'delivered'") <= 1
		})
	})
}

// Pausing a receiver uses no attempts: the pending deliveries keep their whole schedule.
func TestBreaker_pauseUsesNoAttempts(t *testing.T) {
	eachEngine(t, func(r *fixture) {
		k := r.newReceiver(respondStatus(500))
		r.emit(event.OrderSubmitted, 100)
		r.Eventually("the breaker opens", func() bool {
			tried := 0
			for _, d := range r.deliveries(k.ID) {
				tried += int(d.Attempts)
			}
			return tried >= 5 && tried == len(k.requests())
		})
		if n := len(k.requests()); n > 5+2*8 {
			r.Errorf("%d requests were made before the breaker opened", n)
		}

		k.respondWith(nil)
		r.Eventually("the breaker closes", func() bool {
			r.advance(20 * time.Second)
			return len(k.requests()) >= 100
		})
		r.advance(10 * time.Minute)
		r.Eventually("all deliveries are delivered", func() bool {
			return !slices.ContainsFunc(r.deliveries(k.ID),
				func(d webhook.Delivery) bool { return d.Status != webhook.Delivered })
		})

		for _, d := range r.deliveries(k.ID) {
			if d.Attempts > 3 {
				r.Errorf("a delivery has %d attempts, want at most 3", d.Attempts)
			}
		}
	})
}

// Prune deletes deliveries and events that are older than the retention of 30 days, and no newer ones. Held deliveries
// expire like delivered ones.
func TestPrune_deletesExpiredEventsAndDeliveries(t *testing.T) {
	eachEngine(t, func(r *fixture) {
		good := r.newReceiver(nil, "order.submitted")
		bad := r.newReceiver(nil, "order.cancelled")
		r.emit(event.OrderSubmitted, 3)
		r.waitForDeliveries(good.ID, "delivered 1", "delivered 1", "delivered 1")
		r.setEnabled(bad.ID, false)
		r.advance(20 * 24 * time.Hour)
		r.emit(event.OrderCancelled, 1)
		r.waitForDeliveries(bad.ID, "held 0")
		counts := func() string {
			return fmt.Sprint(r.Count("events"), " ", r.Count("deliveries"), " ", r.Count("attempts"))
		}

		for _, step := range []struct {
			pass time.Duration
			want string
		}{{0, "4 4 3"}, {11 * 24 * time.Hour, "1 1 0"}, {20 * 24 * time.Hour, "0 0 0"}} {
			r.advance(step.pass)
			if err := r.Prune(r.Context()); err != nil {
				r.Fatal(err)
			}
			if got := counts(); got != step.want {
				r.Errorf("after %s there are %s events, deliveries and attempts, want %s", step.pass, got, step.want)
			}
		}

		// The time before which events are deleted is recorded. An earlier one, as with a longer retention, does not
		// count.
		prunedBefore := func() (before time.Time) {
			r.WriteUnscoped(func(q database.Querier) (err error) {
				before, err = webhook.PrunedBefore(r.Context(), q)
				return err
			})
			return before
		}
		latest := prunedBefore()
		if expired := r.Clock.Now().Add(-r.Retention); latest.After(expired) || latest.Before(expired.Add(-time.Hour)) {
			r.Errorf("events are deleted before %v, want %v", latest, expired)
		}

		r.Exec("INSERT INTO events (store_id, sequence, id, type, payload, created_at) VALUES ($1, 1, $1, 'x', $2, 0)",
			r.Store.ID, []byte{})
		r.Clock.Set(r.Clock.Now().Add(-24 * time.Hour))

		if err := r.Prune(r.Context()); err != nil || r.Count("events") != 0 {
			r.Errorf("%d events are left, %v", r.Count("events"), err)
		}
		if got := prunedBefore(); !got.Equal(latest) {
			r.Errorf("after a deletion with an earlier time it is %v, want %v", got, latest)
		}
	})
}

// A delivery that expires takes its parked job with it, so that nobody tries it again in vain.
func TestPrune_deletesParkedJobsOfExpiredDeliveries(t *testing.T) {
	eachEngine(t, func(r *fixture) {
		receiver := r.newReceiver(nil, "order.submitted")
		r.emit(event.OrderSubmitted, 1)
		r.waitForDeliveries(receiver.ID, "delivered 1")
		r.advance(20 * 24 * time.Hour)
		r.emit(event.OrderSubmitted, 1)
		r.waitForDeliveries(receiver.ID, "delivered 1", "delivered 1")

		r.WriteUnscoped(func(q database.Querier) error {
			var names []string
			err := database.QueryEach(r.Context(), q, "SELECT id FROM deliveries ORDER BY key", nil,
				func(rows database.Rows) error {
					var delivery webhook.DeliveryID
					err := rows.Scan(&delivery)
					names = append(names, delivery.String())
					return err
				})
			for i, name := range names {
				err = errors.Join(err, database.Exec(r.Context(), q,
					`INSERT INTO parked_jobs (key, kind, lane, unique_name, payload, asked, created_at, owner, deaths, parked_at)
VALUES ($1, 'webhook.deliver', 'a', $2, $3, 1, 1, 'b', 3, 1)`, i+1, name, []byte{}))
			}

			return err
		})

		r.advance(11 * 24 * time.Hour)
		if err := r.Prune(r.Context()); err != nil {
			r.Fatal(err)
		}

		if old, recent := r.Count("parked_jobs WHERE key = 1"),
			r.Count("parked_jobs WHERE key = 2"); old != 0 || recent != 1 {
			r.Errorf("%d old and %d recent parked jobs are left, want 0 and 1", old, recent)
		}
	})
}

// Events are deleted in several transactions. An event with a pending delivery stays, and so do those of a store whose
// fan-out has not reached them.
func TestPrune_deletesEventsInBatches(t *testing.T) {
	storetest.Each(t, func(f *storetest.Fixture) {
		r := newFixture(f)
		r.Service = r.newNode() // its workers do not run, so deliveries stay pending
		sink := r.newReceiver(nil, "order.submitted")
		r.emit(event.FeedbackSubmitted, 700)
		r.emit(event.OrderSubmitted, 1)
		r.emit(event.FeedbackSubmitted, 600)
		stop := r.Start(r.Service.Run)
		r.waitForDeliveries(sink.ID, "pending 0")
		r.Eventually("the fan-out has reached all events", func() bool {
			return r.Count("event_fanouts WHERE sequence = 1301") == 1
		})
		stop()
		r.emit(event.FeedbackSubmitted, 10) // not fanned out
		other := r.NewStore(store.Edit{})
		r.Exec("INSERT INTO event_fanouts (store_id, sequence) VALUES ($1, 0)", other.ID)
		r.advance(31 * 24 * time.Hour)
		r.emit(event.FeedbackSubmitted, 5)

		if err := r.Prune(r.Context()); err != nil {
			r.Fatal(err)
		}

		if all, pending := r.Count("events"), r.Count("events WHERE type = 'order.submitted'"); all != 16 ||
			pending != 1 {
			r.Errorf("%d events are left, %d of them with a pending delivery; want 16 and 1", all, pending)
		}
	})
}
