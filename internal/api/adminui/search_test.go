package adminui_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"vitrine/internal/kit/database"
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
		"обмен":                          "/exchange",
		"Обмен с 1С":                     "/exchange/1c",
	} {
		v.get("/search?q=" + url.QueryEscape(q)).wantRedirect(target)
	}

	v.get("/search?q="+url.QueryEscape("customer0@mail.example")).wantStatus(200).wantHTML().
		contains("/orders/", "/inquiries/"+s.ids["inquiry"], "Ann Field")
	v.get("/search?q=" + url.QueryEscape("+493012345002")).wantStatus(200).contains("Chloé Martin")
	v.get("/search?q=<script>").wantStatus(200).contains("&lt;script&gt;").omits("<script>alert")
	v.get("/search").wantStatus(200).omits("Nothing matches").contains(`href="/settings/captcha"`, `href="/orders/new"`)

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

// Pages and settings are found by the beginnings of words in both languages, by synonyms, with typing errors and with
// the wrong keyboard layout, but only those that the operator may open.
func TestSearch_findsPagesAndSettings(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	v := s.owner()
	for q, page := range map[string]string{
		"captcha": "/settings/captcha", "капча": "/settings/captcha", "капч": "/settings/captcha",
		"cpatcha": "/settings/captcha", "rfgxf": "/settings/captcha", "спам": "/settings/captcha",
		"пароль": "/account#new_password", "gfhjkm": "/account#new_password",
		"sign in password": "/account#new_password", "штрих": "/exchange/1c",
		"обмен с 1С": "/exchange/1c", "j,vty c 1c": "/exchange/1c", "виды цен": "/exchange/1c",
		"invite": "/settings/team/invite", "пригл": "/settings/team/invite", "new order": "/orders/new",
		"валюта": "/settings#currency", "currensy": "/settings#currency", "часовой": "/settings#timezone",
		"smtp": "/settings/messages", "2fa": "/account#codes",
	} {
		v.get("/search?q="+url.QueryEscape(q), "HX-Request", "true").wantStatus(200).contains(`href="` + page + `"`)
	}
	v.get("/search?q=" + url.QueryEscape("капча")).wantRedirect("/settings/captcha")
	v.get("/search?q="+url.QueryEscape("цены"), "HX-Request", "true").
		contains(`href="/price-lists"`, `href="/exchange/1c"`)
	v.get("/search?q=with").wantStatus(200).contains("Nothing matches")
	v.get("/search?q=captcha", "Accept-Language", "ru", "HX-Request", "true").contains("Капча")

	viewer := s.signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
	for _, q := range []string{"captcha", "invite", "новый заказ", "key"} {
		viewer.get("/search?q="+url.QueryEscape(q), "HX-Request", "true").wantStatus(200).
			omits("/settings/captcha", "/settings/team", "/orders/new", "/keys")
	}
	viewer.get("/search").wantStatus(200).contains(`href="/orders"`).omits(`href="/orders/new"`, `href="/keys"`)
}

// A search can say what is to be done with an order or an SKU. It leads to the page that asks or has the field.
func TestSearch_leadsToWhatIsToBeDone(t *testing.T) {
	t.Parallel()
	s := newFilledShop(t, 40, "")
	v := s.owner()
	order := s.api("GET", "/v2/orders/"+s.ids["order"], nil)
	number := order.Text("data.number")
	action := map[string]string{"submitted": "confirm", "confirmed": "complete"}[order.Text("data.state")]
	if action == "" {
		t.Fatalf("the order is %s", order.Text("data.state"))
	}

	lamp := s.api("POST", "/v2/products", map[string]any{"name": "Lamp", "variants": []any{
		map[string]any{"sku": "LAMP-5", "price": 5}}}).Text("data.id")
	russian := map[string]string{"confirm": "подтвердить", "complete": "выполнить"}[action]
	for q, target := range map[string]string{
		action + " " + number:        "/orders/" + s.ids["order"] + "/" + action,
		action + " order #" + number: "/orders/" + s.ids["order"] + "/" + action,
		russian + " заказ " + number: "/orders/" + s.ids["order"] + "/" + action,
		"Print " + number:            "/orders/" + s.ids["order"] + "/print",
		"price of lamp-5":            "/products/" + lamp + "#variants",
		"цена LAMP-5":                "/products/" + lamp + "#variants",
		"остаток lamp-5":             "/stock?q=lamp-5",
	} {
		v.get("/search?q=" + url.QueryEscape(q)).wantRedirect(target)
	}
	v.get("/search?q=" + url.QueryEscape("reopen "+number)).wantStatus(200)
	v.get("/search?q=" + url.QueryEscape(action+" 999999")).wantStatus(200).omits("/" + action + `"`)

	viewer := s.signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
	viewer.get("/search?q=" + url.QueryEscape(action+" "+number)).wantStatus(200).omits("/" + action + `"`)
}

// Ctrl+K opens a palette with what was opened recently and all pages. Its hits are reached with the keyboard, and
// signing out forgets what was opened.
func TestBrowser_palette(t *testing.T) {
	t.Parallel()
	s := newFilledShop(t, 40, "")
	b := newTab(t, true)
	base := strings.Replace(s.AdminURL, "127.0.0.1", "localhost", 1)
	b.do(chromedp.Navigate(base + "/login"))
	b.signIn(s.store.AdminEmail, s.store.AdminPassword)
	b.do(chromedp.WaitVisible(chromedp.ID("side")), chromedp.Navigate(base+"/products/"+s.ids["product"]),
		chromedp.WaitVisible(chromedp.ID("variants")))
	title := evaluate(b, chromedp.Text(chromedp.CSS("main h1")))

	b.do(chromedp.Navigate(base+"/orders"), chromedp.WaitVisible(chromedp.ID("main")),
		chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)),
		chromedp.WaitVisible(`//*[@id="palette-recent"]//a[contains(., "`+title+`")]`),
		chromedp.WaitVisible(`//*[@id="palette-found"]//a[@href="/settings/captcha"]`))
	b.wantFitsPhone("the palette")
	b.do(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible(chromedp.ID("variants")))
	if got := evaluate(b, chromedp.Location()); got != base+"/products/"+s.ids["product"] {
		t.Errorf("the recent thing leads to %s", got)
	}

	b.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)),
		chromedp.WaitVisible(chromedp.ID("palette-find")), chromedp.KeyEvent("capt"),
		chromedp.WaitVisible(`//*[@id="palette-found"]/div[@data-q="capt"]`), chromedp.KeyEvent(kb.Escape),
		chromedp.WaitNotVisible(chromedp.ID("palette")),
		chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)),
		chromedp.WaitVisible(chromedp.ID("palette-find")), chromedp.KeyEvent("capt"),
		chromedp.WaitVisible(`//*[@id="palette-found"]/div[@data-q="capt"]`), chromedp.KeyEvent(kb.Enter),
		chromedp.WaitVisible(`//h1[contains(., "Captcha")]`))

	b.do(b.press("Sign out"), chromedp.WaitVisible(chromedp.ID("email")))
	if got := evaluate(b, chromedp.Evaluate[string](`localStorage.getItem("vitrine-recent") || ""`)); got != "" {
		t.Errorf("after signing out the browser remembers %s", got)
	}
	if messages := b.consoleMessages(); len(messages) > 0 {
		t.Errorf("the console shows %q", messages)
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
