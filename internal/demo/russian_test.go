package demo_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/demo"
)

func TestAgree(t *testing.T) {
	for _, forms := range [][4]string{
		{"чёрный", "чёрная", "чёрное", "чёрные"},
		{"мягкий", "мягкая", "мягкое", "мягкие"},
		{"строгий", "строгая", "строгое", "строгие"},
		{"зимний", "зимняя", "зимнее", "зимние"},
		{"синий", "синяя", "синее", "синие"},
		{"рыжий", "рыжая", "рыжее", "рыжие"},
		{"блестящий", "блестящая", "блестящее", "блестящие"},
		{"голубой", "голубая", "голубое", "голубые"},
		{"мужской", "мужская", "мужское", "мужские"},
		{"большой", "большая", "большое", "большие"},
		{"Тёмно-синий", "Тёмно-синяя", "Тёмно-синее", "Тёмно-синие"},
		{"хаки", "хаки", "хаки", "хаки"},
		{"LED", "LED", "LED", "LED"},
	} {
		for i, g := range []byte("mfnp") {
			if got := demo.Agree(forms[0], g); got != forms[i] {
				t.Errorf("%s as %c is %s, want %s", forms[0], g, got, forms[i])
			}
		}
	}
}

func TestMonths(t *testing.T) {
	for n, want := range map[int]string{
		1: "месяц", 2: "месяца", 4: "месяца", 5: "месяцев", 11: "месяцев", 12: "месяцев", 21: "месяц", 24: "месяца",
		60: "месяцев",
	} {
		if got := demo.Months(n); got != want {
			t.Errorf("%d %s, want %s", n, got, want)
		}
	}
}

func TestRoundRoubles(t *testing.T) {
	for amount, want := range map[float64]int64{
		0.2: 1, 8.7: 8, 19: 19, 24: 19, 349: 349, 352.5: 349, 999: 999, 1085: 1079, 1100: 1090, 2489: 2390, 2490: 2490,
		19990: 19990, 20100: 19990, 20990: 20990, 54999: 54990,
	} {
		if got := demo.RoundRoubles(amount); got != want {
			t.Errorf("%g roubles are rounded to %d, want %d", amount, got, want)
		}
	}
}

func TestRussianGenerator_isDeterministic(t *testing.T) {
	a, b := demo.NewGeneratorIn(demo.Russian, 7), demo.NewGeneratorIn(demo.Russian, 7)
	other := demo.NewGeneratorIn(demo.Russian, 8)
	same := 0
	for i := 1; i <= 300; i++ {
		if diff := cmp.Diff(a.Product(i), b.Product(i)); diff != "" {
			t.Fatalf("product %d differs:\n%s", i, diff)
		}
		if a.Product(i).Name == other.Product(i).Name {
			same++
		}
	}
	if same > 2 {
		t.Errorf("%d of 300 products have the same name with another seed", same)
	}
}

// adjectiveEndings are the endings of adjectives in the nominative, by gender.
func adjectiveEndings() map[byte][]string {
	return map[byte][]string{'m': {"ый", "ий", "ой", "ийся"}, 'f': {"ая", "яя", "аяся"}, 'n': {"ое", "ее", "ееся"},
		'p': {"ые", "ие", "иеся"}}
}

// The adjectives of names and descriptions agree with the nouns.
func TestRussianGenerator_writesGrammaticalTexts(t *testing.T) {
	genders := map[string]byte{
		"Лампа": 'f', "Люстра": 'f', "Куртка": 'f', "Ёлка": 'f', "Гирлянда": 'f', "Сковорода": 'f', "Машинка": 'f',
		"Чехол": 'm', "Светильник": 'm', "Смартфон": 'm', "Конструктор": 'm', "Блендер": 'm', "Шампунь": 'm',
		"Кресло": 'n', "Платье": 'n', "Бра": 'n', "Масло": 'n', "Одеяло": 'n', "Полотенце": 'n', "Пальто": 'n',
		"Кроссовки": 'p', "Ботинки": 'p', "Джинсы": 'p', "Наушники": 'p', "Саморезы": 'p', "Перчатки": 'p',
		"Шторы": 'p',
	}
	g := demo.NewGeneratorIn(demo.Russian, 1)
	checked := map[string]int{}

	for i := 1; i <= 20_000; i++ {
		p := g.Product(i)
		words := strings.Fields(strings.ReplaceAll(p.Name, ",", " ,"))
		gender, ok := genders[words[0]]
		if !ok {
			continue
		}

		for _, word := range adjectives(words[1:]) {
			checked[words[0]]++
			if endsWithOther(word, gender) {
				t.Errorf("%s: %s does not agree with %s", p.Name, word, words[0])
			}
		}

		first, _, _ := strings.Cut(p.Description, ".")
		praise, _, _ := strings.Cut(first, " ")
		if strings.HasPrefix(strings.ToLower(words[0]), strings.ToLower(praise)) {
			continue
		}
		if endsWithOther(praise, gender) {
			t.Errorf("%s: %s does not agree with %s", p.Description, praise, words[0])
		}
	}

	for noun := range genders {
		if checked[noun] < 5 {
			t.Errorf("%d adjectives of %s were checked, too few", checked[noun], noun)
		}
	}
}

// adjectives returns the words in small letters that follow the noun immediately, and the colour at the end. After a
// preposition no word agrees with the noun.
func adjectives(words []string) (found []string) {
	for i, w := range words {
		if !isSmall(w) || slices.Contains([]string{"для", "в", "с", "на", "из", "через", "о", "по"}, w) {
			break
		}
		found = append(found, words[i])
	}
	if last := words[len(words)-1]; len(words) > 1 && words[len(words)-2] == "," && isSmall(last) {
		found = append(found, last)
	}
	return found
}

func isSmall(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLower(r) && r != '-' })
}

// endsWithOther reports whether a word has the ending of an adjective of another gender.
func endsWithOther(word string, gender byte) bool {
	for g, endings := range adjectiveEndings() {
		if g != gender && slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(word, e) }) {
			return true
		}
	}
	return false
}

// Names, adjectives and materials leave no gaps, and what a product is made of agrees with what its name says.
func TestRussianGenerator_fillsItsPatterns(t *testing.T) {
	g := demo.NewGeneratorIn(demo.Russian, 4)
	names := map[string]int{}
	for i := 1; i <= 20_000; i++ {
		p := g.Product(i)
		names[p.Name]++
		for _, gap := range []string{" из .", " для .", "  ", " ,", ",,", "#", "%", "«»", "()", " ."} {
			if strings.Contains(p.Name+"\n"+p.Description, gap) {
				t.Errorf("%q is in %s: %s", gap, p.Name, p.Description)
			}
		}

		material := featureOf(g, p, "Материал")
		if strings.Contains(p.Name, "деревянн") && material != "" && material != "Дерево" {
			t.Errorf("%s is made of %s", p.Name, material)
		}

		colours := 0
		for _, c := range p.Features {
			if g.Features()[c.Attribute].Name == "Цвет" {
				colours++
			}
		}
		if colour := featureOf(g, p, "Цвет"); strings.HasSuffix(p.Name, ", чёрная") &&
			(colours != 1 || colour != "Чёрный") {
			t.Errorf("%s has the colour %s", p.Name, colour)
		}
	}

	if len(names) < 17_000 {
		t.Errorf("20,000 products have %d different names", len(names))
	}
}

// featureOf returns the first value of a feature, or "".
func featureOf(g *demo.Generator, p demo.Product, name string) string {
	for _, c := range p.Features {
		if g.Features()[c.Attribute].Name == name {
			return g.Features()[c.Attribute].Values[c.Value]
		}
	}
	return ""
}

func TestParseRussianDepartment_refusesMistakes(t *testing.T) {
	const start = "department: Свет\ngroup: Лампы\n"
	sections, err := demo.ParseRussianDepartment(start + "section: Бра | 100 | 0.5\nnouns: n Бра\n")
	if err != nil || !slices.Equal(sections, []string{"Бра"}) {
		t.Errorf("the sections are %v: %v", sections, err)
	}

	for _, text := range []string{
		start + "section: Бра | 100\n", start + "section: Бра | много | 1\n",
		"department: Свет\nsection: Бра | 1 | 1\n",
		start + "colors: Белый\n", start + "nouns\n", start + "feature: Цоколь | E27\n",
		start + "option: Объём | 1 л\n",
		start + "option: Объём | дорого | 1 л\n",
	} {
		if _, err := demo.ParseRussianDepartment(text); err == nil {
			t.Errorf("the mistake in %q is not found", text)
		}
	}
}

// A store can have the catalogues of both languages.
func TestFill_addsTheRussianCatalogue(t *testing.T) {
	const n = 60
	eachDatabase(t, func(s *fixture) {
		s.fill(demo.Options{Products: n, Seed: 3, Stores: s.Stores})
		report := s.fill(demo.Options{Products: n, Seed: 3, Language: demo.Russian, Stores: s.Stores})
		if report.Created != n || report.Sample.Word != strings.ToLower(report.Sample.Word) ||
			len(report.Sample.Colours) != 2 || report.Sample.Colours[0].IsZero() || report.Sample.PriceTo != 5000 {
			s.Errorf("Fill reports %+v", report)
		}

		g := demo.NewGeneratorIn(demo.Russian, 3)
		want := slices.Concat(expectedProducts(demo.NewGenerator(3), n), expectedProducts(g, n))
		if diff := cmp.Diff(want, s.storedProducts()); diff != "" {
			s.Errorf("the products differ (-want +got):\n%s", diff)
		}
		if again := s.fill(demo.Options{Products: n, Seed: 3, Language: demo.Russian}); again.Created != 0 {
			s.Errorf("a second run reports %+v", again)
		}

		found, err := s.Stores.Find(s.Context(), s.Store.ID)
		if err != nil || found.Locale != s.Store.Locale || found.Currency != s.Store.Currency {
			s.Errorf("the store has the locale %s and the currency %s: %v", found.Locale, found.Currency, err)
		}
		s.checkListPrices(g, report.Wholesale, *found.OldPriceList)
	})
}

// Furniture can be assembled, and presents wrapped. The modifiers are in Russian.
func TestRussian_hasModifiers(t *testing.T) {
	t.Parallel()
	g := demo.NewGeneratorIn("ru", 1)
	kinds := map[string]int{}
	for i := 1; i <= 1000; i++ {
		if m := g.Product(i).Modifiers; m != "" {
			kinds[m]++
		}
	}

	if len(kinds) != 3 {
		t.Errorf("there are %d kinds of modifiers, want 3: of toys, of presents and of furniture", len(kinds))
	}
	for m, n := range kinds {
		if !json.Valid([]byte(m)) || n < 10 || !strings.Contains(m, "Сборка") && !strings.Contains(m, "упаковка") {
			t.Errorf("%d of 1000 products have the modifiers %s", n, m)
		}
	}
}
