package commerceml

import (
	"math/big"
	"strings"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/shop/catalog"
)

// maxText is the maximum length of a name and of an external id, in characters.
const maxText = 255

// foldSpaces returns a text with single spaces between its words and none around them. Of a text that is too long for a
// name it returns the beginning, which is too long, too.
func foldSpaces(text string) string {
	if isFolded(text) {
		return cutText(text, maxText+1)
	}
	var b strings.Builder
	for word := range strings.FieldsSeq(text) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(cutText(word, maxText+1))
		if b.Len() > (maxText+1)*utf8.UTFMax {
			break
		}
	}
	return b.String()
}

// cutText returns the beginning of a text, of at most limit characters.
func cutText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for i := range text {
		if limit--; limit < 0 {
			return text[:i]
		}
	}
	return text
}

// cutID returns an id, or the beginning of one that is too long. It is still too long, so that the gate refuses it and
// says why.
func cutID(id string) string { return cutText(id, maxText+1) }

// isFolded reports whether foldSpaces certainly leaves the text as it is. The spaces of Unicode begin with the bytes C2
// and E1 to E3.
func isFolded(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case c == ' ':
			if i == 0 || i == len(text)-1 || text[i-1] == ' ' {
				return false
			}
		case c < ' ', c == 0xC2, c >= 0xE1 && c <= 0xE3:
			return false
		}
	}
	return true
}

// normalize returns the external id of a text that has no id of its own: the text with its case and spaces folded.
func normalize(text string) string { return catalog.TextValueID(foldSpaces(text)) }

// cutNote returns a name without the text in brackets at its end, or the name itself if there is nothing else.
func cutNote(name string) string {
	name = strings.TrimSpace(name)
	if !strings.HasSuffix(name, ")") {
		return name
	}

	depth := 0
	for i := len(name) - 1; i >= 0; i-- {
		switch name[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				if short := strings.TrimSpace(name[:i]); short != "" {
					return short
				}
				return name
			}
		}
	}

	return name
}

// fits reports whether a text may be a name or an external id.
func fits(text string) bool { return text != "" && utf8.RuneCountInString(text) <= maxText }

// shorten cuts a name that is too long.
func shorten(name string) string {
	name = foldSpaces(name)
	if utf8.RuneCountInString(name) <= maxText {
		return name
	}
	return cutText(name, maxText-1) + "…"
}

// isTrue reads a value such as the value of ПометкаУдаления.
func isTrue(text string) bool {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "true", "1", "да", "истина":
		return true
	}
	return false
}

// isFalse reads a value such as the value of СодержитТолькоИзменения.
func isFalse(text string) bool {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "false", "0", "нет", "ложь":
		return true
	}
	return false
}

// maxNumberText limits the bytes of a number with its spaces.
const maxNumberText = 200

// parseDecimal reads a number with a decimal comma or point and with spaces between its digits. Those are spaces,
// no-break spaces and apostrophes.
func parseDecimal(text string) (*big.Rat, bool) {
	if len(text) > maxNumberText {
		return nil, false
	}

	clean := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), r == '\'', r == '’':
			return -1
		case r == ',':
			return '.'
		case r == '−':
			return '-'
		}

		return r
	}, text)
	if clean == "" || len(clean) > 40 || strings.Trim(clean, "+-.0123456789") != "" {
		return nil, false
	}

	return new(big.Rat).SetString(clean)
}

// plainDecimal returns what parseDecimal and formatDecimal make of a number that is written with digits and at most so
// many decimals. It returns false for other texts. It is faster, and most prices are written so.
func plainDecimal(text string, decimals int) (string, bool) {
	whole, fraction, hasFraction := strings.Cut(text, ",")
	if !hasFraction {
		whole, fraction, hasFraction = strings.Cut(text, ".")
	}
	if !isDigits(whole) || hasFraction && !isDigits(fraction) || len(fraction) > decimals {
		return "", false
	}

	last := len(whole) - 1
	whole = strings.TrimLeft(whole[:last], "0") + whole[last:] // 0 keeps its digit
	if fraction = strings.TrimRight(fraction, "0"); fraction == "" {
		return whole, true
	}
	return whole + "." + fraction, true
}

// isDigits reports whether a text consists of a few digits.
func isDigits(text string) bool {
	const most = 15
	return text != "" && len(text) <= most && strings.Trim(text, "0123456789") == ""
}

// formatDecimal returns a number rounded to so many decimals, without zeros at its end.
func formatDecimal(n *big.Rat, decimals int) string {
	text := n.FloatString(decimals)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if text == "-0" {
		return "0"
	}
	return text
}

// DecimalText returns a number rounded to so many decimals, without zeros at its end.
func DecimalText(n *big.Rat, decimals int) string { return formatDecimal(n, decimals) }
