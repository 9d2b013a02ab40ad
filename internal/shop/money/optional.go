package money

import (
	"fmt"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
)

// Fixed is an exact number, counted in units of its last decimal.
type Fixed interface {
	~int64
	// places returns the maximum numbers of digits after and before the decimal point.
	places() (decimals, digits int)
	// Check returns the rule that the number breaks, or nil.
	Check() *fault.Field
}

// Optional is a number that may be missing: the zero Optional has none, and 0 is a number. Optionals are compared with
// ==.
type Optional[T Fixed] struct {
	amount T // 0 if there is none
	set    bool
}

// Price is the price of a variant. A variant without one is not for sale, and one with a price of 0 is free.
type Price = Optional[Money]

// VATRate is the rate of the value-added tax that a price includes. It is missing if it is not known, or if there is no
// such tax.
type VATRate = Optional[Percent]

// Weight is the weight of a good, if it is known.
type Weight = Optional[Grams]

// NewPrice returns the price of this amount.
func NewPrice(amount Money) Price { return NewOptional(amount) }

// NewOptional returns an optional number that is there.
func NewOptional[T Fixed](amount T) Optional[T] { return Optional[T]{amount, true} }

// Amount returns the number. The result ok is false if there is none.
func (o Optional[T]) Amount() (amount T, ok bool) { return o.amount, o.set }

// IsSet reports whether there is a number, which may be 0.
func (o Optional[T]) IsSet() bool { return o.set }

// Equal reports what == does. Comparisons by reflection use it.
func (o Optional[T]) Equal(other Optional[T]) bool { return o == other }

// OrNil returns the number, or nil if there is none.
func (o Optional[T]) OrNil() *T {
	if !o.set {
		return nil
	}
	return &o.amount
}

// OrNull returns the number as a column value: NULL if there is none.
func (o Optional[T]) OrNull() any {
	if !o.set {
		return nil
	}
	return int64(o.amount)
}

// Scan implements sql.Scanner.
func (o *Optional[T]) Scan(v any) error {
	switch units := v.(type) {
	case nil:
		*o = Optional[T]{}
	case int64:
		*o = NewOptional(T(units))
	default:
		return fmt.Errorf("cannot read %T as a number", v)
	}
	return nil
}

// Check returns the rule that the number breaks, or nil. A missing number breaks none.
func (o Optional[T]) Check() *fault.Field { return o.amount.Check() }

// AppendJSON appends the number as ReadOptional reads it, or null if there is none.
func (o Optional[T]) AppendJSON(b []byte) []byte {
	if !o.set {
		return append(b, "null"...)
	}
	decimals, _ := o.amount.places()
	return wire.AppendFixed(b, int64(o.amount), decimals)
}

// Text returns the number as a plain decimal number, or "" if there is none.
func (o Optional[T]) Text() string {
	if !o.set {
		return ""
	}
	return string(o.AppendJSON(nil))
}

// ParseOptional converts the text of a JSON number, or returns the broken rule.
func ParseOptional[T Fixed](number string) (Optional[T], *fault.Field) {
	decimals, digits := T(0).places()
	units, broken := wire.ParseFixed(number, decimals, digits)
	if broken != nil {
		return Optional[T]{}, broken
	}
	o := NewOptional(T(units))
	return o, o.Check()
}

// ReadOptional reads a number, or null for none.
func ReadOptional[T Fixed](r *wire.Reader) (Optional[T], bool) {
	if r.Null() {
		return Optional[T]{}, true
	}
	return wire.As(r, r.Number, ParseOptional[T])
}
