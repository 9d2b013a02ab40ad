// Package catalogui serves the pages of what products refer to: options and features with their values, the tree of
// categories, warehouses and what they have.
package catalogui

import (
	"context"
	"embed"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/store"
)

//go:embed templates/*.html
var templates embed.FS

// Deps are the services that the pages use.
type Deps struct {
	*frame.Frame
	Catalog *catalog.Service
	Orders  *order.Service
	Search  *search.Service
}

// UI serves the pages. It is safe for concurrent use.
type UI struct {
	Deps
	pages *frame.Pages
}

// New returns the pages.
func New(d Deps) *UI { return &UI{Deps: d, pages: d.NewPages("catalogui", templates, nil)} }

// Routes returns the routes of the pages.
func (ui *UI) Routes() []httpapi.Route {
	routes := []httpapi.Route{
		frame.Page("GET", "/categories", access.CatalogRead, ui.pages.Show("categories", ui.categoriesPage)),
		frame.Page("POST", "/categories", access.CatalogWrite, ui.createCategory),
		frame.Page("POST", "/categories/step", access.CatalogWrite, ui.stepCategory),
		frame.Page("GET", "/categories/{id}", access.CatalogRead, ui.pages.Show("category", ui.categoryPage)),
		frame.Page("POST", "/categories/{id}", access.CatalogWrite, ui.renameCategory),
		frame.Page("POST", "/categories/{id}/move", access.CatalogWrite, ui.moveCategory),
		frame.Page("GET", "/categories/{id}/delete", access.CatalogWrite,
			ui.pages.Show("category_delete", ui.categoryDeletionView)),
		frame.LongAction("/categories/{id}/delete", access.CatalogWrite, ui.deleteCategory),

		frame.Page("GET", "/stock", access.CatalogRead, ui.pages.Show("stock", ui.stockView)),
		frame.Page("POST", "/stock/quantity", access.CatalogWrite, ui.setQuantity),
		frame.Page("GET", "/stock/warehouses", access.CatalogRead, ui.pages.Show("warehouses", ui.warehousesView)),
		frame.Page("POST", "/stock/warehouses", access.CatalogWrite, ui.createWarehouse),
		frame.Page("POST", "/stock/warehouses/{id}", access.CatalogWrite, ui.renameWarehouse),
		frame.Page("GET", "/stock/warehouses/{id}/delete", access.CatalogWrite,
			ui.pages.Show("warehouse_delete", ui.warehouseDeletionView)),
		frame.LongAction("/stock/warehouses/{id}/delete", access.CatalogWrite, ui.deleteWarehouse),
	}
	for _, p := range []attributePages{{ui, catalog.Option, "/options"}, {ui, catalog.Feature, "/features"}} {
		routes = append(routes, p.routes()...)
	}

	return routes
}

func (p attributePages) routes() []httpapi.Route {
	one := p.path + "/{id}"

	return []httpapi.Route{
		frame.Page("GET", p.path, access.CatalogRead, p.pages.Show("attributes", p.listView)),
		frame.Page("POST", p.path, access.CatalogWrite, p.create),
		frame.Page("GET", one, access.CatalogRead, p.pages.Show("attribute", p.view)),
		frame.LongAction(one, access.CatalogWrite, p.edit),
		frame.Page("GET", one+"/delete", access.CatalogWrite, p.pages.Show("attribute_delete", p.deletionView)),
		frame.LongAction(one+"/delete", access.CatalogWrite, p.delete),
		frame.LongAction(one+"/values", access.CatalogWrite, p.addValues),
		frame.Page("GET", one+"/values/remove", access.CatalogWrite, p.removeValuesPage),
		frame.LongAction(one+"/values/remove", access.CatalogWrite, p.removeValues),
		frame.Page("GET", one+"/values/merge", access.CatalogWrite, p.mergeValuesPage),
		frame.LongAction(one+"/values/merge", access.CatalogWrite, p.mergeValues),
		frame.Page("POST", one+"/values/sort", access.CatalogWrite, p.sortValues),
		frame.Page("POST", one+"/values/{value}", access.CatalogWrite, p.renameValue),
		frame.Page("POST", one+"/values/{value}/place", access.CatalogWrite, p.placeValue),
	}
}

// pageSize is the number of rows on a page of a list.
const pageSize = 50

// pager returns the links to the pages around page number, of a list with total rows, which a search selects.
func pager(path, search string, number, total int64) frame.Pager {
	var p frame.Pager
	if number > 1 {
		p.Previous = pageURL(path, search, number-1)
	}
	if number*pageSize < total {
		p.Next = pageURL(path, search, number+1)
	}
	return p
}

// pageURL returns the address of a page of a list, which a search selects.
func pageURL(path, search string, number int64) string {
	page := ""
	if number > 1 {
		page = strconv.FormatInt(number, 10)
	}
	return frame.Address(path, "q", search, "page", page)
}

// maxPage is the last page of a list that can be asked for. The database reads and skips the rows of the pages before
// it, so a page after deepPage is heavy.
const (
	maxPage  = 1_000_000
	deepPage = 200
)

// backTo returns the address in the form from which the operator came, if it belongs to the page at path, or path.
func backTo(r *httpapi.Request, path string) string {
	back := frame.LocalRedirectPath(r.PostForm.Get("back"))
	if rest, ok := strings.CutPrefix(back, path); ok && (rest == "" || rest[0] == '?') {
		return back
	}
	return path
}

// showAgain gives the request the query of the address from which its form was sent, so that a refused form is shown
// among the rows that the operator saw.
func showAgain(r *httpapi.Request, path string) {
	_, r.URL.RawQuery, _ = strings.Cut(backTo(r, path), "?")
}

// rowField is a field in a row of a list: the present text, or one that was refused with the reason.
type rowField struct{ Text, Message string }

// renderedVersion returns the precondition that an object still has the version with which the form was rendered. It
// never holds for a form without a version.
func renderedVersion(r *httpapi.Request) fault.Precondition {
	version, err := strconv.ParseInt(r.PostForm.Get("version"), 10, 64)
	return func(v int64) bool { return err == nil && v == version }
}

// changeLong does the same as frame.Change, for a change that may take long: on SQLite it gives way to other writes.
func changeLong[T any](
	ui *UI, r *httpapi.Request, fn func(ctx context.Context, tx store.Tx) (T, error),
) (value T, err error) {
	if err := r.Err(); err != nil {
		return value, err
	}
	release, err := r.Work.AdmitLong(r.Context()) // before the slot that InStore waits for
	if err != nil {
		return value, err
	}
	defer release()
	return frame.InStore(r, r.WriteLong, fn)
}

// refused reports whether the form is to be shown again with the error, because the operator can correct it.
func refused(err error) bool {
	switch fault.KindOf(err) {
	case fault.Invalid, fault.Conflict, fault.Stale:
		return true
	}
	return false
}

// stale says that something has changed since the form was rendered, and what it is now.
func stale(v frame.View, now string) string {
	return v.T("Somebody else has changed this meanwhile. Now it is: %s. Look at the form and save again.", now)
}

// staleImpact says that something has changed since the page showed what its deletion would do.
func staleImpact(v frame.View) string {
	return v.T("Somebody else has changed this meanwhile. Look at it again.")
}
