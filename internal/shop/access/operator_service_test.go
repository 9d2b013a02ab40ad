package access

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/store"
)

func TestCreateOperator_normalizesAddressAndAllowsSignIn(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		prepared, err := f.PrepareOperator(t.Context(),
			NewOperator{Email: " Anna@Shop.Example\n", Role: Manager, Password: "correct horse"})
		if err != nil {
			t.Fatal(err)
		}
		var created Operator
		var list []Operator
		f.mustWrite(func(q database.Querier) (err error) {
			if created, err = f.CreateOperator(t.Context(), store.In(q, f.store.ID), prepared); err != nil {
				return err
			}
			list, err = f.Operators(t.Context(), store.In(q, f.store.ID))
			return err
		})
		now := f.clock.Now().Truncate(time.Microsecond)
		want := Operator{ID: created.ID, StoreID: f.store.ID, Email: "anna@shop.example", Role: Manager, CreatedAt: now,
			UpdatedAt: now}
		if diff := cmp.Diff([]Operator{want, want}, append(list, created)); diff != "" {
			t.Error(diff)
		}
		_, p, err := f.SignIn(t.Context(), "ANNA@shop.example ", "correct horse")
		if err != nil || *p.Operator != want || p.Kind != OperatorSession || p.Store.ID != f.store.ID ||
			p.May(KeysManage) || !p.May(CatalogWrite) {
			t.Errorf("signed in as %+v, %v", p, err)
		}
	})
}

func TestCreateOperator_refusesAddressUsedInAnyStore(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		f.newOperator("anna@shop.example", "password")
		other := f.newStore("UTC")
		for _, storeID := range []store.ID{f.store.ID, other.ID} {
			err := f.db.Write(t.Context(), func(q database.Querier) error {
				_, err := f.CreateOperator(t.Context(), store.In(q, storeID),
					PreparedOperator{email: "anna@shop.example", role: Viewer, hash: "x"})
				return err
			})
			if fieldCodes(err)["email"] != "taken" {
				t.Errorf("got %v, want taken", err)
			}
		}
		err := f.db.Write(t.Context(), func(q database.Querier) error {
			_, err := f.CreateOperator(t.Context(), store.In(q, id.New[store.Store]()),
				PreparedOperator{email: "b@shop.example", role: Viewer, hash: "x"})
			return err
		})
		wantFault(t, err, fault.NotFound, "not_found")
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
		if got := isEmail(email); got != want {
			t.Errorf("isEmail(%q) = %v", email, got)
		}
	}
}

func TestResetPassword_endsSessionsLockoutAndOldPassword(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		f.newOperator("anna@shop.example", "old password")
		f.newOperator("boris@shop.example", "his password")
		token, otherToken := f.mustSignIn("anna@shop.example", "old password"),
			f.mustSignIn("boris@shop.example", "his password")
		_, _, err := f.SignIn(t.Context(), "anna@shop.example", "wrong")
		wantFault(t, err, fault.Unauthenticated, "invalid_login")

		prepared, err := f.PreparePassword(t.Context(), "new password")
		if err != nil {
			t.Fatal(err)
		}
		f.mustWrite(func(q database.Querier) error {
			_, err := f.ResetPassword(t.Context(), q, " Anna@shop.example", prepared)
			return err
		})
		_, err = f.Session(t.Context(), token)
		wantFault(t, err, fault.Unauthenticated, "invalid_session")
		if _, err := f.Session(t.Context(), otherToken); err != nil {
			t.Errorf("another operator's session: %v", err)
		}
		f.mustSignIn("anna@shop.example", "new password")
		_, _, err = f.SignIn(t.Context(), "anna@shop.example", "old password")
		wantFault(t, err, fault.Unauthenticated, "invalid_login")
	})
}

func TestResetPassword_refusesUnknownAddressesAndShortPasswords(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		err := f.db.Write(t.Context(), func(q database.Querier) error {
			_, err := f.ResetPassword(t.Context(), q, "nobody@shop.example", PreparedPassword{hash: "x"})
			return err
		})
		wantFault(t, err, fault.NotFound, "not_found")
		if _, err := f.PreparePassword(t.Context(), "short"); fieldCodes(err)["password"] != "too_short" {
			t.Errorf("short: %v", err)
		}
	})
}

func TestProvision_createsOwnerAndOneKeyOfEachKind(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		for _, email := range []string{"", "Owner@shop.example"} {
			prepared, err := f.PrepareProvision(t.Context(), email)
			if err != nil {
				t.Fatal(err)
			}
			// The first start of the program also creates the store in the same transaction.
			var provisioned Provisioned
			f.mustWrite(func(q database.Querier) error {
				shop, err := f.Stores.Create(t.Context(), q, store.Edit{})
				if err != nil {
					return err
				}
				provisioned, err = f.Provision(t.Context(), store.In(q, shop.ID), prepared)
				return err
			})
			for kind, token := range map[Kind]string{PublishableKey: provisioned.PublishableKey,
				SecretKey: provisioned.SecretKey, ExchangeToken: provisioned.ExchangeToken} {
				if p, err := f.Authenticate(t.Context(), token); err != nil || p.Kind != kind ||
					p.Store.ID != provisioned.StoreID {
					t.Errorf("%s: %+v, %v", kind, p, err)
				}
			}
			_, p, err := f.SignIn(t.Context(), provisioned.AdminEmail, provisioned.AdminPassword)
			if err != nil || p.Operator.Role != Owner || p.Store.ID != provisioned.StoreID {
				t.Errorf("owner: %+v, %v", p, err)
			}
			if email != "" && provisioned.AdminEmail != "owner@shop.example" ||
				email == "" && !strings.HasSuffix(provisioned.AdminEmail, "@vitrine.localhost") {
				t.Errorf("address %s", provisioned.AdminEmail)
			}
		}
	})
}
