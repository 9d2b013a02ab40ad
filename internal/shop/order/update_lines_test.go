package order

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/modifier"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/promise"
)

// piecesOf returns a quantity of whole pieces.
func piecesOf(n int) money.Quantity { return money.Quantity(n) * 1000 }

// linesText returns the items of an order: "2 Shirt × 10".
func linesText(o Order) string {
	var lines []string
	for i := range o.Items {
		item := &o.Items[i]
		lines = append(lines, item.Quantity.Text()+" "+item.Name+" × "+item.Price.Text())
	}
	return strings.Join(lines, ", ")
}

func TestUpdate_changesLinesWithStockAndTotals(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		stocks := []catalog.Stock{s.catalog.CreateStock("near"), s.catalog.CreateStock("far")}
		shirt := s.createProduct("Shirt", 100000, remaindersIn(stocks, 3, 4))
		cup := s.createProduct("Cup", 50000, remaindersIn(stocks, 1))
		book := s.createProduct("Book", 70000, nil)
		o := s.createSubmitted(line(shirt, 2), line(book, 1))

		after := s.mustUpdate(o, Update{Lines: []LineUpdate{
			{Item: o.Items[0].ID, Quantity: piecesOf(5), Price: new(money.Money(90000))},
			{Item: o.Items[1].ID, Quantity: 0},
			{Variant: cup.Variants[0].ID, Quantity: piecesOf(1)},
		}})
		want := "5 Shirt × 9, 1 Cup × 5"
		if got := linesText(after) + "; " + linesText(s.stored(o)); got != want+"; "+want || after.Total != 500000 {
			s.Errorf("the order has %s and costs %d", got, after.Total)
		}
		if got := s.stockSummary(shirt) + "; " + s.stockSummary(cup); got != "2 = 3/2 4/3; 0 = 1/1" {
			s.Errorf("stock after the update: %s", got)
		}
		if n := s.Count("events WHERE type = 'order.updated'"); n != 1 {
			s.Errorf("%d events", n)
		}

		// The variant of a line that is added is in the order already, and its price stays.
		after = s.mustUpdate(o, Update{Lines: []LineUpdate{{Variant: shirt.Variants[0].ID, Quantity: piecesOf(1)}}})
		if got := linesText(after); got != "6 Shirt × 9, 1 Cup × 5" {
			s.Errorf("after adding: %s", got)
		}
		s.mustUpdate(o, Update{Lines: []LineUpdate{{Item: o.Items[0].ID, Quantity: piecesOf(1)}}})
		if got := s.stockSummary(shirt); got != "6 = 3/1 4/0" {
			s.Errorf("stock after fewer: %s", got)
		}

		for _, to := range []State{Confirmed, Completed} {
			if err := s.changeState(o, to); err != nil {
				s.Fatal(err)
			}
		}
		if got := s.stockSummary(shirt) + "; " + s.stockSummary(cup); got != "6 = 2/0 4/0; 0 = 0/0" {
			s.Errorf("stock after completion: %s", got)
		}
		_, err := s.update(o, Update{Comment: new("late")}, nil)
		if faultSummary(err) != "wrong_state" {
			s.Errorf("a completed order was edited: %v", err)
		}
	})
}

func TestUpdate_refusesLinesThatAreNotPossible(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		stocks := []catalog.Stock{s.catalog.CreateStock("near")}
		shirt := s.createProduct("Shirt", 100000, remaindersIn(stocks, 3))
		free := s.catalog.CreateProduct("Free", 0, catalog.ProductEdit{
			Variants: &[]catalog.VariantEdit{{Price: &money.Price{}}}})
		o := s.createSubmitted(line(shirt, 2))
		other := s.createSubmitted(line(s.createProduct("Book", 1, nil), 1))
		item := o.Items[0].ID

		for _, c := range []struct {
			want  string
			lines []LineUpdate
		}{
			{"out_of_stock lines[0]", []LineUpdate{{Item: item, Quantity: piecesOf(4)}}},
			{"order_empty lines", []LineUpdate{{Item: item}}},
			{"unknown_item lines[1]", []LineUpdate{{Item: item, Quantity: 1}, {Item: other.Items[0].ID, Quantity: 1}}},
			{"unknown_variant lines[0]", []LineUpdate{{Variant: catalog.VariantID{1}, Quantity: 1}}},
			{"not_for_sale lines[0]", []LineUpdate{{Variant: free.Variants[0].ID, Quantity: 1}}},
			{"out_of_range lines[0]", []LineUpdate{{Item: item, Quantity: maxQuantity + 1}}},
		} {
			_, err := s.update(o, Update{Lines: c.lines}, nil)
			code, at, _ := strings.Cut(c.want, " ")
			if got := faultSummary(err); !strings.HasSuffix(got, " "+at) {
				s.Errorf("%s: %s %v", code, got, err)
			}
		}
		if got := linesText(s.stored(o)) + "; " + s.stockSummary(shirt); got != "2 Shirt × 10; 1 = 3/2" {
			s.Errorf("after refused updates: %s", got)
		}

		// A line whose variant is not sold any more can be lowered, but not raised.
		s.Exec("UPDATE products SET archived_at = 1 WHERE store_id = $1 AND key = $2", s.Store.ID, shirt.Key)
		_, err := s.update(o, Update{Lines: []LineUpdate{{Item: item, Quantity: piecesOf(3)}}}, nil)
		if fault.KindOf(err) != fault.Conflict {
			s.Errorf("an archived variant was raised: %v", err)
		}
		s.mustUpdate(o, Update{Lines: []LineUpdate{{Item: item, Quantity: piecesOf(1)}}})
	})
}

// The search finds an edited order by its new contact and SKUs only.
func TestUpdate_editsContactAndWords(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		o := s.submitAs(s.createDraft(line(s.createProduct("Shirt", 100000, nil), 1)), "Anna", "+49111111111", "")
		if err := s.indexOrders(s.Context()); err != nil {
			s.Fatal(err)
		}

		s.mustUpdate(o, Update{Contact: ContactEdit{Name: new("Berta"), Phone: new("+49222222222")},
			Delivery: DeliveryEdit{Address: new("1 Road")}, Comment: new("soon")})
		after := s.stored(o)
		want := "{Berta +49222222222 } {1 Road }soon"
		if got := fmt.Sprint(after.Contact, after.Delivery, after.Comment); got != want {
			s.Errorf("the order has %s", got)
		}

		for search, want := range map[string]string{"berta": "1", "49222222222": "1", "anna": "", "49111111111": ""} {
			if got := numbers(s.list(Filter{Submitted: true, Search: search}, nil, 10)); got != want {
				s.Errorf("%s finds %q, want %q", search, got, want)
			}
		}
	})
}

// Accounting that has taken an order counts its old quantities, so the order has to be taken anew.
func TestUpdate_ofLinesIsToBeTakenAnew(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		shirt := s.createProduct("Shirt", 100000, remaindersIn([]catalog.Stock{s.catalog.CreateStock("near")}, 9))
		o := s.createSubmitted(line(shirt, 2))
		s.Write(func(tx store.Tx) error { return s.Take(s.Context(), tx, []ID{o.ID}, 1) })
		s.mustUpdate(o, Update{Comment: new("soon")})
		if n := s.Count("orders WHERE taken IS NOT NULL"); n != 1 {
			s.Error("a comment made the order one that is not taken")
		}
		s.mustUpdate(o, Update{Lines: []LineUpdate{{Item: o.Items[0].ID, Quantity: piecesOf(3)}}})
		if n := s.Count("orders WHERE taken IS NOT NULL"); n != 0 {
			s.Error("an order with other quantities still counts as taken")
		}
	})
}

// After random edits, what is reserved is the sum of the lines, and so are the totals and the popularity.
func TestUpdate_randomEditsKeepStockTotalsAndPopularity(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		random := rand.New(rand.NewPCG(1, 2))
		stocks := []catalog.Stock{s.catalog.CreateStock("near"), s.catalog.CreateStock("far")}
		var products []catalog.Product
		for i := range 4 {
			products = append(products, s.createProduct(fmt.Sprint("P", i), 10000, remaindersIn(stocks, 5, 5)))
		}
		var orders []Order
		for i := range 3 {
			orders = append(orders, s.createSubmitted(line(products[i], 1), line(products[i+1], 1)))
		}

		for range promise.Repeat(40, 400) {
			o := s.stored(orders[random.IntN(len(orders))])
			var u Update
			for range 1 + random.IntN(3) {
				l := LineUpdate{Quantity: piecesOf(random.IntN(5))}
				if random.IntN(2) == 0 {
					l.Item = o.Items[random.IntN(len(o.Items))].ID
				} else {
					l.Variant = products[random.IntN(len(products))].Variants[0].ID
				}
				if random.IntN(3) == 0 {
					l.Price = new(money.Money(random.IntN(100)) * 100)
				}
				u.Lines = append(u.Lines, l)
			}

			_, err := s.update(o, u, nil)
			if kind := fault.KindOf(err); err != nil && kind != fault.Conflict && kind != fault.Invalid {
				s.Fatalf("%+v: %v", u, err)
			}
			if random.IntN(5) == 0 {
				if err := s.counter.count(s.Context()); err != nil {
					s.Fatal(err)
				}
			}
		}

		if err := s.counter.count(s.Context()); err != nil {
			s.Fatal(err)
		}
		s.checkInvariants()
		for violation, query := range map[string]string{
			"lines that reserve something else": `order_items i WHERE i.quantity <> (
				SELECT COALESCE(SUM(r.quantity), 0) FROM reservations r
				WHERE r.store_id = i.store_id AND r.item_key = i.key)`,
			"orders with another total": `orders o WHERE o.total <> (
				SELECT SUM(i.price * i.quantity / 1000) FROM order_items i
				WHERE i.store_id = o.store_id AND i.order_key = o.key)`,
			"products with another popularity": `products p WHERE COALESCE((SELECT y.quantity FROM product_popularity y
				WHERE y.store_id = p.store_id AND y.product_key = p.key), 0) <> (
				SELECT COALESCE(SUM(i.quantity), 0) FROM order_items i
				WHERE i.store_id = p.store_id AND i.product_id = p.id)`,
		} {
			if n := s.Count(query); n != 0 {
				s.Errorf("%d %s", n, violation)
			}
		}
	})
}

// A line that is added is refused if its modifiers make it cost more than the largest amount of money.
func TestUpdate_refusesModifiersThatCostTooMuch(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		gold := s.createWithModifiers("Gold", modifier.MaxPrice, wraps)
		o := s.createSubmitted(line(s.createProduct("Cup", 50000, nil), 1))
		paper := []modifier.Choice{{GroupID: "wrap", ItemID: "paper", Quantity: 1}}
		_, err := s.update(o, Update{Lines: []LineUpdate{{Item: o.Items[0].ID},
			{Variant: gold.Variants[0].ID, Quantity: piecesOf(1), Modifiers: paper}}}, nil)
		if got := faultSummary(err); got != "validation_failed lines[1].modifiers" {
			s.Errorf("the update returns %s", got)
		}
	})
}
