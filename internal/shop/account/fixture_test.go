package account

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/storetest"
)

// fixture is a store with the use cases of the package.
type fixture struct {
	*storetest.Fixture
	*Service
	keys *access.Service
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
	keys := access.New(access.Deps{DB: f.DB, Stores: f.Stores, Now: f.Clock.Now, Log: log})
	accounts := New(Deps{DB: f.DB, Stores: f.Stores, Keys: keys, Vault: testVault(f), Now: f.Clock.Now, Log: log,
		WeakHashes: true})
	return &fixture{f, accounts, keys}
}

// testVault returns a vault with a constant key.
func testVault(t testing.TB) *vault.Vault {
	t.Helper()
	v, err := vault.ParseKey(strings.Repeat("0f", vault.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// runUntilStopped calls run with an ended context, so that it makes only its final flush.
func (f *fixture) runUntilStopped(run func(context.Context) error) {
	f.Helper()
	ctx, stop := context.WithCancel(f.Context())
	stop()
	if err := run(ctx); err != nil {
		f.Error(err)
	}
}

// newOperator creates an operator of the store with a cheap password hash.
func (f *fixture) newOperator(email, password string) (o access.Operator) {
	f.Helper()
	f.Write(func(tx store.Tx) (err error) {
		created, err := f.Operators.Create(f.Context(), tx,
			PreparedOperator{email: email, role: access.Owner, hash: f.cheapHash(password)})
		o = created.Operator
		return err
	})
	return o
}

func (f *fixture) cheapHash(password string) string {
	return hashPassword(password, cheapCost(), [saltSize]byte{1})
}

func (f *fixture) mustSignIn(email, password string) string {
	f.Helper()
	in, err := f.signInFrom(testNetwork, email, password)
	if err != nil {
		f.Fatal(err)
	}
	return in.Session
}

// testNetwork is the network from which the tests sign in.
const testNetwork = "198.51.100.0/24"

// signInFrom signs in from a network, on an unknown device.
func (f *fixture) signInFrom(network, email, password string) (SignedIn, error) {
	return f.Sessions.SignIn(f.Context(), Login{Email: email, Password: password, Network: network})
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
