package contact

import "strings"

// National is the country prefix of phone numbers without one.
const National = "national"

// twoDigitCodes are the country codes of two digits. Those that begin with 1 and 7 have one digit, all others three.
const twoDigitCodes = " 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 " +
	"65 66" +
	" 81 82 84 86 90 91 92 93 94 95 98 "

// CountryPrefix returns the code of the country of a phone number, such as +49, in the form that CheckPhone returns. It
// returns National for a number without a +.
func CountryPrefix(phone string) string {
	digits, international := strings.CutPrefix(phone, "+")
	if !international {
		return National
	}
	length := 3
	switch {
	case strings.HasPrefix(digits, "1"), strings.HasPrefix(digits, "7"):
		length = 1
	case len(digits) >= 2 && strings.Contains(twoDigitCodes, " "+digits[:2]+" "):
		length = 2
	}
	return "+" + digits[:min(length, len(digits))]
}
