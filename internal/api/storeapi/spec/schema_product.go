package spec

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"vitrine/internal/api/httpapi/openapi"
)

// Product is what is common to all its variants, as it is read.
type Product struct {
	_ struct{} `doc:"A product: what all its variants have in common."`

	ID          openapi.ID                           `json:"id"`
	ExternalID  openapi.Nullable[string]             `json:"external_id" doc:"Its id in another system." example:"1C-000123"`
	Name        string                               `json:"name" example:"T-shirt"`
	Description string                               `json:"description" doc:"Empty where there is none." example:"Heavy cotton, 220 g/m²."`
	Price       PriceSpan                            `json:"price"`
	Available   openapi.Nullable[openapi.Decimal]    `json:"available" doc:"How many can be sold now: the sum over the variants whose stock is kept. null where that of none is kept. A variant whose stock is not kept can always be sold, so in_stock=true finds the product though this may be 0." example:"7"`
	ArchivedAt  openapi.Nullable[openapi.DateObject] `json:"archived_at" doc:"When it was taken out of the shop; null while it is in it."`
	CreatedAt   openapi.DateObject                   `json:"created_at"`
	UpdatedAt   openapi.DateObject                   `json:"updated_at" doc:"When the product or one of its variants was last written. Losing a deleted value changes its ETag, not this."`
	Categories  []CategoryRef                        `json:"categories,omitempty" doc:"The categories that it lies in. Like all that follows: present on a single product, and in a list where with= names it."`
	Features    []ProductFeature                     `json:"features,omitempty" doc:"Its features. A product may have several values of one feature: one element each."`
	Images      []ProductImage                       `json:"images,omitempty" doc:"Its images, in the order in which they were sent."`
	Modifiers   []ModifierGroup                      `json:"modifiers,omitempty" doc:"What a buyer can add to it or choose in it, as it was sent."`
	Variants    []Variant                            `json:"variants,omitempty" doc:"Its variants, in the order in which they were made."`
}

// PriceSpan is from the lowest to the highest price of the variants.
type PriceSpan struct {
	_ struct{} `doc:"The lowest and the highest price of the variants; both null without a variant."`

	From openapi.Nullable[openapi.Money] `json:"from"`
	To   openapi.Nullable[openapi.Money] `json:"to"`
}

// ProductFeature is a value of a feature that a product has.
type ProductFeature struct {
	_ struct{} `doc:"A feature of a product with its value."`

	ID    openapi.ID          `json:"id" doc:"The id of the feature."`
	Name  string              `json:"name" doc:"The name of the feature." example:"Weight, kg"`
	Value ProductFeatureValue `json:"value"`
}

// ProductFeatureValue is the value itself.
type ProductFeatureValue struct {
	ID         openapi.ID                        `json:"id"`
	Name       string                            `json:"name" example:"0,22"`
	RangeValue openapi.Nullable[openapi.Decimal] `json:"range_value" doc:"The number that the name reads as; null on a select feature." example:"0.22"`
}

// CategoryRef is a category that a product lies in.
type CategoryRef struct {
	_ struct{} `doc:"A category that a product lies in."`

	ID   openapi.ID `json:"id"`
	Name string     `json:"name" example:"T-shirts"`
}

// ProductImage is an image of a product.
type ProductImage struct {
	_ struct{} `doc:"An image of a product with its thumbnails. Its files need no key, and never change."`

	ID         openapi.ID `json:"id"`
	URL        string     `json:"url" doc:"Where the image is." example:"https://api.shop.example/images/019a8269-7a12-7d3e-9c55-0b6a4f1d2e01/019a8269-ea80-7f01-93d4-4c5d6e7f8a01/original.jpg"`
	Width      int64      `json:"width" doc:"In pixels." example:"3000"`
	Height     int64      `json:"height" doc:"In pixels." example:"2000"`
	Thumbnails Thumbnails `json:"thumbnails"`
}

// ModifierGroup is a group of modifiers of a product.
type ModifierGroup struct {
	_ struct{} `doc:"What a buyer can add to a product or choose in it. Members that are not described here are kept and given back."`

	ID       openapi.Nullable[openapi.ExternalIDInput] `json:"id,omitempty" doc:"Your own id of the group."`
	Name     openapi.NameInput                         `json:"name"`
	Min      openapi.Nullable[int64]                   `json:"min,omitempty" doc:"How many of its items must be chosen at least." minimum:"0" example:"0"`
	Max      openapi.Nullable[int64]                   `json:"max,omitempty" doc:"How many of its items may be chosen at most; not less than min." minimum:"0" example:"2"`
	Required openapi.Nullable[bool]                    `json:"required,omitempty" doc:"Whether something must be chosen."`
	Items    []Modifier                                `json:"items,omitempty"`
}

// Modifier is one item of a group.
type Modifier struct {
	_ struct{} `doc:"One thing to choose. Members that are not described here are kept and given back."`

	ID    openapi.Nullable[openapi.ExternalIDInput] `json:"id,omitempty" doc:"Your own id of the item."`
	Name  openapi.NameInput                         `json:"name"`
	Price openapi.Nullable[openapi.Money]           `json:"price,omitempty" doc:"What it costs on top; not negative."`
}

// Variant is one thing a buyer can put into a cart, as it is read.
type Variant struct {
	_ struct{} `doc:"What a buyer puts into the cart: one combination of option values of a product."`

	ID         openapi.ID                           `json:"id"`
	ExternalID openapi.Nullable[string]             `json:"external_id" doc:"Its id in another system, unique within the product." example:"1C-000123-XL"`
	Name       string                               `json:"name" doc:"Empty where there is none." example:"T-shirt XL"`
	SKU        string                               `json:"sku" doc:"Empty where there is none." example:"TSHIRT-XL"`
	Price      openapi.Money                        `json:"price"`
	Available  openapi.Nullable[openapi.Decimal]    `json:"available" doc:"How many can be sold now: the sum over its remainders of quantity less reserved, none of which counts below zero. null without a remainder: its stock is not kept, and it can always be sold." example:"4"`
	Options    []VariantOptionValue                 `json:"options" doc:"Its value of each option that it carries."`
	Remainders []Remainder                          `json:"remainders" doc:"What each stock has of it."`
	ArchivedAt openapi.Nullable[openapi.DateObject] `json:"archived_at,omitempty" doc:"When it was taken out of the shop; null while it is in it. Present on the routes of variants, and in a list of products that asks for archived ones."`
}

// Remainder is what a stock has of a variant.
type Remainder struct {
	_ struct{} `doc:"What a stock has of a variant. quantity less reserved is left."`

	StockID  openapi.ID      `json:"stock_id"`
	Quantity openapi.Decimal `json:"quantity" doc:"What accounting or the operator says, with at most 3 decimals." example:"5"`
	Reserved openapi.Decimal `json:"reserved" doc:"What submitted orders wait for." example:"1"`
}

// VariantOptionValue is a value of an option that a variant carries.
type VariantOptionValue struct {
	_ struct{} `doc:"An option of a variant with its value."`

	ID    openapi.ID  `json:"id" doc:"The id of the option."`
	Name  string      `json:"name" doc:"The name of the option." example:"Size"`
	Value OptionValue `json:"value"`
}

// NewProduct is the body that creates a product.
type NewProduct struct {
	Name        openapi.NameInput                         `json:"name"`
	Description openapi.Nullable[string]                  `json:"description,omitempty" doc:"At most 65,536 characters; null is the same as empty."`
	ExternalID  openapi.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system, unique among the products of the store; taken by another one it is 409."`
	Categories  []RefInput                                `json:"categories,omitempty" doc:"The categories that it lies in, each once."`
	Features    []FeatureRef                              `json:"features,omitempty" doc:"Its features. Several values of one feature are allowed, each once."`
	Images      []RefInput                                `json:"images,omitempty" doc:"Its images, in the order in which they are shown. An image belongs to one product at most."`
	Modifiers   modifiersInput                            `json:"modifiers,omitempty"`
	Variants    []NewVariant                              `json:"variants,omitempty" doc:"Its variants, each with another combination of options. An id in them is ignored."`
}

// ProductEdit is the body that edits a product.
type ProductEdit struct {
	Name        openapi.NameInput                         `json:"name,omitempty"`
	Description openapi.Nullable[string]                  `json:"description,omitempty" doc:"At most 65,536 characters; null empties it."`
	ExternalID  openapi.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system; null takes it away. Taken by another product it is 409."`
	Categories  []RefInput                                `json:"categories,omitempty" doc:"The full list: it leaves the categories that are not in it."`
	Features    []FeatureRef                              `json:"features,omitempty" doc:"The full list: features that are not in it are taken off the product."`
	Images      []RefInput                                `json:"images,omitempty" doc:"The full list, in the order in which they are shown. An image that is not in it belongs to nothing then."`
	Modifiers   modifiersInput                            `json:"modifiers,omitempty"`
	Variants    []VariantInput                            `json:"variants,omitempty" doc:"The full list: a variant that is not in it is archived, and comes back with its id when it is sent again."`
}

// RefInput names a thing by its id, or as it is read.
type RefInput = openapi.OneOf[openapi.ID, ThingRef]

// ThingRef names a thing as it is read.
type ThingRef struct {
	ID openapi.ID `json:"id"`
}

// FeatureRef names a value of a feature.
type FeatureRef struct {
	_ struct{} `doc:"A value of a feature. The form in which it is read, {id, value: {id}}, is accepted too."`

	FeatureID openapi.ID `json:"feature_id"`
	ValueID   openapi.ID `json:"value_id" doc:"A value of that feature."`
}

// OptionRef names a value of an option.
type OptionRef struct {
	_ struct{} `doc:"A value of an option. The form in which it is read, {id, value: {id}}, is accepted too."`

	OptionID openapi.ID `json:"option_id"`
	ValueID  openapi.ID `json:"value_id" doc:"A value of that option."`
}

// NewVariant is a new variant.
type NewVariant struct {
	Name       labelInput                                `json:"name,omitempty"`
	SKU        labelInput                                `json:"sku,omitempty"`
	Price      openapi.Money                             `json:"price" doc:"Not negative."`
	ExternalID openapi.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system, unique within the product."`
	Options    []OptionRef                               `json:"options,omitempty" doc:"Its values, one of each option at most. No other variant of the product may carry the same combination; variants without any option are not compared."`
	Remainders []RemainderInput                          `json:"remainders,omitempty" doc:"What each stock has of it. Without any its stock is not kept."`
}

// VariantInput is a variant of a product that exists.
type VariantInput struct {
	_ struct{} `doc:"Speaks of the variant with that id, else of the one with that external_id, else of a new one. Members that are left out stay as they are."`

	ID         openapi.ID                                `json:"id,omitempty" doc:"A variant of this product."`
	Name       labelInput                                `json:"name,omitempty"`
	SKU        labelInput                                `json:"sku,omitempty"`
	Price      openapi.Money                             `json:"price,omitempty" doc:"Not negative. A new variant needs one."`
	ExternalID openapi.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system, unique within the product; null takes it away."`
	Options    []OptionRef                               `json:"options,omitempty" doc:"The full list of its options, one value of each at most. Combinations that became equal because a value was deleted stay as they are until their options are sent."`
	Remainders []RemainderInput                          `json:"remainders,omitempty" doc:"The full list of what stocks have of it. A remainder that is not in it disappears; one of which something is reserved stays, with a quantity of 0."`
}

// VariantEdit is the body that edits a variant.
type VariantEdit struct {
	Name       labelInput                                `json:"name,omitempty"`
	SKU        labelInput                                `json:"sku,omitempty"`
	Price      openapi.Money                             `json:"price,omitempty" doc:"Not negative."`
	ExternalID openapi.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system, unique within the product; null takes it away."`
	Options    []OptionRef                               `json:"options,omitempty" doc:"The full list of its options, one value of each at most."`
	Remainders []RemainderInput                          `json:"remainders,omitempty" doc:"The full list of what stocks have of it. A remainder that is not in it disappears; one of which something is reserved stays, with a quantity of 0."`
}

// RemainderInput says what a stock has of a variant.
type RemainderInput struct {
	_ struct{} `doc:"What a stock has of a variant. What is reserved is read, not written."`

	StockID  openapi.ID      `json:"stock_id"`
	Quantity openapi.Decimal `json:"quantity" doc:"Not negative, with at most 9 digits before the point and 3 decimals." example:"5"`
}

// modifiersInput is a list of groups, or null for none.
type modifiersInput struct{}

// Schema implements huma.SchemaProvider.
func (modifiersInput) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{
		Description: "What a buyer can add to it or choose in it: groups of items. It is kept as it is sent, at most 262,144 bytes, members of your own too; null is the same as an empty list.",
		OneOf: []*huma.Schema{
			{Type: huma.TypeArray, Items: r.Schema(reflect.TypeFor[ModifierGroup](), true, "")},
			{Type: "null"},
		},
	}
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
