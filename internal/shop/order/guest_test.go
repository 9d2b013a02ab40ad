package order

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/contact"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/store"
)

// people returns a line for each customer and guest, in the order of their keys: contact, orders and sum.
func (s adoptionFixture) people() string {
	s.Helper()
	if err := (guestFinder{s.Fixture.DB}).findGuests(s.Context()); err != nil {
		s.Fatal(err)
	}

	var lines []string
	s.Write(func(tx store.Tx) error {
		people := customer.New(customer.Deps{DB: s.Fixture.DB, Now: s.Clock.Now})
		list, err := people.List(s.Context(), tx, customer.Filter{}, nil, 100)
		if err != nil {
			return err
		}
		var keys []int64
		for i := range list.Customers {
			keys = append(keys, list.Customers[i].Key)
		}
		totals, err := s.TotalsOfCustomers(s.Context(), tx, keys)
		for i := range list.Customers {
			c := &list.Customers[i]
			line := strings.Join(c.Addresses(), " ")
			if c.Guest {
				line = "guest " + line
			}
			line += fmt.Sprintf(": %d", totals[c.Key].Orders)
			for _, sum := range totals[c.Key].Sums {
				line += fmt.Sprintf(" %d", sum.Total/moneyUnit)
			}
			lines = append([]string{line}, lines...)
		}
		return err
	})
	return strings.Join(lines, "\n")
}

func (s adoptionFixture) wantPeople(want ...string) {
	s.Helper()
	if got := s.people(); got != strings.Join(want, "\n") {
		s.Errorf("the people are\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// Guests are people by their e-mail address, or without one by their phone number. Two who share a phone stay two. The
// sums follow cancelled orders, edited contacts and erased orders.
func TestFindGuests_listsWhoeverOrders(t *testing.T) {
	eachEngineWithAdoptions(t, func(s adoptionFixture) {
		p := s.createProduct("Shirt", 10_0000, nil)
		first := s.orderAs("Anna@example.com", "+491234567", line(p, 1))
		s.orderAs("anna@example.com", "", line(p, 2))
		s.orderAs("", "491234567", line(p, 1))
		shared := s.orderAs("boris@example.com", "+491234567", line(p, 1))
		s.orderAs("", "+390000001", line(p, 1))
		s.createDraft(line(p, 1))
		s.wantPeople("guest Anna@example.com +491234567: 3 40", "guest boris@example.com +491234567: 1 10",
			"guest +390000001: 1 10")

		if err := s.changeState(first, Cancelled); err != nil {
			s.Fatal(err)
		}
		s.Write(func(tx store.Tx) error {
			u := Update{Contact: ContactEdit{Email: new("clara@example.com")}}
			_, err := s.Update(s.Context(), tx, s.Store, shared.ID, u, nil, "")
			return err
		})
		s.wantPeople("guest Anna@example.com +491234567: 2 30", "guest +390000001: 1 10",
			"guest clara@example.com +491234567: 1 10")

		s.Write(func(tx store.Tx) error {
			keys, err := KeysOf(s.Context(), tx, 0, contact.SetOf("+390000001", "clara@example.com"))
			if err == nil {
				_, err = Erase(s.Context(), tx, keys, 0, s.Clock.Now())
			}
			return err
		})
		s.wantPeople("guest Anna@example.com +491234567: 2 30")
	})
}

// An order of a guest is shown under the customer who signs in with its address, who cannot read it until the next
// sign-in. Then it is the customer's, and a guest without further orders is gone, but not the note on the guest.
func TestFindGuests_givesNobodyAccess(t *testing.T) {
	eachEngineWithAdoptions(t, func(s adoptionFixture) {
		p := s.createProduct("Shirt", 10_0000, nil)
		early := s.orderAs("anna@example.com", "+491234567", line(p, 1))
		s.orderAs("", "+491234567", line(p, 1))
		s.wantPeople("guest anna@example.com +491234567: 2 20")
		s.Exec("UPDATE customers SET note = 'Calls back'")

		// Who proves the address gets the order with it, not the other one of the same guest, nor the profile.
		anna, _ := s.createWithLogin("anna@example.com", "")
		s.adopt(s.find(anna))
		s.wantOrders(anna, early)
		s.wantPeople("guest anna@example.com +491234567: 1 10", "anna@example.com: 1 10")

		late := s.orderAs("anna@example.com", "", line(p, 1))
		s.wantPeople("guest anna@example.com +491234567: 1 10", "anna@example.com: 2 20")
		s.wantOrders(anna, early)
		err := s.TryWrite(func(tx store.Tx) error {
			_, err := s.Order(s.Context(), tx, s.Store, late.ID, anna)
			return err
		})
		if got := faultSummary(err); got != "not_found" {
			s.Errorf("the order of a guest is read with %q", got)
		}
		s.adopt(s.find(anna))
		s.wantOrders(anna, early, late)
		s.wantPeople("guest anna@example.com +491234567: 1 10", "anna@example.com: 2 20")

		owner, _ := s.createWithLogin("", "+491234567")
		s.adopt(s.find(owner))
		s.wantPeople("anna@example.com: 2 20", "+491234567: 1 10")
		if got := s.find(owner).Note; got != "Calls back" {
			s.Errorf("the note is %q", got)
		}
	})
}

// Guests of earlier versions get their people in batches, in all stores.
func TestFindGuests_goesOnWithOldOrders(t *testing.T) {
	eachEngineWithAdoptions(t, func(s adoptionFixture) {
		p := s.createProduct("Shirt", 1_0000, nil)
		for i := range 3 {
			s.orderAs(fmt.Sprintf("guest%d@example.com", i%2), "", line(p, 1))
			s.Clock.Advance(time.Minute)
		}
		for range 3 {
			s.wantPeople("guest guest0@example.com: 2 2", "guest guest1@example.com: 1 1")
		}
	})
}
