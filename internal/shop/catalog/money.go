package catalog

import (
	"strconv"
	"strings"

	"vitrine/internal/kit/wire"
)

// Decimal is the number that the name of a range feature's value reads as: digits, exactly, however many.
type Decimal struct{ text string } // canonical: no needless zeros, a point, a sign only if negative

// ParseDecimal reads a plain decimal number: digits, with a point or a comma before the fraction, perhaps a minus; no exponent, no blanks.
func ParseDecimal(s string) (Decimal, bool) {
	s, negative := strings.CutPrefix(s, "-")
	whole, fraction, pointed := strings.Cut(strings.Replace(s, ",", ".", 1), ".")
	if !isDigits(whole) || (pointed && !isDigits(fraction)) {
		return Decimal{}, false
	}
	whole = strings.TrimLeft(whole, "0")
	fraction = strings.TrimRight(fraction, "0")
	if whole == "" {
		whole = "0"
	}
	text := whole
	if fraction != "" {
		text += "." + fraction
	}
	if negative && text != "0" {
		text = "-" + text
	}
	return Decimal{text}, true
}

func isDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// String is the number as JSON writes it.
func (d Decimal) String() string { return d.text }

// Whole reports whether there is nothing behind the point.
func (d Decimal) Whole() bool { return !strings.Contains(d.text, ".") }

// Float is the nearest float64: what range filters compare. A name has at most 255 characters, so it is finite.
func (d Decimal) Float() float64 {
	f, _ := strconv.ParseFloat(d.text, 64)
	return f
}

// Money is an amount in units of 0.0001 of the store's currency: exact, no float anywhere.
type Money int64

// MoneyDecimals and MoneyDigits are the decimals of an amount and the most digits before its point.
const (
	MoneyDecimals = 4
	MoneyDigits   = 12
)

// Quantity is an amount of goods in units of 0.001.
type Quantity int64

// QuantityDecimals and QuantityDigits are the decimals of an amount and the most digits before its point: few enough that the sum over
// nine million remainders fits.
const (
	QuantityDecimals = 3
	QuantityDigits   = 9
)

// ReadPrice reads a price: an amount of money that is not negative.
func ReadPrice(r *wire.Reader) (Money, bool) {
	units, ok := readAmount(r, MoneyDecimals, MoneyDigits, "A price")
	return Money(units), ok
}

// ReadQuantity reads an amount of goods that is not negative.
func ReadQuantity(r *wire.Reader) (Quantity, bool) {
	units, ok := readAmount(r, QuantityDecimals, QuantityDigits, "A quantity")
	return Quantity(units), ok
}

func readAmount(r *wire.Reader, decimals, digits int, what string) (int64, bool) {
	units, ok := r.Fixed(decimals, digits)
	if ok && units < 0 {
		r.Failf("out_of_range", "%s may not be negative.", what)
		return 0, false
	}
	return units, ok
}
