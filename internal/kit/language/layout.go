package language

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The keys of the three layouts, key by key, without and with shift.
const (
	latinKeys     = "qwertyuiop[]asdfghjkl;'zxcvbnm,.`" + `QWERTYUIOP{}ASDFGHJKL:"ZXCVBNM<>~`
	russianKeys   = "йцукенгшщзхъфывапролджэячсмитьбюё" + "ЙЦУКЕНГШЩЗХЪФЫВАПРОЛДЖЭЯЧСМИТЬБЮЁ"
	ukrainianKeys = "йцукенгшщзхїфівапролджєячсмитьбю'" + "ЙЦУКЕНГШЩЗХЇФІВАПРОЛДЖЄЯЧСМИТЬБЮ'"
)

var (
	latinToRussian   = keyMap(latinKeys, russianKeys)
	latinToUkrainian = keyMap(latinKeys, ukrainianKeys)
	cyrillicToLatin  = keyMap(russianKeys+ukrainianKeys, latinKeys+latinKeys)
)

// keyMap maps the letters of one layout to those of another. A key that gives no letter is not in it.
func keyMap(from, to string) map[rune]rune {
	m := map[rune]rune{}
	target := []rune(to)
	for i, r := range []rune(from) {
		if unicode.IsLetter(target[i]) {
			m[r] = target[i]
		}
	}
	return m
}

// OtherLayouts returns what a field of a query would be if it had been typed with the other keyboard layout: Russian
// and Ukrainian for Latin keys, Latin for both. Digits and inner hyphens stay; a slash or another sign that is a letter
// in no layout separates words. It returns nothing unless every other key gives a letter. A comma or dot at the end may
// be a letter or punctuation: both readings are returned.
func OtherLayouts(field string) []string {
	var found []string
	trimmed := strings.TrimRight(field, ".,;:")
	for _, text := range []string{field, trimmed} {
		for _, keys := range []map[rune]rune{latinToRussian, latinToUkrainian, cyrillicToLatin} {
			if other, ok := retype(text, keys); ok && !slices.Contains(found, other) {
				found = append(found, other)
			}
		}
	}
	return found
}

// maxLayoutBytes is the length of a field up to which it is read in another layout.
const maxLayoutBytes = 256

// layoutSeparators separate words whatever the layout is.
const layoutSeparators = `/\|+&()!?*=`

// retype returns a text typed with other keys.
func retype(text string, keys map[rune]rune) (string, bool) {
	if len(text) > maxLayoutBytes || strings.HasPrefix(text, "-") || strings.HasSuffix(text, "-") {
		return "", false
	}

	letters := 0
	var b strings.Builder
	for _, r := range text {
		other, ok := keys[r]
		switch {
		case ok:
			letters++
			b.WriteRune(other)
		case r < utf8.RuneSelf && (unicode.IsDigit(r) || r == '-'):
			b.WriteRune(r)
		case strings.ContainsRune(layoutSeparators, r):
			b.WriteByte(' ')
		default:
			return "", false
		}
	}

	return strings.TrimSpace(b.String()), letters > 0
}
