// Package exchangeui serves the pages of the exchange: how to connect an accounting system, what it pushed, and files
// that operators upload.
package exchangeui

import (
	"embed"
	"net/http"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/exchange/onec"
)

//go:embed templates/*.html
var templates embed.FS

// Deps are the services that the pages use.
type Deps struct {
	*frame.Frame
	Exchange *exchange.Service
	OneC     *onec.Service
	Prices   *pricelist.Service
	// APIURL returns the address of the store's API, as the client of the request may reach it.
	APIURL func(r *http.Request) string
}

// UI serves the pages. It is safe for concurrent use.
type UI struct {
	Deps
	pages *frame.Pages
}

// New parses the embedded templates when they are first used.
func New(d Deps) *UI { return &UI{Deps: d, pages: d.NewPages("exchangeui", templates, nil)} }

// Routes returns the routes of the pages.
func (ui *UI) Routes() []httpapi.Route {
	return []httpapi.Route{
		frame.Page("GET", "/exchange", access.CatalogRead, ui.runsPage),
		frame.Page("GET", "/exchange/connect", access.CatalogRead, ui.pages.Show("connect", ui.connectPage)),
		frame.Page("POST", "/exchange/connect", access.KeysManage, ui.createToken),
		frame.Page("GET", "/exchange/1c", access.CatalogRead, ui.pages.Show("onec", ui.oneCPage)),
		frame.Page("POST", "/exchange/1c", access.StoreWrite, ui.saveOneC),
		frame.Page("POST", "/exchange/1c/token", access.KeysManage, ui.createOneCToken),
		frame.Page("GET", "/exchange/upload", access.CatalogWrite, ui.uploadPage),
		frame.LongAction("/exchange/upload", access.CatalogWrite, ui.upload),
		frame.Page("GET", "/exchange/pending", access.CatalogRead, ui.pendingPage),
		frame.Page("GET", "/exchange/{id}", access.CatalogRead, ui.runPage),
		frame.Page("POST", "/exchange/{id}/apply", access.CatalogWrite, ui.applyUpload),
		frame.Page("POST", "/exchange/{id}/retry", access.CatalogWrite, ui.retryRun),
		frame.Page("POST", "/exchange/{id}/discard", access.CatalogWrite, ui.discardUpload),
		frame.Page("GET", "/exchange/{id}/columns", access.CatalogWrite, ui.columnsPage),
		frame.Page("POST", "/exchange/{id}/columns", access.CatalogWrite, ui.chooseColumns),
		frame.Page("GET", "/exchange/{id}/errors", access.CatalogRead, ui.notesPage(exchange.Error)),
		frame.Page("GET", "/exchange/{id}/warnings", access.CatalogRead, ui.notesPage(exchange.Warning)),
		frame.Page("GET", "/exchange/{id}/changes", access.CatalogRead, ui.changesPage),
		frame.Download("/exchange/{id}/rejects", access.CatalogRead, ui.downloadRejects),
		frame.Page("GET", "/exchange/{id}/undo", access.CatalogWrite, ui.undoPage),
		frame.LongAction("/exchange/{id}/undo", access.CatalogWrite, ui.undoRun),
		frame.Page("GET", "/exchange/{id}/revert", access.CatalogWrite, ui.revertRunPage),
		frame.LongAction("/exchange/{id}/revert", access.CatalogWrite, ui.revertRun),
	}
}
