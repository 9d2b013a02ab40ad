package order

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

func TestSubmit_reservesStockUntilCompletedOrCancelled(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		stocks := []catalog.Stock{s.catalog.CreateStock("near"), s.catalog.CreateStock("far")}
		shirt := s.createProduct("Shirt", 100000, remaindersIn(stocks, 3, 4))
		cup := s.createProduct("Cup", 50000, remaindersIn(stocks, 1))
		book := s.createProduct("Book", 70000, nil) // without remainders: sold without limit

		first := s.createSubmitted(line(shirt, 4), line(book, 1000)) // only the far stock has 4 shirts
		if got := s.stockSummary(shirt); got != "3 = 3/0 4/4" {
			s.Errorf("stock after an order that one stock can fill: %s", got)
		}

		second := s.createSubmitted(line(shirt, 2), line(cup, 1))

		if got := s.stockSummary(shirt) + "; " + s.stockSummary(cup) + "; " + s.stockSummary(book); got !=
			"1 = 3/2 4/4; 0 = 1/1; none =" {
			s.Errorf("stock after two orders: %s", got)
		}

		for _, c := range []struct {
			lines []Line
			want  string
		}{
			{[]Line{line(book, 1), line(shirt, 2)}, "out_of_stock items[1]"},
			{[]Line{line(cup, 1), line(book, 1), line(shirt, 2)}, "out_of_stock items[0] items[2]"},
			{nil, "order_empty"},
		} {
			if _, err := s.submit(s.createDraft(c.lines...)); faultSummary(err) != c.want {
				s.Errorf("submit: %v, want %s", err, c.want)
			}
		}

		if got := s.stockSummary(shirt) + "; " + s.stockSummary(cup); got != "1 = 3/2 4/4; 0 = 1/1" {
			s.Errorf("stock after refused submits: %s", got)
		}

		for _, to := range []State{Confirmed, Completed} {
			if err := s.changeState(first, to); err != nil {
				s.Fatal(err)
			}
		}

		if err := s.changeState(second, Cancelled); err != nil {
			s.Fatal(err)
		}
		if got := s.stockSummary(shirt) + "; " + s.stockSummary(cup); got != "3 = 3/0 0/0; 1 = 1/0" {
			s.Errorf("stock after one order was completed and one cancelled: %s", got)
		}

		const changes = "events WHERE type IN ('order.submitted', 'order.confirmed', 'order.completed', " +
			"'order.cancelled')"
		if n := s.Count(changes); n != 5 {
			s.Errorf("%d order events, want 5", n)
		}

		for _, o := range []Order{first, second} {
			for _, to := range []State{Confirmed, Completed, Cancelled} {
				if err := s.changeState(o, to); faultSummary(err) != "wrong_state" {
					s.Errorf("transition of a closed order to %s: %v", to, err)
				}
			}
		}
	})
}

func TestSubmit_fillsALineFromSeveralStocks(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		stocks := []catalog.Stock{s.catalog.CreateStock("a"), s.catalog.CreateStock("b"), s.catalog.CreateStock("c")}
		p := s.createProduct("Shirt", 1, remaindersIn(stocks, 2, 0, 3))
		o := s.createSubmitted(line(p, 4))
		if got := s.stockSummary(p); got != "1 = 2/2 0/0 3/2" {
			s.Errorf("stock after submit: %s", got)
		}

		// The new remainders have less in stock a than is reserved there, and leave out b and c. The remainder in c is
		// kept with quantity 0, because it has reservations.
		s.Write(func(tx store.Tx) error {
			v := catalog.VariantEdit{Remainders: remaindersIn(stocks, 1)}
			return s.catalog.Products.EditVariant(s.Context(), tx, p.ID, p.Variants[0].ID, v, nil)
		})
		if got := s.stockSummary(p); got != "0 = 1/2 0/2" {
			s.Errorf("stock after the remainders were edited: %s", got)
		}

		for _, to := range []State{Confirmed, Completed} {
			if err := s.changeState(o, to); err != nil {
				s.Fatal(err)
			}
		}

		if got := s.stockSummary(p); got != "0 = 0/0 0/0" {
			s.Errorf("stock after completion: %s", got)
		}
	})
}

func TestSubmit_freezesNamesAndPrices(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		p := s.createProduct("Shirt", 100000, nil)
		deleted := s.createProduct("Hat", 1, remaindersIn([]catalog.Stock{s.catalog.CreateStock("a")}, 1))
		draft := s.createDraft(line(p, 2))
		draftWithDeleted := s.createDraft(line(deleted, 1), line(p, 1))
		o := s.createSubmitted(line(p, 2), line(deleted, 1))

		s.Write(func(tx store.Tx) error {
			e := catalog.ProductEdit{
				Name:     new("Blouse"),
				Variants: &[]catalog.VariantEdit{{ID: p.Variants[0].ID, Price: new(money.NewPrice(70000))}},
			}
			if _, err := s.catalog.Products.Edit(s.Context(), tx, p.ID, e, nil); err != nil {
				return err
			}
			return s.catalog.Products.Delete(s.Context(), tx, deleted.ID, nil)
		})

		summary := func(orderID ID) string {
			var o Order
			s.Write(func(tx store.Tx) (err error) {
				o, err = s.Order(s.Context(), tx, s.Store, orderID, Caller{AllOrders: true})
				return err
			})
			var words []string
			for _, i := range o.Items {
				words = append(words, fmt.Sprint(i.Name, " ", *i.Price.OrNil()))
			}

			return strings.Join(words, ", ") + fmt.Sprint(" = ", o.Total)
		}
		for what, c := range map[string]struct{ got, want string }{
			"the submitted order":            {summary(o.ID), "Shirt 100000, Hat 1 = 200001"},
			"the draft":                      {summary(draft.ID), "Blouse 70000 = 140000"},
			"a draft with a deleted product": {summary(draftWithDeleted.ID), "Hat 1, Blouse 70000 = 70001"},
		} {
			if c.got != c.want {
				s.Errorf("%s shows %s, want %s", what, c.got, c.want)
			}
		}

		// The stored items of the draft have the old name and price; Submit freezes the current ones.
		if _, err := s.submit(draft); err != nil {
			s.Fatal(err)
		}

		s.Write(func(tx store.Tx) error {
			return s.catalog.Products.EditVariant(s.Context(), tx, p.ID, p.Variants[0].ID,
				catalog.VariantEdit{Price: new(money.NewPrice(1))}, nil)
		})
		if got := summary(draft.ID); got != "Blouse 70000 = 140000" {
			s.Errorf("the draft, submitted after the price change, shows %s", got)
		}
		if _, err := s.submit(draftWithDeleted); faultSummary(err) != "unavailable items[0]" {
			s.Errorf("submit with a deleted product: %v", err)
		}

		if err := s.changeState(o, Cancelled); err != nil { // the remainder of the deleted product no longer exists
			s.Fatal(err)
		}
	})
}

// Submit waits for the row lock of a product and then sells the product as the other transaction has committed it.
func TestSubmit_waitsForConcurrentProductWrite(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		p := s.createProduct("Shirt", 100000, nil)
		draft := s.createDraft(line(p, 1))
		var submitted Order
		var submitErr error
		done := make(chan struct{})
		start := sync.OnceFunc(func() {
			go func() {
				submitted, submitErr = s.submit(draft)
				close(done)
			}()
		})

		s.Write(func(tx store.Tx) error {
			e := catalog.ProductEdit{
				Name:     new("Blouse"),
				Variants: &[]catalog.VariantEdit{{ID: p.Variants[0].ID, Price: new(money.NewPrice(70000))}},
			}
			if _, err := s.catalog.Products.Edit(s.Context(), tx, p.ID, e, nil); err != nil {
				return err
			}

			start()
			if s.DB.Engine() == database.Postgres {
				s.awaitLockWait()
			}

			return nil
		})

		<-done
		if submitErr != nil {
			s.Fatal(submitErr)
		}
		if i := submitted.Items[0]; i.Name != "Blouse" || i.Price != money.NewPrice(70000) {
			s.Errorf("the order has %s at %d, want the name and price of the concurrent edit", i.Name, *i.Price.OrNil())
		}
	})
}

// awaitLockWait returns when a PostgreSQL session waits for a lock in this database.
func (s *fixture) awaitLockWait() {
	s.Helper()
	s.Eventually("a session waits for a lock", func() bool {
		return s.Count("pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'") > 0
	})
}

// Many shoppers submit orders for the last pieces of the same products, each with the lines in a different order, while
// other orders are completed and cancelled. There is no deadlock, and no piece is sold twice.
func TestSubmit_concurrentSubmitsDoNotOversell(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		const shoppers, productCount = 12, 5
		stocks := []catalog.Stock{s.catalog.CreateStock("a"), s.catalog.CreateStock("b")}
		var products []catalog.Product
		for i := range productCount {
			products = append(products,
				s.createProduct(fmt.Sprint("Product ", i), 10000, remaindersIn(stocks, 1+i%3, i%2)))
		}

		drafts := make([]Order, shoppers)
		for i := range drafts {
			random := rand.New(rand.NewPCG(7, uint64(i)))
			var lines []Line
			for _, n := range random.Perm(productCount)[:2+random.IntN(3)] {
				lines = append(lines, line(products[n], 1+random.IntN(2)))
			}
			drafts[i] = s.createDraft(lines...)
		}

		errs := make([]error, shoppers)
		var group sync.WaitGroup
		for i, o := range drafts {
			group.Go(func() {
				submitted, err := s.submit(o)
				if errs[i] = err; err != nil {
					return
				}

				switch i % 3 {
				case 0:
					errs[i] = s.changeState(submitted, Cancelled)
				case 1:
					if errs[i] = s.changeState(submitted, Confirmed); errs[i] == nil {
						errs[i] = s.changeState(submitted, Completed)
					}
				}
			})
		}

		group.Wait()
		succeeded := 0
		for i, err := range errs {
			if err == nil {
				succeeded++
			} else if !strings.HasPrefix(faultSummary(err), "out_of_stock items[") {
				s.Errorf("submit of shopper %d: %v", i, err)
			}
		}

		if succeeded == 0 || succeeded == shoppers {
			s.Errorf("%d of %d submits succeeded; want some to fail and some to succeed", succeeded, shoppers)
		}
		if n := s.Count("remainders WHERE reserved > quantity"); n != 0 {
			s.Errorf("%d remainders with more reserved than in stock", n)
		}

		s.checkInvariants()
	})
}

func TestFreezeItems_saysHowMuchIsLeft(t *testing.T) {
	for left, want := range map[money.Quantity]string{0: "None left.", 2000: "Only 2 left.", 1500: "Only 1.5 left."} {
		o := Order{Items: []Item{{Quantity: 5000}}}
		_, err := freezeItems(&o, &catalog.Reservation{Offers: []*catalog.Offer{{Price: money.NewPrice(1)}},
			Short: []bool{true},
			Left:  []money.Quantity{left}}, itemPrices{}, make([]choosing, 1))
		var f *fault.Error
		if !errors.As(err, &f) || len(f.Fields) != 1 || f.Fields[0].Message != want {
			t.Errorf("with %d thousandths left the error is %v, want %s", left, err, want)
		}
	}
}
