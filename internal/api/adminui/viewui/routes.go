// Package viewui serves the forms that save, change and delete views of lists. The lists show their views themselves.
package viewui

import (
	"embed"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/listview"
)

//go:embed templates/*.html
var templates embed.FS

// Check reads the query of a request as that of a list. It reports errors through r.Fail.
type Check func(r *httpapi.Request)

// Deps are what the forms need: of each list the function that checks its query.
type Deps struct {
	*frame.Frame
	Checks map[listview.List]Check
}

// UI serves the forms. It is safe for concurrent use.
type UI struct {
	Deps
	pages *frame.Pages
}

// New returns the forms. It panics if a template is invalid.
func New(d Deps) *UI { return &UI{Deps: d, pages: d.NewPages("viewui", templates, nil)} }

// Routes returns the routes. Everybody who sees a list may have views of it; its handlers check that, and who may
// change shared ones.
func (ui *UI) Routes() []httpapi.Route {
	return []httpapi.Route{
		frame.Page("POST", "/views/{list}", access.StoreRead, ui.create),
		frame.Page("GET", "/views/{list}/{id}", access.StoreRead, ui.pages.Show("view", ui.view)),
		frame.Page("POST", "/views/{list}/{id}", access.StoreRead, ui.change),
		frame.Page("POST", "/views/{list}/{id}/delete", access.StoreRead, ui.delete),
	}
}
