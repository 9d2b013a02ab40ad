package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

// The first page has the number 1. The parameter per_page is 50 by default and at most 250. Other values of the
// parameters get a 400. The member last_page of an empty list is 1. A page after the last one is empty.
func TestPage_parametersSelectOnePageOfAList(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		meta := func(path string) string { return s.Get(path).Text("meta") }
		for _, list := range []string{optionsPath, "/v2/features", "/v2/products"} {
			if got, want := meta(list), `{"current_page":1,"last_page":1,"per_page":50,"total":0}`; got != want {
				t.Errorf("%s without anything: %s, want %s", list, got, want)
			}
			if got := s.Get(list).Text("data"); got != "[]" {
				t.Errorf("%s without anything: %s", list, got)
			}

			for i := range 7 {
				s.OK(201, "POST", list, fmt.Sprintf(`{"name": "n%d"}`, i))
			}

			for _, c := range []struct{ query, meta, names string }{
				{"", `{"current_page":1,"last_page":1,"per_page":50,"total":7}`, "n0 n1 n2 n3 n4 n5 n6"},
				{"?page=1&per_page=3", `{"current_page":1,"last_page":3,"per_page":3,"total":7}`, "n0 n1 n2"},
				{"?page=2&per_page=3", `{"current_page":2,"last_page":3,"per_page":3,"total":7}`, "n3 n4 n5"},
				{"?page=3&per_page=3", `{"current_page":3,"last_page":3,"per_page":3,"total":7}`, "n6"},
				{"?page=4&per_page=3", `{"current_page":4,"last_page":3,"per_page":3,"total":7}`, ""},
				{"?per_page=7", `{"current_page":1,"last_page":1,"per_page":7,"total":7}`, "n0 n1 n2 n3 n4 n5 n6"},
				{"?per_page=250", `{"current_page":1,"last_page":1,"per_page":250,"total":7}`, "n0 n1 n2 n3 n4 n5 n6"},
				{"?page=9007199254740992&per_page=250",
					`{"current_page":9007199254740992,"last_page":1,"per_page":250,"total":7}`, ""},
				{"?page=007", `{"current_page":7,"last_page":1,"per_page":50,"total":7}`, ""},
				{"?page=%31", `{"current_page":1,"last_page":1,"per_page":50,"total":7}`, "n0 n1 n2 n3 n4 n5 n6"},
			} {
				r := s.Get(list + c.query)
				if got := r.Text("meta"); got != c.meta {
					t.Errorf("%s%s: %s, want %s", list, c.query, got, c.meta)
				}
				if got := strings.Join(r.Texts("data", "name"), " "); got != c.names {
					t.Errorf("%s%s: %s, want %s", list, c.query, got, c.names)
				}
			}
		}

		id := strings.TrimPrefix(createOption(s), optionsPath)
		for _, list := range []string{optionsPath, "/v2/features", "/v2/products", optionsPath + id + "/values"} {
			for _, bad := range []string{"0", "-1", "+1", "1.0", "1e1", "0x1", "one", "", "%20", "1%20", "%201", "1,2",
				"९", "%D9%A1", "9007199254740993", "9223372036854775807", "9223372036854775808",
				"99999999999999999999999999", "1_0", "NaN", "null", "%00", "%FF"} {
				s.WantProblem("400 malformed_query", "GET", list+"?page="+bad, nil)
				s.WantProblem("400 malformed_query", "GET", list+"?per_page="+bad, nil)
			}

			for _, bad := range []string{"per_page=251", "per_page=1000", "page=1&page=2", "per_page=1&per_page=1",
				"page=1;per_page=2", "page=%zz", "%zz=1", "page"} {
				s.WantProblem("400 malformed_query", "GET", list+"?"+bad, nil)
			}
		}
	})
}

// The query parameter "with" is a comma-separated list of extras. An unknown extra gets a 400 on every route.
func TestWith_unknownIs400(t *testing.T) {
	s := startServer(t)
	id := strings.TrimPrefix(createOption(s), optionsPath)
	feature := "/v2/features/" + s.OK(201, "POST", "/v2/features", optionBody).Text("data.id")
	made := s.OK(201, "POST", "/v2/products", `{"name": "Shirt", "variants": [{"price": 1}]}`)
	product := "/v2/products/" + made.Text("data.id")
	variant := product + "/variants/" + made.Text("data.variants.0.id")
	category := "/v2/categories/" + s.OK(201, "POST", "/v2/categories", optionBody).Text("data.id")
	stock := "/v2/stocks/" + s.OK(201, "POST", "/v2/stocks", optionBody).Text("data.id")
	list := "/v2/price-lists/" + s.OK(201, "POST", "/v2/price-lists", optionBody).Text("data.id")
	group := "/v2/customer-groups/" + s.OK(201, "POST", "/v2/customer-groups", optionBody).Text("data.id")
	image := "/v2/images/" +
		s.OK(201, "POST", "/v2/images", onePixelGIF, apitest.Header("Content-Type", "image/gif")).Text("data.id")
	redirect := "/v2/redirects/" + s.OK(201, "POST", "/v2/redirects", `{"from": "/a", "to": "/b"}`).Text("data.id")
	inquiry := `{"name": "Anna", "message": "Hello", "phone": "+491234567"}`
	feedback := "/v2/feedback/" + s.OK(201, "POST", "/v2/feedback", inquiry).Text("data.id")
	callback := "/v2/interactions/callback/" + s.OK(201, "POST", "/v2/interactions/callback", inquiry).Text("data.id")
	made = s.OK(201, "POST", "/v2/orders",
		`{"items": [{"variant_id": "`+made.Text("data.variants.0.id")+`", "quantity": 1}]}`)
	order := "/v2/orders/" + made.Text("data.id")
	item := order + "/items/" + made.Text("data.items.0.id")
	customer := s.OK(200, "POST", "/v2/auth/passwordless/confirm", loginConfirmation(s))
	person := "/v2/customers/" + customer.Text("data.customer.id")
	seen := map[string]bool{}
	for _, c := range []struct{ method, path, known string }{
		{"GET", "/v2/store", ""},
		{"GET", optionsPath, "values"}, {"POST", optionsPath, "values"}, {"GET", optionsPath + id, "values"},
		{"PUT", optionsPath + id, "values"}, {"DELETE", optionsPath + id, ""},
		{"GET", optionsPath + id + "/values", ""},
		{"POST", optionsPath + id + "/impact", ""}, {"POST", optionsPath + id + "/merge", ""},
		{"PUT", "/v2/product-variants" + id, "values"},
		{"DELETE", "/v2/product-variants" + id, "values"},
		{"GET", "/v2/features", "values"}, {"POST", "/v2/features", "values"}, {"GET", feature, "values"},
		{"PUT", feature, "values"}, {"DELETE", feature, ""}, {"GET", feature + "/values", ""},
		{"POST", feature + "/impact", ""}, {"POST", feature + "/merge", ""},
		{"GET", "/v2/images", ""}, {"POST", "/v2/images", ""}, {"GET", image, ""}, {"PUT", image, ""},
		{"DELETE", image, ""},
		{"GET", "/v2/products", "variants"}, {"POST", "/v2/products", "features"},
		{"GET", product, "variants,features"}, {"PUT", product, "features"}, {"DELETE", product, ""},
		{"POST", product + "/archive", ""}, {"POST", product + "/restore", ""}, {"GET", product + "/variants", ""},
		{"POST", product + "/variants", ""},
		{"GET", variant, ""}, {"PUT", variant, ""}, {"DELETE", variant, ""}, {"POST", variant + "/archive", ""},
		{"POST", variant + "/restore", ""},
		{"GET", "/v2/categories", ""}, {"POST", "/v2/categories", ""}, {"GET", category, ""}, {"PUT", category, ""},
		{"DELETE", category, ""},
		{"GET", "/v2/stocks", ""}, {"POST", "/v2/stocks", ""}, {"GET", stock, ""}, {"PUT", stock, ""},
		{"DELETE", stock, ""},
		{"GET", "/v2/price-lists", ""}, {"POST", "/v2/price-lists", ""}, {"GET", list, ""}, {"PUT", list, ""},
		{"DELETE", list, ""},
		{"GET", "/v2/customer-groups", ""}, {"POST", "/v2/customer-groups", ""}, {"GET", group, ""},
		{"PUT", group, ""}, {"DELETE", group, ""},
		{"GET", "/v2/search/synonyms", ""}, {"PUT", "/v2/search/synonyms", ""}, {"GET", "/v2/search/pins", ""},
		{"PUT", "/v2/search/pins", ""}, {"GET", "/v2/search/queries", ""}, {"POST", "/v2/search/clicks", ""},
		{"GET", "/v2/suggest", ""}, {"GET", "/v2/changes", ""},
		{"GET", "/v2/products/by-slug/shirt", "variants"}, {"GET", "/v2/categories/by-slug/shirts", ""},
		{"GET", "/v2/resolve", ""}, {"GET", "/v2/navigation", ""}, {"GET", "/v2/sitemap.xml", ""},
		{"GET", "/v2/sitemap/1.xml", ""},
		{"GET", "/v2/redirects", ""}, {"POST", "/v2/redirects", ""}, {"DELETE", redirect, ""},
		{"GET", "/v2/feeds", ""}, {"GET", "/v2/feeds/market", ""}, {"PUT", "/v2/feeds/market", ""},
		{"GET", "/v2/feeds/market/report", ""}, {"DELETE", "/v2/feeds/market", ""},
		{"GET", "/v2/feedback", ""}, {"POST", "/v2/feedback", ""}, {"GET", feedback, ""},
		{"GET", "/v2/interactions/callback", ""}, {"POST", "/v2/interactions/callback", ""}, {"GET", callback, ""},
		{"POST", "/v2/auth/passwordless/request", ""}, {"POST", "/v2/auth/passwordless/confirm", ""},
		{"DELETE", "/v2/auth/session", ""}, {"GET", "/v2/me", ""}, {"PUT", "/v2/me", ""}, {"GET", "/v2/customers", ""},
		{"GET", person, ""}, {"PUT", person, ""},
		{"GET", "/v2/orders", ""}, {"POST", "/v2/orders", ""}, {"GET", order, ""}, {"PUT", order, ""},
		{"POST", order + "/items", ""}, {"PUT", item, ""}, {"DELETE", item, ""},
		{"POST", order + "/submit", ""}, {"POST", order + "/confirm", ""}, {"POST", order + "/complete", ""},
		{"POST", order + "/cancel", ""},
	} {
		var body any
		if c.method != "GET" {
			body = optionBody
		}

		by := apitest.As(s.Secret)
		if c.path == "/v2/me" || c.path == "/v2/auth/session" {
			by = apitest.As(customer.Text("data.token"))
		}

		for _, bad := range []string{"Values", "value", "x", "values,x", "values,", ",values", ",", "values%00", "%FF",
			"values&with=x", "values;", "variants.options"} {
			if got := s.Do(c.method, c.path+"?with="+bad, body, by).Problem(); got != "400 malformed_query" {
				t.Errorf("%s %s?with=%s: %s", c.method, c.path, bad, got)
			}
		}

		if c.known != "" && c.method == "GET" {
			s.Get(c.path + "?with=" + c.known)
			s.Get(c.path + "?with=" + c.known + "," + c.known) // a repeated extra is allowed
			s.Get(c.path + "?with=" + c.known + "&with=" + c.known)
			s.Get(c.path + "?with=")
		}

		// Record the route of each path, to check below that all routes are in the table.
		mask := strings.NewReplacer("/by-slug/shirts", "/by-slug/{slug}", "/by-slug/shirt", "/by-slug/{slug}",
			"/1.xml", "/{file}", "/feeds/market", "/feeds/{name}",
			strings.TrimPrefix(redirect, "/v2/redirects"), "/{id}",
			strings.TrimPrefix(item, order+"/items"), "/{item_id}",
			strings.TrimPrefix(order, "/v2/orders"), "/{id}", strings.TrimPrefix(person, "/v2/customers"), "/{id}",
			strings.TrimPrefix(variant, product+"/variants"), "/{variant_id}",
			strings.TrimPrefix(category, "/v2/categories"), "/{id}", strings.TrimPrefix(stock, "/v2/stocks"), "/{id}",
			strings.TrimPrefix(list, "/v2/price-lists"), "/{id}",
			strings.TrimPrefix(group, "/v2/customer-groups"), "/{id}",
			id, "/{id}", strings.TrimPrefix(feature, "/v2/features"), "/{id}",
			strings.TrimPrefix(product, "/v2/products"), "/{id}", strings.TrimPrefix(image, "/v2/images"), "/{id}",
			strings.TrimPrefix(feedback, "/v2/feedback"), "/{id}",
			strings.TrimPrefix(callback, "/v2/interactions/callback"), "/{id}")
		seen[c.method+" "+mask.Replace(c.path)] = true
	}

	for _, route := range s.App.API().Routes() {
		// 1C may send parameters of its own.
		if strings.HasPrefix(route.Path, "/v2/") && !route.Exchange && !strings.HasSuffix(route.Path, "/commerceml") &&
			!seen[route.Method+" "+route.Path] {
			t.Errorf("%s %s is not in the table of this test", route.Method, route.Path)
		}
	}
}

// Each word of q must be a prefix of some word of the name, regardless of case, in any script.
func TestSearch_matchesWordPrefixes(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		for _, name := range []string{"Shoe size (EU)", "Размер обуви", "Größe", "STRASSE", "İzmir", "ΣΊΣΥΦΟΣ",
			"日本語 サイズ", "100% cotton", "snake_case", "Café", "x-ray"} {
			for _, list := range []string{optionsPath, "/v2/features", "/v2/products"} {
				s.OK(201, "POST", list, map[string]string{"name": name})
			}
		}

		// Products with most of the words are found if none has all of them.
		moreProducts := map[string]string{"shoe x": "x-ray|Shoe size (EU)", "' OR 1=1 --": "100% cotton"}

		for q, want := range map[string]string{
			"size": "Shoe size (EU)", "SI": "Shoe size (EU)", "eu shoe": "Shoe size (EU)", "(EU)": "Shoe size (EU)",
			"oe": "", "ize": "", "shoe x": "", "рАЗМ": "Размер обуви", "обу раз": "Размер обуви",
			"grÖS": "Größe", "größe": "Größe", "straße": "STRASSE", "σίσυφος": "ΣΊΣΥΦΟΣ", "サイ": "日本語 サイズ",
			"100%": "100% cotton", "%": "", "_": "", "--": "", "€": "", "cas": "snake_case", "cafe\u0301": "Café",
			"CAFÉ": "Café",
			"ray":  "x-ray", "' OR 1=1 --": "", "": "all", " \t": "all",
		} {
			for _, list := range []string{optionsPath, "/v2/features", "/v2/products"} {
				r := s.Get(list + "?q=" + percentEncode(q))
				got := strings.Join(r.Texts("data", "name"), "|")
				if more, ok := moreProducts[q]; ok && list == "/v2/products" {
					want = more
				}
				if want == "all" && r.Text("meta.total") == "11" {
					continue
				}
				if got != want {
					t.Errorf("%s?q=%s finds %q, want %q", list, q, got, want)
				}
			}
		}

		s.Get(optionsPath + "?q=" + strings.Repeat("x", 1024))
		s.Get(optionsPath + "?q=" + percentEncode(strings.Repeat("x ", 512)))

		// This text has 1023 bytes. Each of its characters is folded to the same four words, and repeated words count
		// once.
		s.Get("/v2/products?q=" + percentEncode(strings.Repeat("ﷺ", 341)))

		for _, bad := range []string{"%00", "%FF", "%01", strings.Repeat("x", 1025), "a&q=b",
			percentEncode(strings.Join(strings.Split("abcdefghijklmnopqrstuvwxyz0123456789", ""), " ")),
			percentEncode(strings.Repeat("ﷺ ", 3) +
				strings.Join(strings.Split("abcdefghijklmnopqrstuvwxyz01234", ""), " "))} {
			s.WantProblem("400 malformed_query", "GET", optionsPath+"?q="+bad, nil)
		}
	})
}

func percentEncode(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

// A known path with another method gets a 405, with the methods in Allow. An unknown path gets a 404, no redirect.
func TestRouting_unknownPathIs404AndUnknownMethod405(t *testing.T) {
	s := startServer(t)
	path := createOption(s)
	before := s.Dump()
	for _, c := range []struct{ method, path, allow string }{
		{"PATCH", optionsPath, "GET, HEAD, POST"}, {"PUT", optionsPath, "GET, HEAD, POST"},
		{"DELETE", optionsPath, "GET, HEAD, POST"},
		{"POST", path, "GET, HEAD, PUT, DELETE"}, {"PATCH", path, "GET, HEAD, PUT, DELETE"},
		{"GET", strings.Replace(path, optionsPath, "/v2/product-variants", 1), "PUT, DELETE"},
		{"HEAD", strings.Replace(path, optionsPath, "/v2/product-variants", 1), "PUT, DELETE"},
		{"GET", path + "/impact", "POST"}, {"POST", path + "/values", "GET, HEAD"},
		{"DELETE", "/v2/store", "GET, HEAD"}, {"POST", "/openapi.json", "GET, HEAD"},
		{"TRACE", optionsPath, "GET, HEAD, POST"}, {"BREW", optionsPath, "GET, HEAD, POST"},
		{"get", optionsPath, "GET, HEAD, POST"},
	} {
		r := s.Do(c.method, c.path, nil)
		if c.method != "HEAD" && r.Problem() != "405 method_not_allowed" || r.Status != 405 ||
			r.Header.Get("Allow") != c.allow {
			t.Errorf("%s %s: %d with Allow %q, want 405 with %q", c.method, c.path, r.Status, r.Header.Get("Allow"),
				c.allow)
		}

		// The 405 needs no credential.
		if got := s.Do(c.method, c.path, nil, apitest.As("")).Status; got != 405 {
			t.Errorf("%s %s without a key: %d", c.method, c.path, got)
		}
	}

	id := strings.TrimPrefix(path, optionsPath)
	for _, unknown := range []string{
		"/v2", "/v2/", "/v2/unknown", optionsPath + "/", path + "/", path + "/value", path + "/values/",
		path + "/values/x", path + "/impact/x", "//v2/variant-options", "/v2//variant-options", "/v2/variant-options//",
		optionsPath + "//" + id,
		"/v2/./variant-options", "/v2/../v2/variant-options", "/./v2/variant-options", "/v2/variant-options/.",
		"/v2/variant-options/..", "/v2/%2e%2e/v2/variant-options", "/v2/%2E/variant-options", "/v2%2Fvariant-options",
		"/v2/Variant-Options", "/v2/variant-options%00", "/v2/variant-options%20", "/v2/variant_options",
		"/favicon.ico", "/.env", "/docs/", "/openapi.json/", "/healthz", "/metrics", "/readyz", "/login",
		"/debug/pprof", "/debug/pprof/", "/debug/pprof/heap", "/debug/pprof/profile", "/debug/pprof/cmdline",
	} {
		for _, method := range []string{"GET", "POST", "PUT", "DELETE", "PATCH"} {
			if got := s.Do(method, unknown, nil).Problem(); got != "404 no_such_path" {
				t.Errorf("%s %s: %s", method, unknown, got)
			}
		}
	}

	// These request lines have unusual methods or targets.
	for line, want := range map[string]string{
		"GET http://x" + optionsPath + " HTTP/1.1":  "200",
		"GET http://elsewhere.example//v2 HTTP/1.1": "404 no_such_path",
		"OPTIONS /v2/nothing HTTP/1.1":              "404 no_such_path",
		"CONNECT " + optionsPath + " HTTP/1.1":      "405 method_not_allowed",
		"GET " + optionsPath + "?page=1#x HTTP/1.1": "400 malformed_query",
		"GET /v2/variant-options\\ HTTP/1.1":        "404 no_such_path", "GET " + optionsPath + "/%zz HTTP/1.1": "400",
	} {
		r := s.SendRaw(line + "\r\nHost: x\r\nAuthorization: Bearer " + s.Secret + "\r\nConnection: close\r\n\r\n")
		if want == "400" { // net/http itself refuses the request
			if r.Status != 400 {
				t.Errorf("%s: %d", line, r.Status)
			}
			continue
		}

		if got := r.Problem(); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}

	s.WantUnchanged(before, "requests for paths that do not exist")

	r := s.Do("OPTIONS", optionsPath, nil, apitest.As(""))
	if r.Status != 204 || r.Header.Get("Allow") != "GET, HEAD, POST" {
		t.Errorf("OPTIONS: %d with Allow %q", r.Status, r.Header.Get("Allow"))
	}
}

// HEAD has the status and the headers of GET, without the body.
func TestHEAD_isGETWithoutBody(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		path := createOption(s)
		for _, c := range []struct {
			path   string
			status int
		}{{optionsPath, 200}, {optionsPath + "?with=values", 200}, {path, 200}, {path + "/values", 200},
			{"/v2/store", 200}, {"/v2/products", 200}, {optionsPath + "/x", 404}, {"/v2/x", 404},
			{optionsPath + "?page=0", 400}} {
			get, head := s.Do("GET", c.path, nil), s.Do("HEAD", c.path, nil)
			if head.Status != c.status || get.Status != c.status || len(head.Body) > 0 {
				t.Errorf("%s: HEAD is %d with %d bytes, GET is %d, want %d", c.path, head.Status, len(head.Body),
					get.Status, c.status)
			}

			for _, name := range []string{"Content-Type", "Content-Length", "ETag", "Vary", "Cache-Control"} {
				if head.Header.Get(name) != get.Header.Get(name) {
					t.Errorf("%s: %s is %q with HEAD and %q with GET", c.path, name, head.Header.Get(name),
						get.Header.Get(name))
				}
			}
		}
	})
}

// A valid X-Request-Id is echoed. Without one, or with an invalid one, the server creates an id.
func TestRequestID_isEchoedOrCreated(t *testing.T) {
	s := startServer(t, apitest.Alone())
	for _, given := range []string{"r-1", "018f0000-0000-7000-8000-000000000000", "a/b:c=d?e&f",
		strings.Repeat("x", 128)} {
		for _, path := range []string{optionsPath, "/v2/nothing", optionsPath + "/x", optionsPath + "?page=0"} {
			r := s.Do("GET", path, nil, withHeader("X-Request-Id", given))
			if r.Header.Get("X-Request-Id") != given {
				t.Errorf("%s: the X-Request-Id %q became %q", path, given, r.Header.Get("X-Request-Id"))
			}
		}

		if lines := s.Log.Lines("request"); lines[len(lines)-1]["request_id"] != given {
			t.Errorf("the log has %v, want %s", lines[len(lines)-1]["request_id"], given)
		}
	}

	seen := map[string]bool{}
	for _, given := range []string{"", "two words", strings.Repeat("x", 129), "naïve", "tab\there"} {
		var options_ []apitest.RequestOption
		if given != "" {
			options_ = append(options_, func(r *http.Request) { r.Header["X-Request-Id"] = []string{given} })
		}

		got := s.Do("GET", optionsPath, nil, options_...).Header.Get("X-Request-Id")
		if got == given || len(got) != 36 || seen[got] {
			t.Errorf("the X-Request-Id %q became %q", given, got)
		}

		seen[got] = true
	}
}
