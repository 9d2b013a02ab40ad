package language_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/language"
)

// mixedWords returns 3,000 words of both scripts, among them those of the files.
func mixedWords(t testing.TB) []string {
	var words []string
	for _, pair := range append(readForms(t, "brands.txt"), readForms(t, "transliterated.txt")...) {
		words = append(words, pair[1])
	}
	for _, name := range []string{"english_nouns.txt", "german_nouns.txt", "russian_nouns.txt"} {
		for _, forms := range readForms(t, name) {
			words = append(words, forms[0], forms[1], forms[len(forms)-1])
		}
	}

	for i, word := range generatedWords(5000) {
		if i%10 == 0 {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// soundIndex is an index of words by their sounds, as package search has one.
type soundIndex map[language.SoundKey][]string

func newSoundIndex(words []string) soundIndex {
	index := soundIndex{}
	for _, word := range words {
		for _, key := range language.SoundKeys(word) {
			index[key] = append(index[key], word)
		}
	}
	return index
}

// candidates returns the words of the other script that sound like one, the nearest first.
func (x soundIndex) candidates(word string) []string {
	var found []string
	for _, key := range language.SoundKeys(word) {
		found = append(found, x[key]...)
	}
	slices.Sort(found)
	found = slices.DeleteFunc(slices.Compact(found), func(other string) bool {
		return !language.OtherScript(word, other) || language.SoundDistance(word, other) > language.MaxSoundDistance
	})
	slices.SortStableFunc(found, func(a, b string) int {
		return cmp.Compare(language.SoundDistance(word, a), language.SoundDistance(word, b))
	})
	return found
}

// The right word is found by sound, and is among the nearest.
func TestSounds_findWordsOfTheOtherScript(t *testing.T) {
	words := mixedWords(t)
	index := newSoundIndex(words)
	for _, c := range []struct {
		file         string
		back         bool
		first, third float64 // the least shares of words that are the nearest, and among the three nearest
	}{
		{"brands.txt", false, 0.94, 0.97},
		{"brands.txt", true, 0.9, 0.97},
		{"transliterated.txt", false, 0.95, 0.98},
	} {
		pairs := readForms(t, c.file)
		target := index
		if c.back {
			var other []string
			for _, pair := range pairs {
				other = append(other, pair[0])
			}
			target = newSoundIndex(append(slices.Clone(words), other...))
		}

		first, third := 0, 0
		for _, pair := range pairs {
			asked, want := pair[0], pair[1]
			if c.back {
				asked, want = want, asked
			}
			found := target.candidates(asked)
			switch n := slices.Index(found, want); {
			case n == 0:
				first++
				third++
			case n > 0 && n < 3:
				third++
			default:
				t.Logf("%s: %s at %d of %q, distance %d", asked, want, n, found, language.SoundDistance(asked, want))
			}
		}

		share := func(n int) float64 { return float64(n) / float64(len(pairs)) }
		t.Logf("%s, back %t: %d pairs, %.3f first, %.3f of the first three", c.file, c.back, len(pairs), share(first),
			share(third))
		if share(first) < c.first || share(third) < c.third {
			t.Errorf("%s: %.3f first, want %.3f; %.3f of three, want %.3f", c.file, share(first), c.first, share(third),
				c.third)
		}
	}
}

// A foreign name in a Russian form is found by the sounds of its keys.
func TestSounds_findInflectedNames(t *testing.T) {
	stemmer := language.StemmerFor("ru")
	index := newSoundIndex(mixedWords(t))
	asked, met := 0, 0
	for _, pair := range readForms(t, "brands.txt") {
		if strings.ContainsAny(pair[0][len(pair[0])-2:], "аеийоуыюяь") {
			continue // not declined, or not by adding an ending
		}

		for _, ending := range []string{"а", "у", "ы", "ов", "ами"} {
			asked++
			found := index.candidates(pair[0] + ending)
			for _, key := range stemmer.Keys(pair[0] + ending) {
				found = append(found, index.candidates(key)...)
			}
			if slices.Contains(found, pair[1]) {
				met++
			} else {
				t.Logf("%s: %q", pair[0]+ending, found)
			}
		}
	}

	share := float64(met) / float64(asked)
	t.Logf("%d forms, %.3f found", asked, share)
	if share < 0.97 {
		t.Errorf("%.3f found, want 0.97", share)
	}
}

func TestSounds_haveFewCandidates(t *testing.T) {
	words := mixedWords(t)
	index := newSoundIndex(words)
	pairs := readForms(t, "brands.txt")
	candidates, keys := 0, 0

	for _, word := range words {
		keys += len(language.SoundKeys(word))
	}
	for _, pair := range pairs {
		candidates += len(index.candidates(pair[0]))
	}

	perWord := float64(candidates) / float64(len(pairs))
	total := 0
	for _, list := range index {
		total += len(list)
	}
	perKey := float64(total) / float64(len(index))
	t.Logf("%d words, %.2f keys per word, %.2f words per key, %.2f candidates per query", len(words),
		float64(keys)/float64(len(words)), perKey, perWord)
	if perWord > 5 || perKey > 5 {
		t.Errorf("%.2f words per key, %.2f candidates per query, want at most 5", perKey, perWord)
	}
}

func TestReadings(t *testing.T) {
	for word, want := range map[string]string{
		"krossovki": "кроссовки", "lampa": "лампа", "chehol": "чехол", "shkaf": "шкаф", "yubka": "юбка", "сони": "sony",
		"самсунг": "samsung", "адидас": "adidas", "ксиоми": "xiomi", "пума": "puma", "galstuk": "галстук",
		"remen": "ремен", "kurtka": "куртка", "3д": "3d", "128гб": "128gb",
	} {
		if got := language.Readings(word); !slices.Contains(got, want) || len(got) > 12 {
			t.Errorf("Readings(%q) = %q, which lacks %q", word, got, want)
		}
	}
	for _, word := range []string{"", "15", "手机"} {
		if got := language.Readings(word); len(got) > 0 {
			t.Errorf("Readings(%q) = %q", word, got)
		}
	}
}

// Most transliterated words need no sounds: a reading is the word, or a form of it.
func TestReadings_ofTransliteratedWords(t *testing.T) {
	stemmer := language.StemmerFor("ru")
	pairs := readForms(t, "transliterated.txt")
	found := 0

	for _, pair := range pairs {
		if slices.ContainsFunc(language.Readings(pair[0]), func(s string) bool {
			return stemmer.SharesKey(s,
				pair[1])
		}) {
			found++
		} else {
			t.Logf("%s: %q", pair[1], language.Readings(pair[0]))
		}
	}
	share := float64(found) / float64(len(pairs))
	t.Logf("%d pairs, %.3f found", len(pairs), share)
	if share < 0.9 {
		t.Errorf("%.3f found, want 0.9", share)
	}
}

func FuzzSounds(f *testing.F) {
	f.Add("krossovki", "найк")
	f.Add("^h$", "\xffь")
	f.Fuzz(func(t *testing.T, a, b string) {
		if n := len(language.SoundKeys(a)); n > 4 {
			t.Errorf("SoundKeys(%q) returns %d keys", a, n)
		}
		if n := len(language.Readings(a)); n > 12 {
			t.Errorf("Readings(%q) returns %d readings", a, n)
		}
		d := language.SoundDistance(a, b)
		if d < 0 || d > 100 || d != language.SoundDistance(b, a) {
			t.Errorf("SoundDistance(%q, %q) = %d, %d", a, b, d, language.SoundDistance(b, a))
		}
	})
}

func BenchmarkSounds(b *testing.B) {
	b.Run("keys", func(b *testing.B) {
		var dst []language.SoundKey
		for b.Loop() {
			dst = language.AppendSoundKeys(dst[:0], "headphones")
		}
	})

	b.Run("distance", func(b *testing.B) {
		for b.Loop() {
			language.SoundDistance("хендай", "hyundai")
		}
	})
	b.Run("readings", func(b *testing.B) {
		for b.Loop() {
			language.Readings("krossovki")
		}
	})
}
