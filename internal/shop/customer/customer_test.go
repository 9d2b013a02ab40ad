package customer

import (
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

func TestSession_endsAtExpiryAndSignOut(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		session := f.mustSignIn("anna@shop.example")
		who, err := f.Authenticate(f.Context(), session.Token)
		if err != nil || who.Kind != access.CustomerToken || who.Store.ID != f.Store.ID ||
			who.CustomerID != session.Customer.ID || who.CustomerKey != session.Customer.Key || who.Scopes != nil {
			f.Fatalf("the token authenticates %+v, %v", who, err)
		}

		other := f.mustSignIn("anna@shop.example")
		f.WriteUnscoped(func(q database.Querier) error {
			return f.SignOut(f.Context(), store.In(q, f.otherStore.ID), session.Token)
		})

		if _, err := f.Authenticate(f.Context(), session.Token); err != nil {
			f.Errorf("another store ended the session: %v", err)
		}

		f.Write(func(tx store.Tx) error {
			return f.SignOut(f.Context(), tx, session.Token)
		})

		for _, token := range []string{session.Token, "", "ct_x", access.NewToken(access.CustomerToken),
			"sk_" + other.Token[3:]} {
			_, err := f.Authenticate(f.Context(), token)
			f.expectFault(err, fault.Unauthenticated, "invalid_credential")
		}

		f.Clock.Advance(30*24*time.Hour - time.Microsecond)
		if _, err := f.Authenticate(f.Context(), other.Token); err != nil {
			f.Errorf("the other session has ended: %v", err)
		}

		f.Clock.Advance(time.Microsecond)
		_, err = f.Authenticate(f.Context(), other.Token)
		f.expectFault(err, fault.Unauthenticated, "invalid_credential")
	})
}

// The words of a customer follow each edit. A word that is longer than the stored part of it is found.
func TestCustomers_areFoundByTheirPresentWords(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		long := strings.Repeat("ы", 120)
		c := f.mustSignIn("x@shop.example").Customer
		for _, name := range []string{"Xenia " + long, "Yara " + long} {
			if _, err := f.edit(c.ID, Edit{Name: &name}, nil); err != nil {
				f.Fatal(err)
			}
		}

		for search, want := range map[string]int64{"xenia": 0, "yar": 1, long: 1, long + "ы": 0, "yara x": 1,
			"yara z": 0} {
			f.Read(func(tx store.Tx) error {
				_, total, err := f.Customers(f.Context(), tx, Filter{Search: search}, 5, 0)
				if total != want {
					f.Errorf("%s finds %d, want %d", search, total, want)
				}
				return err
			})
		}

		if words := f.Texts("SELECT word FROM search_words WHERE kind = 'customer' ORDER BY word"); len(words) != 5 ||
			words[4] != strings.Repeat("ы", 64) || words[3] != "yara" {
			f.Errorf("the stored words are %q", words)
		}
	})
}

// A customer whose phone number begins with the digits does not hide the one whose number ends in them.
func TestCustomers_areFoundByTheEndsOfPhoneNumbers(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		first := f.mustSignIn("+67890000001").Customer
		second := f.mustSignIn("+49300006789").Customer
		third := f.mustSignIn("+49300030678").Customer

		for search, want := range map[string][]ID{"6789": {second.ID, first.ID}, "0678": {third.ID}, "1678": nil} {
			f.Read(func(tx store.Tx) error {
				list, total, err := f.Customers(f.Context(), tx, Filter{Search: search, Tolerant: true}, 5, 0)
				var ids []ID
				for i := range list {
					ids = append(ids, list[i].ID)
				}
				if !slices.Equal(ids, want) || total != int64(len(want)) {
					f.Errorf("%s finds %v, want %v", search, ids, want)
				}
				return err
			})
		}
	})
}

func TestCustomers_editAndSearch(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		anna := f.mustSignIn("Anna@shop.example").Customer
		f.Clock.Advance(time.Hour)
		boris := f.mustSignIn("+49301234567").Customer
		for _, c := range []struct {
			id   ID
			edit Edit
			pre  fault.Precondition
			kind fault.Kind
			code string
		}{
			{anna.ID, Edit{Name: new("X")}, func(v int64) bool { return v == 2 }, fault.Stale, "precondition_failed"},
			{ID{1}, Edit{Name: new("X")}, nil, fault.NotFound, "not_found"},
		} {
			_, err := f.edit(c.id, c.edit, c.pre)
			f.expectFault(err, c.kind, c.code)
		}

		changed, err := f.edit(boris.ID, Edit{Name: new("Борис Straße"), Email: new("Boris@shop.example"),
			Phone: new("")}, func(v int64) bool { return v == 1 })
		if err != nil || changed.Version != 2 || changed.Phone != nil || *changed.Email != "Boris@shop.example" ||
			!changed.UpdatedAt.After(boris.UpdatedAt) {
			f.Fatalf("edited to %+v, %v", changed, err)
		}

		if _, err := f.edit(anna.ID, Edit{Name: new("Anna"), Phone: new("+49307777777")}, nil); err != nil {
			f.Fatal(err)
		}

		for _, c := range []struct {
			filter Filter
			want   []ID
		}{
			{Filter{}, []ID{boris.ID, anna.ID}},
			{Filter{Search: "БОР strasse"}, []ID{boris.ID}},
			{Filter{Search: "shop.example"}, []ID{boris.ID, anna.ID}},
			{Filter{Search: "4930"}, []ID{boris.ID, anna.ID}},
			{Filter{Search: "+49307"}, []ID{anna.ID}},
			{Filter{Search: "49301"}, []ID{boris.ID}}, // found by the login address
			{Filter{Search: "борсi"}, nil},
			{Filter{Search: "Борси", Tolerant: true}, []ID{boris.ID}},
			{Filter{Search: "01234567", Tolerant: true}, []ID{boris.ID}},
			{Filter{Search: "030 777 77 77", Tolerant: true}, []ID{anna.ID}},
			{Filter{Search: "4567", Tolerant: true}, []ID{boris.ID}},
			{Filter{Search: "7777", PhoneEnds: true}, []ID{anna.ID}},
			{Filter{Search: "7777"}, nil},
			{Filter{Search: "4930", Tolerant: true}, []ID{boris.ID, anna.ID}}, // the beginning of one, too
			{Filter{Search: "nobody"}, nil},
			{Filter{Search: "!"}, nil},
			{Filter{From: boris.CreatedAt}, []ID{boris.ID}},
			{Filter{Before: boris.CreatedAt}, []ID{anna.ID}},
			{Filter{From: anna.CreatedAt, Before: boris.CreatedAt, Search: "boris"}, nil},
		} {
			f.Write(func(tx store.Tx) error {
				list, total, err := f.Customers(f.Context(), tx, c.filter, 50, 0)
				var ids []ID
				for _, one := range list {
					ids = append(ids, one.ID)
				}

				if !slices.Equal(ids, c.want) || total != int64(len(c.want)) {
					f.Errorf("%+v finds %d, %v; want %v", c.filter, total, ids, c.want)
				}

				return err
			})
		}

		f.Write(func(tx store.Tx) error {
			list, total, err := f.Customers(f.Context(), tx, Filter{}, 1, 1)
			if len(list) != 1 || list[0].ID != anna.ID || total != 2 {
				f.Errorf("the second page has %v of %d", list, total)
			}
			return err
		})

		f.WithStore(f.otherStore).Write(func(tx store.Tx) error {
			if _, none, _ := f.Customers(f.Context(), tx, Filter{}, 50, 0); none != 0 {
				f.Errorf("another store has %d customers", none)
			}
			_, err := f.Customer(f.Context(), tx, anna.ID)
			f.expectFault(err, fault.NotFound, "not_found")
			return nil
		})
	})
}

func TestList_continuesInBothDirections(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		for _, address := range []string{"a@x.example", "b@x.example", "c@y.example"} {
			f.mustSignIn(address)
		}

		list := func(filter Filter, at *Position) (addresses string, p Part) {
			f.Read(func(tx store.Tx) (err error) {
				p, err = f.List(f.Context(), tx, filter, at, 2)
				return err
			})
			for i := range p.Customers {
				addresses += (*p.Customers[i].Email)[:1]
			}
			return addresses, p
		}

		first, p := list(Filter{}, nil)
		if first != "cb" || p.Newer != nil || p.Older == nil {
			f.Errorf("the first part is %s: %+v", first, p)
		}
		last, p := list(Filter{}, p.Older)
		if last != "a" || p.Older != nil || p.Newer == nil {
			f.Errorf("the last part is %s: %+v", last, p)
		}
		if again, p := list(Filter{}, p.Newer); again != "cb" || p.Newer != nil || p.Older == nil {
			f.Errorf("before the last part is %s: %+v", again, p)
		}

		if found, p := list(Filter{Search: "x.example"}, nil); found != "ba" || p.Older != nil {
			f.Errorf("the search finds %s: %+v", found, p)
		}
	})
}
