package e2e

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

const redirectsPath = "/v2/redirects"

// resolved returns what a path leads to, as "type canonical redirect".
func resolved(s *apitest.Server, path string) string {
	r := s.Get("/v2/resolve?path=" + url.QueryEscape(path))
	return strings.Join([]string{r.Text("data.type"), r.Text("data.canonical"), r.Text("data.redirect")}, " ")
}

func TestResolve_respondsWithWhatPathLeadsTo(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		clothes := createNamed(s, categoriesPath, "Clothes")
		shirts := createNamed(s, categoriesPath, "Shirts", clothes)
		product := s.OK(201, "POST", "/v2/products", map[string]any{"name": "T-shirt", "categories": []string{shirts},
			"variants": []any{newVariant("")}}).Text("data.id")

		visitor := s.WithKeys(s.Keys)
		r := visitor.Get("/v2/resolve?path=/p/t-shirt", apitest.As(s.Publishable))
		if r.Text("data.id") != product || r.Text("data.redirect") != "null" || r.Text("data.type") != "product" {
			t.Errorf("the product: %s", r.Body)
		}
		if names := r.Texts("data.breadcrumbs", "slug"); !slices.Equal(names, []string{"clothes", "shirts"}) {
			t.Errorf("its breadcrumbs: %s", names)
		}

		s.OK(200, "PUT", categoriesPath+"/"+shirts, `{"parent_id": null}`)
		for path, want := range map[string]string{
			"/c/clothes/shirts":     "category /c/shirts 301",
			"/c/shirts/":            "category /c/shirts null",
			"/c/clothes":            "category /c/clothes null",
			"/p/t-shirt?utm=mail#x": "product /p/t-shirt null",
			"/p/%74-shirt":          "product /p/t-shirt null",
		} {
			if got := resolved(s, path); got != want {
				t.Errorf("%s: %s, want %s", path, got, want)
			}
		}

		for _, path := range []string{"/p/none", "/", "/p/T-SHIRT", "/" + strings.Repeat("a", 3000)} {
			s.WantProblem("404 not_found", "GET", "/v2/resolve?path="+url.QueryEscape(path), nil)
		}
		for _, query := range []string{"", "?path=", "?path=p/t-shirt", "?path=%2F%25zz", "?path=%2F%00",
			"?path=/a&path=/b", "?path=/" + strings.Repeat("a", 3000) + "&slug=a", "?slug=a"} {
			s.WantProblem("400 malformed_query", "GET", "/v2/resolve"+query, nil)
		}

		other := s.WithKeys(s.Other)
		other.WantProblem("404 not_found", "GET", "/v2/resolve?path=/p/t-shirt", nil)
	})
}

// A change of a redirect, of the forms of paths, or of the catalogue shows in the next response, which is cached.
func TestResolve_isNeverStale(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		want := func(path, want string) {
			t.Helper()
			for range 2 {
				if got := resolved(s, path); got != want {
					t.Errorf("%s: %s, want %s", path, got, want)
				}
			}
		}

		created := s.OK(201, "POST", redirectsPath, `{"from": "/sale/", "to": "/c/none"}`)
		want("/sale", "redirect /c/none 301")
		category := createNamed(s, categoriesPath, "None")
		want("/sale", "category /c/none 301")
		if got := s.DoAdmin("PUT", "/api/store/settings", `{"paths": {"category": "/k/{path}"}}`); got.Status != 200 {
			t.Fatalf("the paths: %s", got.Body)
		}
		want("/sale", "category /k/none 301")
		want("/c/none", "category /k/none 301")
		if got := s.Get("/v2/store").Text("data.paths.category"); got != "/k/{path}" {
			t.Errorf("the paths of the store: %s", got)
		}

		versions := s.Get("/v2/changes").Text("data.version")
		s.OK(201, "POST", redirectsPath, `{"from": "/sale/now", "to": "/sale"}`)
		want("/sale/now", "category /k/none 301")
		if got := s.Get("/v2/changes").Text("data.version"); got != versions {
			t.Errorf("a redirect is a change of the catalogue: version %s after %s", got, versions)
		}

		s.OK(204, "DELETE", redirectsPath+"/"+created.Text("data.id"), nil)
		s.WantProblem("404 not_found", "GET", "/v2/resolve?path=/sale", nil)
		s.OK(204, "DELETE", categoriesPath+"/"+category, nil)
		s.WantProblem("404 not_found", "GET", "/v2/resolve?path=/c/none", nil)
	})
}

func TestRedirects_areListedCreatedAndDeleted(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		first := s.OK(201, "POST", redirectsPath, `{"from": "/b", "to": "/c"}`)
		s.OK(201, "POST", redirectsPath, `{"from": "/a", "to": "https://shop.example/x?y=z"}`)
		if got := s.Get(redirectsPath).Texts("data", "from"); !slices.Equal(got, []string{"/a", "/b"}) {
			t.Errorf("the redirects begin at %s", got)
		}

		s.WantProblem("409 redirect_exists", "POST", redirectsPath, `{"from": "/b/", "to": "/d"}`)
		s.WantProblem("422 to redirect_loop", "POST", redirectsPath, `{"from": "/c", "to": "/b"}`)
		s.WantProblem("422 from invalid_path, to invalid_url", "POST", redirectsPath, `{}`)
		s.WantProblem("422 from wrong_type", "POST", redirectsPath, `{"from": 7, "to": "/b"}`)
		s.WantProblem("403 forbidden", "GET", redirectsPath, nil, apitest.As(s.Publishable))
		s.WithKeys(s.Other).WantProblem("404 not_found", "DELETE", redirectsPath+"/"+first.Text("data.id"), nil)
	})
}

func TestNavigation_isTreeWithCounts(t *testing.T) {
	t.Parallel()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		clothes := createNamed(s, categoriesPath, "Clothes")
		shirts := createNamed(s, categoriesPath, "Shirts", clothes)
		createNamed(s, categoriesPath, "Empty")
		product := func(categories ...string) string {
			return s.OK(201, "POST", "/v2/products", map[string]any{"name": "Shirt", "categories": categories,
				"variants": []any{newVariant("")}}).Text("data.id")
		}
		// tree returns the navigation as "name/slug:count(children)".
		var lines func(list []any) string
		lines = func(list []any) string {
			texts := make([]string, 0, len(list))
			for _, element := range list {
				n := element.(map[string]any)
				texts = append(texts, fmt.Sprintf("%s/%s:%v(%s)", n["name"], n["slug"], n["count"],
					lines(n["children"].([]any))))
			}
			return strings.Join(texts, " ")
		}
		want := func(query, want string) {
			t.Helper()
			for range 2 { // the second time from memory
				if got := lines(s.Get("/v2/navigation" + query).JSON().(map[string]any)["data"].([]any)); got != want {
					t.Errorf("%s: %s, want %s", query, got, want)
				}
			}
		}

		want("", "Clothes/clothes:0(Shirts/shirts:0()) Empty/empty:0()")
		product(clothes)
		both := product(clothes, shirts)
		product(shirts)
		want("", "Clothes/clothes:3(Shirts/shirts:2()) Empty/empty:0()")
		want("?depth=1", "Clothes/clothes:3() Empty/empty:0()")
		want("?depth=2", "Clothes/clothes:3(Shirts/shirts:2()) Empty/empty:0()")

		s.OK(200, "POST", "/v2/products/"+both+"/archive", nil)
		want("", "Clothes/clothes:2(Shirts/shirts:1()) Empty/empty:0()")
		s.OK(204, "DELETE", categoriesPath+"/"+clothes, nil)
		want("", "Shirts/shirts:1() Empty/empty:0()")

		for _, query := range []string{"?depth=0", "?depth=-1", "?depth=x", "?depth=1&depth=2", "?with=image"} {
			s.WantProblem("400 malformed_query", "GET", "/v2/navigation"+query, nil)
		}
	})
}

// Clients cannot fill the cache with one tree: all depths from its height on are one response.
func TestNavigation_cachesNoDepthBelowTree(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		createNamed(s, categoriesPath, "Shirts", createNamed(s, categoriesPath, "Clothes"))
		whole := s.Get("/v2/navigation")
		cached := func() string {
			_, after, _ := strings.Cut(s.Metrics(), `vitrine_memory_share_used_bytes{share="page_cache"} `)
			used, _, _ := strings.Cut(after, "\n")
			return used
		}

		before := cached()
		for depth := 2; depth < 10; depth++ {
			if r := s.Get(fmt.Sprint("/v2/navigation?depth=", depth)); string(r.Body) != string(whole.Body) {
				t.Errorf("%d levels: %s", depth, r.Body)
			}
		}
		if after := cached(); before == "" || after != before {
			t.Errorf("the pages in memory take %s bytes, %s before", after, before)
		}
	}, apitest.Alone())
}

func TestNavigation_hasImageOfFirstProduct(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		clothes := createNamed(s, categoriesPath, "Clothes")
		shirts := createNamed(s, categoriesPath, "Shirts", clothes)
		image := createImage(s)
		s.OK(201, "POST", "/v2/products", map[string]any{"name": "Shirt", "categories": []string{shirts},
			"images": []string{image}, "variants": []any{newVariant("")}})

		r := s.Get("/v2/navigation")
		for _, at := range []string{"data.0.image.id", "data.0.children.0.image.id"} {
			if got := r.Text(at); got != image {
				t.Errorf("%s is %s, want %s", at, got, image)
			}
		}
	})
}

func TestSitemap_listsPagesForSearchEngines(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		clothes := createNamed(s, categoriesPath, "Clothes")
		createNamed(s, categoriesPath, "Shirts", clothes)
		for _, name := range []string{"One", "Two", "Three"} {
			s.OK(201, "POST", "/v2/products", map[string]any{"name": name, "variants": []any{newVariant("")},
				"seo": map[string]any{"noindex": name == "Two"}})
		}

		index := "/v2/sitemap.xml?key=" + s.Publishable
		s.WantProblem("409 no_site_url", "GET", index, nil, apitest.As(""))
		s.DoAdmin("PUT", "/api/store/settings", `{"site_url": "https://shop.example/"}`)
		s.WantProblem("401 secret_in_address", "GET", "/v2/sitemap.xml?key="+s.Secret, nil, apitest.As(""))
		s.WantProblem("401 credential_required", "GET", "/v2/sitemap.xml", nil, apitest.As(""))

		files := between(s.OK(200, "GET", index, nil, apitest.As("")).Body, "<loc>", "</loc>")
		var pages []string
		for _, file := range files {
			address, err := url.Parse(file)
			if err != nil || address.Query().Get("key") != s.Publishable {
				t.Fatalf("the file %s: %v", file, err)
			}
			r := s.OK(200, "GET", address.RequestURI(), nil, apitest.As(""))
			pages = append(pages, between(r.Body, "<loc>", "</loc>")...)
			again := s.Do("GET", address.RequestURI(), nil, apitest.As(""),
				apitest.Header("If-None-Match", r.Header.Get("ETag")))
			if again.Status != 304 {
				t.Errorf("%s again: %d", file, again.Status)
			}
			n := len(between(r.Body, "<loc>", "</loc>"))
			if changed := len(between(r.Body, "<lastmod>", "</lastmod>")); n-changed > 1 {
				t.Errorf("%s: %d of %d addresses have a time", file, changed, n)
			}
		}

		want := []string{"https://shop.example/", "https://shop.example/c/clothes",
			"https://shop.example/c/clothes/shirts", "https://shop.example/p/one", "https://shop.example/p/three"}
		if !slices.Equal(pages, want) {
			t.Errorf("the pages are %s, want %s", pages, want)
		}
		for _, file := range []string{"0.xml", "3.xml", "1", "x.xml", "9999999999999999999.xml"} {
			s.WantProblem("404 not_found", "GET", "/v2/sitemap/"+file, nil)
		}
	})
}

// between returns what stands between each from and the next to.
func between(body []byte, from, to string) (found []string) {
	for part := range strings.SplitSeq(string(body), from) {
		if text, _, ok := strings.Cut(part, to); ok {
			found = append(found, text)
		}
	}
	return found
}

func TestBreadcrumbs_leadToDeepestCategory(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		sale := createNamed(s, categoriesPath, "Sale")
		clothes := createNamed(s, categoriesPath, "Clothes")
		shirts := createNamed(s, categoriesPath, "Shirts", clothes)
		product := s.OK(201, "POST", "/v2/products", map[string]any{"name": "Shirt",
			"categories": []string{sale, shirts}, "variants": []any{newVariant("")}}).Text("data.id")
		bare := s.OK(201, "POST", "/v2/products", map[string]any{"name": "Bare", "variants": []any{newVariant("")}}).
			Text("data.id")

		want := func(want ...string) {
			t.Helper()
			for range 2 { // the second time from memory
				for _, path := range []string{"/v2/products/" + product + "?with=breadcrumbs",
					"/v2/products/by-slug/shirt?with=breadcrumbs"} {
					if got := s.Get(path).Texts("data.breadcrumbs", "slug"); !slices.Equal(got, want) {
						t.Errorf("%s: %s, want %s", path, got, want)
					}
				}
				list := s.Get("/v2/products?with=breadcrumbs")
				if got := list.Texts("data.0.breadcrumbs", "slug"); !slices.Equal(got, want) {
					t.Errorf("in the list: %s, want %s", got, want)
				}
				if list.Len("data.1.breadcrumbs") != 0 || list.Text("data.1.id") != bare ||
					list.Has("data.0.categories") {
					t.Errorf("the list: %s", list.JSON())
				}
			}
		}

		want("clothes", "shirts")
		s.OK(200, "PUT", categoriesPath+"/"+clothes, `{"slug": "wear"}`)
		want("wear", "shirts")
		s.OK(200, "PUT", categoriesPath+"/"+shirts, `{"parent_id": null}`)
		want("sale") // of two categories that are as deep, the first
		if s.Get("/v2/products/" + product).Has("data.breadcrumbs") {
			t.Error("breadcrumbs come without being asked for")
		}
	})
}

// The canonical category that is chosen is the one that is read, and the way to the product goes through it everywhere.
func TestProduct_hasCanonicalCategory(t *testing.T) {
	t.Parallel()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		sale := createNamed(s, categoriesPath, "Sale")
		clothes := createNamed(s, categoriesPath, "Clothes")
		shirts := createNamed(s, categoriesPath, "Shirts", clothes)
		created := s.OK(201, "POST", "/v2/products", map[string]any{"name": "Shirt",
			"categories": []string{sale, shirts}, "variants": []any{newVariant("")}})
		product := "/v2/products/" + created.Text("data.id")

		want := func(id string, crumbs ...string) {
			t.Helper()
			for range 2 { // the second time from memory
				for path, at := range map[string]string{product: "data", "/v2/products/by-slug/shirt": "data",
					"/v2/products?with=categories": "data.0"} {
					if got := s.Get(path).Text(at + ".canonical_category_id"); got != id {
						t.Errorf("%s: %s, want %s", path, got, id)
					}
				}
				for path, at := range map[string]string{product + "?with=breadcrumbs": "data.breadcrumbs",
					"/v2/resolve?path=/p/shirt": "data.breadcrumbs"} {
					if got := s.Get(path).Texts(at, "slug"); !slices.Equal(got, crumbs) {
						t.Errorf("%s: %s, want %s", path, got, crumbs)
					}
				}
				list := s.Get(product+"?with=jsonld").Texts("data.jsonld.@graph.1.itemListElement", "name")
				if len(list) != len(crumbs)+1 {
					t.Errorf("the breadcrumbs for search engines are %s, want those of %s", list, crumbs)
				}
			}
		}
		edit := func(body string) {
			t.Helper()
			s.OK(200, "PUT", product, body)
		}

		want(shirts, "clothes", "shirts")
		edit(`{"canonical_category_id": "` + sale + `"}`)
		want(sale, "sale")
		s.WantProblem("422 canonical_category_id not_in_category", "PUT", product,
			`{"canonical_category_id": "`+clothes+`"}`)
		s.WantProblem("422 canonical_category_id wrong_type", "PUT", product, `{"canonical_category_id": 7}`)
		edit(`{"canonical_category_id": null}`)
		want(shirts, "clothes", "shirts")

		edit(`{"categories": ["` + clothes + `", "` + sale + `"], "canonical_category_id": "` + clothes + `"}`)
		want(clothes, "clothes")
		s.OK(204, "DELETE", categoriesPath+"/"+clothes, nil)
		want(sale, "sale")
		edit(`{"categories": []}`)
		want("null")
		if s.Get("/v2/products").Has("data.0.canonical_category_id") {
			t.Error("a list without categories has the canonical one")
		}
	})
}

func TestJSONLD_describesProductForSearchEngines(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		clothes := createNamed(s, categoriesPath, "Clothes")
		product := func(body map[string]any) string {
			body["name"] = "</script> Shirt"
			body["categories"] = []string{clothes}
			return "/v2/products/" + s.OK(201, "POST", "/v2/products", body).Text("data.id") + "?with=jsonld"
		}
		one := product(map[string]any{"variants": []any{map[string]any{"sku": "S-1", "price": 19.9,
			"barcodes": []string{"own", "20000015", "4006381333931"}}}})
		two := product(map[string]any{"variants": []any{}})

		r := s.Get(one)
		for at, want := range map[string]string{
			"@type": "Product", "name": "</script> Shirt", "sku": "S-1", "gtin": "4006381333931",
			"offers.@type": "Offer", "offers.price": "19.9", "offers.priceCurrency": "USD",
			"offers.availability": "https://schema.org/InStock",
		} {
			if got := r.Text("data.jsonld.@graph.0." + at); got != want {
				t.Errorf("%s is %q, want %q", at, got, want)
			}
		}
		if r.Has("data.jsonld.@graph.0.url") {
			t.Error("there is an address without the address of the site")
		}
		if s.Get(two).Has("data.jsonld.@graph.0.offers") {
			t.Error("a product without a price is offered")
		}

		s.DoAdmin("PUT", "/api/store/settings", `{"site_url": "https://shop.example"}`)
		r = s.Get(one)
		if got := r.Text("data.jsonld.@graph.0.url"); got != "https://shop.example/p/script-shirt" {
			t.Errorf("the address is %s", got)
		}
		items := r.Texts("data.jsonld.@graph.1.itemListElement", "item")
		want := []string{"https://shop.example/c/clothes", "https://shop.example/p/script-shirt"}
		if !slices.Equal(items, want) {
			t.Errorf("the breadcrumbs are %s, want %s", items, want)
		}
		s.WantProblem("400 malformed_query", "GET", "/v2/products?with=jsonld", nil)
	})
}
