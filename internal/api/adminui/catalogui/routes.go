// Package catalogui serves the pages of what products refer to: options and features with their values, the tree of
// categories, warehouses and what they have.
package catalogui

import (
	"embed"
	"html/template"
	"strconv"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/bulk"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/search"
)

//go:embed templates/*.html
var templates embed.FS

// Deps are the services that the pages use.
type Deps struct {
	*frame.Frame
	Catalog *catalog.Service
	Orders  *order.Service
	Images  *imagefile.Files
	Search  *search.Service
	Bulk    *bulk.Service
}

// UI serves the pages. It is safe for concurrent use.
type UI struct {
	Deps
	pages *frame.Pages
}

// New returns the pages.
func New(d Deps) *UI {
	return &UI{Deps: d, pages: d.NewPages("catalogui", templates, template.FuncMap{"least": least})}
}

// Routes returns the routes of the pages.
func (ui *UI) Routes() []httpapi.Route {
	routes := []httpapi.Route{
		frame.Page("GET", "/categories", access.CatalogRead, ui.pages.Show("categories", ui.categoriesPage)),
		frame.Page("POST", "/categories", access.CatalogWrite, ui.createCategory),
		frame.Page("POST", "/categories/step", access.CatalogWrite, ui.stepCategory),
		frame.Page("GET", "/categories/{id}", access.CatalogRead, ui.pages.Show("category", ui.categoryPage)),
		frame.Page("POST", "/categories/{id}", access.CatalogWrite, ui.renameCategory),
		frame.Page("POST", "/categories/{id}/move", access.CatalogWrite, ui.moveCategory),
		frame.LongAction("/categories/{id}/image", access.CatalogWrite, ui.setCategoryImage),
		frame.Page("POST", "/categories/{id}/image/remove", access.CatalogWrite, ui.removeCategoryImage),
		frame.Page("GET", "/categories/{id}/delete", access.CatalogWrite,
			ui.pages.Show("category_delete", ui.categoryDeletionView)),
		frame.LongAction("/categories/{id}/delete", access.CatalogWrite, ui.deleteCategory),

		frame.Page("GET", "/stock", access.CatalogRead, ui.pages.Show("stock", ui.stockView)),
		frame.Page("POST", "/stock/quantity", access.CatalogWrite, ui.setQuantity),
		frame.LongAction("/stock/quantities", access.CatalogWrite, ui.setQuantities),
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
