package payload

import "vitrine/internal/kit/schema"

// CatalogChange is what changed in the catalogue of a store, in events and in responses.
type CatalogChange struct {
	_ struct{} `doc:"What changed in the catalogue."`

	Version    int64         `json:"version" doc:"The version of the catalogue that has these changes. Ask for the changes since it next." example:"184"`
	Products   ChangedThings `json:"products"`
	Categories ChangedThings `json:"categories"`
	PricesOnly bool          `json:"prices_only" doc:"Whether nothing but prices and stock of products changed."`
	Tags       []string      `json:"tags" doc:"The tags of the cached responses that are out of date, as in the header Cache-Tag: those of the listed ids, and list if anything changed." example:"[\"product-019a8269-6b00-7e21-9a07-7e8f9a0b1c07\",\"list\"]"`
}

// ChangedThings are products or categories that changed.
type ChangedThings struct {
	_ struct{} `doc:"The products or categories that are new, changed or deleted."`

	Count int64       `json:"count" doc:"How many there are." example:"1"`
	IDs   []schema.ID `json:"ids" doc:"At most 1,000 ids."`
	More  bool        `json:"more" doc:"Whether there are more than are listed."`
}
