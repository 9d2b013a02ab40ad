package adminui_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/storetest"
)

// The grid has more than two warehouses behind their total. A wrong quantity shows them.
func TestProduct_foldsManyWarehouses(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		p := s.newStocked("Boots", "sku-boots", 9, 1)
		v := s.withT(t).owner()
		v.get("/products/" + p.product).wantStatus(200).omits("Show each warehouse")

		s.catalogAPI(201, "POST", "/v2/stocks", map[string]any{"name": "Third"})
		page := v.get("/products/"+p.product).wantStatus(200).wantHTML().contains("Show each warehouse", ">10</output>")
		page.omits("data-wrong")
		form := page.form("product-form")
		form.Set("variant.0.stock.0", "many")
		form.Set("step", "save")
		v.post("/products/"+p.product, form).wantStatus(422).contains("data-wrong checked", ">–</output>")
	})
}

// This browser remembers whether it shows each warehouse, and the total follows what is typed.
func TestBrowser_foldedWarehouses(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	p := s.newStocked("Boots", "sku-boots", 9, 1)
	s.catalogAPI(201, "POST", "/v2/stocks", map[string]any{"name": "Third"})
	b := newTab(t, true)
	base := strings.Replace(s.AdminURL, "127.0.0.1", "localhost", 1)
	b.do(chromedp.Navigate(base+"/products/"+p.product), chromedp.WaitVisible(chromedp.ID("email")))
	b.signIn(s.store.AdminEmail, s.store.AdminPassword)

	field := chromedp.CSS(`[id="variant.0.stock.0"]`)
	box := chromedp.CSS("[data-each-warehouse]")
	isShown := func() bool {
		return evaluate(b, chromedp.Evaluate[bool](
			`document.getElementById("variant.0.stock.0").offsetParent !== null`))
	}
	b.do(chromedp.WaitVisible(box))
	if isShown() {
		t.Error("a warehouse is shown")
	}
	b.wantFitsPhone("the folded warehouses")
	b.do(chromedp.Click(box), chromedp.WaitVisible(field), chromedp.Reload(), chromedp.WaitVisible(field))

	evaluate(b, chromedp.Evaluate[string](`document.getElementById("variant.0.stock.0").value = ""`))
	b.do(chromedp.SendKeys(field, "20,5"), chromedp.Click(box), chromedp.WaitNotVisible(field))
	storetest.Eventually(t, "the total is 21.5", func() bool {
		total := evaluate(b, chromedp.Evaluate[string](
			`document.querySelector("td[data-stock-total] output").textContent`))
		return strings.TrimSpace(total) == "21.5"
	})
}
