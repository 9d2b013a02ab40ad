package contact

import "strings"

const (
	// minDigits is as short as a number with its area code is; maxDigits is the most that one can have anywhere (E.164).
	minDigits = 7
	maxDigits = 15
	// maxPhone is how many bytes a number may have with all that is written between its digits.
	maxPhone = 64
)

// CheckPhone reads a phone number that a user gave and returns its digits, after a + if it began with one: +7 (912) 345-67-89 becomes
// +79123456789. A number without a + stays one of its country: which that is nobody here knows. Anything that is not 7 to 15 digits is an
// Invalid fault, invalid_phone, whose message says what would be right.
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
		plus, number = "+", rest
	}
	digits := strings.Map(dropSeparator, number)
	switch {
	case strings.Trim(digits, "0123456789") != "":
		return "", invalidContact(InvalidPhone, "A phone number is digits, with a + before them and spaces, hyphens, dots, slashes or parentheses between them, "+
			"such as +49 30 1234567; an extension does not belong to it.")
	case len(digits) < minDigits || len(digits) > maxDigits:
		return "", invalidContact(InvalidPhone, "A phone number has %d to %d digits, with those of its country and area, such as +49 30 1234567.", minDigits, maxDigits)
	case plus != "" && digits[0] == '0':
		return "", invalidContact(InvalidPhone, "After the + stands the code of a country, which does not begin with 0, such as +49 30 1234567.")
	}
	return plus + digits, nil
}

// dropSeparator drops what people write between digits: ASCII, the no-break spaces and the hyphens and dashes of word processors.
func dropSeparator(c rune) rune {
	if strings.ContainsRune(" -./()\t\u00a0\u2009\u202f\u2010\u2011\u2012\u2013\u2014\u2212", c) {
		return -1
	}
	return c
}
