package order

import (
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/store"
)

func (s adoptionFixture) merge(first, second customer.ID) (kept customer.Customer, err error) {
	anyVersion := func(int64) bool { return true }
	err = s.TryWrite(func(tx store.Tx) (err error) {
		tx = tx.By(store.Actor{Kind: store.ByCommand}, s.Now())
		kept, err = Merges{s.Service}.Merge(s.Context(), tx, first, second, anyVersion, anyVersion)
		return err
	})
	return kept, err
}

func (s adoptionFixture) mustMerge(first, second customer.ID) customer.Customer {
	s.Helper()
	kept, err := s.merge(first, second)
	if err != nil {
		s.Fatal(err)
	}
	return kept
}

// guestOf returns the person under whom an order is shown.
func (s adoptionFixture) guestOf(o Order) (c customer.Customer) {
	s.Helper()
	s.Read(func(tx store.Tx) (err error) {
		c, err = customer.WithKey(s.Context(), tx, *s.stored(o).GuestKey)
		return err
	})
	return c
}

// findGuests finds the people of the orders.
func (s adoptionFixture) findGuests() {
	s.Helper()
	if err := (guestFinder{s.Fixture.DB}).findGuests(s.Context()); err != nil {
		s.Fatal(err)
	}
}

// foundOrder creates an order of a guest who is known.
func (s adoptionFixture) foundOrder(email, phone string, lines ...Line) Order {
	s.Helper()
	o := s.orderAs(email, phone, lines...)
	s.findGuests()
	return o
}

// mayRead reports whether a customer may read an order by signing in.
func (s adoptionFixture) mayRead(caller Caller, o Order) bool {
	s.Helper()
	err := s.TryRead(func(tx store.Tx) error {
		_, err := s.Order(s.Context(), tx, s.Store, o.ID, caller)
		return err
	})
	if err != nil && fault.KindOf(err) != fault.NotFound {
		s.Fatal(err)
	}
	return err == nil
}

// Two guests become one, with all orders, sums and notes, and what the one who stays had not.
func TestMerge_joinsGuestsWithOrdersSumsAndNotes(t *testing.T) {
	eachEngineWithAdoptions(t, func(s adoptionFixture) {
		p := s.createProduct("Shirt", 10_0000, nil)
		byEmail, byPhone := s.orderAs("zoe@mail.example", "", line(p, 1)), s.orderAs("", "+491234567", line(p, 2))
		cancelled := s.orderAs("", "+491234567", line(p, 1))
		if err := s.changeState(cancelled, Cancelled); err != nil {
			s.Fatal(err)
		}
		s.findGuests()
		first, second := s.guestOf(byEmail), s.guestOf(byPhone)
		for key, note := range map[int64]string{first.Key: "Likes red", second.Key: "Calls late"} {
			s.Exec("UPDATE customers SET note = $3 WHERE store_id = $1 AND key = $2", s.Store.ID, key, note)
		}

		kept := s.mustMerge(first.ID, second.ID)
		if kept.ID != first.ID || kept.Note != "Likes red\n\nCalls late" || *kept.Phone != "+491234567" {
			s.Errorf("the guest is now %+v", kept)
		}
		totals := s.totalsOf(Caller{CustomerKey: first.Key})
		if totals.Orders != 2 || totals.Sums[0].Total != 30_0000 {
			s.Errorf("the totals are %+v", totals)
		}
		for _, o := range []Order{byEmail, byPhone, cancelled} {
			if got := s.guestOf(o); got.ID != first.ID {
				s.Errorf("order %s is shown under %s", o.ID, got.ID)
			}
		}
		if n := s.Count("customers"); n != 1 {
			s.Errorf("%d customers", n)
		}

		// What does not fit is not lost.
		other := s.guestOf(s.foundOrder("anna@work.example", "+497654321", line(p, 1)))
		kept = s.mustMerge(first.ID, other.ID)
		if kept.Note != "Likes red\n\nCalls late\n\nanna@work.example · +497654321" {
			s.Errorf("the note is now %q", kept.Note)
		}

		// Later orders with either address are those of the one who stays.
		later := s.foundOrder("", "+491234567", line(p, 1))
		if got := s.guestOf(later); got.ID != first.ID {
			s.Error("an order with the phone number of the other guest is shown under somebody else")
		}
		if n := s.Count("audit_entries WHERE action = 'customer.merged'"); n != 2 {
			s.Errorf("%d entries of the log", n)
		}
	})
}

// Joining customers lets nobody read an order on the site that they could not read before: not that of a guest, nor
// that of a customer who signed in with another address. The addresses of the other one are told to the shop only.
func TestMerge_givesNobodyAccessToAnOrder(t *testing.T) {
	eachEngineWithAdoptions(t, func(s adoptionFixture) {
		p := s.createProduct("Shirt", 10_0000, nil)
		anna, annasRow := s.createWithLogin("anna@mail.example", "")
		boris, borisRow := s.createWithLogin("", "+491234567")
		annas, boriss := s.createDraftAs(anna, line(p, 1)), s.createDraftAs(boris, line(p, 1))
		cart := s.createDraftAs(boris, line(p, 1))
		for _, o := range []*Order{&annas, &boriss} {
			submitted, err := s.submit(*o)
			if err != nil {
				s.Fatal(err)
			}
			*o = submitted
		}
		guests := s.orderAs("guest@mail.example", "", line(p, 1))
		s.findGuests()
		s.Exec("INSERT INTO customer_sessions (store_id, customer_key, hash, created_at, expires_at) "+
			"VALUES ($1, $2, $3, 1, 2)", s.Store.ID, boris.CustomerKey, []byte(strings.Repeat("x", 32)))

		s.mustMerge(annasRow.ID, borisRow.ID)
		kept := s.mustMerge(s.guestOf(guests).ID, annasRow.ID) // who signs in stays, whoever is named first
		if kept.ID != annasRow.ID {
			s.Fatalf("%s stays", kept.ID)
		}
		for name, c := range map[string]struct {
			caller Caller
			order  Order
			want   bool
		}{
			"Anna's own order":       {anna, annas, true},
			"Boris's order, by Anna": {anna, boriss, false},
			"Boris's cart, by Anna":  {anna, cart, false},
			"the guest's, by Anna":   {anna, guests, false},
			"Boris's, by Boris":      {boris, boriss, false},
		} {
			if got := s.mayRead(c.caller, c.order); got != c.want {
				s.Errorf("%s: %v, want %v", name, got, c.want)
			}
		}
		if totals := s.totalsOf(anna); totals.Orders != 3 {
			s.Errorf("three orders are shown under Anna, and the sums say %d", totals.Orders)
		}
		if kept.Phone != nil || kept.LoginPhone != nil || !strings.Contains(kept.Note, "+491234567") {
			s.Errorf("Anna would see the number of Boris: %+v", kept)
		}
		if n := s.Count("customer_sessions"); n != 0 {
			s.Errorf("%d sessions of the customer who is deleted", n)
		}

		// Who proves the address of an order gets it, as always.
		zoe, zoesRow := s.createWithLogin("guest@mail.example", "")
		s.adopt(zoesRow)
		if !s.mayRead(zoe, guests) || s.mayRead(zoe, boriss) {
			s.Error("the owner of the address of the guest has not got exactly that order")
		}
	})
}

// An order of a customer who signed in waits for the shop after the customer was joined with another one, too: only
// orders of guests are cancelled because nobody confirms them.
func TestMerge_cancelsNoOrder(t *testing.T) {
	eachEngineWithAdoptions(t, func(s adoptionFixture) {
		p := s.createProduct("Shirt", 10_0000, nil)
		_, anna := s.createWithLogin("anna@mail.example", "")
		boris, borisRow := s.createWithLogin("", "+491234567")
		boriss, err := s.submit(s.createDraftAs(boris, line(p, 1)))
		if err != nil {
			s.Fatal(err)
		}
		guests := s.orderAs("guest@mail.example", "", line(p, 1))
		s.findGuests()
		s.mustMerge(anna.ID, borisRow.ID)
		s.mustMerge(anna.ID, s.guestOf(guests).ID)

		s.cancelUnconfirmedLater()
		if a, b := s.stored(boriss).State, s.stored(guests).State; a != Submitted || b != Cancelled {
			s.Errorf("the order of the customer is %s, that of the guest is %s", a, b)
		}
	})
}

// What the log says about the customer who is joined belongs to the one who stays, so it is redacted with them.
func TestMerge_movesTheEntriesOfTheLog(t *testing.T) {
	eachEngineWithAdoptions(t, func(s adoptionFixture) {
		_, anna := s.createWithLogin("anna@mail.example", "")
		_, boris := s.createWithLogin("", "+491234567")
		s.Write(func(tx store.Tx) error {
			return audit.Record(s.Context(), tx.By(store.Actor{Kind: store.ByCommand}, s.Now()), audit.Entry{
				Action: audit.CustomerNoted, Changes: []audit.Change{{Field: "note", To: "Calls late"}},
				Object: audit.Object{Kind: "customer", ID: boris.ID.String(), Label: "Boris"}})
		})
		s.mustMerge(anna.ID, boris.ID)

		redacted := func(customerID customer.ID) int64 {
			s.Write(func(tx store.Tx) error {
				return (&audit.Service{Now: s.Now}).Redact(s.Context(), tx, "customer", []string{customerID.String()})
			})
			return s.Count("audit_entries WHERE object_kind = 'customer' AND changes = '[]' AND object_label = ''")
		}
		if other, kept := redacted(boris.ID), redacted(anna.ID); other != 0 || kept != 2 {
			s.Errorf("%d entries are redacted with the one who is gone, %d with the one who stays", other, kept)
		}
	})
}

// Nobody is joined with themselves, nor with somebody who was changed meanwhile.
func TestMerge_refusesTheSameAndTheChanged(t *testing.T) {
	eachEngineWithAdoptions(t, func(s adoptionFixture) {
		_, anna := s.createWithLogin("anna@mail.example", "")
		_, boris := s.createWithLogin("", "+491234567")
		if _, err := s.merge(anna.ID, anna.ID); fault.KindOf(err) != fault.Invalid {
			s.Errorf("with herself: %v", err)
		}

		err := s.TryWrite(func(tx store.Tx) error {
			_, err := Merges{s.Service}.Merge(s.Context(), tx, anna.ID, boris.ID,
				func(v int64) bool { return v == anna.Version }, func(v int64) bool { return v == boris.Version+1 })
			return err
		})
		if fault.KindOf(err) != fault.Stale {
			s.Errorf("after a change: %v", err)
		}

		s.mustMerge(anna.ID, boris.ID)
		if _, err := s.merge(anna.ID, boris.ID); fault.KindOf(err) != fault.NotFound {
			s.Errorf("a second time: %v", err)
		}
	})
}

// Others with one of the addresses are possible duplicates, a few of them.
func TestDuplicates_haveAnAddressInCommon(t *testing.T) {
	eachEngineWithAdoptions(t, func(s adoptionFixture) {
		p := s.createProduct("Shirt", 10_0000, nil)
		_, anna := s.createWithLogin("anna@mail.example", "")
		s.WriteUnscoped(func(q database.Querier) error {
			return database.Exec(s.Context(), q, "UPDATE customers SET phone = '+491234567' WHERE key = $1", anna.Key)
		})
		anna.Phone = new("+491234567")
		same := s.orderAs("other@mail.example", "+491234567", line(p, 1))
		_ = s.orderAs("stranger@mail.example", "+497654321", line(p, 1))
		s.findGuests()

		var list []customer.Customer
		s.Read(func(tx store.Tx) (err error) {
			list, err = customer.Duplicates(s.Context(), tx, &anna)
			return err
		})
		if len(list) != 1 || list[0].ID != s.guestOf(same).ID {
			s.Errorf("the duplicates are %+v", list)
		}
	})
}
