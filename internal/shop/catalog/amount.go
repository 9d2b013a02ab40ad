package catalog

import "vitrine/internal/kit/wire"

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
