package spec

import (
	_ "embed"
	"maps"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
)

// These tags group the operations in the OpenAPI document.
const (
	storeTag     = "Store"
	optionTag    = "Variant options"
	featureTag   = "Features"
	categoryTag  = "Categories"
	stockTag     = "Stocks"
	priceListTag = "Price lists"
	imageTag     = "Images"
	productTag   = "Products"
	searchTag    = "Search"
	changeTag    = "Changes"
	addressTag   = "Addresses"
	feedTag      = "Feeds"
	orderTag     = "Orders"
	inquiryTag   = "Feedback and calls"
	customerTag  = "Customers"
)

// agentsGuide is what coding agents should know first.
//
//go:embed llms.txt
var agentsGuide []byte

// About describes the API as a whole in the OpenAPI document.
func About(version string) openapi.About {
	return openapi.About{
		Title:   "Vitrine API",
		Version: version,
		Agents:  agentsGuide,

		Intro: "The public API of a Vitrine store: its catalogue, read by storefronts and written by your " +
			"systems.\n\n" +
			"    curl -H 'Authorization: Bearer pk_…' \\\n      \"$STORE_URL/v2/products?with=variants\"\n\n" +
			"`$STORE_URL` is the address of this server; `vitrine env` sets it. " +
			"A storefront that runs in a browser calls it with a publishable key, " +
			"once its origin is allowed: in the administration under Settings, " +
			"or as `cors_origins` of `/api/store/settings` there.",

		Tags: []openapi.Tag{
			{Name: storeTag, Description: "The shop that the key belongs to."},
			{Name: optionTag, Description: "What tells the variants of one product apart, " +
				"such as size or colour. Each variant of a product carries another combination of values. " +
				"An option has any number of values, which are sent together with it or added later."},
			{Name: featureTag,
				Description: "What describes a product, such as its material or its weight. A feature of type " +
					"`select` is picked from its values; the values of a feature " +
					"of type `range` are numbers. Only a feature that is `filterable` takes part in filtering."},
			{Name: categoryTag,
				Description: "The shelves of the shop. They form a tree of any depth; a product may lie in several " +
					"of them."},
			{Name: stockTag, Description: "The places where goods lie, such as warehouses and shops. How much of a " +
				"variant a stock has is a remainder of the variant."},
			{Name: priceListTag, Description: "Other prices than the base price of a variant, such as wholesale " +
				"prices. A group of customers gets the prices of its lists."},
			{Name: imageTag, Description: "Images of products. One is uploaded first and then named by the product " +
				"that shows it; it belongs to one product at most."},
			{Name: productTag,
				Description: "What the shop sells. A product holds what its variants have in common; the variant is " +
					"what a buyer puts into the cart."},
			{Name: searchTag, Description: "What the shop tells its search, and what people search for."},
			{Name: changeTag, Description: "What changed in the catalogue, for copies of it and for caches. The " +
				"event `catalog.changed` tells the same to receivers of webhooks."},
			{Name: addressTag, Description: "What the paths of the site lead to: products and categories, present " +
				"and former addresses, redirects of your own."},
			{Name: feedTag, Description: "Files with the offers of the shop, for marketplaces and advertising " +
				"systems."},
			{Name: customerTag,
				Description: "The people who buy. They sign in without a password, by a code that is sent to them, " +
					"and get a customer token `ct_…`, which takes the place of the " +
					"publishable key and reaches what is their own."},
			{Name: orderTag, Description: "Carts, and the orders that they become. A storefront fills a draft and " +
				"submits it; the shop confirms, completes or cancels what was submitted."},
			{Name: inquiryTag,
				Description: "What visitors ask for without buying: they write, " +
					"or want to be called. Each is told to webhook receivers as well."},
		},
	}
}

// Describe adds the documentation to each route. It panics if a route has no documentation, or documentation has no
// route.
func Describe(routes []httpapi.Route) []httpapi.Route {
	return openapi.Describe(routes, storeRouteDocs())
}

// storeRouteDocs returns the documentation of the routes, by method and path.
func storeRouteDocs() map[string]httpapi.Route {
	docs := map[string]httpapi.Route{}
	for _, part := range []map[string]httpapi.Route{storeDocs(), optionDocs(), featureDocs(), categoryDocs(),
		stockDocs(), priceListDocs(), customerGroupDocs(),
		imageDocs(), productListDocs(), productDocs(), variantDocs(), searchDocs(), changeDocs(),
		addressDocs(), feedDocs(),
		loginDocs(), customerDocs(), orderDocs(),
		feedbackDocs(), callbackDocs()} {
		maps.Copy(docs, part)
	}
	return docs
}

func searchParam(searched string) httpapi.Param {
	return httpapi.Param{Name: "q",
		Description: "Words to search for, at most 1,024 bytes. Each must begin a word of " + searched +
			", whatever the case, in any script."}
}

// periodParams describes the query parameters since and until.
func periodParams() []httpapi.Param {
	return []httpapi.Param{
		{Name: "since", Example: "2026-11-14",
			Description: "Leaves what was made then or later: an ISO 8601 time with its offset, or a date, " +
				"which is a day in the timezone of the store."},
		{Name: "until", Example: "2026-11-14T12:00:05Z",
			Description: "Leaves what was made then or earlier, in the same forms: the whole of that day, " +
				"or of that second."},
	}
}
