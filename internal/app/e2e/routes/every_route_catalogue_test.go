package routes

import (
	"net/url"
	"strings"

	"vitrine/internal/api/httpapi"
)

// catalogueForms are the bodies of successful requests to the pages of the catalogue. The version of a new entity is 1.
var catalogueForms = map[string]url.Values{
	"POST /options":                            {"name": {"NEW"}},
	"POST /options/{id}":                       {"name": {"NEW"}, "version": {"1"}},
	"POST /options/{id}/delete":                {"version": {"1"}},
	"POST /options/{id}/values":                {"lines": {"NEW"}},
	"POST /options/{id}/values/remove":         {"value": {"CHOSEN"}, "version": {"1"}},
	"POST /options/{id}/values/merge":          {"value": {"CHOSEN", "OTHER"}, "version": {"1"}},
	"POST /options/{id}/values/sort":           {"version": {"1"}},
	"POST /options/{id}/values/{value}":        {"was": {"S"}, "name": {"NEW"}},
	"POST /options/{id}/values/{value}/place":  {"place": {"1"}},
	"POST /features":                           {"name": {"NEW"}},
	"POST /features/{id}":                      {"name": {"NEW"}, "version": {"1"}},
	"POST /features/{id}/delete":               {"version": {"1"}},
	"POST /features/{id}/values":               {"lines": {"NEW"}},
	"POST /features/{id}/values/remove":        {"value": {"CHOSEN"}, "version": {"1"}},
	"POST /features/{id}/values/merge":         {"value": {"CHOSEN", "OTHER"}, "version": {"1"}},
	"POST /features/{id}/values/sort":          {"version": {"1"}},
	"POST /features/{id}/values/{value}":       {"was": {"S"}, "name": {"NEW"}},
	"POST /features/{id}/values/{value}/place": {"place": {"1"}},
	"POST /categories":                         {"name": {"NEW"}},
	"POST /categories/step":                    {"step": {"CATEGORY up"}},
	"POST /categories/{id}":                    {"name": {"NEW"}, "version": {"1"}},
	"POST /categories/{id}/move":               {"parent": {""}, "place": {"1"}, "version": {"1"}},
	"POST /categories/{id}/image/remove":       {},
	"POST /categories/{id}/delete":             {"version": {"1"}},
	"POST /stock/quantity": {"product": {"PRODUCT"}, "variant": {"VARIANT"}, "stock": {"STOCK"},
		"quantity": {"5"}},
	"POST /stock/quantities": {"product": {"PRODUCT"}, "variant": {"VARIANT"}, "stock": {"STOCK"}, "key": {"1.1"},
		"was": {""}, "quantity": {"5"}},
	"POST /stock/warehouses":             {"name": {"NEW"}},
	"POST /stock/warehouses/{id}":        {"name": {"NEW"}, "version": {"1"}},
	"POST /stock/warehouses/{id}/delete": {"version": {"1"}},
	"POST /price-lists":                  {"name": {"NEW"}},
	"POST /price-lists/prices": {"product": {"PRODUCT"}, "variant": {"VARIANT"}, "list": {"LIST"}, "from": {"1"},
		"was": {""}, "price": {"9.90"}},
	"POST /price-lists/{id}":            {"name": {"NEW"}, "version": {"1"}},
	"POST /price-lists/{id}/delete":     {"version": {"1"}},
	"POST /customer-groups":             {"name": {"NEW"}},
	"POST /customer-groups/{id}":        {"name": {"NEW"}, "version": {"1"}},
	"POST /customer-groups/{id}/delete": {"version": {"1"}},
	"POST /shop-search/synonyms/entry":  {"phrases": {"lamp\nNEW"}, "kind": {"group"}, "do": {"save"}},
	"POST /shop-search/pins/pin":        {"query": {"NEW"}, "product": {"PRODUCT"}, "do": {"save"}},
}

// isCataloguePage reports whether a route is a page of the catalogue.
func isCataloguePage(route httpapi.Route) bool {
	for _, prefix := range []string{"/options", "/features", "/categories", "/stock", "/price-lists",
		"/customer-groups", "/shop-search"} {
		if route.Path == prefix || strings.HasPrefix(route.Path, prefix+"/") {
			return true
		}
	}
	return false
}

// cataloguePath returns the path of a page of the catalogue for a new entity.
func (c *routeWalk) cataloguePath(route httpapi.Route) string {
	c.t.Helper()
	resource, _, _ := strings.Cut(route.Path, "/{")
	list := map[string]string{"/options": "/v2/variant-options", "/features": "/v2/features",
		"/categories":       "/v2/categories",
		"/stock/warehouses": "/v2/stocks",
		"/price-lists":      "/v2/price-lists",
		"/customer-groups":  "/v2/customer-groups"}[resource]
	if resource == "/price-lists" {
		c.deletePriceLists() // a store can have only a few
	}

	body := `{"name": "Tops"}`
	if resource == "/options" || resource == "/features" {
		body = `{"name": "Size", "values": [{"name": "S"}, {"name": "M"}]}`
	}

	id := c.OK(201, "POST", list, body).Text("data.id")
	path := strings.Replace(route.Path, "{id}", id, 1)
	if resource == "/options" || resource == "/features" {
		values := c.Get(list + "/" + id + "/values")
		value := values.Text("data.0.id")
		path = strings.Replace(path, "{value}", value, 1)
		if route.Method+route.Path == "GET"+resource+"/{id}/values/remove" {
			path += "?value=" + value
		}

		if route.Method+route.Path == "GET"+resource+"/{id}/values/merge" {
			path += "?value=" + value + "&value=" + values.Text("data.1.id")
		}
	}

	return path
}

// catalogueReplacements creates what the form of a page of the catalogue names, and returns pairs of a placeholder and
// its id.
func (c *routeWalk) catalogueReplacements(name, path string) (pairs []string) {
	c.t.Helper()
	switch {
	case strings.HasPrefix(name, "POST ") && (strings.HasSuffix(name, "/values/remove") ||
		strings.HasSuffix(name, "/values/merge")):
		list := strings.NewReplacer("/options/", "/v2/variant-options/", "/features/", "/v2/features/", "/remove", "",
			"/merge", "").Replace(path)
		values := c.Get(list)
		pairs = append(pairs, "CHOSEN", values.Text("data.0.id"))
		if values.Has("data.1") {
			pairs = append(pairs, "OTHER", values.Text("data.1.id"))
		}

	case name == "POST /categories/step":
		c.createFromBody("/v2/categories")
		pairs = append(pairs, "CATEGORY", c.createFromBody("/v2/categories"))
	case name == "POST /price-lists/prices":
		c.deletePriceLists()
		product, variant := c.createProduct()
		pairs = append(pairs, "PRODUCT", product, "VARIANT", variant, "LIST", c.createFromBody("/v2/price-lists"))
	case name == "POST /shop-search/pins/pin":
		product, _ := c.createProduct()
		pairs = append(pairs, "PRODUCT", product)
	case name == "POST /stock/quantity", name == "POST /stock/quantities":
		product, variant := c.createProduct()
		pairs = append(pairs, "PRODUCT", product, "VARIANT", variant, "STOCK", c.createFromBody("/v2/stocks"))
	}

	return pairs
}
