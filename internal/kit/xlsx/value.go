package xlsx

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// numberText returns a number as people see it: 1.1000000000000001, which is how a file has 1.1, is 1.1, and
// 4.60123456789E+12 is 4601234567890. Excel itself counts and shows 15 digits. A text that is no number stays.
func numberText(text string) string {
	text = strings.TrimSpace(text)
	if isWhole(text) {
		return text
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) || math.Abs(n) > 1e40 {
		return text
	}

	rounded, err := strconv.ParseFloat(strconv.FormatFloat(n, 'e', 14, 64), 64)
	if err != nil {
		return text
	}
	if rounded == 0 {
		return "0"
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// isWhole reports whether a text is a whole number without an exponent.
func isWhole(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

// padded returns a whole number with at least the given number of digits, as its format shows it.
func padded(text string, digits int) string {
	if !isWhole(text) || text[0] == '-' || len(text) >= digits {
		return text
	}
	return strings.Repeat("0", digits-len(text)) + text
}

// dateText returns a date as 2006-01-02, with the time unless it is midnight, and a time of no day as 15:04:05. A
// number that is no date stays.
func dateText(text string, is1904 bool) string {
	days, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || days < 0 || days >= 2958466 { // 31 December 9999
		return numberText(text)
	}

	epoch := time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC)
	if is1904 {
		epoch = time.Date(1904, time.January, 1, 0, 0, 0, 0, time.UTC)
	} else if days >= 1 && days < 60 {
		days++ // Excel takes 1900 for a leap year
	}

	whole := math.Floor(days)
	seconds := int(math.Round((days - whole) * 86400))
	at := epoch.AddDate(0, 0, int(whole)).Add(time.Duration(seconds) * time.Second)
	switch {
	case whole == 0 && !is1904:
		return at.Format(time.TimeOnly)
	case seconds == 0:
		return at.Format(time.DateOnly)
	}
	return at.Format("2006-01-02T15:04:05")
}
