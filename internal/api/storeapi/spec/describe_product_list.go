package spec

import "vitrine/internal/api/httpapi"

const exampleFacets = `"facets":{"features":[` +
	`{"id":"` + exampleWeightID + `","name":"Weight, kg","field_type":{"id":"range","name":"Range"},"values":[],"range":{"min":0.22,"max":1.5}}],` +
	`"options":[{"id":"` + exampleSizeID + `","name":"Size","values":[{"id":"` + exampleSizeM + `","name":"M","count":1},{"id":"` + exampleSizeXL + `","name":"XL","count":1}]}],` +
	`"categories":[{"id":"` + exampleShirtsID + `","name":"Shirts","count":1}],"price":{"min":1990.5,"max":2190}}`

func productListDocs() map[string]httpapi.Route {
	return map[string]httpapi.Route{
		"GET /v2/products": {
			OperationID: "listProducts", Tag: productTag, Status: 200, Answer: Product{}, Listed: true, Meta: ProductMeta{},
			Summary: "List, search and filter products",
			Description: "The products of the store, in the order in which they were made unless `sort` says otherwise. All filters must hold; `price`, `in_stock` and `options` on one and the same variant. " +
				"With `with=facets`, `meta.facets` says what the list can be filtered by and how many products each choice would leave.\n\n" +
				"A category page with filters, in one request:\n\n" +
				"    curl -g -H 'Authorization: Bearer pk_…' \\\n      'http://localhost:8080/v2/products?category={id}&with=images,facets&sort=price&in_stock=true&features[{feature_id}][]={value_id}&features[{feature_id}][]={value_id}&options[{option_id}][]={value_id}&price[to]=2000'\n\n" +
				"Ids come from the facets: show them, and send back what the shopper ticks. At most 50 features and options with 1,000 values can be named. A write is seen by the next read.",
			Query: []httpapi.Param{
				productListExtras(),
				searchParam("the name, of a sku or of the external id"),
				{Name: "category", Description: "The id of a category: its products and those of all categories below it.", Example: exampleShirtsID},
				{Name: "price[from]", Description: "The lowest price of a variant, inclusive.", Example: "500"},
				{Name: "price[to]", Description: "The highest price of a variant, inclusive.", Example: "1990.50"},
				{Name: "in_stock", Description: "`true` leaves what can be bought now: a variant with something left, or whose stock is not kept.", Example: "true"},
				{Name: "features[{feature_id}][]", Description: "The id of a value of a filterable feature. Repeat it for several values, of which one must be carried; different features must all fit."},
				{Name: "features[{feature_id}][from]", Description: "The least number of a filterable range feature, inclusive; a decimal."},
				{Name: "features[{feature_id}][to]", Description: "The greatest number of a filterable range feature, inclusive; a decimal."},
				{Name: "options[{option_id}][]", Description: "The id of a value of a variant option. Repeat it for several values, of which one must be carried."},
				{Name: "sort", Description: "`name` (by its words, whatever the case), `price` (by the product's lowest), `created_at`; with `-` before it the other way round. Products without a price come last.", Example: "-created_at"},
				archivedDoc(),
			},
			AnswerExamples: append(append(example("Without extras", `{"data":[`+exampleShirtHead+`}],`+exampleMeta+`1}}`),
				example("With with=facets", `{"data":[`+exampleShirtHead+`}],`+exampleMeta+`1,`+exampleFacets+`}}`)...),
				example("With with=variants,features,images,categories,modifiers", `{"data":[`+exampleShirt+`],`+exampleMeta+`1}}`)...),
			Refusals: []httpapi.Refusal{
				{Status: 400, Code: "malformed_query", When: "a bound is no number or above the other, `sort` or `with` is not known, brackets do not fit, or more than 50 features and options or 1,000 values are named"},
				{Status: 403, Code: "forbidden", When: "`archived` is asked for by a key that may not write the catalogue"},
				{Status: 422, Code: "unknown_category", When: "`category` is not that of a category of this store"},
				{Status: 422, Code: "unknown_feature", When: "a filter names a feature that this store does not have"},
				{Status: 422, Code: "unknown_option", When: "a filter names an option that this store does not have"},
				{Status: 422, Code: "unknown_value", When: "a filter names a value that the feature or option does not have"},
				{Status: 422, Code: "not_filterable", When: "a filter names a feature whose `filterable` is not true"},
				{Status: 422, Code: "not_a_range", When: "bounds are given for a select feature"},
			},
		},
	}
}

func productListExtras() httpapi.Param {
	return httpapi.Param{Name: "with", Values: append(ProductExtras(), "facets"), Example: "images,facets", Description: "Extras to put into the answer; `facets` go into `meta`."}
}
