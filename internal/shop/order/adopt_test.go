package order

import (
	"slices"
	"sync"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/store"
)

// adoptionFixture has Adoptions with a queue that runs.
type adoptionFixture struct {
	*fixture
	*Adoptions
}

func eachEngineWithAdoptions(t *testing.T, fn func(s adoptionFixture)) {
	t.Helper()
	eachEngine(t, func(s *fixture) {
		jobs := queue.New(queue.Deps{DB: s.DB, Now: time.Now})
		a := NewAdoptions(AdoptionDeps{DB: s.DB, Queue: jobs, Now: s.Clock.Now})
		jobs.Register(a.Kind())
		s.Start(jobs.Run)
		fn(adoptionFixture{s, a})
	})
}

// orderAs creates an order of a guest with a contact.
func (s adoptionFixture) orderAs(email, phone string, lines ...Line) Order {
	s.Helper()
	o := s.createDraft(lines...)
	e := Edit{Contact: ContactEdit{Name: new("Anna"), Email: &email, Phone: &phone}}
	s.Write(func(tx store.Tx) (err error) {
		o, err = s.Submit(s.Context(), tx, s.Store, o.ID, e, Caller{AllOrders: true}, "")
		return err
	})
	return o
}

// createWithLogin creates a customer who signs in with the addresses; "" is none.
func (s adoptionFixture) createWithLogin(email, phone string) (Caller, customer.Customer) {
	s.Helper()
	caller := s.createCustomer()
	s.WriteUnscoped(func(q database.Querier) error {
		return database.Exec(s.Context(), q, "UPDATE customers SET login_email = NULLIF($2, ''), "+
			"login_phone = NULLIF($3, '') WHERE key = $1", caller.CustomerKey, email, phone)
	})
	return caller, s.find(caller)
}

func (s adoptionFixture) find(caller Caller) (c customer.Customer) {
	s.Helper()
	s.Write(func(tx store.Tx) (err error) {
		c, err = customer.Find(s.Context(), tx, caller.CustomerID)
		return err
	})
	return c
}

func (s adoptionFixture) adopt(c customer.Customer) {
	s.Helper()
	s.Write(func(tx store.Tx) error { return s.Adopt(s.Context(), tx, &c) })
}

// wantOrders checks which orders the customer has.
func (s adoptionFixture) wantOrders(caller Caller, want ...Order) {
	s.Helper()
	var got, ids []ID
	for _, o := range s.listOrders(Filter{CustomerKey: caller.CustomerKey}) {
		got = append(got, o.ID)
	}
	for _, o := range want {
		ids = append(ids, o.ID)
	}
	slices.SortFunc(ids, func(a, b ID) int { return -slices.Compare(a[:], b[:]) })
	if !slices.Equal(got, ids) {
		s.Errorf("customer %d has the orders %v, want %v", caller.CustomerKey, got, ids)
	}
}

func (s adoptionFixture) totalsOf(caller Caller) CustomerTotals {
	s.Helper()
	var totals map[int64]CustomerTotals
	s.Write(func(tx store.Tx) (err error) {
		totals, err = s.TotalsOfCustomers(s.Context(), tx, []int64{caller.CustomerKey})
		return err
	})
	return totals[caller.CustomerKey]
}

// A customer gets the orders of guests that name a proven address. The other address of such an order proves nothing,
// an address without proof neither, and carts and orders of other customers stay where they are.
func TestAdopt_linksOrdersWithTheProvenAddressOnly(t *testing.T) {
	eachEngineWithAdoptions(t, func(s adoptionFixture) {
		p := s.createProduct("Shirt", 10_0000, nil)
		withEmail := s.orderAs("Anna@example.com", "+491", line(p, 1))
		_ = s.orderAs("", "+491", line(p, 1))
		_ = s.orderAs("anna@example.com.au", "", line(p, 1))
		_ = s.orderAs("other@example.com", "+49123", line(p, 1))
		cancelled := s.orderAs("anna@example.com", "", line(p, 1))
		if err := s.changeState(cancelled, Cancelled); err != nil {
			s.Fatal(err)
		}

		cart := s.createDraft(line(p, 1))
		s.Write(func(tx store.Tx) (err error) {
			e := Edit{Contact: ContactEdit{Email: new("anna@example.com")}}
			cart, err = s.Edit(s.Context(), tx, s.Store, cart.ID, e, Caller{AllOrders: true}, nil)
			return err
		})

		anna, annasRow := s.createWithLogin("anna@example.com", "")
		for range 2 { // a second time changes nothing
			s.adopt(annasRow)
			s.wantOrders(anna, withEmail, cancelled)
		}
		if got := s.totalsOf(anna); got.Orders != 1 || got.Sums[0].Total != 10_0000 {
			s.Errorf("the totals are %+v, want those of the order that is not cancelled", got)
		}

		var linked Order
		s.Write(func(tx store.Tx) (err error) {
			linked, err = s.Order(s.Context(), tx, s.Store, withEmail.ID, anna)
			return err
		})
		if linked.Version != withEmail.Version+1 || *linked.CustomerID != anna.CustomerID {
			s.Errorf("the order has version %d and customer %v", linked.Version, linked.CustomerID)
		}

		// The orders with the phone number are those of the one who proves it, but for the order that Anna has.
		if err := s.indexOrders(s.Context()); err != nil {
			s.Fatal(err)
		}
		owner, ownersRow := s.createWithLogin("", "+491")
		s.adopt(ownersRow)
		if got := s.totalsOf(owner); got.Orders != 1 {
			s.Errorf("the owner of the number has %d orders, want 1", got.Orders)
		}
		s.wantOrders(anna, withEmail, cancelled)
	})
}

// More orders than a sign-in links are linked by a job, and customers who prove two addresses of the same orders at the
// same time do not get any of them twice.
func TestAdopt_linksManyOrdersByAJob(t *testing.T) {
	eachEngineWithAdoptions(t, func(s adoptionFixture) {
		p := s.createProduct("Shirt", 1_0000, nil)
		const orders = adoptBatch + 20
		for range orders {
			s.orderAs("anna@example.com", "+49123456", line(p, 1))
		}
		if err := s.indexOrders(s.Context()); err != nil {
			s.Fatal(err)
		}

		byEmail, emailRow := s.createWithLogin("anna@example.com", "")
		byPhone, phoneRow := s.createWithLogin("", "+49123456")
		var both sync.WaitGroup
		for _, c := range []customer.Customer{emailRow, phoneRow} {
			both.Go(func() {
				if err := s.TryWrite(func(tx store.Tx) error { return s.Adopt(s.Context(), tx, &c) }); err != nil {
					s.Error(err)
				}
			})
		}
		both.Wait()
		s.Eventually("all orders have a customer", func() bool {
			return s.Count("orders WHERE customer_key IS NULL") == 0
		})
		if n := s.totalsOf(byEmail).Orders + s.totalsOf(byPhone).Orders; n != orders {
			s.Errorf("the customers have %d orders, want %d", n, orders)
		}
	})
}
