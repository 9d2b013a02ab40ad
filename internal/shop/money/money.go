// Package money has the exact numbers of a shop: amounts of money, prices and quantities. What is sold for them belongs
// to package catalog.
package money

import (
	"cmp"
	"strconv"
	"strings"

	"vitrine/internal/kit/wire"
)

// Decimal is an exact decimal number of any length, as read from the name of a range feature's value.
type Decimal struct{ text string } // canonical: no redundant zeros, a decimal point, a sign only if negative

// ParseDecimal parses a plain decimal number: an optional minus, digits, and an optional fraction after a point or a
// comma. There are no exponents and no spaces.
func ParseDecimal(s string) (Decimal, bool) {
	s, negative := strings.CutPrefix(s, "-")
	whole, fraction, pointed := strings.Cut(strings.Replace(s, ",", ".", 1), ".")
	if !isDigits(whole) || (pointed && !isDigits(fraction)) {
		return Decimal{}, false
	}
	text := cmp.Or(strings.TrimLeft(whole, "0"), "0")
	if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
		text += "." + fraction
	}
	if negative && text != "0" {
		text = "-" + text
	}
	return Decimal{text}, true
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// String returns the number as written in JSON.
func (d Decimal) String() string { return d.text }

// Whole reports whether the number is an integer.
func (d Decimal) Whole() bool { return !strings.Contains(d.text, ".") }

// Float returns the nearest float64, which range filters compare. It is finite, since a name has at most 255
// characters, and a float64 can be greater than 10^308.
func (d Decimal) Float() float64 {
	f, _ := strconv.ParseFloat(d.text, 64)
	return f
}

// Money is an exact amount in units of 0.0001 of the store's currency.
type Money int64

// MoneyDecimals and MoneyDigits are the maximum numbers of digits after and before an amount's decimal point.
const (
	MoneyDecimals = 4
	MoneyDigits   = 12
)

// Quantity is a quantity of goods in units of 0.001.
type Quantity int64

// QuantityDecimals and QuantityDigits are the maximum numbers of digits after and before a quantity's decimal point. So
// a quantity is less than 10^12 units of 0.001, and the sum of nine million quantities fits an int64.
const (
	QuantityDecimals = 3
	QuantityDigits   = 9
)

// ReadPrice reads the price of a variant: a non-negative amount of money, or null for none.
func ReadPrice(r *wire.Reader) (Price, bool) {
	if r.Null() {
		return Price{}, true
	}
	amount, ok := ReadMoney(r)
	return NewPrice(amount), ok
}

// ReadMoney reads a non-negative amount of money.
func ReadMoney(r *wire.Reader) (Money, bool) {
	units, ok := readAmount(r, MoneyDecimals, MoneyDigits, "A price")
	return Money(units), ok
}

// ReadQuantity reads a non-negative quantity of goods.
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

// ParseQuantity parses a non-negative quantity that a person wrote, with a decimal point or comma. The result ok is
// false if it is none, or has more digits than a quantity may have.
func ParseQuantity(text string) (q Quantity, ok bool) {
	d, ok := ParseDecimal(strings.TrimSpace(text))
	if !ok {
		return 0, false
	}
	units, err := wire.ParseFixed(d.String(), QuantityDecimals, QuantityDigits)
	return Quantity(units), err == nil && units >= 0
}

// Text returns the quantity as a plain decimal number, as ParseQuantity reads it.
func (q Quantity) Text() string {
	text := strconv.FormatInt(int64(q)/1000, 10)
	if fraction := int64(q) % 1000; fraction != 0 {
		text += "." + strings.TrimRight(strconv.FormatInt(1000+fraction, 10)[1:], "0")
	}
	return text
}
