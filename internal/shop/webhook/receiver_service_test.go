package webhook

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/kit/queue"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
)

// receiverFixture is a service with a store and a manual clock, whose workers are not running.
type receiverFixture struct {
	*testing.T
	*Service
	storeID store.ID
	now     time.Time
}

func eachEngine(t *testing.T, fn func(d *receiverFixture)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		t.Parallel()
		d := &receiverFixture{T: t, now: time.Date(2026, 11, 14, 12, 0, 5, 0, time.UTC)}
		now := func() time.Time { return d.now }
		v, err := vault.ParseKey(strings.Repeat("7f", vault.KeySize))
		if err != nil {
			t.Fatal(err)
		}
		q := queue.New(queue.Deps{DB: db, Now: now})
		d.Service = New(Deps{DB: db, Vault: v, Queue: q, Guard: outbound.New(outbound.Config{}), Now: now})
		q.Register(d.Kind())
		d.write(func(q database.Querier) error {
			made, err := store.New(store.Deps{DB: db, Now: now}).Create(t.Context(), q, store.Edit{})
			d.storeID = made.ID
			return err
		})
		fn(d)
	})
}

func (d *receiverFixture) write(fn func(q database.Querier) error) {
	d.Helper()
	if err := d.DB.Write(d.Context(), fn); err != nil {
		d.Fatal(err)
	}
}

func (d *receiverFixture) createReceiver(types ...string) (r Receiver, secret string) {
	d.Helper()
	d.write(func(q database.Querier) (err error) {
		r, secret, err = d.CreateReceiver(d.Context(), store.In(q, d.storeID),
			ReceiverEdit{URL: new("https://shop.example/hook"), Types: &types})
		return err
	})
	return r, secret
}

func (d *receiverFixture) editReceiver(r Receiver, e ReceiverEdit) (changed Receiver) {
	d.Helper()
	d.write(func(q database.Querier) (err error) {
		changed, err = d.EditReceiver(d.Context(), store.In(q, d.storeID), r.ID, e, nil)
		return err
	})
	return changed
}

func (d *receiverFixture) exec(sql string, args ...any) {
	d.Helper()
	d.write(func(q database.Querier) error {
		_, err := q.Exec(d.Context(), sql, args...)
		return err
	})
}

// summarize formats the number of deliveries in each status, such as "pending 2, held 1".
func (d *receiverFixture) summarize(count func(q database.Querier) (StatusCounts, error)) (text string) {
	d.Helper()
	d.write(func(q database.Querier) error {
		counts, err := count(q)
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

// The current secret signs, and for a day the previous one; an older one is dropped.
func TestRotateSecret_keepsOldSecretForADay(t *testing.T) {
	eachEngine(t, func(d *receiverFixture) {
		r, first := d.createReceiver("*")
		rotate := func() (secret string) {
			d.write(func(q database.Querier) (err error) {
				_, secret, err = d.RotateSecret(d.Context(), store.In(q, d.storeID), r.ID)
				return err
			})
			return secret
		}
		wantSigningSecrets := func(want ...string) {
			d.Helper()
			var list []Receiver
			d.write(func(q database.Querier) (err error) {
				list, err = selectReceivers(d.Context(), store.In(q, d.storeID))
				return err
			})
			keys, err := d.signingKeys(&list[0], d.now)
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
		d.now = d.now.Add(secretOverlap - time.Second)
		wantSigningSecrets(second, first)
		third := rotate()
		wantSigningSecrets(third, second)
		d.now = d.now.Add(secretOverlap)
		wantSigningSecrets(third)
	})
}

func TestEditReceiver_holdsPendingDeliveriesAndResetsFailures(t *testing.T) {
	eachEngine(t, func(d *receiverFixture) {
		r, _ := d.createReceiver("order.*")
		other, _ := d.createReceiver("*")
		emit := func(eventType string) {
			d.write(func(q database.Querier) error {
				return event.New(event.Deps{Now: d.Now, Wake: d.Wake}).Emit(d.Context(), store.In(q, d.storeID), eventType,
					[]byte(`{}`))
			})
			if _, err := d.fanOut(d.Context(), []store.ID{d.storeID}); err != nil {
				d.Fatal(err)
			}
		}
		undelivered := func(r Receiver) string {
			return d.summarize(func(q database.Querier) (StatusCounts, error) {
				return d.CountUndelivered(d.Context(), store.In(q, d.storeID), r)
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
		d.exec("UPDATE receivers SET disabled_reason = 'failing', failing_since = 1 WHERE store_id = $1 AND key = $2",
			d.storeID, r.Key)
		if r = d.editReceiver(r, ReceiverEdit{Enabled: new(false), Types: &[]string{"*"}}); r.DisabledReason == nil ||
			*r.DisabledReason != DisabledFailing || r.FailingSince == nil {
			d.Errorf("after an edit of the types the receiver is %+v", r)
		}
		if r = d.editReceiver(r, ReceiverEdit{Enabled: new(true)}); !r.Enabled || r.DisabledReason != nil ||
			r.FailingSince != nil || undelivered(r) != "held 2" {
			d.Errorf("the enabled receiver is %+v with %q", r, undelivered(r))
		}
		d.exec("UPDATE receivers SET failing_since = 1 WHERE store_id = $1 AND key = $2", d.storeID, r.Key)
		if r = d.editReceiver(r, ReceiverEdit{URL: new(r.URL)}); r.FailingSince == nil {
			d.Error("setting the same URL reset failing_since")
		}
		if r = d.editReceiver(r, ReceiverEdit{URL: new("https://shop.example/new")}); r.FailingSince != nil {
			d.Error("a new URL did not reset failing_since")
		}

		lastDay := func() string {
			return d.summarize(func(q database.Querier) (StatusCounts, error) {
				counts, err := d.CountDeliveries(d.Context(), store.In(q, d.storeID), d.now.Add(-24*time.Hour))
				return counts[other.Key], err
			})
		}
		if got := lastDay(); got != "pending 3" {
			d.Errorf("deliveries of the last day are %q", got)
		}
		if d.now = d.now.Add(25 * time.Hour); lastDay() != "" {
			d.Errorf("a day later they are %q", lastDay())
		}
		emit(event.OrderCancelled)
		if got := lastDay(); got != "pending 1" {
			d.Errorf("after another event they are %q", got)
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
				failed[i] = d.DB.Write(d.Context(), func(q database.Querier) error {
					_, _, err := d.CreateReceiver(d.Context(), store.In(q, d.storeID),
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
