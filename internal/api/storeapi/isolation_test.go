package storeapi_test

import (
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

// No such thing in this store is 404, and another store's thing is the same 404, as is an id in the path that is no UUID: on every route that
// has one, to the last byte.
func TestRoutes_answerTheSame404ForAllThatIsNotTheStores(t *testing.T) {
	t.Parallel()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		other := s.WithKeys(s.Other)
		theirs := map[string]string{
			"/v2/variant-options": create(other, options, "x").id, "/v2/product-variants": create(other, options, "x").id,
			"/v2/features": create(other, features, "x").id, "/v2/products": product(other),
			"/v2/categories": thing(other, categories, "x"), "/v2/stocks": thing(other, stocks, "x"), "/v2/images": pictured(other),
			customers: signIn(other, "anna@example.com").Text("data.customer.id"), feedback: asked(other, feedback), callbacks: asked(other, callbacks), carts: other.OK(201, "POST", carts, `{}`).Text("data.id"),
		}
		mine := map[string]string{
			"/v2/variant-options": create(s, features, "x").id, "/v2/product-variants": product(s), "/v2/features": create(s, options, "x").id, "/v2/products": create(s, options, "x").id,
			"/v2/categories": thing(s, stocks, "x"), "/v2/stocks": thing(s, categories, "x"), "/v2/images": product(s),
			customers: product(s), feedback: asked(s, callbacks), callbacks: asked(s, feedback), carts: product(s),
		}
		body := `{"name": "x", "price": 1, "removed_values": ["` + nobody + `"], "variant_id": "` + nobody + `", "quantity": 1, "contact": {"name": "x", "phone": "1234567"}}`
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
				t.Fatalf("%s is a resource that this test does not know", resource)
			}
			at := func(id string) *apitest.Response {
				return s.Do(route.Method, strings.NewReplacer("{id}", id, "{variant_id}", nobody, "{item_id}", nobody).Replace(route.Path), sent)
			}
			unknown := at(nobody)
			if unknown.Problem() != "404 not_found" {
				t.Errorf("%s %s of nobody: %s", route.Method, route.Path, unknown.Problem())
			}
			for _, id := range []string{
				theirs[resource], mine[resource], s.StoreID.String(), "00000000-0000-0000-0000-000000000000", "x", "1", "%20", "%00", "%FF", "..%2F..", "%D1%8F", strings.Repeat("a", 5000),
				"{018f0000-0000-7000-8000-000000000000}", "urn:uuid:" + nobody, strings.ReplaceAll(nobody, "-", ""), nobody + "%0A", "%2e", "*", "'",
			} {
				got := at(id)
				if got.Problem() == "404 no_such_path" { // a path that says ".." is none at all
					continue
				}
				got.WantSame(unknown)
			}
		}
		s.WantUnchanged(before, "requests for what is not there")
		if seen < 15 {
			t.Errorf("only %d routes have an id", seen)
		}
	})
}

// Lists, searches and totals show nothing of another store.
func TestLists_showNothingOfAnotherStore(t *testing.T) {
	t.Parallel()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		other := s.WithKeys(s.Other)
		create(other, options, "theirs")
		create(other, features, "theirs")
		product(other)
		thing(other, categories, "theirs")
		thing(other, stocks, "theirs")
		pictured(other)
		other.OK(201, "POST", carts, `{}`)
		asked(other, feedback)
		asked(other, callbacks)
		signIn(other, "theirs@example.com")
		for _, path := range []string{feedback, callbacks, callbacks + "?q=anna", customers, customers + "?q=theirs", carts, carts + "?state=draft", options, features, "/v2/products", images, categories, stocks, categories + "?q=theirs", categories + "?parent_id=root", stocks + "?q=theirs", options + "?q=attribute&with=values", features + "?q=attribute&with=values", "/v2/products?q=shirt"} {
			r := s.Get(path)
			if r.Len("data") != 0 || r.Text("meta.total") != "0" || r.Text("meta.last_page") != "1" {
				t.Errorf("%s shows %s", path, r.Body)
			}
			if other.Get(path).Len("data") != 1 {
				t.Errorf("%s does not show the other store what is its own", path)
			}
		}
		if mine, theirs := s.DoAdmin("GET", "/api/store/mailbox", nil), other.DoAdmin("GET", "/api/store/mailbox", nil); mine.Len("data") != 0 || theirs.Len("data") != 1 {
			t.Errorf("the mailbox shows %s", mine.Body)
		}
		// Nor can a product of one store carry what is another's.
		size, material := create(other, options, "S"), create(other, features, "cotton")
		s.WantProblem("422 variants[0].options[0].option_id unknown_option", "POST", "/v2/products", map[string]any{"name": "x", "variants": []any{variant("1", size.on(0))}})
		s.WantProblem("422 features[0].feature_id unknown_feature", "POST", "/v2/products", map[string]any{"name": "x", "features": []any{material.of(0)}})
	})
}

// Rights are checked before existence: a publishable key that writes is 403 whatever the id, and so is an exchange token on all of /v2.
func TestRoutes_checkRightsBeforeExistence(t *testing.T) {
	t.Parallel()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		mine := create(s, options, "S").id
		before := s.Dump()
		for _, route := range s.App.API().Routes() {
			if route.Needs == "" || route.Exchange {
				continue
			}
			for _, id := range []string{mine, nobody, "nonsense", create(s.WithKeys(s.Other), features, "x").id} {
				path := strings.Replace(route.Path, "{id}", id, 1)
				for _, body := range []any{nil, `{"name": "x"}`, `{`, `[]`} {
					var options []apitest.RequestOption
					if body == `{` {
						options = append(options, apitest.Header("Content-Type", "text/plain"), apitest.Header("If-Match", `"v9"`), apitest.Header("Idempotency-Key", "k"))
					}
					if got := s.Do(route.Method, path, body, append(options, apitest.As(s.Exchange))...).Problem(); got != "403 forbidden" {
						t.Errorf("%s %s with an exchange token: %s", route.Method, path, got)
					}
					if route.Method == "GET" || route.PublicWrite() {
						continue
					}
					if got := s.Do(route.Method, path, body, append(options, apitest.As(s.Publishable))...).Problem(); got != "403 forbidden" {
						t.Errorf("%s %s with a publishable key: %s", route.Method, path, got)
					}
				}
			}
		}
		// Only what the test itself made is new.
		now := s.Dump()
		for _, table := range []string{"idempotency", "idempotency_pieces", "products", "variants"} {
			if len(now[table]) != len(before[table]) {
				t.Errorf("%s has changed", table)
			}
		}
		if s.Get(options+"/"+mine).Header.Get("ETag") != `"v1"` {
			t.Error("the option has changed")
		}
	})
}
