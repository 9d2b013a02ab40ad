package customer

import (
	"errors"
	"regexp"
	"sync"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
)

// fixture is a service with two stores and a manual clock. Its messages end up in the mailbox.
type fixture struct {
	*Service
	t                 *testing.T
	clock             *clock
	store, otherStore store.Store
}

type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// eachEngine runs fn with a fixture on each database engine.
func eachEngine(t *testing.T, fn func(f *fixture)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		t.Parallel()
		c := &clock{now: time.Date(2026, 11, 14, 12, 0, 5, 987654321, time.UTC)}
		v, err := vault.ParseKey("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff")
		if err != nil {
			t.Fatal(err)
		}
		stores := store.New(store.Deps{DB: db, Now: c.Now})
		notifications := notify.New(notify.Deps{DB: db, Vault: v, Now: c.Now})
		f := &fixture{t: t, clock: c, Service: New(Deps{DB: db, Stores: stores, Notify: notifications, Vault: v,
			Now: c.Now, CodesPerHour: 5})}
		f.write(func(q database.Querier) (err error) {
			if f.store, err = stores.Create(t.Context(), q, store.Edit{Name: new("North Shop")}); err != nil {
				return err
			}
			f.otherStore, err = stores.Create(t.Context(), q, store.Edit{})
			return err
		})
		fn(f)
	})
}

func (f *fixture) write(fn func(q database.Querier) error) {
	f.t.Helper()
	if err := f.DB.Write(f.t.Context(), fn); err != nil {
		f.t.Fatal(err)
	}
}

// requestLogin requests a code.
func (f *fixture) requestLogin(address string) (login Login, err error) {
	err = f.DB.Write(f.t.Context(), func(q database.Querier) (err error) {
		login, err = f.RequestLogin(f.t.Context(), store.In(q, f.store.ID), f.store, address)
		return err
	})
	return login, err
}

var sixDigits = regexp.MustCompile(`\b\d{6}\b`)

// lastCode returns the code of the newest message in the mailbox.
func (f *fixture) lastCode() string {
	f.t.Helper()
	var messages []notify.StoredMessage
	f.write(func(q database.Querier) (err error) {
		messages, _, err = f.Notify.Mailbox(f.t.Context(), store.In(q, f.store.ID), 1, 0)
		return err
	})
	if len(messages) != 1 || !sixDigits.MatchString(messages[0].Text) {
		f.t.Fatalf("the mailbox contains %v, want one message with a code", messages)
	}
	return sixDigits.FindString(messages[0].Text)
}

// mustRequestLogin requests a code and returns it.
func (f *fixture) mustRequestLogin(address string) (Login, string) {
	f.t.Helper()
	login, err := f.requestLogin(address)
	if err != nil {
		f.t.Fatal(err)
	}
	return login, f.lastCode()
}

// confirm checks a code and signs in with it, as a visitor who is not signed in.
func (f *fixture) confirm(storeID store.ID, loginID LoginID, code string) (Session, error) {
	return f.confirmAs(storeID, ID{}, loginID, code)
}

// confirmAs checks a code and signs in with it, as a customer who is already signed in.
func (f *fixture) confirmAs(storeID store.ID, signedIn ID, loginID LoginID, code string) (session Session, err error) {
	proof, err := f.CheckCode(f.t.Context(), storeID, loginID, code)
	if err != nil {
		return session, err
	}
	err = f.DB.Write(f.t.Context(), func(q database.Querier) (err error) {
		session, err = f.SignIn(f.t.Context(), store.In(q, storeID), signedIn, proof)
		return err
	})
	return session, err
}

// mustSignIn requests a code for the address and signs in with it.
func (f *fixture) mustSignIn(address string) Session {
	f.t.Helper()
	login, code := f.mustRequestLogin(address)
	session, err := f.confirm(f.store.ID, login.ID, code)
	if err != nil {
		f.t.Fatal(err)
	}
	return session
}

// expectFault fails the test if err is not a fault of this kind and code. It returns the fault's RetryAfter.
func (f *fixture) expectFault(err error, kind fault.Kind, code string) (wait time.Duration) {
	f.t.Helper()
	var got *fault.Error
	if !errors.As(err, &got) || got.Kind != kind || got.Code != code {
		f.t.Errorf("got %v, want %s", err, code)
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
