package money

import (
	"fmt"

	"vitrine/internal/kit/wire"
)

// Price is the price of a variant. The zero Price is none: the variant is not for sale. An amount of 0 is a price, too:
// the variant is free of charge. Prices are compared with ==.
type Price struct {
	amount Money // 0 if there is none
	set    bool
}

// NewPrice returns the price of this amount.
func NewPrice(amount Money) Price { return Price{amount, true} }

// Amount returns the amount of the price. The result ok is false if there is none.
func (p Price) Amount() (amount Money, ok bool) { return p.amount, p.set }

// IsSet reports whether there is a price, which may be 0.
func (p Price) IsSet() bool { return p.set }

// Equal reports what == does. Comparisons by reflection use it.
func (p Price) Equal(other Price) bool { return p == other }

// OrNil returns the amount of the price, or nil if there is none.
func (p Price) OrNil() *Money {
	if !p.set {
		return nil
	}
	return &p.amount
}

// OrNull returns the price as a column value: NULL if there is none.
func (p Price) OrNull() any {
	if !p.set {
		return nil
	}
	return int64(p.amount)
}

// Scan implements sql.Scanner.
func (p *Price) Scan(v any) error {
	switch units := v.(type) {
	case nil:
		*p = Price{}
	case int64:
		*p = NewPrice(Money(units))
	default:
		return fmt.Errorf("cannot read %T as a price", v)
	}
	return nil
}

// AppendJSON appends the price as ReadPrice reads it: a number, or null if there is none.
func (p Price) AppendJSON(b []byte) []byte {
	if !p.set {
		return append(b, "null"...)
	}
	return wire.AppendFixed(b, int64(p.amount), MoneyDecimals)
}
