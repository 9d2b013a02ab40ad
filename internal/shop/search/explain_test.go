package search

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/language"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// explain returns the result of a query by relevance with an explanation.
func (s *textShop) explain(query string) Result {
	s.t.Helper()
	s.indexTexts(maxStaleRows)
	return s.find(&searchFilter{text: query}, &s.base,
		Query{Text: query, Sort: ByRelevance, Limit: 100, WithExplanation: true})
}

func TestExplain_saysHowAndWhereEachWordMatches(t *testing.T) {
	s := newTextShop(t)
	brand, note := s.value(1, "Philips"), s.value(2, "Тёплый свет")
	s.put(productRow{name: "Лампа настольная для iPhone 15", description: "Стоит на столе",
		features: []featureValue{brand, note}, variants: []variantRow{{price: 10, inStock: true, sku: "LN-204-77"}}})
	s.add("Чайник")
	s.synonyms.add(s.vocabulary.stemmer, []string{"светильник"}, [][]string{{"лампа"}})

	for query, want := range map[string][]WordHit{
		"лампа":    {{Typed: "лампа", How: WordExact, By: []string{"лампа"}, Where: InName}},
		"Лампы":    {{Typed: "Лампы", How: WordForm, By: []string{"лампа"}, Where: InName}},
		"настол":   {{Typed: "настол", How: WordPrefix, By: []string{"настольная"}, Where: InName, Cost: costPrefix}},
		"iphone15": {{Typed: "iphone15", How: WordExact, By: []string{"iphone", "15"}, Where: InName}},
		"philips": {{Typed: "philips", How: WordExact, By: []string{"Philips"}, Where: InValues,
			Cost: fieldCosts[fieldValues]}},
		"теплые": {{Typed: "теплые", How: WordForm, By: []string{"Тёплый свет"}, Where: InValues,
			Cost: fieldCosts[fieldValues]}},
		"столе": {{Typed: "столе", How: WordExact, By: []string{"столе"}, Where: InDescription,
			Cost: fieldCosts[fieldDescription]}},
		"ln-204-77": {{Typed: "ln-204-77", How: WordExact, By: []string{"ln20477"}, Where: InCode}},
		"ln204":     {{Typed: "ln204", How: WordPrefix, By: []string{"ln20477"}, Where: InCode, Cost: costPrefix}},
		"светильник": {{Typed: "светильник", How: WordSynonym, Read: "лампа", By: []string{"лампа"}, Where: InName,
			Cost: costSynonym}},
		"kfvgf": {{Typed: "kfvgf", How: WordLayout, Read: "лампа", By: []string{"лампа"}, Where: InName,
			Cost: costLayout}},
		"kfvgf yfcnjkmyfz": {{Typed: "kfvgf", How: WordLayout, Read: "лампа", By: []string{"лампа"}, Where: InName,
			Cost: costLayout}, {Typed: "yfcnjkmyfz", How: WordLayout, Read: "настольная",
			By: []string{"настольная"}, Where: InName, Cost: costLayout}},
		"i phone": {{Typed: "i phone", How: WordExact, By: []string{"iphone"}, Where: InName}},
		"айфон": {{Typed: "айфон", How: WordSound, Read: "iphone", By: []string{"iphone"}, Where: InName,
			Cost: costSound + language.SoundDistance("айфон", "iphone")}},
		"настальная": {{Typed: "настальная", How: WordTypo, Read: "настольная", By: []string{"настольная"},
			Where: InName, Cost: costOfErrors(1, language.Nearness("настальная", "настольная"))}},
		"лампа с philips": {{Typed: "лампа", How: WordExact, By: []string{"лампа"}, Where: InName},
			{Typed: "с", Optional: true, Cost: costOptional},
			{Typed: "philips", How: WordExact, By: []string{"Philips"}, Where: InValues,
				Cost: fieldCosts[fieldValues]}},
		"лампа фырк": {{Typed: "лампа", How: WordExact, By: []string{"лампа"}, Where: InName}, {Typed: "фырк"}},
	} {
		found := s.explain(query)
		if len(found.Text.Hits) != 1 || !reflect.DeepEqual(found.Text.Hits[0].Words, want) {
			t.Errorf("%q:\n\t%+v\nwant\n\t%+v", query, found.Text.Hits, want)
		}
	}
}

func TestExplain_namesTheCategoryAboveAProduct(t *testing.T) {
	s := newTextShop(t)
	for key, name := range []string{"Освещение", "Торшеры"} {
		s.tree.assign(int64(key + 1))
		s.tree.nodes = append(s.tree.nodes, categoryNode{name: name, parent: noIndex})
	}
	s.tree.nodes[1].parent = 0
	s.put(productRow{name: "Модель 7", categories: []int64{2}})

	found := s.explain("освещение")
	if len(found.Text.Hits) != 1 || !slices.Equal(found.Text.Hits[0].Words[0].By, []string{"Освещение"}) {
		t.Errorf("%+v", found.Text.Hits)
	}
}

// The parts of an explanation are those of the rank by which products are sorted.
func TestExplain_hasThePartsOfTheRank(t *testing.T) {
	s := newTextShop(t)
	s.add("Чехол для iPhone 15", "Чехол кожаный тонкий для iPhone 15", "Чехлы для iPhone 15")
	s.put(productRow{name: "Чехол для iPhone 15", variants: []variantRow{{price: noPrice}}})
	s.put(productRow{name: "Стекло для iPhone 15", description: "Как чехол",
		variants: []variantRow{{price: 10, inStock: true, sku: "чехол iphone15"}}})
	s.add("Плёнка")
	s.pinned = map[string][]int64{language.FoldQuery("чехол iphone 15"): {6}}

	found := s.explain("чехол iphone 15")
	if !slices.Equal(found.Keys, []int64{6, 5, 1, 4, 3, 2}) || found.Text.Stage != MatchedSynonym {
		t.Errorf("%v in stage %s", found.Keys, found.Text.Stage)
	}

	for i, h := range found.Text.Hits {
		if h.Key != found.Keys[i] || h.IsPinned != (i == 0) || h.IsCode != (i == 1) || h.IsAvailable == (i == 3) {
			t.Errorf("hit %d is %+v", i, h)
		}

		cost, forms := 0, 0
		for _, w := range h.Words {
			cost += w.Cost
			if w.How == WordForm {
				forms++
			}
		}
		if cost != h.Cost || forms != h.Forms {
			t.Errorf("the words of hit %d cost %d with %d forms, the hit %d with %d", i, cost, forms, h.Cost, h.Forms)
		}
	}

	last := found.Text.Hits[5]
	if last.Distance != 6 {
		t.Errorf("the words of the last product have the distance %d, want 6", last.Distance)
	}
	if other := s.search("чехол").Text; other.Hits != nil || other.Stage != "" {
		t.Errorf("not asked for, and explained: %+v", other)
	}
}

// Without columns in memory, Explain builds columns for the call.
func TestExplain_withAndWithoutColumns(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		lamp := f.catalog.CreateProduct("Desk lamp", 1, catalog.ProductEdit{})
		explain := func(node *Service) (Result, error) {
			return f.runLookup(node, func(ctx context.Context, tx store.Tx, current Versions) (Result, error) {
				return node.Explain(ctx, tx, Query{Text: "lapm", Sort: ByRelevance, Limit: 10}, current)
			})
		}

		check := func() {
			f.Helper()
			found, err := explain(f.search)
			if err != nil || !slices.Equal(found.Keys, []int64{lamp.Key}) || found.Total != 1 ||
				len(found.Text.Hits) != 1 || found.Text.Hits[0].Words[0].How != WordTypo {
				f.Errorf("%+v, %v", found, err)
			}
		}
		check()

		f.Start(f.search.Run)
		f.waitForColumns(f.search)
		check()

		_, err := explain(New(Deps{DB: f.DB, Memory: -buildSlack - 1}))
		if fault.KindOf(err) != fault.Unavailable {
			f.Errorf("the columns do not fit into the memory: %v", err)
		}
	})
}
