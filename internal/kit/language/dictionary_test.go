package language_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vitrine/internal/kit/language"
)

// plainDistance is Distance as textbooks define it.
func plainDistance(a, b string) int {
	x, y := []rune(a), []rune(b)
	d := make([][]int, len(x)+1)

	for i := range d {
		d[i] = make([]int, len(y)+1)
		for j := range d[i] {
			if i == 0 || j == 0 {
				d[i][j] = i + j
				continue
			}
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			d[i][j] = min(d[i-1][j-1]+cost, d[i-1][j]+1, d[i][j-1]+1)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(x)][len(y)]
}

func TestDistance_isThatOfTextbooks(t *testing.T) {
	word := rapid.StringMatching(`[abвг1]{0,9}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		limit := rapid.IntRange(0, 4).Draw(t, "limit")
		if got, want := language.Distance(a, b, limit), min(plainDistance(a, b), limit+1); got != want {
			t.Fatalf("Distance(%q, %q, %d) = %d, want %d", a, b, limit, got, want)
		}
	})
}

func TestDictionary_findsWhatAScanFinds(t *testing.T) {
	word := rapid.StringMatching(`[абвгде1]{1,9}`)
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(word, 1, 200).Draw(t, "words")
		slices.Sort(words)
		words = slices.Compact(words)
		d := language.NewDictionary(slices.Values(words))
		asked := word.Draw(t, "asked")
		limit := rapid.IntRange(0, 2).Draw(t, "limit")

		var want []language.Match
		first, last := -1, 0
		for i, w := range words {
			sameDigits := strings.Count(w, "1") == strings.Count(asked, "1")
			if n := plainDistance(asked, w); n <= limit && sameDigits {
				want = append(want, language.Match{Word: i, Errors: n})
			}
			if strings.HasPrefix(w, asked) {
				if first < 0 {
					first = i
				}
				last = i + 1
			}
		}

		if got, complete := d.Near(asked, limit, 1000); !complete || !slices.Equal(got, want) {
			t.Fatalf("Near(%q, %d) = %v, want %v", asked, limit, got, want)
		}
		if from, to := d.Prefix(asked); from < to && (from != first || to != last) || from == to && first >= 0 {
			t.Fatalf("Prefix(%q) = %d, %d, want %d, %d", asked, from, to, first, last)
		}
		i, ok := d.Find(asked)
		if ok != slices.Contains(words, asked) || ok && d.At(i) != asked {
			t.Fatalf("Find(%q) = %d, %t", asked, i, ok)
		}
	})
}

// Of each word the beginning with the fewest errors counts, and words that begin with what was typed are left out.
func TestDictionary_findsTheBeginningsThatAScanFinds(t *testing.T) {
	word := rapid.StringMatching(`[абвг1]{1,10}`)
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(word, 1, 200).Draw(t, "words")
		slices.Sort(words)
		d := language.NewDictionary(slices.Values(slices.Compact(words)))
		typed := rapid.StringMatching(`[абвг]{3,9}`).Draw(t, "typed")

		want := map[string]int{}
		for _, w := range words {
			runes := []rune(w)
			least, nearest, best := language.MaxErrors(typed)+1, 0, ""
			for end := range len(runes) + 1 {
				text := string(runes[:end])
				errors, cost := plainDistance(typed, text), language.Nearness(typed, text)
				if errors < least || errors == least && cost < nearest {
					least, nearest, best = errors, cost, text
				}
			}
			if least > 0 && least <= language.MaxErrors(typed) && !strings.Contains(best, "1") {
				want[best] = least
			}
		}

		found, complete := d.Beginnings(typed, 10_000)
		got := map[string]int{}
		for _, b := range found {
			got[b.Text] = b.Errors
		}
		if !complete || len(found) != len(want) || !maps.Equal(got, want) {
			t.Fatalf("Beginnings(%q) of %v = %v, want %v", typed, words, got, want)
		}
	})
}

func TestDictionary_guessesBeginnings(t *testing.T) {
	var words []string
	for _, name := range []string{"russian_nouns.txt", "english_nouns.txt", "brands.txt"} {
		for _, forms := range readForms(t, name) {
			words = append(words, forms...)
		}
	}
	slices.Sort(words)
	d := language.NewDictionary(slices.Values(slices.Compact(words)))

	for typed, want := range map[string]string{
		"кросовк": "кроссовк", "нашн": "наушн", "ноушн": "наушн", "холодл": "холод", "samsn": "sams", "смрат": "смарт",
		"светилин": "светильн", "кот": "", "йцук": "",
	} {
		found, complete := d.Beginnings(typed, 50_000)
		var list []string
		for _, b := range found[:min(3, len(found))] {
			list = append(list, b.Text)
		}
		if !complete || want == "" && len(list) > 0 || want != "" && !slices.Contains(list, want) {
			t.Errorf("%s is taken for %v, want %q among them", typed, list, want)
		}
	}

	if found, complete := d.Beginnings("кросовк", 1); complete || len(found) > 1 {
		t.Errorf("beyond its budget: %v, complete %t", found, complete)
	}
}

func TestDictionary_findsAllOfManyWords(t *testing.T) {
	words := generatedWords(20_000)
	d := language.NewDictionary(slices.Values(words))
	for i := 0; i < len(words); i += 397 {
		word := []rune(words[i])
		word[i%len(word)] = word[0]
		asked := string(word)

		var want []language.Match
		for n, other := range words {
			errors := language.Distance(asked, other, 2)
			if errors <= 2 && strings.Trim(asked, "0123456789") == asked && strings.Trim(other, "0123456789") == other {
				want = append(want, language.Match{Word: n, Errors: errors})
			}
		}
		if got, _ := d.Near(asked, 2, len(words)); len(want) > 0 && !slices.Equal(got, want) {
			t.Errorf("Near(%q) = %v, want %v", asked, got, want)
		}
	}
}

func TestDictionary_stopsAtItsBudget(t *testing.T) {
	var words []string
	for a := 'а'; a <= 'я'; a++ {
		words = append(words, "ламп"+string(a))
	}
	d := language.NewDictionary(slices.Values(words))
	if found, complete := d.Near("лампо", 1, 5); complete || len(found) > 5 {
		t.Errorf("%d words, complete %t", len(found), complete)
	}
	if found, complete := d.Near("лампо", 1, 100); !complete || len(found) != len(words) {
		t.Errorf("%d words, complete %t", len(found), complete)
	}
}

func TestDictionary_ofNoWords(t *testing.T) {
	d := language.NewDictionary(slices.Values([]string(nil)))
	if _, ok := d.Find("a"); ok || d.Len() != 0 {
		t.Error("an empty dictionary has a word")
	}
	if found, complete := d.Near("лампа", 2, 10); len(found) > 0 || !complete {
		t.Error("an empty dictionary has a near word")
	}
}

func TestDictionary_correctsTypingErrors(t *testing.T) {
	var words []string
	for _, name := range []string{"russian_nouns.txt", "russian_adjectives.txt", "english_nouns.txt", "brands.txt"} {
		for _, forms := range readForms(t, name) {
			words = append(words, forms...)
		}
	}
	words = append(words, "светодиодная", "iphone15", "iphone14")
	slices.Sort(words)
	d := language.NewDictionary(slices.Values(slices.Compact(words)))

	for typed, want := range map[string]string{
		"телискп": "телескоп", "светодеодная": "светодиодная", "кросовки": "кроссовки", "lmap": "lamp",
		"падушка": "подушка", "чхол": "чехол", "холодилник": "холодильник", "samsnug": "samsung",
		"кот": "", "iphone16": "", "пдоушка": "подушка", "headfones": "headphones", "игршка": "игрушка",
	} {
		found, complete := d.Corrections(typed, 50_000)
		if !complete || want == "" && len(found) > 0 || want != "" && (len(found) == 0 || d.At(found[0].Word) != want) {
			var got []string
			for _, m := range found {
				got = append(got, d.At(m.Word))
			}
			t.Errorf("%s: %q, want %q first", typed, got, want)
		}
	}
}

func TestDictionary_splitsWords(t *testing.T) {
	d := language.NewDictionary(slices.Values([]string{"bank", "power", "powerb", "кроссовки", "найк"}))
	for word, want := range map[string]string{
		"powerbank": "[[1 0]]", "кроссовкинайк": "[[3 4]]", "найк": "[]", "powerpowerpower": "[]", "": "[]",
	} {
		if got := fmt.Sprint(d.Splits(word)); got != want {
			t.Errorf("Splits(%q) = %s, want %s", word, got, want)
		}
	}
}

func TestMaxErrors(t *testing.T) {
	for word, want := range map[string]int{
		"": 0, "чай": 0, "стол": 1, "лампа": 1, "подушка": 1, "кроссовк": 2, "12345678": 0, "1.5": 0, "iphone15": 2,
		strings.Repeat("а", 100): 0,
	} {
		if got := language.MaxErrors(word); got != want {
			t.Errorf("MaxErrors(%q) = %d, want %d", word, got, want)
		}
	}
}

func TestNearness_prefersProbableErrors(t *testing.T) {
	for _, c := range [][3]string{ // typed, the more probable word, the less probable one
		{"кот1", "кот2", "кот9"},
		{"лаипа", "лампа", "ларпа1"},
		{"карова", "корова", "ккрова"},
		{"гулба", "губла", "гулфа"},
		{"кросовки", "кроссовки", "кростовки"},
		{"nuke", "nike", "nake"},
		{"lmap", "lamp", "lmao1"},
	} {
		if a, b := language.Nearness(c[0], c[1]), language.Nearness(c[0], c[2]); a >= b {
			t.Errorf("%s: %s costs %d, %s costs %d", c[0], c[1], a, c[2], b)
		}
	}
}

func FuzzDistance(f *testing.F) {
	f.Add("лампа", "ламап", 2)
	f.Add("\xff", "", -1)
	f.Fuzz(func(t *testing.T, a, b string, limit int) {
		limit = min(max(limit, -1), 50)
		n := language.Distance(a, b, limit)
		if n < 0 || n > max(limit, 0)+1 || n != language.Distance(b, a, limit) {
			t.Errorf("Distance(%q, %q, %d) = %d", a, b, limit, n)
		}

		language.Nearness(a, b)
		language.MaxErrors(a)
		if a < b {
			d := language.NewDictionary(slices.Values([]string{a, b}))
			d.Near(a, limit, 10)
			d.Splits(a + b)
			d.Corrections(b, 10)
			d.Prefix(b)
		}
	})
}

// generatedWords returns n different words, sorted: syllables in both scripts, of which some are much more frequent.
func generatedWords(n int) []string {
	random := rand.New(rand.NewPCG(1, 2))
	alphabets := [][2]string{{"бвгдклмнпрстшж", "аоуиеы"}, {"bcdfghklmnprst", "aeiouy"}}
	seen := map[string]bool{}
	pick := func(letters string) rune {
		runes := []rune(letters)
		return runes[min(random.IntN(len(runes)), random.IntN(len(runes)))]
	}

	for len(seen) < n {
		letters := alphabets[min(random.IntN(3), 1)]
		var b strings.Builder
		for range 2 + random.IntN(3) {
			b.WriteRune(pick(letters[0]))
			b.WriteRune(pick(letters[1]))
			if random.IntN(3) == 0 {
				b.WriteRune(pick(letters[0]))
			}
		}
		if random.IntN(4) == 0 {
			fmt.Fprint(&b, random.IntN(1000))
		}
		seen[b.String()] = true
	}

	words := make([]string, 0, n)
	for word := range seen {
		words = append(words, word)
	}
	slices.Sort(words)
	return words
}

func BenchmarkDictionary(b *testing.B) {
	words := generatedWords(1_000_000)
	d := language.NewDictionary(slices.Values(words))
	random := rand.New(rand.NewPCG(3, 4))
	var typed []string
	for len(typed) < 100 {
		word := []rune(words[random.IntN(len(words))])
		if len(word) >= 8 {
			i := random.IntN(len(word) - 1)
			word[i], word[i+1] = word[i+1], word[i]
			typed = append(typed, string(word))
		}
	}

	for errors := 1; errors <= 2; errors++ {
		b.Run(fmt.Sprintf("errors=%d", errors), func(b *testing.B) {
			found, i := 0, 0
			for b.Loop() {
				matches, complete := d.Near(typed[i%len(typed)], errors, 1<<20)
				if !complete {
					b.Fatal("not complete")
				}
				found += len(matches)
				i++
			}
			b.ReportMetric(float64(found)/float64(b.N), "words/op")
		})
	}
	b.Run("corrections", func(b *testing.B) {
		i := 0
		for b.Loop() {
			d.Corrections(typed[i%len(typed)], 50_000)
			i++
		}
	})
	b.Run("prefix", func(b *testing.B) {
		i := 0
		for b.Loop() {
			d.Prefix(typed[i%len(typed)][:6])
			i++
		}
	})
}

// typos returns a word with one typing error of each kind, by kind.
func typos(word string, at int) map[string]string {
	w := []rune(word)
	at = 1 + at%(len(w)-2)
	join := func(parts ...[]rune) string {
		return string(slices.Concat(parts...))
	}

	near := map[rune]rune{}
	for _, row := range []string{"йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю", "qwertyuiop", "asdfghjkl", "zxcvbnm"} {
		keys := []rune(row)
		for i, key := range keys {
			near[key] = keys[max(i-1, 0)]
		}
	}
	return map[string]string{
		"swapped":   join(w[:at], []rune{w[at+1], w[at]}, w[at+2:]),
		"missing":   join(w[:at], w[at+1:]),
		"doubled":   join(w[:at+1], w[at:]),
		"neighbour": join(w[:at], []rune{near[w[at]]}, w[at+1:]),
		"first":     join([]rune{near[w[0]]}, w[1:]),
	}
}

// The word that was meant is the first correction, or one of its other forms is.
func TestDictionary_correctsEveryKindOfError(t *testing.T) {
	stemmer := language.StemmerFor("ru")
	var words, all []string
	for _, name := range []string{"russian_nouns.txt", "english_nouns.txt"} {
		for i, forms := range readForms(t, name) {
			all = append(all, forms...)
			if i%3 == 0 && len([]rune(forms[0])) >= 6 {
				words = append(words, forms[0])
			}
		}
	}
	slices.Sort(all)
	d := language.NewDictionary(slices.Values(slices.Compact(all)))

	asked, first, third := map[string]int{}, map[string]int{}, map[string]int{}
	for i, word := range words {
		for kind, typed := range typos(word, i) {
			if _, ok := d.Find(typed); ok {
				continue
			}

			asked[kind]++
			found, _ := d.Corrections(typed, 50_000)
			for n, m := range found[:min(len(found), 3)] {
				if !stemmer.SharesKey(d.At(m.Word), word) {
					continue
				}
				if n == 0 {
					first[kind]++
				}
				third[kind]++
				break
			}
		}
	}

	for kind, n := range asked {
		best, three := float64(first[kind])/float64(n), float64(third[kind])/float64(n)
		t.Logf("%s: %d words, %.3f first, %.3f of the first three", kind, n, best, three)
		if best < 0.9 || three < 0.99 {
			t.Errorf("%s: %.3f first, want 0.9; %.3f of three, want 0.99", kind, best, three)
		}
	}
}
