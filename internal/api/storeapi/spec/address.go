package spec

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/schema"
)

// Redirect is a redirect of the store's own.
type Redirect struct {
	_ struct{} `doc:"A redirect of the store's own. It is never changed; delete it and make another one."`

	ID        schema.ID   `json:"id"`
	From      string      `json:"from" doc:"The path at which it begins, decoded and without a slash at its end." example:"/sale"`
	To        string      `json:"to" doc:"The path or the absolute address to which it leads." example:"/c/clothes"`
	CreatedAt schema.Date `json:"created_at"`
}

// NewRedirect is the body that creates a redirect.
type NewRedirect struct {
	From string `json:"from" doc:"A path, without the part after ? or #. Only one redirect may begin at it." example:"/sale"`
	To   string `json:"to" doc:"A path, or an absolute http or https address, at most 1,000 bytes. An address of the site itself, see site_url, is taken as its path. It may lead on to another redirect, or to a former address of a product or a category." example:"/c/clothes"`
}

// Resolution is what a path of the site leads to.
type Resolution struct {
	_ struct{} `doc:"What a path of the site leads to."`

	Type        string                 `json:"type" doc:"redirect is a redirect of the store's own that leads to neither a product nor a category." enum:"product,category,redirect"`
	ID          schema.ID              `json:"id" doc:"The id of the product, the category or the redirect."`
	Canonical   string                 `json:"canonical" doc:"The path that the page has at present. For a redirect, where it ends: a path or an absolute address." example:"/p/t-shirt"`
	Redirect    schema.Nullable[int64] `json:"redirect" doc:"301 if the path is not the canonical one, so that the site answers with a redirect to it; otherwise null." example:"301"`
	Breadcrumbs []Breadcrumb           `json:"breadcrumbs" doc:"The categories from the root to the category, or to the canonical category of the product. Empty for a redirect."`
}

// Breadcrumb is a category on the way from the root.
type Breadcrumb struct {
	_ struct{} `doc:"A category on the way from the root."`

	ID   schema.ID               `json:"id"`
	Name string                  `json:"name" example:"Shirts"`
	Slug schema.Nullable[string] `json:"slug" doc:"Null until an old category has one." example:"shirts"`
}

// NavigationNode is a category with those below it.
type NavigationNode struct {
	_ struct{} `doc:"A category with those below it."`

	ID       schema.ID                     `json:"id"`
	Name     string                        `json:"name" example:"Clothes"`
	Slug     schema.Nullable[string]       `json:"slug" doc:"Null until an old category has one." example:"clothes"`
	Count    int64                         `json:"count" doc:"The number of products in it and below it, as the facets of categories count them." example:"42"`
	Image    schema.Nullable[ProductImage] `json:"image" doc:"Its own image, otherwise the first image of its first product; null where there is none."`
	Children []NavigationNode              `json:"children" doc:"In their order. Empty below the depth that was asked for."`
}

func exampleResolution() Resolution {
	return Resolution{Type: "product", ID: exampleID(exampleShirtID), Canonical: "/p/t-shirt",
		Redirect: schema.NotNull[int64](301), Breadcrumbs: []Breadcrumb{
			{ID: exampleID(exampleClothesID), Name: "Clothes", Slug: schema.NotNull("clothes")},
			{ID: exampleID(exampleShirtsID), Name: "Shirts", Slug: schema.NotNull("shirts")}}}
}

func exampleNavigation() []NavigationNode {
	return []NavigationNode{{ID: exampleID(exampleClothesID), Name: "Clothes", Slug: schema.NotNull("clothes"),
		Count: 42, Children: []NavigationNode{{ID: exampleID(exampleShirtsID), Name: "Shirts",
			Slug: schema.NotNull("shirts"), Count: 17, Children: []NavigationNode{}}}}}
}

const exampleRedirectID = "0199a3d2-7e10-7c64-9b11-5f0f5d3c2a10"

func exampleRedirect() Redirect {
	return Redirect{ID: exampleID(exampleRedirectID), From: "/sale", To: "/c/clothes", CreatedAt: exampleDate()}
}

// addressDocs documents the routes about the addresses of a site.
func addressDocs() map[string]httpapi.Route {
	noSite := httpapi.Refusal{Status: 409, Code: "no_site_url", When: "the setting `site_url` is empty"}
	secret := httpapi.Refusal{Status: 401, Code: "secret_in_address", When: "`key` is not a publishable key"}

	return openapi.Group(addressTag, "redirect", map[string]httpapi.Route{
		"GET /v2/resolve": {
			OperationID: "resolvePath", Summary: "Find what a path of the site leads to", Response: Resolution{},
			Description: "What a path of the site leads to: the product or category whose address it is or was, " +
				"or a redirect of your own. A site calls it for a path that it does not know, and answers with the " +
				"page or, if `redirect` is 301, with a redirect to `canonical`; one step always suffices. A path is " +
				"looked up in this order: the present address of a product, of a category, a redirect of your own, " +
				"a former address. The forms of addresses are the setting `paths`; paths of earlier forms redirect. " +
				"A category is known by its own slug, so a path through categories that were moved or deleted leads " +
				"to it, too. The tags of the response do not tell of changes of redirects.",
			QueryParams: []httpapi.Param{{Name: "path", Example: "/p/t-shirt",
				Description: "The path, percent-encoded. What follows ? or # and a slash at its end are ignored."}},
			ResponseExamples: examples(oneExample("A former address", exampleResolution())),
			Refusals: []httpapi.Refusal{{Status: 404, Code: "not_found", When: "the path leads to nothing"},
				{Status: 400, Code: "malformed_query", When: "`path` is missing, or is no path"}},
		},
		"GET /v2/navigation": {
			OperationID: "getNavigation", Summary: "Read the tree of categories", Response: []NavigationNode{},
			Description: "All categories as a tree in one response, each with the number of its products, for the " +
				"menu of a site. Answered from memory.",
			QueryParams: []httpapi.Param{{Name: "depth", Type: "integer", Example: "2",
				Description: "How many levels there are at most, from 1 on. By default all."}},
			ResponseExamples: examples(oneExample("Two levels", exampleNavigation())),
			Refusals: []httpapi.Refusal{{Status: 400, Code: "malformed_query", When: "`depth` is no number from 1 on"},
				{Status: 503, Code: "facets_unavailable", When: "the products of a large store are not in memory"}},
		},
		"GET /v2/sitemap.xml": {
			OperationID: "getSitemapIndex", Summary: "Read the index of the sitemap", PlainMediaType: "application/xml",
			Description: "The index of the sitemap of the site, for search engines: its files have at most 50,000 " +
				"addresses each. Let your site answer /sitemap.xml with it. Addresses begin with the setting " +
				"`site_url`. The files are named with the publishable key of the request.",
			QueryParams: []httpapi.Param{sitemapKeyParam()},
			Refusals:    []httpapi.Refusal{noSite, secret},
		},
		"GET /v2/sitemap/{file}": {
			OperationID: "getSitemapFile", Summary: "Read a file of the sitemap", PlainMediaType: "application/xml",
			Description: "The home page and the categories in the first file, then the products, with the times of " +
				"their last changes. What `seo.noindex` keeps out of search engines is left out.",
			PathParams: []httpapi.Param{{Name: "file", Example: "1.xml",
				Description: "The number of the file, from 1 on, and .xml."}},
			QueryParams: []httpapi.Param{sitemapKeyParam()},
			Refusals: []httpapi.Refusal{noSite, secret,
				{Status: 404, Code: "not_found", When: "the sitemap has no such file"}},
		},
		"GET /v2/redirects": {
			OperationID: "listRedirects", Summary: "List redirects", Response: Redirect{}, Paged: true,
			Description:      "The redirects of the store's own, by the paths at which they begin. Takes a secret key.",
			ResponseExamples: examples(listExample("All", exampleRedirect())),
		},
		"POST /v2/redirects": {
			OperationID: "createRedirect", Summary: "Create a redirect", Status: 201, Response: Redirect{},
			Description: "Lets a path of the site lead somewhere else: `GET /v2/resolve` answers with the end of the " +
				"chain, in one step. A product or a category whose present address the path is comes first, and the " +
				"redirect comes before former addresses. A store has at most 100,000 redirects.",
			Body:             NewRedirect{},
			BodyExamples:     examples(bodyExample("To a category", `{"from":"/sale","to":"/c/clothes"}`)),
			ResponseExamples: examples(oneExample("The redirect", exampleRedirect())),
			Refusals: []httpapi.Refusal{
				{Status: 409, Code: "redirect_exists", When: "a redirect begins at `from` already"},
				{Status: 409, Code: "too_many_redirects", When: "the store has 100,000 redirects"},
				{Status: 422, Code: "redirect_loop", When: "the redirect would lead back to where it begins"},
				{Status: 422, Code: "invalid_path", When: "`from` or `to` is no path"},
				{Status: 422, Code: "invalid_url", When: "`to` is neither a path nor an absolute address"},
				{Status: 422, Code: "too_long", When: "a path has more than 1,000 bytes"},
			},
		},
		"DELETE /v2/redirects/{id}": {
			OperationID: "deleteRedirect", Summary: "Delete a redirect",
			Description: "Deletes the redirect. Others that lead to its path end there from then on.",
		},
	})
}

// sitemapKeyParam documents the query parameter key.
func sitemapKeyParam() httpapi.Param {
	return httpapi.Param{Name: "key", Example: "pk_…",
		Description: "A publishable key, for programs that send no headers."}
}
