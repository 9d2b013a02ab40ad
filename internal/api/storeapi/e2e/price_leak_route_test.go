package e2e

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
)

// routesWithoutPrices are the routes of shoppers that TestPrices_ofOtherGroupsLeakNowhere does not walk, and why.
var routesWithoutPrices = map[string]string{
	"GET /images/{store_id}/{image_id}/{file}": "the bytes of an image",
	"GET /v2/images":                        "images, without the products that have them",
	"GET /v2/images/{id}":                   "an image, without the product that has it",
	"GET /v2/sitemap.xml":                   "addresses",
	"GET /v2/sitemap/{file}":                "addresses",
	"POST /v2/search/clicks":                "counts a click, and responds with nothing",
	"POST /v2/auth/passwordless/request":    "sends a code",
	"POST /v2/auth/passwordless/confirm":    "a token and a profile; newReaders calls it",
	"DELETE /v2/auth/session":               "ends the session",
	"PUT /v2/me":                            "the profile that GET /v2/me shows",
	"POST /v2/feedback":                     "an inquiry, without products",
	"POST /v2/interactions/callback":        "an inquiry, without products",
	"GET /v2/sync-gate/{token}/commerceml":  "takes the password of accounting",
	"POST /v2/sync-gate/{token}/commerceml": "takes the password of accounting",
	"GET /{$}":                              "the same for everybody",
	"GET /docs":                             "the same for everybody",
	"GET /docs/{file}":                      "the same for everybody",
	"GET /llms.txt":                         "the same for everybody",
	"GET /openapi.json":                     "the same for everybody",
}

// otherPaths are paths of resources that have no prices today.
func (p *priceShop) otherPaths() []string {
	category := p.products[0].category
	return []string{"/v2/store", "/v2/me", "/v2/categories", "/v2/categories/" + category,
		"/v2/categories/by-slug/" + p.Get("/v2/categories/"+category).Text("data.slug"), optionsPath,
		optionsPath + "/" + p.size.id, optionsPath + "/" + p.size.id + "/values", featuresPath,
		featuresPath + "/" + p.kind.id, featuresPath + "/" + p.kind.id + "/values", "/v2/stocks",
		"/v2/stocks/" + unknownID, "/v2/price-lists", "/v2/price-lists/" + p.lists[0], "/v2/customer-groups",
		"/v2/changes", "/v2/navigation", "/v2/resolve?path=/p/none"}
}

// forShoppers reports whether a publishable key or a customer token reaches a route.
func forShoppers(r httpapi.Route) bool {
	if r.SecretOnly || r.Exchange {
		return false
	}
	return r.Needs == "" || access.Principal{Kind: access.PublishableKey}.May(r.Needs) ||
		access.Principal{Kind: access.CustomerToken}.May(r.Needs)
}

// indexRoutes makes the routes findable by requests.
func (p *priceShop) indexRoutes() {
	p.routes = httpapi.NewRouteTable()
	for _, r := range p.App.API().Routes() {
		p.routes.Add(r, http.NotFound)
	}
}

// markWalked records the route of a request.
func (p *priceShop) markWalked(method, path string) {
	p.walked[p.routes.Pattern(httptest.NewRequest(method, path, nil))] = true
}

// wantAllRoutesWalked fails the test for routes of shoppers that it has not walked, unless routesWithoutPrices has
// them.
func (p *priceShop) wantAllRoutesWalked() {
	p.t.Helper()
	known := map[string]bool{}
	for _, r := range p.App.API().Routes() {
		name := r.Method + " " + r.Path
		known[name] = forShoppers(r)
		if known[name] && p.walked[name] == (routesWithoutPrices[name] != "") {
			p.t.Errorf("%s is for shoppers: walk it, or say in routesWithoutPrices why it has no prices", name)
		}
	}
	for name := range routesWithoutPrices {
		if !known[name] {
			p.t.Errorf("routesWithoutPrices has %s, which is no route of shoppers", name)
		}
	}
}

// The administration shows the prices of all lists. It takes no publishable keys and no customer tokens.
func TestAdministration_isNotForShoppers(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite)
	customer := signIn(s, "anna@shop.example").Text("data.token")
	public := 0
	for _, r := range s.App.Admin().Routes() {
		if r.Needs == "" {
			public++ // such as the page to sign in
			continue
		}

		for _, token := range []string{s.Publishable, customer} {
			// With ids that are none, as a credential is checked before the path.
			if got := s.DoAdmin(r.Method, r.Path, nil, apitest.As(token)); got.Status < http.StatusMultipleChoices {
				t.Errorf("%s %s answers a shopper: %d", r.Method, r.Path, got.Status)
			}
		}
	}
	if public > 25 {
		t.Errorf("%d routes of the administration need no credential", public)
	}
}
