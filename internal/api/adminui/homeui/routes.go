// Package homeui serves the first page of the administration: the figures of the shop or, for a new shop, what is left
// to be done.
package homeui

import (
	"embed"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/protection"
	"vitrine/internal/shop/webhook"
)

//go:embed templates/*.html
var templates embed.FS

// Deps are the services that the pages use.
type Deps struct {
	*frame.Frame
	Exchange   *exchange.Service
	Webhooks   *webhook.Service
	Protection *protection.Service
	Notify     *notify.Service
	Catalog    *catalog.Service
}

// UI serves the first page of the administration. It is safe for concurrent use.
type UI struct {
	Deps
	pages *frame.Pages
}

// New parses the embedded templates when they are first used.
func New(d Deps) *UI { return &UI{Deps: d, pages: d.NewPages("homeui", templates, nil)} }

// Routes returns the routes of the pages.
func (ui *UI) Routes() []httpapi.Route {
	return []httpapi.Route{frame.Page("GET", "/{$}", access.StoreRead, ui.homePage)}
}
