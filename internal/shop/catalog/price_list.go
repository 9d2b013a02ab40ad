package catalog

import (
	"time"

	"vitrine/internal/kit/id"
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
