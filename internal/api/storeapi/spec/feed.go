package spec

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/schema"
)

// Feed is a product feed.
type Feed struct {
	_ struct{} `doc:"A product feed: a file with the offers of the store, for a marketplace or an advertising system."`

	Name             string                     `json:"name" example:"yandex-market"`
	Format           string                     `json:"format" enum:"yml,google,csv" doc:"yml is the format of Yandex Market, google the RSS 2.0 of Google Merchant Center, csv a table with the columns of Google."`
	Filter           FeedFilter                 `json:"filter"`
	Mapping          FeedMapping                `json:"mapping"`
	PriceListID      schema.Nullable[schema.ID] `json:"price_list_id" doc:"The price list whose prices the feed has, where it has one; null for the prices of the variants."`
	VariantParameter schema.Nullable[string]    `json:"variant_parameter" doc:"The parameter by which the product pages of the site choose a variant: offers of products with several variants link to …?variant={id} with \"variant\". Null for links to the product." example:"variant"`
	URL              string                     `json:"url" doc:"The address of the feed, with the feed key that reads it and nothing else. Give it to the marketplace." example:"https://api.shop.example/v2/feeds/yandex-market?key=fk_…"`
	CreatedAt        schema.Date                `json:"created_at"`
	UpdatedAt        schema.Date                `json:"updated_at"`
}

// FeedFilter says which offers a feed has.
type FeedFilter struct {
	_ struct{} `doc:"Which offers a feed has. Without any member, all."`

	Category  schema.Nullable[schema.ID]    `json:"category,omitempty" doc:"Only products of this category and of those below it."`
	InStock   bool                          `json:"in_stock,omitempty" doc:"Only offers in stock. What no stock counts is in stock."`
	PriceFrom schema.Nullable[schema.Money] `json:"price_from,omitempty" doc:"The lowest price, in the feed's price list."`
	PriceTo   schema.Nullable[schema.Money] `json:"price_to,omitempty" doc:"The highest price."`
	Features  []FeedFeature                 `json:"features,omitempty" doc:"Only products that have one of the values of each of these features."`
}

// FeedFeature is a filter by a feature of type select.
type FeedFeature struct {
	ID     schema.ID   `json:"id"`
	Values []schema.ID `json:"values"`
}

// FeedMapping says where the members of offers come from.
type FeedMapping struct {
	_ struct{} `doc:"Where the members of offers come from. Each is the id of a feature or an option, or barcode, sku, external_id or name of the variant, or a text such as \"text:Acme\"."`

	Brand                 string `json:"brand,omitzero" doc:"The brand; vendor in YML." example:"019a8269-6b00-7e21-9a07-7e8f9a0b1c01"`
	GTIN                  string `json:"gtin,omitzero" doc:"By default the barcodes of the variant that are GTINs." example:"barcode"`
	MPN                   string `json:"mpn,omitzero" doc:"The part number of the manufacturer. In YML it is vendorCode, by default the SKU." example:"sku"`
	Color                 string `json:"color,omitzero"`
	Size                  string `json:"size,omitzero"`
	Material              string `json:"material,omitzero"`
	Pattern               string `json:"pattern,omitzero"`
	Gender                string `json:"gender,omitzero" doc:"male, female or unisex; other values are left out." example:"text:unisex"`
	AgeGroup              string `json:"age_group,omitzero" doc:"newborn, infant, toddler, kids or adult; other values are left out." example:"text:adult"`
	GoogleProductCategory string `json:"google_product_category,omitzero" doc:"A category of Google, by its number or path." example:"text:1604"`
	CountryOfOrigin       string `json:"country_of_origin,omitzero" doc:"Only in YML."`
	CustomLabel0          string `json:"custom_label_0,omitzero"`
	CustomLabel1          string `json:"custom_label_1,omitzero"`
	CustomLabel2          string `json:"custom_label_2,omitzero"`
	CustomLabel3          string `json:"custom_label_3,omitzero"`
	CustomLabel4          string `json:"custom_label_4,omitzero"`
}

// NewFeedMapping returns a mapping by target as responses have it.
func NewFeedMapping(from map[string]string) FeedMapping {
	return FeedMapping{Brand: from["brand"], GTIN: from["gtin"], MPN: from["mpn"], Color: from["color"],
		Size: from["size"], Material: from["material"], Pattern: from["pattern"], Gender: from["gender"],
		AgeGroup: from["age_group"], GoogleProductCategory: from["google_product_category"],
		CountryOfOrigin: from["country_of_origin"], CustomLabel0: from["custom_label_0"],
		CustomLabel1: from["custom_label_1"], CustomLabel2: from["custom_label_2"],
		CustomLabel3: from["custom_label_3"], CustomLabel4: from["custom_label_4"]}
}

// FeedEdit is the body that defines a feed.
type FeedEdit struct {
	Format           string                     `json:"format" enum:"yml,google,csv"`
	Filter           FeedFilter                 `json:"filter,omitempty"`
	Mapping          FeedMapping                `json:"mapping,omitempty"`
	PriceListID      schema.Nullable[schema.ID] `json:"price_list_id,omitempty"`
	VariantParameter schema.Nullable[string]    `json:"variant_parameter,omitempty"`
	NewKey           bool                       `json:"new_key,omitempty" doc:"Gives the feed another key. The address before answers 401 at once."`
}

// FeedReport says what a feed leaves out.
type FeedReport struct {
	_ struct{} `doc:"What a feed has, and what it leaves out."`

	Offers  int64         `json:"offers" doc:"The number of offers in the feed." example:"1240"`
	LeftOut []FeedLeftOut `json:"left_out" doc:"Why offers that the filter selects are left out. One that lacks several things is counted under each."`
}

// FeedLeftOut are the offers that are left out for a reason.
type FeedLeftOut struct {
	_ struct{} `doc:"The offers that are left out for one reason."`

	Reason   string        `json:"reason" enum:"address,picture,price,category,noindex" doc:"address: the product has no slug yet. picture: no image. price: no price, or 0. category: in no category, which YML needs. noindex: kept out of search engines."`
	Offers   int64         `json:"offers" doc:"Their number." example:"3"`
	Products []FeedProduct `json:"products" doc:"Their products, the first 50."`
}

// FeedProduct is a product in a report.
type FeedProduct struct {
	ID   schema.ID `json:"id"`
	Name string    `json:"name" example:"T-shirt"`
}

func exampleFeed() Feed {
	return Feed{Name: "yandex-market", Format: "yml",
		Filter: FeedFilter{Category: schema.NotNull(exampleID(exampleClothesID)), InStock: true,
			Features: []FeedFeature{}},
		Mapping:   FeedMapping{Brand: "text:Acme", GTIN: "barcode"},
		URL:       "https://api.shop.example/v2/feeds/yandex-market?key=fk_…",
		CreatedAt: exampleDate(), UpdatedAt: exampleDate()}
}

func exampleFeedReport() FeedReport {
	return FeedReport{Offers: 1240, LeftOut: []FeedLeftOut{{Reason: "picture", Offers: 3,
		Products: []FeedProduct{{ID: exampleID(exampleShirtID), Name: "T-shirt"}}}}}
}

// feedDocs documents the routes of product feeds.
func feedDocs() map[string]httpapi.Route {
	name := httpapi.Param{Name: "name", Example: "yandex-market",
		Description: "The name of the feed: 1 to 64 of the characters a-z, 0-9, hyphen and underscore."}
	key := httpapi.Param{Name: "key", Example: "fk_…",
		Description: "The feed key, for programs that send no headers."}
	reading := []httpapi.Refusal{
		{Status: 401, Code: "secret_in_address", When: "`key` is a secret"},
		{Status: 404, Code: "not_found", When: "the store has no such feed, or the key is that of another one"},
		{Status: 409, Code: "no_site_url", When: "the setting `site_url` is empty"},
		{Status: 409, Code: "feed_broken",
			When: "a category, price list, feature or value of the definition was deleted"},
		{Status: 409, Code: "unsupported_currency", When: "YML does not know the currency of the store"},
	}

	return openapi.Group(feedTag, "feed", map[string]httpapi.Route{
		"GET /v2/feeds": {
			OperationID: "listFeeds", Summary: "List feeds", Response: Feed{}, Paged: true,
			Description: "The feeds of the store by name, with their definitions and addresses. " +
				"Takes a secret key.",
			ResponseExamples: examples(listExample("One feed", exampleFeed())),
		},
		"PUT /v2/feeds/{name}": {
			OperationID: "putFeed", Summary: "Define a feed", Response: Feed{}, HasETag: true,
			PathParams: []httpapi.Param{name},
			Description: "Defines a feed, or replaces the whole definition of the feed with this name: what is left " +
				"out has its default. The response has the address to give to the marketplace. A new feed answers 201.",
			Body: FeedEdit{},
			BodyExamples: examples(bodyExample("For Yandex Market",
				`{"format":"yml","filter":{"category":"`+exampleClothesID+`","in_stock":true},`+
					`"mapping":{"brand":"text:Acme","gtin":"barcode"}}`),
				bodyExample("The least", `{"format":"google"}`)),
			ResponseExamples: examples(oneExample("The feed", exampleFeed())),
			Refusals: []httpapi.Refusal{
				{Status: 409, Code: "too_many_feeds", When: "the store has 50 feeds"},
				{Status: 422, Code: "invalid_name", When: "the name has other characters, or too many"},
				{Status: 422, Code: "unknown_format", When: "`format` is neither yml nor google nor csv"},
				{Status: 422, Code: "unknown_filter", When: "`filter` has an unknown member"},
				{Status: 422, Code: "unknown_target", When: "`mapping` has an unknown member"},
				{Status: 422, Code: "unknown_source",
					When: "a source of `mapping` is neither an id, nor a member of variants, nor a text"},
				{Status: 422, Code: "unknown_category", When: "the store has no category with the id"},
				{Status: 422, Code: "unknown_feature", When: "the store has no feature with an id"},
				{Status: 422, Code: "unknown_value", When: "the feature has no value with an id, or Google does not " +
					"know the text of `gender` or `age_group`"},
				{Status: 422, Code: "not_a_select", When: "the feature of a filter is a range of numbers"},
				{Status: 422, Code: "unknown_price_list", When: "the store has no price list with the id"},
				{Status: 422, Code: "foreign_currency", When: "the price list has another currency than the store"},
			},
		},
		"GET /v2/feeds/{name}": {
			OperationID: "getFeed", Summary: "Read a feed", PlainMediaType: "application/xml",
			PathParams: []httpapi.Param{name}, QueryParams: []httpapi.Param{key},
			Description: "The feed itself: XML, or a table for csv, gzipped for clients that accept it. Marketplaces " +
				"read it by its address with the feed key; a secret key reads it, too. An offer is a variant, and " +
				"has its id in every format. Archived products and variants, and what lacks a required member, are " +
				"left out: see the report. The ETag changes with the catalogue and the definition.",
			Refusals: reading,
		},
		"DELETE /v2/feeds/{name}": {
			OperationID: "deleteFeed", Summary: "Delete a feed", PathParams: []httpapi.Param{name},
			Description: "Deletes the feed. Its key ends at once.",
		},
		"GET /v2/feeds/{name}/report": {
			OperationID: "getFeedReport", Summary: "Read the report of a feed", Response: FeedReport{},
			PathParams: []httpapi.Param{name}, QueryParams: []httpapi.Param{key},
			Description: "How many offers the feed has at present, and which are left out and why. Takes a secret " +
				"key or the feed key.",
			ResponseExamples: examples(oneExample("Three offers without a picture", exampleFeedReport())),
			Refusals:         reading,
		},
	})
}
