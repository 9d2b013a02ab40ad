package language

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/spanish"
)

// maxStemBytes is the length of a word up to which it is stemmed. No word that has forms is longer.
const maxStemBytes = 64

// Stemmer finds the keys of words: all forms of a word have a key in common. Words are stemmed by their script:
// Cyrillic ones as Russian, and in a Ukrainian store also as Ukrainian; Latin ones as English, and also in the store's
// language. The zero value is the Stemmer of a store in any other language. It is safe for concurrent use.
type Stemmer struct {
	latin     func(word string) string // of the store's language, or nil
	ukrainian bool
}

// StemmerFor returns the stemmer of a store with this locale, such as "ru". Kazakh has no stemmer of its own.
func StemmerFor(locale string) Stemmer {
	switch locale {
	case "de":
		return Stemmer{latin: germanKey}
	case "es":
		return Stemmer{latin: spanishKey}
	case "fr":
		return Stemmer{latin: frenchKey}
	case "uk":
		return Stemmer{ukrainian: true}
	}
	return Stemmer{}
}

// Keys returns the keys of a folded word, one or two. A word of another script, or with digits, is its own key.
func (s Stemmer) Keys(word string) []string {
	return s.AppendKeys(nil, word)
}

// AppendKeys appends the keys of a folded word to a list and returns it.
func (s Stemmer) AppendKeys(dst []string, word string) []string {
	if len(word) > maxStemBytes || !utf8.ValidString(word) || hasDigit(word) {
		return append(dst, word)
	}

	switch wordScript(word) {
	case cyrillicScript:
		return s.appendCyrillicKeys(dst, word)
	case latinScript:
		dst = append(dst, englishKey(word))
		if s.latin != nil {
			dst = appendNew(dst, s.latin(word))
		}
		return dst
	}
	return append(dst, word)
}

// SharesKey reports whether two folded words may be forms of one word.
func (s Stemmer) SharesKey(a, b string) bool {
	other := s.Keys(b)
	return slices.ContainsFunc(s.Keys(a), func(key string) bool { return slices.Contains(other, key) })
}

func (s Stemmer) appendCyrillicKeys(dst []string, word string) []string {
	ukrainian := strings.ContainsAny(word, "іїєґ")
	if !ukrainian {
		dst = appendRussianKeys(dst, word)
	}
	if ukrainian || s.ukrainian && !strings.ContainsAny(word, "ыэъ") {
		dst = appendUkrainianKeys(dst, word)
	}
	return dst
}

func hasDigit(word string) bool {
	for i := range len(word) {
		if isASCIIDigit(word[i]) {
			return true
		}
	}
	return false
}

// snowball returns what a Snowball stemmer leaves of a word.
func snowball(word string, stem func(*snowballstem.Env) bool) string {
	env := snowballstem.NewEnv(word)
	stem(env)
	if env.Current() == "" {
		return word
	}
	return env.Current()
}

// germanKey returns the key of a German word. Snowball leaves the n of -eln: Kabel, Kabeln.
func germanKey(word string) string {
	if strings.HasSuffix(word, "eln") {
		word = word[:len(word)-1]
	}
	return snowball(word, german.Stem)
}

// spanishKey returns the key of a Spanish word. A z becomes c in the plural: luz, luces.
func spanishKey(word string) string {
	if base, ok := strings.CutSuffix(word, "z"); ok {
		word = base + "c"
	}
	return snowball(word, spanish.Stem)
}

// frenchKey returns the key of a French word. Snowball leaves the x of -oux and -eux: bijou, bijoux.
func frenchKey(word string) string {
	if strings.HasSuffix(word, "oux") || strings.HasSuffix(word, "eux") {
		word = word[:len(word)-1]
	}
	return snowball(word, french.Stem)
}
