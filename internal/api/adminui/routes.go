// Package adminui serves the store administration for people: pages that are rendered on the server and work without
// JavaScript, and the assets that they load. A handler reads a form, calls one use-case and writes HTML. The package
// has no business rules and no SQL.
package adminui

import (
	"html/template"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/protection"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

// Deps are the services that the pages use.
type Deps struct {
	DB         *database.DB
	Stores     *store.Service
	Protection *protection.Service
	Access     *access.Service
	Exchange   *exchange.Service
	Notify     *notify.Service
	Webhooks   *webhook.Service
	Now        func() time.Time
}

// UI serves the pages. It is safe for concurrent use.
type UI struct {
	Deps
	assets    assetFiles
	templates map[string]*template.Template
}

// New loads the embedded templates and assets. It panics if they are invalid.
func New(d Deps) *UI {
	ui := &UI{Deps: d, assets: loadAssets()}
	ui.templates = parseTemplates(ui.assets)
	return ui
}

// Routes returns the routes of all pages. Every change is a POST; the server's Guard refuses POSTs from other origins.
func (ui *UI) Routes() []httpapi.Route {
	return []httpapi.Route{
		{Method: "GET", Path: "/login", Handler: ui.loginPage},
		{Method: "POST", Path: "/login", Handler: ui.login},
		{Method: "POST", Path: "/logout", Handler: ui.logout},
		{Method: "GET", Path: "/assets/{file}", Handler: ui.assets.serve},

		{Method: "GET", Path: "/{$}", Needs: access.StoreRead, Handler: ui.forOperator(ui.overview)},

		{Method: "GET", Path: "/exchange", Needs: access.CatalogRead, Handler: ui.forOperator(ui.runsPage)},
		{Method: "GET", Path: "/exchange/{id}", Needs: access.CatalogRead, Handler: ui.forOperator(ui.runPage)},
		{Method: "GET", Path: "/exchange/{id}/errors", Needs: access.CatalogRead,
			Handler: ui.forOperator(ui.notesPage(exchange.Error))},
		{Method: "GET", Path: "/exchange/{id}/warnings", Needs: access.CatalogRead,
			Handler: ui.forOperator(ui.notesPage(exchange.Warning))},
		{Method: "GET", Path: "/exchange/{id}/rejects", Needs: access.CatalogRead,
			Handler: ui.forOperator(ui.downloadRejects)},
		{Method: "GET", Path: "/exchange/{id}/revert", Needs: access.CatalogWrite,
			Handler: ui.forOperator(ui.revertRunPage)},
		{Method: "POST", Path: "/exchange/{id}/revert", Needs: access.CatalogWrite,
			Handler: ui.forOperatorUntimed(ui.revertRun)},

		{Method: "GET", Path: "/webhooks", Needs: access.WebhooksRead, Handler: ui.forOperator(ui.receiversPage)},
		{Method: "POST", Path: "/webhooks", Needs: access.WebhooksWrite, Handler: ui.forOperator(ui.createReceiver)},
		{Method: "GET", Path: "/webhooks/new", Needs: access.WebhooksWrite,
			Handler: ui.forOperator(ui.newReceiverPage)},
		{Method: "GET", Path: "/webhooks/{id}", Needs: access.WebhooksRead, Handler: ui.forOperator(ui.receiverPage)},
		{Method: "POST", Path: "/webhooks/{id}", Needs: access.WebhooksWrite,
			Handler: ui.forOperatorUntimed(ui.receiverAction)},
		{Method: "GET", Path: "/webhooks/{id}/edit", Needs: access.WebhooksWrite,
			Handler: ui.forOperator(ui.editReceiverPage)},
		{Method: "POST", Path: "/webhooks/{id}/edit", Needs: access.WebhooksWrite,
			Handler: ui.forOperator(ui.editReceiver)},
		{Method: "GET", Path: "/webhooks/{id}/rotate", Needs: access.WebhooksWrite,
			Handler: ui.forOperator(ui.rotateSecretPage)},
		{Method: "POST", Path: "/webhooks/{id}/rotate", Needs: access.WebhooksWrite,
			Handler: ui.forOperator(ui.rotateSecret)},
		{Method: "GET", Path: "/webhooks/{id}/delete", Needs: access.WebhooksWrite,
			Handler: ui.forOperator(ui.deleteReceiverPage)},
		{Method: "POST", Path: "/webhooks/{id}/delete", Needs: access.WebhooksWrite,
			Handler: ui.forOperatorUntimed(ui.deleteReceiver)},
		{Method: "GET", Path: "/deliveries/{id}", Needs: access.WebhooksRead, Handler: ui.forOperator(ui.deliveryPage)},
		{Method: "POST", Path: "/deliveries/{id}", Needs: access.WebhooksWrite, Handler: ui.forOperator(ui.redeliver)},

		{Method: "GET", Path: "/mailbox", Needs: access.KeysManage, Handler: ui.forOperator(ui.mailboxPage)},

		{Method: "GET", Path: "/settings", Needs: access.StoreRead, Handler: ui.forOperator(ui.settingsPage)},
		{Method: "POST", Path: "/settings", Needs: access.StoreWrite, Handler: ui.forOperator(ui.saveSettings)},

		{Method: "GET", Path: "/keys", Needs: access.KeysManage, Handler: ui.forOperator(ui.keysPage)},
		{Method: "GET", Path: "/keys/new", Needs: access.KeysManage, Handler: ui.forOperator(ui.newKeyPage)},
		{Method: "POST", Path: "/keys", Needs: access.KeysManage, Handler: ui.forOperator(ui.createKey)},
		{Method: "GET", Path: "/keys/{id}/rotate", Needs: access.KeysManage, Handler: ui.forOperator(ui.rotateKeyPage)},
		{Method: "POST", Path: "/keys/{id}/rotate", Needs: access.KeysManage, Handler: ui.forOperator(ui.rotateKey)},
		{Method: "GET", Path: "/keys/{id}/revoke", Needs: access.KeysManage, Handler: ui.forOperator(ui.revokeKeyPage)},
		{Method: "POST", Path: "/keys/{id}/revoke", Needs: access.KeysManage, Handler: ui.forOperator(ui.revokeKey)},
	}
}

// inStore returns a function for the transactions of the database that calls fn on behalf of the store of the request.
func inStore(r *httpapi.Request, fn func(store.Tx) error) func(database.Querier) error {
	return func(q database.Querier) error { return fn(store.In(q, r.Principal.Store.ID)) }
}
