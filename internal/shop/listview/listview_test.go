package listview

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/storetest"
)

type fixture struct{ *storetest.Fixture }

func eachEngine(t *testing.T, fn func(s *fixture)) {
	t.Helper()
	storetest.Each(t, func(f *storetest.Fixture) { fn(&fixture{f}) })
}

// operator creates an operator of the store with a role.
func (s *fixture) operator(email string, role access.Role) Author {
	s.Helper()
	accountID, operatorID := id.New[access.Account](), id.New[access.Operator]()
	s.Exec("INSERT INTO accounts (id, email, password_hash, language, failures, locked_until, code_step, created_at, "+
		"updated_at) VALUES ($1, $2, '', 'en', 0, 0, 0, 1, 1)", accountID, email)
	s.Exec("INSERT INTO operators (id, store_id, account_id, role, created_at, updated_at) "+
		"VALUES ($1, $2, $3, $4, 1, 1)", operatorID, s.Store.ID, accountID, string(role))
	p := access.Principal{Kind: access.OperatorSession, Operator: &access.Operator{Role: role}}
	return Author{operatorID, p.May}
}

func (s *fixture) create(by Author, list List, e Edit) View {
	s.Helper()
	var v View
	s.Write(func(tx store.Tx) (err error) {
		v, err = Create(s.Context(), tx, list, e, by)
		return err
	})
	return v
}

// names returns the names of the views that an operator sees, with an asterisk after the default one.
func (s *fixture) names(by Author, list List) string {
	s.Helper()
	var names []string
	s.Read(func(tx store.Tx) error {
		views, err := Of(s.Context(), tx, list, by.Operator)
		standard := Default(views)
		for i := range views {
			name := views[i].Name
			if standard != nil && standard.ID == views[i].ID {
				name += "*"
			}
			names = append(names, name)
		}
		return err
	})
	return strings.Join(names, ", ")
}

func (s *fixture) change(by Author, v View, e Edit, pre fault.Precondition) error {
	return s.TryWrite(func(tx store.Tx) error {
		_, err := Change(s.Context(), tx, v, e, by, pre)
		return err
	})
}

// Everybody sees the shared views and their own ones. An own default view goes before a shared one.
func TestViews_areOwnOrShared(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		ann, bob := s.operator("ann@north.example", access.Owner), s.operator("bob@north.example", access.Viewer)
		large := s.create(ann, Orders, Edit{Name: new("Large"), Query: new("sort=-total&q="), Shared: new(true),
			IsDefault: new(true)})
		s.create(bob, Orders, Edit{Name: new(" Mine\t too "), Query: new("state=all"), Columns: new("date,total"),
			IsDefault: new(true)})
		s.create(ann, Products, Edit{Name: new("Sold out"), Query: new("in_stock=false")})

		if got, want := s.names(ann, Orders), "Large*"; got != want {
			s.Errorf("Ann sees %s, want %s", got, want)
		}
		if got, want := s.names(bob, Orders), "Large, Mine too*"; got != want {
			s.Errorf("Bob sees %s, want %s", got, want)
		}
		if large.Query != "sort=-total" {
			s.Errorf("the query is %q", large.Query)
		}

		denied := map[string]error{
			"share": s.TryWrite(func(tx store.Tx) error {
				_, err := Create(s.Context(), tx, Orders, Edit{Name: new("x"), Shared: new(true)}, bob)
				return err
			}),
			"rename": s.change(bob, large, Edit{Name: new("x")}, nil),
			"delete": s.TryWrite(func(tx store.Tx) error {
				_, err := Delete(s.Context(), tx, Orders, large.ID, bob)
				return err
			}),
		}
		for what, err := range denied {
			if fault.KindOf(err) != fault.Denied {
				s.Errorf("a viewer may %s a shared view: %v", what, err)
			}
		}
		if err := s.change(ann, View{ID: large.ID, List: Products}, Edit{Name: new("x")}, nil); fault.KindOf(err) !=
			fault.NotFound {
			s.Errorf("a view of another list: %v", err)
		}
	})
}

// Only one view is the default; a view that is no longer shared belongs to who made it so; changes need the version.
func TestChange_keepsOneDefaultAndChecksTheVersion(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		ann, bob := s.operator("ann@north.example", access.Owner), s.operator("bob@north.example", access.Manager)
		first := s.create(ann, Customers, Edit{Name: new("A"), Shared: new(true), IsDefault: new(true)})
		second := s.create(ann, Customers, Edit{Name: new("B"), Shared: new(true)})

		if err := s.change(ann, second, Edit{IsDefault: new(true)}, func(v int64) bool { return v == 1 }); err != nil {
			s.Fatal(err)
		}
		if got, want := s.names(bob, Customers), "A, B*"; got != want {
			s.Errorf("the views are %s, want %s", got, want)
		}

		err := s.change(ann, second, Edit{Name: new("C")}, func(v int64) bool { return v == 1 })
		if fault.KindOf(err) != fault.Stale {
			s.Errorf("an old version: %v", err)
		}
		if err := s.change(bob, first, Edit{Shared: new(false)}, nil); err != nil {
			s.Fatal(err)
		}
		if got, want := s.names(ann, Customers), "B*"; got != want {
			s.Errorf("Ann sees %s, want %s", got, want)
		}
		if err := s.change(ann, first, Edit{Name: new("x")}, nil); fault.KindOf(err) != fault.NotFound {
			s.Errorf("the view of somebody else: %v", err)
		}
	})
}

func TestCreate_refusesNonsense(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		ann := s.operator("ann@north.example", access.Owner)
		for want, e := range map[string]Edit{
			"name":    {Name: new(" ")},
			"query":   {Name: new("x"), Query: new("q=" + strings.Repeat("a", maxQueryBytes))},
			"columns": {Name: new("x"), Columns: new(strings.Repeat("a", 300))},
		} {
			err := s.TryWrite(func(tx store.Tx) error {
				_, err := Create(s.Context(), tx, Orders, e, ann)
				return err
			})
			if fault.KindOf(err) != fault.Invalid || !strings.Contains(fieldsOf(err), want) {
				s.Errorf("%s: %v", want, err)
			}
		}

		for range MaxViews {
			s.create(ann, Orders, Edit{Name: new("x")})
		}
		err := s.TryWrite(func(tx store.Tx) error {
			_, err := Create(s.Context(), tx, Orders, Edit{Name: new("x")}, ann)
			return err
		})
		if fault.KindOf(err) != fault.Conflict {
			s.Errorf("one view too many: %v", err)
		}
		s.create(ann, Orders, Edit{Name: new("x"), Shared: new(true)})
	})
}

// The parameters of a place in the list, and those that the list does not have, are no part of a view.
func TestCanonical_keepsTheParametersOfTheList(t *testing.T) {
	t.Parallel()
	query := url.Values{"features[a][]": {"2", "1"}, "price[from]": {""}, "page": {"3"}, "view": {"x"}, "q": {"lamp"},
		"evil": {"1"}, "columns": {"sku"}}
	if got, want := Products.Canonical(query), "features%5Ba%5D%5B%5D=2&features%5Ba%5D%5B%5D=1&q=lamp"; got != want {
		t.Errorf("the query is %s, want %s", got, want)
	}
	if got := Orders.Canonical(query); got != "q=lamp" {
		t.Errorf("the query of orders is %s", got)
	}
	if List("x").Known() {
		t.Error("there is a list x")
	}
}

func fieldsOf(err error) string {
	var names []string
	if f, ok := errors.AsType[*fault.Error](err); ok {
		for _, field := range f.Fields {
			names = append(names, field.Field)
		}
	}
	return strings.Join(names, " ")
}

// Requests at the same time that make different views the default one leave one default view.
func TestDefault_isOneAfterRequestsAtTheSameTime(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		ann := s.operator("ann@north.example", access.Owner)
		for _, shared := range []bool{false, true} {
			var wg sync.WaitGroup
			for i := range 8 {
				wg.Go(func() {
					err := s.TryWrite(func(tx store.Tx) error {
						_, err := Create(s.Context(), tx, Orders, Edit{Name: new(fmt.Sprint("View ", i)),
							Query: new("sort=-total"), Shared: &shared, IsDefault: new(true)}, ann)
						return err
					})
					if err != nil && fault.KindOf(err) != fault.Conflict {
						s.Error(err)
					}
				})
			}
			wg.Wait()
		}

		if n := s.Count("list_views WHERE is_default = TRUE"); n != 2 {
			s.Errorf("%d default views, want an own one and a shared one", n)
		}
	})
}
