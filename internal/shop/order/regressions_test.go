package order

import (
	"testing"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// One visitor cannot order, and so reserve, any quantity of a variant. The shop itself can.
func TestL11_visitorsQuantityIsLimited(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.MaxLinePieces = 100
		p := s.createProduct("Shirt", 1, nil)
		_, _, err := s.tryCreateDraft(line(p, 60), line(p, 41))
		if fault.KindOf(err) != fault.Invalid {
			s.Errorf("101 pieces in two lines: %v", err)
		}
		draft, token, err := s.tryCreateDraft(line(p, 60))
		if err != nil {
			s.Fatal(err)
		}
		for what, err := range map[string]error{
			"added": s.TryWrite(func(tx store.Tx) error {
				_, _, err := s.AddItem(s.Context(), tx, s.Store, draft.ID, line(p, 41), Caller{Token: token})
				return err
			}),
			"set": s.TryWrite(func(tx store.Tx) error {
				_, err := s.EditItem(s.Context(), tx, s.Store, draft.ID, draft.Items[0].ID, 101_000,
					Caller{Token: token}, nil)
				return err
			}),
		} {
			if fault.KindOf(err) != fault.Invalid {
				s.Errorf("101 pieces, %s: %v", what, err)
			}
		}
		s.Write(func(tx store.Tx) error {
			_, err := s.EditItem(s.Context(), tx, s.Store, draft.ID, draft.Items[0].ID, 101_000, Caller{AllOrders: true}, nil)
			return err
		})
	})
}

// A guest's order that nobody confirms gives its stock back after ReservationTimeout, if that is set.
func TestL11_unconfirmedReservationsEnd(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		p := s.createProduct("Shirt", 1, remaindersIn([]catalog.Stock{s.catalog.CreateStock("near")}, 10))
		confirmed := s.createSubmitted(line(p, 1))
		if err := s.changeState(confirmed, Confirmed); err != nil {
			s.Fatal(err)
		}
		for range 3 {
			s.createSubmitted(line(p, 3))
		}
		after := func(d, timeout time.Duration) string {
			s.Helper()
			later := s.Now().Add(d)
			service := New(Deps{DB: s.DB, Stores: s.Stores, Catalog: s.Catalog, Events: s.Events,
				Now: func() time.Time { return later }, ReservationTimeout: timeout})
			if err := service.cancelUnconfirmed(s.Context()); err != nil {
				s.Fatal(err)
			}
			return s.stockSummary(p)
		}
		for _, c := range []struct {
			d, timeout time.Duration
			want       string
		}{
			{1000 * time.Hour, 0, "0 = 10/10"},
			{2 * time.Hour, 2 * time.Hour, "0 = 10/10"},
			{2*time.Hour + time.Microsecond, 2 * time.Hour, "9 = 10/1"},
			{1000 * time.Hour, 2 * time.Hour, "9 = 10/1"},
		} {
			if got := after(c.d, c.timeout); got != c.want {
				s.Errorf("after %v with a timeout of %v the stock is %s, want %s", c.d, c.timeout, got, c.want)
			}
		}
		if n := s.Count("events WHERE type = 'order.cancelled'"); n != 3 {
			s.Errorf("%d events tell of cancelled orders, want 3", n)
		}
	})
}

// The drafts of guests in one store are limited. Customers and the shop can still create some.
func TestM4_guestDraftsOfAStoreAreLimited(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.MaxGuestDrafts = 3
		for range 3 {
			s.createDraft()
		}
		_, _, err := s.tryCreateDraft()
		if fault.KindOf(err) != fault.TooMany {
			s.Errorf("the fourth draft of a guest: %v", err)
		}
		s.Write(func(tx store.Tx) error {
			_, _, err := s.Create(s.Context(), tx, s.Store, Edit{}, Caller{AllOrders: true})
			return err
		})
		s.Clock.Advance(recountInterval)
		if _, _, err := s.tryCreateDraft(); fault.KindOf(err) != fault.TooMany {
			s.Errorf("after a new count: %v", err)
		}
		s.MaxGuestDrafts = 5 // the shop's own draft has no customer, so it counts as well
		s.Clock.Advance(recountInterval)
		s.createDraft()
	})
}
