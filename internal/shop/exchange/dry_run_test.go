package exchange

import (
	"fmt"
	"slices"
	"testing"
)

// On SQLite a batch is applied in steps, and a dry run rolled back each of them: an item did not find what earlier
// items with the same id had changed.
func TestRegression_dryRunFindsEarlierItemsOfBatch(t *testing.T) {
	const n = 90 // on SQLite a batch of a dry run has 200 items, and its first step 20
	numbered := func(format string) (items []string) {
		for i := range n {
			items = append(items, fmt.Sprintf(format, i))
		}
		return items
	}

	cases := []struct {
		entity string
		items  []string
	}{
		{VariantOptions, append(numbered(`{"id": %d, "name": "O", "values": [{"id": 1, "name": "A"}]}`),
			`{"id": 0, "values": [{"id": 2, "name": "B"}], "removed_values": [1]}`,
			`{"id": 0, "removed_values": [1]}`,
			`{"id": 1, "name": "O", "values": [{"id": 1, "name": "A"}]}`)},
		{Features, append(numbered(`{"id": %d, "name": "F", "values": [{"id": 1, "name": "red"}]}`),
			`{"id": 0, "field_type": "range", "range_type": "integer"}`,
			`{"id": 0, "field_type": "range", "range_type": "integer", "removed_values": [1]}`,
			`{"id": 2, "values": [{"id": 1, "name": "red"}]}`)},
		{Categories, append(numbered(`{"id": %d, "name": "C", "parent_id": 89}`),
			`{"id": 89, "name": "Root", "parent_id": null}`, `{"id": 3, "parent_id": 0}`, `{"id": 0, "parent_id": 3}`)},
		{Stocks, append(numbered(`{"id": %d, "name": "S"}`),
			`{"id": 0, "name": "T"}`, `{"id": 1, "name": "S"}`, `{"id": 1}`)},
		{Products, append(numbered(`{"id": %d, "name": "P", "variants": [{"id": "v%[1]d", "price": 1}]}`),
			`{"id": 0, "name": "Q"}`, `{"id": 1, "name": "P", "variants": [{"id": "v1", "price": 1}]}`,
			`{"id": 2, "variants": []}`, `{"id": 2, "variants": [{"id": "v2", "price": 1}]}`, `{"id": "new"}`)},
		{Prices, append(numbered(`{"variant_id": "v%d", "price": 2}`),
			`{"variant_id": "v0", "price": 2}`, `{"variant_id": "v1", "product_id": 1, "price": 2}`,
			`{"variant_id": "v2", "price": 1}`, `{"variant_id": "v2", "price": 1}`)},
		{Remainders, append(append(numbered(`{"variant_id": "v%d", "stock_id": "north", "quantity": 2}`),
			numbered(`{"variant_id": "v%d", "stock_id": "south", "quantity": 2}`)...),
			`{"variant_id": "v0", "product_id": 0, "stock_id": "north", "quantity": 2}`,
			`{"variant_id": "v1", "stock_id": "south", "quantity": 3}`)},
	}
	for _, waits := range []bool{false, true} {
		t.Run(fmt.Sprintf("other writes wait %t", waits), func(t *testing.T) {
			eachEngine(t, func(s *fixture) {
				s.Pushes.shortWritesWait = func() bool { return waits }
				for _, c := range cases {
					body := payload(slices.Concat(c.items, c.items[n-3:n])...)
					s.wantSameReport(c.entity, body)
				}
			})
		})
	}
}

// wantSameReport pushes a body as a dry run and then for real, and compares the counts and the notes.
func (s *fixture) wantSameReport(entity, body string) {
	s.Helper()
	planned := s.push(entity, body, dryRun)
	run := s.push(entity, body)
	if got, want := s.countsText(planned), s.countsText(run); got != want {
		s.Errorf("%s: the dry run has the counts %q, the push %q", entity, got, want)
	}
	if got, want := s.notesText(planned), s.notesText(run); got != want {
		s.Errorf("%s: the dry run has the notes\n%s\nthe push\n%s", entity, got, want)
	}
}

// On SQLite two stocks that a dry run created in different batches had the same key, so it warned of duplicates.
func TestRegression_dryRunDistinguishesNewStocks(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.push(Products, payload(`{"id": 1, "name": "P", "variants": [{"id": "v", "price": 1}]}`))
		items := slices.Repeat([]string{`{"variant_id": "v", "stock_id": "north", "quantity": 2}`}, batchRepeats)
		s.wantSameReport(Remainders,
			payload(append(items, `{"variant_id": "v", "stock_id": "south", "quantity": 2}`)...))
	})
}
