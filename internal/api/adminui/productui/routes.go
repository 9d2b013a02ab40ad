package productui

import (
	"embed"
	"html/template"
	"slices"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/bulk"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/search"
)

//go:embed templates/*.html
var templates embed.FS

// Deps are the services that the pages use.
type Deps struct {
	*frame.Frame
	Catalog *catalog.Service
	Search  *search.Service
	Images  *imagefile.Files
	Bulk    *bulk.Service
	Prices  *pricelist.Service
	// Exchange writes tables of products.
	Exchange *exchange.Service
	// PublicURL is the URL of the public API without a trailing slash, or empty if it is not known.
	PublicURL string
}

// UI serves the pages. It is safe for concurrent use.
type UI struct {
	Deps
	pages *frame.Pages
}

// New returns the pages. It panics if a template is invalid.
func New(d Deps) *UI {
	return &UI{Deps: d, pages: d.NewPages("productui", templates, template.FuncMap{
		"position": func(i int) int { return i + 1 }, // rows are counted from 1
		"columns":  func(form *productForm) int { return len(form.Options) + len(form.Stocks) + 8 },
		"chosen": func(cross crossForm, optionID string) bool {
			return slices.ContainsFunc(cross.Options, func(o crossOption) bool { return o.ID == optionID })
		},
	})}
}

// Routes returns the routes of the pages.
func (ui *UI) Routes() []httpapi.Route {
	read, write := access.CatalogRead, access.CatalogWrite
	changes, sheet, table := bulkUI{ui}, sheetUI{ui}, tableUI{ui}

	return []httpapi.Route{
		frame.Page("GET", "/products", read, ui.listPage),
		frame.Page("GET", "/products/new", write, ui.newPage),
		frame.Page("POST", "/products/new", write, ui.create),
		frame.Page("GET", "/products/values", read, ui.suggestValues),
		frame.PostedDownload("/products/download", read, table.download),
		frame.Page("GET", sheetPath, write, sheet.page),
		frame.LongAction(sheetPath, write, sheet.save),
		frame.Page("GET", "/products/{id}", read, ui.productPage),
		frame.Page("POST", "/products/{id}", write, ui.save),
		frame.Page("GET", storefrontPath, read, ui.shopPage),
		frame.Page("GET", "/products/{id}/storefront", read, ui.storefrontPage),
		frame.Page("POST", "/products/{id}/archive", write, ui.archive),
		frame.Page("POST", "/products/{id}/restore", write, ui.restore),
		frame.Page("GET", "/products/{id}/delete", write, ui.pages.Show("product_delete", ui.deletionView)),
		frame.Page("POST", "/products/{id}/delete", write, ui.delete),
		frame.Page("POST", "/products/{id}/variants/{variant}/restore", write, ui.restoreVariant),

		frame.Page("GET", "/pictures/{image}/{file}", read, ui.serveImage),
		frame.LongAction("/products/{id}/images", write, ui.addImage),
		frame.Page("POST", "/products/{id}/images/order", write, ui.orderImages),
		frame.Page("POST", "/products/{id}/images/{image}/remove", write, ui.removeImage),

		frame.Page("POST", "/product-changes", write, changes.previewBulk),
		frame.LongAction("/product-changes/start", write, changes.startBulk),
		frame.Page("GET", "/product-changes/{id}", read, changes.bulkPage),
		frame.LongAction("/product-changes/{id}/undo", write, changes.undoBulk),
	}
}
