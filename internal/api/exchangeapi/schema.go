package exchangeapi

import (
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/schema"
)

// The types below are the OpenAPI schemas of request bodies. The bodies are not decoded into them, but by package item.
// The schemas of responses are in package runapi.

// Push is the body of a push.
type Push[Item any] struct {
	Payload []Item `json:"payload" doc:"The items, any number of them. The list alone, without the object around it, is accepted too."`
}

// PushedProduct is one product of a push.
type PushedProduct struct {
	_ struct{} `doc:"A product. A member that is absent leaves that part of the product alone; one that is present replaces it. Only id is needed, and name when the product is new."`

	ID                openapi.ExternalIDInput            `json:"id" doc:"What the product is called in your system. The same id updates."`
	Version           schema.Nullable[int64]             `json:"version,omitempty" doc:"A number that your system raises with each change. An item older than what was applied is left alone, with a warning stale; absent, the stored version stays."`
	Name              openapi.NameInput                  `json:"name,omitempty"`
	Description       schema.Nullable[string]            `json:"description,omitempty" doc:"At most 65,536 characters."`
	Unit              schema.Nullable[openapi.UnitInput] `json:"unit,omitempty" doc:"What the product is sold by; null for none."`
	VATRate           schema.Nullable[schema.Decimal]    `json:"vat_rate,omitempty" doc:"The rate of value-added tax that the prices include, in percent: 0 to 100, at most 2 decimals; null without VAT." example:"20"`
	Weight            schema.Nullable[schema.Decimal]    `json:"weight,omitempty" doc:"In kilograms: at most 3 decimals, not negative; null for none." example:"0.22"`
	Slug              schema.Nullable[openapi.SlugInput] `json:"slug,omitempty" doc:"The address in the shop. Absent, one is made of the name of a new product, and that of an old one stays; null makes a new one of the name. A slug that another product has fails the item with slug_taken."`
	SEO               schema.Nullable[openapi.SEOInput]  `json:"seo,omitempty" doc:"All of it: a member that is left out becomes empty."`
	SingleVariant     bool                               `json:"single_variant,omitempty" doc:"Builds one variant from the members variant_…; variants is not looked at then. The members variant_… without it, or variants with it, are a warning unused_members."`
	VariantName       schema.Nullable[string]            `json:"variant_name,omitempty"`
	VariantPrice      schema.Nullable[schema.Money]      `json:"variant_price,omitempty" doc:"Null: not for sale; 0: free. A new variant without the member is not for sale, with a warning no_price."`
	VariantSKU        schema.Nullable[string]            `json:"variant_sku,omitempty"`
	VariantBarcodes   []openapi.BarcodeInput             `json:"variant_barcodes,omitempty" doc:"As barcodes of a variant."`
	VariantRemainders []PushedRemainder                  `json:"variant_remainders,omitempty"`
	VariantOptions    []PushedReference                  `json:"variant_options,omitempty"`
	VariantPrices     []PushedListPrice                  `json:"variant_prices,omitempty" doc:"As prices of a variant."`
	VariantImages     []openapi.OneOf[string,
		PushedImage] `json:"variant_images,omitempty" doc:"As images of a variant."`
	VariantImagesMode string                                   `json:"variant_images_mode,omitempty" enum:"add,replace,remove" default:"add" doc:"As images_mode of a variant."`
	Variants          []PushedVariant                          `json:"variants,omitempty" doc:"All variants of the product; one that is not among them is archived, and comes back with its id when it is pushed again."`
	Features          []PushedReference                        `json:"features,omitempty" doc:"All features of the product, by your ids. What is not known yet is linked when it arrives."`
	Categories        []openapi.ExternalIDInput                `json:"categories,omitempty" doc:"All categories of the product, by your ids."`
	CanonicalCategory schema.Nullable[openapi.ExternalIDInput] `json:"canonical_category,omitempty" doc:"The one of the categories that breadcrumbs go to, by your id; null for the deepest, then the first. One that is not among the categories fails the item with not_in_category. If the product loses the category, the deepest holds again."`
	Images            []openapi.OneOf[string,
		PushedImage] `json:"images,omitempty" doc:"Addresses to download from after the answer, or images that were uploaded before."`
	ImagesMode string                            `json:"images_mode,omitempty" enum:"add,replace,remove" default:"add" doc:"add keeps the images that are there, replace takes them away, remove deletes all and ignores the new ones."`
	Modifiers  schema.Nullable[[]map[string]any] `json:"modifiers,omitempty" doc:"Groups {id, name, min, max, required, items: [{id, name, price}]}; what else they hold is kept and given back. Orders name a modifier by the id of its group and its own. A group or item without an id gets one that follows from its name, and among equal names from their order, so it stays in the next push."`
	Archived   bool                              `json:"archived,omitempty" doc:"true archives the product; the other members are not used then. An unknown id is unchanged."`
	Deleted    bool                              `json:"deleted,omitempty" doc:"true deletes the product; the other members are not used then. An unknown id is unchanged."`
}

// PushedVariant is one variant of a pushed product.
type PushedVariant struct {
	ID         openapi.ExternalIDInput       `json:"id" doc:"What the variant is called in your system, among those of its product."`
	Name       schema.Nullable[string]       `json:"name,omitempty"`
	SKU        schema.Nullable[string]       `json:"sku,omitempty"`
	Price      schema.Nullable[schema.Money] `json:"price,omitempty" doc:"Null: not for sale; 0: free. A new variant without the member is not for sale, with a warning no_price."`
	Barcodes   []openapi.BarcodeInput        `json:"barcodes,omitempty" doc:"All barcodes of the variant, at most 20; one that is named twice is kept once."`
	Remainders []PushedRemainder             `json:"remainders,omitempty" doc:"All remainders of the variant."`
	Options    []PushedReference             `json:"options,omitempty" doc:"All options of the variant, by your ids."`
	Prices     []PushedListPrice             `json:"prices,omitempty" doc:"Prices in price lists, at most 1,000. Lists and quantities that are not among them keep their prices."`
	Images     []openapi.OneOf[string,
		PushedImage] `json:"images,omitempty" doc:"As images of the product, for the variant alone. By its id or address it may also name an image that its product has."`
	ImagesMode string `json:"images_mode,omitempty" enum:"add,replace,remove" default:"add" doc:"As images_mode of the product."`
}

// PushedListPrice is the price of a variant in a price list.
type PushedListPrice struct {
	PriceListID  openapi.ExternalIDInput         `json:"price_list_id" doc:"What the price list is called in your system. The price is in the list when that arrives."`
	Price        schema.Nullable[schema.Money]   `json:"price" doc:"Null removes the price."`
	FromQuantity schema.Nullable[schema.Decimal] `json:"from_quantity,omitempty" doc:"From which quantity on, more than 0; 1 by default."`
}

// PushedRemainder is the quantity of a variant in a stock.
type PushedRemainder struct {
	StockID  openapi.ExternalIDInput `json:"stock_id" doc:"What the stock is called in your system. One that is not known is created with its id as its name."`
	Quantity schema.Decimal          `json:"quantity" doc:"How much there is: at most 9 digits before the point and 3 decimals, and not negative."`
}

// PushedReference refers to a value of an option or a feature.
type PushedReference struct {
	ID      openapi.ExternalIDInput `json:"id" doc:"Your id of the option or feature."`
	ValueID openapi.ExternalIDInput `json:"value_id" doc:"Your id of its value."`
}

// PushedImage refers to an image, by its URL or its id.
type PushedImage struct {
	URL string    `json:"url,omitempty" doc:"Where to download it from." example:"https://accounting.example/lamp.jpg"`
	ID  schema.ID `json:"id,omitempty" doc:"An image that was uploaded and belongs to nothing; one that has an owner is ignored with a warning."`
}

// PushedOption is one variant option of a push.
type PushedOption struct {
	ID            openapi.ExternalIDInput   `json:"id"`
	Version       schema.Nullable[int64]    `json:"version,omitempty" doc:"As version of a product."`
	Name          openapi.NameInput         `json:"name,omitempty" doc:"Needed when the option is new."`
	Values        []PushedValue             `json:"values,omitempty" doc:"Values to add or rename, by your ids; others stay."`
	RemovedValues []openapi.ExternalIDInput `json:"removed_values,omitempty" doc:"Values to take away, by your ids. Variants that have one lose the option."`
	Deleted       bool                      `json:"deleted,omitempty" doc:"true deletes it; the other members are not used then. An unknown id is unchanged."`
}

// PushedFeature is one feature of a push.
type PushedFeature struct {
	ID            openapi.ExternalIDInput   `json:"id"`
	Version       schema.Nullable[int64]    `json:"version,omitempty" doc:"As version of a product."`
	Name          openapi.NameInput         `json:"name,omitempty" doc:"Needed when the feature is new."`
	Filterable    bool                      `json:"filterable,omitempty" doc:"Absent, it stays as the store has it."`
	FieldType     string                    `json:"field_type,omitempty" enum:"select,range" doc:"select if it is new and this is absent."`
	RangeType     string                    `json:"range_type,omitempty" enum:"float,integer" doc:"Only with range; float if it is new and this is absent."`
	Values        []PushedValue             `json:"values,omitempty" doc:"Values to add or rename, by your ids; others stay."`
	RemovedValues []openapi.ExternalIDInput `json:"removed_values,omitempty" doc:"Values to take away, by your ids. Products that have one lose it."`
	Deleted       bool                      `json:"deleted,omitempty" doc:"true deletes it; the other members are not used then. An unknown id is unchanged."`
}

// PushedValue is a value of a pushed option or feature.
type PushedValue struct {
	ID   openapi.ExternalIDInput `json:"id"`
	Name openapi.NameInput       `json:"name"`
}

// PushedCategory is one category of a push.
type PushedCategory struct {
	ID          openapi.ExternalIDInput                  `json:"id"`
	Version     schema.Nullable[int64]                   `json:"version,omitempty" doc:"As version of a product."`
	Name        openapi.NameInput                        `json:"name,omitempty" doc:"Needed when the category is new."`
	ParentID    schema.Nullable[openapi.ExternalIDInput] `json:"parent_id,omitempty" doc:"Your id of the category above; null puts it at the top, absent leaves it where it is."`
	Slug        schema.Nullable[openapi.SlugInput]       `json:"slug,omitempty" doc:"As slug of a product."`
	SEO         schema.Nullable[openapi.SEOInput]        `json:"seo,omitempty" doc:"As seo of a product."`
	Description schema.Nullable[string]                  `json:"description,omitempty" doc:"Plain text of at most 65,536 characters; null empties it, absent leaves it."`
	Deleted     bool                                     `json:"deleted,omitempty" doc:"true deletes it; the other members are not used then. An unknown id is unchanged."`
}

// PushedStock is one stock of a push.
type PushedStock struct {
	ID      openapi.ExternalIDInput `json:"id"`
	Version schema.Nullable[int64]  `json:"version,omitempty" doc:"As version of a product."`
	Name    openapi.NameInput       `json:"name,omitempty" doc:"Needed when the stock is new."`
	Deleted bool                    `json:"deleted,omitempty" doc:"true deletes it; the other members are not used then. An unknown id is unchanged."`
}

// PushedQuantity is one remainder of a push.
type PushedQuantity struct {
	VariantID openapi.ExternalIDInput                  `json:"variant_id" doc:"Your id of the variant; of a product that was pushed with single_variant, that of the product."`
	ProductID schema.Nullable[openapi.ExternalIDInput] `json:"product_id,omitempty" doc:"Your id of its product; needed where variants of several products have that id."`
	StockID   openapi.ExternalIDInput                  `json:"stock_id"`
	Quantity  schema.Decimal                           `json:"quantity" doc:"How much there is: at most 9 digits before the point and 3 decimals, and not negative."`
}

// PushedPriceList is one price list of a push.
type PushedPriceList struct {
	ID       openapi.ExternalIDInput `json:"id"`
	Version  schema.Nullable[int64]  `json:"version,omitempty" doc:"As version of a product."`
	Name     openapi.NameInput       `json:"name,omitempty" doc:"Needed when the list is new."`
	Currency schema.Nullable[string] `json:"currency,omitempty" doc:"An ISO 4217 code. A new list without it has the currency of the store. Customers get the prices only of lists in the store's currency." example:"EUR"`
	Deleted  bool                    `json:"deleted,omitempty" doc:"true deletes the list with its prices; the other members are not used then. An unknown id is unchanged."`
}

// PushedPrice is one price of a push.
type PushedPrice struct {
	VariantID openapi.ExternalIDInput                  `json:"variant_id" doc:"Your id of the variant; of a product that was pushed with single_variant, that of the product."`
	ProductID schema.Nullable[openapi.ExternalIDInput] `json:"product_id,omitempty" doc:"Your id of its product; needed where variants of several products have that id."`
	Price     schema.Nullable[schema.Money]            `json:"price" doc:"Null: the variant is not for sale; 0: it is free. In a price list, null removes the price."`

	PriceListID  schema.Nullable[openapi.ExternalIDInput] `json:"price_list_id,omitempty" doc:"What the price list is called in your system; without it, the price is that of the variant itself."`
	FromQuantity schema.Nullable[schema.Decimal]          `json:"from_quantity,omitempty" doc:"From which quantity on the price in the list applies, more than 0; 1 by default."`
}

// PendingReference is the JSON of something that pushed products wait for.
type PendingReference struct {
	_ struct{} `doc:"Something that pushed products refer to and that has not arrived yet."`

	Entity      string       `json:"entity" enum:"variant-options,features,categories" doc:"The last part of the path of the gate that would bring it."`
	ID          string       `json:"id" doc:"Your id of the option, feature or category." example:"material"`
	ValueID     *string      `json:"value_id" doc:"Your id of the value; null for a category." example:"coton"`
	WantedBy    int64        `json:"wanted_by" doc:"How many products refer to it, archived ones aside; 0 if only categories do, as their parent."`
	FirstSeenAt *locale.Date `json:"first_seen_at" doc:"When something referred to it for the first time."`
}
