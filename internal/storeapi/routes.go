// Package storeapi is the public API, /v2: it reads requests, calls one use-case, and writes JSON. It holds no rule and no SQL.
package storeapi

import (
	"vitrine/internal/access"
	"vitrine/internal/catalog"
	"vitrine/internal/database"
	"vitrine/internal/httpapi"
)

// API is what the handlers share.
type API struct {
	db      *database.DB
	catalog *catalog.Service
	options *fragments
}

// New makes the API's handlers.
func New(db *database.DB, c *catalog.Service) *API {
	return &API{db: db, catalog: c, options: newFragments()}
}

// Routes is the whole API on one page.
func (api *API) Routes() []httpapi.Route {
	option := attributes{api, catalog.Option, "/v2/variant-options"}
	feature := attributes{api, catalog.Feature, "/v2/features"}
	product := products{api}
	read, write := access.CatalogRead, access.CatalogWrite

	return describe([]httpapi.Route{
		{Method: "GET", Path: "/v2/store", Needs: access.StoreRead, Handler: api.store},

		{Method: "GET", Path: "/v2/variant-options", Needs: read, Handler: option.list},
		{Method: "POST", Path: "/v2/variant-options", Needs: write, Handler: option.create},
		{Method: "GET", Path: "/v2/variant-options/{id}", Needs: read, Handler: option.one},
		{Method: "PUT", Path: "/v2/variant-options/{id}", Needs: write, Handler: option.edit},
		{Method: "DELETE", Path: "/v2/variant-options/{id}", Needs: write, Handler: option.delete},
		{Method: "GET", Path: "/v2/variant-options/{id}/values", Needs: read, Handler: option.values},
		{Method: "POST", Path: "/v2/variant-options/{id}/impact", Needs: write, Handler: option.impact},
		// The seed's own paths for the same edit. DELETE takes a body and never deletes the option itself.
		{Method: "PUT", Path: "/v2/product-variants/{id}", Needs: write, Handler: option.edit},
		{Method: "DELETE", Path: "/v2/product-variants/{id}", Needs: write, Handler: option.removeValues},

		{Method: "GET", Path: "/v2/features", Needs: read, Handler: feature.list},
		{Method: "POST", Path: "/v2/features", Needs: write, Handler: feature.create},
		{Method: "GET", Path: "/v2/features/{id}", Needs: read, Handler: feature.one},
		{Method: "PUT", Path: "/v2/features/{id}", Needs: write, Handler: feature.edit},
		{Method: "DELETE", Path: "/v2/features/{id}", Needs: write, Handler: feature.delete},
		{Method: "GET", Path: "/v2/features/{id}/values", Needs: read, Handler: feature.values},
		{Method: "POST", Path: "/v2/features/{id}/impact", Needs: write, Handler: feature.impact},

		{Method: "GET", Path: "/v2/products", Needs: read, Handler: product.list},
		{Method: "POST", Path: "/v2/products", Needs: write, Handler: product.create},
		{Method: "GET", Path: "/v2/products/{id}", Needs: read, Handler: product.one},
		{Method: "PUT", Path: "/v2/products/{id}", Needs: write, Handler: product.edit},
		{Method: "DELETE", Path: "/v2/products/{id}", Needs: write, Handler: product.delete},
	})
}
