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
	for _, c := range []struct {
		file, locale string
		meet, merge  float64 // the least share of forms that meet, the greatest share of words that merge with another
	}{
		{"russian_nouns.txt", "ru", 0.98, 0.02},
		{"russian_adjectives.txt", "ru", 0.98, 0.02},
	} {
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
