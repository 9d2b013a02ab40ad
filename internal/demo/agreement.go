package demo

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// gender is the grammatical gender of a Russian noun, or its plural if the noun has no singular.
type gender byte

const (
	masculine gender = 'm'
	feminine  gender = 'f'
	neuter    gender = 'n'
	plural    gender = 'p'
)

// index returns the place of a gender in a list of four forms.
func (g gender) index() int { return strings.IndexByte("mfnp", byte(g)) }

// pick returns one of four forms of a word: of the masculine, the feminine, the neuter and the plural.
func (g gender) pick(forms [4]string) string { return forms[g.index()] }

// agree returns the form of a Russian adjective that agrees with a noun: чёрный, чёрная, чёрное, чёрные. The adjective
// is given in the masculine. Reflexive participles, such as самоклеящийся, agree before their last syllable. Words of
// other kinds, such as хаки, have only one form.
func (g gender) agree(adjective string) string {
	word, reflexive := strings.CutSuffix(adjective, "ся")
	stem, endings, ok := splitAdjective(word)
	if !ok {
		return adjective
	}
	if reflexive {
		return stem + g.pick(endings) + "ся"
	}
	return stem + g.pick(endings)
}

// splitAdjective returns the stem of an adjective and its endings. Endings depend on the last consonant of the stem:
// after к, г, х and after ж, ч, ш, щ there is no ы; after н before ий, as in летний, the stem is soft.
func splitAdjective(adjective string) (stem string, endings [4]string, ok bool) {
	for _, ending := range []string{"ый", "ий", "ой"} {
		var cut bool
		if stem, cut = strings.CutSuffix(adjective, ending); !cut || stem == "" {
			continue
		}
		if ending == "ый" {
			return stem, [4]string{ending, "ая", "ое", "ые"}, true
		}

		switch last, _ := utf8.DecodeLastRuneInString(stem); {
		case strings.ContainsRune("кгх", last):
			return stem, [4]string{ending, "ая", "ое", "ие"}, true
		case strings.ContainsRune("жчшщ", last) && ending == "ий":
			return stem, [4]string{ending, "ая", "ее", "ие"}, true
		case strings.ContainsRune("жчшщ", last):
			return stem, [4]string{ending, "ая", "ое", "ие"}, true
		case ending == "ой":
			return stem, [4]string{ending, "ая", "ое", "ые"}, true
		default:
			return stem, [4]string{ending, "яя", "ее", "ие"}, true
		}
	}

	return "", endings, false
}

// numeral returns the form of a noun after a number: 1 месяц, 3 месяца, 12 месяцев.
func numeral(n int, one, few, many string) string {
	switch last := n % 10; {
	case n/10%10 == 1 || last == 0 || last > 4:
		return many
	case last == 1:
		return one
	default:
		return few
	}
}

// lowerFirst returns a text with a small first letter. An abbreviation, such as МФУ, stays as it is.
func lowerFirst(text string) string {
	if letters := []rune(text); len(letters) > 1 && unicode.IsUpper(letters[1]) {
		return text
	}
	return withFirst(text, unicode.ToLower)
}

func upperFirst(text string) string { return withFirst(text, unicode.ToUpper) }

func withFirst(text string, change func(rune) rune) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return text
	}
	return string(change(first)) + text[size:]
}
