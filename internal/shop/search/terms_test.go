package search

import (
	"context"
	"slices"
	"testing"

	"vitrine/internal/kit/language"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/searchrule"
	"vitrine/internal/shop/store"
)

// Rules that are tried out replace those of the store for one query.
func TestRules_areTriedOutForAQuery(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		lamp := f.catalog.CreateProduct("Desk lamp", 1, catalog.ProductEdit{})
		chair := f.catalog.CreateProduct("Chair", 1, catalog.ProductEdit{})
		f.Write(func(tx store.Tx) error {
			groups := [][]string{{"luminaire", "chair"}}
			_, err := searchrule.EditSynonyms(f.Context(), tx, searchrule.SynonymEdit{Groups: &groups}, nil)
			return err
		})
		f.Start(f.search.Run)
		f.waitForColumns(f.search)

		tried := &searchrule.Rules{Synonyms: searchrule.Synonyms{Groups: [][]string{{"luminaires", "lamps"}}},
			Pins: map[string][]int64{language.FoldQuery("lamp"): {chair.Key}}}
		for _, c := range []struct {
			query string
			rules *searchrule.Rules
			want  []int64
		}{
			{"luminaire", nil, []int64{chair.Key}},
			{"luminaire", tried, []int64{lamp.Key}},
			{"lamp", nil, []int64{lamp.Key}},
			{"lamp", tried, []int64{chair.Key, lamp.Key}},
			{"luminaire", &searchrule.Rules{}, nil},
			{"luminaire", nil, []int64{chair.Key}},
		} {
			query := Query{Text: c.query, Sort: ByRelevance, Limit: 10, Rules: c.rules}
			found, err := f.runLookup(f.search, func(
				ctx context.Context, tx store.Tx, current Versions,
			) (Result, error) {
				return f.search.findInColumns(ctx, tx, query, current, true)
			})
			if err != nil || !slices.Equal(found.Keys, c.want) {
				f.Errorf("%q with %+v finds %v, %v, want %v", c.query, c.rules, found.Keys, err, c.want)
			}
		}
	})
}
