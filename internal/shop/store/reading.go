package store

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/language"
	"vitrine/internal/kit/locale"
)

// A Reading is a search for people, or for what they sent, as it is understood. A row matches if each of the words
// begins one of its words, and its phone number has the end.
type Reading struct {
	Words []string
	// Digits is one of Words that the end of a phone number may have instead, or "": see WithPhoneEnd.
	Digits string
	// PhoneEnd are the last digits of a phone number, or "".
	PhoneEnd string
	// Nothing says that the search has text but no words: it finds nothing.
	Nothing bool
}

const (
	// phoneEndDigits are the digits of the end of a phone number under which a row is found, and fullPhoneDigits those
	// of a number that may be written with another code of the country or none: 8 912 …, +7 912 …, 912 ….
	phoneEndDigits  = 4
	fullPhoneDigits = 10
	// areaPhoneDigits are the fewest digits that may be a number with its area code, which may begin with zeros.
	areaPhoneDigits = 7
	// These limit the work for a search with typing errors: the words that are corrected, their letters, and the rows
	// that are counted to find the most frequent correction.
	maxCorrectedWords = 3
	minErrorLetters   = 4
	maxErrorLetters   = 20
	maxCountedRows    = 100
)

// ReadSearch parses the text of a search. A phone number may contain spaces and other separators.
func ReadSearch(text string) Reading {
	if phone, err := contact.CheckPhone(text); err == nil {
		return Reading{Words: []string{strings.TrimPrefix(phone, "+")}}
	}
	words, nothing := locale.QueryWords(text)
	return Reading{Words: words, Nothing: nothing}
}

// WithPhoneEnd returns a reading by which the longest of the words with four to nine digits also finds the rows whose
// phone numbers end in it.
func (r Reading) WithPhoneEnd() Reading {
	for _, w := range r.Words {
		if isNumber(w) && len(w) >= phoneEndDigits && len(w) < fullPhoneDigits && len(w) > len(r.Digits) {
			r.Digits = w
		}
	}
	return r
}

// PhoneEnds returns the ends of phone numbers that are meant by Digits: with zeros at the beginning, and without those
// that may stand before the area code.
func (r Reading) PhoneEnds() []string {
	switch short := strings.TrimLeft(r.Digits, "0"); {
	case r.Digits == "":
		return nil
	case len(r.Digits) >= areaPhoneDigits && len(short) >= phoneEndDigits && short != r.Digits:
		return []string{r.Digits, short}
	}
	return []string{r.Digits}
}

// Correct replaces the words that begin no word of the kinds: by their form without diacritics and ё, by the end of a
// phone number, or by a word with which they differ by one typing error. A word without diacritics also replaces one
// with them that finds less. It reports whether a word was replaced. Its work does not depend on the number of rows.
func (r Reading) Correct(ctx context.Context, tx Tx, kinds ...Searched) (_ Reading, changed bool, err error) {
	if len(r.Words) == 0 {
		return r, false, nil
	}

	var asked []string
	for _, w := range r.Words {
		asked = append(asked, w, language.Fold(w))
	}
	counts, err := countWords(ctx, tx, asked, afterPrefix, kinds)
	if err != nil {
		return r, false, err
	}

	corrected := Reading{Words: slices.Clone(r.Words), Digits: r.Digits}
	var unknown []int
	for i, w := range r.Words {
		folded := language.Fold(w)
		switch {
		case w == r.Digits:
		case counts[folded] > 0 && counts[folded] >= counts[w]:
			corrected.Words[i] = folded
		case counts[w] > 0:
		case len(phoneEnd(w)) >= phoneEndDigits && corrected.PhoneEnd == "":
			corrected.PhoneEnd = phoneEnd(w)
			corrected.Words[i] = endWord(w)
		default:
			unknown = append(unknown, i)
		}
	}

	if err := corrected.correctErrors(ctx, tx, unknown, kinds); err != nil {
		return r, false, err
	}
	return corrected, !slices.Equal(corrected.Words, r.Words), nil
}

// correctErrors replaces the words at these indexes by the most frequent word with which each differs by one typing
// error, if there is one.
func (r *Reading) correctErrors(ctx context.Context, tx Tx, unknown []int, kinds []Searched) error {
	unknown = unknown[:min(len(unknown), maxCorrectedWords)]
	variants := make([][]string, len(unknown))
	var asked []string
	for n, i := range unknown {
		variants[n] = withOneError(r.Words[i])
		asked = append(asked, variants[n]...)
	}
	if len(asked) == 0 {
		return nil
	}

	counts, err := countWords(ctx, tx, asked, afterWord, kinds)
	if err != nil {
		return err
	}
	for n, i := range unknown {
		most := int64(0)
		for _, variant := range variants[n] {
			if counts[variant] > most {
				most = counts[variant]
				r.Words[i] = variant
			}
		}
	}
	return nil
}

// afterWord follows a word and no other: a space is less than any character of a word.
func afterWord(word string) string { return word + " " }

func isNumber(word string) bool { return strings.Trim(word, "0123456789") == "" }

// phoneEnd returns the last digits of a phone number without what may stand before the number in its country, as in 8
// 912 … or 030 …, or "" for what is no number. Digits that are no whole number stay as they are.
func phoneEnd(word string) string {
	switch {
	case !isNumber(word):
		return ""
	case len(word) < fullPhoneDigits:
		return word
	}
	return strings.TrimLeft(word[max(0, len(word)-fullPhoneDigits):], "0")
}

// endWord returns the word under which rows with a phone number are found by its end.
func endWord(digits string) string { return "-" + digits[len(digits)-phoneEndDigits:] }

// The letters that a typing error may put in the place of others, and the letters with diacritics that stand in rows.
const (
	cyrillicLetters = "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґ"
	latinLetters    = "abcdefghijklmnopqrstuvwxyz"
	latinMarked     = "àáâãäåāąăæçćčďđèéêëēęěìíîïīįłñńňòóôõöøőœŕřśšşťţùúûüūůűýÿźżžß"
)

// withOneError returns the words that differ from a word of letters by one typing error: two neighbours swapped, a
// letter too many, another letter, or one too few; the most probable errors first.
func withOneError(word string) (list []string) {
	letters := []rune(word)
	isOther := func(r rune) bool { return !unicode.IsLetter(r) }
	if len(letters) < minErrorLetters || len(letters) > maxErrorLetters || slices.ContainsFunc(letters, isOther) {
		return nil
	}

	alphabet := []rune(latinLetters)
	replacements := []rune(latinLetters + latinMarked)
	if slices.ContainsFunc(letters, func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) }) {
		alphabet = []rune(cyrillicLetters)
		replacements = alphabet
	}
	add := func(before []rune, letter string, after []rune) {
		list = append(list, string(before)+letter+string(after))
	}

	for i := range len(letters) - 1 {
		if letters[i] != letters[i+1] {
			add(letters[:i], string(letters[i+1])+string(letters[i]), letters[i+2:])
		}
	}
	for i := range letters {
		add(letters[:i], "", letters[i+1:])
	}
	for i := range letters {
		for _, r := range replacements {
			add(letters[:i], string(r), letters[i+1:])
		}
	}
	for i := range len(letters) + 1 {
		for _, r := range alphabet {
			add(letters[:i], string(r), letters[i:])
		}
	}
	return slices.DeleteFunc(list, func(variant string) bool { return variant == word })
}

// ExtraWords returns the words under which a row is found in addition to these words: their forms without diacritics
// and without ё, and the ends of phone numbers.
func ExtraWords(words []string, phones ...string) (extra []string) {
	for _, w := range words {
		if folded := language.Fold(w); folded != w && folded != "" && !strings.Contains(folded, " ") {
			extra = append(extra, folded)
		}
	}
	for _, phone := range phones {
		if digits := strings.TrimPrefix(phone, "+"); len(digits) >= phoneEndDigits && isNumber(digits) {
			extra = append(extra, endWord(digits))
		}
	}
	return extra
}

// PersonText returns the text that is stored for the search of a row: the words of the texts and of the phone numbers,
// with and without the plus, and their ExtraWords.
func PersonText(texts []string, phones ...string) string {
	text := locale.SearchText(texts...)
	for _, phone := range phones {
		text += locale.SearchText(phone)
		if digits, international := strings.CutPrefix(phone, "+"); international {
			text += locale.SearchText(digits)
		}
	}
	for _, w := range ExtraWords(strings.Fields(text), phones...) {
		text += " " + w
	}
	return text
}

// AndReading adds the conditions of a reading. The column must contain the result of PersonText; phones are the columns
// with phone numbers.
func (c *Conditions) AndReading(column string, r Reading, phones ...string) {
	if r.Nothing {
		c.And("FALSE")
	}
	for _, w := range r.Words {
		switch word := "% " + w + "%"; {
		case strings.HasPrefix(w, "-"): // the end of a phone number
		case w == r.Digits:
			anyOf, args := endsWith(phones, r.PhoneEnds())
			c.And("("+column+" LIKE $n OR "+anyOf+")", slices.Insert(args, 0, any(word))...)
		default:
			c.And(column+" LIKE $n", word)
		}
	}

	if r.PhoneEnd != "" {
		anyOf, args := endsWith(phones, []string{r.PhoneEnd})
		c.And("("+anyOf+")", args...)
	}
}

// endsWith returns a condition that one of the columns has one of the ends, with $n in the place of each argument.
func endsWith(columns, ends []string) (sql string, args []any) {
	var list []string
	for _, column := range columns {
		for _, end := range ends {
			list = append(list, column+" LIKE $n")
			args = append(args, "%"+end)
		}
	}
	return strings.Join(list, " OR "), args
}
