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
