package exchange

import (
	"slices"
	"testing"
)

func sortStrings(list []string) { slices.Sort(list) }

// An item with archived or deleted does that and nothing else. An id that is not known is unchanged.
func TestPush_archivesAndDeletesMarkedItems(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.push(Stocks, payload(`{"id": "s", "name": "S"}`, `{"id": "kept", "name": "K"}`))
		s.push(VariantOptions, payload(`{"id": "o", "name": "O", "values": [{"id": "v", "name": "V"}]}`))
		s.push(Features, payload(`{"id": "f", "name": "F", "values": [{"id": "v", "name": "V"}]}`))
		s.push(Categories, payload(`{"id": "c", "name": "C"}`, `{"id": "below", "name": "B", "parent_id": "c"}`))
		products := payload(`{"id": 1, "name": "A", "categories": ["c"], "features": [{"id": "f", "value_id": "v"}], `+
			`"variants": [{"id": "v", "price": 1}]}`,
			`{"id": 2, "name": "B", "variants": [{"id": "v", "price": 1}]}`,
			`{"id": 3, "name": "C", "variants": [{"id": "v", "price": 1}]}`)
		s.push(Products, products)

		marks := payload(`{"id": 1, "archived": true}`, `{"id": 2, "deleted": true}`, `{"id": 3, "archived": false}`,
			`{"id": 8, "archived": true}`, `{"id": 9, "deleted": true}`)
		s.wantCounts("5: +0 ~3 =2 !0 ?0", Products, marks, dryRun)
		s.wantCounts("5: +0 ~3 =2 !0 ?0", Products, marks)
		s.wantCounts("4: +0 ~0 =4 !0 ?0", Products, payload(`{"id": 1, "archived": true}`, `{"id": 2, "deleted": true}`,
			`{"id": 8, "archived": true}`, `{"id": 9, "deleted": true}`))

		if got := s.Texts("SELECT external_id || CASE WHEN archived_at IS NULL THEN '' ELSE ' archived' END "+
			"FROM products WHERE store_id = $1 ORDER BY external_id", s.Store.ID); !slices.Equal(got,
			[]string{"1 archived", "3"}) {
			s.Errorf("the products are %q", got)
		}

		// A push brings both back.
		s.wantCounts("3: +1 ~2 =0 !0 ?0", Products, products)

		for _, entity := range []string{Stocks, VariantOptions, Features, Categories} {
			id := map[string]string{Stocks: "s", VariantOptions: "o", Features: "f", Categories: "c"}[entity]
			body := payload(`{"id": "`+id+`", "deleted": true}`, `{"id": "unknown", "deleted": true}`)
			s.wantCounts("2: +0 ~1 =1 !0 ?0", entity, body)
			s.wantCounts("2: +0 ~0 =2 !0 ?0", entity, body)
		}

		if got, _ := s.export(Categories); got != `{"id":"below","name":"B","parent_id":null,"slug":"b",`+
			`"seo":{"title":"","description":"","noindex":false},"description":""}`+"\n" {
			s.Errorf("the categories are %s", got)
		}

		run := s.wantCounts("1: +0 ~1 =0 !0 ?1", Products, payload(`{"id": 3, "name": "Not used", "deleted": true}`))
		s.wantNotes(run, "0 3 deleted:unused_members")
	})
}
