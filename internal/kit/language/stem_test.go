package language_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/language"
)

// readForms reads a file of testdata. Each line has the forms of one word, the dictionary form first.
func readForms(t testing.TB, name string) [][]string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var words [][]string
	for line := range strings.Lines(string(text)) {
		if forms := strings.Fields(line); len(forms) > 1 {
			words = append(words, forms)
		}
	}
	return words
}

// The floors are a little below what the rules reach, so that a change for the worse is seen.
func TestKeys_formsMeetAndDifferentWordsDoNot(t *testing.T) {
	cases := []struct {
		file, locale string
		meet, merge  float64 // the least share of forms that meet, the greatest share of words that merge with another
	}{
		// The nouns have many that differ by an ending only: мел and мель, рот and рота, вино and вина.
		{"russian_nouns.txt", "ru", 0.998, 0.036},
		{"russian_more.txt", "ru", 0.998, 0.04},
		{"russian_adjectives.txt", "ru", 0.999, 0},
		{"english_nouns.txt", "ru", 0.99, 0.01},
		{"ukrainian_nouns.txt", "uk", 0.97, 0.01},
		{"german_nouns.txt", "de", 0.99, 0},
		{"french_nouns.txt", "fr", 0.95, 0},
		{"spanish_nouns.txt", "es", 0.95, 0},
	}

	for _, c := range cases {
		t.Run(c.file, func(t *testing.T) {
			stemmer := language.StemmerFor(c.locale)
			forms, met := 0, 0
			owners := map[string][]string{} // the words that have a key
			words := readForms(t, c.file)

			for _, word := range words {
				var apart []string
				for _, form := range word[1:] {
					forms++
					if stemmer.SharesKey(word[0], form) {
						met++
					} else {
						apart = append(apart, form)
					}
				}
				if len(apart) > 0 {
					t.Logf("%s %v: %s", word[0], stemmer.Keys(word[0]), strings.Join(apart, " "))
				}
				for _, form := range word {
					for _, key := range stemmer.Keys(form) {
						if !slices.Contains(owners[key], word[0]) {
							owners[key] = append(owners[key], word[0])
						}
					}
				}
			}

			merged := map[string]bool{}
			for key, list := range owners {
				if len(list) > 1 {
					t.Logf("%s: %s", key, strings.Join(list, " "))
					for _, word := range list {
						merged[word] = true
					}
				}
			}

			meet, merge := float64(met)/float64(forms), float64(len(merged))/float64(len(words))
			t.Logf("%d words, %d forms, %.4f meet, %.4f merge", len(words), forms, meet, merge)
			if meet < c.meet || merge > c.merge {
				t.Errorf("%.4f of the forms meet, want %.4f; %.4f of the words merge, want %.4f", meet, c.meet, merge,
					c.merge)
			}
		})
	}
}

func TestKeys_ofOtherWords(t *testing.T) {
	stemmer := language.StemmerFor("ru")
	for word, want := range map[string]string{
		"iphone15": "iphone15", "15": "15", "": "", "ж": "ж", "手": "手", "с": "с", "бра": "бра", "гтф": "гтф",
	} {
		if got := stemmer.Keys(word); len(got) != 1 || got[0] != want {
			t.Errorf("Keys(%q) = %q", word, got)
		}
	}

	// What a diminutive, another word or another part of speech is called is no form.
	for _, pair := range [][2]string{
		{"диван", "дива"}, {"стол", "столик"}, {"плата", "платье"}, {"белый", "белье"}, {"полка", "полька"},
		{"серый", "серия"}, {"мед", "мода"}, {"тень", "тон"}, {"кольцо", "колесо"}, {"банка", "баня"},
	} {
		if stemmer.SharesKey(pair[0], pair[1]) {
			t.Errorf("%s and %s share a key: %q", pair[0], pair[1], stemmer.Keys(pair[0]))
		}
	}
}

func FuzzKeys(f *testing.F) {
	for _, s := range []string{"чехлы", "knives", "ь", "ей", "мя", "ся", "ять", "ses", "ё\xff", "їжаків", "ееееей"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, locale := range []string{"ru", "uk", "de", "es", "fr", "kk", ""} {
			for _, word := range []string{s, language.Fold(s)} {
				keys := language.StemmerFor(locale).Keys(word)
				if len(keys) == 0 || len(keys) > 8 || word != "" && keys[0] == "" {
					t.Fatalf("%s: Keys(%q) = %q", locale, word, keys)
				}
			}
		}
	})
}

func BenchmarkKeys(b *testing.B) {
	stemmer := language.StemmerFor("ru")
	var dst []string
	for _, word := range []string{"подушек", "настольная", "knives", "headphones"} {
		b.Run(word, func(b *testing.B) {
			for b.Loop() {
				dst = stemmer.AppendKeys(dst[:0], word)
			}
		})
	}
}
