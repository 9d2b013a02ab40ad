package spec

import (
	"slices"

	"vitrine/internal/api/httpapi"
)

const (
	exampleVariant         = exampleVariantM + `,"archived_at":null}`
	exampleArchivedVariant = exampleVariantXL + `,"archived_at":` + exampleDate + `}`
	exampleNewVariant      = `{"name":"T-shirt M","sku":"TSHIRT-M","price":1990.5,"external_id":"1C-000123-M","options":[{"option_id":"` + exampleSizeID + `","value_id":"` + exampleSizeM + `"}],` +
		`"remainders":[{"stock_id":"` + exampleWarehouseID + `","quantity":5}]}`
)

func variantInPath() []httpapi.Param {
	return append(idOf("product"), httpapi.Param{Name: "variant_id", Description: "The id of the variant."})
}

// archivedDoc documents the parameter of lists that can show what is archived.
func archivedDoc() httpapi.Param {
	return httpapi.Param{Name: "archived", Example: "any",
		Description: "`true` for what is archived alone, `any` for both; without it nothing that is archived is listed. Needs a key that may write the catalogue, else it is 403. Other text is 400."}
}

func singleVariantRefusals(more ...httpapi.Refusal) []httpapi.Refusal {
	return slices.Concat([]httpapi.Refusal{
		{Status: 409, Code: "external_id_taken", When: "another variant of the product, archived or not, has that `external_id`"},
	}, variantRefusals(), []httpapi.Refusal{
		{Status: 422, Code: "too_long", When: "the name or the sku has more than 255 characters"},
	}, more)
}

func variantDocs() map[string]httpapi.Route {
	return map[string]httpapi.Route{
		"GET /v2/products/{id}/variants": {
			OperationID: "listVariants", Tag: productTag, Status: 200, Answer: Variant{}, Listed: true,
			Summary:     "List the variants of a product",
			Description: "The variants of a product with their options and remainders, in the order in which they were made.",
			InPath:      idOf("product"),
			Query:       []httpapi.Param{archivedDoc()},
			AnswerExamples: append(example("What is in the shop", `{"data":[`+exampleVariant+`],`+exampleMeta+`1}}`),
				example("With archived=true", `{"data":[`+exampleArchivedVariant+`],`+exampleMeta+`1}}`)...),
			Refusals: []httpapi.Refusal{{Status: 403, Code: "forbidden", When: "`archived` is given with a key that may not write the catalogue"}},
		},
		"POST /v2/products/{id}/variants": {
			OperationID: "createVariant", Tag: productTag, Status: 201, Answer: Variant{}, Tagged: true,
			Summary: "Add a variant to a product",
			Description: "Adds one variant; the others stay as they are. The body is one element of a product's `variants`, with a `price`. " +
				"The ETag is that of the product, which is changed by it.",
			InPath: idOf("product"), Headers: ifMatch(),
			Body: NewVariant{}, BodyNeeded: true,
			BodyExamples:   append(example("With options and stock", exampleNewVariant), example("The least", `{"price":50}`)...),
			AnswerExamples: example("The variant", `{"data":`+exampleVariant+`}`),
			Refusals:       singleVariantRefusals(httpapi.Refusal{Status: 422, Code: "required", When: "`price`, or an id in a list, is missing"}, stale()),
		},
		"GET /v2/products/{id}/variants/{variant_id}": {
			OperationID: "getVariant", Tag: productTag, Status: 200, Answer: Variant{}, Tagged: true,
			Summary:        "Read a variant",
			Description:    "One variant with its options and remainders. An archived one, or one of an archived product, is 404 for keys that may not write the catalogue. The ETag is that of the product.",
			InPath:         variantInPath(),
			AnswerExamples: example("The variant", `{"data":`+exampleVariant+`}`),
		},
		"PUT /v2/products/{id}/variants/{variant_id}": {
			OperationID: "editVariant", Tag: productTag, Status: 200, Answer: Variant{}, Tagged: true,
			Summary: "Edit a variant",
			Description: "Changes the members that are sent; the other variants stay as they are. A list that is sent is the full list. An archived variant can be edited and stays archived. " +
				"`If-Match` and ETag are those of the product.",
			InPath: variantInPath(),
			Body:   VariantEdit{}, BodyNeeded: true,
			BodyExamples: append(example("A new price", `{"price":1790}`),
				example("What a stock has", `{"remainders":[{"stock_id":"`+exampleWarehouseID+`","quantity":12}]}`)...),
			AnswerExamples: example("The variant", `{"data":`+exampleVariant+`}`),
			Refusals:       singleVariantRefusals(httpapi.Refusal{Status: 422, Code: "required", When: "an id in a list is missing"}),
		},
		"DELETE /v2/products/{id}/variants/{variant_id}": {
			OperationID: "deleteVariant", Tag: productTag, Status: 204,
			Summary:     "Delete a variant",
			Description: "Deletes the variant with its remainders, for good; the product stays. To take it out of the shop and keep it, archive it. `If-Match` names the ETag of the product. The request has no body.",
			InPath:      variantInPath(),
		},
		"POST /v2/products/{id}/variants/{variant_id}/archive": {
			OperationID: "archiveVariant", Tag: productTag, Status: 200, Answer: Variant{}, Tagged: true,
			Summary:     "Take a variant out of the shop",
			Description: "Archives the variant: storefronts do not see it any more, and its combination of options is free for another one. An archived one is left as it is. No body is needed.",
			InPath:      variantInPath(), Headers: ifMatch(),
			AnswerExamples: example("The variant", `{"data":`+exampleArchivedVariant+`}`),
			Refusals:       []httpapi.Refusal{stale()},
		},
		"POST /v2/products/{id}/variants/{variant_id}/restore": {
			OperationID: "restoreVariant", Tag: productTag, Status: 200, Answer: Variant{}, Tagged: true,
			Summary:     "Bring a variant back into the shop",
			Description: "Brings an archived variant back with what it had. One that is not archived is left as it is. No body is needed.",
			InPath:      variantInPath(), Headers: ifMatch(),
			AnswerExamples: example("The variant", `{"data":`+exampleVariant+`}`),
			Refusals: []httpapi.Refusal{
				{Status: 422, Code: "duplicate_combination", When: "another variant of the product carries its combination meanwhile"}, stale(),
			},
		},
	}
}
