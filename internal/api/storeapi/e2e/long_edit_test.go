package e2e

import (
	"context"
	"sync"
	"testing"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/admission"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

// longEditLen is the number of values of an edit that takes longer than the check of whether other writes wait.
const longEditLen = 9000

// withConcurrentWrites runs fn while four clients without a store write without a pause.
func withConcurrentWrites(t *testing.T, s *apitest.Server, fn func()) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for ctx.Err() == nil {
				err := s.App.DB.Write(t.Context(), func(q database.Querier) error {
					return database.Exec(t.Context(), q, "UPDATE stores SET name = name")
				})
				if err != nil {
					t.Errorf("a write of another client: %v", err)
					return
				}
			}
		})
	}
	defer clients.Wait()
	defer stop()

	fn()
}

// An edit of very many values stopped the writes of all stores on SQLite until it ended. Now it gives way to them, and
// is refused if it has to do so at every attempt.
func TestM2_longEditGivesWayToOtherStores(t *testing.T) {
	t.Parallel()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		s.App.API().Yielding = database.Yielding{
			Patience: database.Patience{Owner: time.Hour, Background: time.Hour}, Attempts: 1,
		}
		a := createAttribute(s, optionsPath, "S")
		path := optionsPath + "/" + a.id
		edit := map[string]any{"name": "Long", "values": newValues(numberedNames("n", longEditLen)...)}

		withConcurrentWrites(t, s, func() {
			if s.Engine == database.Postgres {
				s.OK(200, "PUT", path, edit)
				return
			}
			s.WantProblem("409 atomic_too_large", "PUT", path, edit)
			s.WantProblem("409 atomic_too_large", "POST", path+"/impact", edit)
			wantNames(t, valueNames(s, optionsPath, a.id), "S")
		})
		if s.Engine == database.SQLite {
			s.OK(200, "PUT", path, edit)
		}

		if got := len(valueNames(s, optionsPath, a.id)); got != longEditLen+1 {
			t.Errorf("the option has %d values, want %d", got, longEditLen+1)
		}
	}, apitest.Alone())
}

// One store has one long edit at a time. Its next one is refused if it waits too long; the edits of another store are
// not.
func TestM2_oneLongEditPerStore(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite, apitest.Alone())
	class := admission.New(admission.Limits{Slots: 16, TenantSlots: 1, Waiting: 16, MaxWait: time.Millisecond})
	s.App.API().Admission[httpapi.ClassLong] = class
	edit := map[string]any{"values": newValues(numberedNames("n", 1500)...)}
	path := optionsPath + "/" + createAttribute(s, optionsPath, "S").id
	other := s.WithKeys(s.Other)
	otherPath := optionsPath + "/" + createAttribute(other, optionsPath, "S").id

	hold := make(chan struct{})
	held := make(chan struct{})
	released := make(chan error, 1)
	release := sync.OnceFunc(func() { close(hold) })
	defer release()

	go func() {
		released <- s.App.DB.WriteAlone(t.Context(), func(database.Querier) error {
			close(held)
			<-hold
			return nil
		})
	}()
	<-held
	var edits sync.WaitGroup
	edits.Go(func() { s.OK(200, "PUT", path, edit) })
	storetest.Eventually(t, "the first edit has a slot", func() bool { return class.Stats().InProgress == 1 })

	refused := s.WantProblem("429 too_many_requests", "PUT", path, edit)
	if refused.Header.Get("Retry-After") == "" {
		t.Error("the refusal has no Retry-After")
	}

	edits.Go(func() { other.OK(200, "PUT", otherPath, edit) })
	storetest.Eventually(t, "the edit of the other store has a slot",
		func() bool { return class.Stats().InProgress == 2 })
	release()
	edits.Wait()

	if err := <-released; err != nil {
		t.Error(err)
	}

	s.OK(200, "PUT", path, edit)
}

// An option of any length can be created beside stores that write all the time: its values are written in short
// transactions, and one more creates the option.
func TestM2_longOptionIsCreatedBesideOtherWrites(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		// Writing all values in one transaction takes several times as long as other writes wait.
		s.App.API().Yielding = database.Yielding{
			Patience: database.Patience{Others: 20 * time.Millisecond, Owner: time.Hour, Background: time.Hour},
			Attempts: 200, FirstPause: time.Millisecond, MaxPause: 5 * time.Millisecond,
		}
		const n = 30_000
		body := map[string]any{"name": "Long", "values": newValues(numberedNames("n", n)...)}
		key := apitest.Header("Idempotency-Key", "long-option-1")

		withConcurrentWrites(t, s, func() {
			r := s.OK(201, "POST", optionsPath, body, key)
			if got := r.Header.Get("Location"); got != optionsPath+"/"+r.Text("data.id") {
				t.Errorf("the Location is %q", got)
			}

			again := s.OK(201, "POST", optionsPath, body, key)
			if again.Header.Get("Idempotent-Replayed") != "true" || again.Text("data.id") != r.Text("data.id") {
				t.Error("the repeated request was not replayed")
			}

			page := s.Get(optionsPath + "/" + r.Text("data.id") + "/values?per_page=2&page=15000")
			wantNames(t, page.Texts("data", "name"), "n29998", "n29999")
			if got := page.Text("meta.total"); got != "30000" {
				t.Errorf("the option has %s values", got)
			}

			s.OK(204, "DELETE", optionsPath+"/"+r.Text("data.id"), nil)
			if got := s.Get(optionsPath).Text("meta.total"); got != "0" {
				t.Errorf("after the deletion %s options are listed", got)
			}
		})
	}, apitest.Alone())
}
