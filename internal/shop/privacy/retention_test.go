package privacy

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/storetest"
)

// peopleFixture is a store with a customer who has not signed in for two years, and a service that keeps customers for
// one.
type peopleFixture struct {
	*storetest.Fixture
	*Service
	log      *bytes.Buffer
	inactive customer.Inactive
	since    time.Time
}

func eachPeopleFixture(t *testing.T, fn func(f *peopleFixture)) {
	t.Helper()
	storetest.Each(t, func(f *storetest.Fixture) {
		v, err := vault.ParseKey(strings.Repeat("ab", 32))
		if err != nil {
			f.Fatal(err)
		}

		log := &bytes.Buffer{}
		const year = 365 * 24 * time.Hour
		p := &peopleFixture{Fixture: f, log: log, since: f.Clock.Now().Add(-year), Service: New(Deps{DB: f.DB,
			Notify: notify.New(notify.Deps{DB: f.DB, Vault: v, Now: f.Clock.Now}),
			Audit:  &audit.Service{Now: f.Clock.Now},
			Now:    f.Clock.Now, Log: slog.New(slog.NewTextHandler(log, nil)), CustomerRetention: year,
			OrderRetention: year})}
		p.addCustomer("anna@example.com")
		fn(p)
	})
}

// addCustomer adds the customer who signed in two years ago.
func (p *peopleFixture) addCustomer(email string) {
	p.Helper()
	p.inactive = customer.Inactive{StoreID: p.Store.ID, ID: customer.ID(id.New[Subject]())}
	old := p.since.AddDate(-1, 0, 0).UnixMicro()
	p.Exec("INSERT INTO customers (store_id, id, email, login_email, name, words, version, created_at, updated_at, "+
		"signed_in_at) VALUES ($1, $2, $3, $3, 'Anna', '', 1, $4, $4, $4)", p.Store.ID, p.inactive.ID, email, old)
	p.Fixture.Read(func(tx store.Tx) error {
		c, err := customer.Find(p.Context(), tx, p.inactive.ID)
		p.inactive.Key = c.Key
		return err
	})
}

// addOrder adds an order of the customer in a state, changed at a time.
func (p *peopleFixture) addOrder(state order.State, at time.Time) {
	p.Helper()
	p.Exec("INSERT INTO orders (store_id, id, number, state, token, customer_key, name, phone, email, address, "+
		"delivery_comment, comment, currency, total, words, version, created_at, updated_at) VALUES ($1, $2, $3, $4, "+
		"$5, "+
		"$6, 'Anna', '', '', '', '', '', 'EUR', 0, '', 1, $7, $7)", p.Store.ID, id.New[Subject](),
		p.Count("orders")+1, string(state), []byte{}, p.inactive.Key, at.UnixMicro())
}

// A customer who became active after the list of inactive customers was read is not erased. Each of the steps is
// something that makes a customer active.
func TestRetention_sparesACustomerWhoBecameActive(t *testing.T) {
	eachPeopleFixture(t, func(p *peopleFixture) {
		now := p.Clock.Now()
		for what, change := range map[string]func(){
			"signed in": func() {
				p.Exec("UPDATE customers SET signed_in_at = $1", now.UnixMicro())
			},
			"has ordered":           func() { p.addOrder(order.Completed, now) },
			"has an unfinished one": func() { p.addOrder(order.Confirmed, p.since.Add(-time.Hour)) },
			"has asked": func() {
				p.Exec("INSERT INTO feedback (store_id, id, name, email, phone, message, extra, words, created_at) "+
					"VALUES ($1, $2, 'Anna', 'anna@example.com', '', 'Hello', '{}', '', $3)", p.Store.ID,
					id.New[Subject](), now.UnixMicro())
			},
		} {
			change()

			// Both the look without locks, and the one in the transaction that erases.
			if n, err := p.eraseIfInactive(p.Context(), p.inactive, p.since); n != 0 || err != nil {
				p.Errorf("%s: %d customers are erased, %v", what, n, err)
			}

			_, err := p.erase(p.Context(), p.Store.ID, store.Actor{Kind: store.ByRetention},
				Subject{CustomerID: p.inactive.ID}, func(ctx context.Context, tx store.Tx, b *belongings) error {
					return b.checkInactive(ctx, tx, p.since, order.LockPersonal)
				})
			if err == nil || p.Count("customers") != 1 {
				p.Errorf("%s: erased although it is locked and active, %v", what, err)
			}

			for _, sql := range []string{"DELETE FROM customer_sessions", "DELETE FROM orders",
				"DELETE FROM feedback"} {
				p.Exec(sql)
			}

			p.Exec("UPDATE customers SET signed_in_at = 0")
		}

		p.addOrder(order.Completed, p.since.Add(-time.Hour))
		if err := p.EraseInactiveCustomers(p.Context()); err != nil || p.Count("customers") != 0 {
			p.Errorf("afterwards there are %d customers, %v", p.Count("customers"), err)
		}
		if !strings.Contains(p.log.String(), "kind=customers count=1") {
			p.Errorf("the log is %s", p.log)
		}

		entries := p.Texts("SELECT changes FROM audit_entries WHERE actor_kind = 'retention'")
		if len(entries) != 1 || !strings.Contains(entries[0], `"customers"`) ||
			!strings.Contains(entries[0], `"orders"`) {
			p.Errorf("the log of changes has %q", entries)
		}

		p.log.Reset()
		if err := p.EraseInactiveCustomers(p.Context()); err != nil || p.log.Len() != 0 {
			p.Errorf("a second run logs %s, %v", p.log, err)
		}
	})
}

// A login that commits while the erasure waits for its lock keeps the customer.
func TestRetention_waitsForALogin(t *testing.T) {
	eachPeopleFixture(t, func(p *peopleFixture) {
		erased := make(chan error)
		p.WriteUnscoped(func(q database.Querier) error {
			err := database.Exec(p.Context(), q, "UPDATE customers SET signed_in_at = $1", p.Clock.Now().UnixMicro())
			go func() {
				_, err := p.eraseIfInactive(p.Context(), p.inactive, p.since)
				erased <- err
			}()
			return err
		})
		if err := <-erased; err != nil || p.Count("customers") != 1 {
			p.Errorf("there are %d customers, %v", p.Count("customers"), err)
		}
	})
}

// The same holds for orders: only those are erased that are still finished and old when they are locked.
func TestRetention_sparesAnOrderThatChanged(t *testing.T) {
	eachPeopleFixture(t, func(p *peopleFixture) {
		old := p.since.Add(-time.Hour)
		p.addOrder(order.Completed, old)
		p.addOrder(order.Cancelled, p.Clock.Now())
		p.addOrder(order.Confirmed, old)
		var keys, finished []int64
		p.Fixture.Write(func(tx store.Tx) (err error) {
			if keys, err = order.KeysOf(p.Context(), tx, p.inactive.Key, contact.Set{}); err != nil {
				return err
			}
			finished, err = order.StillFinished(p.Context(), tx, keys, p.since)
			return err
		})
		if len(keys) != 3 || len(finished) != 1 || finished[0] != keys[0] {
			p.Errorf("of the orders %v these are finished and old: %v", keys, finished)
		}

		for range 2 { // the second run finds nothing
			if err := p.EraseOldOrders(p.Context()); err != nil {
				p.Fatal(err)
			}
		}

		if n := p.Count("orders WHERE name = '[erased]' AND version = 2"); n != 1 {
			p.Errorf("%d orders are erased once", n)
		}
		if got := strings.Count(p.log.String(), "kind=orders count=1"); got != 1 {
			p.Errorf("the log is %s", p.log)
		}
	})
}
