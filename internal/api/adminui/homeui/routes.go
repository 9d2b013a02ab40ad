// Package homeui serves the first page of the administration.
package homeui

import (
	"embed"
	"html/template"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/access"
)

//go:embed templates/*.html
var templates embed.FS

// Deps are the services that the pages use.
type Deps struct {
	*frame.Frame
}

// UI serves the pages. It is safe for concurrent use.
type UI struct {
	Deps
	pages *frame.Pages
}

// New parses the embedded templates when they are first used.
func New(d Deps) *UI {
	return &UI{Deps: d, pages: d.NewPages("homeui", templates, template.FuncMap{
		"role": frame.Capitalize[access.Role], "language": frame.LanguageName})}
}

// Routes returns the routes of the pages.
func (ui *UI) Routes() []httpapi.Route {
	return []httpapi.Route{frame.Page("GET", "/{$}", access.StoreRead, ui.overviewPage)}
}
