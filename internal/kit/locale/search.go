package locale

import (
	"slices"
	"strings"
)

// SearchText returns the form in which texts are stored for searching: their words, case-folded for any script, each
// preceded by a space. The LIKE pattern "% word%" then finds a query word at the beginning of a stored word.
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

// QueryWords returns the distinct words of a search query, case-folded as in SearchText. The result nothing reports
// whether the query has text but no words; such a query finds nothing.
func QueryWords(q string) (list []string, nothing bool) {
	list = slices.Compact(slices.Sorted(slices.Values(Words(q))))
	return list, len(list) == 0 && strings.TrimSpace(q) != ""
}

// QueryPatterns returns LIKE patterns for a column that holds SearchText. A row matches the query if it matches all
// patterns. Words contain only letters, marks, digits and symbols, so they need no escaping.
func QueryPatterns(q string) []string {
	words, nothing := QueryWords(q)
	if nothing {
		return []string{"-"} // matches no SearchText, which contains no punctuation
	}
	patterns := make([]string, len(words))
	for i, word := range words {
		patterns[i] = "% " + word + "%"
	}
	return patterns
}
