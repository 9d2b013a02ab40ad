package adminui_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine/internal/demo"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/listview"
	"vitrine/internal/testkit/apitest"
)

// filledShop is a store that looks like one in use: a catalogue with pictures, orders in every state over some weeks,
// inquiries, pushes with and without errors, a receiver that works and one that fails.
type filledShop struct {
	*fixture
	prefix string
	// ids are examples of things by the kind that paths name, such as "order".
	ids map[string]string
}

// newFilledShop fills the store of a new server on SQLite. Every text that people or other systems can enter begins
// with the argument prefix.
func newFilledShop(t *testing.T, products int, prefix string) *filledShop {
	t.Helper()
	return newPicturedShop(t, products, 6, prefix)
}

// newPicturedShop is like newFilledShop. So many products have pictures, each of which takes long to draw.
func newPicturedShop(t *testing.T, products, pictures int, prefix string) *filledShop {
	t.Helper()
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(receiver.Close)
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "The database of this shop is being repaired.", http.StatusInternalServerError)
	}))
	t.Cleanup(broken.Close)
	f := newFixture(t, database.SQLite, apitest.WithConfig(func(c *config.Serve) { c.Dev = true }))
	s := &filledShop{fixture: f, prefix: prefix, ids: map[string]string{}}
	_, err := demo.Fill(t.Context(), s.App.DB, s.App.Catalog, s.store.StoreID,
		demo.Options{Products: products, Seed: 7, Pictures: pictures, Files: s.App.Images})
	if err != nil {
		t.Fatal(err)
	}

	s.fillSettings(receiver.URL)
	s.fillPushes()
	s.fillFiles()
	s.fillOrders()
	s.api("POST", "/api/store/webhook-receivers",
		map[string]any{"url": broken.URL + "/orders", "webhook_types": []string{"*"}})
	s.fillInquiries()
	s.ids["customer"] = s.createCustomer("customer0@mail.example", prefix+"Ann Field")
	s.assignOrders()
	s.createCustomer("customer1@mail.example", "")
	s.fillPriceLists()
	s.fillSearch()

	if prefix != "" {
		s.rename()
	}

	s.Eventually(func() bool {
		return s.api("GET", "/api/store/webhook-deliveries?status=delivered", nil).Text("data.0.id") != ""
	})
	s.ids["delivery"] = s.api("GET", "/api/store/webhook-deliveries?status=delivered", nil).Text("data.0.id")
	s.collectIDs()

	return s
}

// api calls the API of the store, or that of the administration, with the secret key.
func (s *filledShop) api(method, path string, body any, options ...apitest.RequestOption) *apitest.Response {
	s.t.Helper()
	options = append([]apitest.RequestOption{apitest.As(s.store.SecretKey)}, options...)
	var resp *apitest.Response
	if strings.HasPrefix(path, "/api/") {
		resp = s.DoAdmin(method, path, body, options...)
	} else {
		resp = s.Do(method, path, body, options...)
	}
	if resp.Status >= 400 {
		s.t.Fatalf("%s %s: %d: %s", method, path, resp.Status, resp.Body)
	}
	return resp
}

func (s *filledShop) fillSettings(receiver string) {
	s.t.Helper()
	s.api("PUT", "/api/store/settings", map[string]any{"name": s.prefix + "North Shop",
		"site_url": "https://shop.example",
		"currency": "EUR", "cors_origins": []string{"https://shop.example"}})
	s.ids["receiver"] = s.api("POST", "/api/store/webhook-receivers",
		map[string]any{"url": receiver + "/hooks", "webhook_types": []string{"*"}}).Text("data.id")
}

// fillPushes sends a push without errors and one with errors.
func (s *filledShop) fillPushes() {
	s.t.Helper()
	push := func(body any) string {
		return s.api("POST", "/v2/sync-gate/"+s.store.ExchangeToken+"/products", body, apitest.As("")).Text("data.id")
	}
	push([]any{map[string]any{"id": "acc-1", "name": s.prefix + "Wool scarf", "price": "25.00",
		"sku": s.prefix + "SC-1"}})
	s.ids["run"] = push([]any{
		map[string]any{"id": "acc-1", "name": s.prefix + "Wool scarf", "price": "24.00", "sku": s.prefix + "SC-1"},
		map[string]any{"id": s.prefix + "acc-2", "name": "", "price": "minus one"},
		map[string]any{"id": "acc-3", "name": "Bonnet", "price": "12.50",
			"categories": []string{s.prefix + "not-there-yet"}},
	})
}

// fillFiles uploads a file, whose trial waits to be applied.
func (s *filledShop) fillFiles() {
	s.t.Helper()
	table := "id,name,price\nacc-7,Mittens,9.50\nacc-8," + strconv.Quote(strings.ReplaceAll(s.prefix, `"`, "'")) +
		",free\n"
	path := s.owner().sendFile("products", s.prefix+"mittens.csv", table).wantStatus(303).Header.Get("Location")
	s.ids["trial"] = strings.TrimPrefix(path, "/exchange/")
	s.Eventually(func() bool { return strings.Contains(s.owner().get(path).text, "Apply the file") })

	table = "id,name,price\nacc-8,Shawl,30\nacc-9," + strconv.Quote(strings.ReplaceAll(s.prefix, `"`, "'")) + ",20\n"
	path = s.owner().sendFile("products", s.prefix+"shawls.csv", table).wantStatus(303).Header.Get("Location")
	s.Eventually(func() bool { return strings.Contains(s.owner().get(path).text, "Apply the file") })
	path = s.owner().post(path+"/apply", url.Values{}).wantStatus(303).Header.Get("Location")
	s.ids["applied"] = strings.TrimPrefix(path, "/exchange/")
	s.Eventually(func() bool { return strings.Contains(s.owner().get(path).text, "Revert the file") })

	table = strconv.Quote("Unknown"+strings.ReplaceAll(s.prefix, `"`, "'")) + ",Price\nacc-9,20\n"
	path = s.owner().sendFile("products", s.prefix+"supplier.csv", table).wantStatus(303).Header.Get("Location")
	s.ids["supplied"] = strings.TrimSuffix(strings.TrimPrefix(path, "/exchange/"), "/columns")
}

// line is a line of orders: a variant, and the first modifier of each group of its product.
type line struct {
	variant   string
	modifiers []any
}

func (l line) of(pieces int) map[string]any {
	return map[string]any{"variant_id": l.variant, "quantity": pieces, "modifiers": l.modifiers}
}

// linesInStock returns lines of variants of which the orders leave some.
func (s *filledShop) linesInStock() (lines []line) {
	s.t.Helper()
	list := s.api("GET", "/v2/products?with=variants,modifiers&per_page=40&in_stock=true", nil)
	for i := range list.Len("data") {
		product := fmt.Sprintf("data.%d.", i)
		n, err := strconv.ParseFloat(list.Text(product+"variants.0.available"), 64)
		if err != nil || n < 12 {
			continue
		}

		l := line{variant: list.Text(product + "variants.0.id")}
		for g := range list.Len(product + "modifiers") {
			group := fmt.Sprintf("%smodifiers.%d.", product, g)
			l.modifiers = append(l.modifiers,
				map[string]any{"group_id": list.Text(group + "id"), "item_id": list.Text(group + "items.0.id")})
		}
		lines = append(lines, l)
	}

	if len(lines) < 2 {
		s.t.Fatalf("only %d variants are in stock", len(lines))
	}
	return lines
}

// fillOrders creates orders in every state, some on each of the last days.
func (s *filledShop) fillOrders() {
	s.t.Helper()
	lines := s.linesInStock()

	names := []string{"Ann Field", "Boris Petrov", "Chloé Martin", "Дарья Иванова", "Emil Novak", "Fatima Haddad"}
	start := s.Clock.Now()
	for i := range 24 {
		s.Clock.Set(start.Add(time.Duration(i-24) * 23 * time.Hour))
		items := []any{
			lines[i%len(lines)].of(i%3 + 1), lines[(i+1)%len(lines)].of(1),
		}
		order := s.api("POST", "/v2/orders", map[string]any{"items": items}).Text("data.id")

		if i%6 == 5 {
			continue // a cart
		}

		name := names[i%len(names)]
		s.api("POST", "/v2/orders/"+order+"/submit", map[string]any{
			"contact": map[string]any{"name": s.prefix + name, "phone": fmt.Sprintf("+4930123450%02d", i%7),
				"email": fmt.Sprintf("customer%d@mail.example", i%7)},
			"delivery": map[string]any{"address": s.prefix + "Hill Street 5, 10115 Berlin",
				"comment": s.prefix + "Ring twice"},
			"comment": s.prefix + "Please wrap it as a gift."})

		for _, step := range [][]string{{}, {"confirm"}, {"confirm", "complete"}, {"cancel"}}[i%4] {
			s.api("POST", "/v2/orders/"+order+"/"+step, nil)
		}

		switch i % 4 {
		case 0:
			s.ids["order"] = order
		case 1:
			s.ids["confirmed"] = order
		}
	}

	s.Clock.Set(start)
}

func (s *filledShop) fillInquiries() {
	s.t.Helper()
	s.ids["inquiry"] = s.api("POST", "/v2/feedback", map[string]any{"name": s.prefix + "Ann Field",
		"email":   "customer0@mail.example",
		"message": s.prefix + "Do you ship to Norway?\nAnd how long does it take?"}).Text("data.id")
	s.api("POST", "/v2/interactions/callback", map[string]any{"name": s.prefix + "Boris", "phone": "+493012345099",
		"comment": s.prefix + "About the sofa", "preferred_time": s.prefix + "after six"})
}

// collectIDs finds an example of each thing that the catalogue has.
func (s *filledShop) collectIDs() {
	s.t.Helper()
	for kind, path := range map[string]string{
		"product": "/v2/products?per_page=1", "option": "/v2/variant-options", "feature": "/v2/features",
		"category": "/v2/categories", "stock": "/v2/stocks", "key": "/api/store/keys",
		"pricelist": "/v2/price-lists", "group": "/v2/customer-groups",
	} {
		s.ids[kind] = s.api("GET", path, nil).Text("data.0.id")
	}

	values := s.api("GET", "/v2/variant-options/"+s.ids["option"]+"/values", nil)
	s.ids["value"], s.ids["othervalue"] = values.Text("data.0.id"), values.Text("data.1.id")
	values = s.api("GET", "/v2/features/"+s.ids["feature"]+"/values", nil)
	s.ids["featurevalue"], s.ids["otherfeaturevalue"] = values.Text("data.0.id"), values.Text("data.1.id")

	// An archiving that is undone leaves a change of products.
	v := s.owner()
	preview := v.post("/product-changes", url.Values{"action": {"archive"}, "id": {s.ids["product"]}})
	undo := v.post("/product-changes/start", preview.form("bulk-preview")).wantStatus(303).undoAction()
	v.post(undo, url.Values{}).wantStatus(303)
	s.ids["change"] = strings.TrimSuffix(strings.TrimPrefix(undo, "/product-changes/"), "/undo")
}

// fillPriceLists creates price lists, and a group with one of them that has a customer.
func (s *filledShop) fillPriceLists() {
	s.t.Helper()
	s.api("POST", "/v2/price-lists", map[string]any{"name": s.prefix + "Export", "currency": "CNY"})
	wholesale := s.api("POST", "/v2/price-lists", map[string]any{"name": s.prefix + "Wholesale"}).Text("data.id")
	group := s.api("POST", "/v2/customer-groups", map[string]any{"name": s.prefix + "Dealers",
		"price_lists": []string{wholesale}}).Text("data.id")
	s.api("PUT", "/v2/customers/"+s.ids["customer"], map[string]any{"group_id": group})
}

// fillSearch creates synonyms, a pin and queries of visitors.
func (s *filledShop) fillSearch() {
	s.t.Helper()
	word := "lamp"
	if s.prefix != "" {
		word = "<img src=x onerror=hacked=1>"
	}
	s.api("PUT", "/v2/search/synonyms", map[string]any{"groups": [][]string{{word, "light", "desk lamp"}},
		"one_way": []any{map[string]any{"from": "handset", "to": []string{word, "phone"}}}})

	products := s.api("GET", "/v2/products?per_page=3", nil)
	s.api("PUT", "/v2/search/pins", []any{map[string]any{"query": s.prefix + "gift",
		"products": products.Texts("data", "id")}})
	s.ids["redirect"] = s.api("POST", "/v2/redirects", map[string]any{"from": "/old", "to": "/new"}).Text("data.id")
	s.api("PUT", "/v2/feeds/market", map[string]any{"format": "yml"})
	s.ids["feed"] = "market"
	s.ids["mail"] = "order_received"
	s.ids["viewlist"] = "orders"
	name := []rune("Large" + s.prefix)
	name = name[:min(len(name), listview.MaxName)]
	view := s.owner().post("/views/orders", url.Values{"name": {strings.TrimSpace(string(name))},
		"query": {"sort=-total&state=all"}, "shared": {"1"}}).wantStatus(303).Header.Get("Location")
	u, err := url.Parse(view)
	if err != nil {
		s.t.Fatal(err)
	}
	s.ids["view"] = u.Query().Get("view")
	s.ids["pinned"] = url.QueryEscape(s.prefix + "gift")
	insertQueries(s.Server, s.store.StoreID, 0, askedQuery{s.prefix + "shirt", 1240, 31, 410, 25},
		askedQuery{s.prefix + "luminaire", 85, 0, 0, 0},
		askedQuery{"gift for a colleague who likes to cook", 12, 0, 0, 0})
	insertQueries(s.Server, s.store.StoreID, 3, askedQuery{"sofa", 40, 0, 0, 0}, askedQuery{"iphone 15", 33, 4, 9, 2})
}

// rename puts the prefix before the names of the catalogue.
func (s *filledShop) rename() {
	s.t.Helper()
	for _, kind := range []string{"products", "variant-options", "features", "categories", "stocks"} {
		list := s.api("GET", "/v2/"+kind, nil)
		for i := range min(list.Len("data"), 3) {
			item := fmt.Sprintf("data.%d.", i)
			s.api("PUT", "/v2/"+kind+"/"+list.Text(item+"id"),
				map[string]any{"name": s.prefix + list.Text(item+"name")})
		}
	}
	s.api("POST", "/api/store/keys", map[string]any{"kind": "secret", "name": s.prefix + "key"})
}

// Eventually waits until fn returns true. It fails the test after half a minute.
func (s *filledShop) Eventually(fn func() bool) {
	s.t.Helper()
	for range 300 {
		if fn() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.t.Fatal("it did not happen within half a minute")
}
