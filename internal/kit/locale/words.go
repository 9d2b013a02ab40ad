package locale

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Words splits a text into words, case-folded for any script. A word contains only letters, marks, digits and symbols.
func Words(text string) []string {
	folded := cases.Fold().String(norm.NFKC.String(text))
	return strings.FieldsFunc(folded, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !unicode.IsSymbol(r)
	})
}
