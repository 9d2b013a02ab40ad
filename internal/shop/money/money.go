// Package money has the exact numbers of a shop: amounts of money, prices, quantities, tax rates and weights. What is
// sold for them belongs to package catalog.
package money

import (
	"cmp"
	"strconv"
	"strings"

	"vitrine/internal/kit/fault"
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

// Percent is a percentage in units of 0.01 %.
type Percent int64

// PercentDecimals is the maximum number of digits after the decimal point of a percentage.
const PercentDecimals = 2

// maxPercent is 100 %.
const maxPercent = 100_00

// Grams is a weight in grams. People and JSON write it in kilograms.
type Grams int64

// WeightDecimals and WeightDigits are the maximum numbers of digits after and before the decimal point of a weight in
// kilograms.
const (
	WeightDecimals = 3
	WeightDigits   = 9
)

// ReadPrice reads the price of a variant: a non-negative amount of money, or null for none.
func ReadPrice(r *wire.Reader) (Price, bool) { return ReadOptional[Money](r) }

// ReadMoney reads a non-negative amount of money.
func ReadMoney(r *wire.Reader) (Money, bool) {
	price, ok := wire.As(r, r.Number, ParsePrice)
	return price.amount, ok
}

// ReadQuantity reads a non-negative quantity of goods.
func ReadQuantity(r *wire.Reader) (Quantity, bool) {
	number, ok := r.Number() // not wire.As: it would be inlined into the caller, where r.Number escapes to the heap
	if !ok {
		return 0, false
	}
	quantity, broken := ParseQuantity(number)
	return quantity, r.Check(broken)
}

// ParsePrice converts the text of a JSON number to a price, or returns the broken rule.
func ParsePrice(number string) (Price, *fault.Field) { return ParseOptional[Money](number) }

// ParseQuantity converts the text of a JSON number to a quantity, or returns the broken rule.
func ParseQuantity(number string) (Quantity, *fault.Field) {
	units, broken := wire.ParseFixed(number, QuantityDecimals, QuantityDigits)
	if broken != nil {
		return 0, broken
	}
	return Quantity(units), Quantity(units).Check()
}

func (Money) places() (decimals, digits int) { return MoneyDecimals, MoneyDigits }

// Check returns the rule that a price of this amount breaks, or nil. A price is not negative and has at most
// MoneyDigits digits before the decimal point.
func (m Money) Check() *fault.Field {
	return checkAmount(int64(m), MoneyDecimals, MoneyDigits, "A price")
}

func (Percent) places() (decimals, digits int) { return PercentDecimals, 3 }

// Check returns the rule that a rate of tax of this percentage breaks, or nil. It is from 0 to 100.
func (p Percent) Check() *fault.Field {
	if p < 0 || p > maxPercent {
		return fault.Broken("out_of_range", "A VAT rate is a percentage from 0 to 100, such as 20; null is none.")
	}
	return nil
}

func (Grams) places() (decimals, digits int) { return WeightDecimals, WeightDigits }

// Check returns the rule that the weight breaks, or nil. A weight is not negative and has at most WeightDigits digits
// before the decimal point.
func (g Grams) Check() *fault.Field {
	return checkAmount(int64(g), WeightDecimals, WeightDigits, "A weight")
}

// Check returns the rule that the quantity breaks, or nil. A quantity is not negative and has at most QuantityDigits
// digits before the decimal point.
func (q Quantity) Check() *fault.Field {
	return checkAmount(int64(q), QuantityDecimals, QuantityDigits, "A quantity")
}

func checkAmount(units int64, decimals, digits int, what string) *fault.Field {
	if broken := wire.CheckFixed(units, decimals, digits); broken != nil {
		return broken
	}
	if units < 0 {
		return fault.Broken("out_of_range", "%s may not be negative.", what)
	}
	return nil
}

// ParseTypedQuantity parses a quantity that a person wrote, with a decimal point or comma. The result ok is false if it
// is none, or breaks the rule of quantities.
func ParseTypedQuantity(text string) (q Quantity, ok bool) {
	d, ok := ParseDecimal(strings.TrimSpace(text))
	if !ok {
		return 0, false
	}
	q, broken := ParseQuantity(d.String())
	return q, broken == nil
}

// ParseTypedPrice parses a price that a person wrote, with a decimal point or comma, or returns the broken rule.
func ParseTypedPrice(text string) (Price, *fault.Field) {
	d, ok := ParseDecimal(strings.TrimSpace(text))
	if !ok {
		return Price{}, fault.Broken("out_of_range", "A price is a number such as 10 or 9.90.")
	}
	return ParsePrice(d.String())
}

// Text returns the quantity as a plain decimal number, as ParseTypedQuantity reads it.
func (q Quantity) Text() string {
	text := strconv.FormatInt(int64(q)/1000, 10)
	if fraction := int64(q) % 1000; fraction != 0 {
		text += "." + strings.TrimRight(strconv.FormatInt(1000+fraction, 10)[1:], "0")
	}
	return text
}
