package order

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
)

// transitionFunc changes the state of an order.
type transitionFunc func(
	ctx context.Context, tx store.Tx, shop store.Store, orderID ID, pre fault.Precondition, imageBaseURL string,
) (Order, error)

// unconfirm and reopen return an order to an earlier state. version is the expected one; 0 for any.
func (s *fixture) unconfirm(o Order, version int64) (Order, error) {
	return s.returnOrder(Returns{s.Service}.Unconfirm, o, version)
}

func (s *fixture) reopen(o Order) (Order, error) {
	return s.returnOrder(Returns{s.Service}.Reopen, o, 0)
}

func (s *fixture) returnOrder(back transitionFunc, o Order, version int64) (Order, error) {
	var pre fault.Precondition
	if version != 0 {
		pre = func(v int64) bool { return v == version }
	}
	err := s.TryWrite(func(tx store.Tx) (err error) {
		o, err = back(s.Context(), tx, s.Store, o.ID, pre, "")
		return err
	})
	return o, err
}

// find returns an order as it is stored.
func (s *fixture) find(o Order) (found Order) {
	s.Helper()
	s.Read(func(tx store.Tx) (err error) {
		found, err = s.Order(s.Context(), tx, s.Store, o.ID, Caller{AllOrders: true})
		return err
	})
	return found
}

// change changes the state of an order in several steps.
func (s *fixture) change(o Order, to ...State) {
	s.Helper()
	for _, state := range to {
		if err := s.changeState(o, state); err != nil {
			s.Fatal(err)
		}
	}
}

// wantTypes checks the types of all events of orders, the oldest first.
func (s *fixture) wantTypes(want ...string) {
	s.Helper()
	var got []string
	s.Read(func(tx store.Tx) error {
		list, _, err := event.Feed(s.Context(), tx, 0, 100)
		for _, e := range list {
			got = append(got, strings.TrimPrefix(e.Type, "order."))
		}
		return err
	})
	if !slices.Equal(got, want) {
		s.Errorf("the events are %v, want %v", got, want)
	}
}

// A confirmation is undone while nothing else has happened to the order: it is new again, and its goods stay reserved.
func TestUnconfirm_makesAConfirmedOrderNewAgain(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		stock := s.catalog.CreateStock("near")
		p := s.createProduct("Shirt", 1, remaindersIn([]catalog.Stock{stock}, 5))
		o := s.createSubmitted(line(p, 2))
		if _, err := s.unconfirm(o, 0); faultSummary(err) != "wrong_state" {
			s.Errorf("undoing the confirmation of a new order: %v", err)
		}

		s.change(o, Confirmed)
		confirmed := s.find(o)
		if _, err := s.unconfirm(o, o.Version); fault.KindOf(err) != fault.Stale {
			s.Errorf("undoing with an old version: %v", err)
		}
		if _, err := s.unconfirm(o, confirmed.Version); err != nil {
			s.Fatal(err)
		}

		got := s.find(o)
		if got.State != Submitted || got.ConfirmedAt != nil || got.Version != confirmed.Version+1 ||
			!got.SubmittedAt.Equal(*o.SubmittedAt) {
			s.Errorf("the order is %+v", got)
		}
		if stock := s.stockSummary(p); stock != "3 = 5/2" {
			s.Errorf("the stock is %s", stock)
		}
		s.wantTypes("submitted", "confirmed", "updated")

		s.change(o, Confirmed, Completed)
		if _, err := s.unconfirm(o, 0); faultSummary(err) != "wrong_state" {
			s.Errorf("undoing the confirmation of a completed order: %v", err)
		}
	})
}

// A cancelled order is reopened as a confirmed one, if its goods are still there.
func TestReopen_reservesTheGoodsOfACancelledOrder(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		stocks := []catalog.Stock{s.catalog.CreateStock("a"), s.catalog.CreateStock("b")}
		shirt := s.createProduct("Shirt", 10_0000, remaindersIn(stocks, 2, 1))
		cup := s.createProduct("Cup", 1_0000, remaindersIn(stocks, 0, 3))
		anna := s.createCustomer()
		o, err := s.submit(s.createDraftAs(anna, line(shirt, 3), line(cup, 2)))
		if err != nil {
			s.Fatal(err)
		}
		if _, err := s.reopen(o); faultSummary(err) != "wrong_state" {
			s.Errorf("reopening a new order: %v", err)
		}

		s.change(o, Cancelled)
		other := s.createSubmitted(line(shirt, 1), line(cup, 2))
		if _, err := s.reopen(o); faultSummary(err) != "out_of_stock items[0] items[1]" ||
			!strings.Contains(err.Error(), "not reopened") {
			s.Errorf("reopening without the goods: %v", err)
		}

		s.change(other, Cancelled)
		s.Clock.Advance(time.Minute)
		if _, err := s.reopen(o); err != nil {
			s.Fatal(err)
		}
		got := s.find(o)
		if got.State != Confirmed || got.CancelledAt != nil || !got.ConfirmedAt.Equal(got.UpdatedAt) {
			s.Errorf("the order is %+v", got)
		}
		if stock := s.stockSummary(shirt) + "; " + s.stockSummary(cup); stock != "0 = 2/2 1/1; 1 = 0/0 3/2" {
			s.Errorf("the stock is %s", stock)
		}
		s.wantTypes("submitted", "cancelled", "submitted", "cancelled", "updated")

		s.change(o, Cancelled)
		s.Write(func(tx store.Tx) error { return s.catalog.Products.Delete(s.Context(), tx, cup.ID, nil) })
		if _, err := s.reopen(o); faultSummary(err) != "out_of_stock items[1]" {
			s.Errorf("reopening after a product was deleted: %v", err)
		}
	})
}

// The goods of a completed order go back into the stocks that they were taken off, and can be taken off again.
func TestReopen_putsTheGoodsOfACompletedOrderBack(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		stocks := []catalog.Stock{s.catalog.CreateStock("a"), s.catalog.CreateStock("b")}
		p := s.createProduct("Shirt", 1, remaindersIn(stocks, 2, 3))
		service := s.createProduct("Engraving", 1, nil)
		o := s.createSubmitted(line(p, 4), line(service, 1))
		s.change(o, Confirmed, Completed)
		confirmedAt := *s.find(o).ConfirmedAt
		s.Clock.Advance(time.Hour)
		if got := s.stockSummary(p); got != "1 = 0/0 1/0" {
			s.Fatalf("the stock of a completed order is %s", got)
		}

		for range 2 {
			if _, err := s.reopen(o); err != nil {
				s.Fatal(err)
			}
			got := s.find(o)
			if got.State != Confirmed || got.CompletedAt != nil || !got.ConfirmedAt.Equal(confirmedAt) {
				s.Errorf("the order is %+v", got)
			}
			if got := s.stockSummary(p); got != "1 = 2/2 3/2" {
				s.Errorf("the stock of the reopened order is %s", got)
			}
			s.change(o, Completed)
			if got := s.stockSummary(p); got != "1 = 0/0 1/0" {
				s.Errorf("the stock of the completed order is %s", got)
			}
		}

		// A stock that is gone gets nothing back.
		s.Write(func(tx store.Tx) error {
			v := catalog.VariantEdit{Remainders: remaindersIn(stocks[:1], 1)}
			return s.catalog.Products.EditVariant(s.Context(), tx, p.ID, p.Variants[0].ID, v, nil)
		})
		if _, err := s.reopen(o); err != nil {
			s.Fatal(err)
		}
		if got := s.stockSummary(p); got != "1 = 3/2" {
			s.Errorf("the stock without a warehouse is %s", got)
		}
		s.change(o, Cancelled)
		if n := s.Count("withdrawals") + s.Count("reservations"); n != 0 {
			s.Errorf("%d withdrawals and reservations are left", n)
		}
	})
}

// An order that accounting has taken counts as new for it when it is reopened. Nobody can return an order for ever.
func TestReopen_forgetsThatAccountingTookTheOrder(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		o := s.createSubmitted(line(s.createProduct("Shirt", 1, nil), 1))
		s.Write(func(tx store.Tx) error { return s.Take(s.Context(), tx, []ID{o.ID}, 1) })
		s.change(o, Cancelled)
		if _, err := s.reopen(o); err != nil {
			s.Fatal(err)
		}
		if n := s.Count("orders WHERE taken IS NOT NULL"); n != 0 {
			s.Error("accounting still has the order")
		}

		var err error
		returns := 0
		for ; err == nil && returns <= maxMoreEvents; returns++ {
			if _, err = s.unconfirm(o, 0); err == nil {
				s.change(o, Confirmed)
			}
		}
		if faultSummary(err) != "returned_too_often" || returns < maxMoreEvents/3 {
			s.Errorf("after %d returns: %v", returns, err)
		}
	})
}

// Erasing a person reaches all events of the orders: also those about states that an order has left.
func TestErase_namesTheEventsOfReturnedOrders(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		o := s.createSubmitted(line(s.createProduct("Shirt", 1, nil), 1))
		s.change(o, Confirmed)
		if _, err := s.unconfirm(o, 0); err != nil {
			s.Fatal(err)
		}
		s.change(o, Confirmed, Cancelled)
		if _, err := s.reopen(o); err != nil {
			s.Fatal(err)
		}

		var erased Erased
		s.Write(func(tx store.Tx) (err error) {
			erased, err = Erase(s.Context(), tx, []int64{o.Key}, 0, s.Clock.Now())
			return err
		})
		all := map[event.ID]bool{}
		s.Read(func(tx store.Tx) error {
			list, _, err := event.Feed(s.Context(), tx, 0, 100)
			for _, e := range list {
				all[e.ID] = true
			}
			return err
		})
		named := map[event.ID]bool{}
		for _, eventID := range erased.Events {
			named[eventID] = true
		}
		if len(all) != 6 || !maps.Equal(named, all) {
			s.Errorf("%d of %d events are named", len(named), len(all))
		}
	})
}

func TestNextNew_isTheOldestNewOrderAfterThisOne(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		p := s.createProduct("Shirt", 1, nil)
		var orders []Order
		for range 4 {
			s.Clock.Advance(time.Minute)
			orders = append(orders, s.createSubmitted(line(p, 1)))
		}
		s.change(orders[1], Confirmed)

		next := func(o Order) (number int64) {
			s.Helper()
			s.Read(func(tx store.Tx) error {
				found, ok, err := NextNew(s.Context(), tx, &o)
				for i := range orders {
					if ok && orders[i].ID == found {
						number = int64(i + 1)
					}
				}
				return err
			})
			return number
		}
		for i, want := range []int64{3, 3, 4, 1} {
			if got := next(orders[i]); got != want {
				s.Errorf("after order %d comes %d, want %d", i+1, got, want)
			}
		}
		if got := next(s.createDraft()); got != 1 {
			s.Errorf("after a cart comes %d, want 1", got)
		}

		s.change(orders[0], Confirmed)
		s.change(orders[2], Cancelled)
		if got := next(orders[3]); got != 0 {
			s.Errorf("after the only new order comes %d", got)
		}
	})
}
