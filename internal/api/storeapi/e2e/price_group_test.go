package e2e

import (
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
)

// A change of the group of a customer, of the group of a key, or of the lists of a group is seen by the next read, and
// drafts follow it.
func TestPrices_followTheGroup(t *testing.T) {
	t.Parallel()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		p := newPriceShop(t, s)
		v := p.products[2].variants[0]
		path := "/v2/products/" + p.products[2].id
		customer := signIn(s, "anna@shop.example")
		anna := "/v2/customers/" + customer.Text("data.customer.id")
		cart := ordersPath + "/" + s.OK(201, "POST", ordersPath, orderItems(orderLine(v.id, 1)),
			apitest.As(customer.Text("data.token"))).Text("data.id")

		check := func(what string, lists []int) {
			t.Helper()
			r := shopReader{what, customer.Text("data.token"), lists}
			prices := v.pricesFor(r)
			price, _ := prices.At(1000)
			if got := p.get(r, path).Text("data.variants.0.price"); got != amountText(price) {
				t.Errorf("%s: the price is %s, want %s", what, got, amountText(price))
			}
			if got := s.Get(cart).Text("data.items.0.price"); got != amountText(price) {
				t.Errorf("%s: the price in the cart is %s, want %s", what, got, amountText(price))
			}
			p.checkLists(r)
		}

		check("without a group", nil)
		for group, lists := range p.groups {
			s.OK(200, "PUT", anna, map[string]any{"group_id": group})
			check("in a group", lists)
			s.OK(200, "PUT", "/v2/customer-groups/"+group, map[string]any{"price_lists": []string{p.lists[2]}})
			check("in a group with another list", []int{2})
			s.OK(204, "DELETE", "/v2/customer-groups/"+group, nil)
			check("whose group was deleted", nil)
		}
	})
}

// A publishable key can have a group. Other keys cannot, and a group of another store is none.
func TestKeys_haveAGroup(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite)
	const keys = "/api/store/keys"
	group := s.OK(201, "POST", "/v2/customer-groups", `{"name":"Wholesale"}`).Text("data.id")
	admin := func(want int, method, path string, body any) *apitest.Response {
		t.Helper()
		r := s.DoAdmin(method, path, body)
		if r.Status != want {
			t.Fatalf("%s %s is %d, want %d: %s", method, path, r.Status, want, r.Body)
		}
		return r
	}

	made := admin(201, "POST", keys, map[string]any{"kind": "publishable", "group_id": group})
	path := keys + "/" + made.Text("data.id")
	if got := made.Text("data.group_id"); got != group {
		t.Errorf("the group of the key is %s, want %s", got, group)
	}
	rotated := admin(201, "POST", path+"/rotate", `{}`)
	if got := rotated.Text("data.group_id"); got != group {
		t.Errorf("the group of the rotated key is %s, want %s", got, group)
	}

	before := admin(200, "GET", path, nil).Header.Get("ETag")
	if r := admin(200, "PUT", path, `{"group_id":null}`); r.Text("data.group_id") != "null" ||
		r.Header.Get("ETag") == before {
		t.Errorf("the key without its group is %s, with the ETag %s", r.Body, r.Header.Get("ETag"))
	}
	if got := admin(200, "PUT", path, map[string]any{"group_id": group}).Text("data.group_id"); got != group {
		t.Errorf("the group of the key is %s, want %s", got, group)
	}
	s.OK(204, "DELETE", "/v2/customer-groups/"+group, nil)
	if got := admin(200, "GET", path, nil).Text("data.group_id"); got != "null" {
		t.Errorf("the group of the key is %s after the group was deleted", got)
	}

	for _, c := range []struct{ method, path, body, problem string }{
		{"POST", keys, `{"kind":"secret","group_id":"` + group + `"}`, "422 group_id not_allowed"},
		{"POST", keys, `{"kind":"exchange","group_id":"` + group + `"}`, "422 group_id not_allowed"},
		{"POST", keys, `{"kind":"publishable","group_id":"` + group + `"}`, "422 group_id unknown_customer_group"},
		{"PUT", path, `{"group_id":"` + group + `"}`, "422 group_id unknown_customer_group"},
		{"PUT", path, `{"group_id":"7"}`, "422 group_id"},
	} {
		if r := s.DoAdmin(c.method, c.path, c.body); r.Status != 422 {
			t.Errorf("%s %s %s is %d %s, want %s", c.method, c.path, c.body, r.Status, r.Problem(), c.problem)
		}
	}
}

// Customers never see prices in two currencies.
func TestPriceLists_areInTheCurrencyOfTheStore(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite)
	list := func(currency string) string {
		body := map[string]any{"name": currency, "currency": currency}
		return s.OK(201, "POST", "/v2/price-lists", body).Text("data.id")
	}
	own, foreign := list("USD"), list("EUR")
	settings := func(want string, body any) {
		t.Helper()
		r := s.DoAdmin("PUT", "/api/store/settings", body)
		got := "200"
		if r.Status != 200 {
			got = r.Problem()
		}
		if got != want {
			t.Errorf("%v is %s, want %s", body, got, want)
		}
	}

	settings("422 old_price_list foreign_currency", map[string]any{"old_price_list": foreign})
	settings("422 old_price_list unknown_price_list", map[string]any{"old_price_list": s.StoreID.String()})
	settings("200", map[string]any{"old_price_list": own})
	settings("409 price_lists_in_use", `{"currency":"EUR"}`)
	settings("200", `{"currency":"EUR","old_price_list":null}`)
	settings("200", map[string]any{"old_price_list": foreign})
	settings("200", `{"currency":"USD","old_price_list":null}`)

	s.OK(201, "POST", "/v2/customer-groups", map[string]any{"name": "g", "price_lists": []string{own}})
	settings("409 price_lists_in_use", `{"currency":"EUR"}`)
	settings("200", `{"name":"Another name"}`)
	s.WantProblem("422 price_lists[0] foreign_currency", "POST", "/v2/customer-groups",
		map[string]any{"name": "h", "price_lists": []string{foreign}})
	s.OK(204, "DELETE", "/v2/price-lists/"+own, nil)
	settings("200", `{"currency":"EUR"}`)
}

// Deleting the list of old prices changes the settings, and so their ETag: a request that has read them before does not
// overwrite what it has not seen.
func TestSettings_haveAnotherETagWithoutTheirPriceList(t *testing.T) {
	t.Parallel()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		const settings = "/api/store/settings"
		list := s.OK(201, "POST", "/v2/price-lists", `{"name":"Old"}`).Text("data.id")
		tag := s.DoAdmin("PUT", settings, map[string]any{"old_price_list": list}).Header.Get("ETag")
		s.OK(204, "DELETE", "/v2/price-lists/"+list, nil)

		after := s.DoAdmin("GET", settings, nil)
		if after.Text("data.old_price_list") != "null" || after.Header.Get("ETag") == tag {
			t.Errorf("the settings are %s with the ETag %s", after.Body, after.Header.Get("ETag"))
		}
		stale := s.DoAdmin("PUT", settings, `{"name":"Shop"}`, apitest.Header("If-Match", tag))
		if stale.Status != 412 {
			t.Errorf("an edit with the ETag of the settings before is %d %s, want 412", stale.Status, stale.Body)
		}
	})
}
