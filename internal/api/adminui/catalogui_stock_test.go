package adminui_test

import (
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
)

// stocked is a product with one variant in two warehouses.
type stocked struct{ product, variant, near, far string }

func (s *fixture) newStocked(name, sku string, near, far int) (p stocked) {
	s.t.Helper()
	stocks := s.catalogAPI(200, "GET", "/v2/stocks", nil)
	if stocks.Len("data") < 2 {
		s.catalogAPI(201, "POST", "/v2/stocks", map[string]any{"name": "Near"})
		s.catalogAPI(201, "POST", "/v2/stocks", map[string]any{"name": "Far"})
		stocks = s.catalogAPI(200, "GET", "/v2/stocks", nil)
	}
	p.near, p.far = stocks.Text("data.0.id"), stocks.Text("data.1.id")
	created := s.catalogAPI(201, "POST", "/v2/products", map[string]any{"name": name, "variants": []any{map[string]any{
		"sku": sku, "price": 10, "remainders": []any{map[string]any{"stock_id": p.near, "quantity": near},
			map[string]any{"stock_id": p.far, "quantity": far}}}}})
	p.product, p.variant = created.Text("data.id"), created.Text("data.variants.0.id")
	return p
}

// submitStockOrder submits an order for one variant and returns its id and its number.
func (s *fixture) submitStockOrder(variant string, quantity int) (id, number string) {
	s.t.Helper()
	id = s.catalogAPI(201, "POST", "/v2/orders", map[string]any{
		"items": []any{map[string]any{"variant_id": variant, "quantity": quantity}}}).Text("data.id")
	submitted := s.catalogAPI(200, "POST", "/v2/orders/"+id+"/submit",
		map[string]any{"contact": map[string]any{"name": "Anna", "phone": "+79123456789"}})
	return id, submitted.Text("data.number")
}

func (p stocked) form(stock, was, quantity string) url.Values {
	return url.Values{"product": {p.product}, "variant": {p.variant}, "stock": {stock}, "was": {was},
		"quantity": {quantity}}
}

func (s *fixture) wantRemainder(p stocked, at int, want string) {
	s.t.Helper()
	path := "data.variants.0.remainders." + string(rune('0'+at)) + ".quantity"
	if got := s.catalogAPI(200, "GET", "/v2/products/"+p.product, nil).Text(path); got != want {
		s.t.Errorf("the quantity is %s, want %s", got, want)
	}
}

func TestStock_showsWhatIsLeftAndWhoReservedIt(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.withT(t).owner()
		v.get("/stock").wantStatus(200).contains("There are no products yet.")

		boots := s.newStocked("<i>Boots</i>", "sku-boots", 9, 0)
		s.newStocked("Socks", "sku-socks", 0, 0)
		s.newStocked("Laces", "sku-laces", 3, 0)
		order, number := s.submitStockOrder(boots.variant, 2)
		v.get("/stock").contains("&lt;i&gt;Boots&lt;/i&gt;", "sku-socks", "7 left", "Ran out", "/orders/"+order,
			"No. "+number).
			omits("<i>Boots")
		v.get("/stock?state=out").contains("sku-socks").omits("sku-boots", "sku-laces")
		v.get("/stock?state=low").contains("sku-laces").omits("sku-boots", "sku-socks")
		v.get("/stock?state=low&low=7").contains("sku-laces", "sku-boots")
		v.get("/stock?state=reserved").contains("sku-boots", "of these reserved: 2").omits("sku-laces")
		v.get("/stock?state=out&stock="+boots.far).contains("sku-boots", "sku-socks")
		v.get("/stock?q=soc").contains("sku-socks").omits("sku-boots")
		v.get("/stock?q=nothing").contains("Nothing matches.")
		v.get("/stock?low=many").wantStatus(400)
		v.get("/stock?stock=x").wantStatus(400)
		v.get("/stock?stock=" + boots.product).wantStatus(422)
	})
}

func TestStock_quantitiesAreChangedInPlace(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.withT(t).owner()
		p := s.newStocked("Boots", "sku-boots", 9, 1)
		form := p.form(p.near, "9", "4,5")
		form.Set("back", "/stock?q=boots")
		v.post("/stock/quantity", form).wantRedirect("/stock?q=boots")
		s.wantRemainder(p, 0, "4.5")
		s.wantRemainder(p, 1, "1")
		v.post("/stock/quantity", p.form(p.near, "9", "8")).wantStatus(422).contains("has become 4.5 meanwhile")

		for _, quantity := range []string{"", "-1", "many", "1.2345", "99999999999"} {
			v.post("/stock/quantity", p.form(p.near, "4.5", quantity)).wantStatus(422).
				contains("A quantity is a number", `value="`+quantity+`" size="6" aria-invalid="true"`)
		}

		v.post("/stock/quantity", p.form("x", "", "1")).wantStatus(422).contains("Choose a warehouse.")
		s.wantRemainder(p, 0, "4.5")
		s.wantCatalogAudit("remainder.changed")
	})
}

// One button saves all quantities of the page, all or none, and one Undo takes them back. What somebody else has
// changed meanwhile stays.
func TestStock_allQuantitiesAreSavedAtOnce(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.withT(t).owner()
		boots := s.newStocked("Boots", "sku-boots", 9, 1)
		socks := s.newStocked("Socks", "sku-socks", 5, 0)

		form := v.get("/stock").wantStatus(200).form("stock-form")
		set := func(p stocked, stock, quantity string) {
			t.Helper()
			for i := range form["quantity"] {
				if form["variant"][i] == p.variant && form["stock"][i] == stock {
					form["quantity"][i] = quantity
					return
				}
			}
			t.Fatalf("the form has no quantity of %s", p.variant)
		}
		v.post("/stock/quantities", form).wantRedirect("/stock")

		set(boots, boots.near, "4,5")
		set(socks, socks.near, "many")
		v.post("/stock/quantities", form).wantStatus(422).contains("Nothing was saved", "A quantity is a number",
			`value="4,5"`, `value="many"`)
		s.wantRemainder(boots, 0, "9")

		set(boots, boots.far, "2")
		set(socks, socks.near, "")
		v.post("/stock/quantity", boots.form(boots.far, "1", "7")).wantStatus(303)
		v.post("/stock/quantities", form).wantRedirect("/stock")
		s.wantRemainder(boots, 0, "4.5")
		s.wantRemainder(boots, 1, "7")

		form.Del("key")
		v.post("/stock/quantities", form).wantStatus(400)
		s.wantCatalogAudit("products.changed")
	})
}

// A quantity that is saved on the second page returns to the second page, and a refused one is shown on it.
func TestStock_quantityKeepsThePage(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.withT(t).owner()
		p := s.newStocked("Boots", "sku-0", 9, 1)

		for i := range 50 {
			s.newStocked("Socks", fmt.Sprint("sku-", i+1), 1, 1)
		}

		second := html.UnescapeString(v.get("/stock").between(`rel="next" href="`, `"`))
		page := v.get(second).wantStatus(200).omits(`value="` + p.variant + `"`)
		back := html.UnescapeString(page.between(`name="back" value="`, `"`))
		if back != second {
			t.Fatalf("the form returns to %s, want %s", back, second)
		}

		field := func(name string) string { return page.between(`name="`+name+`" value="`, `"`) }
		form := url.Values{"product": {field("product")}, "variant": {field("variant")}, "stock": {p.near},
			"was":      {"1"},
			"quantity": {"few"}, "back": {back}}
		v.post("/stock/quantity", form).wantStatus(422).contains(`value="few"`, "A quantity is a number")
		form.Set("quantity", "7")
		v.post("/stock/quantity", form).wantRedirect(second)
	})
}

func TestWarehouses_areCreatedRenamedAndDeleted(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.withT(t).owner()
		v.get("/stock/warehouses").wantStatus(200).contains("There are no warehouses yet.")

		v.post("/stock/warehouses", url.Values{"name": {""}}).wantStatus(422)
		p := s.newStocked("Boots", "sku-boots", 9, 1)
		v.post("/stock/warehouses", url.Values{"name": {"Third"}}).wantRedirect("/stock/warehouses")
		path := "/stock/warehouses/" + p.near
		page := v.get(path + "/delete").wantStatus(200).contains("What it has of 1 variant is no longer counted.")
		version := page.between(`name="version" value="`, `"`)
		v.post(path, url.Values{"name": {"Nearest"}, "version": {version}}).wantRedirect("/stock/warehouses")
		v.post(path, url.Values{"name": {"Other"}, "version": {version}}).wantStatus(422).contains("Somebody else",
			`value="Other"`, "Now it is: “Nearest”", `id="w`+p.near+`-wrong"`)
		order, _ := s.submitStockOrder(p.variant, 2)
		version = v.get(path+"/delete").contains("cannot be deleted yet").between(`name="version" value="`, `"`)
		v.post(path+"/delete", url.Values{"version": {version}}).wantStatus(422).contains("Submitted orders wait")
		s.OK(200, "POST", "/v2/orders/"+order+"/cancel", nil, apitest.As(s.store.SecretKey))
		v.post(path+"/delete", url.Values{"version": {version}}).wantRedirect("/stock/warehouses")
		v.get("/stock/warehouses").contains("Far", "Third").omits("Nearest")
		s.wantCatalogAudit("stock.created", "stock.renamed", "stock.deleted")
	})
}

// In a real Chromium an operator finds what ran out, and enters what has arrived.
func TestBrowser_stockIsCounted(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	b := newTab(t, true)
	base := strings.Replace(s.AdminURL, "127.0.0.1", "localhost", 1)
	p := s.newStocked("Boots", "sku-boots", 0, 0)
	s.newStocked("Socks", "sku-socks", 5, 0)
	b.do(chromedp.Navigate(base+"/stock"), chromedp.WaitVisible(chromedp.ID("email")))
	b.signIn(s.store.AdminEmail, s.store.AdminPassword)
	field := chromedp.ID("r" + p.variant + p.near)
	b.do(chromedp.WaitVisible(field))
	b.wantFitsPhone("the stock")
	b.do(b.follow("Ran out"), chromedp.WaitVisible(chromedp.CSS(`[aria-current="page"][href="/stock?state=out"]`)))

	if text := evaluate(b, chromedp.Text(chromedp.CSS("main"))); !strings.Contains(text, "Boots") ||
		strings.Contains(text, "Socks") {
		t.Errorf("what ran out: %s", text)
	}

	b.markDocument()
	b.do(chromedp.SetValue(field, "12"), chromedp.SendKeys(field, "\r"),
		chromedp.WaitVisible(`//*[contains(@class, "toast")][contains(., "Near: 12 instead of 0")]`))
	b.wantDocumentKept("saving a quantity")
	s.wantRemainder(p, 0, "12")
	b.do(b.press("Undo"), chromedp.WaitVisible(`//*[contains(@class, "toast")][contains(., "Near: 0 instead of 12")]`))
	s.wantRemainder(p, 0, "0")

	if messages := b.consoleMessages(); len(messages) > 0 {
		t.Errorf("the console shows %q", messages)
	}
}
