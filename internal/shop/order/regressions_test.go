package order

import (
	"slices"
	"testing"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
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
			_, err := s.EditItem(s.Context(), tx, s.Store, draft.ID, draft.Items[0].ID, 101_000,
				Caller{AllOrders: true}, nil)
			return err
		})
	})
}

// A visitor is not refused because of a quantity that the shop has set: only quantities that the visitor raises are
// limited.
func TestL11_visitorKeepsQuantityThatTheShopSet(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.MaxLinePieces = 100
		p := s.createProduct("Shirt", 1, nil)
		other := s.createProduct("Socks", 1, nil)

		draft, token, err := s.tryCreateDraft(line(p, 50))
		if err != nil {
			s.Fatal(err)
		}

		visitor := Caller{Token: token}
		item := draft.Items[0].ID
		s.Write(func(tx store.Tx) error {
			_, err := s.EditItem(s.Context(), tx, s.Store, draft.ID, item, 500_000, Caller{AllOrders: true}, nil)
			return err
		})
		addItem := func(l Line) error {
			return s.TryWrite(func(tx store.Tx) error {
				_, _, err := s.AddItem(s.Context(), tx, s.Store, draft.ID, l, visitor)
				return err
			})
		}

		setItems := func(lines ...Line) error {
			return s.TryWrite(func(tx store.Tx) error {
				_, err := s.Edit(s.Context(), tx, s.Store, draft.ID, Edit{Items: &lines}, visitor, nil)
				return err
			})
		}

		setQuantity := func(pieces int) error {
			return s.TryWrite(func(tx store.Tx) error {
				_, err := s.EditItem(s.Context(), tx, s.Store, draft.ID, item, line(p, pieces).Quantity, visitor, nil)
				return err
			})
		}
		for _, c := range []struct {
			name    string
			err     error
			refused bool
		}{
			{"adds another variant", addItem(line(other, 1)), false},
			{"sends the items back", setItems(line(p, 500), line(other, 2)), false},
			{"adds one to the large quantity", addItem(line(p, 1)), true},
			{"raises it in the list", setItems(line(p, 300), line(p, 201)), true},
			{"raises it", setQuantity(501), true},
			{"lowers it", setQuantity(400), false},
			{"raises it to what it was", setQuantity(500), true},
			{"adds too many of another variant", addItem(line(other, 99)), true},
		} {
			if invalid := fault.KindOf(c.err) == fault.Invalid; invalid != c.refused || !invalid && c.err != nil {
				s.Errorf("the visitor %s: %v", c.name, c.err)
			}
		}
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

// At the limit of a store's drafts a new draft of a guest replaces old ones: first empty ones, then others that nobody
// changed for a while. Nobody can keep other guests from ordering by creating drafts.
func TestM4_guestDraftsOfAStoreAreLimited(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		p := s.createProduct("Shirt", 1, nil)
		submitted := s.createSubmitted(line(p, 1))
		s.MaxGuestDrafts = 4
		first := s.createDraft(line(p, 1))
		s.Clock.Advance(time.Second)
		emptied := s.createDraft(line(p, 1))
		s.Write(func(tx store.Tx) error {
			return s.RemoveItem(s.Context(), tx, s.Store, emptied.ID, emptied.Items[0].ID, Caller{AllOrders: true}, nil)
		})
		refilled := s.createDraft()
		s.Write(func(tx store.Tx) error {
			_, _, err := s.AddItem(s.Context(), tx, s.Store, refilled.ID, line(p, 1), Caller{AllOrders: true})
			return err
		})
		s.createDraft()
		wantRefused := func(what string) {
			s.Helper()
			if _, _, err := s.tryCreateDraft(line(p, 1)); fault.KindOf(err) != fault.TooMany {
				s.Errorf("a draft more than the limit, %s: %v", what, err)
			}
		}

		wantOrders := func(what string, want ...Order) {
			s.Helper()
			var got, ids []ID
			for _, o := range s.listOrders(Filter{}) {
				got = append(got, o.ID)
			}

			for _, o := range slices.Backward(want) {
				ids = append(ids, o.ID)
			}

			if !slices.Equal(got, ids) {
				s.Errorf("%s: the orders are %v, want %v", what, got, ids)
			}
		}

		wantRefused("all of which are in use")
		s.Clock.Advance(time.Second)
		shops := s.createDraftAs(Caller{AllOrders: true}, line(p, 1)) // the shop is not limited
		s.Clock.Advance(emptyEvictionAge)
		added := s.createDraft(line(p, 1))
		wantOrders("the empty ones are replaced", submitted, first, refilled, shops, added)

		wantRefused("none of which is empty")
		s.Clock.Advance(filledEvictionAge - emptyEvictionAge - time.Second)
		next := s.createDraft(line(p, 1))
		wantOrders("the oldest changes are replaced", submitted, shops, added, next)
	})
}

// Requests that fail do not delete drafts, and do not lower the estimate of their number.
func TestM4_refusedDraftReplacesNone(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.MaxGuestDrafts = 1
		s.createDraft()
		s.Clock.Advance(time.Hour)
		unknown := Line{VariantID: id.New[catalog.Variant](), Quantity: 1000}
		if _, _, err := s.tryCreateDraft(unknown); fault.KindOf(err) != fault.Invalid {
			s.Errorf("a draft with an unknown variant: %v", err)
		}
		if got := s.guestDrafts.stores[s.Store.ID].drafts; got != 1 {
			s.Errorf("%d drafts are estimated, want 1", got)
		}
	})
}

// Drafts of guests without items expire after a day, so that they do not fill the store for a month.
func TestM4_emptyDraftsExpireAfterADay(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		p := s.createProduct("Shirt", 1, nil)

		s.Write(func(tx store.Tx) error {
			for range deleteDraftsBatch + 1 {
				if _, _, err := s.Create(s.Context(), tx, s.Store, Edit{}, Caller{}); err != nil {
					return err
				}
			}

			return nil
		})

		s.createDraft(line(p, 1))
		s.createSubmitted(line(p, 1))
		short := s.serviceAfter(time.Hour + time.Microsecond)
		short.DraftRetention = time.Hour
		for _, c := range []struct {
			name    string
			service *Service
			want    string
		}{
			{"after a day", s.serviceAfter(24 * time.Hour), "102 1 2"},
			{"after more than a day", s.serviceAfter(24*time.Hour + time.Microsecond), "1 1 2"},
			{"with a shorter retention", short, "0 1 1"},
		} {
			if got := s.runRetention(c.service); got != c.want {
				s.Errorf("%s: %s drafts, other orders and items are left, want %s", c.name, got, c.want)
			}
		}
	})
}
