package exchange

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/promise"
	"vitrine/internal/testkit/storetest"
)

// An export that is pushed to its own store changes nothing. One that is pushed to an empty store makes a catalogue
// whose export is the same.
func TestExport_roundTripOfRandomCatalogues(t *testing.T) {
	for _, engine := range databasetest.SampledEngines(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newFixture(storetest.Open(t, engine))
			for seed := range uint64(promise.Repeat(3, 8)) {
				s.createStore()
				c := &catalogChanger{s, rand.New(rand.NewPCG(seed, 3))}
				for range 40 {
					c.change()
				}
				checkRoundTrip(s, seed)
			}
		})
	}
}

func checkRoundTrip(s *fixture, seed uint64) {
	s.Helper()
	all := s.exportAll()
	before := s.CatalogState()
	for _, entity := range exportOrder {
		if all[entity] == "" {
			continue
		}
		run := s.push(entity, all[entity], ndjson)
		if run.Unchanged != run.Received {
			s.Errorf("seed %d: pushing %s back: %s %s\n%s", seed, entity, s.countsText(run), s.notesText(run),
				all[entity])
		}
	}

	if diff := cmp.Diff(before, s.CatalogState()); diff != "" {
		s.Errorf("seed %d: pushing the export back has changed:\n%s", seed, diff)
	}
	s.wantTableUnchanged(fmt.Sprintf("seed %d", seed))

	s.createStore()

	for _, entity := range exportOrder {
		if all[entity] == "" {
			continue
		}
		if run := s.push(entity, all[entity], ndjson); run.Failed > 0 {
			s.Errorf("seed %d: pushing %s to an empty store: %s", seed, entity, s.notesText(run))
		}
	}

	if diff := cmp.Diff(all, s.exportAll()); diff != "" {
		s.Errorf("seed %d: the export of the copy differs:\n%s", seed, diff)
	}
}

// What has no external id is left out, and so is what refers to it.
func TestExport_leavesOutWhatHasNoExternalID(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.push(Categories, payload(`{"id": "top", "name": "Top"}`,
			`{"id": "below", "name": "Below", "parent_id": "top"}`))
		s.push(Features, payload(`{"id": "f", "name": "F", "values": [{"id": "a", "name": "A"}, {"id": "b", `+
			`"name": "B"}]}`))

		s.push(Products, payload(
			`{"id": 1, "name": "Plain", "single_variant": true, "variant_price": 5, `+
				`"variant_remainders": [{"stock_id": "s", "quantity": 1}]}`,
			`{"id": 2, "name": "In a category", "categories": ["below"], "variants": [{"id": "v", "price": 1}]}`,
			`{"id": 3, "name": "With a value", "features": [{"id": "f", "value_id": "b"}], "variants": [{"id": "v", `+
				`"price": 1}]}`,
			`{"id": 4, "name": "Nameless variant", "variants": [{"id": "v", "price": 1}, {"id": "w", "price": 2, `+
				`"remainders": [{"stock_id": "s", "quantity": 1}]}]}`,
			`{"id": 5, "name": "Nameless", "variants": [{"id": "v", "price": 1}]}`,
			`{"id": 6, "name": "Archived", "variants": [{"id": "v", "price": 1}]}`))

		s.wantExported(Products, 6, 0)

		s.Write(func(tx store.Tx) error {
			for _, sql := range []string{
				`UPDATE categories SET external_id = NULL WHERE store_id = $1 AND external_id = 'top'`,
				`UPDATE attribute_values SET external_id = NULL WHERE store_id = $1 AND external_id = 'b'`,
				`UPDATE variants SET external_id = NULL WHERE store_id = $1 AND external_id = 'w'`,
				`UPDATE products SET external_id = NULL WHERE store_id = $1 AND external_id = '5'`,
				`UPDATE products SET archived_at = 1 WHERE store_id = $1 AND external_id = '6'`,
			} {
				if _, err := tx.Exec(s.Context(), sql); err != nil {
					return err
				}
			}

			return nil
		})

		s.wantExported(Categories, 0, 2)
		s.wantExported(Features, 1, 1)
		s.wantExported(Stocks, 1, 0)
		s.wantExported(Products, 1, 4)
		s.wantExported(Prices, 0, 5)
		s.wantExported(Remainders, 0, 1)

		want := `{"id":"1","name":"Plain","description":"","unit":null,"vat_rate":null,"weight":null,"slug":"plain",` +
			`"seo":{"title":"","description":"","noindex":false},"categories":[],"canonical_category":null,` +
			`"features":[],"modifiers":[],` +
			`"images_mode":"replace","images":[],` +
			`"single_variant":true,"variant_name":"","variant_sku":"","variant_price":5,"variant_barcodes":[],` +
			`"variant_options":[],` +
			`"variant_remainders":[{"stock_id":"s","quantity":1}]}` + "\n"
		if got, _ := s.export(Products); got != want {
			s.Errorf("the export is\n%swant\n%s", got, want)
		}
	})
}

func (s *fixture) wantExported(entity string, lines, leftOut int64) {
	s.Helper()
	if _, got := s.export(entity); got.Lines != lines || got.LeftOut != leftOut {
		s.Errorf("the export of %s has %d lines and leaves out %d, want %d and %d", entity, got.Lines, got.LeftOut,
			lines, leftOut)
	}
}

// The values of an option or a feature come in their order, also if there are very many.
func TestExport_hasAllValuesInTheirOrder(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		const n = 12_000
		var values, want []byte
		for i := range n {
			if i > 0 {
				values, want = append(values, ','), append(want, ',')
			}
			values = fmt.Appendf(values, `{"id": %d, "name": "n%[1]d"}`, n-i)
			want = fmt.Appendf(want, `{"id":"%d","name":"n%[1]d"}`, n-i)
		}

		s.push(VariantOptions, payload(`{"id": "long", "name": "L", "values": [`+string(values)+`]}`,
			`{"id": "short", "name": "S"}`))
		text, _ := s.export(VariantOptions)
		if want := `{"id":"long","name":"L","values":[` + string(want) + "]}\n" +
			`{"id":"short","name":"S","values":[]}` + "\n"; text != want {
			s.Errorf("the export has %d bytes, want %d, or another order", len(text), len(want))
		}
	})
}
