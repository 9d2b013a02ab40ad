package e2e

import (
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

// Every route with an id responds to an unknown id with 404. It responds with the same bytes to an id of another store,
// to an id of another kind of resource, and to text that is not a UUID.
func TestRoutes_respond404ForForeignAndUnknownIDs(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		other := s.WithKeys(s.Other)

		theirs := map[string]string{
			"/v2/variant-options":  createAttribute(other, optionsPath, "x").id,
			"/v2/product-variants": createAttribute(other, optionsPath, "x").id,
			"/v2/features":         createAttribute(other, featuresPath, "x").id, "/v2/products": createProduct(other),
			"/v2/categories": createNamed(other, categoriesPath, "x"),
			"/v2/stocks":     createNamed(other, stocksPath, "x"), "/v2/images": createImage(other),
			"/v2/price-lists":     createNamed(other, "/v2/price-lists", "x"),
			"/v2/customer-groups": createNamed(other, "/v2/customer-groups", "x"),
			customersPath:         signIn(other, "anna@example.com").Text("data.customer.id"),
			feedbackPath:          createInquiry(other, feedbackPath),
			callbacksPath:         createInquiry(other, callbacksPath),
			ordersPath:            other.OK(201, "POST", ordersPath, `{}`).Text("data.id"),
			redirectsPath:         other.OK(201, "POST", redirectsPath, `{"from": "/a", "to": "/b"}`).Text("data.id"),
		}

		mine := map[string]string{
			"/v2/variant-options": createAttribute(s, featuresPath, "x").id, "/v2/product-variants": createProduct(s),
			"/v2/features":   createAttribute(s, optionsPath, "x").id,
			"/v2/products":   createAttribute(s, optionsPath, "x").id,
			"/v2/categories": createNamed(s, stocksPath, "x"), "/v2/stocks": createNamed(s, categoriesPath, "x"),
			"/v2/images":          createProduct(s),
			"/v2/price-lists":     createNamed(s, stocksPath, "x"),
			"/v2/customer-groups": createNamed(s, stocksPath, "x"),
			customersPath:         createProduct(s), feedbackPath: createInquiry(s, callbacksPath),
			callbacksPath: createInquiry(s, feedbackPath), ordersPath: createProduct(s),
			redirectsPath: createProduct(s),
		}

		body := `{"name": "x", "price": 1, "removed_values": ["` + unknownID + `"], "from": ["` + unknownID +
			`"], "into": "` + unknownID + `", "variant_id": "` + unknownID +
			`", "quantity": 1, "contact": {"name": "x", "phone": "1234567"}}`
		seen := 0
		before := s.Dump()
		for _, route := range s.App.API().Routes() {
			if !strings.Contains(route.Path, "{id}") || route.Exchange {
				continue
			}

			seen++
			var sent any
			if route.Method != "GET" && (route.Method != "DELETE" || route.Body != nil) {
				sent = body
			}

			resource := strings.Split(route.Path, "/{id}")[0]
			if theirs[resource] == "" {
				t.Fatalf("the test has no ids for %s", resource)
			}

			at := func(id string) *apitest.Response {
				return s.Do(route.Method,
					strings.NewReplacer("{id}", id, "{variant_id}", unknownID, "{item_id}",
						unknownID).Replace(route.Path), sent)
			}
			unknown := at(unknownID)
			if unknown.Problem() != "404 not_found" {
				t.Errorf("%s %s with an unknown id: %s", route.Method, route.Path, unknown.Problem())
			}

			for _, id := range []string{
				theirs[resource], mine[resource], s.StoreID.String(), "00000000-0000-0000-0000-000000000000", "x", "1",
				"%20", "%00", "%FF", "..%2F..", "%D1%8F", strings.Repeat("a", 5000),
				"{018f0000-0000-7000-8000-000000000000}", "urn:uuid:" + unknownID,
				strings.ReplaceAll(unknownID, "-", ""), unknownID + "%0A", "%2e", "*", "'",
			} {
				got := at(id)
				if got.Problem() == "404 no_such_path" { // the router removes ".." from paths
					continue
				}
				got.WantSame(unknown)
			}
		}

		s.WantUnchanged(before, "requests with unknown ids")
		if seen < 15 {
			t.Errorf("only %d routes have an id", seen)
		}
	})
}

// Lists, searches and totals leave out the resources of other stores.
func TestLists_showNothingOfAnotherStore(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		other := s.WithKeys(s.Other)
		createAttribute(other, optionsPath, "theirs")
		createAttribute(other, featuresPath, "theirs")
		createProduct(other)
		createNamed(other, categoriesPath, "theirs")
		createNamed(other, stocksPath, "theirs")
		createImage(other)
		other.OK(201, "POST", ordersPath, `{}`)
		createInquiry(other, feedbackPath)
		createInquiry(other, callbacksPath)
		signIn(other, "theirs@example.com")

		for _, path := range []string{feedbackPath, callbacksPath, callbacksPath + "?q=anna", customersPath,
			customersPath + "?q=theirs", ordersPath, ordersPath +
				"?state=draft", optionsPath, featuresPath, "/v2/products", imagesPath, categoriesPath, stocksPath,
			categoriesPath + "?q=theirs", categoriesPath + "?parent_id=root", stocksPath + "?q=theirs",
			optionsPath + "?q=attribute&with=values", featuresPath + "?q=attribute&with=values",
			"/v2/products?q=shirt"} {
			r := s.Get(path)
			if r.Len("data") != 0 || r.Text("meta.total") != "0" || r.Text("meta.last_page") != "1" {
				t.Errorf("%s shows %s", path, r.Body)
			}
			if other.Get(path).Len("data") != 1 {
				t.Errorf("%s does not list the resource of the other store itself", path)
			}
		}

		if mine, theirs := s.DoAdmin("GET", "/api/store/mailbox", nil), other.DoAdmin("GET", "/api/store/mailbox",
			nil); mine.Len("data") != 0 || theirs.Len("data") != 1 {
			t.Errorf("the mailbox shows %s", mine.Body)
		}

		// A product cannot have options and features of another store.
		size := createAttribute(other, optionsPath, "S")
		material := createAttribute(other, featuresPath, "cotton")
		s.WantProblem("422 variants[0].options[0].option_id unknown_option", "POST", "/v2/products",
			map[string]any{"name": "x", "variants": []any{newVariant("1", size.asOption(0))}})
		s.WantProblem("422 features[0].feature_id unknown_feature", "POST", "/v2/products",
			map[string]any{"name": "x", "features": []any{material.asFeature(0)}})
	})
}

// Scopes are checked before the resource is looked up: a publishable key gets 403 for writes whatever the id, and an
// exchange token gets 403 on all of /v2.
func TestRoutes_checkScopesBeforeExistence(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		mine := createAttribute(s, optionsPath, "S").id
		before := s.Dump()
		for _, route := range s.App.API().Routes() {
			if route.Needs == "" || route.Exchange {
				continue
			}

			for _, id := range []string{mine, unknownID, "nonsense",
				createAttribute(s.WithKeys(s.Other), featuresPath, "x").id} {
				path := strings.Replace(route.Path, "{id}", id, 1)
				for _, body := range []any{nil, `{"name": "x"}`, `{`, `[]`} {
					var options []apitest.RequestOption
					if body == `{` {
						options = append(options, apitest.Header("Content-Type", "text/plain"),
							apitest.Header("If-Match", `"v9"`), apitest.Header("Idempotency-Key", "k"))
					}

					if got := s.Do(route.Method, path, body,
						append(options, apitest.As(s.Exchange))...).Problem(); got != "403 forbidden" {
						t.Errorf("%s %s with an exchange token: %s", route.Method, path, got)
					}

					if route.Method == "GET" || route.PublicWrite() {
						continue
					}

					if got := s.Do(route.Method, path, body,
						append(options, apitest.As(s.Publishable))...).Problem(); got != "403 forbidden" {
						t.Errorf("%s %s with a publishable key: %s", route.Method, path, got)
					}
				}
			}
		}

		// The tables that the refused requests could have changed are unchanged.
		now := s.Dump()
		for _, table := range []string{"idempotency", "idempotency_pieces", "products", "variants"} {
			if len(now[table]) != len(before[table]) {
				t.Errorf("%s has changed", table)
			}
		}

		if s.Get(optionsPath+"/"+mine).Header.Get("ETag") != `"v1"` {
			t.Error("the option has changed")
		}
	})
}
