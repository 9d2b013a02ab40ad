package spec

import (
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/schema"
	"vitrine/internal/shop/event/payload"
)

// Variant is a variant in responses.
type Variant struct {
	_ struct{} `doc:"What a buyer puts into the cart: one combination of option values of a product."`

	ID         schema.ID                       `json:"id"`
	ExternalID schema.Nullable[string]         `json:"external_id" doc:"Its id in another system, unique within the product." example:"1C-000123-XL"`
	Name       string                          `json:"name" doc:"Empty where there is none." example:"T-shirt XL"`
	SKU        string                          `json:"sku" doc:"Empty where there is none." example:"TSHIRT-XL"`
	Price      schema.Nullable[schema.Money]   `json:"price" doc:"Null: the variant is not for sale. 0: it is free."`
	Barcodes   []string                        `json:"barcodes" doc:"Its barcodes, as they were sent." example:"[\"4600000000017\"]"`
	Available  schema.Nullable[schema.Decimal] `json:"available" doc:"How many can be sold now: the sum over its remainders of quantity less reserved, none of which counts below zero. null without a remainder: its stock is not kept, and it can always be sold." example:"4"`
	Options    []VariantOptionValue            `json:"options" doc:"Its value of each option that it carries."`
	Remainders []Remainder                     `json:"remainders,omitzero" doc:"What each stock has of it. For secret keys, and for everybody where the store's setting public_remainders is true; absent otherwise."`
	Images     []ProductImage                  `json:"images,omitzero" doc:"Its images, in the order in which they were sent: its own, and others of its product. In a list of products present where with= names images as well."`
	Prices     []PriceStep                     `json:"prices,omitzero" doc:"The prices by quantity that the reader gets, ascending, beginning with the price for 1. Present where with= names prices."`
	OldPrice   *schema.Nullable[schema.Money]  `json:"old_price,omitzero" doc:"What the variant cost before: its price in the list that the setting old_price_list names, if that is higher than price; else null. Present where with= names prices."`
	PriceLists []ListPrice                     `json:"price_lists,omitzero" doc:"Its prices in all price lists, by list and quantity. Present where with= names price_lists, for secret keys."`
	ArchivedAt *schema.Nullable[schema.Date]   `json:"archived_at,omitzero" doc:"When it was taken out of the shop; null while it is in it. Present on the routes of variants, and in a list of products that asks for archived ones."`
}

// PriceStep is the price of a variant from a quantity on.
type PriceStep struct {
	_ struct{} `doc:"What one costs if at least that many are bought."`

	FromQuantity schema.Decimal `json:"from_quantity" example:"10"`
	Price        schema.Money   `json:"price"`
}

// ListPrice is the price of a variant in a price list.
type ListPrice struct {
	_ struct{} `doc:"A price in a price list, from a quantity on."`

	PriceListID  schema.ID      `json:"price_list_id"`
	FromQuantity schema.Decimal `json:"from_quantity" example:"10"`
	Price        schema.Money   `json:"price"`
}

// Remainder is the quantity of a variant in a stock.
type Remainder struct {
	_ struct{} `doc:"What a stock has of a variant. quantity less reserved is left."`

	StockID  schema.ID      `json:"stock_id"`
	Quantity schema.Decimal `json:"quantity" doc:"What accounting or the operator says, with at most 3 decimals." example:"5"`
	Reserved schema.Decimal `json:"reserved" doc:"What submitted orders wait for." example:"1"`
}

// VariantExtras returns the extras of variants on their own routes.
func VariantExtras() []string { return []string{"prices", "price_lists"} }

func variantExtrasParam() httpapi.Param {
	return httpapi.Param{Name: "with", Values: VariantExtras(), Example: "prices",
		Description: "Extras to put into the answer: prices adds `prices`, the prices by quantity, and `old_price`; " +
			"price_lists, for secret keys, adds `price_lists`, the prices in all price lists."}
}

// VariantOptionValue is an option of a variant with its value.
type VariantOptionValue = payload.VariantOptionValue

// NewVariant is a variant to create.
type NewVariant struct {
	Name       labelInput                               `json:"name,omitempty"`
	SKU        labelInput                               `json:"sku,omitempty"`
	Price      schema.Nullable[schema.Money]            `json:"price" doc:"Not negative; null if the variant is not for sale."`
	Barcodes   []openapi.BarcodeInput                   `json:"barcodes,omitempty" doc:"The full list of its barcodes, at most 20; one that is named twice is kept once."`
	ExternalID schema.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system, unique within the product."`
	Options    []OptionRef                              `json:"options,omitempty" doc:"Its values, one of each option at most. No other variant of the product may carry the same combination; variants without any option are not compared."`
	Remainders []RemainderInput                         `json:"remainders,omitempty" doc:"What each stock has of it. Without any its stock is not kept."`
	Images     []RefInput                               `json:"images,omitempty" doc:"Its images, in the order in which they are shown: images that belong to nothing, which belong to the variant then, and images of its product, which several variants may have."`
	PriceLists []ListPriceInput                         `json:"price_lists,omitempty" doc:"Its prices in price lists. Lists and quantities that are not in it keep their prices."`
}

// VariantInput is a variant in the body that edits its product.
type VariantInput struct {
	_ struct{} `doc:"Speaks of the variant with that id, else of the one with that external_id, else of a new one. Members that are left out stay as they are."`

	ID         schema.ID                                `json:"id,omitempty" doc:"A variant of this product."`
	Name       labelInput                               `json:"name,omitempty"`
	SKU        labelInput                               `json:"sku,omitempty"`
	Price      schema.Nullable[schema.Money]            `json:"price,omitempty" doc:"Not negative; null if the variant is not for sale. A new variant needs one or null."`
	Barcodes   []openapi.BarcodeInput                   `json:"barcodes,omitempty" doc:"The full list of its barcodes, at most 20; one that is named twice is kept once."`
	ExternalID schema.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system, unique within the product; null takes it away."`
	Options    []OptionRef                              `json:"options,omitempty" doc:"The full list of its options, one value of each at most. Combinations that became equal because a value was deleted stay as they are until their options are sent."`
	Remainders []RemainderInput                         `json:"remainders,omitempty" doc:"The full list of what stocks have of it. A remainder that is not in it disappears; one of which something is reserved stays, with a quantity of 0."`
	Images     []RefInput                               `json:"images,omitempty" doc:"The full list. Its images, in the order in which they are shown: images that belong to nothing, which belong to the variant then, and images of its product, which several variants may have."`
	PriceLists []ListPriceInput                         `json:"price_lists,omitempty" doc:"Its prices in price lists. Lists and quantities that are not in it keep their prices."`
}

// VariantEdit is the body that edits a variant.
type VariantEdit struct {
	Name       labelInput                               `json:"name,omitempty"`
	SKU        labelInput                               `json:"sku,omitempty"`
	Price      schema.Nullable[schema.Money]            `json:"price,omitempty" doc:"Not negative; null if the variant is not for sale."`
	Barcodes   []openapi.BarcodeInput                   `json:"barcodes,omitempty" doc:"The full list of its barcodes, at most 20; one that is named twice is kept once."`
	ExternalID schema.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system, unique within the product; null takes it away."`
	Options    []OptionRef                              `json:"options,omitempty" doc:"The full list of its options, one value of each at most."`
	Remainders []RemainderInput                         `json:"remainders,omitempty" doc:"The full list of what stocks have of it. A remainder that is not in it disappears; one of which something is reserved stays, with a quantity of 0."`
	Images     []RefInput                               `json:"images,omitempty" doc:"The full list. Its images, in the order in which they are shown: images that belong to nothing, which belong to the variant then, and images of its product, which several variants may have."`
	PriceLists []ListPriceInput                         `json:"price_lists,omitempty" doc:"Its prices in price lists. Lists and quantities that are not in it keep their prices."`
}

// ListPriceInput is the price of a variant in a price list.
type ListPriceInput struct {
	_ struct{} `doc:"A price in a price list, from a quantity on."`

	PriceListID  schema.ID                       `json:"price_list_id"`
	FromQuantity schema.Nullable[schema.Decimal] `json:"from_quantity,omitempty" doc:"More than 0; 1 by default." example:"10"`
	Price        schema.Nullable[schema.Money]   `json:"price" doc:"Not negative; null takes the price out of the list."`
}

// OptionRef is a reference to a value of an option.
type OptionRef struct {
	_ struct{} `doc:"A value of an option. The form in which it is read, {id, value: {id}}, is accepted too."`

	OptionID schema.ID `json:"option_id"`
	ValueID  schema.ID `json:"value_id" doc:"A value of that option."`
}

// RemainderInput is the quantity of a variant in a stock, in requests.
type RemainderInput struct {
	_ struct{} `doc:"What a stock has of a variant. What is reserved is read, not written."`

	StockID  schema.ID      `json:"stock_id"`
	Quantity schema.Decimal `json:"quantity" doc:"Not negative, with at most 9 digits before the point and 3 decimals." example:"5"`
}

// labelInput describes a string or a number in requests. Unlike a name, it may be empty.
type labelInput struct{}

// Schema implements huma.SchemaProvider.
func (labelInput) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Description: "A string or a number of at most 255 characters, stored trimmed; empty and null are the same.",
		OneOf:       []*huma.Schema{{Type: huma.TypeString}, {Type: huma.TypeNumber}, {Type: "null"}},
	}
}

const exampleNewVariant = `{"name":"T-shirt M","sku":"TSHIRT-M","price":1990.5,"barcodes":["4600000000017"],` +
	`"external_id":"1C-000123-M","options":[{"option_id":"` + exampleSizeID + `","value_id":"` + exampleSizeM + `"}],` +
	`"remainders":[{"stock_id":"` + exampleWarehouseID + `","quantity":5}]}`

func exampleOptions(size OptionValue) []VariantOptionValue {
	return []VariantOptionValue{{ID: exampleID(exampleSizeID), Name: "Size", Value: size}}
}

func exampleVariantM() Variant {
	return Variant{
		ID: exampleID(exampleShirtM), ExternalID: schema.NotNull("1C-000123-M"), Name: "T-shirt M", SKU: "TSHIRT-M",
		Price: schema.NotNull(schema.Money(1990_5000)), Barcodes: []string{"4600000000017"},
		Available: schema.NotNull[schema.Decimal]("4"), Options: exampleOptions(exampleMedium()),
		Remainders: []Remainder{{StockID: exampleID(exampleWarehouseID), Quantity: "5", Reserved: "1"}},
	}
}

func exampleVariantXL() Variant {
	return Variant{
		ID: exampleID(exampleShirtXL), ExternalID: schema.NotNull("1C-000123-XL"), Name: "T-shirt XL",
		SKU: "TSHIRT-XL", Price: schema.NotNull(schema.Money(2190_0000)), Barcodes: []string{},
		Options: exampleOptions(exampleExtraLarge()),
	}
}

// withArchivedAt returns the variant with archived_at, as the routes of single variants show it.
func withArchivedAt(v Variant, archivedAt schema.Nullable[schema.Date]) Variant {
	v.ArchivedAt = &archivedAt
	return v
}

func exampleVariant() Variant {
	return withArchivedAt(exampleVariantM(), schema.Nullable[schema.Date]{})
}

func exampleArchivedVariant() Variant {
	return withArchivedAt(exampleVariantXL(), schema.NotNull(exampleDate()))
}

// archivedParam describes the query parameter "archived" of lists.
func archivedParam() httpapi.Param {
	return httpapi.Param{Name: "archived", Example: "any", Enum: []string{"true", "any"},
		Description: "`true` for what is archived alone, `any` for both; without it nothing that is archived is " +
			"listed. Needs a key that may write the catalogue, else it is 403. Other text is 400."}
}

// variantRefusals returns the refusals of requests that write a variant, by itself or inside a product.
func variantRefusals() []httpapi.Refusal {
	return []httpapi.Refusal{
		{Status: 422, Code: "unknown_option", When: "an `option_id` is not that of an option of this store"},
		{Status: 422, Code: "unknown_value", When: "a `value_id` is not that of a value of that option or feature"},
		{Status: 422, Code: "duplicate_option", When: "a variant names an option twice"},
		{Status: 422, Code: "duplicate_combination",
			When: "two variants would carry the same combination of option values"},
		{Status: 422, Code: "unknown_stock", When: "a `stock_id` is not that of a stock of this store"},
		{Status: 422, Code: "duplicate_stock", When: "a variant names a stock twice"},
		{Status: 422, Code: "out_of_range",
			When: "a price, a quantity or a weight is negative, or has more digits or decimals than it may; " +
				"`vat_rate` is not from 0 to 100; or `min` of modifiers is more than `max`"},
		{Status: 422, Code: "invalid_characters", When: "a barcode has a line break or a `|`"},
		{Status: 422, Code: "too_many", When: "a variant has more than 20 barcodes"},
		{Status: 422, Code: "unknown_image", When: "an id in `images` is not that of an image of this store"},
		{Status: 422, Code: "duplicate_image", When: "a list of images names one twice"},
		{Status: 422, Code: "image_taken", When: "an image belongs to another product or variant"},
	}
}

func singleVariantRefusals(more ...httpapi.Refusal) []httpapi.Refusal {
	return slices.Concat([]httpapi.Refusal{
		{Status: 409, Code: "external_id_taken",
			When: "another variant of the product, archived or not, has that `external_id`"},
	}, variantRefusals(), []httpapi.Refusal{
		{Status: 422, Code: "too_long", When: "the name or the sku has more than 255 characters"},
	}, more)
}

func variantDocs() map[string]httpapi.Route {
	return openapi.Group(productTag, "product", map[string]httpapi.Route{
		"GET /v2/products/{id}/variants": {
			OperationID: "listVariants", Summary: "List the variants of a product", Response: Variant{}, Paged: true,
			Description: "The variants of a product with their options and remainders, " +
				"in the order in which they were made.",
			QueryParams: []httpapi.Param{archivedParam(), variantExtrasParam()},
			ResponseExamples: examples(listExample("What is in the shop", exampleVariant()),
				listExample("With archived=true", exampleArchivedVariant())),
			Refusals: []httpapi.Refusal{{Status: 403, Code: "forbidden",
				When: "`archived` is given with a key that may not write the catalogue"}},
		},

		"POST /v2/products/{id}/variants": {
			OperationID: "createVariant", Summary: "Add a variant to a product", Status: 201, Response: Variant{},
			HasETag: true,
			Description: "Adds one variant; the others stay as they are. The body is one element of a product's " +
				"`variants`, with a `price`. " +
				"The ETag is that of the product, which is changed by it.",
			HeaderParams: ifMatchHeader(),
			Body:         NewVariant{},
			BodyExamples: examples(bodyExample("With options and stock", exampleNewVariant),
				bodyExample("The least", `{"price":50}`)),
			ResponseExamples: examples(oneExample("The variant", exampleVariant())),
			Refusals: singleVariantRefusals(httpapi.Refusal{Status: 422, Code: "required",
				When: "`price`, or an id in a list, is missing"}, preconditionFailed()),
		},

		"GET /v2/products/{id}/variants/{variant_id}": {
			OperationID: "getVariant", Summary: "Read a variant", Response: Variant{}, HasETag: true,
			Description: "One variant with its options and remainders. An archived one, " +
				"or one of an archived product, is 404 for keys that may not write the catalogue. The ETag is that " +
				"of the product.",
			QueryParams:      []httpapi.Param{variantExtrasParam()},
			ResponseExamples: examples(oneExample("The variant", exampleVariant())),
		},

		"PUT /v2/products/{id}/variants/{variant_id}": {
			OperationID: "editVariant", Summary: "Edit a variant", Response: Variant{}, HasETag: true,
			Description: "Changes the members that are sent; the other variants stay as they are. A list that is " +
				"sent is the full list. An archived variant can be edited and stays archived. " +
				"`If-Match` and ETag are those of the product.",
			Body: VariantEdit{},
			BodyExamples: examples(bodyExample("A new price", `{"price":1790}`),
				bodyExample("What a stock has", `{"remainders":[{"stock_id":"`+exampleWarehouseID+
					`","quantity":12}]}`)),
			ResponseExamples: examples(oneExample("The variant", exampleVariant())),
			Refusals: singleVariantRefusals(httpapi.Refusal{Status: 422, Code: "required",
				When: "an id in a list is missing"}),
		},

		"DELETE /v2/products/{id}/variants/{variant_id}": {
			OperationID: "deleteVariant", Summary: "Delete a variant",
			Description: "Deletes the variant with its remainders, for good; the product stays. To take it out of " +
				"the shop and keep it, archive it. `If-Match` names the ETag of the product. The request has no body.",
		},

		"POST /v2/products/{id}/variants/{variant_id}/archive": {
			OperationID: "archiveVariant", Summary: "Take a variant out of the shop", Response: Variant{},
			HasETag: true,
			Description: "Archives the variant: storefronts do not see it any more, " +
				"and its combination of options is free for another one. An archived one is left as it is. No body " +
				"is needed.",
			HeaderParams:     ifMatchHeader(),
			ResponseExamples: examples(oneExample("The variant", exampleArchivedVariant())),
			Refusals:         []httpapi.Refusal{preconditionFailed()},
		},

		"POST /v2/products/{id}/variants/{variant_id}/restore": {
			OperationID: "restoreVariant", Summary: "Bring a variant back into the shop", Response: Variant{},
			HasETag: true,
			Description: "Brings an archived variant back with what it had. One that is not archived is left as " +
				"it is. No body is needed.",
			HeaderParams:     ifMatchHeader(),
			ResponseExamples: examples(oneExample("The variant", exampleVariant())),
			Refusals: []httpapi.Refusal{
				{Status: 422, Code: "duplicate_combination",
					When: "another variant of the product carries its combination meanwhile"}, preconditionFailed(),
			},
		},
	})
}
