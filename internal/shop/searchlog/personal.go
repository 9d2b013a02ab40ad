package searchlog

import (
	"slices"
	"strings"
	"unicode"

	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/language"
)

// isPersonal reports whether a query has an e-mail address or what may be a phone number. Barcodes, ISBNs, SKUs and
// models are kept: a number without a plus is taken for a phone only in a form in which people write phones.
func isPersonal(query string) bool {
	text := language.Fold(query)
	return hasEmail(text) || hasPhone(text)
}

// hasEmail reports whether a text has a word on each side of an at sign. Spaces beside the sign are allowed if a domain
// follows: "anna @ shop.example".
func hasEmail(text string) bool {
	for i, r := range text {
		if r != '@' {
			continue
		}

		before, after := text[:i], text[i+1:]
		name, domain := strings.TrimRight(before, " "), strings.TrimLeft(after, " ")
		if name == "" || domain == "" || !isWordEnd(name) {
			continue
		}
		domain, _, _ = strings.Cut(domain, " ")
		adjacent := len(name) == len(before) && strings.HasPrefix(after, domain)
		if adjacent && isWordStart(domain) || strings.Contains(strings.Trim(domain, "."), ".") {
			return true
		}
	}

	return false
}

func isWordStart(text string) bool {
	return strings.IndexFunc(text, isWordRune) == 0
}

func isWordEnd(text string) bool {
	runes := []rune(text)
	return isWordRune(runes[len(runes)-1])
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// numberGroup is a run of digits in a text.
type numberGroup struct {
	digits string
	// plus tells that a plus touches it, parenthesis that it stands in parentheses, hyphen that a hyphen joins it to
	// the group before.
	plus, parenthesis, hyphen bool
	// first tells that a space or the beginning of the text is before it, last that one is after it.
	first, last bool
}

// hasPhone reports whether a text has what may be a phone number.
func hasPhone(text string) bool {
	for _, run := range numberRuns(text) {
		for i := range run {
			if isPhone(run[i:]) {
				return true
			}
		}
	}
	return false
}

// numberRuns returns the digits of a text in groups, and groups that only separators of phone numbers divide in runs. A
// word with a letter, such as A-123-45-67, ends a run and is in none.
func numberRuns(text string) (runs [][]numberGroup) {
	var run []numberGroup
	end := func() {
		if len(run) > 0 {
			runs = append(runs, run)
		}
		run = nil
	}

	for _, field := range strings.FieldsFunc(text, isFieldEnd) {
		groups, ok := numberGroups(field)
		if !ok {
			end()
			continue
		}
		run = append(run, groups...)
	}
	end()

	return runs
}

// isFieldEnd reports whether a character divides a text into fields. Punctuation that phone numbers do not have does.
func isFieldEnd(r rune) bool {
	return !isWordRune(r) && !strings.ContainsRune("+-./()‐‑‒–—−", r)
}

// numberGroups returns the groups of digits of a field, and false if it has a letter.
func numberGroups(field string) (groups []numberGroup, ok bool) {
	var g numberGroup
	before := rune(0)
	for _, r := range field + " " {
		switch {
		case unicode.IsLetter(r):
			return nil, false
		case unicode.IsDigit(r):
			if g.digits == "" {
				g.plus = before == '+'
				g.parenthesis = before == '('
				g.hyphen = len(groups) > 0 && unicode.Is(unicode.Pd, before)
				g.first = len(groups) == 0
			}
			g.digits += string('0' + digitValue(r))
		case g.digits != "":
			groups = append(groups, g)
			g = numberGroup{}
		}
		before = r
	}

	if len(groups) > 0 {
		groups[len(groups)-1].last = true
	}
	return groups, true
}

// digitValue returns the value of a decimal digit of any script: they stand in tens, beginning with the zero.
func digitValue(r rune) rune {
	zero := r
	for unicode.IsDigit(zero-1) && r-zero < 9 {
		zero--
	}
	return r - zero
}

// Digits of phone numbers.
const (
	minPhone       = 7
	maxPhone       = 15
	nationalPhone  = 10 // of Russia without its prefix, of North America, France and Ukraine
	trunkPhone     = 11 // of Russia and Kazakhstan with 7 or 8 before it, of the United Kingdom and Germany
	countryPhone   = 12 // with a country code of three digits
	longestBarcode = 14
)

// isPhone reports whether groups begin with a phone number.
func isPhone(groups []numberGroup) bool {
	first := groups[0]
	digits, shape := "", ""
	for i, g := range groups {
		digits += g.digits
		shape += string(rune('0' + min(len(g.digits), 9)))

		switch n := len(digits); {
		case n > longestBarcode && i == 0, shape == "4444": // a card, an account or a device
			return true
		case n > maxPhone:
			return false
		case first.plus && n >= minPhone && isInternational(digits),
			first.parenthesis && len(first.digits) < 6 && n >= minPhone && i > 0,
			i == 0 && isPlainPhone(digits),
			i > 0 && isGroupedPhone(digits, shape, groups[1].first),
			shape == "322" && first.first && g.last && g.hyphen && groups[1].hyphen:
			return true
		}
	}
	return false
}

func isInternational(digits string) bool {
	_, err := contact.CheckPhone("+" + digits)
	return err == nil
}

// isPlainPhone reports whether digits without separators may be a phone number. Barcodes have 8, 12, 13 or 14 digits.
func isPlainPhone(digits string) bool {
	switch len(digits) {
	case nationalPhone:
		return hasAnyPrefix(digits, "9", "050", "06", "07", "09") && !isISBN(digits)
	case trunkPhone:
		return hasAnyPrefix(digits, "7", "8", "015", "016", "017", "07")
	case countryPhone:
		return hasAnyPrefix(digits, countryCodes...) && !isBarcode(digits)
	}
	return false
}

// isGroupedPhone is isPlainPhone for digits in groups. Each digit of the shape is the length of a group. spaced tells
// that a space is after the first one.
func isGroupedPhone(digits, shape string, spaced bool) bool {
	n := len(digits)
	switch {
	case n == trunkPhone && hasAnyPrefix(digits, "7", "8"):
		return hasAnyPrefix(shape, "13", "14", "15", "4")
	case n == nationalPhone && digits[0] == '9' && slices.Contains([]string{"3322", "37", "334", "33211"}, shape),
		n == nationalPhone && shape == "334" && digits[0] > '1' && !spaced: // 256 512 1024 are sizes
		return true
	case n >= nationalPhone && digits[0] == '0':
		return shape[0] != '1' && shape != "55"
	}
	return n == countryPhone && hasAnyPrefix(shape, "32", "33") && hasAnyPrefix(digits, countryCodes...)
}

// countryCodes are country codes of three digits that people also write without a plus.
var countryCodes = []string{"373", "374", "375", "380", "992", "993", "994", "995", "996", "998"}

func hasAnyPrefix(text string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(text, p) })
}

// isISBN reports whether ten digits end with the check digit of an ISBN.
func isISBN(digits string) bool {
	sum := 0
	for i, c := range digits {
		sum += (len(digits) - i) * int(c-'0')
	}
	return sum%11 == 0
}

// isBarcode reports whether digits end with the check digit of a GTIN.
func isBarcode(digits string) bool {
	sum := 0
	for i, c := range digits {
		weight := 3
		if (len(digits)-i)%2 == 1 {
			weight = 1
		}
		sum += weight * int(c-'0')
	}
	return sum%10 == 0
}
