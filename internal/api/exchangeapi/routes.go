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
	// The entity of a push is also the scope that the token needs.
	push := func(entity string) httpapi.Route {
		return httpapi.Route{Method: "POST", Path: routePrefix + entity, Exchange: true, Needs: access.Scope(entity),
			Handler: api.pushHandler(entity)}
	}
	run := func(method, path string, handler httpapi.Handler) httpapi.Route {
		return httpapi.Route{Method: method, Path: routePrefix + path, Exchange: true, Needs: httpapi.AnyScope,
			Handler: handler}
	}
	rejects := run("GET", "runs/{id}/rejects", runapi.RejectsHandler(api.exchange, api.findRun))
	rejects.Class = httpapi.ClassHeavy
	return describe([]httpapi.Route{
		push(exchange.Products),
		push(exchange.VariantOptions),
		push(exchange.Features),
		push(exchange.Categories),
		push(exchange.Stocks),
		push(exchange.Remainders),
		push(exchange.Prices),

		run("GET", "pending", api.listPending),
		run("GET", "runs", api.listRuns),
		run("GET", "runs/{id}", api.getRun),
		run("GET", "runs/{id}/errors", runapi.NotesHandler(api.exchange, api.findRun, exchange.Error)),
		run("GET", "runs/{id}/warnings", runapi.NotesHandler(api.exchange, api.findRun, exchange.Warning)),
		rejects,
		run("POST", "runs/{id}/revert", api.revertRun),
	})
}
