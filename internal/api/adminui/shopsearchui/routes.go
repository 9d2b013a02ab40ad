// Package shopsearchui serves the pages of the search of the shop: what people search for, synonyms, the products
// that come first for a query, and why products stand in the order in which a search shows them.
package shopsearchui

import (
	"context"
	"embed"
	"strconv"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/searchrule"
	"vitrine/internal/shop/store"
)

//go:embed templates/*.html
var templates embed.FS

// Deps are the services that the pages use.
type Deps struct {
	*frame.Frame
	Search *search.Service
}

// UI serves the pages. It is safe for concurrent use.
type UI struct {
	Deps
	pages *frame.Pages
}

// New returns the pages. It panics if a template is invalid.
func New(d Deps) *UI { return &UI{Deps: d, pages: d.NewPages("shopsearchui", templates, nil)} }

const (
	queriesPath  = "/shop-search"
	synonymsPath = queriesPath + "/synonyms"
	entryPath    = synonymsPath + "/entry"
	whyPath      = queriesPath + "/why"
	pinsPath     = queriesPath + "/pins"
	pinPath      = pinsPath + "/pin"

	navItem     = "shopsearch"
	rowsPerPage = 50
)

// Routes returns the routes of the pages.
func (ui *UI) Routes() []httpapi.Route {
	show := ui.pages.Show

	return []httpapi.Route{
		frame.Page("GET", queriesPath, access.CatalogRead, ui.queriesPage),
		frame.Page("GET", synonymsPath, access.CatalogRead, show("synonyms", ui.synonymsView)),
		frame.Page("GET", entryPath, access.CatalogWrite, show("entry", ui.entryView)),
		frame.LongAction(entryPath, access.CatalogWrite, ui.changeEntry),
		frame.Page("GET", whyPath, access.CatalogRead, show("why", ui.whyView)),
		frame.Page("GET", pinsPath, access.CatalogRead, show("pins", ui.pinsView)),
		frame.Page("GET", pinPath, access.CatalogWrite, show("pin", ui.pinView)),
		frame.LongAction(pinPath, access.CatalogWrite, ui.changePin),
	}
}

// tab is a link to one of the pages.
type tab struct {
	Text, URL string
	Current   bool
}

// tabs returns the links to the four pages, for the one at a path.
func tabs(v *frame.View, path string) []tab {
	return []tab{
		{v.T("What people search"), queriesPath, path == queriesPath},
		{v.T("Synonyms"), synonymsPath, path == synonymsPath},
		{v.T("Pinned products"), pinsPath, path == pinsPath},
		{v.T("Why this order"), whyPath, path == whyPath},
	}
}

// pageOf returns the rows of a page and the links to those before and after. The function link returns the address of a
// page.
func pageOf[T any](rows []T, page int64, link func(page string) string) ([]T, frame.Pager) {
	var pager frame.Pager
	from := min((max(page, 1)-1)*rowsPerPage, int64(len(rows)))
	to := min(from+rowsPerPage, int64(len(rows)))
	if from > 0 {
		pager.Previous = link(strconv.FormatInt(max(page, 1)-1, 10))
	}
	if to < int64(len(rows)) {
		pager.Next = link(strconv.FormatInt(max(page, 1)+1, 10))
	}
	return rows[from:to], pager
}

// readSynonyms returns the synonyms of the store.
func (ui *UI) readSynonyms(r *httpapi.Request) (searchrule.SynonymList, error) {
	return frame.InStore(r, ui.Read(r), func(ctx context.Context, tx store.Tx) (searchrule.SynonymList, error) {
		return searchrule.FindSynonyms(ctx, tx)
	})
}

// readPins returns the pins of the store.
func (ui *UI) readPins(r *httpapi.Request) (searchrule.PinList, error) {
	return frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (searchrule.PinList, error) {
		return searchrule.FindPins(ctx, tx)
	})
}
