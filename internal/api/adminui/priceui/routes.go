// Package priceui serves the pages of price lists and of the customer groups that get their prices.
package priceui

import (
	"embed"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/pricelist"
)

//go:embed templates/*.html
var templates embed.FS

// Deps are the services that the pages use.
type Deps struct {
	*frame.Frame
	Catalog *catalog.Service
	Prices  *pricelist.Service
}

// UI serves the pages. It is safe for concurrent use.
type UI struct {
	Deps
	pages *frame.Pages
}

// New returns the pages. It panics if a template is invalid.
func New(d Deps) *UI { return &UI{Deps: d, pages: d.NewPages("priceui", templates, nil)} }

const (
	listsPath  = "/price-lists"
	groupsPath = "/customer-groups"
)

// Routes returns the routes of the pages.
func (ui *UI) Routes() []httpapi.Route {
	show := ui.pages.Show

	return []httpapi.Route{
		frame.Page("GET", listsPath, access.CatalogRead, show("lists", ui.listsView)),
		frame.Page("POST", listsPath, access.CatalogWrite, ui.createList),
		frame.Page("GET", pricesPath, access.CatalogRead, show("prices", ui.pricesView)),
		frame.Page("POST", pricesPath, access.CatalogWrite, ui.setPrices),
		frame.Page("GET", listsPath+"/{id}", access.CatalogRead, show("list", ui.listView)),
		frame.Page("POST", listsPath+"/{id}", access.CatalogWrite, ui.editList),
		frame.Page("GET", listsPath+"/{id}/delete", access.CatalogWrite, show("list_delete", ui.listView)),
		frame.LongAction(listsPath+"/{id}/delete", access.CatalogWrite, ui.deleteList),

		frame.Page("GET", groupsPath, access.CustomersRead, show("groups", ui.groupsView)),
		frame.Page("POST", groupsPath, access.CustomersWrite, ui.createGroup),
		frame.Page("GET", groupsPath+"/{id}", access.CustomersRead, show("group", ui.groupView)),
		frame.Page("POST", groupsPath+"/{id}", access.CustomersWrite, ui.editGroup),
		frame.Page("GET", groupsPath+"/{id}/delete", access.CustomersWrite, show("group_delete", ui.groupView)),
		frame.LongAction(groupsPath+"/{id}/delete", access.CustomersWrite, ui.deleteGroup),
	}
}
