package spec

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/schema"
)

// PriceList is a price list in responses.
type PriceList struct {
	_ struct{} `doc:"A list of other prices than the prices of the variants themselves, such as wholesale prices. Groups of customers get them."`

	ID         schema.ID               `json:"id"`
	ExternalID schema.Nullable[string] `json:"external_id" doc:"Its id in another system, unique among the price lists of the store." example:"wholesale"`
	Name       string                  `json:"name" example:"Wholesale"`
	Currency   string                  `json:"currency" doc:"ISO 4217. Customers get the prices of a list only if it is the currency of the store." example:"EUR"`
	CreatedAt  schema.Date             `json:"created_at"`
	UpdatedAt  schema.Date             `json:"updated_at" doc:"When the list itself was last written; its prices do not change this."`
}

// NewPriceList is the body that creates a price list.
type NewPriceList struct {
	Name       openapi.NameInput                        `json:"name"`
	ExternalID schema.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system, unique among the price lists of the store; taken by another one it is 409."`
	Currency   string                                   `json:"currency,omitempty" doc:"ISO 4217, in upper case. By default the currency of the store." example:"EUR"`
}

// PriceListEdit is the body that edits a price list.
type PriceListEdit struct {
	Name       openapi.NameInput                        `json:"name,omitempty"`
	ExternalID schema.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system; null takes it away. Taken by another price list it is 409."`
	Currency   string                                   `json:"currency,omitempty" doc:"ISO 4217, in upper case. The currency of a list that a group uses cannot change." example:"EUR"`
}

const exampleWholesaleID = "019a8269-df70-7e01-81c2-3b4c5d6e7f11"

func exampleWholesale() PriceList {
	return PriceList{ID: exampleID(exampleWholesaleID), ExternalID: schema.NotNull("wholesale"), Name: "Wholesale",
		Currency: "EUR", CreatedAt: exampleDate(), UpdatedAt: exampleDate()}
}

func priceListDocs() map[string]httpapi.Route {
	unknown := httpapi.Refusal{Status: 422, Code: "unknown_currency", When: "`currency` is no ISO 4217 code"}
	inUse := httpapi.Refusal{Status: 409, Code: "price_list_in_use",
		When: "the `currency` would change of a list that a group or the old prices use"}
	tooMany := httpapi.Refusal{Status: 409, Code: "too_many_price_lists", When: "the store has 100 price lists"}

	return openapi.Group(priceListTag, "price list", map[string]httpapi.Route{
		"GET /v2/price-lists": {
			OperationID: "listPriceLists", Summary: "List price lists", Response: PriceList{}, Paged: true,
			Description:      "The price lists of the store, in the order in which they were made.",
			QueryParams:      []httpapi.Param{searchParam("the name")},
			ResponseExamples: examples(listExample("One price list", exampleWholesale())),
		},

		"POST /v2/price-lists": {
			OperationID: "createPriceList", Summary: "Create a price list", Status: 201, Response: PriceList{},
			HasETag: true,
			Description: "Creates a list without prices. Only `name` is required. A store has at most 100 price " +
				"lists. The `price` of a variant is its base price and belongs to no list.",
			Body: NewPriceList{},
			BodyExamples: examples(bodyExample("With its id in another system",
				`{"name":"Wholesale","external_id":"wholesale"}`), bodyExample("The least", `{"name":"Club"}`)),
			ResponseExamples: examples(oneExample("The price list", exampleWholesale())),
			Refusals:         categoryOrStockRefusals("price list", tooMany, unknown),
		},

		"GET /v2/price-lists/{id}": {
			OperationID: "getPriceList", Summary: "Read a price list", Response: PriceList{}, HasETag: true,
			Description:      "One price list.",
			ResponseExamples: examples(oneExample("The price list", exampleWholesale())),
		},

		"PUT /v2/price-lists/{id}": {
			OperationID: "editPriceList", Summary: "Edit a price list", Response: PriceList{}, HasETag: true,
			Body: PriceListEdit{}, Description: "Changes the members that are sent.",
			BodyExamples:     examples(bodyExample("Another name", `{"name":"Partners"}`)),
			ResponseExamples: examples(oneExample("The price list", exampleWholesale())),
			Refusals:         categoryOrStockRefusals("price list", inUse, unknown),
		},

		"DELETE /v2/price-lists/{id}": {
			OperationID: "deletePriceList", Summary: "Delete a price list",
			Description: "Deletes the list with all its prices. Groups that use the list lose it; submitted orders " +
				"keep its id. The request has no body.",
		},
	})
}
