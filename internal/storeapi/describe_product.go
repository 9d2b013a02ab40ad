package storeapi

import "vitrine/internal/httpapi"

const (
	shirtHead = `{"id":"` + shirtID + `","external_id":"1C-000123","name":"T-shirt","description":"Heavy cotton, 220 g/m².","price":{"from":1990.5,"to":2190},` +
		`"available":null,"archived_at":null,"created_at":` + date + `,"updated_at":` + date
	shirtWhole = shirtHead + `,"features":[{"id":"` + weightID + `","name":"Weight, kg","value":{"id":"` + weight022 + `","name":"0,22","range_value":0.22}}],"variants":[` +
		`{"id":"` + shirtM + `","external_id":"1C-000123-M","name":"T-shirt M","sku":"TSHIRT-M","price":1990.5,"available":null,"options":[{"id":"` + sizeID + `","name":"Size","value":{"id":"` + sizeM + `","name":"M"}}]},` +
		`{"id":"` + shirtXL + `","external_id":"1C-000123-XL","name":"T-shirt XL","sku":"TSHIRT-XL","price":2190,"available":null,"options":[{"id":"` + sizeID + `","name":"Size","value":{"id":"` + sizeXL + `","name":"XL"}}]}]}`

	shirtNew = `{"name":"T-shirt","description":"Heavy cotton, 220 g/m².","external_id":"1C-000123","features":[{"feature_id":"` + weightID + `","value_id":"` + weight022 + `"}],"variants":[` +
		`{"name":"T-shirt M","sku":"TSHIRT-M","price":1990.5,"external_id":"1C-000123-M","options":[{"option_id":"` + sizeID + `","value_id":"` + sizeM + `"}]},` +
		`{"name":"T-shirt XL","sku":"TSHIRT-XL","price":2190,"external_id":"1C-000123-XL","options":[{"option_id":"` + sizeID + `","value_id":"` + sizeXL + `"}]}]}`
)

// productExtrasParam is the extras of a product; a single one always comes with all of them.
func productExtrasParam(single bool) httpapi.Param {
	p := httpapi.Param{Name: "with", Values: []string{"variants", "features"}, Example: "variants,features", Description: "Extras to put into the answer."}
	if single {
		p.Description, p.Example = "Accepted as in the list; a single product always comes with all of them.", ""
	}
	return p
}

func productRefusals(more ...httpapi.Refusal) []httpapi.Refusal {
	return append([]httpapi.Refusal{
		{Status: 409, Code: "external_id_taken", When: "another product of the store, or another variant of the product, has that `external_id`"},
		{Status: 422, Code: "required", When: "`name`, the `price` of a new variant, or an id of a feature, option or value is missing"},
		{Status: 422, Code: "unknown_feature", When: "a `feature_id` is not that of a feature of this store"},
		{Status: 422, Code: "unknown_option", When: "an `option_id` is not that of an option of this store"},
		{Status: 422, Code: "unknown_value", When: "a `value_id` is not that of a value of that feature or option"},
		{Status: 422, Code: "duplicate_value", When: "the same value of the same feature is named twice"},
		{Status: 422, Code: "duplicate_option", When: "a variant names an option twice"},
		{Status: 422, Code: "duplicate_combination", When: "two variants would carry the same combination of option values"},
		{Status: 422, Code: "duplicate_external_id", When: "two variants of the request have the same `external_id`"},
		{Status: 422, Code: "out_of_range", When: "a price is negative, or has more than 12 digits before the point or more than 4 decimals"},
		{Status: 422, Code: "too_long", When: "a name or sku has more than 255 characters, or the description more than 65,536"},
	}, more...)
}

func productDocs() map[string]httpapi.Route {
	return map[string]httpapi.Route{
		"GET /v2/products": {
			OperationID: "listProducts", Tag: productTag, Status: 200, Answer: Product{}, Listed: true,
			Summary:        "List products",
			Description:    "The products of the store, in the order in which they were made. Archived products and variants are left out.",
			Query:          []httpapi.Param{productExtrasParam(false), search("the name, of a sku or of the external id")},
			AnswerExamples: append(example("Without extras", `{"data":[`+shirtHead+`}],`+firstPage+`1}}`), example("With with=variants,features", `{"data":[`+shirtWhole+`],`+firstPage+`1}}`)...),
		},
		"POST /v2/products": {
			OperationID: "createProduct", Tag: productTag, Status: 201, Answer: Product{}, Tagged: true,
			Summary: "Create a product with its variants",
			Description: "Creates a product with its features and variants in one request. Only `name` is required, and the `price` of each variant.\n\n" +
				"Each variant carries another combination of option values; variants of one product may carry different sets of options, and those without any option are not compared. " +
				"Features, options and values are named by their ids, so they must exist.",
			Query: []httpapi.Param{productExtrasParam(true)},
			Body:  NewProduct{}, BodyNeeded: true,
			BodyExamples:   append(example("A T-shirt in two sizes", shirtNew), example("The least", `{"name":"Gift card","variants":[{"price":50}]}`)...),
			AnswerExamples: example("The product", `{"data":`+shirtWhole+`}`),
			Refusals:       productRefusals(),
		},
		"GET /v2/products/{id}": {
			OperationID: "getProduct", Tag: productTag, Status: 200, Answer: Product{}, Tagged: true,
			Summary:        "Read a product",
			Description:    "One product with its features and variants. An archived one is 404.",
			InPath:         idOf("product"),
			Query:          []httpapi.Param{productExtrasParam(true)},
			AnswerExamples: example("The product", `{"data":`+shirtWhole+`}`),
		},
		"PUT /v2/products/{id}": {
			OperationID: "editProduct", Tag: productTag, Status: 200, Answer: Product{}, Tagged: true,
			Summary: "Edit a product and its variants",
			Description: "Changes the members that are sent. A list that is sent is the full list.\n\n" +
				"An element of `variants` speaks of the variant with its `id`, else of the one with its `external_id`, else of a new one. Its members that are left out stay. " +
				"**A variant that is not in a sent `variants` is archived**, not deleted, and comes back with its id when it is sent again. " +
				"What was read may be sent back.",
			InPath: idOf("product"),
			Query:  []httpapi.Param{productExtrasParam(true)},
			Body:   ProductEdit{}, BodyNeeded: true,
			BodyExamples: append(example("New name, everything else stays", `{"name":"T-shirt, organic"}`),
				example("One price changes, the other variant stays", `{"variants":[{"id":"`+shirtM+`","price":1790},{"external_id":"1C-000123-XL"}]}`)...),
			AnswerExamples: example("The product", `{"data":`+shirtWhole+`}`),
			Refusals: productRefusals(
				httpapi.Refusal{Status: 422, Code: "unknown_variant", When: "the `id` of a variant is not that of a variant of this product"},
				httpapi.Refusal{Status: 422, Code: "duplicate_variant", When: "two elements speak of the same variant"},
			),
		},
		"DELETE /v2/products/{id}": {
			OperationID: "deleteProduct", Tag: productTag, Status: 204,
			Summary:     "Delete a product",
			Description: "Deletes the product with its variants, for good. To take single variants out of the shop, leave them out of a PUT. The request has no body.",
			InPath:      idOf("product"),
		},
	}
}
