package search

import (
	"fmt"
	"slices"
	"testing"

	"vitrine/internal/kit/language"
)

// Suggestions rank the newest products only, and of the older ones those that are pinned, have the query as a code, or
// were ordered.
func TestSuggest_ranksSomeOfManyProducts(t *testing.T) {
	s := newTextShop(t)
	s.pinned = map[string][]int64{language.FoldQuery("la-1"): {4}}
	for i := range 20 {
		p := productRow{name: fmt.Sprint("La 1 ", i)}
		if i == 2 { // key 3
			p.externalID = "LA-1"
		}
		if i == 6 {
			p.popularity = 5
		}
		s.put(p)
	}

	find := func(maxRanked int) Result {
		s.indexTexts(maxStaleRows)
		found, _ := s.findText(&searchFilter{text: "la-1"}, &s.base,
			Query{Text: "la-1", Sort: ByRelevance, Limit: 100, maxRanked: maxRanked})
		return found
	}
	all, some := find(0), find(4)
	if all.Total != 20 || len(all.Keys) != 20 || some.Total != 20 {
		t.Fatalf("found %d and %d of 20", all.Total, some.Total)
	}
	if !slices.Equal(some.Keys, []int64{4, 3, 7, 20, 19, 18, 17}) || !slices.Equal(some.Keys, all.Keys[:7]) {
		t.Errorf("of the order %v these are ranked: %v", all.Keys, some.Keys)
	}
}
