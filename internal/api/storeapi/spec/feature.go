package spec

import (
	"github.com/danielgtaylor/huma/v2"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/schema"
)

// Feature is a feature in responses. Features describe products.
type Feature struct {
	_ struct{} `doc:"What describes a product, such as its material or its weight."`

	ID         schema.ID                  `json:"id"`
	ExternalID string                     `json:"external_id,omitempty" doc:"Its id in another system, unique among the features of the store; only present where it has one." example:"1C-WEIGHT"`
	Name       string                     `json:"name" example:"Weight, kg"`
	Filterable bool                       `json:"filterable" doc:"Whether products can be filtered by it."`
	FieldType  FieldType                  `json:"field_type" doc:"How it is filtered: by picking values, or by a range of numbers."`
	RangeType  schema.Nullable[RangeType] `json:"range_type" doc:"Which numbers a range feature takes; null on a select feature."`
	CreatedAt  schema.Date                `json:"created_at"`
	UpdatedAt  schema.Date                `json:"updated_at" doc:"When the feature or one of its values last changed."`
	Values     []FeatureValue             `json:"values,omitzero" doc:"All values, in their order: as people arranged them, and the others as they were added. Only present when the request says with=values."`
}

// FieldType says how products are filtered by a feature.
type FieldType struct {
	_ struct{} `doc:"How a feature is filtered."`

	ID   string `json:"id" enum:"select,range" example:"range"`
	Name string `json:"name" doc:"In the language of the store." example:"Range"`
}

// RangeType says which numbers the values of a range feature may be.
type RangeType struct {
	_ struct{} `doc:"Which numbers a range feature takes."`

	ID   string `json:"id" enum:"float,integer" example:"float"`
	Name string `json:"name" doc:"In the language of the store." example:"Decimal number"`
}

// FeatureValue is one value of a feature.
type FeatureValue struct {
	_ struct{} `doc:"One value of a feature."`

	ID         schema.ID                       `json:"id"`
	ExternalID string                          `json:"external_id,omitempty" doc:"Its id in another system, unique among the values of the feature; only present where it has one." example:"1C-WEIGHT-150"`
	Name       string                          `json:"name" doc:"Always a string, as it was written." example:"1,50"`
	RangeValue schema.Nullable[schema.Decimal] `json:"range_value" doc:"On a range feature the number that the name reads as, exactly; null on a select feature." example:"1.5"`
	CreatedAt  schema.Date                     `json:"created_at"`
	UpdatedAt  schema.Date                     `json:"updated_at"`
}

// NewFeature is the body that creates a feature.
type NewFeature struct {
	Name       openapi.NameInput                        `json:"name"`
	ExternalID schema.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system, unique among the features of the store; taken by another one it is 409. What the exchange gate brought that refers to it is linked."`
	Filterable bool                                     `json:"filterable,omitempty" doc:"Whether products can be filtered by it; false by default."`
	FieldType  FieldTypeInput                           `json:"field_type,omitempty" doc:"select (the default) or range, as the word or as an object with that id."`
	RangeType  schema.Nullable[RangeTypeInput]          `json:"range_type,omitempty" doc:"float (the default) or integer, as the word or as an object with that id. Only with field_type range; with select it is 422, unless it is null."`
	Values     []NewValue                               `json:"values,omitempty" doc:"Its values, in this order. Any number of them. On a range feature each name must read as a plain decimal number: 1.5 and 1,5 alike, no exponent; whole with range_type integer. null is 422."`
}

// FeatureEdit is the body that edits a feature.
type FeatureEdit struct {
	Name          openapi.NameInput                        `json:"name,omitempty"`
	ExternalID    schema.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system; null takes it away. Taken by another feature it is 409. What the exchange gate brought that refers to it is linked."`
	Filterable    bool                                     `json:"filterable,omitempty" doc:"Whether products can be filtered by it."`
	FieldType     FieldTypeInput                           `json:"field_type,omitempty" doc:"select or range, as the word or as an object with that id. Changing to range is 422 if the request leaves values that are not numbers."`
	RangeType     schema.Nullable[RangeTypeInput]          `json:"range_type,omitempty" doc:"float or integer, as the word or as an object with that id. With a select feature it is 422, unless it is null."`
	Values        []ValueEdit                              `json:"values,omitempty" doc:"Values to rename or add. This is not the full list: what is not mentioned stays."`
	RemovedValues []schema.ID                              `json:"removed_values,omitempty" doc:"Values to delete. Every product that had one loses that value; with no other value left it loses the feature."`
}

// FeatureImpactQuery is the body that asks for the impact of an edit or of a merge.
type FeatureImpactQuery struct {
	FeatureEdit
	From []schema.ID `json:"from,omitempty" doc:"With into: the impact of merging these values, instead of an edit."`
	Into schema.ID   `json:"into,omitempty" doc:"The value that would stay."`
}

// FieldTypeInput and RangeTypeInput describe a type in requests: its id, or the object that responses contain.
type (
	FieldTypeInput = openapi.OneOf[fieldTypeWord, FieldTypeRef]
	RangeTypeInput = openapi.OneOf[rangeTypeWord, RangeTypeRef]
)

// FieldTypeRef is a field type in the form that responses contain.
type FieldTypeRef struct {
	ID string `json:"id" enum:"select,range"`
}

// RangeTypeRef is a range type in the form that responses contain.
type RangeTypeRef struct {
	ID string `json:"id" enum:"float,integer"`
}

type (
	fieldTypeWord struct{}
	rangeTypeWord struct{}
)

// Schema implements huma.SchemaProvider.
func (fieldTypeWord) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: []any{"select", "range"}}
}

// Schema implements huma.SchemaProvider.
func (rangeTypeWord) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: []any{"float", "integer"}}
}

// FeatureImpact lists the effects that an edit of a feature would have.
type FeatureImpact struct {
	_ struct{} `doc:"What an edit of a feature would do. Lists hold at most 1,000 elements; the total is exact."`

	Products      []ImpactProduct `json:"products" doc:"The products that would lose a value of the feature." maxItems:"1000"`
	ProductsTotal int64           `json:"products_total" doc:"How many products that are in all." minimum:"0" example:"1"`
	Collisions    []Collision     `json:"collisions" doc:"Always empty: features do not tell variants apart." maxItems:"1000"`
}

// ImpactProduct is a product that would lose a value of the feature.
type ImpactProduct struct {
	ID   schema.ID `json:"id"`
	Name string    `json:"name" example:"T-shirt"`
}

func exampleWeight() Feature {
	return Feature{
		ID: exampleID(exampleWeightID), Name: "Weight, kg", Filterable: true,
		FieldType: FieldType{ID: "range", Name: "Range"},
		RangeType: schema.NotNull(RangeType{ID: "float", Name: "Decimal number"}), CreatedAt: exampleDate(),
		UpdatedAt: exampleDate(),
	}
}

func exampleWeightValue(id, name string, number schema.Decimal) FeatureValue {
	date := exampleDate()
	return FeatureValue{ID: exampleID(id), Name: name, RangeValue: schema.NotNull(number), CreatedAt: date,
		UpdatedAt: date}
}

func exampleWeightValues() []FeatureValue {
	return []FeatureValue{exampleWeightValue(exampleWeight022, "0,22", "0.22"),
		exampleWeightValue(exampleWeight15, "1.50", "1.5")}
}

func exampleWeightWithValues() Feature {
	weight := exampleWeight()
	weight.Values = exampleWeightValues()
	return weight
}

func exampleMaterial() Feature {
	return Feature{
		ID: exampleID("019a8269-be50-7c01-8e99-0e1f2a3b4c01"), Name: "Material",
		FieldType: FieldType{ID: "select", Name: "Selection"},
		CreatedAt: exampleDate(), UpdatedAt: exampleDate(),
	}
}

// rangeRules documents which values a range feature accepts.
const rangeRules = "A value of a `range` feature must read as a plain decimal number: `1.5` and `1,5` alike, " +
	"no exponent; whole with `range_type` `integer`. " +
	"`name` stays as it was written, and `range_value` is that number. On a `select` feature any name will do, " +
	"and `range_value` is null."

func featureTypeRefusals() []httpapi.Refusal {
	return []httpapi.Refusal{
		{Status: 422, Code: "not_a_number",
			When: "a value of a range feature does not read as a number of its `range_type`"},
		{Status: 422, Code: "not_allowed", When: "`range_type` is sent for a feature of type `select`"},
		{Status: 422, Code: "unknown_choice", When: "`field_type` or `range_type` is none of its words"},
	}
}

func featureDocs() map[string]httpapi.Route {
	misfit := httpapi.Refusal{Status: 422, Code: "values_do_not_fit",
		When: "a new `field_type` or `range_type` does not fit values that the request leaves as they are; the " +
			"message names them"}

	return openapi.Group(featureTag, "feature", map[string]httpapi.Route{
		"GET /v2/features": {
			OperationID: "listFeatures", Summary: "List features", Response: Feature{}, Paged: true,
			Description: "The features of the store, in the order in which they were made.",
			QueryParams: []httpapi.Param{withValuesParam(), searchParam("the name")},
			ResponseExamples: examples(listExample("Without values", exampleWeight(), exampleMaterial()),
				listExample("With with=values", exampleWeightWithValues())),
		},
		"POST /v2/features": {
			OperationID: "createFeature", Summary: "Create a feature with its values", Status: 201, Response: Feature{},
			HasETag: true,
			Description: "Creates a feature and all its values, in the order in which they are sent; any number of " +
				"them works. Without more it is of type `select` and not filterable.\n\n" +
				rangeRules,
			QueryParams: []httpapi.Param{withValuesParam()},
			Body:        NewFeature{},
			BodyExamples: examples(bodyExample("Numbers to filter by range",
				`{"name":"Weight, kg","filterable":true,"field_type":"range","range_type":"float",`+
					`"values":[{"name":"0,22"},{"name":1.50}]}`),
				bodyExample("Words to pick from", `{"name":"Material","values":[{"name":"Cotton"},{"name":"Linen"}]}`)),
			ResponseExamples: examples(oneExample("With with=values", exampleWeightWithValues()),
				oneExample("Without", exampleWeight())),
			Refusals: newAttributeRefusals(featureTypeRefusals()...),
		},
		"GET /v2/features/{id}": {
			OperationID: "getFeature", Summary: "Read a feature", Response: Feature{}, HasETag: true,
			Description: "One feature. With `with=values` all its values come with it, " +
				"however many; to read a long list in pages take `…/values`.",
			QueryParams: []httpapi.Param{withValuesParam()},
			ResponseExamples: examples(oneExample("With with=values", exampleWeightWithValues()),
				oneExample("Without", exampleWeight())),
		},
		"PUT /v2/features/{id}": {
			OperationID: "editFeature", Summary: "Edit a feature and its values", Response: Feature{}, HasETag: true,
			Description: "Changes the members that are sent.\n\n" + editRules + "\n\n" + rangeRules +
				" This is judged on what the request leaves behind, so a change to `range` may rename or remove what " +
				"does not fit in the same request.\n\n" +
				"When a value is removed, every product that had it loses it; a product that had no other value of " +
				"the feature loses the feature. Products are never deleted by this.",
			QueryParams: []httpapi.Param{withValuesParam()},
			Body:        FeatureEdit{},
			BodyExamples: examples(bodyExample("Rename one value, add one, remove one",
				`{"values":[{"id":"`+exampleWeight022+`","name":"0.22"},{"name":2}],"removed_values":["`+
					exampleWeight15+`"]}`), bodyExample("Make it filterable", `{"filterable":true}`),
				bodyExample("Make it a range of whole numbers",
					`{"field_type":{"id":"range"},"range_type":{"id":"integer"}}`)),
			ResponseExamples: examples(oneExample("Without with=values", exampleWeight()),
				oneExample("With", exampleWeightWithValues())),
			Refusals: attributeEditRefusals(append(featureTypeRefusals(), misfit)...),
		},
		"DELETE /v2/features/{id}": {
			OperationID: "deleteFeature", Summary: "Delete a feature",
			Description: "Deletes the feature with all its values. Products that had it lose it and stay. The " +
				"request has no body.",
			Refusals: []httpapi.Refusal{editTooLong()},
		},
		"GET /v2/features/{id}/values": {
			OperationID: "listFeatureValues", Summary: "List the values of a feature", Response: FeatureValue{},
			Paged: true,
			Description: "The values of a feature in pages, in their order: as people arranged them in the " +
				"administration, and the others as they were added.",
			ResponseExamples: examples(listExample("Two values", exampleWeightValues()...)),
		},
		"POST /v2/features/{id}/impact": {
			OperationID: "getFeatureImpact", Summary: "See what an edit of a feature would do",
			Response: FeatureImpact{},
			Description: "Takes the body of the edit, or that of `…/merge`, " +
				"and changes nothing. It answers which products would lose a value, " +
				"or get the value that stays; at most 1,000 are listed. " +
				"A body that the edit or the merge would refuse is refused here in the same way.",
			Body: FeatureImpactQuery{},
			BodyExamples: examples(bodyExample("Before removing a value",
				`{"removed_values":["`+exampleWeight022+`"]}`)),
			ResponseExamples: examples(oneExample("One product has it",
				FeatureImpact{Products: []ImpactProduct{{ID: exampleID(exampleShirtID), Name: "T-shirt"}},
					ProductsTotal: 1})),
			Refusals: append(attributeEditRefusals(append(featureTypeRefusals(), misfit)...), mergeRefusals()[2:4]...),
		},
		"POST /v2/features/{id}/merge": {
			OperationID: "mergeFeatureValues", Summary: "Merge values of a feature", Response: Feature{}, HasETag: true,
			Description: mergeDoc("products", "a feature") +
				" Values of a `range` feature can be merged too: the products get the number of `into`.",
			QueryParams: []httpapi.Param{withValuesParam()}, Body: ValueMerge{},
			BodyExamples: examples(bodyExample("One weight becomes another",
				`{"from":["`+exampleWeight022+`"],"into":"`+exampleWeight15+`"}`)),
			ResponseExamples: examples(oneExample("Without with=values", exampleWeight())),
			Refusals:         mergeRefusals(),
		},
	})
}
