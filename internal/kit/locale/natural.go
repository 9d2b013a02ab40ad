package locale

import (
	"cmp"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
)

// Fold returns a text without differences of case, in any script.
func Fold(text string) string { return cases.Fold().String(text) }

// CompareNatural compares two texts as people sort lists: whatever the case, and by the value of the numbers in them,
// so that "Size 9" is less than "size 10". Equal texts of different case are compared byte by byte.
func CompareNatural(a, b string) int {
	x, y := Fold(a), Fold(b)
	for x != "" && y != "" {
		xPart, yPart := leadingPart(x), leadingPart(y)
		if c := comparePart(xPart, yPart); c != 0 {
			return c
		}
		x, y = x[len(xPart):], y[len(yPart):]
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(a, b))
}

// leadingPart returns the digits at the beginning of a text, or the text before its first digit.
func leadingPart(text string) string {
	digits := isASCIIDigit(rune(text[0]))
	end := strings.IndexFunc(text, func(r rune) bool { return isASCIIDigit(r) != digits })
	if end < 0 {
		return text
	}
	return text[:end]
}

func isASCIIDigit(r rune) bool { return r <= unicode.MaxASCII && unicode.IsDigit(r) }

// comparePart compares two parts: numbers by their value, other texts byte by byte.
func comparePart(a, b string) int {
	if !isASCIIDigit(rune(a[0])) || !isASCIIDigit(rune(b[0])) {
		return strings.Compare(a, b)
	}
	x, y := strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y))
}
