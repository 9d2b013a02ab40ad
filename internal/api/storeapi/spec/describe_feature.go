package spec

import "vitrine/internal/api/httpapi"

const (
	exampleWeightHead = `{"id":"` + exampleWeightID + `","name":"Weight, kg","filterable":true,"field_type":{"id":"range","name":"Range"},"range_type":{"id":"float","name":"Decimal number"},` +
		`"created_at":` + exampleDate + `,"updated_at":` + exampleDate
	exampleWeight           = exampleWeightHead + `}`
	exampleLightValue       = `{"id":"` + exampleWeight022 + `","name":"0,22","range_value":0.22,"created_at":` + exampleDate + `,"updated_at":` + exampleDate + `}`
	exampleHeavyValue       = `{"id":"` + exampleWeight15 + `","name":"1.50","range_value":1.5,"created_at":` + exampleDate + `,"updated_at":` + exampleDate + `}`
	exampleWeightWithValues = exampleWeightHead + `,"values":[` + exampleLightValue + `,` + exampleHeavyValue + `]}`

	exampleMaterial = `{"id":"019a8269-be50-7c01-8e99-0e1f2a3b4c01","name":"Material","filterable":false,"field_type":{"id":"select","name":"Selection"},"range_type":null,` +
		`"created_at":` + exampleDate + `,"updated_at":` + exampleDate + `}`
)

// What the values of a range feature follow.
const rangeRules = "A value of a `range` feature must read as a plain decimal number: `1.5` and `1,5` alike, no exponent; whole with `range_type` `integer`. " +
	"`name` stays as it was written, and `range_value` is that number. On a `select` feature any name will do, and `range_value` is null."

func typeRefusals() []httpapi.Refusal {
	return []httpapi.Refusal{
		{Status: 422, Code: "not_a_number", When: "a value of a range feature does not read as a number of its `range_type`"},
		{Status: 422, Code: "not_allowed", When: "`range_type` is sent for a feature of type `select`"},
		{Status: 422, Code: "unknown_choice", When: "`field_type` or `range_type` is none of its words"},
	}
}

func featureDocs() map[string]httpapi.Route {
	misfit := httpapi.Refusal{Status: 422, Code: "values_do_not_fit", When: "a new `field_type` or `range_type` does not fit values that the request leaves as they are; the message names them"}
	return map[string]httpapi.Route{
		"GET /v2/features": {
			OperationID: "listFeatures", Tag: featureTag, Status: 200, Answer: Feature{}, Listed: true,
			Summary:        "List features",
			Description:    "The features of the store, in the order in which they were made.",
			Query:          []httpapi.Param{withValues(), searchParam("the name")},
			AnswerExamples: append(example("Without values", `{"data":[`+exampleWeight+`,`+exampleMaterial+`],`+exampleMeta+`2}}`), example("With with=values", `{"data":[`+exampleWeightWithValues+`],`+exampleMeta+`1}}`)...),
		},
		"POST /v2/features": {
			OperationID: "createFeature", Tag: featureTag, Status: 201, Answer: Feature{}, Tagged: true,
			Summary: "Create a feature with its values",
			Description: "Creates a feature and all its values, in the order in which they are sent; any number of them works. Without more it is of type `select` and not filterable.\n\n" +
				rangeRules,
			Query: []httpapi.Param{withValues()},
			Body:  NewFeature{}, BodyNeeded: true, BodyAnyLen: true,
			BodyExamples: append(example("Numbers to filter by range", `{"name":"Weight, kg","filterable":true,"field_type":"range","range_type":"float","values":[{"name":"0,22"},{"name":1.50}]}`),
				example("Words to pick from", `{"name":"Material","values":[{"name":"Cotton"},{"name":"Linen"}]}`)...),
			AnswerExamples: append(example("With with=values", `{"data":`+exampleWeightWithValues+`}`), example("Without", `{"data":`+exampleWeight+`}`)...),
			Refusals:       newRefusals(typeRefusals()...),
		},
		"GET /v2/features/{id}": {
			OperationID: "getFeature", Tag: featureTag, Status: 200, Answer: Feature{}, Tagged: true,
			Summary:        "Read a feature",
			Description:    "One feature. With `with=values` all its values come with it, however many; to read a long list in pages take `…/values`.",
			InPath:         idOf("feature"),
			Query:          []httpapi.Param{withValues()},
			AnswerExamples: append(example("With with=values", `{"data":`+exampleWeightWithValues+`}`), example("Without", `{"data":`+exampleWeight+`}`)...),
		},
		"PUT /v2/features/{id}": {
			OperationID: "editFeature", Tag: featureTag, Status: 200, Answer: Feature{}, Tagged: true,
			Summary: "Edit a feature and its values",
			Description: "Changes the members that are sent.\n\n" + editRules + "\n\n" + rangeRules +
				" This is judged on what the request leaves behind, so a change to `range` may rename or remove what does not fit in the same request.\n\n" +
				"When a value is removed, every product that had it loses it; a product that had no other value of the feature loses the feature. Products are never deleted by this.",
			InPath: idOf("feature"),
			Query:  []httpapi.Param{withValues()},
			Body:   FeatureEdit{}, BodyNeeded: true, BodyAnyLen: true,
			BodyExamples: append(example("Rename one value, add one, remove one", `{"values":[{"id":"`+exampleWeight022+`","name":"0.22"},{"name":2}],"removed_values":["`+exampleWeight15+`"]}`),
				append(example("Make it filterable", `{"filterable":true}`), example("Make it a range of whole numbers", `{"field_type":{"id":"range"},"range_type":{"id":"integer"}}`)...)...),
			AnswerExamples: append(example("Without with=values", `{"data":`+exampleWeight+`}`), example("With", `{"data":`+exampleWeightWithValues+`}`)...),
			Refusals:       valueRefusals(append(typeRefusals(), misfit)...),
		},
		"DELETE /v2/features/{id}": {
			OperationID: "deleteFeature", Tag: featureTag, Status: 204,
			Summary:     "Delete a feature",
			Description: "Deletes the feature with all its values. Products that had it lose it and stay. The request has no body.",
			InPath:      idOf("feature"),
		},
		"GET /v2/features/{id}/values": {
			OperationID: "listFeatureValues", Tag: featureTag, Status: 200, Answer: FeatureValue{}, Listed: true,
			Summary:        "List the values of a feature",
			Description:    "The values of a feature in pages, in the order in which they were added.",
			InPath:         idOf("feature"),
			AnswerExamples: example("Two values", `{"data":[`+exampleLightValue+`,`+exampleHeavyValue+`],`+exampleMeta+`2}}`),
		},
		"POST /v2/features/{id}/impact": {
			OperationID: "getFeatureImpact", Tag: featureTag, Status: 200, Answer: FeatureImpact{},
			Summary: "See what an edit of a feature would do",
			Description: "Takes the body of the edit and changes nothing. It answers which products would lose a value; at most 1,000 are listed. " +
				"A body that the edit would refuse is refused here in the same way.",
			InPath: idOf("feature"),
			Body:   FeatureEdit{}, BodyNeeded: true, BodyAnyLen: true,
			BodyExamples:   example("Before removing a value", `{"removed_values":["`+exampleWeight022+`"]}`),
			AnswerExamples: example("One product has it", `{"data":{"products":[{"id":"`+exampleShirtID+`","name":"T-shirt"}],"products_total":1,"collisions":[]}}`),
			Refusals:       valueRefusals(append(typeRefusals(), misfit)...),
		},
	}
}
