package exchange

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/storetest"
)

// withConcurrentWrites runs fn while other clients write without a pause, each at most the given number of times.
func (s *fixture) withConcurrentWrites(times int, fn func()) {
	s.Helper()
	other := s.WithStore(s.NewStore(store.Edit{}))
	ctx, stop := context.WithCancel(s.Context())
	var clients sync.WaitGroup

	for range 4 {
		clients.Go(func() {
			for n := 0; n < times && ctx.Err() == nil; n++ {
				if err := other.TryWrite(func(tx store.Tx) error { return touchRuns(s.Context(), tx) }); err != nil {
					s.Errorf("a write of another store: %v", err)
					return
				}
			}
		})
	}

	fn()
	stop()
	clients.Wait()
}

// touchRuns executes a write that changes nothing.
func touchRuns(ctx context.Context, tx store.Tx) error {
	return database.Exec(ctx, tx, "UPDATE exchange_runs SET received = received WHERE store_id = $1")
}

// impatient makes a whole push give way to every other write, and give up after the first attempt.
func (s *fixture) impatient() {
	s.Pushes.yielding = database.Yielding{Patience: database.Patience{Owner: time.Hour, Background: time.Hour},
		Attempts: 1}
}

// manyProducts returns a body of NDJSON for more products than a batch has.
func manyProducts(more ...string) string {
	var body strings.Builder
	for i := range 2*batchItems + 10 {
		fmt.Fprintf(&body, "{\"id\": %d, \"name\": \"Product %d\", \"single_variant\": true, \"variant_price\": 1}\n",
			i, i)
	}
	return body.String() + strings.Join(more, "\n")
}

// An atomic push stopped the writes of all stores on SQLite until it ended. Now it gives way to them, and is refused if
// it has to do so at every attempt.
func TestM2_atomicPushGivesWayToOtherStores(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.impatient()

		s.withConcurrentWrites(1e9, func() {
			run, err := s.tryPush(Products, manyProducts(), ndjson, atomic)
			if s.DB.Engine() == database.Postgres {
				if err != nil || run.Created != 2*batchItems+10 {
					s.Errorf("on PostgreSQL nobody waits for the push, but it returned %v, %s", err, s.countsText(run))
				}
				return
			}

			s.wantFault(run, err, "atomic_too_large")
			if _, got, _ := strings.Cut(s.countsText(run), ": "); got != "+0 ~0 =0 !0 ?0" {
				s.Errorf("the counts are %q", got)
			}
			if n := s.Count("products"); n != 0 {
				s.Errorf("%d products were created, want none", n)
			}
		})

		s.push(Products, manyProducts(), ndjson, atomic)
		if n := s.Count("products"); n != 2*batchItems+10 {
			s.Errorf("without other writes %d products were created, want all", n)
		}
	})
}

// A push that gave way is tried again, and applied once.
func TestM2_atomicPushIsAppliedWhenOtherWritesPause(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.Pushes.yielding.Patience.Others = 0
		s.Pushes.yielding.FirstPause = time.Millisecond
		s.withConcurrentWrites(200, func() {
			s.wantCounts("2010: +2010 ~0 =0 !0 ?0", Products, manyProducts(), ndjson, atomic)
		})
		s.wantCounts("2010: +0 ~0 =2010 !0 ?0", Products, manyProducts(), ndjson)
	})
}

// Writes of the same store wait longer, so that a busy shop can push, too.
func TestM2_atomicPushDoesNotGiveWayToItsOwnStoreAtOnce(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.impatient()
		stop, stopped := make(chan struct{}), make(chan error)

		go func() {
			var err error
			for err == nil {
				select {
				case <-stop:
					stopped <- nil
					return
				default:
					err = s.TryWrite(func(tx store.Tx) error { return touchRuns(s.Context(), tx) })
				}
			}

			stopped <- err
		}()

		s.wantCounts("2010: +2010 ~0 =0 !0 ?0", Products, manyProducts(), ndjson, atomic)
		close(stop)

		if err := <-stopped; err != nil {
			s.Error(err)
		}
	})
}

// The results of a push that gave way are those of a push that did not.
func TestM2_atomicPushThatGivesWayReportsTheSame(t *testing.T) {
	for name, c := range map[string]struct {
		body    string
		options []paramOption
	}{
		"rejected":         {manyProducts(`{"id": "bad"}`, `{"id": 1, "name": ""}`, `{`), []paramOption{atomic}},
		"rejected dry run": {manyProducts(`{"id": "bad"}`), []paramOption{atomic, dryRun}},
		"dry run": {manyProducts(`{"id": "w", "name": "w", "categories": [1]}`),
			[]paramOption{atomic, dryRun}},
		"dry run, archives": {manyProducts(), []paramOption{atomic, dryRun, archiveMissing}},
		"archives too many": {manyProducts(), []paramOption{atomic, dryRun, archiveMissing, maxShare(0)}},
	} {
		t.Run(name, func(t *testing.T) {
			eachEngine(t, func(s *fixture) {
				s.push(Products, payload(`{"id": "old", "name": "Old"}`, `{"id": 1, "name": "Changed"}`))
				state := s.CatalogState()
				options := append(c.options, ndjson)
				describe := func() string {
					run, err := s.tryPush(Products, c.body, options...)
					return fmt.Sprint(err, "\n", run.Status, s.countsText(run), run.Archived, s.notesText(run),
						s.rejects(run))
				}
				want := describe()
				s.Pushes.yielding.Patience.Others = 0
				s.Pushes.yielding.FirstPause = time.Millisecond
				s.withConcurrentWrites(200, func() {
					if got := describe(); got != want {
						s.Errorf("with other writes the push reports\n%s\nwant\n%s", got, want)
					}
				})

				if got := s.CatalogState(); got != state {
					s.Errorf("the catalogue has changed to\n%s", got)
				}
			})
		})
	}
}

// A later item of a push may depend on an earlier one of another batch: here on the name of a new product.
func TestM2_atomicPushWithDependentItemsIsNotRejected(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.Pushes.yielding.Patience.Others = 0
		s.Pushes.yielding.FirstPause = time.Millisecond
		s.withConcurrentWrites(200, func() {
			run := s.push(Products, manyProducts(`{"id": 1, "description": "Later"}`), ndjson, atomic)
			if got := s.countsText(run); got != "2011: +2010 ~1 =0 !0 ?1" {
				s.Errorf("the counts are %q; notes: %s", got, s.notesText(run))
			}
		})
	})
}

// Each push to a store that waited for another one held a connection, so that a few of them left none for other stores.
func TestM2_waitingPushesHoldNoConnection(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		const pushes = 40 // more than there are connections
		unlock, err := s.Pushes.storeLocks.lock(s.Context(), s.Store.ID)
		if err != nil {
			s.Fatal(err)
		}

		var all sync.WaitGroup
		for i := range pushes {
			all.Go(func() {
				options := []paramOption{atomic}[:i%2]
				if _, err := s.tryPush(Stocks, payload(`{"id": 1, "name": "Main"}`), options...); err != nil {
					s.Errorf("push %d: %v", i, err)
				}
			})
		}

		storetest.Eventually(s.TB, "all pushes wait for the lock", func() bool {
			s.Pushes.storeLocks.mu.Lock()
			defer s.Pushes.storeLocks.mu.Unlock()
			return s.Pushes.storeLocks.locks[s.Store.ID].users == pushes+1
		})
		other := s.WithStore(s.NewStore(store.Edit{}))
		other.Write(func(tx store.Tx) error { return touchRuns(s.Context(), tx) })
		unlock()
		all.Wait()

		if n := s.Count("stocks"); n != 1 {
			s.Errorf("%d stocks were created, want 1", n)
		}
		if len(s.Pushes.storeLocks.locks) != 0 {
			s.Errorf("%d locks are left behind", len(s.Pushes.storeLocks.locks))
		}
	})
}
