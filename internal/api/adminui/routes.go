// Package adminui serves the store administration for people: pages that are rendered on the server and work without
// JavaScript, and the assets that they load. A handler reads a form, calls one use-case and writes HTML. The package
// has no business rules and no SQL.
package adminui

import (
	"context"
	"html/template"
	"net/http"
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

// Routes returns the routes of all pages. Every change is a POST, which httpapi.Server.Guard refuses if it comes from
// another origin.
func (ui *UI) Routes() []httpapi.Route {
	page := func(method, path string, needs access.Scope, h httpapi.Handler) httpapi.Route {
		return httpapi.Route{Method: method, Path: path, Needs: needs, Handler: forOperator(withTimeout(h))}
	}
	// longAction returns a route without a timeout, for a handler that may change many rows.
	longAction := func(path string, needs access.Scope, h httpapi.Handler) httpapi.Route {
		return httpapi.Route{Method: "POST", Path: path, Needs: needs, Handler: forOperator(h)}
	}
	return []httpapi.Route{
		{Method: "GET", Path: "/login", Handler: ui.loginPage},
		{Method: "POST", Path: "/login", Handler: ui.login},
		{Method: "POST", Path: "/logout", Handler: ui.logout},
		{Method: "GET", Path: "/invitation/{token}", Handler: ui.invitationPage},
		{Method: "POST", Path: "/invitation/{token}", Handler: ui.acceptInvitation},
		{Method: "GET", Path: "/assets/{file}", Handler: ui.assets.serve},

		page("GET", "/{$}", access.StoreRead, ui.overviewPage),

		page("GET", "/exchange", access.CatalogRead, ui.runsPage),
		page("GET", "/exchange/{id}", access.CatalogRead, ui.runPage),
		page("GET", "/exchange/{id}/errors", access.CatalogRead, ui.notesPage(exchange.Error)),
		page("GET", "/exchange/{id}/warnings", access.CatalogRead, ui.notesPage(exchange.Warning)),
		page("GET", "/exchange/{id}/rejects", access.CatalogRead, ui.downloadRejects),
		page("GET", "/exchange/{id}/revert", access.CatalogWrite, ui.revertRunPage),
		longAction("/exchange/{id}/revert", access.CatalogWrite, ui.revertRun),

		page("GET", "/webhooks", access.WebhooksRead, ui.receiversPage),
		page("POST", "/webhooks", access.WebhooksWrite, ui.createReceiver),
		page("GET", "/webhooks/new", access.WebhooksWrite, ui.newReceiverPage),
		page("GET", "/webhooks/{id}", access.WebhooksRead, ui.receiverPage),
		longAction("/webhooks/{id}", access.WebhooksWrite, ui.receiverAction),
		page("GET", "/webhooks/{id}/edit", access.WebhooksWrite, ui.editReceiverPage),
		page("POST", "/webhooks/{id}/edit", access.WebhooksWrite, ui.editReceiver),
		page("GET", "/webhooks/{id}/rotate", access.WebhooksWrite, ui.rotateSecretPage),
		page("POST", "/webhooks/{id}/rotate", access.WebhooksWrite, ui.rotateSecret),
		page("GET", "/webhooks/{id}/delete", access.WebhooksWrite, ui.deleteReceiverPage),
		longAction("/webhooks/{id}/delete", access.WebhooksWrite, ui.deleteReceiver),
		page("GET", "/deliveries/{id}", access.WebhooksRead, ui.deliveryPage),
		page("POST", "/deliveries/{id}", access.WebhooksWrite, ui.redeliver),

		page("GET", "/mailbox", access.KeysManage, ui.mailboxPage),

		page("GET", "/settings", access.StoreRead, ui.settingsPage),
		page("POST", "/settings", access.StoreWrite, ui.saveSettings),

		page("GET", "/keys", access.KeysManage, ui.keysPage),
		page("GET", "/keys/new", access.KeysManage, ui.newKeyPage),
		page("POST", "/keys", access.KeysManage, ui.createKey),
		page("GET", "/keys/{id}/rotate", access.KeysManage, ui.rotateKeyPage),
		page("POST", "/keys/{id}/rotate", access.KeysManage, ui.rotateKey),
		page("GET", "/keys/{id}/revoke", access.KeysManage, ui.revokeKeyPage),
		page("POST", "/keys/{id}/revoke", access.KeysManage, ui.revokeKey),
	}
}

// beginFunc runs a function in a transaction. It is a method of database.DB, such as Write, or the result of UI.read or
// UI.snapshot.
type beginFunc func(ctx context.Context, fn func(database.Querier) error) error

// read returns a function that does the same as database.DB.Read, with the priority of the slot that the request has.
func (ui *UI) read(r *httpapi.Request) beginFunc {
	return func(ctx context.Context, fn func(database.Querier) error) error {
		return ui.DB.ReadWith(ctx, r.Priority(), false, fn)
	}
}

// snapshot is like read, but all statements of the function see the same state of the database.
func (ui *UI) snapshot(r *httpapi.Request) beginFunc {
	return func(ctx context.Context, fn func(database.Querier) error) error {
		return ui.DB.ReadWith(ctx, r.Priority(), true, fn)
	}
}

// inStore runs fn in a transaction on the store of the request, which begin starts. If the request has an error,
// inStore returns it and does not call fn.
func inStore[T any](
	r *httpapi.Request, begin beginFunc, fn func(ctx context.Context, tx store.Tx) (T, error),
) (value T, err error) {
	if err := r.Err(); err != nil {
		return value, err
	}
	release, err := r.Admit(r.Context(), r.Class())
	if err != nil {
		return value, err
	}
	defer release()
	err = begin(r.Context(), func(q database.Querier) (err error) {
		value, err = fn(r.Context(), store.In(q, r.Principal.Store.ID))
		return err
	})
	return value, err
}

// changeAndRedirect runs fn in a transaction, as inStore does, and then redirects to target.
func changeAndRedirect(
	w http.ResponseWriter, r *httpapi.Request, begin beginFunc, target string,
	fn func(ctx context.Context, tx store.Tx) error,
) error {
	_, err := inStore(r, begin, func(ctx context.Context, tx store.Tx) (any, error) { return nil, fn(ctx, tx) })
	if err != nil {
		return err
	}
	return redirect(w, r.Request, target)
}
