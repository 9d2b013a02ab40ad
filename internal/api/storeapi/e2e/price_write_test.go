package e2e

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/testkit/apitest"
)

// A price in a list that is pushed, edited or removed is seen by the next read of a shopper who gets it, in lists,
// products and variants. The base price is seen by everybody else.
func TestPriceLists_writesAreSeenByTheNextRead(t *testing.T) {
	t.Parallel()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		push := func(entity, items string) {
			t.Helper()
			s.OK(200, "POST", "/v2/sync-gate/"+entity, `{"payload": [`+items+`]}`, apitest.As(s.Exchange))
		}
		push("price-lists", `{"id": "opt", "name": "Wholesale"}`)
		push("products", `{"id": "lamp", "name": "Lamp", "variants": [{"id": "v", "price": 100,
			"prices": [{"price_list_id": "opt", "price": 80}]}]}, {"id": "desk", "name": "Desk", "single_variant": true,
			"variant_price": 90}`)

		list := s.Get("/v2/price-lists").Text("data.0.id")
		group := s.OK(201, "POST", "/v2/customer-groups",
			map[string]any{"name": "Dealers", "price_lists": []string{list}}).Text("data.id")
		dealer := apitest.As(s.DoAdmin("POST", "/api/store/keys",
			map[string]any{"kind": "publishable", "group_id": group}).Text("data.token"))
		lamp := s.Get("/v2/products?q=lamp&with=variants")
		product := "/v2/products/" + lamp.Text("data.0.id")
		variant := product + "/variants/" + lamp.Text("data.0.variants.0.id")

		check := func(what, first, price string) {
			t.Helper()
			for range 2 { // from the database, and from memory
				r := s.OK(200, "GET", "/v2/products?sort=price&with=variants,prices", nil, dealer)
				if got := r.Text("data.0.name"); got != first {
					t.Errorf("%s: the cheapest product is %s, want %s", what, got, first)
				}
				for at, name := range []string{r.Text("data.0.name"), r.Text("data.1.name")} {
					if got := r.Text(fmt.Sprintf("data.%d.variants.0.price", at)); name == "Lamp" && got != price {
						t.Errorf("%s: the price in the list is %s, want %s", what, got, price)
					}
				}
				if got := s.OK(200, "GET", product, nil, dealer).Text("data.variants.0.price"); got != price {
					t.Errorf("%s: the price of the product is %s, want %s", what, got, price)
				}
				if got := s.OK(200, "GET", variant, nil, dealer).Text("data.price"); got != price {
					t.Errorf("%s: the price of the variant is %s, want %s", what, got, price)
				}
				others := s.OK(200, "GET", product, nil, apitest.As(s.Publishable))
				if got := others.Text("data.variants.0.price"); got != "100" {
					t.Errorf("%s: the price of everybody else is %s, want 100", what, got)
				}
			}
		}

		check("pushed with the product", "Lamp", "80")
		push("prices", `{"variant_id": "v", "product_id": "lamp", "price_list_id": "opt", "price": 95}`)
		check("pushed as a price", "Desk", "95")
		s.OK(200, "PUT", variant,
			map[string]any{"price_lists": []any{map[string]any{"price_list_id": list, "price": 70}}})
		check("edited", "Lamp", "70")
		push("prices", `{"variant_id": "v", "product_id": "lamp", "price_list_id": "opt", "price": null}`)
		check("removed", "Desk", "100")
		push("prices", `{"variant_id": "v", "product_id": "lamp", "price_list_id": "opt", "price": 60}`)
		check("pushed again", "Lamp", "60")
		s.OK(204, "DELETE", "/v2/price-lists/"+list, nil)
		check("with the list deleted", "Desk", "100")
	})
}

// A secret key reads the prices in all lists with with=price_lists: in lists, products and variants. Shoppers may not.
func TestPriceLists_secretKeysReadThemAll(t *testing.T) {
	t.Parallel()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		newList := func(name string) string {
			return s.OK(201, "POST", "/v2/price-lists", map[string]any{"name": name}).Text("data.id")
		}
		club, dealers := newList("Club"), newList("Dealers")
		price := func(list string, from, price any) map[string]any {
			return map[string]any{"price_list_id": list, "from_quantity": from, "price": price}
		}
		made := s.OK(201, "POST", "/v2/products", map[string]any{"name": "Lamp", "variants": []any{map[string]any{
			"price": 100, "price_lists": []any{price(dealers, 10, 70), price(dealers, 1, 80.5), price(club, 1, 95)}}}})
		product := "/v2/products/" + made.Text("data.id")
		variant := product + "/variants/" + made.Text("data.variants.0.id")
		want := fmt.Sprintf(`[{"from_quantity":1,"price":95,"price_list_id":%q},`+
			`{"from_quantity":1,"price":80.5,"price_list_id":%q},{"from_quantity":10,"price":70,"price_list_id":%q}]`,
			club, dealers, dealers)
		paths := map[string]string{
			product + "?with=price_lists":                         "data.variants.0.price_lists",
			"/v2/products?with=variants,price_lists":              "data.0.variants.0.price_lists",
			"/v2/products?with=variants,price_lists&archived=any": "data.0.variants.0.price_lists",
			product + "/variants?with=price_lists":                "data.0.price_lists",
			variant + "?with=price_lists":                         "data.price_lists",
		}

		for path, at := range paths {
			if got := s.Get(path).Text(at); got != want {
				t.Errorf("GET %s: the prices are %s, want %s", path, got, want)
			}
			for _, token := range []string{s.Publishable, signIn(s, "anna@shop.example").Text("data.token")} {
				if got := s.Do("GET", path, nil, apitest.As(token)).Problem(); got != "403 forbidden" {
					t.Errorf("GET %s as a shopper: %s", path, got)
				}
			}
		}

		s.OK(204, "DELETE", "/v2/price-lists/"+club, nil)
		for path, at := range paths {
			if got := s.Get(path).Text(at + ".0.price"); got != "80.5" {
				t.Errorf("GET %s after the deletion of a list: the first price is %s", path, got)
			}
		}

		for _, body := range []string{
			`{"price_lists": [{"price_list_id": "` + club + `", "price": 1}]}`,
			`{"price_lists": [{"price_list_id": "` + dealers + `", "from_quantity": 0, "price": 1}]}`,
			`{"price_lists": [{"price_list_id": "` + dealers + `", "from_quantity": 1e9, "price": 1}]}`,
			`{"price_lists": [{"price_list_id": "` + dealers + `", "price": -1}]}`,
		} {
			if got := s.Do("PUT", variant, body); got.Status != 422 {
				t.Errorf("PUT %s: %s, want 422", body, got.Problem())
			}
		}
	})
}

// A store has at most 100 price lists. A list that is deleted makes room for another one.
func TestPriceLists_areAtMostHundred(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		var last string
		for i := range pricelist.MaxLists {
			last = s.OK(201, "POST", "/v2/price-lists", map[string]any{"name": fmt.Sprint("list ", i)}).Text("data.id")
		}
		s.WantProblem("409 too_many_price_lists", "POST", "/v2/price-lists", `{"name":"One more"}`)
		s.OK(204, "DELETE", "/v2/price-lists/"+last, nil)
		s.OK(201, "POST", "/v2/price-lists", `{"name":"One more"}`)
	})
}

// A request of the API that names a list and a quantity twice is refused as a whole, with the path of the second price.
func TestPriceLists_refuseAPriceTwice(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		list := s.OK(201, "POST", "/v2/price-lists", `{"name":"Wholesale"}`).Text("data.id")
		prices := func(quantities ...string) string {
			var named []string
			for i, quantity := range quantities {
				named = append(named, fmt.Sprintf(`{"price_list_id":"%s","price":%d%s}`, list, 10+i, quantity))
			}
			return `{"sku":"lamp","price":20,"price_lists":[` + strings.Join(named, ",") + `]}`
		}
		product := func(variant string) string { return `{"name":"Lamp","variants":[` + variant + `]}` }
		const ten = `,"from_quantity":10`

		s.WantProblem("422 variants[0].price_lists[1] duplicate_price", "POST", "/v2/products",
			product(prices("", `,"from_quantity":1`)))
		made := s.OK(201, "POST", "/v2/products", product(prices("", ten)))
		variant := "/v2/products/" + made.Text("data.id") + "/variants/" + made.Text("data.variants.0.id")
		s.WantProblem("422 price_lists[2] duplicate_price", "PUT", variant, prices(ten, "", ten))
		s.OK(200, "PUT", variant, prices(ten, ""))
	})
}
