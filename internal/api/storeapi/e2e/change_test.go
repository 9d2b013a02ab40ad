package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

// Responses have the tags of what they show, from whichever tier they come, and with 304 too.
func TestCacheTag_namesWhatAResponseShows(t *testing.T) {
	t.Parallel()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		root := s.OK(201, "POST", "/v2/categories", `{"name":"Home"}`).Text("data.id")
		category := s.OK(201, "POST", "/v2/categories", `{"name":"Lamps","parent_id":"`+root+`"}`).Text("data.id")
		s.OK(201, "POST", "/v2/redirects", `{"from":"/old","to":"/p/lamp"}`)
		s.OK(201, "POST", "/v2/redirects", `{"from":"/away","to":"https://other.example/"}`)
		product := s.OK(201, "POST", "/v2/products",
			`{"name":"Lamp","categories":["`+category+`"],"variants":[{"price":10}]}`)
		productID, variantID := product.Text("data.id"), product.Text("data.variants.0.id")
		s.OK(200, "PUT", "/v2/products/"+productID, `{"slug":"light"}`)
		s.OK(200, "PUT", "/v2/products/"+productID, `{"slug":"lamp"}`)
		s.OK(200, "PUT", "/v2/categories/"+category, `{"slug":"lights"}`)
		s.OK(200, "PUT", "/v2/categories/"+category, `{"slug":"lamps"}`)
		if got := product.Header.Get("Cache-Tag"); got != "" {
			t.Errorf("a created product has the tags %s", got)
		}

		visitor := apitest.As(s.Publishable)
		lamps := "category-" + category
		shown := "product-" + productID + "," + lamps
		shownBelow := shown + ",category-" + root
		want := map[string]string{
			"/v2/products/" + productID:                               shown,
			"/v2/products":                                            "list,product-" + productID,
			"/v2/products?q=lamp":                                     "list,product-" + productID,
			"/v2/products?q=nothing":                                  "list",
			"/v2/products/" + productID + "/variants":                 "product-" + productID,
			"/v2/products/" + productID + "/variants/" + variantID:    "product-" + productID,
			"/v2/categories":                                          "list",
			"/v2/categories/" + category:                              lamps,
			"/v2/suggest?q=la":                                        "list",
			"/v2/products?dates=iso":                                  "list,product-" + productID,
			"/v2/products/" + productID + "?dates=iso":                shown,
			"/v2/products/" + productID + "?with=breadcrumbs":         shownBelow,
			"/v2/products/" + productID + "?with=jsonld":              shownBelow,
			"/v2/products/by-slug/lamp":                               shown,
			"/v2/products/by-slug/light":                              "list," + shown,
			"/v2/categories/by-slug/lamps":                            lamps,
			"/v2/categories/by-slug/lights":                           "list," + lamps,
			"/v2/resolve?path=/p/lamp":                                shownBelow,
			"/v2/resolve?path=/p/light":                               "list," + shownBelow,
			"/v2/resolve?path=/c/home/lamps":                          lamps + ",category-" + root,
			"/v2/resolve?path=/c/lamps":                               "list," + lamps + ",category-" + root,
			"/v2/resolve?path=/old":                                   "list," + shownBelow,
			"/v2/resolve?path=/away":                                  "list",
			"/v2/resolve?path=/none":                                  "",
			"/v2/navigation":                                          "list",
			"/v2/stocks":                                              "",
			"/v2/products/" + productID + "/variants/no-such-variant": "",
		}
		for path, tags := range want {
			for range 3 { // from the database, then from memory
				r := s.Do("GET", path, nil, visitor)
				if got := r.Header.Get("Cache-Tag"); got != tags {
					t.Errorf("%s has the tags %q, want %q", path, got, tags)
				}

				etag := r.Header.Get("ETag")
				if etag == "" || !strings.Contains(path, "dates=iso") {
					continue
				}
				r = s.Do("GET", path, nil, visitor, apitest.Header("If-None-Match", etag))
				if got := r.Header.Get("Cache-Tag"); r.Status != http.StatusNotModified || got != tags {
					t.Errorf("%s is %d with the tags %q for a client that has it", path, r.Status, got)
				}
			}
		}

		for i := range 60 {
			s.OK(201, "POST", "/v2/products", fmt.Sprintf(`{"name":"Product %d"}`, i))
		}
		for range 3 {
			list := s.OK(200, "GET", "/v2/products?per_page=100", nil, visitor)
			tags := strings.Split(list.Header.Get("Cache-Tag"), ",")
			slices.Sort(tags)
			if len(slices.Compact(tags)) != 50 {
				t.Errorf("a list of 61 products has %d tags, want 50", len(tags))
			}
		}
	})
}

func TestChanges_areListedSinceAVersion(t *testing.T) {
	t.Parallel()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		visitor := apitest.As(s.Publishable)
		version := s.OK(200, "GET", "/v2/changes", nil, visitor).Text("data.version")
		product := s.OK(201, "POST", "/v2/products", `{"name":"Lamp","variants":[{"price":10}]}`)
		productID := product.Text("data.id")

		r := s.OK(200, "GET", "/v2/changes?since="+version, nil, visitor)
		want := fmt.Sprintf(`{"data":{"version":%s,"products":{"count":1,"ids":["%s"],"more":false},`+
			`"categories":{"count":0,"ids":[],"more":false},"prices_only":false,"tags":["product-%s","list"]},`+
			`"meta":{"next_cursor":null}}`, r.Text("data.version"), productID, productID)
		if got := strings.TrimSpace(string(r.Body)); got != want {
			t.Errorf("the changes are\n%s\nwant\n%s", got, want)
		}

		version = r.Text("data.version")
		s.OK(200, "PUT", "/v2/products/"+productID+"/variants/"+product.Text("data.variants.0.id"), `{"price":12}`)
		r = s.OK(200, "GET", "/v2/changes?since="+version, nil, visitor)
		if r.Text("data.prices_only") != "true" || r.Text("data.products.ids.0") != productID {
			t.Errorf("after a change of a price the changes are %s", r.Body)
		}
		version = r.Text("data.version")
		s.OK(204, "DELETE", "/v2/products/"+productID, nil)
		r = s.OK(200, "GET", "/v2/changes?since="+version, nil, visitor)
		if r.Text("data.products.ids.0") != productID {
			t.Errorf("after a deletion the changes are %s", r.Body)
		}

		for query, status := range map[string]int{"since=1000000": 410, "since=-1": 400, "since=x": 400, "since=": 400,
			"since=1&cursor=AAAA": 400, "per_page=10": 400, "since=+1": 400} {
			if r := s.Do("GET", "/v2/changes?"+query, nil, visitor); r.Status != status {
				t.Errorf("%s is %d %s, want %d", query, r.Status, r.Body, status)
			}
		}
	})
}

// Pushes of accounting change what they change: prices and stock alone are prices_only, and the new name of a value, a
// feature or an option changes the products that have it.
func TestChanges_followPushes(t *testing.T) {
	t.Parallel()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		push := func(entity, items string) {
			t.Helper()
			s.OK(200, "POST", "/v2/sync-gate/"+entity, `{"payload":[`+items+`]}`, apitest.As(s.Exchange))
		}
		push("stocks", `{"id":"main","name":"Main"}`)
		push("features", `{"id":"material","name":"Material","values":[{"id":"wood","name":"Wood"}]}`)
		push("variant-options", `{"id":"size","name":"Size","values":[{"id":"s","name":"S"}]}`)
		push("products", `{"id":"table","name":"Table","features":[{"id":"material","value_id":"wood"}],`+
			`"variants":[{"id":"1","price":10,"options":[{"id":"size","value_id":"s"}]}]},`+
			`{"id":"lamp","name":"Lamp","variants":[{"id":"1","price":10}]}`)

		version := s.OK(200, "GET", "/v2/changes", nil).Text("data.version")
		for _, c := range []struct {
			entity, item string
			pricesOnly   string
		}{
			{"prices", `{"product_id":"table","variant_id":"1","price":12}`, "true"},
			{"remainders", `{"product_id":"table","variant_id":"1","stock_id":"main","quantity":5}`, "true"},
			{"features", `{"id":"material","name":"Material","values":[{"id":"wood","name":"Oak"}]}`, "false"},
			{"features", `{"id":"material","name":"Made of"}`, "false"},
			{"variant-options", `{"id":"size","name":"Size","values":[{"id":"s","name":"Small"}]}`, "false"},
			{"variant-options", `{"id":"size","name":"Height"}`, "false"},
			{"products", `{"id":"table","name":"Desk"}`, "false"},
			{"features", `{"id":"material","removed_values":["wood"]}`, "false"},
		} {
			push(c.entity, c.item)
			r := s.OK(200, "GET", "/v2/changes?since="+version, nil)
			if r.Text("data.products.count") != "1" || r.Text("data.prices_only") != c.pricesOnly {
				t.Errorf("after a push of %s %s the changes are %s", c.entity, c.item, r.Body)
			}
			version = r.Text("data.version")
		}
	})
}
