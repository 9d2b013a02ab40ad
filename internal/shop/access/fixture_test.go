package access

import (
	"errors"
	"log/slog"
	"testing"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/storetest"
)

// fixture is a service with a store.
type fixture struct {
	*storetest.Fixture
	*Service
}

// Log calls the Log method of testing.TB, which the logger of the embedded Service would hide.
func (f *fixture) Log(args ...any) { f.TB.Log(args...) }

// eachEngine runs fn with a fixture on each database engine.
func eachEngine(t *testing.T, fn func(f *fixture)) {
	t.Helper()
	storetest.Each(t, func(f *storetest.Fixture) { fn(newFixture(f, nil)) })
}

func newFixture(f *storetest.Fixture, log *slog.Logger) *fixture {
	f = f.WithStore(f.NewStore(store.Edit{Timezone: new("Europe/Berlin")}))
	return &fixture{f, New(Deps{DB: f.DB, Stores: f.Stores, Now: f.Clock.Now, Log: log})}
}

func (f *fixture) newKey(n NewKey) (key Key, token string) {
	f.Helper()
	f.Write(func(tx store.Tx) (err error) {
		key, token, err = f.CreateKey(f.Context(), tx, n)
		return err
	})
	return key, token
}

func (f *fixture) keys() (keys []Key) {
	f.Helper()
	f.Write(func(tx store.Tx) (err error) {
		keys, err = f.Keys(f.Context(), tx)
		return err
	})
	return keys
}

// wantFault fails the test if err is not a fault of this kind and code. It returns the fault.
func wantFault(t testing.TB, err error, kind fault.Kind, code string) *fault.Error {
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
