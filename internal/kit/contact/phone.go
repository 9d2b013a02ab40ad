package contact

import "strings"

const (
	// minDigits is the minimum number of digits. A short national number with its area code has that many. maxDigits is
	// the maximum number, which E.164 sets for international numbers.
	minDigits = 7
	maxDigits = 15
	// maxPhone is the maximum length of the input in bytes, including separators.
	maxPhone = 64
)

// CheckPhone parses a phone number that a user gave and returns its digits, with a leading + if it has one: +7 (912)
// 345-67-89 becomes +79123456789. A number without a + stays national, since its country is unknown here. For an
// invalid number, such as one with fewer than 7 or more than 15 digits, CheckPhone returns an Invalid fault with the
// code invalid_phone and a message that says what is expected.
func CheckPhone(given string) (string, error) {
	number := strings.TrimSpace(given)
	switch {
	case number == "":
		return "", invalidContact(InvalidPhone, "A phone number is needed, such as +49 30 1234567.")
	case len(number) > maxPhone:
		return "", invalidContact(InvalidPhone, "A phone number may have at most %d characters.", maxPhone)
	}

	plus := ""
	if rest, found := strings.CutPrefix(number, "+"); found {
		plus = "+"
		number = rest
	}

	digits := strings.Map(dropSeparator, number)
	switch {
	case strings.Trim(digits, "0123456789") != "":
		return "", invalidContact(InvalidPhone,
			"A phone number is digits, with a + before them and spaces, hyphens, dots, slashes or parentheses between "+
				"them, such as +49 30 1234567; an extension does not belong to it.")
	case len(digits) < minDigits || len(digits) > maxDigits:
		return "", invalidContact(InvalidPhone,
			"A phone number has %d to %d digits, with those of its country and area, such as +49 30 1234567.",
			minDigits, maxDigits)
	case plus != "" && digits[0] == '0':
		return "", invalidContact(InvalidPhone,
			"After the + stands the code of a country, which does not begin with 0, such as +49 30 1234567.")
	}

	return plus + digits, nil
}

// dropSeparator is a mapping for strings.Map that removes the separators that people write between digits, including
// no-break spaces and the hyphens and dashes of word processors.
func dropSeparator(c rune) rune {
	if strings.ContainsRune(" -./()\t\u00a0\u2009\u202f\u2010\u2011\u2012\u2013\u2014\u2212", c) {
		return -1
	}
	return c
}
