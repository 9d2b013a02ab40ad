// Package exchangeapi is the HTTP API of the exchange gate, /v2/sync-gate: it removes the exchange token from the path,
// streams the body of a push to package exchange, and responds with the run. It has no business rules and no SQL.
package exchangeapi

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/runapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/exchange"
)

// API has the dependencies of the handlers.
type API struct {
	db       *database.DB
	exchange *exchange.Service
}

// New returns the API of the gate.
func New(db *database.DB, service *exchange.Service) *API { return &API{db, service} }

// Routes returns the routes of the gate. HideToken has removed the token from the path before a request is routed.
func (api *API) Routes() []httpapi.Route {
	return describe([]httpapi.Route{
		api.pushRoute(exchange.Products),
		api.pushRoute(exchange.VariantOptions),
		api.pushRoute(exchange.Features),
		api.pushRoute(exchange.Categories),
		api.pushRoute(exchange.Stocks),
		api.pushRoute(exchange.Remainders),
		api.pushRoute(exchange.Prices),

		{Method: "GET", Path: routePrefix + "runs", Needs: httpapi.AnyScope, Handler: api.listRuns},
		{Method: "GET", Path: routePrefix + "runs/{id}", Needs: httpapi.AnyScope, Handler: api.getRun},
		{Method: "GET", Path: routePrefix + "runs/{id}/errors", Needs: httpapi.AnyScope, Handler: runapi.NotesHandler(api.exchange, api.findRun, exchange.Error)},
		{Method: "GET", Path: routePrefix + "runs/{id}/warnings", Needs: httpapi.AnyScope, Handler: runapi.NotesHandler(api.exchange, api.findRun, exchange.Warning)},
		{Method: "GET", Path: routePrefix + "runs/{id}/rejects", Needs: httpapi.AnyScope, Handler: runapi.RejectsHandler(api.exchange, api.findRun)},
		{Method: "POST", Path: routePrefix + "runs/{id}/revert", Needs: httpapi.AnyScope, Handler: api.revertRun},
	})
}

// pushRoute returns the route that receives pushes of an entity. The entity is also the scope that the token needs.
func (api *API) pushRoute(entity string) httpapi.Route {
	return httpapi.Route{Method: "POST", Path: routePrefix + entity, Needs: access.Scope(entity), Handler: api.pushHandler(entity)}
}
