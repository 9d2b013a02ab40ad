package feed

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/shop/money"
)

// oneLine returns a text on one line with at most limit characters, without what XML cannot have.
func oneLine(text string, limit int) string {
	if isOneLine(text) {
		return cut(text, limit)
	}
	return cut(strings.Join(strings.Fields(strings.Map(xmlCharacter, text)), " "), limit)
}

// isOneLine reports whether oneLine leaves a text as it is, except for its length. Most names and values are so.
func isOneLine(text string) bool {
	before := ' '
	for _, r := range text {
		switch {
		case r == ' ' && before == ' ', r != ' ' && unicode.IsSpace(r), xmlCharacter(r) != r:
			return false
		}
		before = r
	}
	return before != ' ' || text == ""
}

// prose returns a text of several lines with at most limit characters, without what XML cannot have.
func prose(text string, limit int) string {
	text = strings.Map(xmlCharacter, strings.ReplaceAll(text, "\r\n", "\n"))
	return cut(strings.TrimSpace(text), limit)
}

// xmlCharacter returns a character that XML can have in its place, or -1 for none.
func xmlCharacter(r rune) rune {
	switch {
	case r == '\n' || r == '\t' || r == ' ':
		return r
	case r == '\r', r == '\u2028', r == '\u2029':
		return '\n'
	case unicode.IsControl(r), r == utf8.RuneError, r == '\ufffe', r == '\uffff', r == '\ufeff':
		return -1
	}
	return r
}

// cut shortens a text to limit characters.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	n := 0
	for i := range text {
		if n == limit {
			return strings.TrimSpace(text[:i])
		}
		n++
	}
	return text
}

// appendXML appends a text as the content of an element or of an attribute. The text has passed oneLine or prose.
func appendXML(b []byte, text string) []byte {
	start := 0
	for i := range len(text) {
		var entity string
		switch text[i] {
		case '&':
			entity = "&amp;"
		case '<':
			entity = "&lt;"
		case '>':
			entity = "&gt;"
		case '"':
			entity = "&quot;"
		case '\'':
			entity = "&apos;"
		default:
			continue
		}

		b = append(append(b, text[start:i]...), entity...)
		start = i + 1
	}
	return append(b, text[start:]...)
}

// appendElement appends an element with a text, unless the text is empty.
func appendElement(b []byte, name, text string) []byte {
	if text == "" {
		return b
	}
	b = append(append(append(b, '<'), name...), '>')
	b = appendXML(b, text)
	return append(append(append(b, "</"...), name...), ">\n"...)
}

// centsOf returns an amount in units of 0.01, rounded.
func centsOf(m money.Money) int64 { return (int64(m) + 50) / 100 }

// appendCents appends an amount in units of 0.01 with two decimals, such as 10.50.
func appendCents(b []byte, cents int64) []byte {
	b = strconv.AppendInt(b, cents/100, 10)
	rest := cents % 100
	return append(b, '.', byte('0'+rest/10), byte('0'+rest%10))
}
