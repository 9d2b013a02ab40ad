package spec

import "vitrine/internal/api/httpapi/openapi"

// Category is a shelf of the shop, as it is read.
type Category struct {
	_ struct{} `doc:"A shelf of the shop. Categories form a tree of any depth."`

	ID         openapi.ID                   `json:"id"`
	ExternalID openapi.Nullable[string]     `json:"external_id" doc:"Its id in another system, unique among the categories of the store." example:"1C-CAT-7"`
	Name       string                       `json:"name" example:"T-shirts"`
	ParentID   openapi.Nullable[openapi.ID] `json:"parent_id" doc:"The category that it lies in; null at the root."`
	CreatedAt  openapi.DateObject           `json:"created_at"`
	UpdatedAt  openapi.DateObject           `json:"updated_at" doc:"When the category was last written. Moving up because its parent was deleted changes its ETag, not this."`
}

// NewCategory is the body that creates a category.
type NewCategory struct {
	Name       openapi.NameInput                         `json:"name"`
	ExternalID openapi.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system, unique among the categories of the store; taken by another one it is 409."`
	ParentID   openapi.Nullable[openapi.ID]              `json:"parent_id,omitempty" doc:"The category that it lies in; null, the default, puts it at the root."`
}

// CategoryEdit is the body that edits a category.
type CategoryEdit struct {
	Name       openapi.NameInput                         `json:"name,omitempty"`
	ExternalID openapi.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system; null takes it away. Taken by another category it is 409."`
	ParentID   openapi.Nullable[openapi.ID]              `json:"parent_id,omitempty" doc:"The category to move it into, with all that is below it; null moves it to the root. It may be neither the category itself nor one below it."`
}
