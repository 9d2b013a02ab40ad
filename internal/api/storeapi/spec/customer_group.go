package spec

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/schema"
)

// CustomerGroup is a customer group in responses.
type CustomerGroup struct {
	_ struct{} `doc:"A group of customers with prices of their own."`

	ID         schema.ID               `json:"id"`
	ExternalID schema.Nullable[string] `json:"external_id" doc:"Its id in another system, unique among the groups of the store." example:"dealers"`
	Name       string                  `json:"name" example:"Dealers"`
	PriceLists []schema.ID             `json:"price_lists" doc:"The price lists of the group. The price of a variant is that of the first list that has one; if none has, it is the base price."`
	CreatedAt  schema.Date             `json:"created_at"`
	UpdatedAt  schema.Date             `json:"updated_at"`
}

// NewCustomerGroup is the body that creates a customer group.
type NewCustomerGroup struct {
	Name       openapi.NameInput                        `json:"name"`
	ExternalID schema.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system, unique among the groups of the store; taken by another one it is 409."`
	PriceLists []schema.ID                              `json:"price_lists,omitempty" doc:"The price lists of the group, the most important one first. None by default."`
}

// CustomerGroupEdit is the body that edits a customer group.
type CustomerGroupEdit struct {
	Name       openapi.NameInput                        `json:"name,omitempty"`
	ExternalID schema.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system; null takes it away. Taken by another group it is 409."`
	PriceLists []schema.ID                              `json:"price_lists,omitempty" doc:"All price lists of the group, the most important one first."`
}

func exampleDealers() CustomerGroup {
	return CustomerGroup{ID: exampleID("019a8269-df70-7e01-81c2-3b4c5d6e7f12"), ExternalID: schema.NotNull("dealers"),
		Name: "Dealers", PriceLists: []schema.ID{exampleID(exampleWholesaleID)}, CreatedAt: exampleDate(),
		UpdatedAt: exampleDate()}
}

func customerGroupDocs() map[string]httpapi.Route {
	unknown := httpapi.Refusal{Status: 422, Code: "unknown_price_list",
		When: "the store has no price list with an id of `price_lists`"}
	foreign := httpapi.Refusal{Status: 422, Code: "foreign_currency",
		When: "a price list has another currency than the store"}
	twice := httpapi.Refusal{Status: 422, Code: "duplicate", When: "`price_lists` names a list twice"}
	malformed := httpapi.Refusal{Status: 422, Code: "invalid_id", When: "an id of `price_lists` is not a UUID"}
	tooMany := httpapi.Refusal{Status: 409, Code: "too_many_customer_groups", When: "the store has 1,000 groups"}

	return openapi.Group(customerTag, "customer group", map[string]httpapi.Route{
		"GET /v2/customer-groups": {
			OperationID: "listCustomerGroups", Summary: "List customer groups", Response: CustomerGroup{}, Paged: true,
			Description:      "The customer groups of the store, in the order in which they were made.",
			QueryParams:      []httpapi.Param{searchParam("the name")},
			ResponseExamples: examples(listExample("One group", exampleDealers())),
		},

		"POST /v2/customer-groups": {
			OperationID: "createCustomerGroup", Summary: "Create a customer group", Status: 201,
			Response: CustomerGroup{}, HasETag: true,
			Description: "Creates a group without customers. Only `name` is required.",
			Body:        NewCustomerGroup{},
			BodyExamples: examples(bodyExample("With a price list",
				`{"name":"Dealers","price_lists":["`+exampleWholesaleID+`"]}`),
				bodyExample("The least", `{"name":"Club"}`)),
			ResponseExamples: examples(oneExample("The group", exampleDealers())),
			Refusals:         categoryOrStockRefusals("customer group", unknown, foreign, twice, malformed, tooMany),
		},

		"GET /v2/customer-groups/{id}": {
			OperationID: "getCustomerGroup", Summary: "Read a customer group", Response: CustomerGroup{},
			HasETag:          true,
			Description:      "One customer group.",
			ResponseExamples: examples(oneExample("The group", exampleDealers())),
		},

		"PUT /v2/customer-groups/{id}": {
			OperationID: "editCustomerGroup", Summary: "Edit a customer group", Response: CustomerGroup{},
			HasETag: true, Body: CustomerGroupEdit{}, Description: "Changes the members that are sent.",
			BodyExamples: examples(bodyExample("Other price lists",
				`{"price_lists":["`+exampleWholesaleID+`"]}`)),
			ResponseExamples: examples(oneExample("The group", exampleDealers())),
			Refusals:         categoryOrStockRefusals("customer group", unknown, foreign, twice, malformed),
		},

		"DELETE /v2/customer-groups/{id}": {
			OperationID: "deleteCustomerGroup", Summary: "Delete a customer group",
			Description: "Deletes the group. Its customers and the publishable keys of the group have no group then. " +
				"The request has no body.",
		},
	})
}
