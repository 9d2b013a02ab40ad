package adminui_test

import (
	"fmt"
	"maps"
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
)

// The log shows codes in words, what an object is if its name is not known, and links only to pages that exist.
func TestLog_isInWords(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	c := newShelf(s)
	v := s.owner()

	// A storefront may create carts with a secret key. The log leaves them out, like those of visitors.
	s.OK(201, "POST", "/v2/orders", `{}`, apitest.As(s.store.SecretKey))
	s.OK(200, "PUT", "/v2/categories/"+c.category, `{"name": "Footwear"}`, apitest.As(s.store.SecretKey))
	v.get("/settings/log").wantStatus(200).omits("Cart created").
		contains(`>Boots</a>`, `>Material</a>`, `>Shoes</a>`, `>Footwear</a>`, "<del>Shoes</del>")
	preview := v.post("/product-changes", url.Values{"action": {"archive"}, "all": {"1"},
		"selection": {"q=boots&category=" + c.category + "&sort=name"}}).wantStatus(200)
	v.post("/product-changes/start", preview.form("bulk-preview")).wantStatus(303)
	log := v.get("/settings/log?kind=product").wantStatus(200)
	log.contains("Many products changed", "Several products", `href="/product-changes/`, "Archive",
		"all that match the filters", "Filter by category").omits(c.category, "sort=")
	v.get("/settings/log?kind=order").wantStatus(200).contains("Nothing matches the filter")
	s.OK(204, "DELETE", "/v2/features/"+c.feature, nil, apitest.As(s.store.SecretKey))

	log = v.get("/settings/log?kind=feature").wantStatus(200).contains("Feature deleted", "Feature created")
	if n := strings.Count(log.text, `href="/features/`+c.feature); n != 1 {
		t.Errorf("%d entries link to the feature, want that of its creation only", n)
	}
}

// An edit leaves the same entry in the log, whether a program or a person makes it.
func TestLog_hasTheSameEntryOfAPIAndPage(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	v := s.owner()
	list := s.OK(201, "POST", "/v2/price-lists", `{"name": "Wholesale"}`, apitest.As(s.store.SecretKey)).Text("data.id")

	for _, c := range []struct {
		apiPath, page, action, object, edit string // ID in page and action is that of the object
		fields                              url.Values
	}{
		{"/v2/categories", "/categories/ID", "/categories/ID", `{"name": "Shoes"}`, `{"name": "Boots"}`,
			url.Values{"name": {"Boots"}}},
		{"/v2/features", "/features/ID", "/features/ID", `{"name": "Material"}`,
			`{"name": "Fabric", "filterable": true}`,
			url.Values{"name": {"Fabric"}, "filterable": {"1"}}},
		{"/v2/variant-options", "/options/ID", "/options/ID", `{"name": "Size"}`, `{"name": "Width"}`,
			url.Values{"name": {"Width"}}},
		{"/v2/stocks", "/stock/warehouses", "/stock/warehouses/ID", `{"name": "Main"}`, `{"name": "Harbour"}`,
			url.Values{"name": {"Harbour"}}},
		{"/v2/price-lists", "/price-lists/ID", "/price-lists/ID", `{"name": "Sale"}`, `{"name": "Outlet"}`,
			url.Values{"name": {"Outlet"}}},
		{"/v2/customer-groups", "/customer-groups/ID", "/customer-groups/ID", `{"name": "Shops"}`,
			fmt.Sprintf(`{"name": "Dealers", "price_lists": [%q]}`, list),
			url.Values{"name": {"Dealers"}, "price_lists": {list}}},
		{"/v2/products", "/products/ID", "/products/ID",
			`{"name": "Boots", "description": "Warm.", "variants": [{"sku": "B", "price": 10}]}`,
			`{"name": "Sandals", "description": "Light.", "weight": 0.8}`,
			url.Values{"name": {"Sandals"}, "description": {"Light."}, "weight": {"0.8"}}},
	} {
		ids := []string{}
		for range 2 {
			ids = append(ids, s.OK(201, "POST", c.apiPath, c.object, apitest.As(s.store.SecretKey)).Text("data.id"))
		}

		s.OK(200, "PUT", c.apiPath+"/"+ids[0], c.edit, apitest.As(s.store.SecretKey))
		page, action := strings.Replace(c.page, "ID", ids[1], 1), strings.Replace(c.action, "ID", ids[1], 1)
		fields := v.get(page).wantStatus(200).form(action)
		maps.Copy(fields, c.fields)
		v.post(action, fields).wantStatus(303)

		byAPI, byPage := s.lastEntry(ids[0]), s.lastEntry(ids[1])
		if byAPI != byPage {
			t.Errorf("%s: the log has %s of the API and %s of the page", c.apiPath, byAPI, byPage)
		}
	}
}

// lastEntry returns the last entry of the log about an object: its action, the name of the object, and what changed.
func (s *fixture) lastEntry(id string) (entry string) {
	s.t.Helper()
	err := s.App.DB.Read(s.t.Context(), func(q database.Querier) error {
		return database.QueryRow(s.t.Context(), q, `
			SELECT action || ' ' || object_label || ' ' || changes
			FROM audit_entries
			WHERE object_id = $1
			ORDER BY sequence DESC
			LIMIT 1`, []any{id}, &entry)
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return entry
}
