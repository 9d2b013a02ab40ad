package relevance

import (
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/config"
)

// floors are the least shares of hits among the first three, and the least precision at ten, by group. They lie a
// little under what was measured: a change that falls below one has made search worse.
func floors() map[string]struct{ hits, precision float64 } {
	return map[string]struct{ hits, precision float64 }{
		"exact": {0.98, 0.98}, "forms": {0.98, 0.98}, "typos": {0.98, 0.98}, "layout": {0.98, 0.98},
		"translit": {0.98, 0.98}, "models": {0.98, 0.94}, "brand": {0.98, 0.99}, "colour": {0.98, 0.97},
		"synonyms": {0.98, 0.94}, "prefix": {0.95, 0.94}, "extra": {0.98, 0.96}, "nonsense": {0.97, 1},
	}
}

func TestRelevance_staysAboveItsFloors(t *testing.T) {
	shops, err := Open(t.Context(), config.Storage{Data: t.TempDir()}, Products)
	if err != nil {
		t.Fatal(err)
	}
	result, err := shops.Run(func(Label) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	english, err := shops.RunEnglish()
	if err != nil {
		t.Fatal(err)
	}
	if err := shops.Close(); err != nil {
		t.Fatal(err)
	}

	t.Run("both languages", func(t *testing.T) { wantFloors(t, result) })
	t.Run("the English demo", func(t *testing.T) {
		if english.all.queries < 200 {
			t.Errorf("only %d queries have products", english.all.queries)
		}
		wantFloors(t, english)
	})
}

// wantFloors fails the test if a group is below its floor.
func wantFloors(t *testing.T, result *Result) {
	t.Helper()
	var table strings.Builder
	if err := result.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	t.Logf("the figures:\n%s", &table)

	for _, name := range Groups() {
		s, asked := result.groups[name]
		if !asked {
			continue
		}
		floor := floors()[name]
		if hits := ratio(float64(s.hits), s.queries); hits < floor.hits {
			t.Errorf("%s: hits among the first three are %.3f, at least %.3f is the floor", name, hits, floor.hits)
		}
		if p := ratio(s.precision, s.preciseOf); p < floor.precision {
			t.Errorf("%s: the precision at ten is %.3f, at least %.3f is the floor", name, p, floor.precision)
		}
	}

	if empty := ratio(float64(result.all.empty), result.all.queries); empty > 0.01 {
		t.Errorf("%.3f of the queries find nothing", empty)
	}
	if result.all.first != result.all.firstOf {
		t.Errorf("%d of %d exact numbers come first", result.all.first, result.all.firstOf)
	}
	if t.Failed() {
		for i := range result.Outcomes {
			t.Log(result.Outcomes[i].Missed())
		}
	}
}

// Each group has enough queries, in both languages, each once, and all files are parsed.
func TestLabels(t *testing.T) {
	labels, err := Labels()
	if err != nil {
		t.Fatal(err)
	}

	counts, languages := map[string]int{}, map[string]int{}
	seen := map[string]bool{}
	for _, l := range labels {
		counts[l.Group]++
		languages[l.Language]++
		if key := l.Language + " " + l.Query; seen[key] {
			t.Errorf("%s is in the files twice", key)
		} else {
			seen[key] = true
		}
	}

	if len(labels) < 500 || languages["en"] < 150 || languages["ru"] < 350 {
		t.Errorf("there are %d labels: %v", len(labels), languages)
	}
	for _, g := range Groups() {
		if counts[g] < 40 {
			t.Errorf("the group %s has %d queries, want at least 40", g, counts[g])
		}
	}
}

// The labels hold for catalogues of another size, so they do not depend on single products.
func TestLabels_holdForAnotherSize(t *testing.T) {
	labels, err := Labels()
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range Languages() {
		c := newCatalogue(language, demoLanguage(language), 2*Products)
		for _, l := range labels {
			if l.Language != language {
				continue
			}
			if _, err := newQuery(l, c); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestParseLabels_refusesMistakes(t *testing.T) {
	for _, line := range []string{
		"exact | ru | лампа", "exact | ru | лампа | лампа | 2", "exakt | ru | лампа | лампа",
		"exact | fr | lampe | lampe",
	} {
		if labels, err := parseLabels(line); err == nil {
			t.Errorf("the line %q is parsed as %+v", line, labels)
		}
	}
	labels, err := parseLabels("# a comment\n\nforms | ru | стулья | стул\n")
	if want := []Label{{"forms", "ru", "стулья", "стул"}}; err != nil || !slices.Equal(labels, want) {
		t.Errorf("the labels are %v: %v", labels, err)
	}
}

func TestFold(t *testing.T) {
	for value, want := range map[string]string{
		"Ёлка, зелёный":    "елка зеленый",
		"Чайник L'Oréal":   "чаиник loreal",
		"Дрель-шуруповёрт": "дрель шуруповерт",
		"1,7 л":            "1 7 л",
	} {
		want = strings.ReplaceAll(want, "чаиник", "чайник")
		if got := strings.Join(fold(value), " "); got != want {
			t.Errorf("%s is folded to %q, want %q", value, got, want)
		}
	}
}

// A predicate says yes and no to the products that it should.
func TestQuery_relevant(t *testing.T) {
	c := newCatalogue("ru", demoLanguage("ru"), 400)
	find := func(part string) *document {
		for i := range c.documents {
			if strings.Contains(c.documents[i].product.Name, part) {
				return &c.documents[i]
			}
		}
		t.Fatalf("no product has %q in its name", part)
		return nil
	}
	lamp, cover := find("Лампа настольная"), find("Чехол")

	for want, relevant := range map[string][2]bool{ // the lamp, the case
		"лампа":                     {true, false},
		"name:ламп*":                {true, false},
		"лампа|чехол":               {true, true},
		"лампа настольная":          {true, false},
		"лампа_настольная":          {true, false},
		"настольная_лампа":          {false, false},
		"!лампа":                    {false, true},
		"category:чехлы":            {false, true},
		"brand:" + brandOf(lamp):    {true, false},
		"text:" + brandOf(cover):    {false, true},
		"лампа brand:" + "нетакого": {false, false},
	} {
		q, err := newQuery(Label{"exact", "ru", "x", want}, c)
		if strings.Contains(want, "нетакого") || want == "настольная_лампа" {
			if err == nil {
				t.Errorf("%s: a label without relevant products is accepted", want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]bool{q.relevant(lamp), q.relevant(cover)}; got != relevant {
			t.Errorf("%s: got %v, want %v", want, got, relevant)
		}
	}
}

func brandOf(d *document) string { return strings.Join(d.words["brand"][0], "_") }

func TestNewQuery_fillsPlaceholders(t *testing.T) {
	c := newCatalogue("en", demoLanguage("en"), 200)
	product := &c.documents[16].product
	sku := product.Variants[0].SKU
	parts := strings.Split(sku, "-")
	for text, want := range map[string]string{
		"{sku 17}":              sku,
		"a {sku 17 lower} b":    "a " + strings.ToLower(sku) + " b",
		"{sku 17 glued}":        strings.Join(parts, ""),
		"{sku 17 spaced lower}": strings.ToLower(strings.Join(parts, " ")),
		"{sku 17 head}":         parts[0] + "-" + parts[1],
		"{sku 17 number}":       parts[1],
		"{external 17 layout}":  otherLayout(product.ExternalID),
	} {
		q, err := newQuery(Label{"models", "en", text, "same"}, c)
		if err != nil {
			t.Fatal(err)
		}
		if q.text != want || !q.relevant(&c.documents[16]) || q.relevant(&c.documents[15]) || q.relevantProducts != 1 {
			t.Errorf("%s is %q with %d relevant products, want %q", text, q.text, q.relevantProducts, want)
		}
	}

	for _, l := range []Label{
		{"models", "en", "{sku}", "same"}, {"models", "en", "{sku x}", "same"}, {"models", "en", "{colour 1}", "same"},
		{"models", "en", "{sku 1 upside}", "same"}, {"models", "en", "{sku 1", "same"},
		{"models", "en", "lamp", "same"},
		{"models", "en", "lamp", "color:red"}, {"models", "en", "{sku 201}", "same"},
	} {
		if _, err := newQuery(l, c); err == nil {
			t.Errorf("the mistake in %+v is not found", l)
		}
	}

	if got := otherLayout("Xt[jk"); got != "чехол" {
		t.Errorf("the other layout of xt[jk is %s", got)
	}
}

// A hit is a relevant product among the first three, or the first one for a whole number; nonsense has to find nothing.
func TestJudge(t *testing.T) {
	c := newCatalogue("en", demoLanguage("en"), 100)
	ids := func(numbers ...int) (a answer) {
		for _, n := range numbers {
			a.Data = append(a.Data, struct {
				ExternalID string `json:"external_id"`
				Name       string `json:"name"`
			}{c.generator.ExternalID(n), ""})
		}
		return a
	}

	honest := ids(4)
	honest.Meta.Search.Matched = "none"

	for name, test := range map[string]struct {
		label  Label
		answer answer
		hit    bool
	}{
		"second":        {Label{"models", "en", "{sku 17}", "same"}, ids(4, 17), true},
		"third":         {Label{"models", "en", "{sku 17}", "same"}, ids(4, 5, 17), true},
		"fourth":        {Label{"models", "en", "{sku 17}", "same"}, ids(4, 5, 6, 17), false},
		"not the first": {Label{"models", "en", "{sku 17}", "first"}, ids(4, 17), false},
		"the first":     {Label{"models", "en", "{sku 17}", "first"}, ids(17, 4), true},
		"empty":         {Label{"models", "en", "{sku 17}", "same"}, ids(), false},
		"no nonsense":   {Label{"nonsense", "en", "qqq", "nothing"}, ids(), true},
		"nonsense":      {Label{"nonsense", "en", "qqq", "nothing"}, ids(4), false},
		"honest":        {Label{"nonsense", "en", "qqq", "nothing"}, honest, true},
	} {
		q, err := newQuery(test.label, c)
		if err != nil {
			t.Fatal(err)
		}

		o, err := judge(q, c, test.answer)
		if err != nil || o.hit != test.hit {
			t.Errorf("%s: a hit is %t, want %t: %v", name, o.hit, test.hit, err)
		}
		if missed := o.Missed(); (missed == "") != test.hit {
			t.Errorf("%s: the text is %q", name, missed)
		}

		var s score
		s.add(o)
		if name == "empty" && s.empty != 1 || name == "no nonsense" && s.empty != 0 || s.queries != 1 ||
			name == "the first" && s.first != 1 || name == "not the first" && (s.first != 0 || s.firstOf != 1) {
			t.Errorf("%s: the score is %+v", name, s)
		}
	}

	q, err := newQuery(Label{"models", "en", "{sku 17}", "same"}, c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := judge(q, c, ids(101)); err == nil {
		t.Error("an unknown product is accepted")
	}
}
