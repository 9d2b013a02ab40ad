package webhook

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/kit/queue"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/storetest"
)

// receiverFixture is a store with a service whose workers are not running.
type receiverFixture struct {
	*storetest.Fixture
	*Service
}

func eachEngine(t *testing.T, fn func(d *receiverFixture)) {
	t.Helper()
	storetest.Each(t, func(f *storetest.Fixture) {
		v, err := vault.ParseKey(strings.Repeat("7f", vault.KeySize))
		if err != nil {
			f.Fatal(err)
		}
		q := queue.New(queue.Deps{DB: f.DB, Now: f.Clock.Now})
		s := New(Deps{DB: f.DB, Vault: v, Queue: q, Guard: outbound.New(outbound.Config{}), Now: f.Clock.Now})
		q.Register(s.Kind())
		fn(&receiverFixture{f, s})
	})
}

func (d *receiverFixture) createReceiver(types ...string) (r Receiver, secret string) {
	d.Helper()
	d.Write(func(tx store.Tx) (err error) {
		r, secret, err = d.CreateReceiver(d.Context(), tx,
			ReceiverEdit{URL: new("https://shop.example/hook"), Types: &types})
		return err
	})
	return r, secret
}

func (d *receiverFixture) editReceiver(r Receiver, e ReceiverEdit) (changed Receiver) {
	d.Helper()
	d.Write(func(tx store.Tx) (err error) {
		changed, err = d.EditReceiver(d.Context(), tx, r.ID, e, nil)
		return err
	})
	return changed
}

// summarize formats the number of deliveries in each status, such as "pending 2, held 1".
func (d *receiverFixture) summarize(count func(tx store.Tx) (StatusCounts, error)) (text string) {
	d.Helper()
	d.Read(func(tx store.Tx) error {
		counts, err := count(tx)
		var parts []string
		for _, status := range Statuses() {
			if n := counts[status]; n > 0 {
				parts = append(parts, string(status)+" "+string('0'+rune(n)))
			}
		}
		text = strings.Join(parts, ", ")
		return err
	})
	return text
}

// The current secret signs. The previous one also signs for a day after the rotation. Older ones are dropped.
func TestRotateSecret_keepsOldSecretForADay(t *testing.T) {
	eachEngine(t, func(d *receiverFixture) {
		r, first := d.createReceiver("*")
		rotate := func() (secret string) {
			d.Write(func(tx store.Tx) (err error) {
				_, secret, err = d.RotateSecret(d.Context(), tx, r.ID)
				return err
			})
			return secret
		}

		wantSigningSecrets := func(want ...string) {
			d.Helper()
			var list []Receiver
			d.Write(func(tx store.Tx) (err error) {
				list, err = selectReceivers(d.Context(), tx)
				return err
			})

			keys, err := list[0].signingKeys(d.Vault, d.Clock.Now())
			if err != nil || len(keys) != len(want) {
				d.Fatalf("%d signing keys (%v), want %d", len(keys), err, len(want))
			}

			for i := range want {
				if got := secretPrefix + base64.StdEncoding.EncodeToString(keys[i]); got != want[i] {
					d.Errorf("signing key %d is of another secret", i)
				}
			}

			for _, sealed := range [][]byte{list[0].secret, list[0].oldSecret} {
				if bytes.Contains(sealed, keys[0]) || bytes.Contains(sealed, []byte(secretPrefix)) {
					d.Error("a secret is stored unencrypted")
				}
			}
		}

		wantSigningSecrets(first)
		second := rotate()
		wantSigningSecrets(second, first)
		d.Clock.Advance(secretOverlap - time.Second)
		wantSigningSecrets(second, first)
		third := rotate()
		wantSigningSecrets(third, second)
		d.Clock.Advance(secretOverlap)
		wantSigningSecrets(third)
	})
}

func TestEditReceiver_holdsPendingDeliveriesAndResetsFailures(t *testing.T) {
	eachEngine(t, func(d *receiverFixture) {
		r, _ := d.createReceiver("order.*")
		other, _ := d.createReceiver("*")

		emit := func(eventType string) {
			d.Write(func(tx store.Tx) error {
				return event.New(event.Deps{Now: d.Now, Wake: d.Wake}).Emit(d.Context(), tx, eventType,
					[]byte(`{}`))
			})
			if _, _, err := d.fanout.fanOut(d.Context(), []store.ID{d.Store.ID}); err != nil {
				d.Fatal(err)
			}
		}

		undelivered := func(r Receiver) string {
			return d.summarize(func(tx store.Tx) (StatusCounts, error) {
				return d.CountUndelivered(d.Context(), tx, r)
			})
		}
		emit(event.OrderSubmitted)
		emit(event.FeedbackSubmitted)
		if r = d.editReceiver(r, ReceiverEdit{Enabled: new(false)}); r.Enabled || r.DisabledReason != nil ||
			undelivered(r) != "held 1" || undelivered(other) != "pending 2" {
			d.Errorf("the disabled receiver is %+v with %q, the other has %q", r, undelivered(r), undelivered(other))
		}

		emit(event.OrderCancelled)
		if got := undelivered(r); got != "held 2" {
			d.Errorf("deliveries of the disabled receiver are %q", got)
		}

		// The reason of an automatic disabling stays until the receiver is enabled again. Other edits do not change it.
		d.Exec("UPDATE receivers SET disabled_reason = 'failing', failing_since = 1 WHERE store_id = $1 AND key = $2",
			d.Store.ID, r.Key)

		if r = d.editReceiver(r, ReceiverEdit{Enabled: new(false), Types: &[]string{"*"}}); r.DisabledReason == nil ||
			*r.DisabledReason != DisabledFailing || r.FailingSince == nil {
			d.Errorf("after an edit of the types the receiver is %+v", r)
		}

		if r = d.editReceiver(r, ReceiverEdit{Enabled: new(true)}); !r.Enabled || r.DisabledReason != nil ||
			r.FailingSince != nil || undelivered(r) != "held 2" {
			d.Errorf("the enabled receiver is %+v with %q", r, undelivered(r))
		}

		d.Exec("UPDATE receivers SET failing_since = 1 WHERE store_id = $1 AND key = $2", d.Store.ID, r.Key)
		if r = d.editReceiver(r, ReceiverEdit{URL: new(r.URL)}); r.FailingSince == nil {
			d.Error("setting the same URL reset failing_since")
		}
		if r = d.editReceiver(r, ReceiverEdit{URL: new("https://shop.example/new")}); r.FailingSince != nil {
			d.Error("a new URL did not reset failing_since")
		}
	})
}

// Concurrent calls must not exceed the maximum number of receivers.
func TestCreateReceiver_enforcesLimitConcurrently(t *testing.T) {
	eachEngine(t, func(d *receiverFixture) {
		for range MaxReceivers - 1 {
			d.createReceiver("*")
		}

		var wait sync.WaitGroup
		failed := make([]error, 4)
		for i := range failed {
			wait.Go(func() {
				failed[i] = d.TryWrite(func(tx store.Tx) error {
					_, _, err := d.CreateReceiver(d.Context(), tx,
						ReceiverEdit{URL: new("https://shop.example/hook"), Types: &[]string{"*"}})
					return err
				})
			})
		}

		wait.Wait()
		refused := 0
		for _, err := range failed {
			var f *fault.Error
			switch {
			case errors.As(err, &f) && f.Code == "too_many_receivers":
				refused++
			case err != nil:
				d.Error(err)
			}
		}

		if refused != len(failed)-1 {
			d.Errorf("%d of %d calls were rejected, want all but one", refused, len(failed))
		}
	})
}
