// Package storetest provides tests with a store in a fresh database and with a clock that the test moves. It is for
// tests only.
//
// The fixtures of the packages under shop embed a Fixture and add the service under test:
//
//	type fixture struct {
//		*storetest.Fixture
//		*Service
//	}
//
//	func eachEngine(t *testing.T, fn func(s *fixture)) {
//		storetest.Each(t, func(f *storetest.Fixture) {
//			fn(&fixture{f, New(Deps{DB: f.DB, Now: f.Clock.Now})})
//		})
//	}
//
// The package imports nothing of shop but store, so that the internal tests of every other package can use it.
package storetest

import (
	"context"
	"sync"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
)

// Fixture is a test with a store in a database. Its methods end the test when they fail, except those whose names begin
// with Try, which any goroutine may call.
type Fixture struct {
	testing.TB
	DB     *database.DB
	Clock  *Clock
	Stores *store.Service
	Store  store.Store
}

// Each calls t.Parallel and runs fn with a new Fixture as a parallel subtest, which bears the name of its engine: the
// one that databasetest.SampledEngines chooses. So every package runs on both, and in `make thorough` every test.
func Each(t *testing.T, fn func(f *Fixture)) {
	t.Helper()
	each(t, databasetest.SampledEngines(t), fn)
}

// EachEngine is Each on both engines, for packages whose subject is what differs between them.
func EachEngine(t *testing.T, fn func(f *Fixture)) {
	t.Helper()
	each(t, databasetest.Engines(), fn)
}

func each(t *testing.T, engines []string, fn func(f *Fixture)) {
	t.Helper()
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			fn(Open(t, engine))
		})
	}
}

// Open returns a Fixture in a database that has no other rows (databasetest.OpenReused).
func Open(tb testing.TB, engine string) *Fixture {
	tb.Helper()
	return New(tb, databasetest.OpenReused(tb, engine))
}

// New returns a Fixture with a new store in db.
func New(tb testing.TB, db *database.DB) *Fixture {
	tb.Helper()
	f := &Fixture{TB: tb, DB: db, Clock: NewClock(StartTime)}
	f.Stores = store.New(store.Deps{DB: db, Now: f.Clock.Now})
	f.Store = f.NewStore(store.Edit{})
	return f
}

// NewStore creates another store in the database.
func (f *Fixture) NewStore(e store.Edit) (created store.Store) {
	f.Helper()
	f.WriteUnscoped(func(q database.Querier) (err error) {
		created, err = f.Stores.Create(f.Context(), q, e)
		return err
	})
	return created
}

// WithStore returns a copy that works with another store of the same database.
func (f *Fixture) WithStore(other store.Store) *Fixture {
	c := *f
	c.Store = other
	return &c
}

// Subtest runs fn as a subtest with the same database and store. It does not run in parallel with others.
func (f *Fixture) Subtest(name string, fn func(f *Fixture)) {
	f.Helper()
	f.TB.(*testing.T).Run(name, func(t *testing.T) {
		c := *f
		c.TB = t
		fn(&c)
	})
}

// Write runs fn in a transaction on behalf of the store.
func (f *Fixture) Write(fn func(tx store.Tx) error) {
	f.Helper()
	if err := f.TryWrite(fn); err != nil {
		f.Fatal(err)
	}
}

// TryWrite is like Write but returns the error instead of ending the test.
func (f *Fixture) TryWrite(fn func(tx store.Tx) error) error {
	ctx := database.WithOwner(f.Context(), f.Store.ID)
	return f.DB.Write(ctx, func(q database.Querier) error { return fn(store.In(q, f.Store.ID)) })
}

// WriteUnscoped runs fn in a transaction that belongs to no store.
func (f *Fixture) WriteUnscoped(fn func(q database.Querier) error) {
	f.Helper()
	if err := f.DB.Write(f.Context(), fn); err != nil {
		f.Fatal(err)
	}
}

// Read runs fn on behalf of the store in a snapshot: all statements see the same state.
func (f *Fixture) Read(fn func(tx store.Tx) error) {
	f.Helper()
	if err := f.TryRead(fn); err != nil {
		f.Fatal(err)
	}
}

// TryRead is like Read but returns the error instead of ending the test.
func (f *Fixture) TryRead(fn func(tx store.Tx) error) error {
	return f.DB.Snapshot(f.Context(), func(q database.Querier) error { return fn(store.In(q, f.Store.ID)) })
}

// Exec runs a statement that is not limited to the Fixture's store.
func (f *Fixture) Exec(sql string, args ...any) {
	f.Helper()
	f.WriteUnscoped(func(q database.Querier) error {
		_, err := q.Exec(f.Context(), sql, args...)
		return err
	})
}

// Count returns the number of rows in a table, for all stores. table may contain further clauses of the query, such as
// WHERE.
func (f *Fixture) Count(table string, args ...any) (n int64) {
	f.Helper()
	f.Read(func(tx store.Tx) error {
		return database.QueryRow(f.Context(), tx.Unscoped(), "SELECT COUNT(*) FROM "+table, args, &n)
	})
	return n
}

// Texts returns the first column of the rows that a query selects, for all stores.
func (f *Fixture) Texts(sql string, args ...any) (list []string) {
	f.Helper()
	f.Read(func(tx store.Tx) error {
		list = nil
		return database.QueryEach(f.Context(), tx.Unscoped(), sql, args, database.AppendColumn(&list))
	})
	return list
}

// Eventually calls the function Eventually with this test.
func (f *Fixture) Eventually(what string, ok func() bool) {
	f.Helper()
	Eventually(f.TB, what, ok)
}

// Start runs a worker in the background, until stop is called or the test ends. The test fails if run returns an error.
func (f *Fixture) Start(run func(context.Context) error) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(f.Context()))
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	stop = sync.OnceFunc(func() {
		f.Helper()
		cancel()
		if err := <-ended; err != nil {
			f.Error(err)
		}
	})
	f.Cleanup(stop)
	return stop
}
