package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/id"
	"vitrine/internal/kit/language"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/catalog"
)

// textShop is a shop in columns without a database, for tests of searches for words.
type textShop struct {
	*searchColumns
	t     *testing.T
	names map[int64]string
}

func newTextShop(t *testing.T) *textShop {
	s := &textShop{newColumns(), t, map[int64]string{}}
	s.vocabulary.setStemmer(language.StemmerFor("ru"))
	s.attributes[1] = &attribute{key: 1, kind: catalog.Feature, filterable: true, name: "Brand"}
	s.attributes[2] = &attribute{key: 2, kind: catalog.Feature, name: "Note"}
	s.assignColumns(func(int64) bool { return true })
	return s
}

// add adds products with these names, with the keys 1, 2 and so on.
func (s *textShop) add(names ...string) {
	for _, name := range names {
		s.put(productRow{name: name})
	}
}

func (s *textShop) put(p productRow) {
	if p.key == 0 {
		p.key = int64(len(s.names) + 1)
		p.created = p.key
	}
	p.sortName = locale.SearchText(p.name)
	if p.variants == nil {
		p.variants = []variantRow{{price: 10, inStock: true}}
	}
	s.names[p.key] = p.name
	s.searchColumns.put(&p)
}

// value adds a value of a feature.
func (s *textShop) value(feature int64, name string) featureValue {
	key := int64(1000 + len(s.values.byID))
	s.values.assign(key)
	s.values.byID = append(s.values.byID, valueInfo{attribute: feature, id: id.New[catalog.Value](), name: name})
	return featureValue{feature, key}
}

// search returns the result of a query by relevance.
func (s *textShop) search(query string) Result {
	s.t.Helper()
	s.indexTexts(maxStaleRows)
	return s.find(&searchFilter{text: query}, &s.base,
		Query{Text: query, Sort: ByRelevance, Limit: 100, WithHighlights: true})
}

// want checks the names of the found products, in their order.
func (s *textShop) want(query string, names ...string) *TextResult {
	s.t.Helper()
	found := s.search(query)
	var got []string
	for _, key := range found.Keys {
		got = append(got, s.names[key])
	}
	if !slices.Equal(got, names) {
		s.t.Errorf("%q finds\n\t%s\nwant\n\t%s\n%+v", query, strings.Join(got, "\n\t"), strings.Join(names, "\n\t"),
			*found.Text)
	}
	return found.Text
}

func TestText_everydayQueries(t *testing.T) {
	s := newTextShop(t)
	names := []string{"Лампа настольная светодиодная", "Кроссовки мужские Nike Air", "Desk lamp", "Ёлка искусственная",
		"Чехол для iPhone 15 Pro"}
	for i, name := range names {
		sku := fmt.Sprintf("%c-1", 'A'+i)
		s.put(productRow{name: name, variants: []variantRow{{price: 10, inStock: true, sku: sku}}})
	}

	for query, want := range map[string]int{
		"лампа": 0, "лампы": 0, "настольные": 0, "lamps": 2, "светодеодная": 0, "кросовки": 1, "lmap": 2, "елка": 3,
		"найк": 1, "айфон15": 4, "чехол айфон15": 4, "xt[jk fqajy": 4,
		"xt[jk": 4, "чехол iphone15": 4, "a1": 0, "A-1": 0, "кроссовки найк": 1, "krossovki": 1, "yfcnjkmyfz kfvgf": 0,
		"чехлы": 4, "лам": 0, "айфон": 4, "чехол для айфона": 4,
	} {
		s.want(query, names[want])
	}
	got := s.want("лампа фырк", names[0])
	if got.Matched != MatchedPartial || !slices.Equal(got.Dropped, []string{"фырк"}) {
		t.Errorf("%+v", got)
	}
	s.want("фырк")
	s.want("чехол дл", names[4])
	s.want("лампа на", names[0])
}
