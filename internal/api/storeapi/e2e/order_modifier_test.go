package e2e

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

const pizzaModifiers = `[{"id":7,"name":"Crust","required":true,"max":1,"items":[{"id":"thin","name":"Thin"},` +
	`{"id":"thick","name":"Thick","price":1.25}]},{"name":"Topping","min":2,"max":4,"items":[{"name":"Olives",` +
	`"price":0.5},{"name":"Basil","note":"own"}]}]`

// createPizza creates a product with modifiers whose variant costs 10. It returns the ids of its variant, and of the
// group and the items that were sent without ids.
func createPizza(s *apitest.Server) (product, variant, toppings, olives, basil string) {
	r := s.OK(201, "POST", productsPath, `{"name":"Pizza","modifiers":`+pizzaModifiers+
		`,"variants":[{"sku":"P","price":10}]}`)
	at := "data.modifiers.1."
	return r.Text("data.id"), r.Text("data.variants.0.id"), r.Text(at + "id"), r.Text(at + "items.0.id"),
		r.Text(at + "items.1.id")
}

func TestProduct_modifiersHaveIDs(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		product, _, toppings, olives, basil := createPizza(s)
		want := `"modifiers":[{"id":7,"name":"Crust","required":true,"max":1,"items":[{"id":"thin","name":"Thin"},` +
			`{"id":"thick","name":"Thick","price":1.25}]},{"id":"` + toppings + `","name":"Topping","min":2,"max":4,` +
			`"items":[{"id":"` + olives + `","name":"Olives","price":0.5},{"id":"` + basil +
			`","name":"Basil","note":"own"}]}]`
		path := productsPath + "/" + product
		for what, r := range map[string]*apitest.Response{
			"one product": s.Get(path, apitest.As(s.Publishable)),
			"the list":    s.Get(productsPath+"?with=modifiers", apitest.As(s.Publishable)),
			// What a push or an edit sends again without ids has the same ones.
			"an edit": s.OK(200, "PUT", path, `{"modifiers":`+pizzaModifiers+`}`),
		} {
			if !strings.Contains(string(r.Body), want) {
				t.Errorf("%s has the modifiers %s", what, r.Text("data.modifiers"))
			}
		}

		for want, modifiers := range map[string]string{
			"422 modifiers[1].id duplicate_id": `[{"id":7,"name":"a"},{"id":"7","name":"b"}]`,
			"422 modifiers[0].items[1].id duplicate_id": `[{"name":"a",` +
				`"items":[{"id":"x","name":"a"},{"id":"x","name":"b"}]}]`,
		} {
			s.WantProblem(want, "PUT", path, `{"modifiers":`+modifiers+`}`)
		}
	})
}

func TestCart_withModifiers(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		product, variant, toppings, olives, basil := createPizza(s)
		line := func(modifiers string) string {
			modifiers = strings.NewReplacer("TOPPING", toppings, "OLIVES", olives, "BASIL", basil).Replace(modifiers)
			return `{"variant_id":"` + variant + `","quantity":2,"modifiers":` + modifiers + `}`
		}
		thick := line(`[{"group_id":"TOPPING","item_id":"OLIVES","quantity":2},{"group_id":7,"item_id":"thick"}]`)
		cart, r := createGuestCart(s, `{"items":[`+thick+`]}`)
		want := `"modifiers":[{"group_id":"7","group_name":"Crust","item_id":"thick","name":"Thick","price":1.25,` +
			`"quantity":1},{"group_id":"` + toppings + `","group_name":"Topping","item_id":"` + olives +
			`","name":"Olives","price":0.5,"quantity":2}],"price":12.25,"quantity":2,"total":24.5,"problems":[]`
		for what, r := range map[string]*apitest.Response{"created": r, "read": cart.ok(200, "GET", "", nil)} {
			if !strings.Contains(string(r.Body), want) {
				t.Errorf("the cart as it is %s is %s", what, r.Body)
			}
		}

		for _, c := range []struct{ want, modifiers string }{
			{"422 modifiers modifier_required", `[]`},
			{"422 modifiers modifier_required", `null`},
			{"422 modifiers too_few_modifiers",
				`[{"group_id":7,"item_id":"thin"},{"group_id":"TOPPING","item_id":"BASIL"}]`},
			{"422 modifiers too_many_modifiers", `[{"group_id":7,"item_id":"thin"},{"group_id":7,"item_id":"thick"}]`},
			{"422 modifiers[0].group_id unknown_modifier_group, modifiers modifier_required",
				`[{"group_id":"x","item_id":"thin"}]`},
			{"422 modifiers[0].item_id unknown_modifier", `[{"group_id":"7","item_id":"OLIVES"}]`},
			{"422 modifiers[0].group_id required", `[{"item_id":"thin"}]`},
			{"422 modifiers[0].item_id required", `[{"group_id":"7"}]`},
			{"422 modifiers[0].quantity out_of_range", `[{"group_id":"7","item_id":"thin","quantity":0}]`},
			{"422 modifiers[0].quantity out_of_range", `[{"group_id":"7","item_id":"thin","quantity":-1}]`},
			{"422 modifiers[0].quantity out_of_range", `[{"group_id":"7","item_id":"thin","quantity":1.5}]`},
			{"422 modifiers[0].quantity out_of_range", `[{"group_id":"7","item_id":"thin","quantity":1000000000}]`},
			{"422 modifiers[0].quantity wrong_type", `[{"group_id":"7","item_id":"thin","quantity":"1"}]`},
			{"422 modifiers[0].group_id wrong_type", `[{"group_id":7.5,"item_id":"thin"}]`},
			{"422 modifiers wrong_type", `{}`},
			{"422 modifiers[0] wrong_type", `["thin"]`},
			{"422 modifiers[100] too_many", "[" + strings.Repeat(`{"group_id":"7","item_id":"thin"},`, 200) +
				`{"group_id":"7","item_id":"thin"}]`},
		} {
			cart.refuse(c.want, "POST", "/items", line(c.modifiers))
		}

		// The cart as it was read can be sent back, with one more line.
		read := cart.ok(200, "GET", "", nil)
		items := read.Text("data.items")
		thin := line(`[{"group_id":"7","item_id":"thin"}]`)
		r = cart.ok(200, "PUT", "", `{"items":`+items[:len(items)-1]+","+thin+`]}`)
		if got := itemSummary(r); got != "P 2 24.5, P 2 20 = 44.5" ||
			r.Text("data.items.0.id") != read.Text("data.items.0.id") {
			t.Errorf("after sending it back the cart is %s", got)
		}

		// What was chosen is no longer possible.
		s.OK(200, "PUT", productsPath+"/"+product, `{"modifiers":[{"id":7,"name":"Crust","items":[{"id":"thin",`+
			`"name":"Very thin","price":2}]}]}`)
		r = cart.ok(200, "GET", "", nil)
		if got := fmt.Sprint(r.Text("data.items.0.problems.0.code"), " ", r.Text("data.items.0.problems.1.code"), " ",
			r.Len("data.items.1.problems"), " ", r.Text("data.items.1.modifiers.0.name"), " ",
			r.Text("data.items.1.price")); got != "unknown_modifier unknown_modifier_group 0 Very thin 12" {
			t.Errorf("the changed cart is %s: %s", got, r.Body)
		}
		cart.refuse("409 modifiers_unavailable", "POST", "/submit", submissionBody)

		cart.ok(204, "DELETE", "/items/"+r.Text("data.items.0.id"), nil)
		r = cart.ok(200, "POST", "/submit", submissionBody)
		if r.Text("data.total") != "24" || strings.Contains(string(r.Body), "problems") {
			t.Errorf("the order is %s", r.Body)
		}
		s.OK(200, "PUT", productsPath+"/"+product, `{"modifiers":null}`)
		if again := cart.ok(200, "GET", "", nil); again.Text("data.items") != r.Text("data.items") {
			t.Errorf("the order has changed to %s", again.Body)
		}
	})
}
