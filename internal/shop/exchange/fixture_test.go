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
	log, now := slog.New(slog.DiscardHandler), f.Clock.Now
	keys := access.New(access.Deps{DB: f.DB, Stores: f.Stores, Now: now, Log: log})
	q := queue.New(queue.Deps{DB: f.DB, Now: now, Log: log})
	s := &fixture{Fixture: f, Service: New(Deps{
		DB: f.DB, Catalog: catalog.New(catalog.Deps{Now: now}), Access: keys, Stores: f.Stores,
		Events: event.New(event.Deps{Now: now}), Queue: q, Now: now, Log: log, Retention: time.Hour, SpoolDir: f.TempDir(),
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
	return s.Pushes.Push(s.Context(), s.Store.ID, s.params(entity, options...), io.NopCloser(strings.NewReader(body)))
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
	r.Warnings -= s.Count("exchange_notes WHERE store_id = $1 AND run_key = $2 AND code = 'no_variants'", s.Store.ID, r.Key)
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

// catalogState returns the catalogue of the store as text, by external ids and without times, so that it does not
// depend on when and in how many pushes it was created.
func (s *fixture) catalogState() string {
	s.Helper()
	var lines []string
	s.Read(func(tx store.Tx) error {
		lines = nil
		for _, sql := range catalogStateSQL {
			err := database.QueryEach(s.Context(), tx.Unscoped(), sql, []any{s.Store.ID}, database.AppendColumn(&lines))
			if err != nil {
				return err
			}
		}
		return nil
	})
	return strings.Join(lines, "\n")
}

// catalogStateSQL selects the lines of catalogState.
var catalogStateSQL = []string{
	`SELECT 'product ' || external_id || ' ' || name || ' ' || description || ' ' || modifiers || CASE WHEN archived_at IS NULL THEN '' ELSE ' archived' END
FROM products WHERE store_id = $1 ORDER BY external_id`,
	`SELECT 'variant ' || p.external_id || '/' || COALESCE(v.external_id, '-') || ' ' || v.sku || ' ' || v.name || ' ' || COALESCE(CAST(v.price AS TEXT), 'none')
	|| ' ' || COALESCE(CAST(v.available AS TEXT), '-') || CASE WHEN v.archived_at IS NULL THEN '' ELSE ' archived' END
	|| CASE WHEN v.twin = 0 THEN '' ELSE ' twin' END
FROM variants v JOIN products p ON p.key = v.product_key WHERE v.store_id = $1 ORDER BY p.external_id, v.external_id, v.sku`,
	`SELECT 'option ' || p.external_id || '/' || COALESCE(v.external_id, '-') || ' ' || a.external_id || '=' || w.external_id
FROM variant_values x JOIN variants v ON v.key = x.variant_key JOIN products p ON p.key = v.product_key
JOIN attributes a ON a.key = x.attribute_key JOIN attribute_values w ON w.key = x.value_key
WHERE x.store_id = $1 ORDER BY p.external_id, v.external_id, a.external_id, w.external_id`,
	`SELECT 'feature ' || p.external_id || ' ' || a.external_id || '=' || w.external_id
FROM product_values x JOIN products p ON p.key = x.product_key JOIN attributes a ON a.key = x.attribute_key JOIN attribute_values w ON w.key = x.value_key
WHERE x.store_id = $1 ORDER BY p.external_id, a.external_id, w.external_id`,
	`SELECT 'in ' || p.external_id || ' ' || c.external_id
FROM product_categories x JOIN products p ON p.key = x.product_key JOIN categories c ON c.key = x.category_key
WHERE x.store_id = $1 ORDER BY p.external_id, c.external_id`,
	`SELECT 'remainder ' || p.external_id || '/' || COALESCE(v.external_id, '-') || ' ' || s.external_id || '=' || CAST(m.quantity AS TEXT)
FROM remainders m JOIN variants v ON v.key = m.variant_key JOIN products p ON p.key = v.product_key JOIN stocks s ON s.key = m.stock_key
WHERE m.store_id = $1 ORDER BY p.external_id, v.external_id, s.external_id`,
	`SELECT 'stock ' || external_id || ' ' || name FROM stocks WHERE store_id = $1 ORDER BY external_id`,
	`SELECT 'category ' || c.external_id || ' ' || c.name || ' under ' || COALESCE(p.external_id, '-')
FROM categories c LEFT JOIN categories p ON p.key = c.parent_key WHERE c.store_id = $1 ORDER BY c.external_id`,
	`SELECT kind || ' ' || external_id || ' ' || name || ' ' || field_type || ' ' || CAST(value_count AS TEXT) FROM attributes WHERE store_id = $1 ORDER BY kind, external_id`,
	`SELECT 'value ' || a.external_id || ' ' || v.external_id || ' ' || v.name
FROM attribute_values v JOIN attributes a ON a.key = v.attribute_key WHERE v.store_id = $1 ORDER BY a.external_id, v.external_id`,
	`SELECT 'pending ' || r.kind || ' ' || r.external_id || ' ' || r.value_id || ' of ' || COALESCE(p.external_id, '') || COALESCE(q.external_id || '/' || v.external_id, '') || COALESCE(c.external_id, '')
FROM pending_references r LEFT JOIN products p ON p.key = r.product_key LEFT JOIN variants v ON v.key = r.variant_key
LEFT JOIN products q ON q.key = v.product_key LEFT JOIN categories c ON c.key = r.category_key
WHERE r.store_id = $1 ORDER BY r.kind, r.external_id, r.value_id, p.external_id, q.external_id, v.external_id, c.external_id`,
}
