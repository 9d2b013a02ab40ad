package adminui_test

import (
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
)

func TestPriceLists_areCreatedEditedAndDeleted(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.withT(t).owner()
		v.get("/price-lists").wantStatus(200).contains("There are no price lists yet.")
		v.post("/price-lists", url.Values{"name": {"  "}}).wantStatus(422).contains(`aria-invalid="true"`)
		v.post("/price-lists", url.Values{"name": {"Wholesale"}, "currency": {"rubles"}}).wantStatus(422).
			contains(`value="Wholesale"`, `value="rubles"`)
		v.post("/price-lists", url.Values{"name": {"Wholesale"}}).wantStatus(303)
		v.post("/price-lists", url.Values{"name": {"Export"}, "currency": {"cny"}}).wantStatus(303)

		lists := s.catalogAPI(200, "GET", "/v2/price-lists", nil)
		export, wholesale := lists.Text("data.0.id"), lists.Text("data.1.id")
		if lists.Text("data.0.name") == "Wholesale" {
			export, wholesale = wholesale, export
		}
		v.get("/price-lists").wantStatus(200).contains("CNY", "nobody yet", "kept, but nobody gets it")
		v.get("/price-lists/" + export).wantStatus(200).contains("no customer gets them")

		page := "/price-lists/" + wholesale
		v.post(page, url.Values{"name": {"Dealers"}, "external_id": {"opt"}, "version": {"1"}}).wantRedirect(page)
		v.post(page, url.Values{"name": {"Late"}, "version": {"1"}}).wantStatus(422).
			contains("“Dealers”", `value="Late"`)
		v.post("/price-lists/"+export, url.Values{"name": {"x"}, "external_id": {"opt"}, "version": {"1"}}).
			wantStatus(422)

		v.get(page + "/delete").wantStatus(200).contains("it comes back")
		v.post(page+"/delete", url.Values{"version": {"1"}}).wantStatus(422)
		v.post(page+"/delete", url.Values{"version": {"2"}}).wantRedirect("/price-lists")
		v.get(page).wantStatus(404)
	})
}

func TestCustomerGroups_getPriceListsInOrder(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.withT(t).owner()
		newList := func(name, currency string) string {
			return s.catalogAPI(201, "POST", "/v2/price-lists",
				map[string]any{"name": name, "currency": currency}).Text("data.id")
		}

		v.get("/customer-groups").wantStatus(200).contains("There are no customer groups yet.",
			"There is no price list in the shop")
		currency := s.catalogAPI(200, "GET", "/v2/store", nil).Text("data.currency")
		first, second := newList("Dealers", currency), newList("Promotion", currency)
		foreign := newList("Export", "CNY")
		v.get("/customer-groups").wantStatus(200).contains("Promotion").omits("Export")

		v.post("/customer-groups", url.Values{"name": {"Partners"}, "price_lists": {second, "", first}}).wantStatus(303)
		v.get("/customer-groups").wantStatus(200).contains("Promotion</a></li><li><a")
		group := s.catalogAPI(200, "GET", "/v2/customer-groups", nil)
		page := "/customer-groups/" + group.Text("data.0.id")
		if group.Text("data.0.price_lists.0") != second || group.Text("data.0.price_lists.1") != first {
			t.Errorf("the lists of the group are %s", group.Body)
		}

		for _, wrong := range [][]string{{first, first}, {foreign}, {"x"}, {page}} {
			v.post(page, url.Values{"name": {"Partners"}, "price_lists": wrong, "version": {"1"}}).wantStatus(422)
		}
		v.post(page, url.Values{"name": {"Friends"}, "price_lists": {first}, "version": {"1"}}).wantRedirect(page)
		v.post(page, url.Values{"name": {"Late"}, "version": {"1"}}).wantStatus(422).contains("“Friends”")
		v.get("/price-lists/" + first).wantStatus(200).contains("Friends")

		v.get(page + "/delete").wantStatus(200).contains("get the prices of the products")
		v.post(page+"/delete", url.Values{"version": {"2"}}).wantRedirect("/customer-groups")
	})
}

func TestCustomers_areMovedBetweenGroups(t *testing.T) {
	t.Parallel()
	s := newFilledShop(t, 40, "")
	v := s.owner()
	page := "/customers/" + s.ids["customer"]
	form := v.get(page).wantStatus(200).contains("Dealers").form(page + "/group")
	if form.Get("group") != s.ids["group"] {
		t.Errorf("the form has %v, want the group of the customer", form)
	}
	v.get("/customers?group=" + s.ids["group"]).wantStatus(200).contains("Ann Field").omits("customer1@mail.example")
	v.get("/customers?group=x").wantStatus(400)

	form.Set("group", "")
	v.post(page+"/group", form).wantRedirect(page)
	v.get(page).wantStatus(200).contains("none: the prices of the products")
	v.get("/customers?group=" + s.ids["group"]).wantStatus(200).omits("Ann Field")
	v.get("/settings/log").contains("Customer group", "Dealers</").omits(s.ids["group"] + "</")
	v.post(page+"/group", form).wantStatus(422).contains("Somebody else has changed this meanwhile.")
	form = v.get(page).form(page + "/group")
	form.Set("group", s.ids["customer"])
	v.post(page+"/group", form).wantStatus(422).contains("This store has no customer group with this id.")
}

func TestPrices_areAGrid(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.withT(t).owner()
		v.get("/price-lists/prices").wantStatus(200).contains("There are no price lists yet.")
		p := s.newStocked("Lamp", "L-1", 1, 0)
		list := s.catalogAPI(201, "POST", "/v2/price-lists", map[string]any{"name": "Dealers"}).Text("data.id")
		form := func(from, was, price string) url.Values {
			return url.Values{"product": {p.product}, "variant": {p.variant}, "list": {list}, "from": {from},
				"was": {was}, "price": {price}}
		}

		const page = "/price-lists/prices"
		v.get(page+"?q=lamp").wantStatus(200).contains("Lamp", "L-1", "Dealers")
		v.get(page + "?q=chair").wantStatus(200).contains("Nothing matches.")
		v.get(page + "?list=x").wantStatus(400)
		v.post(page, form("1", "", "8,5")).wantRedirect(page)
		v.post(page, form("10", "", "7")).wantRedirect(page)
		v.get(page+"?list="+list).wantStatus(200).contains(`value="8.5"`, `value="7"`, "from 10")

		v.post(page, form("1", "", "9")).wantStatus(422).contains("Somebody else has changed this meanwhile.",
			`value="8.5"`)
		for _, wrong := range []url.Values{form("1", "8.5", "much"), form("1", "8.5", "-1"), form("0", "", "5"),
			form("many", "", "5"), form("1", "8.5", "123456789012345678901"),
			{"product": {p.product}, "variant": {p.variant}, "list": {list}}, {"product": {"x"}}} {
			v.post(page, wrong).wantStatus(422)
		}

		stranger := form("1", "8.5", "9")
		stranger.Set("list", p.product)
		v.post(page, stranger).wantStatus(422)
		v.post(page, form("1", "8.5", "")).wantRedirect(page)
		v.get(page).wantStatus(200).omits(`value="8.5"`).contains(`value="7"`)
		v.get("/settings/log").wantStatus(200).contains("Prices in price lists changed", "Dealers (10")
	})
}

func TestKeys_haveTheGroupOfAForm(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	v := s.owner()
	v.get("/keys/new").wantStatus(200).omits(`name="group"`)
	group := s.catalogAPI(201, "POST", "/v2/customer-groups", map[string]any{"name": "Dealers"}).Text("data.id")
	v.get("/keys/new").wantStatus(200).contains(`name="group"`, "Dealers")
	form := func(kind, group string) url.Values {
		return url.Values{"kind": {kind}, "name": {"Wholesale site"}, "group": {group},
			"password": {s.store.AdminPassword}}
	}

	for _, wrong := range []string{"x", s.store.StoreID.String()} {
		v.post("/keys", form("publishable", wrong)).wantStatus(422).contains("Wholesale site")
	}
	v.post("/keys", form("publishable", group)).wantStatus(201)
	v.get("/keys").wantStatus(200).contains("/customer-groups/" + group)
	v.get("/settings/log").contains("Customer group", "Dealers</").omits(group + "</")
	v.post("/keys", form("secret", group)).wantStatus(201) // the field belongs to sites
}

func TestSettings_nameTheListOfOldPrices(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	v := s.owner()
	v.get("/settings").wantStatus(200).omits("old_price_list")
	list := s.catalogAPI(201, "POST", "/v2/price-lists", map[string]any{"name": "Before"}).Text("data.id")
	foreign := s.catalogAPI(201, "POST", "/v2/price-lists",
		map[string]any{"name": "Export", "currency": "CNY"}).Text("data.id")
	save := func(list, currency string) response {
		form := v.get("/settings").wantStatus(200).omits("Export").form("/settings")
		form.Set("timezone", "UTC")
		form.Set("old_price_list", list)
		if currency != "" {
			form.Set("currency", currency)
		}
		return v.post("/settings", form)
	}

	for _, wrong := range []string{"x", foreign, s.store.StoreID.String()} {
		save(wrong, "").wantStatus(422)
	}
	save(list, "").wantStatus(303)
	v.get("/settings").wantStatus(200).contains(`<option value="` + list + `" selected>Before`)
	save(list, "CNY").wantStatus(422)
	save("", "").wantStatus(303)
	v.get("/settings").wantStatus(200).omits(`<option value="` + list + `" selected>Before`)
}

// Who may only look sees values, not fields that are switched off.
func TestViewer_seesValuesOfListsGroupsCategoriesAndFeeds(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	create := func(path string, body map[string]any) string {
		return s.catalogAPI(201, "POST", path, body).Text("data.id")
	}
	currency := s.catalogAPI(200, "GET", "/v2/store", nil).Text("data.currency")
	dealers := create("/v2/price-lists", map[string]any{"name": "Dealers", "currency": currency})
	group := create("/v2/customer-groups", map[string]any{"name": "Partners", "price_lists": []any{dealers}})
	category := create("/v2/categories", map[string]any{"name": "Lamps", "slug": "all-lamps"})
	s.owner().post("/settings/feeds", url.Values{"name": {"market"}, "format": {"google"}, "in_stock": {"1"},
		"filter.price_from": {"10,5"}, "filter.category": {category}, "brand_text": {"Acme & Sons"}}).wantStatus(303)

	viewer := s.signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
	for path, values := range map[string][]string{
		"/price-lists/" + dealers:   {"<dd>Dealers</dd>", "<dd>" + currency + "</dd>"},
		"/customer-groups/" + group: {"<dd>Partners</dd>", "<dd>Dealers</dd>"},
		"/categories/" + category:   {"<dd>Lamps</dd>", "<dd>all-lamps</dd>"},
		"/settings/feeds/market": {"<dd>Acme &amp; Sons</dd>", "<dd>10.5</dd>", "<dd>Lamps</dd>", "<dd>yes</dd>",
			"Google Merchant Center"},
	} {
		page := viewer.get(path).wantStatus(200).contains(values...)
		if main := page.between("<main", "</main>"); strings.Contains(main, "<input") ||
			strings.Contains(main, "<select") {
			t.Errorf("%s shows a viewer fields: %s", path, main)
		}
	}
}
