package exchange

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/storetest"
)

// fixture is a Service with a store and its exchange token. Its clock follows the real time.
type fixture struct {
	*storetest.Fixture
	*Service
	credential access.KeyID
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
	s := &fixture{Fixture: f, Service: New(Deps{
		DB: f.DB, Catalog: catalog.New(catalog.Deps{Now: now}), Access: keys, Stores: f.Stores,
		Events: event.New(event.Deps{Now: now}), Queue: q, Now: now, Log: log, Retention: time.Hour,
		SpoolDir: f.TempDir(),
	})}

	// On a slow machine a push must not give way because of the time, unless the test is about that.
	s.Pushes.yielding.Patience = database.Patience{Others: time.Hour, Owner: time.Hour, Background: time.Hour}
	s.Pushes.yielding.MaxOwner = time.Hour
	q.Register(s.Pushes.Kind())
	s.createStore()

	return s
}

// createStore creates a store with an exchange token. The fixture then uses this store.
func (s *fixture) createStore() {
	s.Helper()
	s.Fixture = s.WithStore(s.NewStore(store.Edit{}))
	s.Write(func(tx store.Tx) error {
		key, _, err := s.Access.CreateKey(s.Context(), tx, access.NewKey{Kind: access.ExchangeToken, Name: "test"})
		s.credential = key.ID
		return err
	})
}

// paramOption changes the parameters of a push.
type paramOption func(*Params)

func atomic(p *Params)         { p.Atomic = true }
func dryRun(p *Params)         { p.DryRun = true }
func archiveMissing(p *Params) { p.ArchiveMissing = true }
func ndjson(p *Params)         { p.Format = item.NDJSON }

func maxShare(most float64) paramOption { return func(p *Params) { p.MaxArchiveShare = most } }

func (s *fixture) params(entity string, options ...paramOption) Params {
	p := Params{Entity: entity, Format: item.JSON, Credential: s.credential, MaxArchiveShare: 0.2}
	for _, change := range options {
		change(&p)
	}
	return p
}

// tryPush pushes a body and returns the run and the error.
func (s *fixture) tryPush(entity, body string, options ...paramOption) (Run, error) {
	params := s.params(entity, options...)
	params.Size = int64(len(body))
	return s.Pushes.Push(s.Context(), s.Store.ID, params, io.NopCloser(strings.NewReader(body)))
}

// push pushes a body and requires that the run is completed.
func (s *fixture) push(entity, body string, options ...paramOption) Run {
	s.Helper()
	run, err := s.tryPush(entity, body, options...)
	if err != nil {
		s.Fatalf("push of %s: %v", entity, err)
	}
	if run.Status != Completed || run.FinishedAt == nil {
		s.Fatalf("the run is %s, finished at %v", run.Status, run.FinishedAt)
	}
	return run
}

// payload returns the JSON document of a push with these items.
func payload(items ...string) string { return `{"payload": [` + strings.Join(items, ",") + `]}` }

// countsText returns the counts of a run in short form: received: +created ~updated =unchanged !failed ?warnings. It
// leaves out the warnings no_variants, since most products of the tests have no variant.
func (s *fixture) countsText(r Run) string {
	s.Helper()
	r.Warnings -= s.Count("exchange_notes WHERE store_id = $1 AND run_key = $2 AND code = 'no_variants'", s.Store.ID,
		r.Key)
	return fmt.Sprintf("%d: +%d ~%d =%d !%d ?%d", r.Received, r.Created, r.Updated, r.Unchanged, r.Failed, r.Warnings)
}

// wantCounts pushes a body and checks the counts of the run, in the form of countsText.
func (s *fixture) wantCounts(want, entity, body string, options ...paramOption) Run {
	s.Helper()
	run := s.push(entity, body, options...)
	if got := s.countsText(run); got != want {
		s.Errorf("the counts are %q, want %q; notes: %s", got, want, s.notesText(run))
	}
	return run
}

// notesText returns the first errors of a run and then its first warnings, each as "index id field:code". Like
// countsText, it leaves out no_variants.
func (s *fixture) notesText(run Run) string {
	s.Helper()
	var list []string

	s.Read(func(tx store.Tx) error {
		list = nil
		for _, severity := range []Severity{Error, Warning} {
			notes, err := notesAfter(s.Context(), tx, run.Key, severity, 0, 2000)
			if err != nil {
				return err
			}

			for _, n := range notes {
				if n.Code == "no_variants" {
					continue
				}
				id := "-"
				if n.ID != nil {
					id = *n.ID
				}
				list = append(list, fmt.Sprintf("%d %s %s:%s", n.Index, id, n.Field, n.Code))
			}
		}

		return nil
	})

	return strings.Join(list, "; ")
}

// wantNotes checks the errors and warnings of a run, in the form of notesText.
func (s *fixture) wantNotes(run Run, want string) {
	s.Helper()
	if got := s.notesText(run); got != want {
		s.Errorf("the notes are %q, want %q", got, want)
	}
}

// rejects returns the failed items of a run, as they were sent.
func (s *fixture) rejects(run Run) (list []string) {
	s.Helper()
	s.Read(func(tx store.Tx) error {
		list = nil
		return eachReject(s.Context(), tx, run.Key, func(sent []byte) error {
			list = append(list, string(sent))
			return nil
		})
	})
	return list
}

// wantFault checks the fault of a push and the problem of its run, and returns the run.
func (s *fixture) wantFault(run Run, err error, code string) Run {
	s.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != code {
		s.Fatalf("the push returned %v, want %s", err, code)
	}
	if run.Status != Failed || run.Problem == nil || run.Problem.Code != code {
		s.Errorf("the run is %s with %v, want failed with %s", run.Status, run.Problem, code)
	}
	return run
}
