package order

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/catalogtest"
	"vitrine/internal/testkit/storetest"
)

// fixture is a store with the service under test. Its clock stands still.
type fixture struct {
	*storetest.Fixture
	catalog *catalogtest.Catalog
	*Service
}

// eachEngine runs fn as a parallel subtest on SQLite and PostgreSQL, and checks the invariants of stock afterwards.
func eachEngine(t *testing.T, fn func(s *fixture)) {
	t.Helper()
	storetest.Each(t, func(f *storetest.Fixture) {
		products := catalogtest.New(f)
		s := &fixture{f, products, New(Deps{
			DB: f.DB, Catalog: products.Service, Events: event.New(event.Deps{Now: f.Clock.Now}), Now: f.Clock.Now,
		})}
		fn(s)
		s.checkInvariants()
	})
}

// remaindersIn returns the remainders of a variant: pieces[i] in stocks[i].
func remaindersIn(stocks []catalog.Stock, pieces ...int) *[]catalog.RemainderEdit {
	list := []catalog.RemainderEdit{}
	for i, n := range pieces {
		list = append(list, catalog.RemainderEdit{Stock: stocks[i].ID, Quantity: money.Quantity(n) * 1000})
	}
	return &list
}

// createProduct creates a product with one variant, and returns it with the variant.
func (s *fixture) createProduct(name string, price money.Money, remainders *[]catalog.RemainderEdit) catalog.Product {
	s.Helper()
	return s.catalog.CreateProduct(name, price,
		catalog.ProductEdit{Variants: &[]catalog.VariantEdit{{Price: new(money.NewPrice(price)),
			Remainders: remainders}}})
}

// stockSummary returns a text such as "5 = 3/0 2/0": the available pieces of a product, or "none" if it has no
// remainders, and then the quantity and the reserved quantity of its first variant in each stock.
func (s *fixture) stockSummary(p catalog.Product) string {
	s.Helper()
	var list []view.ProductRows
	s.Write(func(tx store.Tx) (err error) {
		list, _, err = view.ReadRows(s.Context(), tx, []int64{p.Key}, view.Parts{Variants: true},
			catalog.AnyArchived)
		return err
	})
	words := []string{"none", "="}
	if n := list[0].Available; n != nil {
		words[0] = fmt.Sprint(*n / 1000)
	}
	for _, remainder := range list[0].Variants[0].Remainders {
		words = append(words, fmt.Sprintf("%d/%d", remainder.Quantity/1000, remainder.Reserved/1000))
	}
	return strings.Join(words, " ")
}

// line returns a line for the first variant of a product.
func line(p catalog.Product, pieces int) Line {
	return Line{VariantID: p.Variants[0].ID, Quantity: money.Quantity(pieces) * 1000}
}

func (s *fixture) tryCreateDraft(lines ...Line) (o Order, token string, err error) {
	err = s.TryWrite(func(tx store.Tx) (err error) {
		o, token, err = s.Create(s.Context(), tx, s.Store, Edit{Items: &lines}, Caller{})
		return err
	})
	return o, token, err
}

// createDraft creates a guest's draft.
func (s *fixture) createDraft(lines ...Line) Order {
	s.Helper()
	o, _, err := s.tryCreateDraft(lines...)
	if err != nil {
		s.Fatal(err)
	}
	return o
}

// createDraftAs creates a draft of a caller who is not a guest.
func (s *fixture) createDraftAs(caller Caller, lines ...Line) (o Order) {
	s.Helper()
	s.Write(func(tx store.Tx) (err error) {
		o, _, err = s.Create(s.Context(), tx, s.Store, Edit{Items: &lines}, caller)
		return err
	})
	return o
}

func (s *fixture) submit(o Order) (Order, error) {
	e := Edit{Contact: ContactEdit{Name: new("Anna"), Phone: new("+79123456789")}}
	err := s.TryWrite(func(tx store.Tx) (err error) {
		o, err = s.Submit(s.Context(), tx, s.Store, o.ID, e, Caller{AllOrders: true}, "")
		return err
	})
	return o, err
}

// createSubmitted creates and submits an order.
func (s *fixture) createSubmitted(lines ...Line) Order {
	s.Helper()
	o, err := s.submit(s.createDraft(lines...))
	if err != nil {
		s.Fatal(err)
	}
	return o
}

// changeState confirms, completes or cancels an order.
func (s *fixture) changeState(o Order, to State) error {
	return s.TryWrite(func(tx store.Tx) error {
		transition := s.Confirm
		switch to {
		case Completed:
			transition = s.Complete
		case Cancelled:
			transition = s.Cancel
		case Draft, Submitted, Confirmed:
		}
		_, err := transition(s.Context(), tx, s.Store, o.ID, nil, "")
		return err
	})
}

// faultSummary returns the code of a fault and the paths of its fields: "out_of_stock items[1]".
func faultSummary(err error) string {
	var f *fault.Error
	if !errors.As(err, &f) {
		return fmt.Sprint(err)
	}
	words := []string{f.Code}
	for _, field := range f.Fields {
		words = append(words, field.Field)
	}
	return strings.Join(words, " ")
}

// checkInvariants checks the invariants of the stored data: reserved quantities equal the reservations, only submitted
// and confirmed orders have reservations, no quantity is negative, the available quantity of a variant follows from its
// remainders, an order has a number if and only if it was submitted, and no number exceeds the count of such orders.
func (s *fixture) checkInvariants() {
	s.Helper()

	for violation, query := range map[string]string{
		"remainders whose reserved quantity differs from the reservations": `remainders m WHERE m.reserved <> (
			SELECT COALESCE(SUM(r.quantity), 0) FROM reservations r WHERE r.store_id = m.store_id AND r.variant_key = m.variant_key AND r.stock_key = m.stock_key)`,
		"reservations of orders that are neither submitted nor confirmed": `reservations r
			JOIN order_items i ON i.store_id = r.store_id AND i.key = r.item_key
			JOIN orders o ON o.store_id = i.store_id AND o.key = i.order_key
			WHERE o.state NOT IN ('submitted', 'confirmed')`,
		"remainders below zero": "remainders WHERE quantity < 0 OR reserved < 0",
		"variants whose available quantity differs from their remainders": `variants v WHERE COALESCE(v.available, -1) <> COALESCE((
			SELECT SUM(CASE WHEN m.quantity > m.reserved THEN m.quantity - m.reserved ELSE 0 END) FROM remainders m WHERE m.store_id = v.store_id AND m.variant_key = v.key), -1)`,
		"totals of days that differ from the orders": `order_totals t WHERE t.span = 'day' AND (t.orders, t.whole * 10000 + t.rest) <> (
			SELECT COUNT(*), COALESCE(SUM(o.total), 0) FROM orders o WHERE o.store_id = t.store_id AND o.state = t.state AND o.currency = t.currency
				AND o.submitted_at >= t.start AND o.submitted_at < t.start + 86400000000)`,
		"totals of customers that differ from the orders": `customer_totals t WHERE (t.orders, t.whole * 10000 + t.rest) <> (
			SELECT COUNT(*), COALESCE(SUM(o.total), 0) FROM orders o WHERE o.store_id = t.store_id AND COALESCE(o.customer_key, o.guest_key) = t.customer_key
				AND o.currency = t.currency AND o.submitted_at IS NOT NULL AND o.state <> 'cancelled')`,
		"submitted orders without totals": `orders o WHERE o.submitted_at IS NOT NULL AND NOT EXISTS (
			SELECT 1 FROM order_totals t WHERE t.store_id = o.store_id AND t.span = 'quarter' AND t.start = o.submitted_at - o.submitted_at % 900000000
				AND t.state = o.state AND t.currency = o.currency AND t.orders > 0)`,
		"orders whose number is missing, unexpected or too large": `orders o WHERE (o.number IS NULL) <> (o.submitted_at IS NULL)
			OR o.number > (SELECT COUNT(*) FROM orders n WHERE n.store_id = o.store_id AND n.submitted_at IS NOT NULL)`,
	} {
		if n := s.Count(query); n != 0 {
			s.Errorf("%d %s", n, violation)
		}
	}
}
