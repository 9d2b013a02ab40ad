package catalog

import (
	"cmp"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/money"
)

// PriceListID identifies a price list.
type PriceListID = id.Of[PriceList]

// PriceList is a list of other prices than the prices of the variants themselves, such as wholesale prices.
type PriceList struct {
	Key        int64
	ID         PriceListID
	ExternalID *string
	Name       string
	// Currency is an ISO 4217 code. Customers get the prices of a list only if it is the currency of the store.
	Currency string
	// Version increases with every write of the list itself.
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
}

// PriceStep identifies a price of a variant: by the list, and by the quantity from which on the price applies.
type PriceStep struct {
	ListKey      int64
	FromQuantity money.Quantity
}

// Compare orders by list, then by quantity.
func (s PriceStep) Compare(other PriceStep) int {
	return cmp.Or(cmp.Compare(s.ListKey, other.ListKey), cmp.Compare(s.FromQuantity, other.FromQuantity))
}

// ListPrice is a price of a variant in a price list.
type ListPrice struct {
	PriceStep
	Price money.Money
}

// DefaultFromQuantity is the quantity of a price that is given without one: 1.
const DefaultFromQuantity money.Quantity = 1000

// CheckFromQuantity returns the rule that the quantity of a price breaks, or nil.
func CheckFromQuantity(q money.Quantity) *fault.Field {
	if q <= 0 {
		return fault.Broken("out_of_range",
			"A price applies from a quantity on that is more than 0, such as 10; this is %s.", q.Text())
	}
	return q.Check()
}

// ReadFromQuantity reads the quantity of a price.
func ReadFromQuantity(r *wire.Reader) (money.Quantity, bool) {
	q, ok := money.ReadQuantity(r)
	return q, ok && r.Check(CheckFromQuantity(q))
}
