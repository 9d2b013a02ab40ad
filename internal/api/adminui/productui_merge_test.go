package adminui_test

import (
	"fmt"
	"slices"
	"testing"

	"vitrine/internal/testkit/apitest"
)

// Two operators change different members of a product. The one who saves last sees what differs, and saving again
// writes only what that operator has changed.
func TestProducts_conflictKeepsWhatTheOtherSaved(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		c := newShelf(s)
		v := s.owner()
		key := apitest.As(s.store.SecretKey)
		path := "/products/" + c.product
		hats := s.OK(201, "POST", "/v2/categories", `{"name":"Hats"}`, key).Text("data.id")
		sale := s.OK(201, "POST", "/v2/categories", `{"name":"Sale"}`, key).Text("data.id")
		s.OK(200, "PUT", "/v2/products/"+c.product, `{"description":"Warm. "}`, key)
		first := v.get(path).form("product-form")
		second := v.get(path).form("product-form")

		first.Set("name", "Tall boots")
		first.Set("description", "Dry.")
		first.Set("variant.0.price", "11")
		first.Set("variant.1.stock.0", "7")
		first.Set("feature.0", "Wool")
		first["category"] = []string{hats}
		first.Set("step", "add-variant")
		first = v.post(path, first).wantStatus(200).form("product-form")
		first.Set("variant.2.price", "33")
		first.Set("variant.2.sku", "B-X")
		v.post(path, first).wantRedirect(path)

		second.Set("variant.0.sku", "B-SMALL")
		second.Set("variant.1.price", "99,90")
		second.Add("category", sale)
		conflict := v.post(path, second).wantStatus(409)
		conflict.contains("B-SMALL", "99,90")
		v.post(path, conflict.form("product-form")).wantRedirect(path)
		read := c.read(c.product)

		for member, want := range map[string]string{
			"data.name": "Tall boots", "data.variants.0.price": "11", "data.variants.1.remainders.0.quantity": "7",
			"data.features.0.value.name": "Wool", "data.variants.0.sku": "B-SMALL", "data.variants.1.price": "99.9",
			"data.variants.2.sku": "B-X", "data.variants.0.remainders.0.quantity": "3", "data.description": "Dry."} {
			if got, _ := read.At(member); fmt.Sprint(got) != want {
				t.Errorf("%s is %v, want %s", member, got, want)
			}
		}

		var names []string
		for i := range read.Len("data.categories") {
			names = append(names, read.Text(fmt.Sprintf("data.categories.%d.name", i)))
		}

		slices.Sort(names)
		if !slices.Equal(names, []string{"Hats", "Sale"}) {
			t.Errorf("the categories are %q, want those that the two operators chose", names)
		}
	})
}

// The form offers the categories of the product as the canonical one. A choice that somebody else has made meanwhile
// stays, one that the product is not in is refused, and taking the tick of the chosen one chooses none.
func TestProducts_chooseCanonicalCategory(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		c := newShelf(s)
		v := s.owner()
		path := "/products/" + c.product
		key := apitest.As(s.store.SecretKey)
		sale := s.OK(201, "POST", "/v2/categories", `{"name":"Sale"}`, key).Text("data.id")
		hats := s.OK(201, "POST", "/v2/categories", `{"name":"Hats"}`, key).Text("data.id")
		s.OK(200, "PUT", "/v2/products/"+c.product, map[string]any{"categories": []string{c.category, sale}}, key)
		canonical := func() string { return c.read(c.product).Text("data.canonical_category_id") }

		form := v.get(path).form("product-form")
		if got := form.Get("canonical_category_id"); got != "" {
			t.Errorf("a product without a choice has %s in the form", got)
		}
		other := v.get(path).form("product-form")
		form.Set("canonical_category_id", sale)
		v.post(path, form).wantRedirect(path)
		if got := canonical(); got != sale {
			t.Errorf("the canonical category is %s, want %s", got, sale)
		}

		other.Set("name", "Tall boots")
		conflict := v.post(path, other).wantStatus(409)
		v.post(path, conflict.form("product-form")).wantRedirect(path)
		if got := canonical(); got != sale || c.read(c.product).Text("data.name") != "Tall boots" {
			t.Errorf("after another edit the canonical category is %s", got)
		}

		form = v.get(path).form("product-form")
		form.Set("canonical_category_id", hats)
		v.post(path, form).wantStatus(422).contains("The product is not in this category")
		form.Set("canonical_category_id", sale)
		form["category"] = []string{c.category}
		v.post(path, form).wantRedirect(path)
		if got := canonical(); got != c.category {
			t.Errorf("without the chosen category the canonical one is %s, want %s", got, c.category)
		}
		v.get("/settings/log?kind=product").contains("Main category")
	})
}
