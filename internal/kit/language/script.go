package language

import (
	"strings"
	"unicode"
)

// script is a script whose words are treated in ways of their own.
type script int

const (
	otherScript script = iota
	latinScript
	cyrillicScript
)

func scriptOf(r rune) script {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
		return latinScript
	case 'Ѐ' <= r && r <= 'ԯ':
		return cyrillicScript
	case r > 0x7f && unicode.Is(unicode.Latin, r):
		return latinScript
	}
	return otherScript
}

// wordScript returns the script of the first letter of a word that has one.
func wordScript(word string) script {
	for _, r := range word {
		if s := scriptOf(r); s != otherScript {
			return s
		}
	}
	return otherScript
}

// OtherScript reports whether one of two words is Latin and the other one Cyrillic.
func OtherScript(a, b string) bool {
	x, y := wordScript(a), wordScript(b)
	return x != y && x != otherScript && y != otherScript
}

// IsCyrillic reports whether the first letter of a word is Cyrillic.
func IsCyrillic(word string) bool { return wordScript(word) == cyrillicScript }

// scriptChange returns the offset at which a word changes between Latin and Cyrillic, or 0.
func scriptChange(word string) int {
	first := otherScript
	for i, r := range word {
		s := scriptOf(r)
		if s == otherScript {
			continue
		}
		if first != otherScript && s != first {
			return i
		}
		first = s
	}
	return 0
}

// lookalikes are pairs of a Cyrillic letter and the Latin letter that looks the same.
const lookalikes = "аaеeоoрpсcхxуyкkіiїïјjѕsАAВBЕEКKМMНHОOРPСCТTУYХXІIЇÏЈJЅS"

var (
	cyrillicTwins = twins(0)
	latinTwins    = twins(1)
)

// twins returns the letters that look like those of lookalikes with this index in their pairs.
func twins(index int) map[rune]rune {
	m := map[rune]rune{}
	letters := []rune(lookalikes)
	for i := 0; i < len(letters); i += 2 {
		m[letters[i+index]] = letters[i+1-index]
	}
	return m
}

// repairScript returns a word of two scripts in one of them, if all letters of the other one look alike.
func repairScript(word string) (string, bool) {
	latin, cyrillic, strange := 0, 0, [2]bool{}
	for _, r := range word {
		switch scriptOf(r) {
		case latinScript:
			latin++
			strange[0] = strange[0] || latinTwins[r] == 0
		case cyrillicScript:
			cyrillic++
			strange[1] = strange[1] || cyrillicTwins[r] == 0
		}
	}

	switch {
	case !strange[0] && (strange[1] || cyrillic >= latin):
		return replaceTwins(word, latinTwins), true
	case !strange[1]:
		return replaceTwins(word, cyrillicTwins), true
	}
	return "", false
}

func replaceTwins(word string, by map[rune]rune) string {
	return strings.Map(func(r rune) rune {
		if twin, ok := by[r]; ok {
			return twin
		}
		return r
	}, word)
}

// Code returns what counts of an SKU, a barcode or a model: its folded letters and digits, without spaces, dashes, dots
// and slashes, and Latin for Cyrillic capitals that look the same. Two codes are equal to people if their Codes are.
func Code(s string) string {
	s = Fold(replaceTwins(strings.Map(unicode.ToUpper, s), cyrillicTwins))
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) {
			return r
		}
		return -1
	}, s)
}
