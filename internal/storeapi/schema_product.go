package storeapi

import (
	"github.com/danielgtaylor/huma/v2"

	"vitrine/internal/httpapi"
)

// Product is what is common to all its variants, as it is read.
type Product struct {
	_ struct{} `doc:"A product: what all its variants have in common."`

	ID          httpapi.ID                           `json:"id"`
	ExternalID  httpapi.Nullable[string]             `json:"external_id" doc:"Its id in another system." example:"1C-000123"`
	Name        string                               `json:"name" example:"T-shirt"`
	Description string                               `json:"description" doc:"Empty where there is none." example:"Heavy cotton, 220 g/m²."`
	Price       PriceSpan                            `json:"price"`
	Available   httpapi.Nullable[httpapi.Decimal]    `json:"available" doc:"How many can be sold now; null where stock is not kept, and such a product can always be sold."`
	ArchivedAt  httpapi.Nullable[httpapi.DateObject] `json:"archived_at" doc:"When it was taken out of the shop; null while it is in it."`
	CreatedAt   httpapi.DateObject                   `json:"created_at"`
	UpdatedAt   httpapi.DateObject                   `json:"updated_at" doc:"When the product was last written. Losing a deleted value changes its ETag, not this."`
	Features    []ProductFeature                     `json:"features,omitempty" doc:"Present on a single product, and in a list with with=features. A product may have several values of one feature: one element each."`
	Variants    []Variant                            `json:"variants,omitempty" doc:"Present on a single product, and in a list with with=variants."`
}

// PriceSpan is from the lowest to the highest price of the variants.
type PriceSpan struct {
	_ struct{} `doc:"The lowest and the highest price of the variants; both null without a variant."`

	From httpapi.Nullable[httpapi.Money] `json:"from"`
	To   httpapi.Nullable[httpapi.Money] `json:"to"`
}

// ProductFeature is a value of a feature that a product has.
type ProductFeature struct {
	_ struct{} `doc:"A feature of a product with its value."`

	ID    httpapi.ID          `json:"id" doc:"The id of the feature."`
	Name  string              `json:"name" doc:"The name of the feature." example:"Weight, kg"`
	Value ProductFeatureValue `json:"value"`
}

// ProductFeatureValue is the value itself.
type ProductFeatureValue struct {
	ID         httpapi.ID                        `json:"id"`
	Name       string                            `json:"name" example:"0,22"`
	RangeValue httpapi.Nullable[httpapi.Decimal] `json:"range_value" doc:"The number that the name reads as; null on a select feature." example:"0.22"`
}

// Variant is one thing a buyer can put into a cart, as it is read.
type Variant struct {
	_ struct{} `doc:"What a buyer puts into the cart: one combination of option values of a product."`

	ID         httpapi.ID                        `json:"id"`
	ExternalID httpapi.Nullable[string]          `json:"external_id" doc:"Its id in another system, unique within the product." example:"1C-000123-XL"`
	Name       string                            `json:"name" doc:"Empty where there is none." example:"T-shirt XL"`
	SKU        string                            `json:"sku" doc:"Empty where there is none." example:"TSHIRT-XL"`
	Price      httpapi.Money                     `json:"price"`
	Available  httpapi.Nullable[httpapi.Decimal] `json:"available" doc:"How many can be sold now; null where stock is not kept, and such a variant can always be sold."`
	Options    []VariantOptionValue              `json:"options" doc:"Its value of each option that it carries."`
}

// VariantOptionValue is a value of an option that a variant carries.
type VariantOptionValue struct {
	_ struct{} `doc:"An option of a variant with its value."`

	ID    httpapi.ID  `json:"id" doc:"The id of the option."`
	Name  string      `json:"name" doc:"The name of the option." example:"Size"`
	Value OptionValue `json:"value"`
}

// NewProduct is the body that creates a product.
type NewProduct struct {
	Name        httpapi.NameInput                         `json:"name"`
	Description httpapi.Nullable[string]                  `json:"description,omitempty" doc:"At most 65,536 characters; null is the same as empty."`
	ExternalID  httpapi.Nullable[httpapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system, unique among the products of the store; taken by another one it is 409."`
	Features    []FeatureRef                              `json:"features,omitempty" doc:"Its features. Several values of one feature are allowed, each once."`
	Variants    []NewVariant                              `json:"variants,omitempty" doc:"Its variants, each with another combination of options. An id in them is ignored."`
}

// ProductEdit is the body that edits a product.
type ProductEdit struct {
	Name        httpapi.NameInput                         `json:"name,omitempty"`
	Description httpapi.Nullable[string]                  `json:"description,omitempty" doc:"At most 65,536 characters; null empties it."`
	ExternalID  httpapi.Nullable[httpapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system; null takes it away. Taken by another product it is 409."`
	Features    []FeatureRef                              `json:"features,omitempty" doc:"The full list: features that are not in it are taken off the product."`
	Variants    []VariantInput                            `json:"variants,omitempty" doc:"The full list: a variant that is not in it is archived, and comes back with its id when it is sent again."`
}

// FeatureRef names a value of a feature.
type FeatureRef struct {
	_ struct{} `doc:"A value of a feature. The form in which it is read, {id, value: {id}}, is accepted too."`

	FeatureID httpapi.ID `json:"feature_id"`
	ValueID   httpapi.ID `json:"value_id" doc:"A value of that feature."`
}

// OptionRef names a value of an option.
type OptionRef struct {
	_ struct{} `doc:"A value of an option. The form in which it is read, {id, value: {id}}, is accepted too."`

	OptionID httpapi.ID `json:"option_id"`
	ValueID  httpapi.ID `json:"value_id" doc:"A value of that option."`
}

// NewVariant is a variant of a new product.
type NewVariant struct {
	Name       labelInput                                `json:"name,omitempty"`
	SKU        labelInput                                `json:"sku,omitempty"`
	Price      httpapi.Money                             `json:"price" doc:"Not negative."`
	ExternalID httpapi.Nullable[httpapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system, unique within the product."`
	Options    []OptionRef                               `json:"options,omitempty" doc:"Its values, one of each option at most. No other variant of the product may carry the same combination; variants without any option are not compared."`
}

// VariantInput is a variant of a product that exists.
type VariantInput struct {
	_ struct{} `doc:"Speaks of the variant with that id, else of the one with that external_id, else of a new one. Members that are left out stay as they are."`

	ID         httpapi.ID                                `json:"id,omitempty" doc:"A variant of this product."`
	Name       labelInput                                `json:"name,omitempty"`
	SKU        labelInput                                `json:"sku,omitempty"`
	Price      httpapi.Money                             `json:"price,omitempty" doc:"Not negative. A new variant needs one."`
	ExternalID httpapi.Nullable[httpapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system, unique within the product; null takes it away."`
	Options    []OptionRef                               `json:"options,omitempty" doc:"The full list of its options, one value of each at most. Combinations that became equal because a value was deleted stay as they are until their options are sent."`
}

// labelInput is like a name, but may be empty.
type labelInput struct{}

// Schema implements huma.SchemaProvider.
func (labelInput) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Description: "A string or a number of at most 255 characters, stored trimmed; empty and null are the same.",
		OneOf:       []*huma.Schema{{Type: huma.TypeString}, {Type: huma.TypeNumber}, {Type: "null"}},
	}
}
