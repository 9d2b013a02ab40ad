package onec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/memory"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

// fixture is a Service with a store and its exchange token. Its clock follows the real time, and it records all files.
type fixture struct {
	*storetest.Fixture
	*Service
	keys       *access.Service
	credential access.KeyID
	// forgets says that importFiles deletes the recordings of the store.
	forgets bool
}

// eachEngine runs fn with a new fixture on each database engine.
func eachEngine(t *testing.T, fn func(s *fixture)) {
	t.Helper()
	storetest.Each(t, func(f *storetest.Fixture) { fn(newFixture(f)) })
}

func newFixture(f *storetest.Fixture) *fixture {
	f.Helper()
	f.Clock.FollowRealTime()
	log := slog.New(slog.DiscardHandler)
	now := f.Clock.Now
	keys := access.New(access.Deps{DB: f.DB, Stores: f.Stores, Now: now, Log: log})
	q := queue.New(queue.Deps{DB: f.DB, Now: now, Log: log})
	gate := exchange.New(exchange.Deps{
		DB: f.DB, Catalog: catalog.New(catalog.Deps{Now: now}), Access: keys, Stores: f.Stores, Importer: Importer(),
		Events: event.New(event.Deps{Now: now}), Queue: q, Now: now, Log: log, Retention: time.Hour,
		SpoolDir: f.TempDir(),
	})
	q.Register(gate.Pushes.Kind())

	s := &fixture{Fixture: f, keys: keys, Service: New(Deps{
		DB: f.DB, Stores: f.Stores, Exchange: gate, Queue: q, Now: now, Log: log})}
	s.leastRecorded = 1
	s.createStore()
	return s
}

// createStore creates a store with an exchange token. The fixture then uses this store.
func (s *fixture) createStore() {
	s.Helper()
	s.Fixture = s.WithStore(s.NewStore(store.Edit{}))
	s.Write(func(tx store.Tx) error {
		key, _, err := s.keys.CreateKey(s.Context(), tx, access.NewKey{Kind: access.ExchangeToken, Name: "test"})
		s.credential = key.ID
		return err
	})
}

// setQueue gives files and pushes another queue.
func (s *fixture) setQueue(q *queue.Queue) {
	s.Queue = q
	s.Exchange.Queue = q
}

func (s *fixture) login(name string) Login {
	return Login{Store: s.Store.ID, Credential: s.credential, Login: []byte(name), Kind: "catalog"}
}

// push pushes a document and requires that the run is completed.
func (s *fixture) push(entity, body string) {
	s.Helper()
	params := exchange.Params{Entity: entity, Format: item.JSON, Credential: s.credential}
	run, err := s.Exchange.Pushes.Push(s.Context(), s.Store.ID, params, io.NopCloser(strings.NewReader(body)))
	if err != nil || run.Status != exchange.Completed {
		s.Fatalf("push of %s: the run is %s: %v", entity, run.Status, err)
	}
}

// payload returns the JSON document of a push with these items.
func payload(items ...string) string { return `{"payload": [` + strings.Join(items, ",") + `]}` }

// limitSpool limits the bytes that wait to be applied.
func (s *fixture) limitSpool(limit int64) {
	s.Exchange.SpoolShare = memory.NewShare("spool", "large request bodies", limit)
}

// spoolRandom spools a push of random bytes, which cannot be compressed and are no JSON.
func (s *fixture) spoolRandom(size int) error {
	body := io.LimitReader(rand.NewChaCha8([32]byte{1}), int64(size))
	params := exchange.Params{Entity: exchange.Stocks, Format: item.JSON, Credential: s.credential}
	_, err := s.Exchange.Pushes.Spool(s.Context(), s.Store.ID, params, body)
	return err
}

// wantKind checks the kind and the code of a fault, and that the client is told when to retry.
func (s *fixture) wantKind(err error, kind fault.Kind, code string) {
	s.Helper()
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind != kind || f.Code != code || f.RetryAfter == 0 {
		s.Errorf("the request returned %v, want %s", err, code)
	}
}

func (s *fixture) queryInt(sql string, args ...any) (n int64) {
	s.Helper()
	s.Read(func(tx store.Tx) error { return database.QueryRow(s.Context(), tx.Unscoped(), sql, args, &n) })
	return n
}

// failJobs gives the service a queue whose jobs have the fault that is set. They are retried at once.
func (s *fixture) failJobs() (set func(*databasetest.StatementFault)) {
	var current atomic.Pointer[databasetest.StatementFault]
	current.Store(databasetest.FailStatement(0))
	s.setQueue(queue.New(queue.Deps{DB: s.DB, Now: s.Clock.Now, Log: s.Service.Log}))
	runs, files := s.Exchange.Pushes.Kind(), s.Kind()
	applyRun, importFile := runs.Run, files.Run
	runs.Run = func(ctx context.Context, t *queue.TaskOf[exchange.RunRef, queue.NoOutput]) error {
		return applyRun(current.Load().In(ctx), t)
	}
	files.Run = func(ctx context.Context, t *importTask) error { return importFile(current.Load().In(ctx), t) }
	runs.Retries = make([]time.Duration, 3)
	files.Retries = make([]time.Duration, 3)
	s.Queue.Register(runs)
	s.Queue.Register(files)
	s.Start(s.Queue.Run)
	return current.Store
}

// wantCatalog checks the state of the catalogue.
func (s *fixture) wantCatalog(want, when string) {
	s.Helper()
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(s.CatalogState(), "\n")); diff != "" {
		s.Errorf("%s: the catalogue differs (-want +got):\n%s", when, diff)
	}
}

// wantDiskFull checks that the client is told what failed.
func (s *fixture) wantDiskFull(when string, err error) {
	s.Helper()
	if f, ok := errors.AsType[*fault.Error](err); !ok || f.Code != "disk_full" {
		s.Errorf("%s: the request returns %v, want disk_full", when, err)
	}
}

// checkRecord checks that the database has the errors and warnings of a run, its failed items and one event if the run
// is finished.
func (s *fixture) checkRecord(when string, run exchange.Run) {
	s.Helper()
	finished := int64(0)
	if run.FinishedAt != nil {
		finished = 1
	}

	for what, c := range map[string]struct{ got, want int64 }{
		"errors": {s.Count("exchange_notes WHERE run_key = $1 AND severity = 'error'", run.Key), run.Errors},
		"warnings": {s.Count("exchange_notes WHERE run_key = $1 AND severity = 'warning'", run.Key),
			run.Warnings},
		"rejected items": {s.Count("exchange_rejects WHERE run_key = $1", run.Key), run.Failed},
		"events":         {s.countEvents(run), finished},
	} {
		if c.got != c.want {
			s.Errorf("%s: the database has %d %s, want %d", when, c.got, what, c.want)
		}
	}
}

// countEvents returns the number of events about a run.
func (s *fixture) countEvents(run exchange.Run) (n int64) {
	s.Helper()
	s.Read(func(tx store.Tx) error {
		n = 0
		return database.QueryEach(s.Context(), tx.Unscoped(), "SELECT payload FROM events WHERE store_id = $1",
			[]any{s.Store.ID}, func(rows database.Rows) error {
				var payload []byte
				err := rows.Scan(&payload)
				if strings.Contains(string(payload), run.ID.String()) {
					n++
				}
				return err
			})
	})
	return n
}

// countsText returns the counts of a run in short form: received: +created ~updated =unchanged !failed ?warnings. It
// leaves out the warnings no_variants, since most products of the tests have no variant.
func (s *fixture) countsText(r exchange.Run) string {
	s.Helper()
	r.Warnings -= s.Count("exchange_notes WHERE store_id = $1 AND run_key = $2 AND code = 'no_variants'", s.Store.ID,
		r.Key)
	return fmt.Sprintf("%d: +%d ~%d =%d !%d ?%d", r.Received, r.Created, r.Updated, r.Unchanged, r.Failed, r.Warnings)
}
