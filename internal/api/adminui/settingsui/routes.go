// Package settingsui serves the pages of the store's settings, its keys and its mailbox.
package settingsui

import (
	"embed"
	"html/template"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/protection"
	"vitrine/internal/shop/store"
)

//go:embed templates/*.html
var templates embed.FS

// Deps are the services that the pages use.
type Deps struct {
	*frame.Frame
	Stores     *store.Service
	Protection *protection.Service
	Notify     *notify.Service
}

// UI serves the pages. It is safe for concurrent use.
type UI struct {
	Deps
	pages *frame.Pages
}

// New parses the embedded templates when they are first used.
func New(d Deps) *UI {
	return &UI{Deps: d, pages: d.NewPages("settingsui", templates, template.FuncMap{
		"kind": kindName, "scope": scopeName, "language": frame.LanguageName, "provider": providerName})}
}

// Routes returns the routes of the pages.
func (ui *UI) Routes() []httpapi.Route {
	return []httpapi.Route{
		frame.Page("GET", "/mailbox", access.KeysManage, ui.mailboxPage),

		frame.Page("GET", "/settings", access.StoreRead, ui.settingsPage),
		frame.Page("POST", "/settings", access.StoreWrite, ui.saveSettings),

		frame.Page("GET", "/keys", access.KeysManage, ui.keysPage),
		frame.Page("GET", "/keys/new", access.KeysManage, ui.newKeyPage),
		frame.Page("POST", "/keys", access.KeysManage, ui.createKey),
		frame.Page("GET", "/keys/{id}/rotate", access.KeysManage, ui.rotateKeyPage),
		frame.Page("POST", "/keys/{id}/rotate", access.KeysManage, ui.rotateKey),
		frame.Page("GET", "/keys/{id}/revoke", access.KeysManage, ui.revokeKeyPage),
		frame.Page("POST", "/keys/{id}/revoke", access.KeysManage, ui.revokeKey),
	}
}
