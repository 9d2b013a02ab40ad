package spec

import (
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/schema"
	"vitrine/internal/shop/event/payload"
	"vitrine/internal/shop/seo"
)

// Product is a product in responses. It has what all its variants have in common.
type Product struct {
	_ struct{} `doc:"A product: what all its variants have in common."`

	ID                  schema.ID                       `json:"id"`
	ExternalID          schema.Nullable[string]         `json:"external_id" doc:"Its id in another system." example:"1C-000123"`
	Name                string                          `json:"name" example:"T-shirt"`
	Description         string                          `json:"description" doc:"Empty where there is none." example:"Heavy cotton, 220 g/m²."`
	Unit                schema.Nullable[Unit]           `json:"unit" doc:"What it is sold by; null where it is not known."`
	VATRate             schema.Nullable[schema.Decimal] `json:"vat_rate" doc:"The rate of value-added tax that its prices include, in percent; null without VAT." example:"20"`
	Weight              schema.Nullable[schema.Decimal] `json:"weight" doc:"The weight of one unit in kilograms; null where it is not known." example:"0.22"`
	Slug                schema.Nullable[string]         `json:"slug" doc:"Its address in the shop, unique among the products of the store. null only for a short time after an upgrade, until a product that was made before has got one." example:"t-shirt"`
	SEO                 SEO                             `json:"seo"`
	Price               PriceSpan                       `json:"price"`
	Available           schema.Nullable[schema.Decimal] `json:"available" doc:"How many can be sold now: the sum over the variants whose stock is kept. null where that of none is kept. A variant whose stock is not kept can always be sold, so in_stock=true finds the product though this may be 0." example:"7"`
	ArchivedAt          schema.Nullable[schema.Date]    `json:"archived_at" doc:"When it was taken out of the shop; null while it is in it."`
	CreatedAt           schema.Date                     `json:"created_at"`
	UpdatedAt           schema.Date                     `json:"updated_at" doc:"When the product or one of its variants was last written. Losing a deleted value changes its ETag, not this."`
	Locks               []string                        `json:"locks,omitzero" enum:"name,description,images,categories,features,price,unit,vat_rate,weight,barcodes,slug,seo" doc:"The members that pushes leave alone. Only secret keys get it." example:"[\"name\",\"price\"]"`
	Categories          []CategoryRef                   `json:"categories,omitzero" doc:"The categories that it lies in. Like all that follows: present on a single product, and in a list where with= names it."`
	CanonicalCategoryID *schema.Nullable[schema.ID]     `json:"canonical_category_id,omitzero" doc:"Beside categories: the one of them that breadcrumbs go to. It is the one that was chosen, else the deepest, and of several the first; null for a product without categories."`
	Breadcrumbs         []Breadcrumb                    `json:"breadcrumbs,omitzero" doc:"With with=breadcrumbs: the categories from the root to its canonical one."`
	Features            []ProductFeature                `json:"features,omitzero" doc:"Its features. A product may have several values of one feature: one element each."`
	Images              []ProductImage                  `json:"images,omitzero" doc:"Its images, in the order in which they were sent."`
	Modifiers           Modifiers                       `json:"modifiers,omitzero" doc:"What a buyer can add to it or choose in it, as it was sent; groups and items that were sent without an id have a made one. Orders name a modifier by both ids."`
	Variants            []Variant                       `json:"variants,omitzero" doc:"Its variants, in the order in which they were made."`
	Highlights          []Highlight                     `json:"highlights,omitzero" doc:"In lists with with=highlights: the words of the name that q matches; empty if it matches elsewhere."`
	JSONLD              JSONLD                          `json:"jsonld,omitzero" doc:"On a single product with with=jsonld: what search engines read of it, for a script element of type application/ld+json."`
	CanonicalSlug       string                          `json:"canonical_slug,omitzero" doc:"Only where it is read by a slug: its present slug, which may be another one than that of the request." example:"t-shirt"`
}

// Unit is the unit in which a product is sold.
type Unit = payload.Unit

// SEO is what search engines are told of a product or a category.
type SEO struct {
	_ struct{} `doc:"What search engines are told of it, if that is not its name and description."`

	Title       string `json:"title" doc:"Empty for the name." example:"T-shirt of heavy cotton"`
	Description string `json:"description" doc:"Empty for the description." example:"A T-shirt of 220 g/m² cotton."`
	NoIndex     bool   `json:"noindex" doc:"Whether search engines are to leave it out."`
}

// SEOOf returns the SEO of a product or a category.
func SEOOf(m seo.Meta) SEO {
	return SEO{Title: m.Title, Description: m.Description, NoIndex: m.NoIndex}
}

// PriceSpan has the lowest and the highest price of the variants.
type PriceSpan struct {
	_ struct{} `doc:"The lowest and the highest price of the variants that have one; both null if none is for sale."`

	From schema.Nullable[schema.Money] `json:"from"`
	To   schema.Nullable[schema.Money] `json:"to"`
}

// ProductFeature is a feature of a product with one of its values.
type ProductFeature struct {
	_ struct{} `doc:"A feature of a product with its value."`

	ID    schema.ID           `json:"id" doc:"The id of the feature."`
	Name  string              `json:"name" doc:"The name of the feature." example:"Weight, kg"`
	Value ProductFeatureValue `json:"value"`
}

// ProductFeatureValue is the value of a ProductFeature.
type ProductFeatureValue struct {
	ID         schema.ID                       `json:"id"`
	Name       string                          `json:"name" example:"0,22"`
	RangeValue schema.Nullable[schema.Decimal] `json:"range_value" doc:"The number that the name reads as; null on a select feature." example:"0.22"`
}

// CategoryRef is a category of a product, as responses with the product contain it.
type CategoryRef struct {
	_ struct{} `doc:"A category that a product lies in."`

	ID   schema.ID               `json:"id"`
	Name string                  `json:"name" example:"T-shirts"`
	Slug schema.Nullable[string] `json:"slug" doc:"Its address in the shop." example:"t-shirts"`
}

// ProductImage is an image of a product, as responses with the product contain it.
type ProductImage struct {
	_ struct{} `doc:"An image of a product with its thumbnails. Its files need no key, and never change."`

	ID         schema.ID               `json:"id"`
	URL        string                  `json:"url" doc:"Where the image is." example:"https://api.shop.example/images/019a8269-7a12-7d3e-9c55-0b6a4f1d2e01/019a8269-ea80-7f01-93d4-4c5d6e7f8a01/original.jpg"`
	Width      int64                   `json:"width" doc:"In pixels." example:"3000"`
	Height     int64                   `json:"height" doc:"In pixels." example:"2000"`
	Thumbnails Thumbnails              `json:"thumbnails"`
	Srcset     []ImageWidth            `json:"srcset" doc:"Where the image is in smaller widths, which are made at the first request: JPEGs, or PNGs where something shines through."`
	Alt        schema.Nullable[string] `json:"alt" doc:"Its text for those who do not see it; empty if it says nothing. null stands for the name of the product." example:"T-shirt, seen from behind"`
	Color      schema.Nullable[string] `json:"color" doc:"Its dominant color, to be shown until it is loaded. null for a short time after an update from a version without colors." example:"#3a6ea5"`
}

// Modifiers is the JSON text of a list of ModifierGroup, as the client sent it, with an id in each group and item.
type Modifiers string

// Schema implements huma.SchemaProvider.
func (Modifiers) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeArray, Items: r.Schema(reflect.TypeFor[ModifierGroup](), true, "")}
}

// MarshalJSONTo implements json.MarshalerTo.
func (m Modifiers) MarshalJSONTo(e *jsontext.Encoder) error { return e.WriteValue(jsontext.Value(m)) }

// JSONLD is an object of JSON-LD.
type JSONLD map[string]any

// Schema implements huma.SchemaProvider.
func (JSONLD) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// ModifierGroup is a group of modifiers of a product.
type ModifierGroup struct {
	_ struct{} `doc:"What a buyer can add to a product or choose in it. Members that are not described here are kept and given back."`

	ID       schema.Nullable[openapi.ExternalIDInput] `json:"id,omitempty" doc:"Your own id of the group, unique in the product. Without one the group gets an id that follows from its name, and among equal names from their order: it stays when the same names are sent again."`
	Name     openapi.NameInput                        `json:"name"`
	Min      schema.Nullable[int64]                   `json:"min,omitempty" doc:"How many of its items must be chosen at least, if any is chosen or the group is required." minimum:"0" example:"0"`
	Max      schema.Nullable[int64]                   `json:"max,omitempty" doc:"How many of its items may be chosen at most; not less than min. Null or absent: any number." minimum:"0" example:"2"`
	Required schema.Nullable[bool]                    `json:"required,omitempty" doc:"Whether something must be chosen: at least one, also if min is 0."`
	Items    []Modifier                               `json:"items,omitempty"`
}

// Modifier is one item of a ModifierGroup.
type Modifier struct {
	_ struct{} `doc:"One thing to choose. Members that are not described here are kept and given back."`

	ID    schema.Nullable[openapi.ExternalIDInput] `json:"id,omitempty" doc:"Your own id of the item, unique in the group. Without one the item gets an id that follows from its name, as a group does."`
	Name  openapi.NameInput                        `json:"name"`
	Price schema.Nullable[schema.Money]            `json:"price,omitempty" doc:"What it costs on top; not negative. Null or absent: nothing."`
}

// NewProduct is the body that creates a product.
type NewProduct struct {
	Name                openapi.NameInput                        `json:"name"`
	Description         schema.Nullable[string]                  `json:"description,omitempty" doc:"At most 65,536 characters; null is the same as empty."`
	Unit                schema.Nullable[openapi.UnitInput]       `json:"unit,omitempty" doc:"What it is sold by; null for none."`
	VATRate             schema.Nullable[schema.Decimal]          `json:"vat_rate,omitempty" doc:"The rate of value-added tax that its prices include, in percent: 0 to 100, at most 2 decimals; null without VAT." example:"20"`
	Weight              schema.Nullable[schema.Decimal]          `json:"weight,omitempty" doc:"In kilograms: at most 3 decimals, not negative; null for none." example:"0.22"`
	Slug                schema.Nullable[openapi.SlugInput]       `json:"slug,omitempty" doc:"Its address in the shop. Without it, or with null, one is made of the name."`
	SEO                 schema.Nullable[openapi.SEOInput]        `json:"seo,omitempty"`
	ExternalID          schema.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system, unique among the products of the store; taken by another one it is 409."`
	Categories          []RefInput                               `json:"categories,omitempty" doc:"The categories that it lies in, each once."`
	CanonicalCategoryID schema.Nullable[schema.ID]               `json:"canonical_category_id,omitempty" doc:"The one of its categories that breadcrumbs go to; null for the deepest, and of several the first."`
	Features            []FeatureRef                             `json:"features,omitempty" doc:"Its features. Several values of one feature are allowed, each once."`
	Images              []RefInput                               `json:"images,omitempty" doc:"Its images, in the order in which they are shown. An image belongs to one product at most."`
	Modifiers           modifiersInput                           `json:"modifiers,omitempty"`
	Variants            []NewVariant                             `json:"variants,omitempty" doc:"Its variants, each with another combination of options. An id in them is ignored."`
	Locks               []string                                 `json:"locks,omitempty" enum:"name,description,images,categories,features,price,unit,vat_rate,weight,barcodes,slug,seo" doc:"The members that pushes leave alone. price and barcodes lock those of the variants that the product has."`
}

// ProductEdit is the body that edits a product.
type ProductEdit struct {
	Name                openapi.NameInput                        `json:"name,omitempty"`
	Description         schema.Nullable[string]                  `json:"description,omitempty" doc:"At most 65,536 characters; null empties it."`
	Unit                schema.Nullable[openapi.UnitInput]       `json:"unit,omitempty" doc:"What it is sold by; null takes it away."`
	VATRate             schema.Nullable[schema.Decimal]          `json:"vat_rate,omitempty" doc:"The rate of value-added tax that its prices include, in percent: 0 to 100, at most 2 decimals; null takes it away." example:"20"`
	Weight              schema.Nullable[schema.Decimal]          `json:"weight,omitempty" doc:"In kilograms: at most 3 decimals, not negative; null takes it away." example:"0.22"`
	Slug                schema.Nullable[openapi.SlugInput]       `json:"slug,omitempty" doc:"Its address in the shop; null makes a new one of the name. The former one keeps leading to the product. Without the member it stays, also when the name changes."`
	SEO                 schema.Nullable[openapi.SEOInput]        `json:"seo,omitempty" doc:"All of it: a member that is left out becomes empty."`
	ExternalID          schema.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system; null takes it away. Taken by another product it is 409."`
	Categories          []RefInput                               `json:"categories,omitempty" doc:"The full list: it leaves the categories that are not in it."`
	CanonicalCategoryID schema.Nullable[schema.ID]               `json:"canonical_category_id,omitempty" doc:"The one of its categories that breadcrumbs go to; null for the deepest, and of several the first. Without the member it stays, as long as the product is in the category."`
	Features            []FeatureRef                             `json:"features,omitempty" doc:"The full list: features that are not in it are taken off the product."`
	Images              []RefInput                               `json:"images,omitempty" doc:"The full list, in the order in which they are shown. An image that is not in it belongs to nothing then."`
	Modifiers           modifiersInput                           `json:"modifiers,omitempty"`
	Variants            []VariantInput                           `json:"variants,omitempty" doc:"The full list: a variant that is not in it is archived, and comes back with its id when it is sent again."`
	Locks               []string                                 `json:"locks,omitempty" enum:"name,description,images,categories,features,price,unit,vat_rate,weight,barcodes,slug,seo" doc:"The full list of the members that pushes leave alone. price and barcodes lock those of the variants that the product has; new variants take what is pushed. The next push applies a member that is not in it any more."`
}

// RefInput describes a reference to a resource in requests: its id, or the object that responses contain.
type RefInput = openapi.OneOf[schema.ID, ThingRef]

// ThingRef is a reference to a resource in the form that responses contain.
type ThingRef struct {
	ID schema.ID `json:"id"`
}

// FeatureRef is a reference to a value of a feature.
type FeatureRef struct {
	_ struct{} `doc:"A value of a feature. The form in which it is read, {id, value: {id}}, is accepted too."`

	FeatureID schema.ID `json:"feature_id"`
	ValueID   schema.ID `json:"value_id" doc:"A value of that feature."`
}

// modifiersInput describes a list of ModifierGroup in requests, or null for an empty list.
type modifiersInput struct{}

// Schema implements huma.SchemaProvider.
func (modifiersInput) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{
		Description: "What a buyer can add to it or choose in it: groups of items. It is kept as it is sent, " +
			"at most 262,144 bytes, members of your own too; null is the same as an empty list.",
		OneOf: []*huma.Schema{
			Modifiers("").Schema(r),
			{Type: "null"},
		},
	}
}

const (
	exampleModifiers = `[{"id":"wrap","name":"Gift wrap","min":0,"max":1,"required":false,"items":[{"id":"paper",` +
		`"name":"Paper","price":50},{"id":"box","name":"Box","price":120}]}]`

	exampleNewShirt = `{"name":"T-shirt","description":"Heavy cotton, 220 g/m².","external_id":"1C-000123",` +
		`"unit":{"code":"796","name":"pcs"},"vat_rate":20,"weight":0.22,` +
		`"categories":["` + exampleShirtsID + `"],"features":[{"feature_id":"` + exampleWeightID + `","value_id":"` +
		exampleWeight022 + `"}],` +
		`"images":["` + exampleImageID + `"],"modifiers":` + exampleModifiers + `,"variants":[` +
		`{"name":"T-shirt M","sku":"TSHIRT-M","price":1990.5,"barcodes":["4600000000017"],` +
		`"external_id":"1C-000123-M","options":[{"option_id":"` +
		exampleSizeID + `","value_id":"` + exampleSizeM + `"}],"remainders":[{"stock_id":"` + exampleWarehouseID +
		`","quantity":5}]},` +
		`{"name":"T-shirt XL","sku":"TSHIRT-XL","price":2190,"external_id":"1C-000123-XL","options":[{"option_id":"` +
		exampleSizeID + `","value_id":"` + exampleSizeXL + `"}]}]}`
)

// exampleShirtHead returns the product of exampleShirt without the extras.
func exampleShirtHead() Product {
	return Product{
		ID: exampleID(exampleShirtID), ExternalID: schema.NotNull("1C-000123"), Name: "T-shirt",
		Description: "Heavy cotton, 220 g/m².",
		Unit:        schema.NotNull(Unit{Code: schema.NotNull("796"), Name: "pcs"}),
		VATRate:     schema.NotNull[schema.Decimal]("20"), Weight: schema.NotNull[schema.Decimal]("0.22"),
		Slug: schema.NotNull("t-shirt"),
		Price: PriceSpan{From: schema.NotNull[schema.Money](1990_5000),
			To: schema.NotNull[schema.Money](2190_0000)},
		Available: schema.NotNull[schema.Decimal]("4"),
		CreatedAt: exampleDate(), UpdatedAt: exampleDate(), Locks: []string{"name"},
	}
}

func exampleShirt() Product {
	shirt := exampleShirtHead()
	shirt.Categories = []CategoryRef{{ID: exampleID(exampleShirtsID), Name: "T-shirts",
		Slug: schema.NotNull("t-shirts")}}
	shirt.CanonicalCategoryID = new(schema.NotNull(exampleID(exampleShirtsID)))
	shirt.Features = []ProductFeature{{ID: exampleID(exampleWeightID), Name: "Weight, kg", Value: ProductFeatureValue{
		ID: exampleID(exampleWeight022), Name: "0,22", RangeValue: schema.NotNull[schema.Decimal]("0.22"),
	}}}
	shirt.Images = []ProductImage{{ID: exampleID(exampleImageID), URL: exampleImageFiles + "/original.jpg", Width: 3000,
		Height: 2000, Thumbnails: exampleThumbnails(), Srcset: exampleSrcset(),
		Alt: schema.NotNull("T-shirt, seen from behind"), Color: schema.NotNull("#3a6ea5")}}
	shirt.Modifiers = exampleModifiers
	shirt.Variants = []Variant{exampleVariantM(), exampleVariantXL()}
	return shirt
}

func exampleShirtBySlug() Product {
	shirt := exampleShirt()
	shirt.CanonicalSlug = "t-shirt"
	return shirt
}

func exampleArchivedShirt() Product {
	shirt := exampleShirt()
	shirt.ArchivedAt = schema.NotNull(exampleDate())
	return shirt
}

// ProductExtras returns the extras of a product, in the order in which they are rendered.
func ProductExtras() []string {
	return []string{"categories", "features", "images", "modifiers", "variants", "prices", "price_lists",
		"breadcrumbs"}
}

// SingleProductExtras are those of the routes that read one product.
func SingleProductExtras() []string { return append(ProductExtras(), "jsonld") }

// productExtrasParam describes the query parameter "with" of the list of products or, if single is true, of one
// product. The response with one product always has all extras.
func productExtrasParam(single bool) httpapi.Param {
	p := httpapi.Param{Name: "with", Values: ProductExtras(), Example: "variants,features",
		Description: "Extras to put into the answer. `prices` adds to each variant `prices`, its prices by quantity, " +
			"and `old_price`; `price_lists`, for secret keys, its prices in all price lists; in lists both need " +
			"`variants`. `breadcrumbs` are the categories from the root to its canonical one."}
	if single {
		p.Description = "Accepted as in the list; a single product always comes with all of them but prices, " +
			"price_lists and breadcrumbs."
		p.Example = ""
	}
	return p
}

// shownProductExtrasParam is productExtrasParam of the routes that read one product.
func shownProductExtrasParam() httpapi.Param {
	p := productExtrasParam(true)
	p.Values = SingleProductExtras()
	p.Description += " `jsonld` adds what search engines read of the product, with its offers and breadcrumbs in the " +
		"vocabulary of schema.org; addresses in it need the setting site_url."
	return p
}

func productRefusals(more ...httpapi.Refusal) []httpapi.Refusal {
	return slices.Concat([]httpapi.Refusal{
		{Status: 409, Code: "external_id_taken",
			When: "another product of the store, or another variant of the product, has that `external_id`"},
		{Status: 422, Code: "required",
			When: "`name`, the `price` of a new variant, the name of a modifier or its group, or an id is missing"},
		{Status: 422, Code: "unknown_category",
			When: "an element of `categories`, or `canonical_category_id`, is not the id of a category of this store"},
		{Status: 422, Code: "not_in_category", When: "`canonical_category_id` is none of the product's categories"},
		{Status: 422, Code: "duplicate_category", When: "a category is named twice"},
		{Status: 422, Code: "unknown_feature", When: "a `feature_id` is not that of a feature of this store"},
		{Status: 422, Code: "duplicate_value", When: "the same value of the same feature is named twice"},
		{Status: 422, Code: "duplicate_id",
			When: "two groups of modifiers, or two items of a group, have the same `id`"},
		{Status: 422, Code: "duplicate_external_id", When: "two variants of the request have the same `external_id`"},
		{Status: 422, Code: "unknown_lock",
			When: "an element of `locks` is not one of the members that can be locked; the message lists them"},
		{Status: 422, Code: "too_long",
			When: "a name or sku has more than 255 characters, the description more than 65,536, " +
				"the modifiers more than 262,144 bytes, or the name of a unit more than 64 characters"},
		{Status: 422, Code: "invalid_slug",
			When: "`slug` has other characters than a-z, 0-9 and hyphens, or more than 200"},
		{Status: 422, Code: "slug_taken", When: "another product has the `slug` at present"},
		{Status: 422, Code: "invalid_unit_code", When: "the `code` of `unit` does not have three or four digits"},
	}, variantRefusals(), more)
}

// ifMatchHeader describes the header If-Match for a POST. Package openapi documents it for PUT and DELETE only.
func ifMatchHeader() []httpapi.Param {
	return []httpapi.Param{{Name: "If-Match",
		Description: "The `ETag` that you read. If the product has changed since, " +
			"nothing is done and the answer is 412."}}
}

// preconditionFailed returns the refusal of a request whose If-Match does not name the current ETag.
func preconditionFailed() httpapi.Refusal {
	return httpapi.Refusal{Status: 412, Code: "precondition_failed",
		When: "`If-Match` does not name the present ETag of the product"}
}

func productDocs() map[string]httpapi.Route {
	return openapi.Group(productTag, "product", map[string]httpapi.Route{
		"POST /v2/products": {
			OperationID: "createProduct", Summary: "Create a product with its variants", Status: 201,
			Response: Product{}, HasETag: true,
			Description: "Creates a product with all that belongs to it in one request. Only `name` is required, " +
				"and the `price` of each variant.\n\n" +
				"Each variant carries another combination of option values; variants of one product may carry " +
				"different sets of options, and those without any option are not compared. " +
				"Categories, features, options, values, stocks and images are named by their ids, so they must exist.",
			QueryParams: []httpapi.Param{productExtrasParam(true)},
			Body:        NewProduct{},
			BodyExamples: examples(bodyExample("A T-shirt in two sizes", exampleNewShirt),
				bodyExample("The least", `{"name":"Gift card","variants":[{"price":50}]}`)),
			ResponseExamples: examples(oneExample("The product", exampleShirt())),
			Refusals:         productRefusals(),
		},

		"GET /v2/products/{id}": {
			OperationID: "getProduct", Summary: "Read a product", Response: Product{}, HasETag: true,
			Description: "One product with all that belongs to it; archived variants are left out. An archived " +
				"product is 404 for keys that may not write the catalogue.",
			QueryParams:      []httpapi.Param{shownProductExtrasParam()},
			ResponseExamples: examples(oneExample("The product", exampleShirt())),
		},

		"GET /v2/products/by-slug/{slug}": {
			OperationID: "getProductBySlug", Summary: "Read a product by its address", Response: Product{},
			HasETag: true,
			Description: "The product that has the slug, or had it before, with all that belongs to it, as by its " +
				"id. `canonical_slug` is its present slug: where it differs from the one in the path, a shop " +
				"redirects to it.",
			PathParams: slugParam("product"), QueryParams: []httpapi.Param{shownProductExtrasParam()},
			ResponseExamples: examples(oneExample("The product", exampleShirtBySlug())),
		},

		"PUT /v2/products/{id}": {
			OperationID: "editProduct", Summary: "Edit a product and its variants", Response: Product{}, HasETag: true,
			Description: "Changes the members that are sent. A list that is sent is the full list.\n\n" +
				"An element of `variants` speaks of the variant with its `id`, " +
				"else of the one with its `external_id`, else of a new one. Its members that are left out stay. " +
				"**A variant that is not in a sent `variants` is archived**, not deleted, " +
				"and comes back with its id when it is sent again. " +
				"What was read may be sent back. An archived product can be edited and stays archived.",
			QueryParams: []httpapi.Param{productExtrasParam(true)},
			Body:        ProductEdit{},
			BodyExamples: examples(bodyExample("New name, everything else stays", `{"name":"T-shirt, organic"}`),
				bodyExample("One price changes, the other variant stays",
					`{"variants":[{"id":"`+exampleShirtM+`","price":1790},{"external_id":"1C-000123-XL"}]}`)),
			ResponseExamples: examples(oneExample("The product", exampleShirt())),
			Refusals: productRefusals(
				httpapi.Refusal{Status: 422, Code: "unknown_variant",
					When: "the `id` of a variant is not that of a variant of this product"},
				httpapi.Refusal{Status: 422, Code: "duplicate_variant", When: "two elements speak of the same variant"},
			),
		},

		"DELETE /v2/products/{id}": {
			OperationID: "deleteProduct", Summary: "Delete a product",
			Description: "Deletes the product with its variants and images, " +
				"for good. To take it out of the shop and keep it, archive it. The request has no body.",
		},

		"POST /v2/products/{id}/archive": {
			OperationID: "archiveProduct", Summary: "Take a product out of the shop", Response: Product{},
			HasETag: true,
			Description: "Archives the product: storefronts do not see it any more, " +
				"and it keeps all that belongs to it. An archived one is left as it is, its ETag too. " +
				"No body is needed.",
			QueryParams: []httpapi.Param{productExtrasParam(true)}, HeaderParams: ifMatchHeader(),
			ResponseExamples: examples(oneExample("The product", exampleArchivedShirt())),
			Refusals:         []httpapi.Refusal{preconditionFailed()},
		},

		"POST /v2/products/{id}/restore": {
			OperationID: "restoreProduct", Summary: "Bring a product back into the shop", Response: Product{},
			HasETag: true,
			Description: "Brings an archived product back, with exactly those variants that were in the shop. One " +
				"that is not archived is left as it is, its ETag too. " +
				"No body is needed.",
			QueryParams: []httpapi.Param{productExtrasParam(true)}, HeaderParams: ifMatchHeader(),
			ResponseExamples: examples(oneExample("The product", exampleShirt())),
			Refusals:         []httpapi.Refusal{preconditionFailed()},
		},
	})
}
