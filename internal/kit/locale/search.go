package locale

import (
	"slices"
	"strings"
)

// SearchText is the form in which texts are kept for searching: their words, folded so that case does not matter in any
// script, each with a blank before it. A word of a query then matches as the text " word…".
func SearchText(texts ...string) string {
	var b strings.Builder
	for _, t := range texts {
		for _, w := range Words(t) {
			b.WriteByte(' ')
			b.WriteString(w)
		}
	}
	return b.String()
}

// QueryWords splits a search into its different words, folded as they are in SearchText. nothing is true for a search that has text but no word: it
// finds nothing.
func QueryWords(q string) (list []string, nothing bool) {
	list = slices.Compact(slices.Sorted(slices.Values(Words(q))))
	return list, len(list) == 0 && strings.TrimSpace(q) != ""
}

// QueryPatterns turns a search into LIKE patterns over SearchText, all of which must match. Words hold letters, marks, digits and symbols
// only, so nothing needs escaping.
func QueryPatterns(q string) []string {
	words, nothing := QueryWords(q)
	if nothing {
		return []string{"-"} // nothing but punctuation begins no word
	}
	patterns := make([]string, len(words))
	for i, word := range words {
		patterns[i] = "% " + word + "%"
	}
	return patterns
}
