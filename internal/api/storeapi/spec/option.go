package spec

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/schema"
	"vitrine/internal/shop/event/payload"
)

// VariantOption is an option in responses. Options tell the variants of a product apart.
type VariantOption struct {
	_ struct{} `doc:"What tells the variants of one product apart, such as size or colour."`

	ID         schema.ID     `json:"id"`
	StoreID    schema.ID     `json:"store_id" doc:"The store that owns it."`
	ExternalID string        `json:"external_id,omitempty" doc:"Its id in another system, unique among the options of the store; only present where it has one." example:"1C-SIZE"`
	Name       string        `json:"name" example:"Size"`
	CreatedAt  schema.Date   `json:"created_at"`
	UpdatedAt  schema.Date   `json:"updated_at" doc:"When the option or one of its values last changed."`
	Values     []OptionValue `json:"values,omitzero" doc:"All values, in their order: as people arranged them, and the others as they were added. Only present when the request says with=values."`
}

// OptionValue is a value of an option in responses and in events.
type OptionValue = payload.OptionValue

// NewVariantOption is the body that creates an option.
type NewVariantOption struct {
	Name       openapi.NameInput                        `json:"name"`
	ExternalID schema.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system, unique among the options of the store; taken by another one it is 409. What the exchange gate brought that refers to it is linked."`
	Values     []NewValue                               `json:"values,omitempty" doc:"Its values, in this order. Any number of them: a million in one request works. null is 422."`
}

// VariantOptionEdit is the body that edits an option.
type VariantOptionEdit struct {
	Name          openapi.NameInput                        `json:"name,omitempty" doc:"A new name for the option itself."`
	ExternalID    schema.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system; null takes it away. Taken by another option it is 409. What the exchange gate brought that refers to it is linked."`
	Values        []ValueEdit                              `json:"values,omitempty" doc:"Values to rename or add. This is not the full list: what is not mentioned stays."`
	RemovedValues []schema.ID                              `json:"removed_values,omitempty" doc:"Values to delete. Every variant that had one loses this option and nothing else."`
}

// VariantOptionImpactQuery is the body that asks for the impact of an edit or of a merge.
type VariantOptionImpactQuery struct {
	VariantOptionEdit
	From []schema.ID `json:"from,omitempty" doc:"With into: the impact of merging these values, instead of an edit."`
	Into schema.ID   `json:"into,omitempty" doc:"The value that would stay."`
}

// VariantOptionRemoval is the body that removes values of an option.
type VariantOptionRemoval struct {
	RemovedValues []schema.ID                              `json:"removed_values" doc:"Values to delete. Every variant that had one loses this option and nothing else." minItems:"1"`
	Values        []ValueEdit                              `json:"values,omitempty" doc:"Values to rename or add in the same request."`
	Name          openapi.NameInput                        `json:"name,omitempty" doc:"A new name for the option itself."`
	ExternalID    schema.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system; null takes it away. Taken by another option it is 409. What the exchange gate brought that refers to it is linked."`
}

// OptionImpact lists the effects that an edit of an option would have.
type OptionImpact struct {
	_ struct{} `doc:"What an edit of an option would do. Lists hold at most 1,000 elements; the total is exact."`

	Variants      []ImpactVariant `json:"variants" doc:"The variants that would lose the option." maxItems:"1000"`
	VariantsTotal int64           `json:"variants_total" doc:"How many variants that are in all." minimum:"0" example:"2"`
	Collisions    []Collision     `json:"collisions" doc:"The variants of one product that would carry the same combination afterwards. They are kept." maxItems:"1000"`
}

// ImpactVariant is a variant that would lose the option.
type ImpactVariant struct {
	ID        schema.ID `json:"id"`
	ProductID schema.ID `json:"product_id"`
	SKU       string    `json:"sku" example:"TSHIRT-RED-XL"`
}

const exampleSizeEdit = `{"name":"Size","values":[{"id":"` + exampleSizeM +
	`","name":"Medium"},{"name":"XXL"},{"name":58}],"removed_values":["` + exampleSizeXL + `"]}`

func exampleSize(values ...OptionValue) VariantOption {
	return VariantOption{
		ID: exampleID(exampleSizeID), StoreID: exampleID(exampleStoreID), Name: "Size", CreatedAt: exampleDate(),
		UpdatedAt: exampleDate(),
		Values:    values,
	}
}

func exampleMedium() OptionValue { return OptionValue{ID: exampleID(exampleSizeM), Name: "M"} }

func exampleExtraLarge() OptionValue { return OptionValue{ID: exampleID(exampleSizeXL), Name: "XL"} }

func exampleSizeWithValues() VariantOption { return exampleSize(exampleMedium(), exampleExtraLarge()) }

// exampleEditedSize returns the option after the edit exampleSizeEdit.
func exampleEditedSize() VariantOption {
	return exampleSize(
		OptionValue{ID: exampleID(exampleSizeM), Name: "Medium"},
		OptionValue{ID: exampleID("019a8269-ad40-7b01-8c77-8c9d0e1f2a13"), Name: "XXL"},
		OptionValue{ID: exampleID("019a8269-ad40-7b02-9d88-9d0e1f2a3b14"), Name: "58"},
	)
}

func exampleSizeImpact() OptionImpact {
	shirt := exampleID(exampleShirtID)
	xl := exampleID(exampleShirtXL)
	xxl := exampleID("019a8269-9c30-7a04-b077-8c9d0e1f2a13")
	return OptionImpact{
		Variants: []ImpactVariant{{ID: xl, ProductID: shirt, SKU: "TSHIRT-RED-XL"},
			{ID: xxl, ProductID: shirt, SKU: "TSHIRT-RED-XXL"}},
		VariantsTotal: 2, Collisions: []Collision{{ProductID: shirt, VariantIDs: []schema.ID{xl, xxl}}},
	}
}

func optionDocs() map[string]httpapi.Route {
	edit := httpapi.Route{
		Response: VariantOption{}, HasETag: true,
		QueryParams:  []httpapi.Param{withValuesParam()},
		Body:         VariantOptionEdit{},
		BodyExamples: examples(bodyExample("Rename one value, add two, remove one", exampleSizeEdit)),
		ResponseExamples: examples(oneExample("With with=values", exampleEditedSize()),
			oneExample("Without", exampleSize())),
		Refusals: attributeEditRefusals(),
	}

	byOption, byValues := edit, edit
	byOption.OperationID = "editVariantOption"
	byOption.Summary = "Edit an option and its values"
	byOption.Description = "Changes the name of an option and its values, each as far as it is sent.\n\n" + editRules +
		"\n\n" +
		"When a value is removed, every variant that had it loses this option, " +
		"and nothing else: the variants stay. Ask `…/impact` first to see which those are."
	byValues.OperationID = "editOptionValues"
	byValues.Summary = "Edit the values of an option"
	byValues.Description = "The same edit as `PUT /v2/variant-options/{id}` under the path that older clients use. " +
		"**The id in the path is that of the option**, not of a variant.\n\n" + editRules
	byValues.PathParams = []httpapi.Param{{Name: "id", Description: "The id of the option, not of a variant."}}

	remove := byValues
	remove.OperationID = "removeOptionValues"
	remove.Summary = "Remove values of an option"
	remove.Description = "Removes the values that are listed in `removed_values`, " +
		"and may rename and add others in the same request. **It never deletes the option itself**: " +
		"that is `DELETE /v2/variant-options/{id}`. The request has a body, " +
		"so check that your HTTP client sends one with DELETE; if it cannot, send the same body with PUT.\n\n" +
		"Every variant that had a removed value loses this option and keeps its others. Variants whose combinations " +
		"become equal by that are kept.\n\n" + editRules
	remove.Body = VariantOptionRemoval{}
	remove.BodyExamples = examples(bodyExample("Remove a value", `{"removed_values":["`+exampleSizeXL+`"]}`),
		bodyExample("Remove one, add one", `{"removed_values":["`+exampleSizeXL+`"],"values":[{"name":"XXL"}]}`))
	remove.ResponseExamples = examples(oneExample("Without with=values", exampleSize()))
	remove.Refusals = append([]httpapi.Refusal{{Status: 422, Code: "required",
		When: "`removed_values` is missing or empty"}}, attributeEditRefusals()...)

	return openapi.Group(optionTag, "option", map[string]httpapi.Route{
		"GET /v2/variant-options": {
			OperationID: "listVariantOptions", Summary: "List options", Response: VariantOption{}, Paged: true,
			Description: "The options of the store, in the order in which they were made.",
			QueryParams: []httpapi.Param{withValuesParam(), searchParam("the name")},
			ResponseExamples: examples(listExample("With with=values", exampleSizeWithValues()),
				listExample("Without", exampleSize())),
		},
		"POST /v2/variant-options": {
			OperationID: "createVariantOption", Summary: "Create an option with its values", Status: 201,
			Response: VariantOption{}, HasETag: true,
			Description: "Creates an option and all its values, in the order in which they are sent. Any number of " +
				"values works, a million too, in one request. " +
				"A name is a string or a number; a number is stored as it was written. Two values may have the same " +
				"name.",
			QueryParams: []httpapi.Param{withValuesParam()},
			Body:        NewVariantOption{},
			BodyExamples: examples(bodyExample("Sizes", `{"name":"Size","values":[{"name":"M"},{"name":"XL"}]}`),
				bodyExample("Numbers, without quotes", `{"name":"Waist","values":[{"name":30},{"name":32.5}]}`)),
			ResponseExamples: examples(oneExample("With with=values", exampleSizeWithValues()),
				oneExample("Without", exampleSize())),
			Refusals: newAttributeRefusals(),
		},
		"GET /v2/variant-options/{id}": {
			OperationID: "getVariantOption", Summary: "Read an option", Response: VariantOption{}, HasETag: true,
			Description: "One option. With `with=values` all its values come with it, " +
				"however many; to read a long list in pages take `…/values`.",
			QueryParams: []httpapi.Param{withValuesParam()},
			ResponseExamples: examples(oneExample("With with=values", exampleSizeWithValues()),
				oneExample("Without", exampleSize())),
		},
		"PUT /v2/variant-options/{id}": byOption,
		"DELETE /v2/variant-options/{id}": {
			OperationID: "deleteVariantOption", Summary: "Delete an option",
			Description: "Deletes the option with all its values. Variants that carried it lose it and stay. The " +
				"request has no body.",
			Refusals: []httpapi.Refusal{editTooLong()},
		},
		"GET /v2/variant-options/{id}/values": {
			OperationID: "listOptionValues", Summary: "List the values of an option", Response: OptionValue{},
			Paged: true,
			Description: "The values of an option in pages, in their order: as people arranged them in the " +
				"administration, and the others as they were added.",
			ResponseExamples: examples(listExample("Two values", exampleMedium(), exampleExtraLarge())),
		},
		"POST /v2/variant-options/{id}/impact": {
			OperationID: "getVariantOptionImpact", Summary: "See what an edit of an option would do",
			Response: OptionImpact{},
			Description: "Takes the body of the edit, or that of `…/merge`, " +
				"and changes nothing. It answers which variants would lose the option, or get the value that stays, " +
				"and which variants of one product would carry the same combination " +
				"afterwards; both lists show at most 1,000. A body that the edit or the merge would refuse is " +
				"refused here in the same way.",
			Body: VariantOptionImpactQuery{},
			BodyExamples: examples(bodyExample("Before removing a value", `{"removed_values":["`+exampleSizeXL+`"]}`),
				bodyExample("Before a merge", `{"from":["`+exampleSizeXL+`"],"into":"`+exampleSizeM+`"}`)),
			ResponseExamples: examples(oneExample("Two variants would become alike", exampleSizeImpact())),
			Refusals:         append(attributeEditRefusals(), mergeRefusals()[2:4]...),
		},
		"POST /v2/variant-options/{id}/merge": {
			OperationID: "mergeOptionValues", Summary: "Merge values of an option", Response: VariantOption{},
			HasETag: true,
			Description: mergeDoc("variants", "an option") +
				" Variants of one product whose combinations become equal are kept.",
			QueryParams: []httpapi.Param{withValuesParam()}, Body: ValueMerge{},
			BodyExamples: examples(bodyExample("XL becomes M",
				`{"from":["`+exampleSizeXL+`"],"into":"`+exampleSizeM+`"}`)),
			ResponseExamples: examples(oneExample("Without with=values", exampleSize())),
			Refusals:         mergeRefusals(),
		},
		"PUT /v2/product-variants/{id}":    byValues,
		"DELETE /v2/product-variants/{id}": remove,
	})
}
