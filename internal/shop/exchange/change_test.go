package exchange

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/store"
)

// changesText returns what a run would change, one line for each item.
func (s *fixture) changesText(run Run) string {
	s.Helper()
	var lines []string

	s.Read(func(tx store.Tx) error {
		lines = nil
		for after := int64(0); ; {
			list, next, err := s.Runs.Changes(s.Context(), tx, run, after, 2)
			if err != nil {
				return err
			}

			for _, c := range list {
				line := fmt.Sprintf("%d %s %s", c.Index, *c.ID, c.Action)
				for _, m := range c.Changes {
					line += fmt.Sprintf("; %s %s > %s", m.Field, m.From, m.To)
				}
				lines = append(lines, line)
			}

			if after = next; next == 0 {
				return nil
			}
		}
	})

	return strings.Join(lines, "\n")
}

func (s *fixture) wantChanges(entity, body, want string) {
	s.Helper()
	before := s.CatalogState()
	run := s.push(entity, body, dryRun)
	if got := s.changesText(run); got != want {
		s.Errorf("a dry run of %s would change\n%s\nwant\n%s", entity, got, want)
	}
	if s.CatalogState() != before {
		s.Errorf("the dry run of %s has changed something", entity)
	}
	if got := s.changesText(s.push(entity, body)); got != "" {
		s.Errorf("a push of %s keeps the changes %s", entity, got)
	}
	if got := s.changesText(s.push(entity, body, dryRun)); got != "" {
		s.Errorf("a dry run of %s after the push would change %s", entity, got)
	}
}

// A dry run says of each item what it would change, member by member.
func TestDryRun_saysWhatWouldChange(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.wantChanges(Stocks, payload(`{"id": "s", "name": "Main"}`, `{"id": "t", "name": "Far"}`),
			`0 s created; name null > "Main"`+"\n"+`1 t created; name null > "Far"`)
		s.wantChanges(Stocks, payload(`{"id": "s", "name": "Main"}`, `{"id": "t", "name": "Farther"}`),
			`1 t updated; name "Far" > "Farther"`)
		s.wantChanges(Categories, payload(`{"id": "c", "name": "Top"}`,
			`{"id": "d", "name": "Below", "parent_id": "c"}`),
			`0 c created; name null > "Top"; slug null > "top"`+"\n"+
				`1 d created; name null > "Below"; parent_id null > "c"; slug null > "below"`)
		s.wantChanges(VariantOptions,
			payload(`{"id": "o", "name": "Size", "values": [{"id": 1, "name": "S"}, {"id": 2, "name": "M"}]}`),
			`0 o created; name null > "Size"; values[1] null > {"id":"1","name":"S"}; values[2] null > {"id":"2",`+
				`"name":"M"}`)

		s.wantChanges(VariantOptions,
			payload(`{"id": "o", "name": "Size", "values": [{"id": 1, "name": "XS"}], "removed_values": [2]}`),
			`0 o updated; values[1].name "S" > "XS"; values[2] {"id":"2","name":"M"} > null`)
		s.push(Features, payload(`{"id": "f", "name": "F", "values": [{"id": "a", "name": "A"}, {"id": "b", `+
			`"name": "B"}]}`))
		s.wantChanges(Products, payload(
			`{"id": 1, "name": "Mug", "single_variant": true, "variant_price": 5, `+
				`"variant_remainders": [{"stock_id": "s", "quantity": 3}]}`,
			`{"id": 2, "name": "Shirt", "features": [{"id": "f", "value_id": "a"}], "variants": [{"id": 7, `+
				`"price": 10, "remainders": [{"stock_id": "s", "quantity": 1}]}]}`),
			`0 1 created; name null > "Mug"; slug null > "mug"; `+
				`variant_price null > 5; variant_remainders[s] null > 3`+"\n"+
				`1 2 created; features[f] null > "a"; name null > "Shirt"; slug null > "shirt"; `+
				`variants[7] null > {"id":"7","name":"",`+
				`"sku":"","price":10,"barcodes":[],"options":[],"remainders":[{"stock_id":"s","quantity":1}]}`)
		s.wantChanges(Products, payload(`{"id": 1, "name": "Mug"}`,
			`{"id": 2, "categories": ["c"], "features": [{"id": "f", "value_id": "b"}], "variants": [{"id": 7, `+
				`"price": 12.5, "remainders": [{"stock_id": "s", "quantity": 1}, {"stock_id": "t", "quantity": 4}]}]}`),
			`1 2 updated; categories [] > ["c"]; features[f] "a" > "b"; variants[7].price 10 > 12.5; `+
				`variants[7].remainders[t] null > 4`)
		s.wantChanges(Prices, payload(`{"variant_id": 7, "price": 13}`, `{"variant_id": 1, "price": 5}`),
			`0 7 updated; price 12.5 > 13`)
		s.wantChanges(Prices, payload(`{"variant_id": 7, "price": null}`), `0 7 updated; price 13 > null`)
		s.wantChanges(Prices, payload(`{"variant_id": 7, "price": null}`), ``)
		s.wantChanges(Products,
			payload(`{"id": 2, "variants": [{"id": 7, "price": 0, "remainders": [{"stock_id": "s", "quantity": 1}, `+
				`{"stock_id": "t", "quantity": 4}]}]}`),
			`0 2 updated; variants[7].price null > 0`)
		s.wantChanges(Remainders, payload(`{"variant_id": 7, "stock_id": "s", "quantity": 2}`,
			`{"variant_id": 7, "stock_id": "new", "quantity": 2}`),
			`0 7 updated; quantity 1 > 2`+"\n"+`1 7 created; quantity null > 2`)
		s.wantChanges(Products, payload(`{"id": 1, "archived": true}`), `0 1 archived`)
		s.wantChanges(Products, payload(`{"id": 1, "name": "Cup"}`),
			`0 1 restored; name null > "Cup"; slug null > "mug"; `+
				`variant_price null > 5; variant_remainders[s] null > 3`)
		s.wantChanges(Products, payload(`{"id": 1, "deleted": true}`), `0 1 deleted`)
	})
}

// Runs are deleted with what they would change, and a failed item changes nothing.
func TestDryRun_changesGoWithTheirRun(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		run := s.push(Stocks, payload(`{"id": "s", "name": "Main"}`, `{"id": "t"}`), dryRun)
		if got := string(wire.AppendJSON(nil, run.Failed)) + " " +
			s.changesText(run); got != `1 0 s created; name null > "Main"` {
			s.Errorf("the run has %s", got)
		}
		s.Clock.Advance(2 * s.Retention)
		if err := s.Runs.prune(s.Context()); err != nil {
			s.Fatal(err)
		}
		if n := s.Count("exchange_changes WHERE store_id = $1", s.Store.ID); n != 0 {
			s.Errorf("%d changes are left", n)
		}
	})
}
