package account

import (
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

// join invites a person to another store and accepts with the session that they have.
func (f *fixture) join(
	storeID store.ID, email string, role access.Role, p access.Principal,
) (o access.Operator, err error) {
	f.Helper()
	var token string
	f.WriteUnscoped(func(q database.Querier) (err error) {
		_, token, err = f.Operators.Invite(f.Context(), store.In(q, storeID), email, role)
		return err
	})
	wantFault(f, f.accept(token, "another password"), fault.Conflict, "account_exists")
	err = f.DB.Write(f.Context(), func(q database.Querier) (err error) {
		o, err = f.Operators.JoinStore(f.Context(), q, p, token)
		return err
	})
	return o, err
}

func (f *fixture) session(token string) access.Principal {
	f.Helper()
	p, err := f.Sessions.Authenticate(f.Context(), token)
	if err != nil {
		f.Fatal(err)
	}
	return p
}

// One person administers two stores with one password, and leaves one of them.
func TestAccount_administersSeveralStores(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.newOperator("anna@shop.example", "password")
		f.newOperator("boris@shop.example", "password")
		other := f.NewStore(store.Edit{Name: new("Other"), Timezone: new("UTC")})

		anna := f.session(f.mustSignIn("anna@shop.example", "password"))
		if anna.SeveralStores {
			f.Error("a person with one store has several")
		}

		boris := f.session(f.mustSignIn("boris@shop.example", "password"))
		if _, err := f.join(other.ID, "anna@shop.example", access.Viewer, boris); fault.KindOf(err) != fault.NotFound {
			f.Errorf("Boris accepts an invitation of Anna: %v", err)
		}

		joined, err := f.join(other.ID, "anna@shop.example", access.Manager, anna)
		if err != nil || joined.Role != access.Manager || joined.StoreID != other.ID || joined.Invited {
			f.Fatalf("joined as %+v, %v", joined, err)
		}

		f.Clock.Advance(time.Second)
		var token string
		f.WriteUnscoped(func(q database.Querier) (err error) {
			token, err = f.Sessions.SwitchStore(f.Context(), q, anna, other.ID)
			return err
		})

		switched := f.session(token)
		if switched.Store.ID != other.ID || switched.Operator.Role != access.Manager || !switched.SeveralStores ||
			switched.May(access.KeysManage) {
			f.Errorf("switched to %+v", switched)
		}

		if in := f.session(f.mustSignIn("anna@shop.example", "password")); in.Store.ID != other.ID {
			f.Error("a login opens another store than the last one")
		}

		var stores []AccountStore
		f.Read(func(tx store.Tx) (err error) {
			stores, err = f.Sessions.StoresOf(f.Context(), tx.Unscoped(), switched)
			return err
		})
		if len(stores) != 2 || stores[1].Name != "Other" {
			f.Errorf("the stores are %+v", stores)
		}

		f.WriteUnscoped(func(q database.Querier) error {
			_, err := f.Operators.FindByEmail(f.Context(), q, "anna@shop.example", store.ID{})
			if fieldCodes(err)["store"] != "required" {
				f.Errorf("found without a store: %v", err)
			}
			found, err := f.Operators.FindByEmail(f.Context(), q, "anna@shop.example", other.ID)
			if found.ID != joined.ID {
				f.Errorf("found %+v", found)
			}

			return err
		})

		// The store removes her: the sessions there end, and the other store stays.
		f.WriteUnscoped(func(q database.Querier) error {
			return f.Operators.Remove(f.Context(), store.In(q, other.ID), joined.ID, nil)
		})
		_, err = f.Sessions.Authenticate(f.Context(), token)
		wantFault(f, err, fault.Unauthenticated, "invalid_session")

		if in := f.session(f.mustSignIn("anna@shop.example", "password")); in.Store.ID != f.Store.ID {
			f.Error("she cannot sign in to the store that she still has")
		}

		err = f.DB.Write(f.Context(), func(q database.Querier) error {
			_, err := f.Sessions.SwitchStore(f.Context(), q, boris, other.ID)
			return err
		})
		wantFault(f, err, fault.NotFound, "not_found")
	})
}

// The owner of one store who sets the password of an invited address does not get into another store that invites it.
func TestInvitation_givesNothingToWhoSquatsTheAddress(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		_, squatted := f.invite("victim@shop.example", access.Viewer)
		if err := f.accept(squatted, "attacker's password"); err != nil {
			f.Fatal(err)
		}

		other := f.NewStore(store.Edit{Name: new("Other"), Timezone: new("UTC")})
		attacker := f.session(f.mustSignIn("victim@shop.example", "attacker's password"))
		f.WriteUnscoped(func(q database.Querier) error {
			_, _, err := f.Operators.Invite(f.Context(), store.In(q, other.ID), "victim@shop.example", access.Owner)
			return err
		})

		if p := f.session(f.mustSignIn("victim@shop.example", "attacker's password")); p.SeveralStores ||
			p.Store.ID != f.Store.ID {
			f.Errorf("an invitation that nobody accepted opens %+v", p.Store)
		}

		err := f.DB.Write(f.Context(), func(q database.Querier) error {
			_, err := f.Sessions.SwitchStore(f.Context(), q, attacker, other.ID)
			return err
		})
		wantFault(f, err, fault.NotFound, "not_found")
	})
}

func TestRemoveOperator_deletesAccountWithoutStores(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.newOperator("owner@shop.example", "password")
		anna := f.newOperator("anna@shop.example", "password")
		f.mustSignIn("anna@shop.example", "password")
		if err := f.remove(anna); err != nil {
			f.Fatal(err)
		}
		if f.Count("accounts") != 1 || f.Count("account_devices") != 0 {
			f.Error("the account of a person without a store was not deleted")
		}
		f.newOperator("anna@shop.example", "new password")
		f.Clock.Advance(time.Second)
		f.mustSignIn("anna@shop.example", "new password")
	})
}

func TestSessions_areListedAndEnded(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		o := f.newOperator("anna@shop.example", "password")
		f.newOperator("boris@shop.example", "password")
		boris := f.session(f.mustSignIn("boris@shop.example", "password"))
		one := f.mustSignIn("anna@shop.example", "password")
		other := f.mustSignIn("anna@shop.example", "password")
		third := f.mustSignIn("anna@shop.example", "password")
		p := f.session(one)
		list := func() (all []ActiveSession) {
			f.Read(func(tx store.Tx) (err error) {
				all, err = f.Sessions.List(f.Context(), tx.Unscoped(), p)
				return err
			})
			return all
		}
		ended := ""
		for _, s := range list() {
			if s.Network != testNetwork || s.Current != (s.hash == p.Session) {
				f.Errorf("a session is %+v", s)
			}
			if s.hash == access.HashToken(other) {
				ended = s.ID()
			}
		}

		end := func(by access.Principal, id string) error {
			return f.DB.Write(f.Context(),
				func(q database.Querier) error { return f.Sessions.End(f.Context(), q, by, id) })
		}
		wantFault(f, end(boris, ended), fault.NotFound, "not_found")
		wantFault(f, end(p, "x"), fault.NotFound, "not_found")
		if err := end(p, ended); err != nil || len(list()) != 2 {
			f.Errorf("%d sessions are left, %v", len(list()), err)
		}

		var team []Member
		f.Read(func(tx store.Tx) (err error) {
			team, err = f.Operators.Team(f.Context(), tx)
			return err
		})
		if len(team) != 2 || team[0].Sessions != 2 || team[0].SignedInAt == nil || team[0].ID != o.ID {
			f.Errorf("the team is %+v", team)
		}

		f.WriteUnscoped(func(q database.Querier) error { return f.Sessions.EndOthers(f.Context(), q, p) })
		_, err := f.Sessions.Authenticate(f.Context(), third)
		wantFault(f, err, fault.Unauthenticated, "invalid_session")
		f.Write(func(tx store.Tx) error {
			_, err := f.Operators.EndSessions(f.Context(), tx, o.ID, nil)
			return err
		})
		if _, err := f.Sessions.Authenticate(f.Context(), one); fault.KindOf(err) != fault.Unauthenticated {
			f.Errorf("the session still works: %v", err)
		}
	})
}
