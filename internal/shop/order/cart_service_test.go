package order

import (
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog"
)

// customer makes a customer, and returns what their requests carry.
func (s *shop) customer() Caller {
	s.Helper()
	by := Caller{CustomerID: id.New[access.Customer]()}
	s.write(func(q database.Querier) error {
		return database.QueryRow(s.Context(), q,
			"INSERT INTO customers (store_id, id, name, words, version, created_at, updated_at) VALUES ($1, $2, '', '', 1, 0, 0) RETURNING key", []any{s.store.ID, by.CustomerID}, &by.Customer)
	})
	return by
}

func (s *shop) listed(f Filter) (list []Order) {
	s.Helper()
	s.write(func(q database.Querier) (err error) {
		list, _, err = s.Orders(s.Context(), q, s.store, f, 10, 0)
		return err
	})
	return list
}

func TestCaller_reachesOwnOrdersOnly(t *testing.T) {
	eachShop(t, func(s *shop) {
		p := s.product("Shirt", 1, nil)
		anna, boris := s.customer(), s.customer()
		var hers Order
		s.write(func(q database.Querier) (err error) {
			hers, _, err = s.Create(s.Context(), q, s.store, Edit{Items: &[]Line{line(p, 1)}}, anna)
			return err
		})
		guests, token, err := s.tryCreate(line(p, 1))
		if err != nil {
			s.Fatal(err)
		}
		for _, c := range []struct {
			name    string
			o       Order
			by      Caller
			reaches bool
		}{
			{"her own", hers, anna, true},
			{"another customer's", hers, boris, false},
			{"a customer's as a guest", hers, Caller{}, false},
			{"a customer's with the token of another order", hers, Caller{Token: token}, false},
			{"a guest's with its token", guests, Caller{Token: token}, true},
			{"a guest's as a customer", guests, anna, false},
			{"any", hers, Caller{All: true}, true},
		} {
			err := s.db.Snapshot(s.Context(), func(q database.Querier) error {
				_, err := s.Order(s.Context(), q, s.store, c.o.ID, c.by)
				return err
			})
			if (err == nil) != c.reaches || (err != nil && fault.KindOf(err) != fault.NotFound) {
				s.Errorf("%s: %v", c.name, err)
			}
		}
		// Who signs in at the checkout submits a guest's draft as their own.
		boris.Token = token
		s.write(func(q database.Querier) (err error) {
			guests, err = s.Submit(s.Context(), q, s.store, guests.ID, Edit{}, boris)
			return err
		})
		if list := s.listed(Filter{Customer: boris.Customer}); len(list) != 1 || list[0].ID != guests.ID || *list[0].CustomerID != boris.CustomerID || *guests.CustomerID != boris.CustomerID {
			s.Errorf("his orders are %v", list)
		}
		if list := s.listed(Filter{Customer: anna.Customer}); len(list) != 1 || list[0].ID != hers.ID {
			s.Errorf("her orders are %v", list)
		}
		if list := s.listed(Filter{}); len(list) != 2 || list[0].ID != guests.ID {
			s.Errorf("all orders are %v", list)
		}
	})
}

// Two that fill one cart at the same moment lose nothing.
func TestAddItem_atOnceAddsAll(t *testing.T) {
	eachShop(t, func(s *shop) {
		a, b := s.product("Shirt", 1, nil), s.product("Hat", 1, nil)
		o := s.draft()
		const writers = 6
		errs := make(chan error, writers)
		for i := range writers {
			go func() {
				errs <- s.db.Write(s.Context(), func(q database.Querier) error {
					_, _, err := s.AddItem(s.Context(), q, s.store, o.ID, line([]catalog.Product{a, b}[i%2], 1), Caller{All: true})
					return err
				})
			}()
		}
		for range writers {
			if err := <-errs; err != nil {
				s.Error(err)
			}
		}
		one := s.listed(Filter{})
		s.write(func(q database.Querier) error { return s.FillItems(s.Context(), q, s.store, one) })
		if items := one[0].Items; len(items) != 2 || items[0].Quantity != 3000 || items[1].Quantity != 3000 || one[0].Version != writers+1 {
			s.Errorf("the draft has %+v", items)
		}
	})
}
