package spec

import "vitrine/internal/api/httpapi/openapi"

// Stock is a place where goods lie, as it is read.
type Stock struct {
	_ struct{} `doc:"A place where goods lie: a warehouse, a shop."`

	ID         openapi.ID               `json:"id"`
	ExternalID openapi.Nullable[string] `json:"external_id" doc:"Its id in another system, unique among the stocks of the store." example:"WH-1"`
	Name       string                   `json:"name" example:"Main warehouse"`
	CreatedAt  openapi.DateObject       `json:"created_at"`
	UpdatedAt  openapi.DateObject       `json:"updated_at" doc:"When the stock itself was last written; what lies in it does not change this."`
}

// NewStock is the body that creates a stock.
type NewStock struct {
	Name       openapi.NameInput                         `json:"name"`
	ExternalID openapi.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system, unique among the stocks of the store; taken by another one it is 409."`
}

// StockEdit is the body that edits a stock.
type StockEdit struct {
	Name       openapi.NameInput                         `json:"name,omitempty"`
	ExternalID openapi.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system; null takes it away. Taken by another stock it is 409."`
}
