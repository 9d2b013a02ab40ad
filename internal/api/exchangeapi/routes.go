// Package exchangeapi is the exchange gate, /v2/sync-gate: it takes the token out of the path, hands a body to one use-case while it comes,
// and writes what became of it. It holds no rule and no SQL.
package exchangeapi

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/runapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/exchange"
)

// API is what the handlers share.
type API struct {
	db       *database.DB
	exchange *exchange.Service
}

// New makes the gate's handlers.
func New(db *database.DB, service *exchange.Service) *API { return &API{db, service} }

// Routes is the whole gate on one page. The token is out of the path when a request comes here: see HideToken.
func (api *API) Routes() []httpapi.Route {
	return describe([]httpapi.Route{
		api.pushes(exchange.Products),
		api.pushes(exchange.VariantOptions),
		api.pushes(exchange.Features),
		api.pushes(exchange.Categories),
		api.pushes(exchange.Stocks),
		api.pushes(exchange.Remainders),
		api.pushes(exchange.Prices),

		{Method: "GET", Path: gate + "runs", Needs: httpapi.AnyScope, Handler: api.list},
		{Method: "GET", Path: gate + "runs/{id}", Needs: httpapi.AnyScope, Handler: api.one},
		{Method: "GET", Path: gate + "runs/{id}/errors", Needs: httpapi.AnyScope, Handler: runapi.Notes(api.exchange, api.find, exchange.Error)},
		{Method: "GET", Path: gate + "runs/{id}/warnings", Needs: httpapi.AnyScope, Handler: runapi.Notes(api.exchange, api.find, exchange.Warning)},
		{Method: "GET", Path: gate + "runs/{id}/rejects", Needs: httpapi.AnyScope, Handler: runapi.Rejects(api.exchange, api.find)},
		{Method: "POST", Path: gate + "runs/{id}/revert", Needs: httpapi.AnyScope, Handler: api.revert},
	})
}

// pushes is the route that takes pushes of an entity, which is the scope of a token too.
func (api *API) pushes(entity string) httpapi.Route {
	return httpapi.Route{Method: "POST", Path: gate + entity, Needs: access.Scope(entity), Handler: api.push(entity)}
}
