package storeapi

import (
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/storeapi/productcache"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/memory"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/address"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/change"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/feed"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/inquiry"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/protection"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/searchlog"
)

// The names of the quotas, for the metrics.
const (
	loginCodesQuota      = "login_codes"
	wrongLoginCodesQuota = "wrong_login_codes"
	cartLinesQuota       = "cart_lines"
)

// Quotas returns the names of the quotas of the routes.
func Quotas() []string { return []string{loginCodesQuota, wrongLoginCodesQuota, cartLinesQuota} }

// API holds the services and caches that the handlers share.
type API struct {
	db         *database.DB
	catalog    *catalog.Service
	prices     *pricelist.Service
	images     *imagefile.Files
	protection *protection.Service
	inquiries  *inquiry.Service
	customers  *customer.Service
	orders     *order.Service
	adoptions  *order.Adoptions
	searches   *searchlog.Log
	changes    *change.Service
	addresses  *address.Service
	feeds      *feed.Service
	loginQuota *httpapi.Quota
	// wrongCodeQuota counts wrong login codes, cartQuota lines of carts.
	wrongCodeQuota, cartQuota *httpapi.Quota
	publicURL                 string
	optionValues              *valueCache
	products                  *productcache.Cache
	popular                   popularQueries
}

// Deps are the dependencies of the API.
type Deps struct {
	DB         *database.DB
	Catalog    *catalog.Service
	Search     *search.Service
	Images     *imagefile.Files
	Protection *protection.Service
	// Inquiries are feedback and callback requests.
	Inquiries *inquiry.Service
	Customers *customer.Service
	Orders    *order.Service
	// Adoptions link orders of guests to customers who sign in.
	Adoptions *order.Adoptions
	// Searches counts what visitors search for and click.
	Searches *searchlog.Log
	// Changes tells what changed in the catalogue.
	Changes *change.Service
	// Addresses are the redirects, and what paths lead to.
	Addresses *address.Service
	// Feeds are the product feeds.
	Feeds *feed.Service
	// LoginsPerHour limits the login codes that one client address may request in an hour; 0 means no limit.
	LoginsPerHour int
	// CartLinesPerHour limits the lines that visitors at one client address may write into carts in an hour; 0 means no
	// limit.
	CartLinesPerHour int
	// PublicURL is the URL at which clients reach this API, without a trailing slash. URLs of image files begin with
	// it. If it is empty, they begin with the scheme and host of the request.
	PublicURL string
	// PageCache, ProductCache and ValueCache are the memory for rendered lists of products, for rendered products and
	// for rendered values of options. Nothing is cached in a nil share.
	PageCache, ProductCache, ValueCache *memory.Share
}

// New returns an API with empty caches.
func New(deps Deps) *API {
	return &API{
		db: deps.DB, catalog: deps.Catalog, prices: pricelist.New(deps.Catalog.Core()), images: deps.Images,
		protection: deps.Protection,
		inquiries:  deps.Inquiries, customers: deps.Customers, orders: deps.Orders, searches: deps.Searches,
		adoptions:  deps.Adoptions,
		changes:    deps.Changes,
		addresses:  deps.Addresses,
		feeds:      deps.Feeds,
		loginQuota: httpapi.NewQuota(loginCodesQuota, deps.LoginsPerHour, time.Hour), publicURL: deps.PublicURL,
		wrongCodeQuota: httpapi.NewQuota(wrongLoginCodesQuota, deps.LoginsPerHour, time.Hour),
		cartQuota:      httpapi.NewQuota(cartLinesQuota, deps.CartLinesPerHour, time.Hour),
		optionValues:   newValueCache(deps.ValueCache),
		products: productcache.New(productcache.Deps{
			Search: deps.Search, Products: deps.Catalog.Products, PublicURL: deps.PublicURL,
			PageMemory: deps.PageCache, ProductMemory: deps.ProductCache,
		}),
	}
}

// customersOnly is the message of the 403 on routes that need a customer token.
const customersOnly = "This is for customers who have signed in: " +
	"it takes a customer token (ct_…), which POST /v2/auth/passwordless/confirm gives."

// Routes returns all routes of the API.
func (api *API) Routes() []httpapi.Route {
	option := attributeHandlers{api, catalog.Option, "/v2/variant-options"}
	feature := attributeHandlers{api, catalog.Feature, "/v2/features"}
	category := api.categoryHandlers()
	stock := api.stockHandlers()
	priceList := api.priceListHandlers()
	group := api.customerGroupHandlers()
	image := imageHandlers{api}
	product := productHandlers{products: api.catalog.Products, images: api.images, cache: api.products,
		searches: api.searches}
	variant := variantHandlers{api.catalog.Products, api.publicURL}
	feedback := api.feedbackHandlers()
	callback := api.callbackHandlers()
	orders := orderHandlers{api}
	searchRule := searchRuleHandlers{}
	redirect := redirectHandlers{api.addresses}
	feeds := feedHandlers{api.feeds, api.publicURL}
	read, write := access.CatalogRead, access.CatalogWrite

	return spec.Describe([]httpapi.Route{
		{Method: "GET", Path: "/v2/store", Needs: access.StoreRead, Handler: api.showStore},

		{Method: "GET", Path: "/v2/variant-options", Needs: read, Handler: option.list},
		{Method: "POST", Path: "/v2/variant-options", Needs: write, Handler: option.create},
		{Method: "GET", Path: "/v2/variant-options/{id}", Needs: read, Handler: option.show},
		{Method: "PUT", Path: "/v2/variant-options/{id}", Needs: write, Handler: option.edit},
		{Method: "DELETE", Path: "/v2/variant-options/{id}", Needs: write, Handler: option.delete},
		{Method: "GET", Path: "/v2/variant-options/{id}/values", Needs: read, Handler: option.values},
		{Method: "POST", Path: "/v2/variant-options/{id}/merge", Needs: write, Handler: option.merge},
		{Method: "POST", Path: "/v2/variant-options/{id}/impact", Needs: write, Handler: option.impact},
		// These are alternative paths for edits of an option. This DELETE takes a body and never deletes the option
		// itself.
		{Method: "PUT", Path: "/v2/product-variants/{id}", Needs: write, Handler: option.edit},
		{Method: "DELETE", Path: "/v2/product-variants/{id}", Needs: write, Handler: option.removeValues},

		{Method: "GET", Path: "/v2/features", Needs: read, Handler: feature.list},
		{Method: "POST", Path: "/v2/features", Needs: write, Handler: feature.create},
		{Method: "GET", Path: "/v2/features/{id}", Needs: read, Handler: feature.show},
		{Method: "PUT", Path: "/v2/features/{id}", Needs: write, Handler: feature.edit},
		{Method: "DELETE", Path: "/v2/features/{id}", Needs: write, Handler: feature.delete},
		{Method: "GET", Path: "/v2/features/{id}/values", Needs: read, Handler: feature.values},
		{Method: "POST", Path: "/v2/features/{id}/merge", Needs: write, Handler: feature.merge},
		{Method: "POST", Path: "/v2/features/{id}/impact", Needs: write, Handler: feature.impact},

		{Method: "GET", Path: "/v2/categories", Needs: read, Handler: category.list},
		{Method: "POST", Path: "/v2/categories", Needs: write, Handler: category.create},
		{Method: "GET", Path: "/v2/categories/by-slug/{slug}", First: true, Needs: read,
			Handler: api.showCategoryBySlug},
		{Method: "GET", Path: "/v2/categories/{id}", Needs: read, Handler: category.show},
		{Method: "PUT", Path: "/v2/categories/{id}", Needs: write, Handler: category.edit},
		{Method: "DELETE", Path: "/v2/categories/{id}", Needs: write, Handler: category.delete},

		{Method: "GET", Path: "/v2/stocks", Needs: read, Handler: stock.list},
		{Method: "POST", Path: "/v2/stocks", Needs: write, Handler: stock.create},
		{Method: "GET", Path: "/v2/stocks/{id}", Needs: read, Handler: stock.show},
		{Method: "PUT", Path: "/v2/stocks/{id}", Needs: write, Handler: stock.edit},
		{Method: "DELETE", Path: "/v2/stocks/{id}", Needs: write, Handler: stock.delete},

		{Method: "GET", Path: "/v2/price-lists", Needs: read, SecretOnly: true, Handler: priceList.list},
		{Method: "POST", Path: "/v2/price-lists", Needs: write, Handler: priceList.create},
		{Method: "GET", Path: "/v2/price-lists/{id}", Needs: read, SecretOnly: true, Handler: priceList.show},
		{Method: "PUT", Path: "/v2/price-lists/{id}", Needs: write, Handler: priceList.edit},
		{Method: "DELETE", Path: "/v2/price-lists/{id}", Needs: write, Handler: priceList.delete},

		{Method: "GET", Path: "/v2/images", Needs: read, Handler: image.list},
		{Method: "POST", Path: "/v2/images", Needs: write, Handler: image.create},
		{Method: "GET", Path: "/v2/images/{id}", Needs: read, Handler: image.show},
		{Method: "PUT", Path: "/v2/images/{id}", Needs: write, Handler: image.edit},
		{Method: "DELETE", Path: "/v2/images/{id}", Needs: write, Handler: image.delete},
		{Method: "GET", Path: "/images/{store_id}/{image_id}/{file}", Handler: image.serveFile},

		{Method: "GET", Path: "/v2/products", Needs: read, Handler: product.list},
		{Method: "POST", Path: "/v2/products", Needs: write, Handler: product.create},
		{Method: "GET", Path: "/v2/products/by-slug/{slug}", First: true, Needs: read, Handler: product.showBySlug},
		{Method: "GET", Path: "/v2/products/{id}", Needs: read, Handler: product.show},
		{Method: "PUT", Path: "/v2/products/{id}", Needs: write, Handler: product.edit},
		{Method: "DELETE", Path: "/v2/products/{id}", Needs: write, Handler: product.delete},
		{Method: "POST", Path: "/v2/products/{id}/archive", Needs: write, Handler: product.archive},
		{Method: "POST", Path: "/v2/products/{id}/restore", Needs: write, Handler: product.restore},

		{Method: "GET", Path: "/v2/products/{id}/variants", Needs: read, Handler: variant.list},
		{Method: "POST", Path: "/v2/products/{id}/variants", Needs: write, Handler: variant.create},
		{Method: "GET", Path: "/v2/products/{id}/variants/{variant_id}", Needs: read, Handler: variant.show},
		{Method: "PUT", Path: "/v2/products/{id}/variants/{variant_id}", Needs: write, Handler: variant.edit},
		{Method: "DELETE", Path: "/v2/products/{id}/variants/{variant_id}", Needs: write, Handler: variant.delete},
		{Method: "POST", Path: "/v2/products/{id}/variants/{variant_id}/archive", Needs: write,
			Handler: variant.archive},
		{Method: "POST", Path: "/v2/products/{id}/variants/{variant_id}/restore", Needs: write,
			Handler: variant.restore},

		{Method: "GET", Path: "/v2/changes", Needs: read, Class: httpapi.ClassList, Handler: api.listChanges},
		{Method: "GET", Path: "/v2/resolve", Needs: read, Handler: api.resolve},
		{Method: "GET", Path: "/v2/navigation", Needs: read, Handler: api.navigation},
		{Method: "GET", Path: "/v2/sitemap.xml", Needs: read, KeyInQuery: access.PublishableKey,
			Handler: api.sitemapIndex},
		{Method: "GET", Path: "/v2/sitemap/{file}", Needs: read, KeyInQuery: access.PublishableKey,
			Class: httpapi.ClassHeavy, Handler: api.sitemapFile},
		{Method: "GET", Path: "/v2/redirects", Needs: read, SecretOnly: true, Handler: redirect.list},
		{Method: "POST", Path: "/v2/redirects", Needs: write, Handler: redirect.create},
		{Method: "DELETE", Path: "/v2/redirects/{id}", Needs: write, Handler: redirect.delete},

		{Method: "GET", Path: "/v2/feeds", Needs: read, SecretOnly: true, Handler: feeds.list},
		{Method: "PUT", Path: "/v2/feeds/{name}", Needs: write, Handler: feeds.edit},
		{Method: "DELETE", Path: "/v2/feeds/{name}", Needs: write, Handler: feeds.delete},
		{Method: "GET", Path: "/v2/feeds/{name}", Needs: read, SecretOnly: true, KeyInQuery: access.FeedKey,
			Handler: feeds.show},
		{Method: "GET", Path: "/v2/feeds/{name}/report", Needs: read, SecretOnly: true, KeyInQuery: access.FeedKey,
			Handler: feeds.report},

		{Method: "GET", Path: "/v2/suggest", Needs: read, Handler: api.suggest},
		{Method: "GET", Path: "/v2/search/synonyms", Needs: read, SecretOnly: true, Handler: searchRule.showSynonyms},
		{Method: "PUT", Path: "/v2/search/synonyms", Needs: write, Handler: searchRule.editSynonyms},
		{Method: "GET", Path: "/v2/search/pins", Needs: read, SecretOnly: true, Handler: searchRule.showPins},
		{Method: "PUT", Path: "/v2/search/pins", Needs: write, Handler: searchRule.replacePins},
		{Method: "GET", Path: "/v2/search/queries", Needs: read, SecretOnly: true, Handler: api.listQueries},
		{Method: "POST", Path: "/v2/search/clicks", Needs: access.Storefront, Unlimited: true,
			Handler: api.countClick},

		{Method: "POST", Path: "/v2/auth/passwordless/request", Needs: access.Storefront, Handler: api.requestLogin},
		{Method: "POST", Path: "/v2/auth/passwordless/confirm", Needs: access.Storefront, Handler: api.confirmLogin},
		{Method: "DELETE", Path: "/v2/auth/session", Needs: access.Profile, Denied: customersOnly, Handler: api.logout},
		{Method: "GET", Path: "/v2/me", Needs: access.Profile, Denied: customersOnly, Handler: api.showMe},
		{Method: "PUT", Path: "/v2/me", Needs: access.Profile, Denied: customersOnly, Handler: api.editMe},
		{Method: "GET", Path: "/v2/customers", Needs: access.CustomersRead, Handler: api.listCustomers},
		{Method: "GET", Path: "/v2/customers/{id}", Needs: access.CustomersRead, Handler: api.showCustomer},
		{Method: "PUT", Path: "/v2/customers/{id}", Needs: access.CustomersWrite, Handler: api.editCustomer},

		{Method: "GET", Path: "/v2/customer-groups", Needs: access.CustomersRead, Handler: group.list},
		{Method: "POST", Path: "/v2/customer-groups", Needs: access.CustomersWrite, Handler: group.create},
		{Method: "GET", Path: "/v2/customer-groups/{id}", Needs: access.CustomersRead, Handler: group.show},
		{Method: "PUT", Path: "/v2/customer-groups/{id}", Needs: access.CustomersWrite, Handler: group.edit},
		{Method: "DELETE", Path: "/v2/customer-groups/{id}", Needs: access.CustomersWrite, Handler: group.delete},

		{Method: "GET", Path: "/v2/orders", Needs: access.Storefront, Handler: orders.list},
		{Method: "POST", Path: "/v2/orders", Needs: access.Storefront, Handler: orders.create},
		{Method: "GET", Path: "/v2/orders/{id}", Needs: access.Storefront, Handler: orders.show},
		{Method: "PUT", Path: "/v2/orders/{id}", Needs: access.Storefront, Handler: orders.edit},
		{Method: "POST", Path: "/v2/orders/{id}/items", Needs: access.Storefront, Handler: orders.addItem},
		{Method: "PUT", Path: "/v2/orders/{id}/items/{item_id}", Needs: access.Storefront, Handler: orders.editItem},
		{Method: "DELETE", Path: "/v2/orders/{id}/items/{item_id}", Needs: access.Storefront,
			Handler: orders.removeItem},
		{Method: "POST", Path: "/v2/orders/{id}/submit", Needs: access.Storefront, Handler: orders.submit},
		{Method: "POST", Path: "/v2/orders/{id}/confirm", Needs: access.OrdersWrite, Handler: orders.confirm},
		{Method: "POST", Path: "/v2/orders/{id}/complete", Needs: access.OrdersWrite, Handler: orders.complete},
		{Method: "POST", Path: "/v2/orders/{id}/cancel", Needs: access.OrdersWrite, Handler: orders.cancel},

		{Method: "POST", Path: "/v2/feedback", Needs: access.Storefront, Handler: feedback.create},
		{Method: "GET", Path: "/v2/feedback", Needs: access.InquiriesRead, Handler: feedback.list},
		{Method: "GET", Path: "/v2/feedback/{id}", Needs: access.InquiriesRead, Handler: feedback.show},
		{Method: "POST", Path: "/v2/interactions/callback", Needs: access.Storefront, Handler: callback.create},
		{Method: "GET", Path: "/v2/interactions/callback", Needs: access.InquiriesRead, Handler: callback.list},
		{Method: "GET", Path: "/v2/interactions/callback/{id}", Needs: access.InquiriesRead, Handler: callback.show},
	})
}
