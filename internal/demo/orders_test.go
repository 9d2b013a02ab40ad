package demo_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/demo"
	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/storetest"
)

// placedOrder is what a test compares of an order.
type placedOrder struct {
	Number              int64
	State, Name, Total  string
	SubmittedAt         time.Time
	Customer, Processed bool
}

// fillOrders calls FillOrders, which must succeed.
func (s *fixture) fillOrders(o demo.OrderOptions) demo.OrderReport {
	s.Helper()
	o.Stores = s.Stores
	report, err := demo.FillOrders(s.Context(), s.DB, s.catalog, s.Store.ID, o)
	if err != nil {
		s.Fatal(err)
	}
	return report
}

// placedOrders returns the orders of the store by their numbers.
func (s *fixture) placedOrders() []placedOrder {
	s.Helper()
	var list []placedOrder

	s.Read(func(tx store.Tx) error {
		return database.QueryEach(s.Context(), tx.Unscoped(),
			"SELECT number, state, name, total, submitted_at, customer_key IS NOT NULL, "+
				"confirmed_at IS NOT NULL OR cancelled_at IS NOT NULL "+
				"FROM orders WHERE store_id = $1 ORDER BY number", []any{s.Store.ID},
			func(row database.Rows) error {
				var o placedOrder
				var total, at int64
				err := row.Scan(&o.Number, &o.State, &o.Name, &total, &at, &o.Customer, &o.Processed)
				o.Total = fmt.Sprint(total)
				o.SubmittedAt = time.UnixMicro(at).UTC()
				list = append(list, o)
				return err
			})
	})

	return list
}

// The orders of a store are in all states and spread over three months, the numbers in the order of the days. A second
// run adds nothing, and another store with the same seed and products gets the same orders.
func TestFillOrders_spreadsOrdersOfAllStates(t *testing.T) {
	storetest.Each(t, func(f *storetest.Fixture) {
		now := f.Clock.Now()
		products := catalog.New(catalog.Deps{Now: f.Clock.Now})
		for _, language := range []demo.Language{demo.English, demo.Russian} {
			var before []placedOrder
			for range 2 {
				s := &fixture{f.WithStore(f.NewStore(store.Edit{})), products}
				s.fill(demo.Options{Products: 120, Seed: 3, Language: language})
				options := demo.OrderOptions{Products: 120, Seed: 3, Language: language, Orders: 120, Now: now}
				report := s.fillOrders(options)
				orders := s.placedOrders()
				if report.Orders != len(orders) || report.Orders < 110 || report.Customers < 5 ||
					report.Inquiries < 10 {
					s.Errorf("the report is %+v, and there are %d orders", report, len(orders))
				}
				checkPlacedOrders(t, orders, now)

				if before != nil {
					if diff := cmp.Diff(before, orders); diff != "" {
						s.Errorf("the orders of another store differ:\n%s", diff)
					}
				}
				before = orders

				if again := s.fillOrders(options); !again.Existed || again.Orders != 0 ||
					len(s.placedOrders()) != len(orders) {
					s.Errorf("the second run reports %+v", again)
				}
			}
		}
	})
}

// checkPlacedOrders checks the states, days and numbers of orders.
func checkPlacedOrders(t *testing.T, orders []placedOrder, now time.Time) {
	t.Helper()
	states := map[string]int{}
	days := map[int]bool{}
	for i, o := range orders {
		states[o.State]++
		age := now.Sub(o.SubmittedAt)
		days[int(age.Hours()/24)] = true
		if o.Number != int64(i+1) || i > 0 && o.SubmittedAt.Before(orders[i-1].SubmittedAt) {
			t.Errorf("order %d is No. %d, of %s", i+1, o.Number, o.SubmittedAt)
		}
		if age < 0 || age > 91*24*time.Hour || o.Total == "0" || o.Name == "" {
			t.Errorf("order %+v is not one of the last three months", o)
		}
		if age > 6*24*time.Hour && !o.Processed {
			t.Errorf("order %+v has waited for %s", o, age)
		}
	}

	for _, state := range order.States()[1:] {
		if states[string(state)] == 0 {
			t.Errorf("no order is %s: %v", state, states)
		}
	}
	if len(days) < 40 {
		t.Errorf("the orders are of %d days only", len(days))
	}
	if !slices.ContainsFunc(orders, func(o placedOrder) bool { return o.Customer }) {
		t.Error("no order is that of a customer who signs in")
	}
}

// Nobody has the addresses of the people: example.com is reserved, and so are the numbers.
func TestPeople_haveAddressesOfNobody(t *testing.T) {
	for _, language := range []demo.Language{demo.English, demo.Russian} {
		names := map[string]bool{}
		for _, p := range demo.People(language, 1, 100) {
			names[p.Name] = true

			if phone, err := contact.CheckPhone(p.Phone); err != nil || phone != p.Phone ||
				!strings.HasPrefix(phone, "+447700900") && !strings.HasPrefix(phone, "+74950") {
				t.Errorf("%s has the phone number %s: %v", p.Name, p.Phone, err)
			}

			if p.Email == "" {
				continue
			}
			if email, err := contact.CheckEmail(p.Email); err != nil || email != p.Email ||
				!strings.HasSuffix(email, "@example.com") {
				t.Errorf("%s has the address %s: %v", p.Name, p.Email, err)
			}
		}
		if len(names) < 95 {
			t.Errorf("100 people have %d names", len(names))
		}
	}
}
