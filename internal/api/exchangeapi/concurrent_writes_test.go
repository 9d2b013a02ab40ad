package exchangeapi_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/promise"
)

// sampleCatalog returns the items of a small catalogue, by entity. All names and prices depend on the version.
func sampleCatalog(version int) map[string][]string {
	values := fmt.Sprintf(`[{"id": "a", "name": "A %d"}, {"id": "b", "name": "B %d"}]`, version, version)
	items := map[string][]string{
		"variant-options": {fmt.Sprintf(`{"id": "size", "name": "Size %d", "values": %s}`, version, values)},
		"features":        {fmt.Sprintf(`{"id": "kind", "name": "Kind %d", "values": %s}`, version, values)},
		"categories": {fmt.Sprintf(`{"id": "c0", "name": "Top %d", "parent_id": null}`, version),
			fmt.Sprintf(`{"id": "c1", "name": "Below %d", "parent_id": "c0"}`, version)},
		"stocks": {fmt.Sprintf(`{"id": "main", "name": "Main %d"}`, version)},
	}
	for p := range 6 {
		var variants []string
		for v, value := range []string{"a", "b"} {
			variants = append(variants,
				fmt.Sprintf(`{"id": "v%d", "name": "", "sku": "%d-%d", "price": %d, "options": [{"id": "size", `+
					`"value_id": %q}], "remainders": [{"stock_id": "main", "quantity": %d}]}`,
					v, p, v, 10*p+version, value, p))
		}

		items["products"] = append(items["products"],
			fmt.Sprintf(`{"id": %d, "name": "Ware %d %d", "description": "", "modifiers": [], "categories": ["c%d"], `+
				`"features": [{"id": "kind", "value_id": "a"}], "variants": [%s]}`,
				p, p, version, p%2, strings.Join(variants, ", ")))
	}

	return items
}

// entityOrder is an order of the entities in which no item of sampleCatalog refers to a later one.
var entityOrder = []string{"variant-options", "features", "categories", "stocks", "products"}

// payload returns the JSON document of a push with these items.
func payload(items []string) string { return `{"payload": [` + strings.Join(items, ", ") + `]}` }

// pushAll pushes a catalogue in entityOrder, and checks that no item fails.
func (s gateServer) pushAll(catalog map[string][]string) {
	s.t.Helper()
	for _, entity := range entityOrder {
		if r := s.push(entity, payload(catalog[entity])); r.Text("data.failed") != "0" {
			s.t.Errorf("push of %s: %s", entity, r.Body)
		}
	}
}

// Concurrent pushes and API writes of the same entities cause neither internal errors nor deadlocks. After the
// catalogue has been pushed again, the store has the same state as after one clean push.
func TestPush_concurrentWithAPIWrites(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, shared *apitest.Server) {
		s := gateServer{shared, t}
		clean := gateServer{shared.WithKeys(shared.Other), t}
		old, now := sampleCatalog(0), sampleCatalog(1)
		clean.pushAll(now)

		want := clean.LiveCatalogSnapshot()
		if len(want) != 11 {
			t.Fatalf("the state after a clean push is %q, want 11 lines", want)
		}

		s.pushAll(old)
		var all sync.WaitGroup
		for n, action := range []func(r *rand.Rand){
			func(r *rand.Rand) { s.pushRandom(r, now) }, func(r *rand.Rand) { s.pushRandom(r, now) },
			func(r *rand.Rand) { s.pushRandom(r, old) },
			s.editRandomProduct, s.editRandomProduct, s.editRandomReferences,
		} {
			all.Go(func() {
				r := rand.New(rand.NewPCG(uint64(n), 7))
				for range promise.Repeat(5, 12) {
					action(r)
				}
			})
		}

		all.Wait()

		for _, edit := range apiEdits {
			s.applyEdit(edit)
			s.pushAll(now)

			if diff := cmp.Diff(want, s.LiveCatalogSnapshot()); diff != "" {
				t.Errorf("after %q: state after one clean push (-) and of this store (+):\n%s",
					edit.method+" "+edit.list, diff)
			}

			if got := s.push("products", payload(now["products"])); counts(got, "data") != "6 0 0 6 0 0" {
				t.Errorf("after %q: pushed once more: %s", edit.method+" "+edit.list, got.Body)
			}
		}

		for _, complaint := range s.Log.WarningsAndErrors() {
			t.Errorf("unexpected log line: %s", complaint)
		}
	})
}

// apiEdit is an API request that changes the entity with an external id. The field body is the request body of a PUT,
// or the last path segment of a POST, which has no body.
type apiEdit struct{ method, list, id, body string }

var apiEdits = []apiEdit{
	{}, // no edit
	{"PUT", "/v2/products", "2", `{"name": "By hand", "categories": [], "features": []}`},
	{"PUT", "/v2/products", "3",
		`{"variants": [{"external_id": "v1", "price": 7, "sku": "by hand", "options": [], "remainders": []}]}`},
	{"POST", "/v2/products", "0", "archive"}, {"DELETE", "/v2/products", "1", ""},
	{"PUT", "/v2/categories", "c1", `{"name": "By hand", "parent_id": null}`}, {"DELETE", "/v2/categories", "c0", ""},
	{"PUT", "/v2/stocks", "main", `{"name": "By hand"}`}, {"DELETE", "/v2/stocks", "main", ""},
	{"PUT", "/v2/features", "kind", `{"name": "By hand"}`}, {"DELETE", "/v2/features", "kind", ""},
	{"PUT", "/v2/variant-options", "size", `{"name": "By hand"}`}, {"DELETE", "/v2/variant-options", "size", ""},
}

// applyEdit sends the request of an edit, and requires that it succeeds.
func (s gateServer) applyEdit(e apiEdit) {
	s.t.Helper()
	if e.method == "" {
		return
	}

	list := s.Get(e.list)
	at := slices.Index(list.Texts("data", "external_id"), e.id)
	if at < 0 {
		s.t.Fatalf("%s has no %s", e.list, e.id)
	}

	path := e.list + "/" + list.Text(fmt.Sprintf("data.%d.id", at))
	switch e.method {
	case "PUT":
		s.OK(200, "PUT", path, e.body)
	case "POST":
		s.OK(200, "POST", path+"/"+e.body, nil)
	case "DELETE":
		s.OK(204, "DELETE", path, nil)
	}
}

// tryRequest sends a request that may fail because of concurrent changes. Its status must be in the list fine.
func (s gateServer) tryRequest(method, path string, body any, fine ...int) *apitest.Response {
	s.t.Helper()
	r, err := s.Try(method, path, body)
	if err != nil {
		s.t.Errorf("%s %s: %v", method, path, err)
		return nil
	}
	if !slices.Contains(fine, r.Status) {
		s.t.Errorf("%s %s %v: %d %s", method, path, body, r.Status, r.Body)
	}
	return r
}

// pushRandom pushes the items of a random entity in random order, and then a price and a remainder.
func (s gateServer) pushRandom(r *rand.Rand, catalog map[string][]string) {
	entity := entityOrder[r.IntN(len(entityOrder))]
	if r.IntN(2) == 0 {
		entity = "products"
	}

	items := slices.Clone(catalog[entity])
	r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	if response := s.tryRequest("POST", s.path(entity), payload(items), 200); response != nil &&
		response.Status == 200 && response.Text("data.failed") != "0" {
		s.t.Errorf("concurrent push of %s: %s", entity, response.Body)
	}

	// Another goroutine may have deleted the variant. Then the item fails, but the push succeeds.
	s.tryRequest("POST", s.path("prices"),
		fmt.Sprintf(`{"payload": [{"product_id": %d, "variant_id": "v0", "price": %d}]}`, r.IntN(6), r.IntN(100)), 200)
	s.tryRequest("POST", s.path("remainders"),
		fmt.Sprintf(`{"payload": [{"product_id": %d, "variant_id": "v1", "stock_id": "main", "quantity": %d}]}`,
			r.IntN(6), r.IntN(100)), 200)
}

// randomID returns the id of a random element of a list. It returns false if the list is empty.
func (s gateServer) randomID(r *rand.Rand, path string) (string, bool) {
	answer := s.tryRequest("GET", path, nil, 200)
	if answer == nil || answer.Status != 200 || answer.Len("data") == 0 {
		return "", false
	}
	return answer.Text(fmt.Sprintf("data.%d.id", r.IntN(answer.Len("data")))), true
}

// editRandomProduct edits, archives, restores or deletes a random product through the API.
func (s gateServer) editRandomProduct(r *rand.Rand) {
	id, found := s.randomID(r, "/v2/products?archived=any")
	if !found {
		return
	}

	path := "/v2/products/" + id
	switch r.IntN(8) {
	case 0:
		s.tryRequest("DELETE", path, nil, 204, 404)
	case 1:
		s.tryRequest("POST", path+"/archive", nil, 200, 404)
	case 2:
		s.tryRequest("POST", path+"/restore", nil, 200, 404)
	case 3:
		s.tryRequest("PUT", path, `{"name": "By hand", "description": "x", "categories": [], "features": []}`, 200, 404)
	default:
		s.tryRequest("PUT", path,
			fmt.Sprintf(`{"variants": [{"external_id": "v%d", "price": 7, "sku": "by hand", "options": [], `+
				`"remainders": []}, {"price": 1}]}`, r.IntN(2)), 200, 404)
	}
}

// editRandomReferences edits or deletes a random category, feature, option and stock through the API.
func (s gateServer) editRandomReferences(r *rand.Rand) {
	for _, list := range []string{"/v2/categories", "/v2/features", "/v2/variant-options", "/v2/stocks"} {
		id, found := s.randomID(r, list)
		switch {
		case !found:
		case r.IntN(3) == 0:
			s.tryRequest("DELETE", list+"/"+id, nil, 204, 404)
		default:
			s.tryRequest("PUT", list+"/"+id, `{"name": "By hand"}`, 200, 404)
		}
	}
}
