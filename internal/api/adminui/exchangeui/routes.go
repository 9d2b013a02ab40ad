// Package exchangeui serves the pages of the exchange: what accounting systems pushed.
package exchangeui

import (
	"embed"
	"html/template"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/exchange"
)

//go:embed templates/*.html
var templates embed.FS

// Deps are the services that the pages use.
type Deps struct {
	*frame.Frame
	Exchange *exchange.Service
}

// UI serves the pages. It is safe for concurrent use.
type UI struct {
	Deps
	pages *frame.Pages
}

// New parses the embedded templates when they are first used.
func New(d Deps) *UI {
	return &UI{Deps: d, pages: d.NewPages("exchangeui", templates, template.FuncMap{
		"entityTitle": entityTitle, "entityLower": entityLower})}
}

// Routes returns the routes of the pages.
func (ui *UI) Routes() []httpapi.Route {
	return []httpapi.Route{
		frame.Page("GET", "/exchange", access.CatalogRead, ui.runsPage),
		frame.Page("GET", "/exchange/{id}", access.CatalogRead, ui.runPage),
		frame.Page("GET", "/exchange/{id}/errors", access.CatalogRead, ui.notesPage(exchange.Error)),
		frame.Page("GET", "/exchange/{id}/warnings", access.CatalogRead, ui.notesPage(exchange.Warning)),
		frame.Page("GET", "/exchange/{id}/rejects", access.CatalogRead, ui.downloadRejects),
		frame.Page("GET", "/exchange/{id}/revert", access.CatalogWrite, ui.revertRunPage),
		frame.LongAction("/exchange/{id}/revert", access.CatalogWrite, ui.revertRun),
	}
}
