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

// Each rule of the order by relevance, by two products that differ in nothing else. The second one is newer, so that it
// would be first without the rule.
func TestRelevance_rules(t *testing.T) {
	brand := func(s *textShop) []featureValue { return []featureValue{s.value(1, "Лампада Плюс")} }

	for rule, test := range map[string]struct {
		query       string
		first, then func(s *textShop) productRow
	}{
		"an SKU that is the query comes before a name that has it": {"АБ-12",
			func(*textShop) productRow {
				return productRow{name: "Полка", variants: []variantRow{{price: 1, inStock: true, sku: "аб12"}}}
			},
			func(*textShop) productRow { return productRow{name: "АБ-12 новая"} }},
		"a name comes before the value of a feature": {"лампада",
			func(*textShop) productRow { return productRow{name: "Медная лампада"} },
			func(s *textShop) productRow { return productRow{name: "Светильник", features: brand(s)} }},
		"the value of a feature comes before a description": {"лампада",
			func(s *textShop) productRow { return productRow{name: "Светильник", features: brand(s)} },
			func(*textShop) productRow {
				return productRow{name: "Светильник", description: "Лампада."}
			}},
		"the value of a feature that is not filterable counts as well": {"лампада",
			func(s *textShop) productRow {
				return productRow{name: "Светильник", features: []featureValue{s.value(2, "лампада")}}
			},
			func(*textShop) productRow {
				return productRow{name: "Светильник", description: "Лампада."}
			}},
		"the beginning of a word of a name comes before a whole word of a description": {"ламп",
			func(*textShop) productRow { return productRow{name: "Лампочка"} },
			func(*textShop) productRow { return productRow{name: "Патрон", description: "Для ламп."} }},
		"a word comes before another form of it": {"лампы",
			func(*textShop) productRow { return productRow{name: "Лампы"} },
			func(*textShop) productRow { return productRow{name: "Лампа"} }},
		"a whole word comes before a beginning": {"стол",
			func(*textShop) productRow { return productRow{name: "Стол"} },
			func(*textShop) productRow { return productRow{name: "Столешница"} }},
		"a word at the beginning of a name comes first": {"лампа",
			func(*textShop) productRow { return productRow{name: "Лампа зелёная"} },
			func(*textShop) productRow { return productRow{name: "Зелёная лампа"} }},
		"words that follow one another come first": {"лампа зелёная",
			func(*textShop) productRow { return productRow{name: "Лампа зелёная новая"} },
			func(*textShop) productRow { return productRow{name: "Лампа новая зелёная"} }},
		"what is in stock comes first": {"лампа",
			func(*textShop) productRow { return productRow{name: "Лампа"} },
			func(*textShop) productRow { return productRow{name: "Лампа", variants: []variantRow{{price: 1}}} }},
		"what has a price comes first": {"лампа",
			func(*textShop) productRow { return productRow{name: "Лампа"} },
			func(*textShop) productRow {
				return productRow{name: "Лампа", variants: []variantRow{{price: noPrice, inStock: true}}}
			}},
		"a typing error comes after the right word, if nothing else is found": {"светлячёк полка",
			func(*textShop) productRow { return productRow{name: "Светлячок полка"} },
			func(*textShop) productRow { return productRow{name: "Светлячок и полка"} }},
	} {
		t.Run(rule, func(t *testing.T) {
			s := newTextShop(t)
			s.put(test.first(s))
			s.put(test.then(s))

			if found := s.search(test.query); !slices.Equal(found.Keys, []int64{1, 2}) {
				t.Errorf("%q finds %v, want 1 before 2", test.query, found.Keys)
			}
		})
	}
}

func TestRelevance_equalProductsAreOrderedByCreation(t *testing.T) {
	s := newTextShop(t)
	s.add("Лампа", "Лампа", "Лампа")
	if found := s.search("лампа"); !slices.Equal(found.Keys, []int64{3, 2, 1}) {
		t.Errorf("found %v, want the newest first", found.Keys)
	}
}

// The weaker ways are tried only where the stronger ones find fewer than 50 products.
func TestText_weakerWaysAreTriedForFewProducts(t *testing.T) {
	for _, exact := range []int{enoughFound - 1, enoughFound} {
		s := newTextShop(t)
		s.synonyms.addGroup(s.vocabulary.stemmer, [][]string{{"лампа"}, {"светильник"}})
		for range exact {
			s.add("Лампа")
		}
		s.add("Лампадка", "Светильник", "Лапма")

		want := int64(exact)
		if exact < enoughFound {
			want += 1 // the beginning; then there are enough
		}
		if found := s.search("лампа"); found.Total != want {
			t.Errorf("%d products have the word: found %d, want %d", exact, found.Total, want)
		}
	}
}

func TestText_synonyms(t *testing.T) {
	s := newTextShop(t)
	s.synonyms.addGroup(s.vocabulary.stemmer, [][]string{{"лампа"}, {"осветительный", "прибор"}})
	s.synonyms.add(s.vocabulary.stemmer, []string{"мобильник"}, [][]string{{"телефон"}})
	s.add("Лампа", "Осветительный прибор", "Телефон")

	if text := s.want("лампы", "Лампа", "Осветительный прибор"); text.Matched != MatchedForms {
		t.Errorf("%+v", text)
	}
	s.want("осветительные приборы", "Осветительный прибор", "Лампа")
	if text := s.want("мобильник", "Телефон"); text.Matched != MatchedSynonym || text.Corrected != "" {
		t.Errorf("%+v", text)
	}
	if found := s.search("телефон"); found.Total != 1 {
		t.Errorf("a rule of one way finds %d products in the other direction", found.Total)
	}
}

func TestText_pinsComeFirstForTheirQueryOnly(t *testing.T) {
	s := newTextShop(t)
	s.add("Лампа", "Стол", "Лампа новая")
	s.pinned = map[string][]int64{"лампа": {2, 99, 1}}

	found := s.search("Лампа")
	if !slices.Equal(found.Keys, []int64{2, 1, 3}) || found.Total != 3 {
		t.Errorf("found %v of %d", found.Keys, found.Total)
	}
	if found := s.search("лампа новая"); found.Keys[0] != 3 {
		t.Errorf("another query finds %v", found.Keys)
	}
}

func TestText_mostWordsAreEnoughIfNothingHasAll(t *testing.T) {
	s := newTextShop(t)
	s.add("Лампа настольная", "Лампа", "Стол")

	text := s.want("лампа настольная фиолетовая", "Лампа настольная")
	if text.Matched != MatchedPartial || !slices.Equal(text.Dropped, []string{"фиолетовая"}) {
		t.Errorf("%+v", text)
	}
	if text := s.want("фиолетовая мраморная лампа"); text.Matched != MatchedNone || len(text.Dropped) != 3 {
		t.Errorf("less than half of the words: %+v", text)
	}
}

func TestText_saysHowAQueryWasUnderstood(t *testing.T) {
	s := newTextShop(t)
	s.add("Кроссовки Nike", "Чехол")

	for query, want := range map[string]TextResult{
		"кроссовки":      {Matched: MatchedExact},
		"кроссовок":      {Matched: MatchedForms},
		"кросс":          {Matched: MatchedPrefix},
		"кросовки nike":  {Matched: MatchedCorrected, Corrected: "кроссовки nike"},
		"Кроссовки найк": {Matched: MatchedCorrected, Corrected: "Кроссовки nike"},
		"xt[jk":          {Matched: MatchedCorrected, Corrected: "чехол"},
		"чехолкроссовки": {Matched: MatchedCorrected, Corrected: "чехол кроссовки"},
	} {
		got := *s.search(query).Text
		if query == "чехолкроссовки" { // no product has both
			want = TextResult{Matched: MatchedNone, Dropped: []string{query}}
		}
		if got.Matched != want.Matched || got.Corrected != want.Corrected || !slices.Equal(got.Dropped, want.Dropped) {
			t.Errorf("%q: %+v, want %+v", query, got, want)
		}
	}
}

func TestHighlights_areWholeWordsInUnitsOfUTF16(t *testing.T) {
	s := newTextShop(t)
	s.add("👟 Кроссовки Nike-15", "Кроссовки")
	h := s.search("кроссовок nike").Text.Highlights
	if got, want := h.Of("👟 Кроссовки Nike-15"), []Highlight{{3, 9}, {13, 4}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := h.Of("Стол"); got == nil || len(got) > 0 {
		t.Errorf("a name without the words: %v", got)
	}
}

// A word that is being typed may have a typing error. Words that begin with it as it is come first.
func TestText_typingErrorsInBeginnings(t *testing.T) {
	s := newTextShop(t)
	names := []string{"Кроссовки Nike", "Наушники Sony", "Смартфон Samsung Galaxy", "Светильник потолочный", "Стол"}
	s.add(names...)

	for query, want := range map[string]int{
		"кросовк": 0, "крассо": 0, "нашн": 1, "ноушн": 1, "смрат": 2, "светилни": 3, "свитилнь": 3, "смартфон самс": 2,
		"нау": 1, "нуа": -1, "samsng gal": 2, "наушнек": 1, "смартфон samsn": 2, "стал": 4,
	} {
		if want < 0 {
			if text := s.search(query).Text; text.Matched == MatchedCorrected {
				t.Errorf("%s is understood as %+v", query, *text)
			}
			continue
		}
		s.want(query, names[want])
	}

	text := s.search("смартфон самс").Text
	if text.Matched != MatchedCorrected || text.Corrected != "смартфон samsung" {
		t.Errorf("a guess at a beginning is not the whole word: %+v", *text)
	}

	// As long as words begin with what was typed, they are not taken for the beginnings of others.
	s.add("Наушка")
	s.want("наушн", "Наушники Sony")
	if text := s.search("наушн nike").Text; text.Matched == MatchedCorrected {
		t.Errorf("a known beginning is corrected: %+v", *text)
	}
}

// Words that are typed with the other layout count like those that were meant, whatever separates them.
func TestText_otherLayout(t *testing.T) {
	s := newTextShop(t)
	s.add("Свет лампа", "Чехол на iPhone", "Чехол для ремня", "Лампа")

	s.want("cdtn/kfvgf", "Свет лампа")
	s.want("xt[jk+fqajy", "Чехол на iPhone")
	s.want("xt[jk lkz fqajy", "Чехол на iPhone") // lkz is для, which says little
}

// Filters that leave nothing do not change how a query was understood.
func TestText_isUnderstoodWithoutTheFilters(t *testing.T) {
	s := newTextShop(t)
	s.add("Кроссовки Nike", "Чехол")
	price := int64(1000)
	for query, want := range map[string]Matched{
		"чехол": MatchedExact, "кросовки": MatchedCorrected, "чехол найк": MatchedPartial, "фырк": MatchedNone,
	} {
		s.indexTexts(maxStaleRows)
		found := s.find(&searchFilter{text: query, price: bounds[int64]{from: &price}}, &s.base,
			Query{Text: query, Sort: ByRelevance, Limit: 10})
		unfiltered := s.search(query).Text
		if found.Total != 0 || found.Text.Matched != want || unfiltered.Matched != want ||
			!slices.Equal(found.Text.Dropped, unfiltered.Dropped) || found.Text.Corrected != unfiltered.Corrected {
			t.Errorf("%s: %d found, %+v, without the filter %+v", query, found.Total, *found.Text, *unfiltered)
		}
	}
}

// Words, rows and blocks have other numbers after they are clustered, and after changes; the results are the same.
func TestText_resultsDependOnTheCatalogueOnly(t *testing.T) {
	queries := []string{"лампа", "лампы зелёные", "ламп", "зелен стол", "кросовки", "найк", "медь", "sku 17",
		"лампа синяя", "xt[jk", "полка лампа", "деревянный"}
	results := func(s *textShop) (all []string) {
		for _, query := range queries {
			found := s.search(query)
			all = append(all, fmt.Sprintln(query, found.Keys, found.Text.Matched, found.Text.Corrected))
		}
		return all
	}
	kinds := []string{"Лампа", "Стол", "Полка", "Кроссовки Nike", "Чехол"}
	colours := []string{"зелёная", "зелёный", "красные", "медная"}
	product := func(key int64) productRow {
		v := variantRow{price: key % 50, inStock: key%3 > 0, sku: fmt.Sprint("SKU-", key),
			barcodes: "460000|00" + fmt.Sprint(key)}
		return productRow{key: key, created: key % 100, description: fmt.Sprint("Описание ", key%11),
			name: fmt.Sprint(kinds[key%5], " ", colours[key/5%4], " ", key%7), variants: []variantRow{v}}
	}

	const rows = blockLen + 700
	straight := newTextShop(t)
	for key := range int64(rows) {
		straight.put(product(key + 1))
	}
	want := results(straight)

	straight.cluster()
	if got := results(straight); !slices.Equal(got, want) {
		t.Errorf("clustered:\n%s\nwant\n%s", got, want)
	}

	changed := newTextShop(t)
	for key := range int64(rows) {
		other := product(key + 1 + key%2)
		other.key = key + 1
		changed.put(other)
	}
	changed.cluster()
	changed.put(productRow{key: rows + 5, name: "Лампа зелёная лишняя"})
	changed.indexTexts(maxStaleRows)
	for key := range int64(rows) {
		changed.put(product(key + 1))
		if key%1000 == 0 {
			changed.indexTexts(maxStaleRows)
		}
	}
	changed.remove(rows + 5)
	if got := results(changed); !slices.Equal(got, want) {
		t.Errorf("changed:\n%s\nwant\n%s", got, want)
	}
}

// What people can send is answered with bounded work: no panic, no endless loop.
func TestText_strangeQueries(t *testing.T) {
	s := newTextShop(t)
	s.add("Лампа настольная", "100% хлопок_[a-z]*", "Стол")
	for _, query := range []string{strings.Repeat("а", 1024), strings.Repeat("лапма ", 170), "%_[]*^$\\", "' OR 1=1 --",
		"\x00\xff", strings.Repeat("-", 1000), "а-б-в-г-д-е-ё-ж-з-и-й-к-л-м-н", "👟", "٣٤", strings.Repeat("1.", 300)} {
		found := s.search(query)
		if found.Text == nil || found.Total > 3 {
			t.Errorf("%.20q: %+v", query, found)
		}
	}
}

// Of words that may have been meant equally well, the one that more products have comes first.
func TestText_typingErrorsPreferFrequentWords(t *testing.T) {
	s := newTextShop(t)
	s.add("Boat", "Boot red", "Boot blue", "Boot green")

	if text := s.search("boxt").Text; text.Matched != MatchedCorrected || text.Corrected != "boot" {
		t.Errorf("boxt is understood as %+v", *text)
	}
}
