package adminui_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
)

func TestSearch_leadsToWhatMatchesExactly(t *testing.T) {
	t.Parallel()
	s := newFilledShop(t, 40, "")
	v := s.owner()
	order := s.api("GET", "/v2/orders/"+s.ids["order"], nil)
	product := s.api("GET", "/v2/products/"+s.ids["product"]+"?with=variants", nil)
	sku := product.Text("data.variants.0.sku")
	for q, target := range map[string]string{
		order.Text("data.number"):        "/orders/" + s.ids["order"],
		"№ " + order.Text("data.number"): "/orders/" + s.ids["order"],
		"#" + order.Text("data.number"):  "/orders/" + s.ids["order"],
		sku:                              "/products/" + s.ids["product"],
		"norway":                         "/inquiries/" + s.ids["inquiry"],
		"1С":                             "/exchange/1c",
		"штрихкод":                       "/exchange/1c",
		"обмен":                          "/exchange/1c",
		"Обмен":                          "/exchange/1c",
		"цены":                           "/exchange/1c",
	} {
		v.get("/search?q=" + url.QueryEscape(q)).wantRedirect(target)
	}

	v.get("/search?q="+url.QueryEscape("customer0@mail.example")).wantStatus(200).wantHTML().
		contains("/orders/", "/inquiries/"+s.ids["inquiry"], "Ann Field")
	v.get("/search?q=" + url.QueryEscape("+493012345002")).wantStatus(200).contains("Chloé Martin")
	v.get("/search?q=<script>").wantStatus(200).contains("&lt;script&gt;").omits("<script>alert")
	v.get("/search").wantStatus(200).omits("Nothing matches")

	// Suggestions never navigate.
	v.get("/search?q="+order.Text("data.number"), "HX-Request", "true").wantStatus(200).
		contains("/orders/" + s.ids["order"])
	viewer := s.signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
	viewer.get("/search?q=" + order.Text("data.number")).wantRedirect("/orders/" + s.ids["order"])
}

func TestSearch_findsWordsWithNAnySKUAndPeople(t *testing.T) {
	t.Parallel()
	s := newFilledShop(t, 5, "")
	v := s.owner()
	size := s.api("POST", "/v2/variant-options", map[string]any{"name": "Cut", "values": []any{
		map[string]any{"name": "wide"}, map[string]any{"name": "narrow"}}}).Text("data.id")
	values := s.api("GET", "/v2/variant-options/"+size+"/values", nil)
	variant := func(sku string, i int) map[string]any {
		return map[string]any{"sku": sku, "price": 5, "options": []any{map[string]any{
			"option_id": size, "value_id": values.Text(fmt.Sprintf("data.%d.id", i))}}}
	}
	nina := s.api("POST", "/v2/products", map[string]any{"name": "Nina dress",
		"variants": []any{variant("N-100", 0), variant("n-200", 1)}}).Text("data.id")

	for range 10 { // their SKUs begin with the same words
		s.api("POST", "/v2/products", map[string]any{"name": "Belt", "variants": []any{
			map[string]any{"sku": "N-2000", "price": 1}}})
	}

	// Another customer has the address as a part of hers.
	nora := s.createCustomer("nora@mail.example", "Nora")
	s.createCustomer("nora@mail.example.org", "Nora Stone")
	for q, target := range map[string]string{
		"nina": "/products/" + nina, "n-100": "/products/" + nina, "N-200": "/products/" + nina,
		"Nora@mail.example": "/customers/" + nora, "nora": "/customers/" + nora,
	} {
		v.get("/search?q=" + url.QueryEscape(q)).wantRedirect(target)
	}

	s.api("POST", "/v2/products/"+nina+"/archive", nil)
	v.get("/search?q=n-200").wantRedirect("/products/" + nina)
	v.get("/search?q=belt").wantStatus(200).contains(`href="/products?archived=any&amp;q=belt"`)
}

// Only if nothing is found otherwise, the search tolerates errors.
func TestSearch_toleratesErrorsIfNothingElseIsFound(t *testing.T) {
	t.Parallel()
	s := newFilledShop(t, 5, "")
	v := s.owner()
	lamp := s.api("POST", "/v2/products", map[string]any{"name": "Nightstand lamp"}).Text("data.id")
	alena := s.createCustomer("alena@mail.example", "Алёна Семёнова")
	simon := s.createCustomer("simon@mail.example", "Simone Nightstant")
	for q, target := range map[string]string{
		"nightstand": "/products/" + lamp, "nihgtstand lamps": "/products/" + lamp, "Семенова": "/customers/" + alena,
		"алёна семёноав": "/customers/" + alena, "simone nightstant": "/customers/" + simon,
		"simone nightstatn": "/customers/" + simon,
	} {
		v.get("/search?q=" + url.QueryEscape(q)).wantRedirect(target)
	}
}

// In a browser the key / focuses the search, suggestions appear, and the arrow keys and Enter open one.
func TestBrowser_search(t *testing.T) {
	t.Parallel()
	s := newFilledShop(t, 40, "")
	b := newTab(t, true)
	base := strings.Replace(s.AdminURL, "127.0.0.1", "localhost", 1)
	b.do(chromedp.Navigate(base + "/login"))
	b.signIn(s.store.AdminEmail, s.store.AdminPassword)
	b.do(chromedp.WaitVisible(chromedp.ID("side")), chromedp.KeyEvent("/"), chromedp.KeyEvent("norway"),
		chromedp.WaitVisible(`//*[@id="found"]/descendant::li[1]/a[contains(., "Ann Field")]`))
	b.wantFitsPhone("suggestions")
	b.do(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter),
		chromedp.WaitVisible(`//h1[contains(., "Ann Field")]`))

	if got := evaluate(b, chromedp.Location()); got != base+"/inquiries/"+s.ids["inquiry"] {
		t.Errorf("the browser is at %s", got)
	}
	if messages := b.consoleMessages(); len(messages) > 0 {
		t.Errorf("the console shows %q", messages)
	}
}
