package spec

import (
	"slices"
	"strings"

	"vitrine/internal/api/httpapi"
)

const (
	exampleShirtHead = `{"id":"` + exampleShirtID + `","external_id":"1C-000123","name":"T-shirt","description":"Heavy cotton, 220 g/m².","price":{"from":1990.5,"to":2190},` +
		`"available":4,"archived_at":null,"created_at":` + exampleDate + `,"updated_at":` + exampleDate
	exampleShirt = exampleShirtHead + `,"categories":[{"id":"` + exampleShirtsID + `","name":"T-shirts"}],` +
		`"features":[{"id":"` + exampleWeightID + `","name":"Weight, kg","value":{"id":"` + exampleWeight022 + `","name":"0,22","range_value":0.22}}],` +
		`"images":[{"id":"` + exampleImageID + `","url":"` + exampleImageFiles + `/original.jpg","width":3000,"height":2000,"thumbnails":{"small":"` + exampleImageFiles + `/small.jpg","medium":"` + exampleImageFiles + `/medium.jpg"}}],` +
		`"modifiers":` + exampleModifiers + `,"variants":[` + exampleVariantM + `},` + exampleVariantXL + `}]}`
	exampleVariantM = `{"id":"` + exampleShirtM + `","external_id":"1C-000123-M","name":"T-shirt M","sku":"TSHIRT-M","price":1990.5,"available":4,"options":[{"id":"` + exampleSizeID + `","name":"Size","value":{"id":"` + exampleSizeM + `","name":"M"}}],` +
		`"remainders":[{"stock_id":"` + exampleWarehouseID + `","quantity":5,"reserved":1}]`
	exampleVariantXL = `{"id":"` + exampleShirtXL + `","external_id":"1C-000123-XL","name":"T-shirt XL","sku":"TSHIRT-XL","price":2190,"available":null,"options":[{"id":"` + exampleSizeID + `","name":"Size","value":{"id":"` + exampleSizeXL + `","name":"XL"}}],` +
		`"remainders":[]`
	exampleModifiers = `[{"id":"wrap","name":"Gift wrap","min":0,"max":1,"required":false,"items":[{"id":"paper","name":"Paper","price":50},{"id":"box","name":"Box","price":120}]}]`

	exampleNewShirt = `{"name":"T-shirt","description":"Heavy cotton, 220 g/m².","external_id":"1C-000123","categories":["` + exampleShirtsID + `"],"features":[{"feature_id":"` + exampleWeightID + `","value_id":"` + exampleWeight022 + `"}],` +
		`"images":["` + exampleImageID + `"],"modifiers":` + exampleModifiers + `,"variants":[` +
		`{"name":"T-shirt M","sku":"TSHIRT-M","price":1990.5,"external_id":"1C-000123-M","options":[{"option_id":"` + exampleSizeID + `","value_id":"` + exampleSizeM + `"}],"remainders":[{"stock_id":"` + exampleWarehouseID + `","quantity":5}]},` +
		`{"name":"T-shirt XL","sku":"TSHIRT-XL","price":2190,"external_id":"1C-000123-XL","options":[{"option_id":"` + exampleSizeID + `","value_id":"` + exampleSizeXL + `"}]}]}`
)

// ProductExtras are the extras of a product, in the order in which they are written.
func ProductExtras() []string {
	return []string{"categories", "features", "images", "modifiers", "variants"}
}

// productExtrasParam is the extras of a product; a single one always comes with all of them.
func productExtrasParam(single bool) httpapi.Param {
	p := httpapi.Param{Name: "with", Values: ProductExtras(), Example: "variants,features", Description: "Extras to put into the answer."}
	if single {
		p.Description, p.Example = "Accepted as in the list; a single product always comes with all of them.", ""
	}
	return p
}

// variantRefusals are those of what is written of a variant, by itself or inside a product.
func variantRefusals() []httpapi.Refusal {
	return []httpapi.Refusal{
		{Status: 422, Code: "unknown_option", When: "an `option_id` is not that of an option of this store"},
		{Status: 422, Code: "unknown_value", When: "a `value_id` is not that of a value of that option or feature"},
		{Status: 422, Code: "duplicate_option", When: "a variant names an option twice"},
		{Status: 422, Code: "duplicate_combination", When: "two variants would carry the same combination of option values"},
		{Status: 422, Code: "unknown_stock", When: "a `stock_id` is not that of a stock of this store"},
		{Status: 422, Code: "duplicate_stock", When: "a variant names a stock twice"},
		{Status: 422, Code: "out_of_range", When: "a price or a quantity is negative, or has more digits or decimals than it may; or `min` of modifiers is more than `max`"},
	}
}

func productRefusals(more ...httpapi.Refusal) []httpapi.Refusal {
	return slices.Concat([]httpapi.Refusal{
		{Status: 409, Code: "external_id_taken", When: "another product of the store, or another variant of the product, has that `external_id`"},
		{Status: 422, Code: "required", When: "`name`, the `price` of a new variant, the name of a modifier or its group, or an id is missing"},
		{Status: 422, Code: "unknown_category", When: "an element of `categories` is not the id of a category of this store"},
		{Status: 422, Code: "duplicate_category", When: "a category is named twice"},
		{Status: 422, Code: "unknown_feature", When: "a `feature_id` is not that of a feature of this store"},
		{Status: 422, Code: "duplicate_value", When: "the same value of the same feature is named twice"},
		{Status: 422, Code: "unknown_image", When: "an element of `images` is not the id of an image of this store"},
		{Status: 422, Code: "image_taken", When: "an image belongs to another product"},
		{Status: 422, Code: "duplicate_image", When: "an image is named twice"},
		{Status: 422, Code: "duplicate_external_id", When: "two variants of the request have the same `external_id`"},
		{Status: 422, Code: "too_long", When: "a name or sku has more than 255 characters, the description more than 65,536, or the modifiers more than 262,144 bytes"},
	}, variantRefusals(), more)
}

// ifMatch documents the precondition of a POST, which does not come with every POST.
func ifMatch() []httpapi.Param {
	return []httpapi.Param{{Name: "If-Match", Description: "The `ETag` that you read. If the product has changed since, nothing is done and the answer is 412."}}
}

// stale is what comes of it.
func stale() httpapi.Refusal {
	return httpapi.Refusal{Status: 412, Code: "precondition_failed", When: "`If-Match` does not name the present ETag of the product"}
}

func productDocs() map[string]httpapi.Route {
	return map[string]httpapi.Route{
		"POST /v2/products": {
			OperationID: "createProduct", Tag: productTag, Status: 201, Answer: Product{}, Tagged: true,
			Summary: "Create a product with its variants",
			Description: "Creates a product with all that belongs to it in one request. Only `name` is required, and the `price` of each variant.\n\n" +
				"Each variant carries another combination of option values; variants of one product may carry different sets of options, and those without any option are not compared. " +
				"Categories, features, options, values, stocks and images are named by their ids, so they must exist.",
			Query: []httpapi.Param{productExtrasParam(true)},
			Body:  NewProduct{}, BodyNeeded: true,
			BodyExamples:   append(example("A T-shirt in two sizes", exampleNewShirt), example("The least", `{"name":"Gift card","variants":[{"price":50}]}`)...),
			AnswerExamples: example("The product", `{"data":`+exampleShirt+`}`),
			Refusals:       productRefusals(),
		},
		"GET /v2/products/{id}": {
			OperationID: "getProduct", Tag: productTag, Status: 200, Answer: Product{}, Tagged: true,
			Summary:        "Read a product",
			Description:    "One product with all that belongs to it; archived variants are left out. An archived product is 404 for keys that may not write the catalogue.",
			InPath:         idOf("product"),
			Query:          []httpapi.Param{productExtrasParam(true)},
			AnswerExamples: example("The product", `{"data":`+exampleShirt+`}`),
		},
		"PUT /v2/products/{id}": {
			OperationID: "editProduct", Tag: productTag, Status: 200, Answer: Product{}, Tagged: true,
			Summary: "Edit a product and its variants",
			Description: "Changes the members that are sent. A list that is sent is the full list.\n\n" +
				"An element of `variants` speaks of the variant with its `id`, else of the one with its `external_id`, else of a new one. Its members that are left out stay. " +
				"**A variant that is not in a sent `variants` is archived**, not deleted, and comes back with its id when it is sent again. " +
				"What was read may be sent back. An archived product can be edited and stays archived.",
			InPath: idOf("product"),
			Query:  []httpapi.Param{productExtrasParam(true)},
			Body:   ProductEdit{}, BodyNeeded: true,
			BodyExamples: append(example("New name, everything else stays", `{"name":"T-shirt, organic"}`),
				example("One price changes, the other variant stays", `{"variants":[{"id":"`+exampleShirtM+`","price":1790},{"external_id":"1C-000123-XL"}]}`)...),
			AnswerExamples: example("The product", `{"data":`+exampleShirt+`}`),
			Refusals: productRefusals(
				httpapi.Refusal{Status: 422, Code: "unknown_variant", When: "the `id` of a variant is not that of a variant of this product"},
				httpapi.Refusal{Status: 422, Code: "duplicate_variant", When: "two elements speak of the same variant"},
			),
		},
		"DELETE /v2/products/{id}": {
			OperationID: "deleteProduct", Tag: productTag, Status: 204,
			Summary:     "Delete a product",
			Description: "Deletes the product with its variants and images, for good. To take it out of the shop and keep it, archive it. The request has no body.",
			InPath:      idOf("product"),
		},
		"POST /v2/products/{id}/archive": {
			OperationID: "archiveProduct", Tag: productTag, Status: 200, Answer: Product{}, Tagged: true,
			Summary: "Take a product out of the shop",
			Description: "Archives the product: storefronts do not see it any more, and it keeps all that belongs to it. An archived one is left as it is, its ETag too. " +
				"No body is needed.",
			InPath: idOf("product"), Query: []httpapi.Param{productExtrasParam(true)}, Headers: ifMatch(),
			AnswerExamples: example("The product", `{"data":`+strings.Replace(exampleShirt, `"archived_at":null`, `"archived_at":`+exampleDate, 1)+`}`),
			Refusals:       []httpapi.Refusal{stale()},
		},
		"POST /v2/products/{id}/restore": {
			OperationID: "restoreProduct", Tag: productTag, Status: 200, Answer: Product{}, Tagged: true,
			Summary: "Bring a product back into the shop",
			Description: "Brings an archived product back, with exactly those variants that were in the shop. One that is not archived is left as it is, its ETag too. " +
				"No body is needed.",
			InPath: idOf("product"), Query: []httpapi.Param{productExtrasParam(true)}, Headers: ifMatch(),
			AnswerExamples: example("The product", `{"data":`+exampleShirt+`}`),
			Refusals:       []httpapi.Refusal{stale()},
		},
	}
}
