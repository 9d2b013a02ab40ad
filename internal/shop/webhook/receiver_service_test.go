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

// desk is a store whose receivers a test changes. Its clock moves when it is told to.
type desk struct {
	*testing.T
	*Service
	storeID store.ID
	now     time.Time
}

func eachDesk(t *testing.T, fn func(d *desk)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		t.Parallel()
		d := &desk{T: t, now: time.Date(2026, 11, 14, 12, 0, 5, 0, time.UTC)}
		now := func() time.Time { return d.now }
		v, err := vault.ParseKey(strings.Repeat("7f", vault.KeySize))
		if err != nil {
			t.Fatal(err)
		}
		q := queue.New(queue.Deps{DB: db, Now: now})
		d.Service = NewService(Deps{DB: db, Vault: v, Queue: q, Guard: outbound.New(outbound.Config{}), Now: now})
		q.Register(d.Kind())
		d.write(func(q database.Querier) error {
			made, err := store.NewService(db, now).Create(t.Context(), q, store.Edit{})
			d.storeID = made.ID
			return err
		})
		fn(d)
	})
}

func (d *desk) write(fn func(q database.Querier) error) {
	d.Helper()
	if err := d.DB.Write(d.Context(), fn); err != nil {
		d.Fatal(err)
	}
}

func (d *desk) register(types ...string) (r Receiver, secret string) {
	d.Helper()
	d.write(func(q database.Querier) (err error) {
		r, secret, err = d.CreateReceiver(d.Context(), store.In(q, d.storeID), ReceiverEdit{URL: new("https://shop.example/hook"), Types: &types})
		return err
	})
	return r, secret
}

func (d *desk) edit(r Receiver, e ReceiverEdit) (changed Receiver) {
	d.Helper()
	d.write(func(q database.Querier) (err error) {
		changed, err = d.EditReceiver(d.Context(), store.In(q, d.storeID), r.ID, e, nil)
		return err
	})
	return changed
}

func (d *desk) exec(sql string, args ...any) {
	d.Helper()
	d.write(func(q database.Querier) error {
		_, err := q.Exec(d.Context(), sql, args...)
		return err
	})
}

// told is how many deliveries a receiver has in each status: "pending 2, held 1".
func (d *desk) told(count func(q database.Querier) (StatusCounts, error)) (text string) {
	d.Helper()
	d.write(func(q database.Querier) error {
		tally, err := count(q)
		var words []string
		for _, status := range Statuses() {
			if n := tally[status]; n > 0 {
				words = append(words, string(status)+" "+string('0'+rune(n)))
			}
		}
		text = strings.Join(words, ", ")
		return err
	})
	return text
}

// What is signed with: the present secret, and for a day the one before it; an older one is dropped.
func TestRotateSecret_letsTheOldOneSignAlongForADay(t *testing.T) {
	eachDesk(t, func(d *desk) {
		r, first := d.register("*")
		rotate := func() (secret string) {
			d.write(func(q database.Querier) (err error) {
				_, secret, err = d.RotateSecret(d.Context(), store.In(q, d.storeID), r.ID)
				return err
			})
			return secret
		}
		signed := func(want ...string) {
			d.Helper()
			var list []Receiver
			d.write(func(q database.Querier) (err error) {
				list, err = d.receiversOf(d.Context(), store.In(q, d.storeID))
				return err
			})
			keys, err := d.signingKeys(&list[0], d.now)
			if err != nil || len(keys) != len(want) {
				d.Fatalf("%d secrets sign (%v), want %d", len(keys), err, len(want))
			}
			for i := range want {
				if got := secretPrefix + base64.StdEncoding.EncodeToString(keys[i]); got != want[i] {
					d.Errorf("secret %d is another", i)
				}
			}
			for _, sealed := range [][]byte{list[0].secret, list[0].oldSecret} {
				if bytes.Contains(sealed, keys[0]) || bytes.Contains(sealed, []byte(secretPrefix)) {
					d.Error("a secret is stored as it is")
				}
			}
		}
		signed(first)
		second := rotate()
		signed(second, first)
		d.now = d.now.Add(secretOverlap - time.Second)
		signed(second, first)
		third := rotate()
		signed(third, second)
		d.now = d.now.Add(secretOverlap)
		signed(third)
	})
}

func TestEditReceiver_holdsWhatWaitsAndBeginsAnew(t *testing.T) {
	eachDesk(t, func(d *desk) {
		r, _ := d.register("order.*")
		other, _ := d.register("*")
		emit := func(eventType string) {
			d.write(func(q database.Querier) error {
				return event.NewEmitter(d.Now, d.Wake).Emit(d.Context(), store.In(q, d.storeID), eventType, []byte(`{}`))
			})
			if _, err := d.fanOut(d.Context(), []store.ID{d.storeID}); err != nil {
				d.Fatal(err)
			}
		}
		open := func(r Receiver) string {
			return d.told(func(q database.Querier) (StatusCounts, error) {
				return d.CountUndelivered(d.Context(), store.In(q, d.storeID), r)
			})
		}
		emit(event.OrderSubmitted)
		emit(event.FeedbackSubmitted)
		if r = d.edit(r, ReceiverEdit{Enabled: new(false)}); r.Enabled || r.DisabledReason != nil || open(r) != "held 1" || open(other) != "pending 2" {
			d.Errorf("disabled it is %+v with %q, the other has %q", r, open(r), open(other))
		}
		emit(event.OrderCancelled)
		if got := open(r); got != "held 2" {
			d.Errorf("what comes to a disabled receiver is %q", got)
		}

		// Disabled by the program, it tells why until it is enabled again; what else is changed meanwhile does not matter.
		d.exec("UPDATE receivers SET disabled_reason = 'failing', failing_since = 1 WHERE store_id = $1 AND key = $2", d.storeID, r.Key)
		if r = d.edit(r, ReceiverEdit{Enabled: new(false), Types: &[]string{"*"}}); r.DisabledReason == nil || *r.DisabledReason != DisabledFailing || r.FailingSince == nil {
			d.Errorf("an edit leaves %+v", r)
		}
		if r = d.edit(r, ReceiverEdit{Enabled: new(true)}); !r.Enabled || r.DisabledReason != nil || r.FailingSince != nil || open(r) != "held 2" {
			d.Errorf("enabled it is %+v with %q", r, open(r))
		}
		d.exec("UPDATE receivers SET failing_since = 1 WHERE store_id = $1 AND key = $2", d.storeID, r.Key)
		if r = d.edit(r, ReceiverEdit{URL: new(r.URL)}); r.FailingSince == nil {
			d.Error("the same address has a clean record")
		}
		if r = d.edit(r, ReceiverEdit{URL: new("https://shop.example/new")}); r.FailingSince != nil {
			d.Error("a new address has the record of the old one")
		}

		day := func() string {
			return d.told(func(q database.Querier) (StatusCounts, error) {
				tallies, err := d.CountDeliveries(d.Context(), store.In(q, d.storeID), d.now.Add(-24*time.Hour))
				return tallies[other.Key], err
			})
		}
		if got := day(); got != "pending 3" {
			d.Errorf("today there were %q", got)
		}
		if d.now = d.now.Add(25 * time.Hour); day() != "" {
			d.Errorf("a day later there were %q", day())
		}
		emit(event.OrderCancelled)
		if got := day(); got != "pending 1" {
			d.Errorf("with one more there were %q", got)
		}
	})
}

// Whoever comes at the same time, a store never has more receivers than it may.
func TestCreateReceiver_stopsAtTheLimit(t *testing.T) {
	eachDesk(t, func(d *desk) {
		for range MaxReceivers - 1 {
			d.register("*")
		}
		var wait sync.WaitGroup
		failed := make([]error, 4)
		for i := range failed {
			wait.Go(func() {
				failed[i] = d.DB.Write(d.Context(), func(q database.Querier) error {
					_, _, err := d.CreateReceiver(d.Context(), store.In(q, d.storeID), ReceiverEdit{URL: new("https://shop.example/hook"), Types: &[]string{"*"}})
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
			d.Errorf("%d of %d were refused", refused, len(failed))
		}
	})
}
