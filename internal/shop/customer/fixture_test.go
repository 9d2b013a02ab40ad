package customer

import (
	"errors"
	"regexp"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/storetest"
)

// fixture is a service with two stores. Its messages are stored in the mailbox.
type fixture struct {
	*storetest.Fixture
	*Service
	otherStore store.Store
}

// eachEngine runs fn with a fixture on each database engine.
func eachEngine(t *testing.T, fn func(f *fixture)) {
	t.Helper()
	storetest.Each(t, func(f *storetest.Fixture) {
		v, err := vault.ParseKey("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff")
		if err != nil {
			f.Fatal(err)
		}
		notifications := notify.New(notify.Deps{DB: f.DB, Vault: v, Now: f.Clock.Now})
		f = f.WithStore(f.NewStore(store.Edit{Name: new("North Shop")}))
		fn(&fixture{f, New(Deps{DB: f.DB, Stores: f.Stores, Notify: notifications, Vault: v, Now: f.Clock.Now,
			CodesPerHour: 5}), f.NewStore(store.Edit{})})
	})
}

func (f *fixture) requestLogin(address string) (login Login, err error) {
	err = f.TryWrite(func(tx store.Tx) (err error) {
		login, err = f.RequestLogin(f.Context(), tx, f.Store, address)
		return err
	})
	return login, err
}

var sixDigits = regexp.MustCompile(`\b\d{6}\b`)

// lastCode returns the code of the newest message in the mailbox.
func (f *fixture) lastCode() string {
	f.Helper()
	var messages []notify.StoredMessage
	f.Write(func(tx store.Tx) (err error) {
		messages, _, err = f.Notify.Mailbox(f.Context(), tx, 1, 0)
		return err
	})
	if len(messages) != 1 || !sixDigits.MatchString(messages[0].Text) {
		f.Fatalf("the mailbox contains %v, want one message with a code", messages)
	}
	return sixDigits.FindString(messages[0].Text)
}

// mustRequestLogin requests a login and returns it with the code that was sent.
func (f *fixture) mustRequestLogin(address string) (Login, string) {
	f.Helper()
	login, err := f.requestLogin(address)
	if err != nil {
		f.Fatal(err)
	}
	return login, f.lastCode()
}

// confirm checks a code and signs in with it, as a visitor who is not signed in.
func (f *fixture) confirm(storeID store.ID, loginID LoginID, code string) (Session, error) {
	return f.confirmAs(storeID, ID{}, loginID, code)
}

// confirmAs checks a code and signs in with it, as a customer who is already signed in.
func (f *fixture) confirmAs(storeID store.ID, signedIn ID, loginID LoginID, code string) (session Session, err error) {
	proof, err := f.CheckCode(f.Context(), storeID, loginID, code)
	if err != nil {
		return session, err
	}
	err = f.DB.Write(f.Context(), func(q database.Querier) (err error) {
		session, err = f.SignIn(f.Context(), store.In(q, storeID), signedIn, proof, nil)
		return err
	})
	return session, err
}

// mustSignIn requests a code for the address and signs in with it.
func (f *fixture) mustSignIn(address string) Session {
	f.Helper()
	login, code := f.mustRequestLogin(address)
	session, err := f.confirm(f.Store.ID, login.ID, code)
	if err != nil {
		f.Fatal(err)
	}
	return session
}

// expectFault fails the test if err is not a fault of this kind and code. It returns the fault's RetryAfter.
func (f *fixture) expectFault(err error, kind fault.Kind, code string) (wait time.Duration) {
	f.Helper()
	var got *fault.Error
	if !errors.As(err, &got) || got.Kind != kind || got.Code != code {
		f.Errorf("got %v, want %s", err, code)
		return 0
	}
	return got.RetryAfter
}

// wrongCode returns a code that differs from code.
func wrongCode(code string) string {
	if code == "000000" {
		return "000001"
	}
	return "000000"
}
