package spec

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/schema"
)

// Stock is a stock in responses: a place where goods are kept.
type Stock struct {
	_ struct{} `doc:"A place where goods lie: a warehouse, a shop."`

	ID         schema.ID               `json:"id"`
	ExternalID schema.Nullable[string] `json:"external_id" doc:"Its id in another system, unique among the stocks of the store." example:"WH-1"`
	Name       string                  `json:"name" example:"Main warehouse"`
	CreatedAt  schema.Date             `json:"created_at"`
	UpdatedAt  schema.Date             `json:"updated_at" doc:"When the stock itself was last written; what lies in it does not change this."`
}

// NewStock is the body that creates a stock.
type NewStock struct {
	Name       openapi.NameInput                        `json:"name"`
	ExternalID schema.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system, unique among the stocks of the store; taken by another one it is 409."`
}

// StockEdit is the body that edits a stock.
type StockEdit struct {
	Name       openapi.NameInput                        `json:"name,omitempty"`
	ExternalID schema.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system; null takes it away. Taken by another stock it is 409."`
}

const exampleWarehouseID = "019a8269-df70-7e01-81c2-3b4c5d6e7f01"

func exampleStock(id, name string, externalID schema.Nullable[string]) Stock {
	return Stock{ID: exampleID(id), ExternalID: externalID, Name: name, CreatedAt: exampleDate(),
		UpdatedAt: exampleDate()}
}

func exampleWarehouse() Stock {
	return exampleStock(exampleWarehouseID, "Main warehouse", schema.NotNull("WH-1"))
}

func exampleCornerShop() Stock {
	return exampleStock("019a8269-df70-7e02-92d3-4c5d6e7f8a02", "Corner shop", schema.Nullable[string]{})
}

func stockDocs() map[string]httpapi.Route {
	return openapi.Group(stockTag, "stock", map[string]httpapi.Route{
		"GET /v2/stocks": {
			OperationID: "listStocks", Summary: "List stocks", Response: Stock{}, Paged: true,
			Description: "The stocks of the store, in the order in which they were made. How much of a variant " +
				"each has is in the `remainders` of the variant.",
			QueryParams:      []httpapi.Param{searchParam("the name")},
			ResponseExamples: examples(listExample("Two stocks", exampleWarehouse(), exampleCornerShop())),
		},

		"POST /v2/stocks": {
			OperationID: "createStock", Summary: "Create a stock", Status: 201, Response: Stock{}, HasETag: true,
			Description: "Creates a stock with nothing in it. Only `name` is required; two stocks may have the " +
				"same name.",
			Body: NewStock{},
			BodyExamples: examples(bodyExample("With its id in another system",
				`{"name":"Main warehouse","external_id":"WH-1"}`), bodyExample("The least", `{"name":"Corner shop"}`)),
			ResponseExamples: examples(oneExample("The stock", exampleWarehouse())),
			Refusals:         categoryOrStockRefusals("stock"),
		},

		"GET /v2/stocks/{id}": {
			OperationID: "getStock", Summary: "Read a stock", Response: Stock{}, HasETag: true,
			Description:      "One stock.",
			ResponseExamples: examples(oneExample("The stock", exampleWarehouse())),
		},

		"PUT /v2/stocks/{id}": {
			OperationID: "editStock", Summary: "Edit a stock", Response: Stock{}, HasETag: true, Body: StockEdit{},
			Description: "Changes the members that are sent.",
			BodyExamples: examples(bodyExample("Another name", `{"name":"North warehouse"}`),
				bodyExample("Without its id in another system", `{"external_id":null}`)),
			ResponseExamples: examples(oneExample("The stock", exampleWarehouse())),
			Refusals:         categoryOrStockRefusals("stock"),
		},

		"DELETE /v2/stocks/{id}": {
			OperationID: "deleteStock", Summary: "Delete a stock",
			Description: "Deletes the stock with all its remainders. What is `available` of their variants is " +
				"counted anew from the other stocks; a variant without any remainder left is " +
				"one whose stock is not kept. The ETags of those products change, " +
				"their `updated_at` does not. The request has no body.",
			Refusals: []httpapi.Refusal{{Status: 409, Code: "stock_reserved",
				When: "submitted orders wait for goods in this stock"}},
		},
	})
}
