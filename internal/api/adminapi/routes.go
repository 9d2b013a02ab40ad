// Package adminapi is the administration's JSON, under {admin_url}/api: the store's settings, its keys, its operators, its exchange
// runs, its webhooks and its mailbox, for a secret key or a signed-in operator. It reads requests, calls one use-case, and writes JSON. It holds no SQL.
package adminapi

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/api/runapi"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/protection"
	"vitrine/internal/shop/webhook"
)

// API is what the handlers share.
type API struct {
	protection *protection.Service
	access     *access.Service
	exchange   *exchange.Service
	notify     *notify.Service
	webhooks   *webhook.Service
}

// New makes the handlers.
func New(protectionService *protection.Service, accessService *access.Service, exchangeService *exchange.Service, notifyService *notify.Service, webhookService *webhook.Service) *API {
	return &API{protection: protectionService, access: accessService, exchange: exchangeService, notify: notifyService, webhooks: webhookService}
}

// Routes is the whole administration on one page. The server must let secret keys and operators in, and nobody else: a
// publishable key has store:read too.
func (api *API) Routes() []httpapi.Route {
	return openapi.Describe([]httpapi.Route{
		{Method: "GET", Path: "/api/me", Needs: httpapi.AnyScope, Handler: api.me},

		{Method: "GET", Path: "/api/store/settings", Needs: access.StoreRead, Handler: api.settings},
		{Method: "PUT", Path: "/api/store/settings", Needs: access.StoreWrite, Handler: api.editSettings},

		{Method: "GET", Path: "/api/store/keys", Needs: access.KeysManage, Handler: api.keys},
		{Method: "POST", Path: "/api/store/keys", Needs: access.KeysManage, Handler: api.createKey},
		{Method: "GET", Path: "/api/store/keys/{id}", Needs: access.KeysManage, Handler: api.key},
		{Method: "DELETE", Path: "/api/store/keys/{id}", Needs: access.KeysManage, Handler: api.revokeKey},
		{Method: "POST", Path: "/api/store/keys/{id}/rotate", Needs: access.KeysManage, Handler: api.rotateKey},

		// Whoever gives out keys knows who else may sign in; nobody else does.
		{Method: "GET", Path: "/api/store/operators", Needs: access.KeysManage, Handler: api.operators},

		// Login codes lie there, and who has one signs in as that customer.
		{Method: "GET", Path: "/api/store/mailbox", Needs: access.KeysManage, Handler: api.mailbox},

		{Method: "GET", Path: runsPath, Needs: access.CatalogRead, Handler: api.runs},
		{Method: "GET", Path: runsPath + "/{id}", Needs: access.CatalogRead, Handler: api.run},
		{Method: "GET", Path: runsPath + "/{id}/errors", Needs: access.CatalogRead, Handler: runapi.Notes(api.exchange, api.findRun, exchange.Error)},
		{Method: "GET", Path: runsPath + "/{id}/warnings", Needs: access.CatalogRead, Handler: runapi.Notes(api.exchange, api.findRun, exchange.Warning)},
		{Method: "GET", Path: runsPath + "/{id}/rejects", Needs: access.CatalogRead, Handler: runapi.Rejects(api.exchange, api.findRun)},
		{Method: "POST", Path: runsPath + "/{id}/revert", Needs: access.CatalogWrite, Handler: api.revertRun},

		{Method: "GET", Path: receiversPath, Needs: access.WebhooksRead, Handler: api.receivers},
		{Method: "POST", Path: receiversPath, Needs: access.WebhooksWrite, Handler: api.createReceiver},
		{Method: "GET", Path: receiversPath + "/{id}", Needs: access.WebhooksRead, Handler: api.receiver},
		{Method: "PUT", Path: receiversPath + "/{id}", Needs: access.WebhooksWrite, Handler: api.editReceiver},
		{Method: "DELETE", Path: receiversPath + "/{id}", Needs: access.WebhooksWrite, Handler: api.deleteReceiver},
		{Method: "POST", Path: receiversPath + "/{id}/test", Needs: access.WebhooksWrite, Handler: api.testReceiver},
		{Method: "POST", Path: receiversPath + "/{id}/rotate-secret", Needs: access.WebhooksWrite, Handler: api.rotateSecret},
		{Method: "POST", Path: receiversPath + "/{id}/recover", Needs: access.WebhooksWrite, Handler: api.recoverReceiver},
		{Method: "GET", Path: deliveriesPath, Needs: access.WebhooksRead, Handler: api.deliveries},
		{Method: "GET", Path: deliveriesPath + "/{id}", Needs: access.WebhooksRead, Handler: api.delivery},
		{Method: "POST", Path: deliveriesPath + "/{id}/redeliver", Needs: access.WebhooksWrite, Handler: api.redeliver},
		{Method: "GET", Path: "/api/store/webhook-types", Needs: access.WebhooksRead, Handler: api.webhookTypes},
		{Method: "GET", Path: "/api/store/events", Needs: access.WebhooksRead, Handler: api.events},
	}, routeDocs())
}
