package exchange

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

// itemsByEntity holds the items of a small catalogue, by entity.
type itemsByEntity map[string][]string

// randomCatalog returns the catalogue for a seed. If stale is set, it returns an earlier state of the same catalogue,
// with other names and prices.
func randomCatalog(seed uint64, stale bool) itemsByEntity {
	r := rand.New(rand.NewPCG(seed, 1))
	name := func(what string, i int) string {
		if stale {
			return fmt.Sprintf("%s %d old", what, i)
		}
		return fmt.Sprintf("%s %d", what, i)
	}
	d := itemsByEntity{}
	for o := range 2 {
		d[VariantOptions] = append(d[VariantOptions],
			fmt.Sprintf(`{"id": "o%d", "name": %q, "values": [%s]}`, o, name("Option", o), randomValues(name)))
		d[Features] = append(d[Features],
			fmt.Sprintf(`{"id": "f%d", "name": %q, "values": [%s]}`, o, name("Feature", o), randomValues(name)))
	}

	for c := range 5 {
		parent := "null"
		if c > 0 {
			parent = fmt.Sprintf(`"c%d"`, r.IntN(c))
		}
		d[Categories] = append(d[Categories],
			fmt.Sprintf(`{"id": "c%d", "name": %q, "parent_id": %s}`, c, name("Category", c), parent))
	}

	for s := range 2 {
		d[Stocks] = append(d[Stocks], fmt.Sprintf(`{"id": "s%d", "name": %q}`, s, name("Stock", s)))
	}

	for p := range 4 + r.IntN(5) {
		var variants []string
		for v := range 1 + r.IntN(3) {
			price := 10 + r.IntN(90)
			if stale {
				price++
			}

			// The variants differ in the first option; some of them also have the second one.
			options := fmt.Sprintf(`{"id": "o0", "value_id": "v%d"}`, v)
			if r.IntN(2) == 0 {
				options += fmt.Sprintf(`, {"id": "o1", "value_id": "v%d"}`, r.IntN(3))
			}

			variants = append(variants, fmt.Sprintf(`{"id": %d, "sku": "%d-%d", "price": %d, "options": [%s], `+
				`"remainders": [{"stock_id": "s%d", "quantity": %d}]}`,
				v, p, v, price, options, r.IntN(2), r.IntN(50)))
		}

		d[Products] = append(d[Products], fmt.Sprintf(`{"id": %d, "name": %q, "variants": [%s], `+
			`"features": [{"id": "f%d", "value_id": "v%d"}], "categories": ["c%d", "c4"], "canonical_category": %s}`,
			p, name("Product", p), strings.Join(variants, ", "), r.IntN(2), r.IntN(3), r.IntN(4),
			[]string{"null", `"c4"`}[r.IntN(2)]))
	}

	return d
}

func randomValues(name func(string, int) string) string {
	var values []string
	for v := range 3 {
		values = append(values, fmt.Sprintf(`{"id": "v%d", "name": %q}`, v, name("Value", v)))
	}
	return strings.Join(values, ", ")
}

// entityOrder lists the entities so that no item refers to an entity after its own.
var entityOrder = []string{VariantOptions, Features, Categories, Stocks, Products}

// After all items have been pushed completely, the store has the same state as after one clean push, and no pending
// references. Earlier pushes do not matter: in another order, repeated, concurrent, cut off or stale.
func TestPush_convergesToStateOfOneCleanPush(t *testing.T) {
	for _, engine := range databasetest.SampledEngines(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newFixture(storetest.Open(t, engine))
			for seed := range uint64(6) {
				checkConvergence(s, seed)
			}
		})
	}
}

func checkConvergence(s *fixture, seed uint64) {
	s.Helper()
	now, old := randomCatalog(seed, false), randomCatalog(seed, true)
	s.createStore()
	for _, entity := range entityOrder {
		s.push(entity, payload(now[entity]...))
	}

	want := s.CatalogState()
	if strings.Contains(want, "pending") {
		s.Fatalf("seed %d: a clean push left pending references:\n%s", seed, want)
	}

	s.createStore()
	r := rand.New(rand.NewPCG(seed, 2))
	for range r.IntN(12) {
		entity := entityOrder[r.IntN(len(entityOrder))]
		from := now
		if r.IntN(3) == 0 {
			from = old
		}

		body := payload(shuffled(r, from[entity])...)
		if r.IntN(3) == 0 {
			_, _ = s.tryPush(entity, body[:r.IntN(len(body))]) // the body is cut off
			continue
		}

		s.push(entity, body)
	}

	var all sync.WaitGroup
	for _, entity := range shuffled(r, append(entityOrder, Products)) {
		body := payload(shuffled(r, now[entity])...)
		all.Go(func() {
			if run, err := s.tryPush(entity, body); err != nil || run.Failed > 0 {
				s.Errorf("seed %d: push of %s: %v, %d failed: %s", seed, entity, err, run.Failed, s.notesText(run))
			}
		})
	}

	all.Wait()
	if diff := cmp.Diff(want, s.CatalogState()); diff != "" {
		s.Errorf("seed %d: state after one clean push (-) and after many pushes (+):\n%s", seed, diff)
	}
}

func shuffled(r *rand.Rand, list []string) []string {
	list = append([]string(nil), list...)
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}
