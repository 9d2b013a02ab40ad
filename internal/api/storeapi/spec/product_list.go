package spec

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/schema"
)

// ProductMeta is the member meta of a list of products: the page and, on request, the facets.
type ProductMeta struct {
	_ struct{} `doc:"Where in the list this page stands, and with with=facets what the whole list can be filtered by."`

	CurrentPage int64          `json:"current_page" doc:"The number of this page, from 1." minimum:"1" example:"1"`
	PerPage     int64          `json:"per_page" doc:"How many elements a page has at most." minimum:"1" maximum:"250" example:"50"`
	LastPage    int64          `json:"last_page" doc:"The number of the last page; 1 when there is nothing. A page past it is empty." minimum:"1" example:"3"`
	Total       int64          `json:"total" doc:"How many elements the whole list has." minimum:"0" example:"107"`
	Facets      *Facets        `json:"facets,omitempty" doc:"Present with with=facets."`
	Search      *ProductSearch `json:"search,omitempty" doc:"How q was understood. Present with q."`
}

// ProductSearch says how the words of a query were understood.
type ProductSearch struct {
	_ struct{} `doc:"How the words of q were understood."`

	Query     string                  `json:"query" doc:"q, as it was sent." example:"кросовки найк"`
	Matched   string                  `json:"matched" doc:"The weakest way in which the first product matches: the words themselves, other forms of them, their beginnings, synonyms, words with typing errors corrected (also those of the other keyboard layout and of the other script), or only some of the words." enum:"exact,forms,prefix,synonym,corrected,partial,none" example:"corrected"`
	Corrected schema.Nullable[string] `json:"corrected" doc:"The query as it was understood, if a word of it was taken for another one; else null." example:"кроссовки nike"`
	Dropped   []string                `json:"dropped" doc:"The words that the first product does not match; all of them if nothing was found."`
	Limited   bool                    `json:"limited,omitempty" doc:"true, while the store's index is not in memory: only words and the beginnings of words in names and codes were looked for, and the newest products come first."`
}

// Highlight is a word of a product that q matches.
type Highlight struct {
	_ struct{} `doc:"A whole word that q matches. Its place counts UTF-16 units, as strings in JavaScript do."`

	Field  string `json:"field" doc:"The member of the product." enum:"name" example:"name"`
	Start  int    `json:"start" doc:"Where the word begins, from 0." minimum:"0" example:"0"`
	Length int    `json:"length" doc:"How long the word is." minimum:"1" example:"9"`
}

// ProductListExtras returns the values of the query parameter with of a list of products.
func ProductListExtras() []string { return append(ProductExtras(), "facets", "highlights") }

// Facets has the filters that a list of products offers, with the number of products that each would leave.
type Facets struct {
	_ struct{} `doc:"What the products can be filtered by, with the number of products that each choice would leave. The counts of a facet ignore the selection inside it and respect all others, so that a shopper can tick a second value. What counts nothing is left out, unless it is selected."`

	Features   []FeatureFacet              `json:"features" doc:"The filterable features, in the order of their making."`
	Options    []OptionFacet               `json:"options" doc:"The variant options, in the order of their making."`
	Categories []CategoryFacet             `json:"categories" doc:"The categories; each counts its subtree."`
	Price      schema.Nullable[PriceRange] `json:"price" doc:"From the lowest to the highest price that fits all other filters; null without any."`
}

// FeatureFacet is a feature that products can be filtered by.
type FeatureFacet struct {
	ID        schema.ID                     `json:"id" doc:"The id of the feature."`
	Name      string                        `json:"name" example:"Material"`
	FieldType FieldType                     `json:"field_type"`
	Values    []FacetValue                  `json:"values" doc:"Empty for a range feature."`
	Range     schema.Nullable[FeatureRange] `json:"range" doc:"Of a range feature: its least and greatest number; null for a select feature, and where no product has a number."`
}

// OptionFacet is an option that products can be filtered by.
type OptionFacet struct {
	ID     schema.ID    `json:"id" doc:"The id of the option."`
	Name   string       `json:"name" example:"Size"`
	Values []FacetValue `json:"values"`
}

// FacetValue is a value of a feature or an option to filter by.
type FacetValue struct {
	ID    schema.ID `json:"id"`
	Name  string    `json:"name" example:"XL"`
	Count int64     `json:"count" doc:"How many products there would be." minimum:"0" example:"42"`
}

// CategoryFacet is a category with the number of products in it and in its descendants.
type CategoryFacet struct {
	ID    schema.ID               `json:"id"`
	Name  string                  `json:"name" example:"Shirts"`
	Slug  schema.Nullable[string] `json:"slug" doc:"The address of the category in the shop." example:"shirts"`
	Count int64                   `json:"count" doc:"How many products there are in it and in all below it." minimum:"0" example:"128"`
}

// FeatureRange has the lowest and the highest value of a range feature.
type FeatureRange struct {
	Min schema.Decimal `json:"min" example:"0.2"`
	Max schema.Decimal `json:"max" example:"1.5"`
}

// PriceRange has the lowest and the highest price of the products in a list.
type PriceRange struct {
	Min schema.Money `json:"min"`
	Max schema.Money `json:"max"`
}

func exampleFacets() *Facets {
	return &Facets{
		Features: []FeatureFacet{{
			ID: exampleID(exampleWeightID), Name: "Weight, kg", FieldType: FieldType{ID: "range", Name: "Range"},
			Range: schema.NotNull(FeatureRange{Min: "0.22", Max: "1.5"}),
		}},
		Options: []OptionFacet{{ID: exampleID(exampleSizeID), Name: "Size", Values: []FacetValue{
			{ID: exampleID(exampleSizeM), Name: "M", Count: 1}, {ID: exampleID(exampleSizeXL), Name: "XL", Count: 1},
		}}},
		Categories: []CategoryFacet{{ID: exampleID(exampleShirtsID), Name: "Shirts", Slug: schema.NotNull("shirts"),
			Count: 1}},
		Price: schema.NotNull(PriceRange{Min: 1990_5000, Max: 2190_0000}),
	}
}

func productListDocs() map[string]httpapi.Route {
	return openapi.Group(productTag, "", map[string]httpapi.Route{
		"GET /v2/products": {
			OperationID: "listProducts", Summary: "List, search and filter products", Response: Product{}, Paged: true,
			Meta: ProductMeta{},

			Description: "The products of the store, in the order in which they were made unless `q`, `sort`, " +
				"`ids` or `external_ids` say otherwise. All filters must hold; `price`, " +
				"`in_stock` and `options` on one and the same variant. " +
				"With `with=facets`, `meta.facets` says what the list can be filtered by and how many products each " +
				"choice would leave.\n\n" +
				"A category page with filters, in one request:\n\n" +
				"    curl -H 'Authorization: Bearer pk_…' \\\n      " +
				"\"$STORE_URL/v2/products?category={id}&with=images," +
				"facets&sort=price&in_stock=true&feature={feature_id}:{value_id},{value_id}&" +
				"option={option_id}:{value_id}&price=..2000\"\n\n" +
				"Ids come from the facets: show them, and send back what the shopper ticks. At most 50 features and " +
				"options with 1,000 values can be named. A write is seen by the next read.",

			QueryParams: []httpapi.Param{
				productListExtrasParam(),
				{Name: "q", Example: "красные кроссовки",
					Description: "Words to search for, at most 1,024 bytes and 32 words: in SKUs, barcodes, " +
						"external ids, names, names of variants, of categories and of values, and descriptions. " +
						"Other forms of words, beginnings, synonyms of the store, typing errors, the other keyboard " +
						"layout and the other script count, too, each only if the surer ways find fewer than 50 " +
						"products. `meta.search` says how the words were understood."},
				{Name: "ids", IDs: 250, Example: exampleShirtID,
					Description: "Ids of products, separated by commas or repeated, at most 250: leaves these, " +
						"in this order unless `sort` is given. Unknown and repeated ones are left out. Set " +
						"`per_page` to get more than 50 at once."},
				{Name: "external_ids", IDs: 250, Example: "1C-000123",
					Description: "External ids of products, likewise."},
				{Name: "barcode", Example: "4600000000017",
					Description: "A barcode, exactly as a variant has it: leaves the products with such a variant, " +
						"at most 1,000. An unknown one leaves none."},
				{Name: "category",
					Description: "The id of a category: its products and those of all categories below it.",
					Example:     exampleShirtsID},
				{Name: "price", Example: "500..1990.50",
					Description: "`{from}..{to}`, both inclusive; either end may be empty: `..1990.50`. Leaves what " +
						"has a variant with such a price. A variant without a price never fits."},
				{Name: "in_stock", Type: "boolean",
					Description: "`true` leaves what has a variant with something left, " +
						"or whose stock is not kept. Whether it has a price does not matter; one without is not for " +
						"sale.", Example: "true"},
				{Name: "feature", Repeated: true, Example: exampleWeightID + ":0.2..1.5",
					Description: "`{feature_id}:{value_id},{value_id}`: one of these values of a filterable feature " +
						"must be carried. `{feature_id}:{from}..{to}`: a number of a filterable range feature, both " +
						"ends inclusive, either may be empty. Repeat the parameter for several features, which must " +
						"all fit; repeated with the same feature, its values add up."},
				{Name: "option", Repeated: true, Example: exampleSizeID + ":" + exampleSizeM + "," + exampleSizeXL,
					Description: "`{option_id}:{value_id},{value_id}`: one of these values of a variant option must " +
						"be carried. Repeat the parameter for several options, which must all fit one variant."},
				{Name: "sort", Enum: []string{"relevance", "popularity", "name", "-name", "price", "-price",
					"created_at", "-created_at"},
					Description: "`relevance` (how well the words of `q` match, the order of every list with `q` " +
						"unless `sort` says otherwise), `popularity` (how many pieces were ordered in the last 90 " +
						"days, without cancelled orders; most first, and among equals the newest; an order counts " +
						"within seconds), `name` (by its words, whatever the case), `price` (by the product's " +
						"lowest), `created_at`; the last three with `-` before it the other way round. Products " +
						"without a price come last.",
					Example: "-created_at"},
				archivedParam(),

				// The same filters with brackets, which few generators of clients send rightly.
				{Name: "price[from]", Unlisted: true}, {Name: "price[to]", Unlisted: true},
				{Name: "features[{feature_id}][]", Unlisted: true},
				{Name: "features[{feature_id}][from]", Unlisted: true},
				{Name: "features[{feature_id}][to]", Unlisted: true},
				{Name: "options[{option_id}][]", Unlisted: true},
			},

			ResponseExamples: examples(listExample("Without extras", exampleShirtHead()),
				openapi.ListExampleWithMeta("With with=facets",
					ProductMeta{CurrentPage: 1, PerPage: 50, LastPage: 1, Total: 1, Facets: exampleFacets()},
					exampleShirtHead()), listExample("With with=variants,features,images,categories,modifiers",
					exampleShirt())),

			Refusals: []httpapi.Refusal{
				{Status: 400, Code: "malformed_query",
					When: "a bound is no number or above the other, `sort` or `with` is not known, " +
						"`sort` is `relevance` without `q`, a filter is not of its form, `ids` or `external_ids` are " +
						"empty, malformed or more than 250, " +
						"or more than 50 features and options or 1,000 values are named"},
				{Status: 403, Code: "forbidden",
					When: "`archived` is asked for by a key that may not write the catalogue"},
				{Status: 422, Code: "unknown_category", When: "`category` is not that of a category of this store"},
				{Status: 422, Code: "unknown_feature", When: "a filter names a feature that this store does not have"},
				{Status: 422, Code: "unknown_option", When: "a filter names an option that this store does not have"},
				{Status: 422, Code: "unknown_value",
					When: "a filter names a value that the feature or option does not have"},
				{Status: 422, Code: "not_filterable", When: "a filter names a feature whose `filterable` is not true"},
				{Status: 422, Code: "not_a_range", When: "bounds are given for a select feature"},
			},
		},
	})
}

func productListExtrasParam() httpapi.Param {
	return httpapi.Param{Name: "with", Values: ProductListExtras(), Example: "images,facets",
		Description: "Extras to put into the answer; `facets` go into `meta`, `highlights` are the words of each " +
			"name that `q` matches."}
}
