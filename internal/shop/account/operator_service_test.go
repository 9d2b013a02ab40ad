package account

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

func TestCreateOperator_normalizesAddressAndAllowsSignIn(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		prepared, err := f.Operators.Prepare(f.Context(),
			NewOperator{Email: " Anna@Shop.Example\n", Role: access.Manager, Password: "correct horse"})
		if err != nil {
			f.Fatal(err)
		}

		var created CreatedOperator
		var list []access.Operator
		f.Write(func(tx store.Tx) (err error) {
			if created, err = f.Operators.Create(f.Context(), tx, prepared); err != nil {
				return err
			}
			list, err = f.Operators.List(f.Context(), tx)
			return err
		})
		now := f.Clock.Now().Truncate(time.Microsecond)
		want := access.Operator{ID: created.ID, StoreID: f.Store.ID, AccountID: created.AccountID,
			Email: "anna@shop.example",
			Role:  access.Manager, CreatedAt: now, UpdatedAt: now}
		if diff := cmp.Diff([]access.Operator{want, want}, append(list, created.Operator)); diff != "" {
			f.Error(diff)
		}

		in, err := f.signInFrom(testNetwork, "ANNA@shop.example ", "correct horse")
		p := in.Principal
		if err != nil || *p.Operator != want || p.Kind != access.OperatorSession || p.Store.ID != f.Store.ID ||
			p.May(access.KeysManage) || !p.May(access.CatalogWrite) {
			f.Errorf("signed in as %+v, %v", p, err)
		}
	})
}

func TestCreateOperator_refusesSecondOperatorInStore(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.newOperator("anna@shop.example", "password")
		create := func(storeID store.ID, email string) error {
			return f.DB.Write(f.Context(), func(q database.Querier) error {
				_, err := f.Operators.Create(f.Context(), store.In(q, storeID),
					PreparedOperator{email: email, role: access.Viewer, hash: "x"})
				return err
			})
		}
		if err := create(f.Store.ID, "anna@shop.example"); fieldCodes(err)["email"] != "taken" {
			f.Errorf("got %v, want taken", err)
		}
		wantFault(f, create(id.New[store.Store](), "b@shop.example"), fault.NotFound, "not_found")
	})
}

func TestNewOperator_reportsEveryInvalidField(t *testing.T) {
	_, err := NewOperator{Email: "anna", Role: "root", Password: "short"}.check()
	if diff := cmp.Diff(map[string]string{"email": "invalid_email", "role": "unknown_role", "password": "too_short"},
		fieldCodes(err)); diff != "" {
		t.Error(diff)
	}
}

func TestIsEmail(t *testing.T) {
	for email, want := range map[string]bool{
		"a@b": true, "anna+x@shop.example": true, "анна@пример.рф": true, strings.Repeat("a", 252) + "@b": true,
		strings.Repeat("a", 253) + "@b": false, "": false, "@": false, "a@": false, "@b": false, "a@b@c": false,
		"a b@c":         false,
		"a@b\r\nBcc: x": false, "a\x00@b": false, "a\u00a0@b": false, "a\x7f@b": false, "a\xff@b": false,
	} {
		if got := isOperatorEmail(email); got != want {
			t.Errorf("isOperatorEmail(%q) = %v", email, got)
		}
	}
}

func TestResetPassword_endsSessionsLockoutAndOldPassword(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.newOperator("anna@shop.example", "old password")
		f.newOperator("boris@shop.example", "his password")
		token := f.mustSignIn("anna@shop.example", "old password")
		otherToken := f.mustSignIn("boris@shop.example", "his password")
		_, err := f.signInFrom(testNetwork, "anna@shop.example", "wrong")
		wantFault(f, err, fault.Unauthenticated, "invalid_login")

		prepared, err := f.PreparePassword(f.Context(), "new password")
		if err != nil {
			f.Fatal(err)
		}

		f.WriteUnscoped(func(q database.Querier) error {
			_, err := f.Operators.ResetPassword(f.Context(), q, " Anna@shop.example", prepared, false)
			return err
		})
		_, err = f.Sessions.Authenticate(f.Context(), token)
		wantFault(f, err, fault.Unauthenticated, "invalid_session")
		if _, err := f.Sessions.Authenticate(f.Context(), otherToken); err != nil {
			f.Errorf("another operator's session: %v", err)
		}

		f.mustSignIn("anna@shop.example", "new password")
		_, err = f.signInFrom(testNetwork, "anna@shop.example", "old password")
		wantFault(f, err, fault.Unauthenticated, "invalid_login")
	})
}

func TestResetPassword_refusesUnknownAddressesAndShortPasswords(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		err := f.DB.Write(f.Context(), func(q database.Querier) error {
			_, err := f.Operators.ResetPassword(f.Context(), q, "nobody@shop.example", PreparedPassword{hash: "x"},
				false)
			return err
		})
		wantFault(f, err, fault.NotFound, "not_found")
		if _, err := f.PreparePassword(f.Context(), "short"); fieldCodes(err)["password"] != "too_short" {
			f.Errorf("short: %v", err)
		}
	})
}

func TestProvision_createsOwnerAndOneKeyOfEachKind(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		for _, email := range []string{"", "Owner@shop.example"} {
			prepared, err := f.Operators.PrepareProvision(f.Context(), NewOwner{Email: email})
			if err != nil {
				f.Fatal(err)
			}

			// The first start of the program also creates the store in the same transaction.
			var provisioned ProvisionedStore
			f.WriteUnscoped(func(q database.Querier) error {
				shop, err := f.Stores.Create(f.Context(), q, store.Edit{})
				if err != nil {
					return err
				}
				provisioned, err = f.Operators.Provision(f.Context(), store.In(q, shop.ID), prepared)
				return err
			})
			for kind, token := range map[access.Kind]string{access.PublishableKey: provisioned.PublishableKey,
				access.SecretKey: provisioned.SecretKey, access.ExchangeToken: provisioned.ExchangeToken} {
				if p, err := f.keys.Authenticate(f.Context(), token); err != nil || p.Kind != kind ||
					p.Store.ID != provisioned.StoreID {
					f.Errorf("%s: %+v, %v", kind, p, err)
				}
			}

			in, err := f.signInFrom(testNetwork, provisioned.AdminEmail, provisioned.AdminPassword)
			p := in.Principal
			if err != nil || p.Operator.Role != access.Owner || p.Store.ID != provisioned.StoreID {
				f.Errorf("owner: %+v, %v", p, err)
			}

			if email != "" && provisioned.AdminEmail != "owner@shop.example" ||
				email == "" && !strings.HasSuffix(provisioned.AdminEmail, "@vitrine.localhost") {
				f.Errorf("address %s", provisioned.AdminEmail)
			}
		}
	})
}
