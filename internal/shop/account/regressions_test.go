package account

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

// attack fails logins of an account, each from another network, until the account is locked for unknown networks.
func (f *fixture) attack(email string) {
	f.Helper()
	for i := range freeFailures + 2 {
		// signIn does not wait for minFailureTime.
		_, err := f.Sessions.signIn(f.Context(), Login{Email: email, Password: "wrong",
			Network: fmt.Sprintf("203.0.%d.0/24", i)})
		if fault.KindOf(err) == fault.TooMany {
			return
		}
		wantFault(f, err, fault.Unauthenticated, "invalid_login")
	}
	f.Fatal("the account is never locked for unknown networks")
}

// A stranger who sends wrong passwords without end keeps an operator out neither of a device that signed in before, nor
// of a network, nor of a session.
func TestM5_strangersCannotLockOutKnownDevice(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.newOperator("anna@shop.example", "password")
		first, err := f.signInFrom(testNetwork, "anna@shop.example", "password")
		if err != nil {
			f.Fatal(err)
		}

		f.attack("anna@shop.example")
		_, err = f.signInFrom("100.64.0.0/24", "anna@shop.example", "password")
		wantFault(f, err, fault.TooMany, "too_many_attempts") // an unknown network has to wait

		login := Login{Email: "anna@shop.example", Password: "password", Network: "100.64.0.0/24", Device: first.Device}
		again, err := f.Sessions.SignIn(f.Context(), login)
		if err != nil || again.Device != first.Device {
			f.Errorf("the known device in an unknown network: %v", err)
		}

		f.Clock.Advance(time.Minute)
		f.attack("anna@shop.example")

		if _, err := f.Sessions.SignIn(f.Context(), Login{Email: "anna@shop.example", Password: "password",
			Network: "100.64.1.0/24", Session: first.Session}); err != nil {
			f.Errorf("a live session: %v", err)
		}

		f.Clock.Advance(time.Minute)
		f.attack("anna@shop.example")

		if _, err := f.signInFrom("100.64.0.0/24", "anna@shop.example", "password"); err != nil {
			f.Errorf("the known network: %v", err)
		}

		f.Clock.Advance(time.Minute)
		f.attack("anna@shop.example")
		p, err := f.Sessions.Authenticate(f.Context(), first.Session)
		if err != nil {
			f.Fatal(err)
		}
		if err := f.Sessions.ConfirmPassword(f.Context(), p, "password", nil); err != nil {
			f.Errorf("the owner who is signed in cannot confirm the password: %v", err)
		}
	})
}

// A known device may not guess without limits, is of use only to its operator, and is forgotten with a new password.
func TestM5_deviceIsLimitedAndRevocable(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.newOperator("anna@shop.example", "password")
		f.newOperator("boris@shop.example", "password")
		in, err := f.signInFrom(testNetwork, "anna@shop.example", "password")
		if err != nil {
			f.Fatal(err)
		}

		wrong := Login{Email: "anna@shop.example", Password: "wrong", Network: "203.0.113.0/24", Device: in.Device}
		_, err = f.Sessions.SignIn(f.Context(), wrong)
		wantFault(f, err, fault.Unauthenticated, "invalid_login")
		_, err = f.Sessions.SignIn(f.Context(), wrong)
		wantFault(f, err, fault.TooMany, "too_many_attempts")
		f.Clock.Advance(time.Second)

		isKnown := func(email string) bool {
			account, err := f.Sessions.findAccount(f.Context(), Login{Email: email, Network: "203.0.113.0/24",
				Device: in.Device})
			if err != nil {
				f.Fatal(err)
			}
			return account.deviceKnown && account.lockouts.known
		}
		if !isKnown("anna@shop.example") || isKnown("boris@shop.example") {
			f.Error("the device is not known for its operator, or is known for another one")
		}

		f.Clock.Advance(DeviceLifetime)
		if isKnown("anna@shop.example") {
			f.Error("the device is still known after its lifetime")
		}

		f.Clock.Advance(-DeviceLifetime)
		f.WriteUnscoped(func(q database.Querier) error {
			_, err := f.Operators.ResetPassword(f.Context(), q, "anna@shop.example",
				PreparedPassword{f.cheapHash("another")},
				false)
			return err
		})

		if isKnown("anna@shop.example") {
			f.Error("the device is still known after the password was reset")
		}

		for range maxDevices + 3 {
			f.mustSignIn("boris@shop.example", "password")
		}

		if got := f.Count("account_devices"); got != maxDevices {
			f.Errorf("%d devices are stored, want %d", got, maxDevices)
		}

		f.Clock.Advance(DeviceLifetime)
		if err := f.deleteExpired(f.Context()); err != nil {
			f.Fatal(err)
		}
		if f.Count("account_devices") != 0 || f.Count("account_lockouts") != 0 {
			f.Error("expired devices or lockouts were not deleted")
		}
	})
}

func TestLockout_ofAccountStartsAfterFreeFailures(t *testing.T) {
	now := time.Now()
	l := loginLockouts{}
	for i := range 40 {
		l.source = loginLockout{} // each failure comes from another network
		l = l.afterFailure(now)
		want := time.Duration(0)
		if i >= freeFailures {
			want = min(time.Second<<(i-freeFailures), maxAccountLockout)
		}

		if got := max(0, l.account.lockedUntil.Sub(now)); got != want {
			t.Fatalf("failure %d locks the account for %v, want %v", i+1, got, want)
		}
	}

	known := loginLockouts{account: l.account, known: true}
	if err := known.check(now); err != nil || known.afterFailure(now).account != l.account {
		t.Errorf("the lockout of the account applies to a known source: %v", err)
	}
}

// A session alone may not make credentials. The password is asked again, and wrong ones are slowed down per session.
func TestM7_sessionAloneDoesNotConfirm(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.newOperator("anna@shop.example", "password")
		token := f.mustSignIn("anna@shop.example", "password")
		p, err := f.Sessions.Authenticate(f.Context(), token)
		if err != nil {
			f.Fatal(err)
		}

		wantFault(f, f.Sessions.ConfirmPassword(f.Context(), p, "", nil), fault.Denied, "password_required")
		wantFault(f, f.Sessions.ConfirmPassword(f.Context(), p, "wrong", nil), fault.Denied, "wrong_password")
		wantFault(f, f.Sessions.ConfirmPassword(f.Context(), p, "password", nil), fault.TooMany, "too_many_attempts")
		f.Clock.Advance(time.Second)

		if err := f.Sessions.ConfirmPassword(f.Context(), p, "password", nil); err != nil {
			f.Error(err)
		}
		if err := f.Sessions.ConfirmPassword(f.Context(), access.Principal{Kind: access.SecretKey}, "",
			nil); err != nil {
			f.Errorf("a secret key: %v", err)
		}

		renewed, _, err := f.Sessions.Renew(f.Context(), p)
		if err != nil {
			f.Fatal(err)
		}

		_, err = f.Sessions.Authenticate(f.Context(), token)
		wantFault(f, err, fault.Unauthenticated, "invalid_session")
		if _, err := f.Sessions.Authenticate(f.Context(), renewed); err != nil {
			f.Error(err)
		}
	})
}

func (f *fixture) invite(email string, role access.Role) (o access.Operator, token string) {
	f.Helper()
	f.Write(func(tx store.Tx) (err error) {
		o, token, err = f.Operators.Invite(f.Context(), tx, email, role)
		return err
	})
	return o, token
}

func (f *fixture) accept(token, password string) error {
	return f.DB.Write(f.Context(), func(q database.Querier) error {
		_, err := f.Operators.AcceptInvitation(f.Context(), q, token, PreparedPassword{f.cheapHash(password)})
		return err
	})
}

func (f *fixture) edit(o access.Operator, edit OperatorEdit) error {
	return f.DB.Write(f.Context(), func(q database.Querier) error {
		_, err := f.Operators.Edit(f.Context(), store.In(q, f.Store.ID), o.ID, edit, nil)
		return err
	})
}

func (f *fixture) remove(o access.Operator) error {
	return f.DB.Write(f.Context(), func(q database.Querier) error {
		return f.Operators.Remove(f.Context(), store.In(q, f.Store.ID), o.ID, nil)
	})
}

func TestL6_invitationIsAcceptedOnce(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		o, replaced := f.invite(" Boris@shop.example", access.Viewer)
		if !o.Invited || o.Active() || o.Email != "boris@shop.example" {
			f.Errorf("the invited operator is %+v", o)
		}

		_, err := f.signInFrom(testNetwork, "boris@shop.example", "")
		wantFault(f, err, fault.Unauthenticated, "invalid_login")
		again, token := f.invite("boris@shop.example", access.Manager)
		if again.ID != o.ID || again.Role != access.Manager {
			f.Errorf("the second invitation made %+v", again)
		}

		for _, bad := range []string{replaced, "", "oi_x", access.NewToken(access.OperatorInvitation)} {
			wantFault(f, f.accept(bad, "password"), fault.NotFound, "invalid_invitation")
		}

		f.Clock.Advance(InvitationLifetime)
		wantFault(f, f.accept(token, "password"), fault.NotFound, "invalid_invitation")
		f.Clock.Advance(-time.Second)

		if found, err := f.Operators.Invitation(f.Context(), token); err != nil || found.Email != "boris@shop.example" {
			f.Errorf("the invitation is %+v, %v", found, err)
		}
		if err := f.accept(token, "password"); err != nil {
			f.Fatal(err)
		}

		wantFault(f, f.accept(token, "password"), fault.NotFound, "invalid_invitation")
		f.Clock.Advance(time.Second)
		f.mustSignIn("boris@shop.example", "password")

		err = f.DB.Write(f.Context(), func(q database.Querier) error {
			_, _, err := f.Operators.Invite(f.Context(), store.In(q, f.Store.ID), "boris@shop.example", access.Owner)
			return err
		})
		if fieldCodes(err)["email"] != "taken" {
			f.Errorf("inviting an operator who has a password: %v", err)
		}
	})
}

func TestL6_lastOwnerStays(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		anna := f.newOperator("anna@shop.example", "password")
		boris := f.newOperator("boris@shop.example", "password")
		f.invite("invited@shop.example", access.Owner) // one who cannot sign in yet does not count

		// Concurrent demotions of the only two owners: one of them fails.
		var wait sync.WaitGroup
		errs := make([]error, 2)
		for i, o := range []access.Operator{anna, boris} {
			wait.Go(func() { errs[i] = f.edit(o, OperatorEdit{Role: new(access.Viewer)}) })
		}

		wait.Wait()
		last := anna
		if errs[1] != nil {
			last = boris
			errs[0], errs[1] = errs[1], errs[0]
		}

		if errs[1] != nil {
			f.Fatalf("both were refused: %v, %v", errs[0], errs[1])
		}

		wantFault(f, errs[0], fault.Conflict, "last_owner")

		for what, err := range map[string]error{
			"demoted":  f.edit(last, OperatorEdit{Role: new(access.Manager)}),
			"disabled": f.edit(last, OperatorEdit{Enabled: new(false)}),
			"removed":  f.remove(last),
		} {
			if fault.KindOf(err) != fault.Conflict {
				f.Errorf("the last owner was %s: %v", what, err)
			}
		}

		if err := f.edit(last, OperatorEdit{Role: new(access.Owner), Enabled: new(true)}); err != nil {
			f.Errorf("an edit that changes nothing: %v", err)
		}
	})
}

func TestL6_sessionsEndWithTheOperator(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.newOperator("owner@shop.example", "password")
		anna := f.newOperator("anna@shop.example", "password")
		wantEnded := func(what, token string) {
			f.Helper()
			if _, err := f.Sessions.Authenticate(f.Context(), token); fault.KindOf(err) != fault.Unauthenticated {
				f.Errorf("after the operator was %s the session still works: %v", what, err)
			}
		}
		token := f.mustSignIn("anna@shop.example", "password")
		if err := f.edit(anna, OperatorEdit{Enabled: new(false)}); err != nil {
			f.Fatal(err)
		}

		wantEnded("disabled", token)
		_, err := f.signInFrom(testNetwork, "anna@shop.example", "password")
		wantFault(f, err, fault.Unauthenticated, "invalid_login")
		if err := f.edit(anna, OperatorEdit{Enabled: new(true)}); err != nil {
			f.Fatal(err)
		}

		f.Clock.Advance(time.Second)
		token = f.mustSignIn("anna@shop.example", "password")
		other := f.mustSignIn("anna@shop.example", "password")

		p, err := f.Sessions.Authenticate(f.Context(), token)
		if err != nil {
			f.Fatal(err)
		}

		f.Write(func(tx store.Tx) error {
			_, err := f.Profiles.Edit(f.Context(), tx, p,
				ProfileEdit{Password: &PreparedPassword{f.cheapHash("changed password")}}, nil)
			return err
		})
		wantEnded("given a new password", other)

		if _, err := f.Sessions.Authenticate(f.Context(), token); err != nil {
			f.Errorf("the session that changed the password ended: %v", err)
		}

		token = f.mustSignIn("anna@shop.example", "changed password")
		if err := f.remove(anna); err != nil {
			f.Fatal(err)
		}

		wantEnded("removed", token)
	})
}

// A credential may manage only operators who may do no more than itself.
func TestL6_keyCannotGrantMoreThanItHas(t *testing.T) {
	all := access.Principal{Kind: access.SecretKey, Scopes: access.Scopes{access.Everything}}
	some := access.Principal{Kind: access.SecretKey, Scopes: access.Scopes{access.OperatorsManage}}
	for _, role := range []access.Role{access.Owner, access.Manager, access.Viewer} {
		if err := all.MayGrant(role); err != nil {
			t.Error(err)
		}
		wantFault(t, some.MayGrant(role), fault.Denied, "scope_exceeded")
	}
	reader := access.Principal{Kind: access.SecretKey, Scopes: access.Scopes{access.CatalogRead,
		access.CustomersRead, access.InquiriesRead, access.OperatorsManage,
		access.OrdersRead, access.StoreRead, access.WebhooksRead}}
	if reader.MayGrant(access.Viewer) != nil || reader.MayGrant(access.Manager) == nil {
		t.Error("a key that may read everything can manage viewers and nobody else")
	}
}
