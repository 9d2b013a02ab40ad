package catalog

import (
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/rule"
)

// StockID identifies a stock.
type StockID = id.Of[Stock]

// Stock is a place where goods are stored, such as a warehouse or a shop.
type Stock struct {
	Key        int64
	ID         StockID
	ExternalID *string
	Name       string
	// Version increases with every write of the stock.
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
}

// StockEdit is an edit of a stock. Nil members leave their fields unchanged.
type StockEdit struct {
	Name       *string
	ExternalID *string // "" removes it
}

// Apply applies the edit's members to the stock, and adds broken rules to wrong.
func (t *Stock) Apply(e StockEdit, wrong *rule.Violations) {
	if t.Name == "" && e.Name == nil {
		wrong.NameRequired("", "stock")
	}
	wrong.Assign(&t.Name, e.Name, rule.Name, "", "name")
	wrong.AssignExternalID(&t.ExternalID, e.ExternalID, "")
}

// Remainder is the quantity of a variant in a stock.
type Remainder struct {
	StockID StockID
	// Quantity is set by accounting or the operator. Reserved is the part that submitted orders have reserved. The rest
	// is available.
	Quantity, Reserved money.Quantity
}
