package catalog

import (
	"time"
)

// Money is an amount in units of 0.0001 of the store's currency: exact, no float anywhere.
type Money int64

// MoneyDecimals and MoneyDigits are the decimals of an amount and the most digits before its point.
const (
	MoneyDecimals = 4
	MoneyDigits   = 12
)

// Product is what is common to all its variants.
type Product struct {
	Key         int64
	ID          ProductID
	ExternalID  *string
	Name        string
	Description string
	Version     int64
	ArchivedAt  *time.Time
	CreatedAt   time.Time
	UpdatedAt   time.Time
	// PriceFrom and PriceTo span the prices of the variants; nil without any.
	PriceFrom, PriceTo *Money
}

// Variant is one thing a buyer can put into a cart.
type Variant struct {
	Key        int64
	ProductKey int64
	ID         VariantID
	ExternalID *string
	Name       string
	SKU        string
	Price      Money
	ArchivedAt *time.Time
}
