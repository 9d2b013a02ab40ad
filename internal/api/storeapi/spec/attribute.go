package spec

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/schema"
)

// NewValue is a value to add to an option or a feature.
type NewValue struct {
	_ struct{} `doc:"A value to add. An id in it is ignored."`

	Name       openapi.NameInput                        `json:"name"`
	ExternalID schema.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system, unique among the values of this list; taken by another one it is 409."`
}

// ValueEdit renames a value of an option or a feature, or adds one.
type ValueEdit struct {
	_ struct{} `doc:"With an id it renames that value, which keeps its place; without one it adds a value at the end, even if there is one of that name."`

	ID         schema.ID                                `json:"id,omitempty" doc:"The value to rename. Leave it out to add a value."`
	Name       openapi.NameInput                        `json:"name"`
	ExternalID schema.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system, unique among the values of this list; null takes it away. Taken by another value it is 409."`
}

// Collision is a set of variants of one product that would have the same combination of option values.
type Collision struct {
	_ struct{} `doc:"Variants of one product that would carry the same combination of option values."`

	ProductID  schema.ID   `json:"product_id"`
	VariantIDs []schema.ID `json:"variant_ids"`
}

// editRules documents how an edit of an option or a feature changes its values.
const editRules = "Inside one request removals come first, then renames, " +
	"then additions: a renamed value keeps its place, a new one goes to the end. " +
	"`values` is not the full list: what is not mentioned stays. " +
	"An element with an `id` renames that value, and **without an `id` it always adds one, " +
	"even if a value of that name exists**.\n\n" +
	"The lists may have any length. Either all of the request is applied or nothing of it."

func attributeEditRefusals(more ...httpapi.Refusal) []httpapi.Refusal {
	return append([]httpapi.Refusal{
		{Status: 422, Code: "unknown_value", When: "an `id` is not that of a value of this resource"},
		{Status: 422, Code: "duplicate_id", When: "an `id` appears twice in one list"},
		{Status: 422, Code: "removed_too", When: "an `id` is in `values` and in `removed_values`"},
		{Status: 422, Code: "required", When: "a name is missing or empty, also beside an `id`"},
		{Status: 422, Code: "too_long", When: "a name has more than 255 characters"},
		{Status: 422, Code: "wrong_type", When: "a member has another type than described, such as `null` for a list"},
		externalIDTaken(),
		editTooLong(),
	}, more...)
}

// ValueMerge is the body that merges values of an option or a feature.
type ValueMerge struct {
	From []schema.ID `json:"from" doc:"The values that are merged, and do not exist afterwards." minItems:"1"`
	Into schema.ID   `json:"into" doc:"The value that stays. It is not among those in from."`
}

// mergeDoc documents the merge of values. what are those that have the values, and of their resource.
func mergeDoc(what, of string) string {
	return "Makes several values of " + of + " one: " + what +
		" that have one of `from` get `into`, and the values in `from` are deleted. Their external ids keep pointing " +
		"at `into`: a push that names one " +
		"means `into` and renames nothing, and `removed_values` with one takes only that id away. Ask `…/impact` " +
		"with the same body first.\n\n" +
		"Where very many " + what +
		" have the values, they move in short steps after the answer; a value in `from` exists until the last of " +
		"them has moved."
}

func mergeRefusals() []httpapi.Refusal {
	return []httpapi.Refusal{
		{Status: 422, Code: "required", When: "`from` is missing or empty, or `into` is missing"},
		{Status: 422, Code: "unknown_value", When: "an id is not that of a value of this resource"},
		{Status: 422, Code: "merged_into_itself", When: "`into` is among `from`"},
		{Status: 422, Code: "being_merged", When: "a value is being merged into another one already"},
		editTooLong(),
		{Status: 412, Code: "precondition_failed",
			When: "`If-Match` does not name the present ETag of this resource"},
	}
}

func newAttributeRefusals(more ...httpapi.Refusal) []httpapi.Refusal {
	return append([]httpapi.Refusal{
		{Status: 422, Code: "required", When: "`name`, or the name of a value, is missing or empty"},
		{Status: 422, Code: "too_long", When: "a name has more than 255 characters"},
		{Status: 422, Code: "wrong_type", When: "a member has another type than described, such as `null` for a list"},
		externalIDTaken(),
		editTooLong(),
	}, more...)
}

func externalIDTaken() httpapi.Refusal {
	return httpapi.Refusal{Status: 409, Code: "external_id_taken",
		When: "another of the store, or another value of it, has that `external_id`"}
}

// editTooLong describes the refusal of an edit that had to give way to the writes of other stores at every attempt.
func editTooLong() httpapi.Refusal {
	return httpapi.Refusal{Status: 409, Code: "atomic_too_large",
		When: "the edit is so long that on SQLite the writes of other stores, which would have waited for it, " +
			"came at every attempt; nothing was applied. Send it in several requests, " +
			"which each name some of the values, or at a quieter time"}
}

// withValuesParam describes the query parameter "with" of options and features.
func withValuesParam() httpapi.Param {
	return httpapi.Param{Name: "with", Values: []string{"values"}, Example: "values",
		Description: "`values` puts the values into the answer. Without it there is no member `values`, " +
			"in answers to writes too."}
}
