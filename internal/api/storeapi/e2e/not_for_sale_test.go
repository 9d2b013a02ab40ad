package e2e

import (
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

// A variant without a price stays in lists with its stock, but nobody can buy it.
func TestVariants_withoutAPriceAreNotForSale(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		stock := createNamed(s, stocksPath, "near")
		s.WantProblem("422 variants[0].price required", "POST", "/v2/products",
			`{"name":"Lamp","variants":[{"sku":"a"}]}`)
		r := s.OK(201, "POST", "/v2/products",
			`{"name":"Lamp","variants":[{"sku":"a","price":null,"remainders":[{"stock_id":"`+
				stock+`","quantity":3}]}]}`)
		lamp, variant := r.Text("data.id"), r.Text("data.variants.0.id")

		for member, want := range map[string]string{"data.price.from": "null", "data.price.to": "null",
			"data.variants.0.price": "null", "data.variants.0.available": "3", "data.available": "3"} {
			if got := r.Text(member); got != want {
				t.Errorf("%s is %s, want %s", member, got, want)
			}
		}

		more := s.OK(201, "POST", "/v2/products/"+lamp+"/variants", `{"price":0}`).Text("data.id")
		for _, step := range [][2]string{{`{"price":0}`, "0"}, {`{"price":7}`, "7"}, {`{"name":"Large"}`, "7"},
			{`{"price":null}`, "null"}, {`{"name":"Small"}`, "null"}} {
			s.OK(200, "PUT", "/v2/products/"+lamp+"/variants/"+more, step[0])
			read := s.Get("/v2/products/" + lamp)
			if got := read.Text("data.price.from") + " " + read.Text("data.price.to"); got != step[1]+" "+step[1] {
				t.Errorf("after %s the price is %s, want %s", step[0], got, step[1])
			}
		}

		s.WantProblem("409 not_for_sale", "POST", ordersPath, orderItems(orderLine(variant, 1)))
	})
}

// Products without a price come last in both directions, outside of every range of prices, and not in the facet.
func TestProducts_withoutAPriceAreSortedLast(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		for _, body := range []string{
			`{"name":"None","variants":[{"price":null}]}`,
			`{"name":"Free","variants":[{"price":0},{"price":null,"sku":"x"}]}`,
			`{"name":"Dear","variants":[{"price":90}]}`, `{"name":"Empty"}`,
			`{"name":"Cheap","variants":[{"price":3},{"price":null,"sku":"x"}]}`,
		} {
			s.OK(201, "POST", "/v2/products", body)
		}

		for query, want := range map[string]string{
			"sort=price": "Free Cheap Dear None Empty", "sort=-price": "Dear Cheap Free None Empty",
			"sort=price&price[from]=0": "Free Cheap Dear", "sort=price&price[to]=90": "Free Cheap Dear",
			"sort=price&price[from]=1&price[to]=50": "Cheap", "in_stock=true": "None Free Dear Cheap",
			"sort=-price&in_stock=true&price[from]=0": "Dear Cheap Free",
			"sort=price&per_page=2&page=2":            "Dear None", "sort=-price&per_page=2&page=3": "Empty",
		} {
			for _, archived := range []string{"", "&archived=any"} { // the latter is answered by SQL
				r := s.Get("/v2/products?with=facets&" + query + archived)
				if got := strings.Join(r.Texts("data", "name"), " "); got != want {
					t.Errorf("%s%s gives %s, want %s", query, archived, got, want)
				}
				if got := r.Text("meta.facets.price.min") + " to " + r.Text("meta.facets.price.max"); got != "0 to 90" {
					t.Errorf("the price facet of %s%s is %s", query, archived, got)
				}
			}
		}
	})
}

// A cart whose price went away shows it, does not count it, and cannot be submitted until the line is taken out or the
// price is back.
func TestOrders_priceThatWentAwayIsNotForSale(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		product, small, large := createShirt(s, 5)
		cart, _ := createGuestCart(s, orderItems(orderLine(large, 2), orderLine(small, 3)))
		s.OK(200, "PUT", "/v2/products/"+product+"/variants/"+small, `{"price":null}`)

		read := cart.ok(200, "GET", "", nil)
		for member, want := range map[string]string{"data.items.1.price": "null", "data.items.1.total": "null",
			"data.items.1.available": "5", "data.items.0.total": "20", "data.total": "20"} {
			if got := read.Text(member); got != want {
				t.Errorf("%s is %s, want %s", member, got, want)
			}
		}

		refused := cart.refuse("409 not_for_sale", "POST", "/submit", submissionBody)
		if got := refused.Text("errors.0.field") + " " +
			refused.Text("errors.0.code"); got != "items[1] not_for_sale" ||
			refused.Len("errors") != 1 {
			t.Errorf("the refusal is %s", refused.Body)
		}

		refused = cart.refuse("409 not_for_sale", "POST", "/items", orderLine(small, 1))
		if got := refused.Text("errors.0.field"); got != "variant_id" {
			t.Errorf("the refusal names %s", got)
		}

		refused = cart.refuse("409 not_for_sale", "PUT", "", orderItems(orderLine(large, 1), orderLine(small, 1)))
		if got := refused.Text("errors.0.field"); got != "items[1].variant_id" {
			t.Errorf("the refusal names %s", got)
		}
		if got := cart.ok(200, "GET", "", nil).Text("data.items.0.quantity"); got != "2" {
			t.Errorf("a refused edit set the quantity %s", got)
		}

		cart.ok(204, "DELETE", "/items/"+read.Text("data.items.1.id"), nil)
		submitted := cart.ok(200, "POST", "/submit", submissionBody)
		if got := submitted.Text("data.total"); got != "20" {
			t.Errorf("the order costs %s", got)
		}

		s.OK(200, "PUT", "/v2/products/"+product+"/variants/"+small, `{"price":0}`)
		free, _ := createGuestCart(s, orderItems(orderLine(small, 3)))
		if got := free.ok(200, "POST", "/submit", submissionBody).Text("data.total"); got != "0" {
			t.Errorf("what is free costs %s", got)
		}
	})
}
