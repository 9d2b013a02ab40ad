// Package adminui serves the store administration for people: pages that are rendered on the server and work without
// JavaScript, and the assets that they load. Each part of the administration is a package of its own; package frame
// has what they share. A handler reads a form, calls one use-case and writes HTML. There are no business rules and no
// SQL here.
package adminui

import (
	"net/http"
	"slices"
	"time"

	"vitrine/internal/api/adminui/catalogui"
	"vitrine/internal/api/adminui/exchangeui"
	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/adminui/homeui"
	"vitrine/internal/api/adminui/orderui"
	"vitrine/internal/api/adminui/priceui"
	"vitrine/internal/api/adminui/productui"
	"vitrine/internal/api/adminui/searchui"
	"vitrine/internal/api/adminui/settingsui"
	"vitrine/internal/api/adminui/shopsearchui"
	"vitrine/internal/api/adminui/signinui"
	"vitrine/internal/api/adminui/viewui"
	"vitrine/internal/api/adminui/webhookui"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/address"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/bulk"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/exchange/onec"
	"vitrine/internal/shop/feed"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/inquiry"
	"vitrine/internal/shop/listview"
	"vitrine/internal/shop/live"
	"vitrine/internal/shop/mailing"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/privacy"
	"vitrine/internal/shop/protection"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

// Deps are the services that the pages use.
type Deps struct {
	DB         *database.DB
	Stores     *store.Service
	Protection *protection.Service
	Access     *access.Service
	Accounts   *account.Service
	Audit      *audit.Service
	Exchange   *exchange.Service
	OneC       *onec.Service
	Notify     *notify.Service
	Mailing    *mailing.Service
	Search     *search.Service
	Webhooks   *webhook.Service
	Orders     *order.Service
	Inquiries  *inquiry.Service
	Customers  *customer.Service
	Catalog    *catalog.Service
	Prices     *pricelist.Service
	Addresses  *address.Service
	Feeds      *feed.Service
	Images     *imagefile.Files
	Bulk       *bulk.Service
	Queue      *queue.Queue
	Privacy    *privacy.Service
	// Live tells pages that lists have changed; nil if it does not.
	Live *live.Hub
	// PublicURL is the address of the public API.
	PublicURL string
	// AdminURL is the configured address of the administration, or empty.
	AdminURL string
	// APIURL returns the address of the store's API, as the client of the request may reach it.
	APIURL func(r *http.Request) string
	Now    func() time.Time
	// NoBackground says that the server does no background work; all pages show it.
	NoBackground bool
}

// UI serves the pages. It is safe for concurrent use.
type UI struct {
	frame *frame.Frame
	parts []part
}

// part is a part of the administration.
type part interface{ Routes() []httpapi.Route }

// New loads the embedded templates and assets. It panics if they are invalid.
func New(d Deps) *UI {
	f := frame.New(frame.Deps{DB: d.DB, Access: d.Access, Accounts: d.Accounts, Audit: d.Audit, Now: d.Now,
		Live: d.Live, NoBackground: d.NoBackground})

	orders := orderui.New(orderui.Deps{Frame: f, Orders: d.Orders, Inquiries: d.Inquiries, Customers: d.Customers,
		Webhooks: d.Webhooks, Privacy: d.Privacy, Prices: d.Prices, Catalog: d.Catalog})
	products := productui.New(productui.Deps{Frame: f, Catalog: d.Catalog, Search: d.Search, Images: d.Images,
		Bulk: d.Bulk, Prices: d.Prices, Exchange: d.Exchange, PublicURL: d.PublicURL})

	ui := &UI{frame: f, parts: []part{
		signinui.New(signinui.Deps{Frame: f, Stores: d.Stores, Notify: d.Notify, AdminURL: d.AdminURL}),
		homeui.New(homeui.Deps{Frame: f, Exchange: d.Exchange, Webhooks: d.Webhooks, Protection: d.Protection,
			Notify: d.Notify, Catalog: d.Catalog}),
		orders,
		products,
		viewui.New(viewui.Deps{Frame: f, Checks: map[listview.List]viewui.Check{
			listview.Orders: orderui.OrdersViewCheck(orders), listview.Inquiries: orderui.CheckInquiriesView,
			listview.Customers: orderui.CheckCustomersView, listview.Products: products.CheckView,
		}}),
		searchui.New(searchui.Deps{Frame: f, Orders: d.Orders, Customers: d.Customers, Inquiries: d.Inquiries,
			Catalog: d.Catalog, Search: d.Search}),
		exchangeui.New(exchangeui.Deps{Frame: f, Exchange: d.Exchange, OneC: d.OneC, Prices: d.Prices,
			APIURL: d.APIURL}),
		webhookui.New(webhookui.Deps{Frame: f, Webhooks: d.Webhooks}),
		catalogui.New(catalogui.Deps{Frame: f, Catalog: d.Catalog, Orders: d.Orders, Search: d.Search,
			Images: d.Images, Bulk: d.Bulk}),
		priceui.New(priceui.Deps{Frame: f, Catalog: d.Catalog, Prices: d.Prices}),
		shopsearchui.New(shopsearchui.Deps{Frame: f, Search: d.Search}),
		settingsui.New(settingsui.Deps{Frame: f, Stores: d.Stores, Protection: d.Protection, Notify: d.Notify,
			Mailing: d.Mailing, Queue: d.Queue, Prices: d.Prices, Addresses: d.Addresses, Feeds: d.Feeds,
			Catalog: d.Catalog,
			APIURL:  d.APIURL, AdminURL: d.AdminURL}),
	}}

	f.SetRoutes(ui.Routes())
	return ui
}

// Routes returns the routes of all pages. Every change is a POST, which httpapi.Server.Guard refuses if it comes from
// another origin.
func (ui *UI) Routes() []httpapi.Route {
	routes := append([]httpapi.Route{ui.frame.Assets()}, ui.frame.LiveRoutes()...)
	for _, p := range ui.parts {
		routes = slices.Concat(routes, p.Routes())
	}
	return routes
}

// Problem renders an error as an HTML page. See [frame.Frame.Problem].
func (ui *UI) Problem(w http.ResponseWriter, r *httpapi.Request, p httpapi.Problem) bool {
	return ui.frame.Problem(w, r, p)
}
