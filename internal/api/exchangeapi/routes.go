// Package exchangeapi is the HTTP API of the exchange gate, /v2/sync-gate: it removes the exchange token from the path,
// streams the body of a push to package exchange, and responds with the run. It has no business rules and no SQL.
package exchangeapi

import (
	"context"
	"log/slog"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/runapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/exchange/onec"
)

// API has the dependencies of the handlers.
type API struct {
	db       *database.DB
	exchange *exchange.Service
	onec     *onec.Service
	// publicURL is the URL at which clients reach this API, without a trailing slash, or empty for the host of the
	// request. The URLs of exported images begin with it.
	publicURL string
	// The others are for 1C, which authenticates in its own way.
	authenticate func(ctx context.Context, token string) (access.Principal, error)
	vault        *vault.Vault
	now          func() time.Time
	log          *slog.Logger
}

// Deps are the dependencies of an API.
type Deps struct {
	DB       *database.DB
	Exchange *exchange.Service
	OneC     *onec.Service
	// PublicURL is the URL at which clients reach this API, or empty.
	PublicURL string
	// Authenticate returns the principal of an exchange token.
	Authenticate func(ctx context.Context, token string) (access.Principal, error)
	Vault        *vault.Vault
	Now          func() time.Time
	Log          *slog.Logger
}

// New returns the API of the gate.
func New(d Deps) *API {
	return &API{d.DB, d.Exchange, d.OneC, d.PublicURL, d.Authenticate, d.Vault, d.Now, d.Log}
}

// Routes returns the routes of the gate. HideToken has removed the token from the path before a request is routed.
func (api *API) Routes() []httpapi.Route {
	// The entity of a push is also the scope that the token needs.
	push := func(entity string) httpapi.Route {
		return httpapi.Route{Method: "POST", Path: routePrefix + entity, Exchange: true, Needs: access.Scope(entity),
			Handler: api.pushHandler(entity)}
	}
	export := func(entity string) httpapi.Route {
		return httpapi.Route{Method: "GET", Path: routePrefix + entity, Exchange: true, Needs: access.ExchangeRead,
			Class: httpapi.ClassExport, Handler: api.exportHandler(entity), Denied: exportDenied}
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
		push(exchange.PriceLists),

		export(exchange.Products),
		export(exchange.VariantOptions),
		export(exchange.Features),
		export(exchange.Categories),
		export(exchange.Stocks),
		export(exchange.Remainders),
		export(exchange.Prices),
		export(exchange.PriceLists),

		run("GET", "pending", api.listPending),
		run("GET", "runs", api.listRuns),
		run("GET", "runs/{id}", api.getRun),
		run("GET", "runs/{id}/errors", runapi.NotesHandler(api.exchange, api.findRun, exchange.Error)),
		run("GET", "runs/{id}/warnings", runapi.NotesHandler(api.exchange, api.findRun, exchange.Warning)),
		run("GET", "runs/{id}/changes", runapi.ChangesHandler(api.exchange, api.findRun)),
		rejects,
		run("POST", "runs/{id}/revert", api.revertRun),

		// 1C authenticates in its own way, and wants failures as text.
		{Method: "GET", Path: routePrefix + oneCPath, Class: httpapi.ClassShort, Handler: api.serveOneC},
		{Method: "POST", Path: routePrefix + oneCPath, Class: httpapi.ClassShort, Handler: api.serveOneC},
	})
}
