package spec

import "vitrine/internal/api/httpapi"

// What every edit of a list of values follows.
const editRules = "Inside one request removals come first, then renames, then additions: a renamed value keeps its place, a new one goes to the end. " +
	"`values` is not the full list: what is not mentioned stays. " +
	"An element with an `id` renames that value, and **without an `id` it always adds one, even if a value of that name exists**.\n\n" +
	"The lists may have any length. Either all of the request is applied or nothing of it."

func valueRefusals(more ...httpapi.Refusal) []httpapi.Refusal {
	return append([]httpapi.Refusal{
		{Status: 422, Code: "unknown_value", When: "an `id` is not that of a value of this resource"},
		{Status: 422, Code: "duplicate_id", When: "an `id` appears twice in one list"},
		{Status: 422, Code: "removed_too", When: "an `id` is in `values` and in `removed_values`"},
		{Status: 422, Code: "required", When: "a name is missing or empty, also beside an `id`"},
		{Status: 422, Code: "too_long", When: "a name has more than 255 characters"},
		{Status: 422, Code: "wrong_type", When: "a member has another type than described, such as `null` for a list"},
		externalTaken(),
	}, more...)
}

func newRefusals(more ...httpapi.Refusal) []httpapi.Refusal {
	return append([]httpapi.Refusal{
		{Status: 422, Code: "required", When: "`name`, or the name of a value, is missing or empty"},
		{Status: 422, Code: "too_long", When: "a name has more than 255 characters"},
		{Status: 422, Code: "wrong_type", When: "a member has another type than described, such as `null` for a list"},
		externalTaken(),
	}, more...)
}

func externalTaken() httpapi.Refusal {
	return httpapi.Refusal{Status: 409, Code: "external_id_taken", When: "another of the store, or another value of it, has that `external_id`"}
}

const (
	exampleSizeHead       = `{"id":"` + exampleSizeID + `","store_id":"` + exampleStoreID + `","name":"Size","created_at":` + exampleDate + `,"updated_at":` + exampleDate
	exampleSize           = exampleSizeHead + `}`
	exampleSizeWithValues = exampleSizeHead + `,"values":[{"id":"` + exampleSizeM + `","name":"M"},{"id":"` + exampleSizeXL + `","name":"XL"}]}`

	exampleSizeEdit   = `{"name":"Size","values":[{"id":"` + exampleSizeM + `","name":"Medium"},{"name":"XXL"},{"name":58}],"removed_values":["` + exampleSizeXL + `"]}`
	exampleEditedSize = exampleSizeHead + `,"values":[{"id":"` + exampleSizeM + `","name":"Medium"},{"id":"019a8269-ad40-7b01-8c77-8c9d0e1f2a13","name":"XXL"},{"id":"019a8269-ad40-7b02-9d88-9d0e1f2a3b14","name":"58"}]}`
	exampleSizeImpact = `{"variants":[{"id":"` + exampleShirtXL + `","product_id":"` + exampleShirtID + `","sku":"TSHIRT-RED-XL"},{"id":"019a8269-9c30-7a04-b077-8c9d0e1f2a13","product_id":"` + exampleShirtID +
		`","sku":"TSHIRT-RED-XXL"}],"variants_total":2,"collisions":[{"product_id":"` + exampleShirtID + `","variant_ids":["` + exampleShirtXL + `","019a8269-9c30-7a04-b077-8c9d0e1f2a13"]}]}`
)

func optionDocs() map[string]httpapi.Route {
	edit := httpapi.Route{
		Tag: optionTag, Status: 200, Answer: VariantOption{}, Tagged: true,
		InPath: idOf("option"), Query: []httpapi.Param{withValues()},
		Body: VariantOptionEdit{}, BodyNeeded: true, BodyAnyLen: true,
		BodyExamples:   example("Rename one value, add two, remove one", exampleSizeEdit),
		AnswerExamples: append(example("With with=values", `{"data":`+exampleEditedSize+`}`), example("Without", `{"data":`+exampleSize+`}`)...),
		Refusals:       valueRefusals(),
	}
	byOption, byValues := edit, edit
	byOption.OperationID, byOption.Summary = "editVariantOption", "Edit an option and its values"
	byOption.Description = "Changes the name of an option and its values, each as far as it is sent.\n\n" + editRules + "\n\n" +
		"When a value is removed, every variant that had it loses this option, and nothing else: the variants stay. Ask `…/impact` first to see which those are."
	byValues.OperationID, byValues.Summary = "editOptionValues", "Edit the values of an option"
	byValues.Description = "The same edit as `PUT /v2/variant-options/{id}` under the path that older clients use. **The id in the path is that of the option**, not of a variant.\n\n" + editRules
	byValues.InPath = []httpapi.Param{{Name: "id", Description: "The id of the option, not of a variant."}}

	remove := byValues
	remove.OperationID, remove.Summary = "removeOptionValues", "Remove values of an option"
	remove.Description = "Removes the values that are listed in `removed_values`, and may rename and add others in the same request. **It never deletes the option itself**: " +
		"that is `DELETE /v2/variant-options/{id}`. The request has a body, so check that your HTTP client sends one with DELETE; if it cannot, send the same body with PUT.\n\n" +
		"Every variant that had a removed value loses this option and keeps its others. Variants whose combinations become equal by that are kept.\n\n" + editRules
	remove.Body = VariantOptionRemoval{}
	remove.BodyExamples = append(example("Remove a value", `{"removed_values":["`+exampleSizeXL+`"]}`),
		example("Remove one, add one", `{"removed_values":["`+exampleSizeXL+`"],"values":[{"name":"XXL"}]}`)...)
	remove.AnswerExamples = example("Without with=values", `{"data":`+exampleSize+`}`)
	remove.Refusals = append([]httpapi.Refusal{{Status: 422, Code: "required", When: "`removed_values` is missing or empty"}}, valueRefusals()...)

	return map[string]httpapi.Route{
		"GET /v2/variant-options": {
			OperationID: "listVariantOptions", Tag: optionTag, Status: 200, Answer: VariantOption{}, Listed: true,
			Summary:        "List options",
			Description:    "The options of the store, in the order in which they were made.",
			Query:          []httpapi.Param{withValues(), searchParam("the name")},
			AnswerExamples: append(example("With with=values", `{"data":[`+exampleSizeWithValues+`],`+exampleMeta+`1}}`), example("Without", `{"data":[`+exampleSize+`],`+exampleMeta+`1}}`)...),
		},
		"POST /v2/variant-options": {
			OperationID: "createVariantOption", Tag: optionTag, Status: 201, Answer: VariantOption{}, Tagged: true,
			Summary: "Create an option with its values",
			Description: "Creates an option and all its values, in the order in which they are sent. Any number of values works, a million too, in one request. " +
				"A name is a string or a number; a number is stored as it was written. Two values may have the same name.",
			Query: []httpapi.Param{withValues()},
			Body:  NewVariantOption{}, BodyNeeded: true, BodyAnyLen: true,
			BodyExamples:   append(example("Sizes", `{"name":"Size","values":[{"name":"M"},{"name":"XL"}]}`), example("Numbers, without quotes", `{"name":"Waist","values":[{"name":30},{"name":32.5}]}`)...),
			AnswerExamples: append(example("With with=values", `{"data":`+exampleSizeWithValues+`}`), example("Without", `{"data":`+exampleSize+`}`)...),
			Refusals:       newRefusals(),
		},
		"GET /v2/variant-options/{id}": {
			OperationID: "getVariantOption", Tag: optionTag, Status: 200, Answer: VariantOption{}, Tagged: true,
			Summary:        "Read an option",
			Description:    "One option. With `with=values` all its values come with it, however many; to read a long list in pages take `…/values`.",
			InPath:         idOf("option"),
			Query:          []httpapi.Param{withValues()},
			AnswerExamples: append(example("With with=values", `{"data":`+exampleSizeWithValues+`}`), example("Without", `{"data":`+exampleSize+`}`)...),
		},
		"PUT /v2/variant-options/{id}": byOption,
		"DELETE /v2/variant-options/{id}": {
			OperationID: "deleteVariantOption", Tag: optionTag, Status: 204,
			Summary:     "Delete an option",
			Description: "Deletes the option with all its values. Variants that carried it lose it and stay. The request has no body.",
			InPath:      idOf("option"),
		},
		"GET /v2/variant-options/{id}/values": {
			OperationID: "listOptionValues", Tag: optionTag, Status: 200, Answer: OptionValue{}, Listed: true,
			Summary:        "List the values of an option",
			Description:    "The values of an option in pages, in the order in which they were added.",
			InPath:         idOf("option"),
			AnswerExamples: example("Two values", `{"data":[{"id":"`+exampleSizeM+`","name":"M"},{"id":"`+exampleSizeXL+`","name":"XL"}],`+exampleMeta+`2}}`),
		},
		"POST /v2/variant-options/{id}/impact": {
			OperationID: "getVariantOptionImpact", Tag: optionTag, Status: 200, Answer: OptionImpact{},
			Summary: "See what an edit of an option would do",
			Description: "Takes the body of the edit and changes nothing. It answers which variants would lose the option, and which variants of one product would carry the same combination " +
				"afterwards; both lists show at most 1,000. A body that the edit would refuse is refused here in the same way.",
			InPath: idOf("option"),
			Body:   VariantOptionEdit{}, BodyNeeded: true, BodyAnyLen: true,
			BodyExamples:   example("Before removing a value", `{"removed_values":["`+exampleSizeXL+`"]}`),
			AnswerExamples: example("Two variants would become alike", `{"data":`+exampleSizeImpact+`}`),
			Refusals:       valueRefusals(),
		},
		"PUT /v2/product-variants/{id}":    byValues,
		"DELETE /v2/product-variants/{id}": remove,
	}
}
