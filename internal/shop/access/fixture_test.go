package access

import (
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
)

// fixture is a service with a store and a manual clock.
type fixture struct {
	*Service
	t     *testing.T
	db    *database.DB
	clock *clock
	store store.Store
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
func eachEngine(t *testing.T, fn func(t *testing.T, f *fixture)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		t.Parallel()
		fn(t, newFixture(t, db, nil))
	})
}

func newFixture(t *testing.T, db *database.DB, log *slog.Logger) *fixture {
	t.Helper()
	c := &clock{now: time.Date(2026, 11, 14, 12, 0, 5, 987654321, time.UTC)}
	stores := store.New(store.Deps{DB: db, Now: c.Now})
	f := &fixture{Service: New(Deps{DB: db, Stores: stores, Now: c.Now, Log: log}), t: t, db: db, clock: c}
	f.store = f.newStore("Europe/Berlin")
	return f
}

func (f *fixture) newStore(timezone string) (created store.Store) {
	f.t.Helper()
	f.mustWrite(func(q database.Querier) (err error) {
		created, err = f.Stores.Create(f.t.Context(), q, store.Edit{Timezone: &timezone})
		return err
	})
	return created
}

func (f *fixture) mustWrite(fn func(q database.Querier) error) {
	f.t.Helper()
	if err := f.db.Write(f.t.Context(), fn); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) newKey(n NewKey) (key Key, token string) {
	f.t.Helper()
	f.mustWrite(func(q database.Querier) (err error) {
		key, token, err = f.CreateKey(f.t.Context(), store.In(q, f.store.ID), n)
		return err
	})
	return key, token
}

func (f *fixture) keys() (keys []Key) {
	f.t.Helper()
	f.mustWrite(func(q database.Querier) (err error) {
		keys, err = f.Keys(f.t.Context(), store.In(q, f.store.ID))
		return err
	})
	return keys
}

// newOperator creates an operator of the store with a cheap password hash.
func (f *fixture) newOperator(email, password string) (o Operator) {
	f.t.Helper()
	f.mustWrite(func(q database.Querier) (err error) {
		o, err = f.CreateOperator(f.t.Context(), store.In(q, f.store.ID),
			PreparedOperator{email: email, role: Owner, hash: f.cheapHash(password)})
		return err
	})
	return o
}

func (f *fixture) cheapHash(password string) string {
	return hashPassword(password, cheapCost(), [saltSize]byte{1})
}

func (f *fixture) mustSignIn(email, password string) string {
	f.t.Helper()
	token, _, err := f.SignIn(f.t.Context(), email, password)
	if err != nil {
		f.t.Fatal(err)
	}
	return token
}

// wantFault fails the test if err is not a fault of this kind and code. It returns the fault.
func wantFault(t *testing.T, err error, kind fault.Kind, code string) *fault.Error {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != kind || f.Code != code {
		t.Errorf("got %v, want kind %d, code %s", err, kind, code)
		return &fault.Error{}
	}
	return f
}

func fieldCodes(err error) map[string]string {
	codes := map[string]string{}
	var f *fault.Error
	if errors.As(err, &f) {
		for _, field := range f.Fields {
			codes[field.Field] = field.Code
		}
	}
	return codes
}
