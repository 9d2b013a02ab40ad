package spec

import (
	"github.com/danielgtaylor/huma/v2"

	"vitrine/internal/api/httpapi/openapi"
)

// The types of this file are how the wire looks, for the OpenAPI document alone: nothing is decoded into them. A test renders
// real answers and holds them against these.

// Store is the shop that a key belongs to.
type Store struct {
	_ struct{} `doc:"The shop that the key belongs to."`

	ID        openapi.ID         `json:"id"`
	Name      string             `json:"name" example:"North Shop"`
	Timezone  string             `json:"timezone" doc:"IANA name. All dates are shown in it." example:"Europe/Moscow"`
	Locale    string             `json:"locale" doc:"The language of dates and of fixed words." enum:"en,ru,de,es,fr,uk,kk" example:"en"`
	Currency  string             `json:"currency" doc:"ISO 4217. All prices are in it." example:"EUR"`
	SiteURL   string             `json:"site_url" doc:"The address of the storefront; empty where none is set." example:"https://shop.example"`
	CreatedAt openapi.DateObject `json:"created_at"`
	UpdatedAt openapi.DateObject `json:"updated_at"`
	Settings  StoreSettings      `json:"settings,omitempty" doc:"Present only when the request passes with=settings."`
}

// VariantOption is what splits a product into variants.
type VariantOption struct {
	_ struct{} `doc:"What tells the variants of one product apart, such as size or colour."`

	ID         openapi.ID         `json:"id"`
	StoreID    openapi.ID         `json:"store_id" doc:"The store that owns it."`
	ExternalID string             `json:"external_id,omitempty" doc:"Its id in another system, unique among the options of the store; only present where it has one." example:"1C-SIZE"`
	Name       string             `json:"name" example:"Size"`
	CreatedAt  openapi.DateObject `json:"created_at"`
	UpdatedAt  openapi.DateObject `json:"updated_at" doc:"When the option or one of its values last changed."`
	Values     []OptionValue      `json:"values,omitempty" doc:"All values, in the order in which they were added. Only present when the request says with=values."`
}

// OptionValue is one value of an option.
type OptionValue struct {
	_ struct{} `doc:"One value of a variant option."`

	ID         openapi.ID `json:"id"`
	ExternalID string     `json:"external_id,omitempty" doc:"Its id in another system, unique among the values of the option; only present where it has one." example:"1C-SIZE-XL"`
	Name       string     `json:"name" doc:"Always a string, also where a number was sent." example:"XL"`
}

// Feature is what describes a product.
type Feature struct {
	_ struct{} `doc:"What describes a product, such as its material or its weight."`

	ID         openapi.ID                  `json:"id"`
	ExternalID string                      `json:"external_id,omitempty" doc:"Its id in another system, unique among the features of the store; only present where it has one." example:"1C-WEIGHT"`
	Name       string                      `json:"name" example:"Weight, kg"`
	Filterable bool                        `json:"filterable" doc:"Whether products can be filtered by it."`
	FieldType  FieldType                   `json:"field_type" doc:"How it is filtered: by picking values, or by a range of numbers."`
	RangeType  openapi.Nullable[RangeType] `json:"range_type" doc:"Which numbers a range feature takes; null on a select feature."`
	CreatedAt  openapi.DateObject          `json:"created_at"`
	UpdatedAt  openapi.DateObject          `json:"updated_at" doc:"When the feature or one of its values last changed."`
	Values     []FeatureValue              `json:"values,omitempty" doc:"All values, in the order in which they were added. Only present when the request says with=values."`
}

// FieldType is how a feature is filtered.
type FieldType struct {
	_ struct{} `doc:"How a feature is filtered."`

	ID   string `json:"id" enum:"select,range" example:"range"`
	Name string `json:"name" doc:"In the language of the store." example:"Range"`
}

// RangeType is which numbers a range feature takes.
type RangeType struct {
	_ struct{} `doc:"Which numbers a range feature takes."`

	ID   string `json:"id" enum:"float,integer" example:"float"`
	Name string `json:"name" doc:"In the language of the store." example:"Decimal number"`
}

// FeatureValue is one value of a feature.
type FeatureValue struct {
	_ struct{} `doc:"One value of a feature."`

	ID         openapi.ID                        `json:"id"`
	ExternalID string                            `json:"external_id,omitempty" doc:"Its id in another system, unique among the values of the feature; only present where it has one." example:"1C-WEIGHT-150"`
	Name       string                            `json:"name" doc:"Always a string, as it was written." example:"1,50"`
	RangeValue openapi.Nullable[openapi.Decimal] `json:"range_value" doc:"On a range feature the number that the name reads as, exactly; null on a select feature." example:"1.5"`
	CreatedAt  openapi.DateObject                `json:"created_at"`
	UpdatedAt  openapi.DateObject                `json:"updated_at"`
}

// NewValue is a value to be made.
type NewValue struct {
	_ struct{} `doc:"A value to add. An id in it is ignored."`

	Name       openapi.NameInput                         `json:"name"`
	ExternalID openapi.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system, unique among the values of this list; taken by another one it is 409."`
}

// ValueEdit renames a value or adds one.
type ValueEdit struct {
	_ struct{} `doc:"With an id it renames that value, which keeps its place; without one it adds a value at the end, even if there is one of that name."`

	ID         openapi.ID                                `json:"id,omitempty" doc:"The value to rename. Leave it out to add a value."`
	Name       openapi.NameInput                         `json:"name"`
	ExternalID openapi.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system, unique among the values of this list; null takes it away. Taken by another value it is 409."`
}

// NewVariantOption is the body that creates an option.
type NewVariantOption struct {
	Name       openapi.NameInput                         `json:"name"`
	ExternalID openapi.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system, unique among the options of the store; taken by another one it is 409. What the exchange gate brought that refers to it is linked."`
	Values     []NewValue                                `json:"values,omitempty" doc:"Its values, in this order. Any number of them: a million in one request works. null is 422."`
}

// VariantOptionEdit is the body that edits an option.
type VariantOptionEdit struct {
	Name          openapi.NameInput                         `json:"name,omitempty" doc:"A new name for the option itself."`
	ExternalID    openapi.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system; null takes it away. Taken by another option it is 409. What the exchange gate brought that refers to it is linked."`
	Values        []ValueEdit                               `json:"values,omitempty" doc:"Values to rename or add. This is not the full list: what is not mentioned stays."`
	RemovedValues []openapi.ID                              `json:"removed_values,omitempty" doc:"Values to delete. Every variant that had one loses this option and nothing else."`
}

// VariantOptionRemoval is the body that removes values of an option.
type VariantOptionRemoval struct {
	RemovedValues []openapi.ID                              `json:"removed_values" doc:"Values to delete. Every variant that had one loses this option and nothing else." minItems:"1"`
	Values        []ValueEdit                               `json:"values,omitempty" doc:"Values to rename or add in the same request."`
	Name          openapi.NameInput                         `json:"name,omitempty" doc:"A new name for the option itself."`
	ExternalID    openapi.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system; null takes it away. Taken by another option it is 409. What the exchange gate brought that refers to it is linked."`
}

// FieldTypeInput and RangeTypeInput are sent as the word or as the object that was read.
type (
	FieldTypeInput = openapi.OneOf[fieldTypeWord, FieldTypeRef]
	RangeTypeInput = openapi.OneOf[rangeTypeWord, RangeTypeRef]
)

// FieldTypeRef names a field type as it is read.
type FieldTypeRef struct {
	ID string `json:"id" enum:"select,range"`
}

// RangeTypeRef names a range type as it is read.
type RangeTypeRef struct {
	ID string `json:"id" enum:"float,integer"`
}

// NewFeature is the body that creates a feature.
type NewFeature struct {
	Name       openapi.NameInput                         `json:"name"`
	ExternalID openapi.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system, unique among the features of the store; taken by another one it is 409. What the exchange gate brought that refers to it is linked."`
	Filterable bool                                      `json:"filterable,omitempty" doc:"Whether products can be filtered by it; false by default."`
	FieldType  FieldTypeInput                            `json:"field_type,omitempty" doc:"select (the default) or range, as the word or as an object with that id."`
	RangeType  openapi.Nullable[RangeTypeInput]          `json:"range_type,omitempty" doc:"float (the default) or integer, as the word or as an object with that id. Only with field_type range; with select it is 422, unless it is null."`
	Values     []NewValue                                `json:"values,omitempty" doc:"Its values, in this order. Any number of them. On a range feature each name must read as a plain decimal number: 1.5 and 1,5 alike, no exponent; whole with range_type integer. null is 422."`
}

// FeatureEdit is the body that edits a feature.
type FeatureEdit struct {
	Name          openapi.NameInput                         `json:"name,omitempty"`
	ExternalID    openapi.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system; null takes it away. Taken by another feature it is 409. What the exchange gate brought that refers to it is linked."`
	Filterable    bool                                      `json:"filterable,omitempty" doc:"Whether products can be filtered by it."`
	FieldType     FieldTypeInput                            `json:"field_type,omitempty" doc:"select or range, as the word or as an object with that id. Changing to range is 422 if the request leaves values that are not numbers."`
	RangeType     openapi.Nullable[RangeTypeInput]          `json:"range_type,omitempty" doc:"float or integer, as the word or as an object with that id. With a select feature it is 422, unless it is null."`
	Values        []ValueEdit                               `json:"values,omitempty" doc:"Values to rename or add. This is not the full list: what is not mentioned stays."`
	RemovedValues []openapi.ID                              `json:"removed_values,omitempty" doc:"Values to delete. Every product that had one loses that value; with no other value left it loses the feature."`
}

// OptionImpact is what an edit of an option would do.
type OptionImpact struct {
	_ struct{} `doc:"What an edit of an option would do. Lists hold at most 1,000 elements; the total is exact."`

	Variants      []ImpactVariant `json:"variants" doc:"The variants that would lose the option." maxItems:"1000"`
	VariantsTotal int64           `json:"variants_total" doc:"How many variants that are in all." minimum:"0" example:"2"`
	Collisions    []Collision     `json:"collisions" doc:"The variants of one product that would carry the same combination afterwards. They are kept." maxItems:"1000"`
}

// ImpactVariant is a variant that would lose the option.
type ImpactVariant struct {
	ID        openapi.ID `json:"id"`
	ProductID openapi.ID `json:"product_id"`
	SKU       string     `json:"sku" example:"TSHIRT-RED-XL"`
}

// FeatureImpact is what an edit of a feature would do.
type FeatureImpact struct {
	_ struct{} `doc:"What an edit of a feature would do. Lists hold at most 1,000 elements; the total is exact."`

	Products      []ImpactProduct `json:"products" doc:"The products that would lose a value of the feature." maxItems:"1000"`
	ProductsTotal int64           `json:"products_total" doc:"How many products that are in all." minimum:"0" example:"1"`
	Collisions    []Collision     `json:"collisions" doc:"Always empty: features do not tell variants apart." maxItems:"1000"`
}

// ImpactProduct is a product that would lose a value.
type ImpactProduct struct {
	ID   openapi.ID `json:"id"`
	Name string     `json:"name" example:"T-shirt"`
}

// Collision is a set of variants of one product that would carry the same combination.
type Collision struct {
	_ struct{} `doc:"Variants of one product that would carry the same combination of option values."`

	ProductID  openapi.ID   `json:"product_id"`
	VariantIDs []openapi.ID `json:"variant_ids"`
}

type (
	fieldTypeWord struct{}
	rangeTypeWord struct{}
)

// Schema implements huma.SchemaProvider.
func (fieldTypeWord) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: []any{"select", "range"}}
}

// Schema implements huma.SchemaProvider.
func (rangeTypeWord) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: []any{"float", "integer"}}
}
