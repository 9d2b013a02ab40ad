package order

import (
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// createCustomer inserts a customer, and returns the Caller of the customer's requests.
func (s *fixture) createCustomer() Caller {
	s.Helper()
	caller := Caller{CustomerID: id.New[access.Customer]()}
	s.WriteUnscoped(func(q database.Querier) error {
		return database.QueryRow(s.Context(), q,
			"INSERT INTO customers (store_id, id, name, words, version, created_at, updated_at) VALUES ($1, $2, '', "+
				"'', 1, 0, 0) RETURNING key",
			[]any{s.Store.ID, caller.CustomerID}, &caller.CustomerKey)
	})
	return caller
}

func (s *fixture) listOrders(f Filter) (list []Order) {
	s.Helper()
	s.Write(func(tx store.Tx) (err error) {
		list, _, err = s.Orders(s.Context(), tx, s.Store, f, 10, 0)
		return err
	})
	return list
}

func TestOrder_isFoundByItsOwnerAndTokenOnly(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		p := s.createProduct("Shirt", 1, nil)
		anna, boris := s.createCustomer(), s.createCustomer()
		var annasOrder Order
		s.Write(func(tx store.Tx) (err error) {
			annasOrder, _, err = s.Create(s.Context(), tx, s.Store, Edit{Items: &[]Line{line(p, 1)}}, anna)
			return err
		})

		guestOrder, token, err := s.tryCreateDraft(line(p, 1))
		if err != nil {
			s.Fatal(err)
		}

		for _, c := range []struct {
			name   string
			o      Order
			caller Caller
			found  bool
		}{
			{"a customer's order, by that customer", annasOrder, anna, true},
			{"a customer's order, by another customer", annasOrder, boris, false},
			{"a customer's order, by a guest", annasOrder, Caller{}, false},
			{"a customer's order, with the token of another order", annasOrder, Caller{Token: token}, false},
			{"a guest's order, with its token", guestOrder, Caller{Token: token}, true},
			{"a guest's order, by a customer without the token", guestOrder, anna, false},
			{"a customer's order, by a caller who may see all orders", annasOrder, Caller{AllOrders: true}, true},
		} {
			err := s.TryRead(func(tx store.Tx) error {
				_, err := s.Order(s.Context(), tx, s.Store, c.o.ID, c.caller)
				return err
			})
			if (err == nil) != c.found || (err != nil && fault.KindOf(err) != fault.NotFound) {
				s.Errorf("%s: error %v, want found %t", c.name, err, c.found)
			}
		}

		// A guest who signs in at the checkout submits the draft as a customer, who then owns the order.
		boris.Token = token
		s.Write(func(tx store.Tx) (err error) {
			guestOrder, err = s.Submit(s.Context(), tx, s.Store, guestOrder.ID, Edit{}, boris, "")
			return err
		})

		if list := s.listOrders(Filter{CustomerKey: boris.CustomerKey}); len(list) != 1 ||
			list[0].ID != guestOrder.ID ||
			*list[0].CustomerID != boris.CustomerID || *guestOrder.CustomerID != boris.CustomerID {
			s.Errorf("the orders of the customer who submitted are %v", list)
		}

		if list := s.listOrders(Filter{CustomerKey: anna.CustomerKey}); len(list) != 1 || list[0].ID != annasOrder.ID {
			s.Errorf("the orders of the other customer are %v", list)
		}
		if list := s.listOrders(Filter{}); len(list) != 2 || list[0].ID != guestOrder.ID {
			s.Errorf("the orders of the store are %v", list)
		}
	})
}

func TestAddItem_concurrentCallsLoseNothing(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		a := s.createProduct("Shirt", 1, nil)
		b := s.createProduct("Hat", 1, nil)
		o := s.createDraft()
		const writers = 6
		errs := make(chan error, writers)
		for i := range writers {
			go func() {
				errs <- s.TryWrite(func(tx store.Tx) error {
					_, _, err := s.AddItem(
						s.Context(), tx, s.Store, o.ID, line([]catalog.Product{a, b}[i%2], 1), Caller{AllOrders: true})
					return err
				})
			}()
		}

		for range writers {
			if err := <-errs; err != nil {
				s.Error(err)
			}
		}

		orders := s.listOrders(Filter{})
		s.Write(func(tx store.Tx) error {
			return s.FillItems(s.Context(), tx, s.Store, orders)
		})
		if items := orders[0].Items; len(items) != 2 || items[0].Quantity != 3000 || items[1].Quantity != 3000 ||
			orders[0].Version != writers+1 {
			s.Errorf("version %d of the draft has the items %+v", orders[0].Version, items)
		}
	})
}
