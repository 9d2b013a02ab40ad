package routes

import (
	"fmt"
	"net/http"
	"strings"

	"vitrine/internal/api/exchangeapi"
	"vitrine/internal/testkit/apitest"
)

// requests sends requests of every kind to a store.
func (p *planTest) requests(s planStore) {
	p.waitForColumns(s)
	p.lists(s)
	p.singles(s)
	p.pushes(s)
	p.edits(s)
	p.orders(s)
	p.deletes(s)
	if s.isSmall() { // elsewhere it would do the same
		p.everyRoute(s)
	}
}

// everyRoute sends a request to each route, with new entities. Routes that revert a push come last: for them the test
// archives all products that the push did not have, and a list of stock reads past the variants of archived products.
func (p *planTest) everyRoute(s planStore) {
	c := &routeWalk{t: p.t, Server: p.columns.WithKeys(s.Keys)}
	c.createOperator("owner@shop.example")

	walk := func(reverts bool) {
		for _, r := range c.App.API().Routes() {
			if strings.HasSuffix(r.Path, "/revert") == reverts {
				p.route(s, c, walkedRoute{Route: r, handler: exchangeapi.HideToken(c.App.API())})
			}
		}

		for _, r := range c.App.Admin().Routes() {
			if strings.HasSuffix(r.Path, "/revert") == reverts {
				p.route(s, c, walkedRoute{Route: r, handler: c.App.Admin()})
			}
		}
	}

	walk(false)
	p.pages(s, c)
	walk(true)
}

// pages sends requests to pages of the administration that have filters.
func (p *planTest) pages(s planStore, c *routeWalk) {
	stock := "stock=" + s.id(planStockID, 1)
	middle := fmt.Sprint(s.number*1_000_000 + 2*s.products)
	for _, path := range []string{
		"/stock?after=" + middle, "/stock?before=" + middle, "/stock?state=low&low=10000", "/stock?state=reserved",
		"/stock?q=word7", "/stock?" + stock, "/stock?" + stock + "&after=" + middle,
		"/stock?" + stock + "&before=" + middle,
		"/stock?state=low&low=10000&" + stock, "/stock?state=reserved&" + stock, "/stock?q=word7&" + stock,
		"/orders?q=anna", "/orders?state=submitted", "/orders?state=confirmed", "/inquiries?q=anna",
		"/orders?tag=gift", "/orders?tag=gift&state=submitted", "/orders?tag=gift&q=4567",
		"/customers?q=anna", "/orders?q=ana", "/customers?q=ana", "/inquiries?q=hallo", "/orders?q=4567",
		"/orders?q=nobody+ana+4567", "/orders?state=all", "/?figures&days=90", "/products?q=word7",
		"/products?q=wrod7", "/products?archived=true",
	} {
		p.check(s, "GET "+path, 100, func() { c.page(path) })
	}

	p.storefront(s, c)
}

// storefront requests the shop as a customer group with a price list sees it. Half of the products have a price in the
// list.
func (p *planTest) storefront(s planStore, c *routeWalk) {
	list := c.OK(http.StatusCreated, "POST", "/v2/price-lists", `{"name": "Trade", "external_id": "trade"}`).
		Text("data.id")
	group := c.OK(http.StatusCreated, "POST", "/v2/customer-groups",
		`{"name": "Traders", "price_lists": ["`+list+`"]}`).Text("data.id")
	p.push(s, "prices", "", 2, func(i int) string {
		return fmt.Sprintf(`{"product_id": "p%d", "variant_id": "v%[1]d-0", "price_list_id": "trade", "price": %[1]d}`,
			i)
	})

	bySQL := *c
	bySQL.Server = p.sql.WithKeys(s.Keys)
	for _, path := range []string{
		"/storefront", "/storefront?q=word7", "/storefront?group=" + group, "/storefront?q=word7&group=" + group,
		"/storefront?sort=price&group=" + group, "/storefront?price[from]=10&price[to]=90&group=" + group,
		"/products/" + s.id(planProductID, 7) + "/storefront?group=" + group,
	} {
		p.check(s, "GET "+path+" by columns", 100, func() { c.page(path) })
		p.check(s, "GET "+path+" by SQL", 100, func() { bySQL.page(path) })
	}
}

func (p *planTest) route(s planStore, c *routeWalk, route walkedRoute) {
	route.request = c.request(route.Route)
	name := route.Method + " " + route.Path
	p.check(s, name, 100, func() {
		if o := c.do(route, p.t.Context()); !o.succeeded() {
			p.t.Errorf("%s: %d %s", name, o.status, o.body)
		}
	})
}

// planList is a list of products: a query, and whether the large store answers it with SQL as well, which takes
// seconds.
type planList struct {
	query string
	bySQL bool
}

func listQueries(s planStore) []planList {
	option := fmt.Sprintf("options[%s][]=%s", s.id(planAttributeID, planOption), s.id(planValueID, 10_003))
	feature := fmt.Sprintf("features[%s][]=%s", s.id(planAttributeID, planFeature), s.id(planValueID, 30_003))
	bounds := fmt.Sprintf("features[%s][from]=10&features[%[1]s][to]=20", s.id(planAttributeID, planRange))
	category := "category=" + s.id(planCategoryID, 20)
	all := "category=" + s.id(planCategoryID, 1)
	return []planList{
		{"", true}, {"page=3&per_page=20", false}, {"per_page=250", false}, {"q=word7", true}, {"q=lamp+word8", false},
		{option, true}, {feature, true}, {bounds, true}, {category, true}, {all, false},
		{"price[from]=1000&price[to]=1100", true}, {"in_stock=true", false}, {"sort=name", false},
		{"sort=-name", false},
		{"sort=price", true}, {"sort=-price", false}, {"sort=created_at", false}, {"sort=-created_at", false},
		{feature + "&" + bounds + "&sort=price", false}, {category + "&price[from]=10&in_stock=true&" + option, true},
		{"archived=true", true}, {"ids=" + s.id(planProductID, 7) + "," + s.id(planProductID, 9), true},
		{"external_ids=p7,p9,p11", true},
	}
}

func (p *planTest) lists(s planStore) {
	const extras = "variants,features,images,categories,modifiers"

	list := func(node *apitest.Server, name, with string, l planList) {
		path := "/v2/products?with=" + with + "&" + l.query
		things := 50
		if l.query == "per_page=250" {
			things = 250
		}

		p.check(s, "list by "+name+", "+l.query, things, func() {
			if r := node.WithKeys(s.Keys).Do("GET", path, nil); r.Status != http.StatusOK {
				p.t.Errorf("GET %s: %d %s", path, r.Status, r.Body)
			}
		})
	}
	for i, l := range listQueries(s) {
		list(p.columns, "columns", extras+",facets", l)
		if l.bySQL || s.isSmall() {
			list(p.sql, "SQL", extras, l)
		}
		if i == 0 || s.isSmall() {
			list(p.sql, "SQL with facets", extras+",facets", l)
		}
	}

	for _, path := range []string{
		"/v2/variant-options", "/v2/features", "/v2/features?with=values", "/v2/categories",
		"/v2/categories?q=category",
		"/v2/categories?parent_id=" + s.id(planCategoryID, 1), "/v2/stocks", "/v2/images", "/v2/orders",
		"/v2/orders?q=anna", "/v2/orders?state=submitted", "/v2/customers", "/v2/customers?q=anna", "/v2/customers?q=7",
		"/v2/customers?q=nobody", "/v2/feedback", "/v2/feedback?q=nobody", "/v2/interactions/callback?q=nobody",
		"/v2/features/" + s.id(planAttributeID, planRange) + "/values",
		"/v2/products/" + s.id(planProductID, 5) + "/variants",
	} {
		p.check(s, "GET "+path, 100, func() { p.send(s, "GET", path, "") })
	}

	for _, path := range []string{
		"/api/store/exchange-runs", "/api/store/webhook-receivers", "/api/store/webhook-deliveries",
		"/api/store/webhook-deliveries?status=delivered", "/api/store/events", "/api/store/mailbox", "/api/store/keys",
	} {
		p.check(s, "GET "+path, 100, func() {
			if r := p.columns.WithKeys(s.Keys).DoAdmin("GET", path, nil); r.Status != http.StatusOK {
				p.t.Errorf("GET %s: %d %s", path, r.Status, r.Body)
			}
		})
	}
}

func (p *planTest) singles(s planStore) {
	for _, path := range []string{
		"/v2/products/" + s.id(planProductID, 7), "/v2/products/" + s.id(planProductID, 7) +
			"/variants/" + s.id(planVariantID, 28),
		"/v2/variant-options/" + s.id(planAttributeID, planOption),
		"/v2/features/" + s.id(planAttributeID, planFeature),
		"/v2/categories/" + s.id(planCategoryID, 20), "/v2/stocks/" + s.id(planStockID, 1),
		"/v2/images/" + s.id(planImageID, 7), "/v2/orders/" + s.id(planOrderID, 7),
		"/v2/customers/" + s.id(planCustomerID, 7),
	} {
		p.check(s, "GET "+path, 60, func() { p.send(s, "GET", path, "") })
	}
}

// pushed is the number of items in a push of the test. Of stocks there are fewer: pages show a column for each.
const pushed, pushedStocks = 1000, 50

func (p *planTest) push(s planStore, what, query string, perItem int, item func(i int) string) {
	items := make([]string, pushed)
	if what == "stocks" {
		items = items[:pushedStocks]
	}
	for i := range items {
		items[i] = item(i + 1)
	}
	body := `{"payload": [` + strings.Join(items, ",") + `]}`
	p.check(s, "push of "+what+query, perItem*len(items), func() {
		r := p.columns.WithKeys(s.Keys).OK(http.StatusOK, "POST", "/v2/sync-gate/"+what+query, body,
			apitest.As(s.Exchange))
		if failed := r.Text("data.failed"); failed != "0" {
			p.t.Errorf("push of %s: %s items failed: %.500s", what, failed, r.Body)
		}
	})
}

func (p *planTest) pushes(s planStore) {
	product := func(i int, name string) string {
		return fmt.Sprintf(`{"id": "p%[1]d", "name": "%[2]s %[1]d", "description": "%[2]s", "categories": ["c%[3]d"],
			"features": [{"id": "a3", "value_id": "v%[4]d"}, {"id": "a4", "value_id": "v%[5]d"}],
			"variants": [{"id": "v%[1]d-0", "price": %[6]d, "options": [{"id": "a1", "value_id": "v%[7]d"}]},
				{"id": "v%[1]d-1", "price": 7, "options": [{"id": "a1", "value_id": "v%[8]d"}]}]}`,
			i, name, 1+i%planCategories, i%50, i%20, i%9, i%10, 10+i%10)
	}
	p.push(s, "products", "", 3, func(i int) string { return product(i, "Changed") })
	p.push(s, "products", "", 3, func(i int) string { return product(i, "Changed") }) // nothing changes
	p.push(s, "products", "", 3, func(i int) string { return product(10_000_000+s.products+i, "New") })
	p.push(s, "products", "?atomic=true", 3, func(i int) string { return product(i, "Again") })
	p.push(s, "prices", "", 2, func(i int) string {
		return fmt.Sprintf(`{"product_id": "p%d", "variant_id": "v%[1]d-0", "price": %d}`, s.products/2+i, i)
	})
	p.push(s, "remainders", "", 2, func(i int) string {
		return fmt.Sprintf(`{"product_id": "p%d", "variant_id": "v%[1]d-1", "stock_id": "s1", "quantity": %d}`,
			s.products/2+i, i)
	})

	p.push(s, "categories", "", 1, func(i int) string {
		return fmt.Sprintf(`{"id": "c%d", "name": "Department %[1]d"}`, i)
	})
	p.push(s, "features", "", 1, func(i int) string {
		return fmt.Sprintf(`{"id": "f%d", "name": "Feature %[1]d", "values": [{"id": "v1", "name": "x"}]}`, i)
	})
	p.push(s, "variant-options", "", 1, func(i int) string {
		return fmt.Sprintf(`{"id": "o%d", "name": "Option %[1]d", "values": [{"id": "v1", "name": "x"}]}`, i)
	})
	p.push(s, "stocks", "", 1, func(i int) string { return fmt.Sprintf(`{"id": "st%d", "name": "Stock %[1]d"}`, i) })
}

func (p *planTest) edits(s planStore) {
	product := "/v2/products/" + s.id(planProductID, s.products-3)
	variant := product + "/variants/" + s.id(planVariantID, 4*(s.products-3))
	for _, r := range []struct{ method, path, body string }{
		{"PUT", product, `{"name": "Other lamp"}`},
		{"PUT", product, `{"categories": ["` + s.id(planCategoryID, 5) + `"]}`},
		{"PUT", variant, `{"price": 6}`},
		{"POST", product + "/variants", `{"price": 6, "sku": "new"}`},
		{"POST", variant + "/archive", ""},
		{"POST", variant + "/restore", ""},
		{"POST", product + "/archive", ""},
		{"POST", product + "/restore", ""},
		{"DELETE", "/v2/products/" + s.id(planProductID, s.products-5), ""},
		{"DELETE", "/v2/images/" + s.id(planImageID, s.products-7), ""},
		{"PUT", "/v2/features/" + s.id(planAttributeID, planFeature), `{"name": "Brand"}`},
		{"PUT", "/v2/variant-options/" + s.id(planAttributeID, planOption), `{"name": "Size"}`},
		{"PUT", "/v2/categories/" + s.id(planCategoryID, 20), `{"name": "Lamps"}`},
		{"PUT", "/v2/stocks/" + s.id(planStockID, 1), `{"name": "Main"}`},
		{"POST", "/v2/features", `{"name": "Depth", "values": [{"name": "1"}, {"name": "2"}]}`},
		{"POST", "/v2/categories", `{"name": "Chairs"}`},
		{"POST", "/v2/stocks", `{"name": "Third"}`},
		{"POST", "/v2/products", `{"name": "Chair", "variants": [{"sku": "chair", "price": 5}]}`},
	} {
		p.check(s, r.method+" "+r.path, 20, func() { p.send(s, r.method, r.path, r.body) })
	}

	p.check(s, "list after edits", 250, func() {
		p.columns.WithKeys(s.Keys).OK(http.StatusOK, "GET", "/v2/products?with=variants,facets", nil)
	})
}

// send sends a request, which must succeed. An empty body is not sent.
func (p *planTest) send(s planStore, method, path, body string) *apitest.Response {
	p.t.Helper()
	var sent any
	if body != "" {
		sent = body
	}
	r := p.columns.WithKeys(s.Keys).Do(method, path, sent)
	if r.Status >= http.StatusBadRequest {
		p.t.Errorf("%s %s: %d %s", method, path, r.Status, r.Body)
	}
	return r
}

func (p *planTest) orders(s planStore) {
	var cart string
	check := func(name string, request func()) { p.check(s, name, 20, request) }

	create := func() {
		check("create a cart", func() { cart = "/v2/orders/" + p.send(s, "POST", "/v2/orders", "{}").Text("data.id") })

		for i := range 3 {
			check("add an item", func() {
				p.send(s, "POST", cart+"/items",
					`{"variant_id": "`+s.id(planVariantID, 4*(s.products/2+1+i))+`", "quantity": 1}`)
			})
		}

		check("read the cart", func() { p.send(s, "GET", cart, "") })
		check("submit", func() {
			p.send(s, "POST", cart+"/submit", `{"contact": {"name": "Anna", "phone": "+491234567"}}`)
		})
	}

	create()
	check("cancel", func() { p.send(s, "POST", cart+"/cancel", "{}") })
	create()
	check("confirm", func() { p.send(s, "POST", cart+"/confirm", "") })
	check("complete", func() { p.send(s, "POST", cart+"/complete", "") })
}

// deletes removes values, options, features, categories and stocks that products use. The large store loses what few of
// its products use, the small one what all of them use.
func (p *planTest) deletes(s planStore) {
	option := s.id(planAttributeID, planOption)
	feature := s.id(planAttributeID, planFeature)
	type deletion struct {
		method, path, body string
		things             int
	}
	value := func(resource, attribute string, number, products int) []deletion {
		id := s.id(planValueID, number)
		return []deletion{
			{"POST", "/v2/" + resource + "/" + attribute + "/impact", `{"removed_values": ["` + id + `"]}`, products},
			{"PUT", "/v2/" + resource + "/" + attribute, `{"removed_values": ["` + id + `"]}`, products},
		}
	}
	list := append(value("features", s.id(planAttributeID, planRange), 50_007, s.products/1000),
		value("features", feature, 30_007, s.products/50)...)
	list = append(list, deletion{"DELETE", "/v2/categories/" + s.id(planCategoryID, 40), "",
		s.products / planCategories})

	if s.isSmall() {
		list = append(list, value("variant-options", option, 10_007, s.products/4)...)
		list = append(list,
			deletion{"DELETE", "/v2/stocks/" + s.id(planStockID, 2), "", 4 * s.products},
			deletion{"DELETE", "/v2/variant-options/" + option, "", 4 * s.products},
			deletion{"DELETE", "/v2/features/" + feature, "", 4 * s.products})
	}

	for _, d := range list {
		p.check(s, d.method+" "+d.path+" "+d.body, d.things, func() { p.send(s, d.method, d.path, d.body) })
	}
}
