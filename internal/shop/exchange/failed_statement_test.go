package exchange

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	syncatomic "sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/promise"
)

// failingPush is a push of which every statement fails once.
type failingPush struct {
	entity  string
	items   []string
	options []paramOption
	// small means that the push may be applied in the transaction of its run.
	small bool
	// earlier are pushed before, each as an entity and its item.
	earlier [][2]string
}

// itemsPerBatch is how many items about one product a batch of the tests has.
const itemsPerBatch = 2

// productItems has two batches, since the first itemsPerBatch items are about one product. Two of the others fail.
var productItems = []string{
	`{"id": "p", "name": "First"}`, `{"id": "p", "name": "Second"}`,
	`{"id": "q", "name": "Lamp", "features": [{"id": "f", "value_id": "v"}], "categories": ["c"],
		"variants": [{"id": 1, "sku": "Q1", "price": 5, "options": [{"id": "o", "value_id": "v"}],
		"remainders": [{"stock_id": "s", "quantity": 3}]}, {"id": 2, "price": 6}]}`,
	`{"id": "r"}`, `{"name": "no id"}`, `{"id": "t", "name": "Table", "variants": [{"id": 1, "price": 7}]}`,
}

// referring are products and categories that refer to what has not been pushed yet.
var referring = [][2]string{
	{Products, `{"id": "p", "name": "Shirt", "categories": ["c", "d"], "features": [{"id": "f", "value_id": "v"}],
		"variants": [{"id": 1, "price": 5, "options": [{"id": "o", "value_id": "v"}, {"id": "n", "value_id": "w"}]}]}`},
	{Categories, `{"id": "x", "name": "Child", "parent_id": "d"}`},
}

// stocked are products and stocks for pushes of prices and remainders.
var stocked = [][2]string{
	{Stocks, `{"id": "s", "name": "Main"}`},
	{Products, `{"id": "p", "name": "Shirt", "variants": [{"id": 1, "price": 5}, {"id": 2, "price": 6}]}`},
}

func failingPushes() map[string]failingPush {
	attributes := []string{
		`{"id": "o", "name": "Size", "values": [{"id": "v", "name": "S"}, {"id": "w", "name": "M"}]}`, `{"id": "bad"}`,
		`{"id": "n", "name": "Colour", "values": [{"id": "w", "name": "Red"}]}`,
		`{"id": "f", "name": "Fabric", "values": [{"id": "v", "name": "Wool"}]}`,
	}
	remainders := []string{
		`{"product_id": "p", "variant_id": 1, "stock_id": "s", "quantity": 4}`,
		`{"product_id": "p", "variant_id": 9, "stock_id": "s", "quantity": 4}`,
		`{"product_id": "p", "variant_id": 2, "stock_id": "s", "quantity": 5}`,
	}
	prices := []string{
		`{"product_id": "p", "variant_id": 1, "price": 8}`, `{"product_id": "none", "variant_id": 1, "price": 8}`,
		`{"product_id": "p", "variant_id": 2, "price": 9}`,
	}
	missing := slices.Concat(referring,
		[][2]string{{Products, `{"id": "old", "name": "Old"}`}, {Products, `{"id": "older", "name": "Old"}`}})

	return map[string]failingPush{
		"products":          {entity: Products, items: productItems[:itemsPerBatch+2]},
		"products, NDJSON":  {entity: Products, items: productItems, options: []paramOption{ndjson}},
		"products, small":   {entity: Products, items: productItems[itemsPerBatch-1:], small: true},
		"options":           {entity: VariantOptions, items: attributes, earlier: referring},
		"features":          {entity: Features, items: attributes, earlier: referring, options: []paramOption{ndjson}},
		"stocks":            {entity: Stocks, items: []string{`{"id": "s", "name": "Main"}`, `{"id": "bad"}`}},
		"remainders":        {entity: Remainders, items: remainders, earlier: stocked},
		"prices":            {entity: Prices, items: prices, earlier: stocked, options: []paramOption{ndjson}},
		"remainders, small": {entity: Remainders, items: remainders, earlier: stocked, small: true},
		"categories": {entity: Categories, earlier: referring, items: []string{
			`{"id": "c", "name": "Tops", "parent_id": "d"}`, `{"id": "bad"}`, `{"id": "d", "name": "Clothes"}`}},
		"missing products are archived": {entity: Products, earlier: missing,
			items:   []string{`{"id": "p", "name": "Blouse"}`, `{"id": "q", "name": "Lamp"}`},
			options: []paramOption{archiveMissing, maxShare(1)}},
	}
}

// refusedItems are the items of failingPushes that fail, whatever the database does.
var refusedItems = []string{
	`{"id": "r"}`, `{"name": "no id"}`, `{"id": "bad"}`,
	`{"product_id": "p", "variant_id": 9, "stock_id": "s", "quantity": 4}`,
	`{"product_id": "none", "variant_id": 1, "price": 8}`,
}

// accepted returns the push without the items that fail.
func (p failingPush) accepted() failingPush {
	p.items = slices.DeleteFunc(slices.Clone(p.items),
		func(it string) bool { return slices.Contains(refusedItems, it) })
	return p
}

// body returns the body of a push of the first n items.
func (p failingPush) body(params Params, n int) string {
	if params.Format == item.NDJSON {
		lines := make([]string, n)
		for i, it := range p.items[:n] {
			lines[i] = strings.ReplaceAll(it, "\n", " ")
		}
		return strings.Join(lines, "\n")
	}
	return payload(p.items[:n]...)
}

// begin creates the store of the next push.
func (p failingPush) begin(s *fixture) {
	s.Helper()
	s.createStore()
	for _, e := range p.earlier {
		s.push(e[0], payload(e[1]))
	}
	s.Pushes.smallPushItems, s.Pushes.archiveChunk = 0, 1
	s.Pushes.handlers[Products].(*entityOf[catalog.ProductPush]).repeats = itemsPerBatch
	if p.small {
		s.Pushes.smallPushItems = maxSmallPushItems
	}
}

// send pushes all items, and more options than those of p.
func (p failingPush) send(s *fixture, ctx context.Context, options ...paramOption) (Run, error) {
	params := s.params(p.entity, append(options, p.options...)...)
	body := p.body(params, len(p.items))
	params.Size = int64(len(body))
	return s.Pushes.Push(ctx, s.Store.ID, params, io.NopCloser(strings.NewReader(body)))
}

// states returns the state of the catalogue after a clean push of each number of items, and after the clean push.
func (p failingPush) states(s *fixture) (prefixes []string, whole string) {
	s.Helper()
	for n := range len(p.items) + 1 {
		p.begin(s)
		if n > 0 {
			s.push(p.entity, payload(p.items[:n]...))
		}
		prefixes = append(prefixes, s.CatalogState())
	}
	p.begin(s)
	if _, err := p.send(s, s.Context()); err != nil {
		s.Fatal(err)
	}
	return prefixes, s.CatalogState()
}

// wantCatalog checks the state of the catalogue.
func (s *fixture) wantCatalog(want, format string, args ...any) {
	s.Helper()
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(s.CatalogState(), "\n")); diff != "" {
		s.Errorf("%s: the catalogue differs (-want +got):\n%s", fmt.Sprintf(format, args...), diff)
	}
}

// wantDiskFull checks that the client is told what failed.
func (s *fixture) wantDiskFull(when string, err error) {
	s.Helper()
	if codeOf(err) != "disk_full" {
		s.Errorf("%s: the push returns %v, want disk_full", when, err)
	}
}

// checkRecord checks that the database has the counts of a run, its errors and warnings and its failed items, and one
// event if the run is finished. A run without an id was not inserted.
func (s *fixture) checkRecord(when string, run Run) {
	s.Helper()
	runs := s.Count("exchange_runs WHERE store_id = $1 AND id = $2", s.Store.ID, run.ID)
	finished := int64(0)

	if run.ID.IsZero() {
		return
	}

	if runs != 1 {
		s.Errorf("%s: the database has %d runs, want 1", when, runs)
		return
	}

	stored := s.find(run)

	// A dry run stores how many products it would archive when it ends.
	if stored.Counts != run.Counts || stored.Archived != run.Archived && !run.DryRun {
		s.Errorf("%s: the database has %+v and %d archived, the client %+v and %d", when, stored.Counts,
			stored.Archived,
			run.Counts, run.Archived)
	}

	if stored.FinishedAt != nil && !run.DryRun {
		finished = 1
	}

	notes := func(of Severity) int64 {
		return s.Count("exchange_notes WHERE run_key = $1 AND severity = $2", run.Key, string(of))
	}
	for what, c := range map[string]struct{ got, want int64 }{
		"errors":         {notes(Error), run.Errors},
		"warnings":       {notes(Warning), run.Warnings},
		"rejected items": {int64(len(s.rejects(run))), run.Failed},
		"events":         {s.countEvents(run), finished},
	} {
		if c.got != c.want {
			s.Errorf("%s: the database has %d %s, want %d", when, c.got, what, c.want)
		}
	}
}

// countEvents returns the number of events about a run.
func (s *fixture) countEvents(run Run) (n int64) {
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

// sampledPushes are the pushes that eachFailingPush runs without VITRINE_PROVE. They take all ways through the code.
var sampledPushes = []string{"products, NDJSON", "products, small", "options", "missing products are archived"}

// eachFailingPush runs fn for every push on each engine.
func eachFailingPush(t *testing.T, fn func(s *fixture, p failingPush)) {
	t.Helper()
	names := sampledPushes
	if promise.ProveAll() {
		names = slices.Collect(maps.Keys(failingPushes()))
	}
	runFailingPushes(t, names, fn)
}

func runFailingPushes(t *testing.T, names []string, fn func(s *fixture, p failingPush)) {
	t.Helper()
	t.Parallel()
	all := failingPushes()
	for _, name := range names {
		t.Run(name, func(t *testing.T) { eachEngine(t, func(s *fixture) { fn(s, all[name]) }) })
	}
}

// A push of which a statement fails has applied its first items, each as a whole, and its run counts exactly these. The
// same push then gives the state of one clean push.
func TestPush_isWholePerItemIfAnyStatementFails(t *testing.T) {
	eachFailingPush(t, func(s *fixture, p failingPush) {
		prefixes, whole := p.states(s)

		databasetest.EachFailure(s.TB, func(n int) *databasetest.StatementFault {
			when := fmt.Sprintf("failure %d", n)
			fail := func() (Run, error, *databasetest.StatementFault) {
				p.begin(s)
				fault := databasetest.FailStatement(n)
				run, err := p.send(s, fault.In(s.Context()))
				return run, err, fault
			}
			run, err, fault := fail()
			s.checkRecord(when, run)
			if err != nil {
				s.wantDiskFull(when, err)
			}

			switch {
			case err == nil:
				s.wantCatalog(whole, "%s: after the whole push", when)
			case run.Archived > 0:
				if n := s.Count("products WHERE store_id = $1 AND archived_at IS NOT NULL",
					s.Store.ID); n != run.Archived {
					s.Errorf("%s: %d products are archived, the run counts %d", when, n, run.Archived)
				}
			case s.CatalogState() != prefixes[run.Received]:
				// It failed while it linked references to its items. The gate does that later, or the same push does.
				if err := s.Pushes.linkPending(s.Context()); err != nil {
					s.Fatal(err)
				}
				s.wantCatalog(prefixes[run.Received], "%s: after %d items", when, run.Received)
				_, _, fault = fail()
			}

			if run, err = p.send(s, s.Context()); err != nil {
				s.Errorf("%s: the repeated push returns %v", when, err)
			}

			s.checkRecord(when, run)
			s.wantCatalog(whole, "%s: after the repeated push", when)
			return fault
		})
	})
}

// An atomic push of which a statement fails has applied everything or nothing, and its run says which. The same push
// then gives the state of one clean push.
func TestPush_atomicIsAllOrNothingIfAnyStatementFails(t *testing.T) {
	eachFailingPush(t, func(s *fixture, p failingPush) {
		p = p.accepted()
		prefixes, whole := p.states(s)

		databasetest.EachFailure(s.TB, func(n int) *databasetest.StatementFault {
			when := fmt.Sprintf("failure %d", n)
			p.begin(s)
			fault := databasetest.FailStatement(n)
			run, err := p.send(s, fault.In(s.Context()), atomic)
			s.checkRecord(when, run)
			if err != nil {
				s.wantDiskFull(when, err)
			}

			switch run.Received {
			case 0:
				s.wantCatalog(prefixes[0], "%s: after a push that applied nothing", when)
			case int64(len(p.items)):
				// If it failed while it linked references to its items, the gate does that later.
				if err := s.Pushes.linkPending(s.Context()); err != nil {
					s.Fatal(err)
				}
				s.wantCatalog(whole, "%s: after a push that applied everything", when)
			default:
				s.Errorf("%s: %d of %d items were applied", when, run.Received, len(p.items))
			}

			if run, err = p.send(s, s.Context(), atomic); err != nil {
				s.Errorf("%s: the repeated push returns %v", when, err)
			}

			s.checkRecord(when, run)
			s.wantCatalog(whole, "%s: after the repeated push", when)
			return fault
		})
	})
}

// A dry run changes nothing but its run, and so does an atomic push with an item that is refused.
func TestPush_dryRunOrRejectedChangesNothingIfAnyStatementFails(t *testing.T) {
	for name, options := range map[string][]paramOption{
		"dry run": {dryRun}, "atomic dry run": {dryRun, atomic}, "rejected": {atomic},
	} {
		t.Run(name, func(t *testing.T) {
			runFailingPushes(t, sampledPushes, func(s *fixture, p failingPush) {
				if len(p.accepted().items) == len(p.items) {
					p.items = append(slices.Clone(p.items), `{"id": "bad"}`)
				}

				p.begin(s)
				before := s.CatalogState()

				databasetest.EachFailure(s.TB, func(n int) *databasetest.StatementFault {
					when := fmt.Sprintf("failure %d", n)
					fault := databasetest.FailStatement(n)
					run, err := p.send(s, fault.In(s.Context()), options...)
					s.checkRecord(when, run)
					if err != nil && codeOf(err) != "push_rejected" {
						s.wantDiskFull(when, err)
					}

					if applied := run.Created + run.Updated + run.Archived; applied > 0 && !run.DryRun {
						s.Errorf("%s: the run counts %d applied items", when, applied)
					}

					s.wantCatalog(before, "%s", when)
					return fault
				})
			})
		})
	}
}

// failJobs gives the service a queue whose jobs have the fault that is set. They are retried at once.
func (s *fixture) failJobs() (set func(*databasetest.StatementFault)) {
	var current syncatomic.Pointer[databasetest.StatementFault]
	current.Store(databasetest.FailStatement(0))
	s.Queue = queue.New(queue.Deps{DB: s.DB, Now: s.Clock.Now, Log: s.Service.Log})
	runs := s.Pushes.Kind()
	applyRun := runs.Run
	runs.Run = func(ctx context.Context, t *spoolTask) error { return applyRun(current.Load().In(ctx), t) }
	runs.Retries = make([]time.Duration, 3)
	s.Queue.Register(runs)
	s.Start(s.Queue.Run)
	return current.Store
}

// A push in the background of which a statement fails is tried again, and ends as one clean push. If it could not be
// stored, the client is told, and nothing is applied.
func TestSpool_isAppliedOnceIfAnyStatementFails(t *testing.T) {
	for name, options := range map[string][]paramOption{"per item": nil, "atomic": {atomic}} {
		t.Run(name, func(t *testing.T) {
			runFailingPushes(t, []string{"products, small", "missing products are archived"},
				func(s *fixture, p failingPush) {
					if name == "atomic" {
						p = p.accepted()
					}

					prefixes, whole := p.states(s)
					setFault := s.failJobs()

					databasetest.EachFailure(s.TB, func(n int) *databasetest.StatementFault {
						when := fmt.Sprintf("failure %d", n)
						p.begin(s)
						fault := databasetest.FailStatement(n)
						setFault(fault)
						params := s.params(p.entity, append(options, p.options...)...)
						body := p.body(params, len(p.items))
						run, err := s.Pushes.Spool(fault.In(s.Context()), s.Store.ID, params, strings.NewReader(body))
						if err != nil {
							s.wantDiskFull(when, err)
							s.checkRecord(when, run)
							s.wantCatalog(prefixes[0], "%s: after a push that was not stored", when)
							if run, err = s.Pushes.Spool(s.Context(), s.Store.ID, params,
								strings.NewReader(body)); err != nil {
								s.Fatal(err)
							}
						}

						if run = s.waitForRun(run.ID); run.Status != Completed || run.Received != int64(len(p.items)) {
							s.Errorf("%s: the run is %s with %+v", when, run.Status, run.Counts)
						}

						s.checkRecord(when, run)
						s.wantCatalog(whole, "%s: after the push", when)
						return fault
					})
				})
		})
	}
}

// A revert of which a statement fails has restored some of the products, and the run counts exactly these. The same
// revert then restores the others.
func TestRevert_countsWhatItRestoredIfAnyStatementFails(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.Runs.revertChunk = 2
		items := []string{`{"id": 0, "name": "p"}`}
		for i := range 5 {
			items = append(items, fmt.Sprintf(`{"id": "m%d", "name": "p"}`, i))
		}

		databasetest.EachFailure(s.TB, func(n int) *databasetest.StatementFault {
			when := fmt.Sprintf("failure %d", n)
			s.createStore()
			s.push(Products, payload(items...))
			before := s.CatalogState()
			run := s.push(Products, payload(items[0]), archiveMissing, maxShare(1))
			fault := databasetest.FailStatement(n)
			reverted, err := s.Runs.Revert(fault.In(s.Context()), s.Store.ID, s.find(run))
			if err != nil {
				s.wantDiskFull(when, err)
			}

			archived := s.Count("products WHERE store_id = $1 AND archived_at IS NOT NULL", s.Store.ID)
			if stored := s.find(run); stored.Reverted != run.Archived-archived || stored.Reverted != reverted.Reverted {
				s.Errorf("%s: %d of %d products are archived, the run counts %d, the client %d restored ones", when,
					archived, run.Archived, stored.Reverted, reverted.Reverted)
			}

			if reverted, err = s.Runs.Revert(s.Context(), s.Store.ID, s.find(run)); err != nil ||
				reverted.Reverted != run.Archived {
				s.Errorf("%s: the repeated revert restored %d products: %v", when, reverted.Reverted, err)
			}

			s.wantCatalog(before, "%s: after the repeated revert", when)
			return fault
		})
	})
}
