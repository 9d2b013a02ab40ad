package catalog

import (
	"time"

	"vitrine/internal/id"
)

// StockID names a stock.
type StockID = id.Of[Stock]

// Stock is a place where goods lie: a warehouse, a shop.
type Stock struct {
	Key        int64
	ID         StockID
	ExternalID *string
	Name       string
	// Version grows with every write of the stock.
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Quantity is an amount of goods in units of 0.001.
type Quantity int64

// QuantityDecimals and QuantityDigits are the decimals of an amount and the most digits before its point.
const (
	QuantityDecimals = 3
	QuantityDigits   = 12
)

// Remainder is what a stock has of a variant.
type Remainder struct {
	StockID StockID
	// Quantity is what accounting or the operator says, Reserved what submitted orders wait for. The difference is left.
	Quantity, Reserved Quantity
}
