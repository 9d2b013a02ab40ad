package page_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"vitrine/internal/kit/captcha"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/captchatest"
)

// captchaScript serves a captcha script on loopback that has the interface of reCAPTCHA v3. score is the score that the
// test's captcha provider returns for the tokens of this script.
type captchaScript struct {
	*httptest.Server
	site  *captchatest.Site
	score atomic.Value
}

func newCaptchaScript(t *testing.T, site *captchatest.Site) *captchaScript {
	t.Helper()
	s := &captchaScript{site: site}
	s.score.Store("0.9")
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api.js", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprintf(w, `window.grecaptcha = {
			ready: (then) => then(),
			execute: (key, { action }) => key === %q && fetch(%q + action).then((answer) => answer.text()),
		}`, r.FormValue("render"), s.URL+"/token?action=")
	})

	mux.HandleFunc("GET /token", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		verdict := s.site.GoodAnswer(r.FormValue("action"))
		verdict.Score = s.score.Load().(string)
		fmt.Fprint(w, s.site.TokenFor(verdict))
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)

	return s
}

// newShop returns a store with products in which all four actions are protected by a captcha.
func newShop(t *testing.T) (*apitest.Server, *captchaScript) {
	t.Helper()
	provider := captchatest.New(t)
	site := provider.Site(captcha.RecaptchaV3, "shop.example")
	script := newCaptchaScript(t, site)
	s := apitest.StartServer(t, database.SQLite, apitest.WithConfig(func(c *config.Serve) {
		c.Dev, c.CaptchaVerifyURL, c.CaptchaScriptURL = true, provider.URL(), script.URL+"/api.js"
	}))
	actions := []map[string]any{
		{"id": "order_submission"}, {"id": "passwordless_request"}, {"id": "feedback_request"},
		{"id": "callback_request"},
	}
	protected := s.DoAdmin("PUT", "/api/store/settings",
		map[string]any{"name": "North", "currency": "EUR", "site_url": "https://shop.example",
			"recaptcha": map[string]any{
				"active": true, "public_key": site.PublicKey, "secret_key": site.SecretKey, "actions": actions,
			}})
	if protected.Status != http.StatusOK {
		t.Fatalf("the response to the settings is %s", protected.Body)
	}

	for _, push := range [][2]string{
		{"features", `{"payload": [{"id": "m", "name": "Material", "filterable": true, "values": [{"id": "c", ` +
			`"name": "Cotton"}, {"id": "w", "name": "Wool"}]}]}`},
		{"variant-options", `{"payload": [{"id": "s", "name": "Size", "values": [{"id": "s", "name": "S"}, ` +
			`{"id": "l", "name": "L"}]}]}`},
		{"products", `{"payload": [
			{"id": 1, "name": "Cotton shirt", "single_variant": true, "variant_price": 20, "features": [{"id": "m", "value_id": "c"}]},
			{"id": 2, "name": "Wool shirt", "features": [{"id": "m", "value_id": "w"}], "variants": [
				{"id": 1, "sku": "W-S", "price": 30, "options": [{"id": "s", "value_id": "s"}]},
				{"id": 2, "sku": "W-L", "price": 35.5, "options": [{"id": "s", "value_id": "l"}], "remainders": [{"stock_id": "near", "quantity": 3}]}]},
			{"id": 3, "name": "<img src=x onerror=alert(1)>", "single_variant": true, "variant_price": 1}]}`},
	} {
		if run := s.OK(200, "POST", "/v2/sync-gate/"+push[0], push[1],
			apitest.As(s.Exchange)); run.Text("data.failed") != "0" || run.Text("data.warnings") != "0" {
			t.Fatalf("the response to the push of %s is %s", push[0], run.Body)
		}
	}

	return s, script
}

// All tests share one Chromium, because starting it takes longer than a test.
func TestBrowser_page(t *testing.T) {
	t.Parallel()
	s, script := newShop(t)
	b := openBrowser(t)
	t.Run("submits an order after a rejected captcha",
		func(t *testing.T) { b.forTest(t).submitOrder(s.WithTB(t), script) })
	t.Run("submits the forms and asks for a key", func(t *testing.T) { b.forTest(t).submitForms(s.WithTB(t)) })
	t.Run("shows old prices and prices by quantity", func(t *testing.T) { b.forTest(t).showPrices(s.WithTB(t)) })
	t.Run("suggests while somebody types", func(t *testing.T) { b.forTest(t).suggest(s.WithTB(t)) })
	t.Run("says how a query was understood", func(t *testing.T) { b.forTest(t).understand(s.WithTB(t)) })
	t.Run("speaks Russian", func(t *testing.T) { b.forTest(t).speakRussian(s.WithTB(t)) })
	t.Run("rejects empty responses", func(t *testing.T) { b.forTest(t).rejectsEmptyResponses() })
	t.Run("orders modifiers", func(t *testing.T) { b.forTest(t).orderModifiers(s.WithTB(t)) })
	t.Run("passes the captcha of a server with test tokens", func(t *testing.T) { b.forTest(t).passTestCaptcha() })
	t.Run("has addresses", func(t *testing.T) { b.forTest(t).followAddresses(s.WithTB(t)) })
}

// A wholesale site shows the prices of its customer group, by quantity, and the old price crossed out.
func (b *browser) showPrices(s *apitest.Server) {
	newList := func(name string) string {
		return s.OK(201, "POST", "/v2/price-lists", map[string]any{"name": name}, apitest.As(s.Secret)).Text("data.id")
	}
	wholesale, before := newList("Wholesale"), newList("Before")
	product := s.OK(200, "GET", "/v2/products?q=cotton&with=variants", nil, apitest.As(s.Secret))
	s.OK(200, "PUT", "/v2/products/"+product.Text("data.0.id")+"/variants/"+product.Text("data.0.variants.0.id"),
		map[string]any{"price_lists": []map[string]any{{"price_list_id": before, "price": 24},
			{"price_list_id": wholesale, "price": 15},
			{"price_list_id": wholesale, "price": 12.5, "from_quantity": 10}}}, apitest.As(s.Secret))
	group := s.OK(201, "POST", "/v2/customer-groups", map[string]any{"name": "Wholesale",
		"price_lists": []string{wholesale}}, apitest.As(s.Secret)).Text("data.id")
	if r := s.DoAdmin("PUT", "/api/store/settings", map[string]any{"old_price_list": before}); r.Status != 200 {
		b.t.Fatalf("the response to the settings is %s", r.Body)
	}
	key := s.DoAdmin("POST", "/api/store/keys",
		map[string]any{"kind": "publishable", "name": "Wholesale site", "group_id": group}).Text("data.token")

	for _, site := range []struct{ key, price, steps string }{
		{s.Publishable, "€24.00 €20.00", ""}, {key, "€24.00 €15.00", "from 10: €12.50"},
	} {
		b.run(chromedp.Navigate("about:blank"), chromedp.Navigate(s.URL+"/demo?q=cotton#key="+site.key),
			chromedp.WaitVisible(chromedp.CSS(".card")))
		if got := evaluate[string](b, `document.querySelector(".card .price").textContent`); got != site.price {
			b.t.Errorf("the card has the price %q, want %q", got, site.price)
		}
		if crossed := evaluate[string](b, `document.querySelector(".card s").textContent`); crossed != "€24.00" {
			b.t.Errorf("%q is crossed out", crossed)
		}
		b.checkFitsPhone("the list with old prices")

		b.run(chromedp.Click(chromedp.CSS(".card a")), chromedp.WaitVisible(chromedp.CSS("#product form")))
		got := evaluate[string](b, `document.querySelector("#product .price").textContent + "|" +
			document.querySelector("#product .steps").textContent`)
		if want := site.price + "|" + site.steps; got != want {
			b.t.Errorf("the product has the prices %q, want %q", got, want)
		}
		b.checkFitsPhone("the product with prices by quantity")
	}
}

// The visitor chooses modifiers of a product, sees them in the price and in the cart, and is told of one that is gone.
func (b *browser) orderModifiers(s *apitest.Server) {
	if r := s.DoAdmin("PUT", "/api/store/settings", map[string]any{"locale": "en"}); r.Status != 200 {
		b.t.Fatalf("the response to the settings is %s", r.Body)
	}
	product := s.OK(201, "POST", "/v2/products", `{"name":"Ginger tea","variants":[{"price":10}],"modifiers":[`+
		`{"name":"Grind","required":true,"max":1,"items":[{"name":"Whole"},{"name":"Fine","price":0.5}]},`+
		`{"name":"Extras","max":3,"items":[{"name":"Honey","price":2}]}]}`, apitest.As(s.Secret)).Text("data.id")
	b.run(chromedp.Navigate("about:blank"), chromedp.Navigate(s.URL+"/demo?q=ginger#key="+s.Publishable),
		chromedp.WaitVisible(chromedp.CSS(".card")), chromedp.Click(chromedp.CSS(".card a")),
		chromedp.WaitVisible(chromedp.CSS("#product form")))
	b.waitForText("form/p", "€10.00")
	b.click("Fine + €0.50")
	b.run(chromedp.SetValue(`//label[contains(., "Honey")]//input`, "2"))
	evaluate[bool](b, `document.querySelector("#product .amounts input").dispatchEvent(new Event("input"))`)
	b.waitForText("form/p", "€14.50")
	b.checkFitsPhone("the product with modifiers")
	b.click("Add to cart")
	b.waitForText("li", "Grind: Fine + €0.50")
	b.waitForText("li", "Extras: Honey × 2 + €4.00")
	b.waitForText("li", "€14.50")
	b.checkFitsPhone("the cart with modifiers")

	s.OK(200, "PUT", "/v2/products/"+product, `{"modifiers":null}`, apitest.As(s.Secret))
	b.run(chromedp.Reload())
	b.run(chromedp.WaitVisible(chromedp.CSS("#open-cart")), chromedp.Click(chromedp.CSS("#open-cart")))
	b.waitForText("li", "“Grind: Fine” is not available any more.")
	b.run(chromedp.Click(chromedp.CSS("#lines a")), chromedp.WaitVisible(chromedp.CSS("#product form")),
		chromedp.Click(chromedp.CSS("#product [data-close]")), chromedp.WaitNotVisible(chromedp.ID("product")),
		chromedp.Click(chromedp.CSS("#open-cart")))
	b.run(chromedp.Click(`//li//button[.="Remove"]`), chromedp.WaitVisible(chromedp.CSS("#cart-empty")))
}

// A server that judges test tokens itself gives one to the page, which then loads no script of a provider.
func (b *browser) passTestCaptcha() {
	s := apitest.StartServer(b.t, database.SQLite, apitest.DevMode())
	if r := s.DoAdmin("PUT", "/api/store/settings", map[string]any{"site_url": "http://localhost:3000",
		"recaptcha": map[string]any{"active": true, "public_key": "x", "secret_key": "x",
			"actions": []any{map[string]any{"id": "feedback_request"}}}}); r.Status != http.StatusOK {
		b.t.Fatalf("the response to the settings is %s", r.Body)
	}

	b.run(chromedp.Navigate("about:blank"), chromedp.Navigate(s.URL+"/demo#key="+s.Publishable))
	b.waitForText("h2", "This shop sells nothing yet")
	b.fill("feedback", "name", "Anna")
	b.fill("feedback", "message", "Does it work?")
	b.click("Send the message")
	b.waitForText("p", "we have got your message")
	if scripts := evaluate[int](b, `document.scripts.length`); scripts != 1 {
		b.t.Errorf("the page has %d scripts, want 1", scripts)
	}
}

func (b *browser) submitOrder(s *apitest.Server, script *captchaScript) {
	b.run(chromedp.Navigate(s.URL+"/demo?utm_source=mail#key="+s.Publishable),
		chromedp.WaitVisible(chromedp.CSS(".card")))

	if at := evaluate[string](b, `location.href`); strings.Contains(at, s.Publishable) ||
		evaluate[string](b, `document.title`) != "North" {
		b.t.Errorf("the URL of the page is %s", at)
	}

	b.waitForText("p", "3 products")
	b.checkFitsPhone("the list")

	// Filter, choose a variant, add two of it to the cart.
	b.run(chromedp.Click(`//label[contains(., "Wool")]//input`), chromedp.WaitVisible(`//p[.="1 product"]`))
	b.checkFitsPhone("the filtered list")
	b.run(chromedp.Click(chromedp.CSS(".card a")), chromedp.WaitVisible(chromedp.CSS("#product form")))
	b.checkFitsPhone("the product")
	b.click("L")
	b.waitForText("form/p", "€35.50")
	b.waitForText("form/p", "Only 3 left")
	b.run(chromedp.SetValue(chromedp.ID("quantity"), "2"))
	b.click("Add to cart")
	b.waitForText("li", "Size: L")
	b.checkFitsPhone("the cart")

	// Missing input is reported at its field, and the first such field gets the focus.
	b.click("Order for €71.00")
	b.run(chromedp.WaitVisible(chromedp.CSS(`[id="checkout-contact.phone-wrong"]`)))

	focused := evaluate[string](b, `document.activeElement.name + ": " + document.getElementById(`+
		`document.activeElement.getAttribute("aria-describedby")).textContent`)
	if !strings.HasPrefix(focused, "contact.name: Say who orders") {
		b.t.Errorf("the focus is on %s", focused)
	}

	b.fill("checkout", "contact.name", "Anna")
	if left := evaluate[bool](b, `document.getElementById("checkout-contact.name-wrong") !== null ||
		document.querySelector('[name="contact.name"]').hasAttribute("aria-invalid")`); left {
		b.t.Error("the error stays at the field while it is corrected")
	}
	b.fill("checkout", "contact.email", "anna@shop.example")

	// With a low score the page reports the rejection after a second attempt, and nothing has changed.
	script.score.Store("0.1")
	before := s.Dump()
	delete(before, "captcha_tokens")
	delete(before, "captcha_scores") // counts are written now and then
	b.click("Order for €71.00")
	b.waitForText("p", "rejected the request twice, so nothing was sent")
	s.WantUnchanged(before, "a low score")

	if used := len(s.Dump()["captcha_tokens"]); used != 2 {
		b.t.Errorf("the page sent %d tokens, want 2", used)
	}

	script.score.Store("0.9")
	b.click("Order for €71.00")
	b.run(chromedp.WaitVisible(chromedp.ID("thanks")))

	if got := evaluate[string](b,
		`document.querySelector("#thanks h3").textContent`); got != "Thank you. Your order number is 1." {
		b.t.Errorf("the page shows %q", got)
	}
	if got := evaluate[string](b, `document.getElementById("cart-title").textContent`); got != "Your order" {
		b.t.Errorf("the title above the thanks is %q", got)
	}

	order := s.Get("/v2/orders?state=submitted")
	if order.Len("data") != 1 || order.Text("data.0.number") != "1" || order.Text("data.0.items.0.sku") != "W-L" ||
		order.Text("data.0.total") != "71" || order.Text("data.0.contact.email") != "anna@shop.example" {
		b.t.Errorf("the orders are %s", order.Body)
	}

	if shirt := s.Get(
		"/v2/products?q=wool&with=variants"); shirt.Text("data.0.variants.1.remainders.0.reserved") != "2" ||
		shirt.Text("data.0.variants.1.available") != "1" {
		b.t.Errorf("the shirt is %s", shirt.Body)
	}

	// The pushes that filled the store have events, too.
	events := slices.DeleteFunc(s.Dump()["events"],
		func(e string) bool { return strings.Contains(e, "exchange.completed") })
	if len(events) != 1 || !strings.Contains(events[0], "order.submitted") {
		b.t.Errorf("the events are %q", events)
	}

	b.click("Go on shopping")
	b.waitForText("article", "In stock") // the stock of one variant is not tracked
	b.waitForText("button", "Cart 0")

	// An order for more than is available is rejected, and the error is shown at the line.
	b.run(chromedp.WaitVisible(chromedp.CSS("#grid:not([aria-busy])")), chromedp.Click(chromedp.CSS(".card a")),
		chromedp.WaitVisible(chromedp.CSS("#product form")))
	b.click("L")
	b.run(chromedp.SetValue(chromedp.ID("quantity"), "2"))
	b.click("Add to cart")
	b.fill("checkout", "contact.name", "Anna")
	b.fill("checkout", "contact.email", "anna@shop.example\r")
	b.waitForText("li", "Only 1 left.")
	b.checkConsole(401, 409, 422)
}

// submitForms tests the other three protected actions: feedback, a callback request and a login code.
func (b *browser) submitForms(s *apitest.Server) {
	b.run(chromedp.Navigate(s.URL+"/demo"), chromedp.WaitVisible(chromedp.CSS(".card")))
	b.click("Another key")
	b.waitForText("h1", "Which shop?")
	b.fill("key-form", "key", s.Secret+"\r")
	b.waitForText("p", "This is a secret key")
	b.run(chromedp.SetValue(chromedp.ID("key"), s.WithKeys(s.Other).Publishable))
	b.click("Open the shop")
	b.waitForText("h2", "This shop sells nothing yet")
	b.run(chromedp.Navigate(s.URL+"/demo/#key="+s.Publishable), chromedp.WaitVisible(chromedp.CSS(".card")))

	b.click("Send the message")
	b.run(chromedp.WaitVisible(chromedp.ID("feedback-message-wrong")))
	b.fill("feedback", "name", "Anna")
	b.fill("feedback", "message", "Do you have it in green?")
	b.click("Send the message")
	b.waitForText("p", "we have got your message")
	b.fill("callback", "phone", "+49 30 1234567")
	b.click("Ask for a call")
	b.waitForText("p", "we will call you")

	if f, c := s.Get("/v2/feedback"),
		s.Get("/v2/interactions/callback"); f.Text("data.0.message") != "Do you have it in green?" ||
		c.Len("data") != 1 {
		b.t.Errorf("the store has %s and %s", f.Body, c.Body)
	}

	b.run(chromedp.Click(chromedp.ID("open-account")), chromedp.WaitVisible(chromedp.ID("login")))
	if got := evaluate[string](b, `document.activeElement.name ?? ""`); got != "email" {
		b.t.Errorf("the focus of the dialog is on %q", got)
	}
	b.fill("login", "email", "anna@shop.example")
	b.click("Send me a code")
	b.run(chromedp.WaitVisible(chromedp.ID("confirm")))
	b.fill("confirm", "code", "nonsense\r")
	b.waitForText("p", "The code is wrong, used or expired")
	b.enterCode(s, "anna@shop.example")
	b.waitForText("li", "№ 1 submitted") // ordered as a guest, with the address that the code has proven
	b.click("Sign out")
	b.run(chromedp.WaitVisible(chromedp.ID("login")))

	if left := evaluate[string](b, `document.getElementById("orders").textContent`); left != "" {
		b.t.Errorf("after the sign-out the page still has the orders: %s", left)
	}
	if customers := s.Get("/v2/customers"); !slices.Equal(customers.Texts("data", "email"),
		[]string{"anna@shop.example"}) {
		b.t.Errorf("the customers are %s", customers.Body)
	}

	b.fill("login", "email", "boris@shop.example")
	b.click("Send me a code")
	b.run(chromedp.WaitVisible(chromedp.ID("confirm")))
	b.enterCode(s, "boris@shop.example")
	b.waitForText("li", "None yet")
	b.click("Sign out")
	b.run(chromedp.WaitVisible(chromedp.ID("login")))
	b.checkConsole(401, 409, 422)
}

// enterCode signs in with the code of the newest letter, which went to the given address.
func (b *browser) enterCode(s *apitest.Server, email string) {
	b.t.Helper()
	letters := s.DoAdmin("GET", "/api/store/mailbox", nil)
	if to := letters.Text("data.0.to"); to != email {
		b.t.Fatalf("the newest letter went to %q, want %q", to, email)
	}

	code := regexp.MustCompile(`\b\d{6}\b`).FindString(letters.Text("data.0.text"))
	b.run(chromedp.SetValue(chromedp.CSS(`#confirm [name="code"]`), code),
		chromedp.Click(chromedp.CSS(`#confirm button[type="submit"]`)))
	b.waitForText("p", "You are signed in as "+email)
}
