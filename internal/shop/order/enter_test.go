package order

import (
	"testing"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/modifier"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// enter enters an order of somebody called Zoe.
func (s *fixture) enter(e Entry) (o Order, err error) {
	if e.Contact.Name == nil {
		e.Contact.Name = new("Zoe")
	}
	err = s.TryWrite(func(tx store.Tx) (err error) {
		o, err = s.Enter(s.Context(), tx, s.Store, e, "")
		return err
	})
	return o, err
}

func (s *fixture) mustEnter(e Entry) Order {
	s.Helper()
	o, err := s.enter(e)
	if err != nil {
		s.Fatal(err)
	}
	return o
}

// cancelUnconfirmedLater cancels the orders that nobody has confirmed long after they were submitted.
func (s *fixture) cancelUnconfirmedLater() {
	s.Helper()
	service := New(Deps{DB: s.DB, Stores: s.Stores, Catalog: s.Catalog, Events: s.Events,
		Now:                func() time.Time { return s.Now().Add(1000 * time.Hour) },
		ReservationTimeout: time.Hour})
	if err := service.cancelUnconfirmed(s.Context()); err != nil {
		s.Fatal(err)
	}
}

// An order that the shop has entered is not cancelled because nobody confirms it; a guest's is.
func TestEnter_isNeverCancelledForWantOfAConfirmation(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		p := s.createProduct("Shirt", 1, nil)
		lines := []LineUpdate{{Variant: p.Variants[0].ID, Quantity: piecesOf(1)}}
		entered := s.mustEnter(Entry{Update: Update{Lines: lines}})
		guests := s.createSubmitted(line(p, 1))

		s.cancelUnconfirmedLater()
		if a, b := s.stored(entered).State, s.stored(guests).State; a != Submitted || b != Cancelled {
			s.Errorf("the entered order is %s, the guest's is %s", a, b)
		}
	})
}

// The price that the shop has agreed on with the customer is that of the line, also of what has no price; it includes
// the modifiers. Other lines have the price of the shop.
func TestEnter_hasTheAgreedPrices(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		shirt := s.createWithModifiers("Shirt", 100_0000, wraps)
		cup := s.createProduct("Cup", 50000, nil)
		art := s.createProduct("Art", 1, nil)
		s.Exec("UPDATE variants SET price = NULL WHERE store_id = $1 AND id = $2", s.Store.ID, art.Variants[0].ID)
		wrap := []modifier.Choice{{GroupID: "wrap", ItemID: "paper", Quantity: 1}}

		lines := []LineUpdate{
			{Variant: shirt.Variants[0].ID, Quantity: piecesOf(2), Price: new(money.Money(900000)), Modifiers: wrap},
			{Variant: cup.Variants[0].ID, Quantity: piecesOf(1)},
			{Variant: art.Variants[0].ID, Quantity: piecesOf(1), Price: new(money.Money(0))},
		}
		o := s.mustEnter(Entry{Update: Update{Lines: lines}})
		want := "2 Shirt × 90, 1 Cup × 5, 1 Art × 0"
		if got := linesText(o) + "; " + linesText(s.stored(o)); got != want+"; "+want || o.Total != 1850000 {
			s.Errorf("the order has %s and costs %d", got, o.Total)
		}

		lines[2].Price = nil
		_, err := s.enter(Entry{Update: Update{Lines: lines}})
		if got := faultSummary(err); got != "not_for_sale lines[2].variant_id" {
			s.Errorf("without a price: %s", got)
		}
	})
}

// What the shop notes at the entry, and that the order is paid, is in the order and in the event that announces it.
func TestEnter_keepsTheNoteAndThePayment(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		p := s.createProduct("Shirt", 1, nil)
		lines := []LineUpdate{{Variant: p.Variants[0].ID, Quantity: piecesOf(1)}}
		o := s.stored(s.mustEnter(Entry{Update: Update{Lines: lines, Note: new(" Calls on Monday "),
			PaidAt: new(s.Now())}}))
		if o.Note != "Calls on Monday" || o.PaidAt == nil {
			s.Errorf("the order has the note %q and is paid at %v", o.Note, o.PaidAt)
		}
		if n := s.Count("events WHERE type = 'order.submitted' AND payload LIKE '%\"paid_at\": null%'"); n != 0 {
			s.Error("the event does not say that the order is paid")
		}
	})
}

// A product with required modifiers is neither entered nor added to an order without them.
func TestEnter_asksForRequiredModifiers(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		p := s.createWithModifiers("Shirt", 100_0000, sizes)
		bare := LineUpdate{Variant: p.Variants[0].ID, Quantity: piecesOf(1)}
		large := bare
		large.Modifiers = []modifier.Choice{{GroupID: "size", ItemID: "l", Quantity: 1}}

		_, err := s.enter(Entry{Update: Update{Lines: []LineUpdate{bare}}})
		if got := faultSummary(err); got != "invalid_request lines[0].modifiers" && fault.KindOf(err) != fault.Invalid {
			s.Errorf("without modifiers: %s", got)
		}
		o := s.mustEnter(Entry{Update: Update{Lines: []LineUpdate{large}}})
		if got := linesText(o); got != "1 Shirt × 110" {
			s.Errorf("the order has %s", got)
		}

		if _, err = s.update(o, Update{Lines: []LineUpdate{bare}}, nil); fault.KindOf(err) != fault.Invalid {
			s.Errorf("added without modifiers: %v", err)
		}
		small := bare
		small.Modifiers = []modifier.Choice{{GroupID: "size", ItemID: "s", Quantity: 1}}
		after := s.mustUpdate(o, Update{Lines: []LineUpdate{small, large}})
		if got := linesText(after); got != "2 Shirt × 110, 1 Shirt × 100" {
			s.Errorf("after adding a small and a large one: %s", got)
		}
	})
}

// An order that is entered for a customer who signs in is the customer's; one for a guest has no customer, so that
// nobody gets it by signing in with an address that is not proven.
func TestEnter_givesOnlyCustomersWhoSignInTheirOrders(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		p := s.createProduct("Shirt", 1, nil)
		lines := []LineUpdate{{Variant: p.Variants[0].ID, Quantity: piecesOf(1)}}
		signedIn, guest := s.createCustomer(), s.createCustomer()
		s.Exec("UPDATE customers SET guest = TRUE WHERE store_id = $1 AND key = $2", s.Store.ID, guest.CustomerKey)

		o := s.mustEnter(Entry{CustomerID: signedIn.CustomerID, Update: Update{Lines: lines}})
		if o.CustomerKey == nil || *o.CustomerKey != signedIn.CustomerKey {
			s.Errorf("the customer has not got the order: %v", o.CustomerKey)
		}
		o = s.mustEnter(Entry{CustomerID: guest.CustomerID, Update: Update{Lines: lines}})
		if o.CustomerKey != nil {
			s.Errorf("the order of a guest belongs to %v", *o.CustomerKey)
		}

		s.Exec("DELETE FROM customers WHERE store_id = $1 AND key = $2", s.Store.ID, guest.CustomerKey)
		_, err := s.enter(Entry{CustomerID: guest.CustomerID, Update: Update{Lines: lines}})
		if fault.KindOf(err) != fault.Invalid {
			s.Errorf("an order of a customer who was deleted: %v", err)
		}
	})
}
