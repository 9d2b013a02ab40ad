package catalog

import (
	"time"

	"vitrine/internal/kit/id"
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

// StockEdit is what a request says of a stock. Members that are nil stay as they are.
type StockEdit struct {
	Name       *string
	ExternalID *string // "" takes it away
}

// apply applies the edit's members to the stock.
func (t *Stock) apply(e StockEdit, wrong *breaches) {
	if e.Name != nil {
		t.Name = *e.Name
	} else if t.Name == "" {
		wrong.nameRequired("stock")
	}
	if e.ExternalID != nil {
		t.ExternalID = externalIDOrNil(*e.ExternalID)
	}
}

// Remainder is what a stock has of a variant.
type Remainder struct {
	StockID StockID
	// Quantity is what accounting or the operator says, Reserved what submitted orders wait for. The difference is left.
	Quantity, Reserved Quantity
}
