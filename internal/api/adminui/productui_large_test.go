package adminui_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

// pushLines sends items, one a line, to the gate.
func (s *fixture) pushLines(entity string, items ...string) {
	s.t.Helper()
	s.OK(200, "POST", "/v2/sync-gate/"+s.store.ExchangeToken+"/"+entity, strings.Join(items, "\n"),
		apitest.Header("Content-Type", "application/x-ndjson"))
}

// A store may have more categories, features and options than a form shows. What the product has stays, and what is
// changed is saved.
func TestProducts_formOfALargeCatalogue(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		var categories, features, options []string
		for i := range 10_050 {
			categories = append(categories, fmt.Sprintf(`{"id":"c%d","name":"Category %d","parent_id":%q}`, i, i,
				map[bool]string{true: "c0"}[i == 10_049]))
		}

		for i := range 1_010 {
			features = append(features,
				fmt.Sprintf(`{"id":"f%d","name":"Feature %d","values":[{"id":"a","name":"A"},{"id":"b","name":"B"}]}`,
					i, i))
			options = append(options,
				fmt.Sprintf(`{"id":"o%d","name":"Option %d","values":[{"id":"a","name":"A"},{"id":"b","name":"B"}]}`, i,
					i))
		}

		for i, c := range categories {
			categories[i] = strings.Replace(c, `,"parent_id":""`, "", 1)
		}

		s.pushLines("categories", categories...)
		s.pushLines("features", features...)
		s.pushLines("variant-options", options...)
		s.pushLines("products",
			`{"id":"p","name":"Boots","categories":["c10049"],"features":[{"id":"f1009","value_id":"a"}],`+
				`"variants":[{"id":"v","price":5,"options":[{"id":"o1009","value_id":"a"}]}]}`)
		key := apitest.As(s.store.SecretKey)
		product := s.OK(200, "GET", "/v2/products?external_ids=p", nil, key).Text("data.0.id")
		v := s.owner()
		path := "/products/" + product
		page := v.get(path).wantStatus(200)
		page.contains("Category 0 › Category 10049", "There are more categories", "There are more features").
			omits("Category 7<")
		form := page.form("product-form")
		form.Set("name", "Tall boots")
		form.Set("feature.0", "B")
		form.Set("variant.0.option.0", "B")
		v.post(path, form).wantRedirect(path)
		read := s.OK(200, "GET", "/v2/products/"+product, nil, key)

		for member, want := range map[string]string{"data.name": "Tall boots",
			"data.categories.0.name":     "Category 10049",
			"data.features.0.value.name": "B", "data.variants.0.options.0.value.name": "B"} {
			if got, _ := read.At(member); fmt.Sprint(got) != want {
				t.Errorf("%s is %v, want %s", member, got, want)
			}
		}

		form = v.get(path).form("product-form")
		form.Set("category_q", "category 7000")
		form.Set("feature_q", "feature 1003")
		form.Set("option_q", "option 1004")
		form.Set("step", "find-categories")
		found := v.post(path, form).wantStatus(200)
		found.contains("Category 7000", "Feature 1003", "Option 1004").omits("Category 7001", "Feature 1004",
			"Option 1003")
		if got := found.form("product-form")["category"]; !slices.Equal(got, form["category"]) || len(got) != 1 {
			t.Errorf("a search leaves the ticks %q of %q", got, form["category"])
		}

		v.post("/product-changes", url.Values{"action": {"add-category"}, "id": {product},
			"category_q": {"category 7000"}}).
			contains("Category 7000").omits("Category 7001")
		v.post("/product-changes", url.Values{"action": {"set-feature"}, "id": {product},
			"feature_q": {"feature 1003"}}).
			contains("Feature 1003").omits("Feature 1004")
	})
}
