package adminapi

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/api/runapi"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/exchange/onec"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/protection"
	"vitrine/internal/shop/webhook"
)

// Deps are the services that the handlers call.
type Deps struct {
	Protection *protection.Service
	Access     *access.Service
	Accounts   *account.Service
	Exchange   *exchange.Service
	OneC       *onec.Service
	Notify     *notify.Service
	Webhooks   *webhook.Service
	// AdminURL is the configured URL of the administration without a trailing slash, or empty.
	AdminURL string
}

// API has the services that the handlers call.
type API struct {
	protection *protection.Service
	access     *access.Service
	accounts   *account.Service
	exchange   *exchange.Service
	onec       *onec.Service
	notify     *notify.Service
	webhooks   *webhook.Service
	adminURL   string
}

// New returns an API that calls the given services.
func New(d Deps) *API {
	return &API{protection: d.Protection, access: d.Access, accounts: d.Accounts, exchange: d.Exchange,
		onec: d.OneC, notify: d.Notify, webhooks: d.Webhooks, adminURL: d.AdminURL}
}

// Routes returns all routes of the API. The server must accept only secret keys and operators: the scopes alone do not
// exclude publishable keys, which also have the scope store:read.
func (api *API) Routes() []httpapi.Route {
	return openapi.Describe([]httpapi.Route{
		{Method: "GET", Path: "/api/me", Needs: httpapi.AnyScope, Handler: api.me},
		{Method: "PUT", Path: "/api/me", Needs: httpapi.AnyScope, Handler: api.editMe},

		{Method: "GET", Path: "/api/store/settings", Needs: access.StoreRead, Handler: api.settings},
		{Method: "PUT", Path: "/api/store/settings", Needs: access.StoreWrite, Handler: api.editSettings},

		{Method: "GET", Path: "/api/store/keys", Needs: access.KeysManage, Handler: api.keys},
		{Method: "POST", Path: "/api/store/keys", Needs: access.KeysManage, Handler: api.createKey},
		{Method: "GET", Path: "/api/store/keys/{id}", Needs: access.KeysManage, Handler: api.key},
		{Method: "PUT", Path: "/api/store/keys/{id}", Needs: access.KeysManage, Handler: api.editKey},
		{Method: "DELETE", Path: "/api/store/keys/{id}", Needs: access.KeysManage, Handler: api.revokeKey},
		{Method: "POST", Path: "/api/store/keys/{id}/rotate", Needs: access.KeysManage, Handler: api.rotateKey},

		{Method: "GET", Path: operatorsPath, Needs: access.OperatorsManage, Handler: api.operators},
		{Method: "POST", Path: operatorsPath, Needs: access.OperatorsManage, Handler: api.inviteOperator},
		{Method: "GET", Path: operatorsPath + "/{id}", Needs: access.OperatorsManage, Handler: api.operator},
		{Method: "PUT", Path: operatorsPath + "/{id}", Needs: access.OperatorsManage, Handler: api.editOperator},
		{Method: "DELETE", Path: operatorsPath + "/{id}", Needs: access.OperatorsManage, Handler: api.removeOperator},

		// The mailbox contains login codes, with which a caller could sign in as a customer.
		{Method: "GET", Path: "/api/store/mailbox", Needs: access.KeysManage, Handler: api.mailbox},

		{Method: "GET", Path: runsPath, Needs: access.CatalogRead, Handler: api.runs},
		{Method: "GET", Path: runsPath + "/{id}", Needs: access.CatalogRead, Handler: api.run},
		{Method: "GET", Path: runsPath + "/{id}/errors", Needs: access.CatalogRead,
			Handler: runapi.NotesHandler(api.exchange, api.findRun, exchange.Error)},
		{Method: "GET", Path: runsPath + "/{id}/warnings", Needs: access.CatalogRead,
			Handler: runapi.NotesHandler(api.exchange, api.findRun, exchange.Warning)},
		{Method: "GET", Path: runsPath + "/{id}/changes", Needs: access.CatalogRead,
			Handler: runapi.ChangesHandler(api.exchange, api.findRun)},
		{Method: "GET", Path: runsPath + "/{id}/rejects", Needs: access.CatalogRead, Class: httpapi.ClassHeavy,
			Handler: runapi.RejectsHandler(api.exchange, api.findRun)},
		{Method: "POST", Path: runsPath + "/{id}/revert", Needs: access.CatalogWrite, Class: httpapi.ClassGate,
			Handler: api.revertRun},

		{Method: "GET", Path: receiversPath, Needs: access.WebhooksRead, Handler: api.receivers},
		{Method: "POST", Path: receiversPath, Needs: access.WebhooksWrite, Handler: api.createReceiver},
		{Method: "GET", Path: receiversPath + "/{id}", Needs: access.WebhooksRead, Handler: api.receiver},
		{Method: "PUT", Path: receiversPath + "/{id}", Needs: access.WebhooksWrite, Handler: api.editReceiver},
		{Method: "DELETE", Path: receiversPath + "/{id}", Needs: access.WebhooksWrite, Handler: api.deleteReceiver},
		{Method: "POST", Path: receiversPath + "/{id}/test", Needs: access.WebhooksWrite, Handler: api.testReceiver},
		{Method: "POST", Path: receiversPath + "/{id}/rotate-secret", Needs: access.WebhooksWrite,
			Handler: api.rotateSecret},
		{Method: "POST", Path: receiversPath + "/{id}/recover", Needs: access.WebhooksWrite,
			Handler: api.recoverReceiver},
		{Method: "GET", Path: deliveriesPath, Needs: access.WebhooksRead, Handler: api.deliveries},
		{Method: "GET", Path: deliveriesPath + "/{id}", Needs: access.WebhooksRead, Handler: api.delivery},
		{Method: "POST", Path: deliveriesPath + "/{id}/redeliver", Needs: access.WebhooksWrite, Handler: api.redeliver},
		{Method: "GET", Path: "/api/store/webhook-types", Needs: access.WebhooksRead, Handler: api.webhookTypes},
		{Method: "GET", Path: "/api/store/events", Needs: access.WebhooksRead, Handler: api.events},
	}, routeDocs())
}
