package adminui_test

import (
	"context"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/catalog/firstslug"
	"vitrine/internal/shop/protection"
	"vitrine/internal/testkit/apitest"
)

// placeOrder makes a cart and submits it, as a visitor of the site does. It returns the path of the order.
func (s *fixture) placeOrder(variantID string, quantity int) string {
	s.t.Helper()
	items := map[string]any{"items": []any{map[string]any{"variant_id": variantID, "quantity": quantity}}}
	r := s.OK(201, "POST", "/v2/orders", items, apitest.As(s.store.PublishableKey))
	path := "/v2/orders/" + r.Text("data.id")
	s.OK(200, "POST", path+"/submit",
		map[string]any{"contact": map[string]any{"name": "Anna", "phone": "+49 30 1234567"}},
		apitest.As(s.store.PublishableKey), apitest.Header("X-Order-Token", r.Text("data.order_token")))
	return path
}

// newLamp pushes a product that costs 12.50, of which there are some pieces, and returns the id of its variant.
func (s *fixture) newLamp(pieces string) string {
	s.t.Helper()
	s.pushText("products", `{"payload":[{"id":1,"name":"Lamp","single_variant":true,"variant_price":12.50,`+
		`"variant_remainders":[{"stock_id":"main","quantity":`+pieces+`}]}]}`)
	r := s.OK(200, "GET", "/v2/products?with=variants", nil, apitest.As(s.store.SecretKey))
	return r.Text("data.0.variants.0.id")
}

// The first step of a new shop asks for its settings and for an address of the owner that mail reaches.
func TestHome_asksForTheShopAndTheOwner(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	s.store = s.Provision("")
	if !account.IsMadeUp(s.store.AdminEmail) {
		t.Fatalf("the owner has the address %s", s.store.AdminEmail)
	}

	v := s.owner()
	v.get("/").wantStatus(200).contains("Look at the settings").omits("data-done")
	v.post("/settings", url.Values{"name": {"North"}, "timezone": {"UTC"}, "locale": {"en"}, "currency": {"EUR"},
		"version": {"1"}}).wantStatus(303)
	v.get("/").wantStatus(200).contains("Give your address", `href="/account#email"`).omits("data-done")

	s.store.AdminEmail = "olga@north.example"
	s.Write(func(ctx context.Context, q database.Querier) error {
		return database.Exec(ctx, q, `UPDATE accounts SET email = $1 WHERE email LIKE '%@vitrine.localhost'`,
			s.store.AdminEmail)
	})
	s.owner().get("/").wantStatus(200).contains("1 of 7 steps are done", "data-done").omits("Give your address")
}

// A new shop sees a checklist, whose steps are checked off by what is there. After the first order it sees figures.
func TestHome_showsChecklistAndThenFigures(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		v.get("/").wantStatus(200).wantHTML().contains("Connect accounting", "0 of 7 steps are done",
			"Your shop and you", `href="/settings"`, "Keep bots away").
			omits("data-done")
		lamp := s.newLamp("3")
		s.registerReceiver(s.startReceiver(204).URL)

		settings := map[string]any{"cors_origins": []string{"https://shop.example"}}
		if r := s.DoAdmin("PUT", "/api/store/settings", settings, apitest.As(s.store.SecretKey)); r.Status != 200 {
			t.Fatalf("allow the site: %s", r.Body)
		}

		v.get("/").wantStatus(200).contains("4 of 7 steps are done", "data-done")
		v.get("/?figures").wantStatus(200).contains("Orders per day", "Show the numbers").omits("steps are done")

		s.placeOrder(lamp, 1)
		cancelled := s.placeOrder(lamp, 1)
		s.OK(200, "POST", cancelled+"/cancel", nil, apitest.As(s.store.SecretKey))
		s.placeOrder(lamp, 2)
		s.pushText("prices", `{"payload":[{"variant_id":"nothing","price":1}]}`)

		home := v.get("/").wantStatus(200).wantHTML().
			contains(`id="orders">2<`, "and 1 cancelled", "37.50", "18.75", `id="sold-out">1<`, `id="failed-pushes">1<`,
				`data-value="37.5"`, `href="/orders"`, "New orders<", "Best sellers", "Lamp",
				"Exchanges with errors", `href="/stock?state=out"`, "/exchange?show=failed&amp;from=",
				"/orders?state=draft&amp;from=", "Variants sold out")
		if n := strings.Count(home.between("Orders per day", "</table>"), "<tr>"); n != 31 {
			t.Errorf("the table of 30 days has %d rows", n)
		}

		settings = map[string]any{"recaptcha": map[string]any{"active": true, "public_key": "site",
			"secret_key": "secret",
			"site_url":   "https://shop.example", "actions": []any{map[string]any{"id": protection.FeedbackRequest}}}}
		if r := s.DoAdmin("PUT", "/api/store/settings", settings, apitest.As(s.store.SecretKey)); r.Status != 200 {
			t.Fatalf("protect the feedback: %s", r.Body)
		}

		for range 2 {
			r := s.Do("POST", "/v2/feedback", map[string]any{"name": "Bot", "message": "Buy!"},
				apitest.As(s.store.PublishableKey))
			if r.Status != 401 {
				t.Errorf("a bot got %d", r.Status)
			}
		}

		v.eventuallyShows("/settings/captcha", `id="refused-per-day"`).wantHTML().
			contains("Refused by the captcha per day", `data-value="2"`)
		v.get("/?days=7").wantStatus(200).omits("captcha per day")
		v.eventuallyShows("/?days=7", "of 3 carts").
			contains(`id="conversion">100 %`, `href="/?figures&amp;days=7" aria-current`)
		today := s.Clock.Now().Format("2006-01-02")
		v.get("/exchange?show=failed&from=" + today + "&to=" + today).wantStatus(200).contains(`href="/exchange/`)
		v.get("/exchange?show=failed&from=x").wantStatus(400)
		yesterday := s.Clock.Now().Add(-48 * time.Hour).Format("2006-01-02")
		v.get("/?from="+yesterday+"&to="+yesterday).wantStatus(200).contains(`id="orders">0<`, `id="conversion">–<`)
		v.get("/exchange?show=failed&to=" + yesterday).wantStatus(200).contains("Up to " + yesterday).omits("Push of")

		// An order in another currency is no revenue, and not in the average.
		if r := s.DoAdmin("PUT", "/api/store/settings", map[string]any{"currency": "CHF"},
			apitest.As(s.store.SecretKey)); r.Status != 200 {
			t.Fatalf("change the currency: %s", r.Body)
		}

		v.get("/").contains(`id="orders">2<`, "without 2 orders in other currencies").omits("an order<")
		v.get("/?days=8").wantStatus(400).wantHTML()

		for bad, message := range map[string]string{"from=2026-01-01": "Write a day",
			"from=x&to=2026-01-01":          "Write a day",
			"from=2026-01-02&to=2026-01-01": "before the first one",
			"from=2020-01-01&to=2026-01-01": "at most a year"} {
			v.get("/?figures&"+bad).wantStatus(422).wantHTML().contains(message, "-wrong", `id="orders"`)
		}

		v.get("/?figures&from=2026-01-02&to=2026-01-01").contains(`value="2026-01-02"`, `id="to-wrong"`)
		other := s.Provision("owner@south.example")
		s.signIn(other.AdminEmail, other.AdminPassword).get("/").wantStatus(200).contains("0 of 7 steps are done",
			"Your shop and you", `href="/settings"`)
	})
}

// The home page lists what waits, each with its number and a link, and says so if nothing does.
func TestHome_listsWhatWaits(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		lamp := s.newLamp("1")
		inquiryID := s.sendFeedback("Anna", "Hello")
		v.get("/").wantStatus(200).wantHTML().contains("steps are done", "New inquiries</span><strong>1<").
			omits("Nothing waits")
		orderPath := s.placeOrder(lamp, 1)
		waiting := v.get("/").wantStatus(200).wantHTML().between(`id="waiting"`, "</section>")
		for _, want := range []string{`href="/orders"`, "New orders</span><strong>1<", `href="/inquiries"`,
			"New inquiries</span><strong>1<"} {
			if !strings.Contains(waiting, want) {
				t.Errorf("what waits has no %s: %s", want, waiting)
			}
		}
		v.eventuallyShows("/", "Sold out, but ordered in the last 90 days</span><strong>1<")
		v.get("/").contains(`href="/stock?state=wanted"`)
		v.get("/stock?state=wanted").wantStatus(200).wantHTML().
			contains("Lamp", `aria-current="page">Ran out, but ordered`)

		s.pushText("prices", `{"payload":[{"variant_id":"nothing","price":1}]}`)
		v.get("/").contains("The last exchange with accounting failed", `href="/exchange/`)
		s.pushText("products", `{"payload":[{"id":1,"name":"Lamp","single_variant":true,"variant_price":12.50,`+
			`"variant_remainders":[{"stock_id":"main","quantity":9}]}]}`)
		s.OK(200, "POST", orderPath+"/confirm", nil, apitest.As(s.store.SecretKey))
		v.post("/inquiries/"+inquiryID+"/take", v.formOf("/inquiries/"+inquiryID, "take"))
		v.get("/").wantStatus(200).wantHTML().contains("Nothing waits for you.").
			omits("New orders", "accounting failed")
		v.get("/", "Accept-Language", "ru").wantStatus(200).contains("Ничего не ждёт.")
	})
}

// The figures are compared with those of as many days before.
func TestHome_comparesWithThePeriodBefore(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite, apitest.Alone())
	lamp := s.newLamp("9")
	s.placeOrder(lamp, 1)
	s.placeOrder(lamp, 1)
	v := s.owner()
	v.get("/?days=7").wantStatus(200).contains(`id="orders">2<`).omits("in the period before")
	s.Clock.Advance(8 * 24 * time.Hour)
	s.placeOrder(lamp, 3)
	s.owner().get("/?days=7").wantStatus(200).wantHTML().contains(`id="orders">1<`, "−50 %, 2 in the period before",
		"&#43;50 %, $25")
}

// While products and categories of an older program have no addresses, the home page says how many have got one.
func TestHome_showsProgressOfAddresses(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		lamp := s.newLamp("3")
		s.OK(201, "POST", "/v2/categories", `{"name":"Light"}`, apitest.As(s.store.SecretKey))
		v.get("/").wantStatus(200).omits(`id="slugs"`)

		// The worker of the server looks for such products every 10 seconds, so it may be faster than the request.
		getBefore := func(path string) (page response) {
			for range 5 {
				s.Write(func(ctx context.Context, q database.Querier) error {
					_, err := q.Exec(ctx, `DELETE FROM product_slugs WHERE store_id = $1`, s.store.StoreID)
					if err != nil {
						return err
					}
					_, err = q.Exec(ctx, `UPDATE products SET slug = NULL WHERE store_id = $1`, s.store.StoreID)
					return err
				})
				if page = v.get(path).wantStatus(200); strings.Contains(page.text, `id="slugs"`) {
					break
				}
			}
			return page
		}
		getBefore("/").wantHTML().contains("made 1 of 2 addresses", `value="50"`)
		other := s.Provision("owner@south.example")
		s.signIn(other.AdminEmail, other.AdminPassword).get("/").wantStatus(200).omits(`id="slugs"`)
		s.placeOrder(lamp, 1)
		getBefore("/").wantHTML().contains("made 1 of 2 addresses", "Orders per day")

		worker := firstslug.New(s.App.DB, s.App.Catalog, slog.New(slog.DiscardHandler))
		if err := worker.Complete(t.Context()); err != nil {
			t.Fatal(err)
		}
		v.get("/").wantStatus(200).omits(`id="slugs"`)
	})
}

// In a real Chromium the page of a new shop leads to each step, and that of a shop with orders draws charts.
func TestBrowser_home(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	b := newTab(t, true)
	base := strings.Replace(s.AdminURL, "127.0.0.1", "localhost", 1)
	b.do(chromedp.Navigate(base+"/"), chromedp.WaitVisible(chromedp.ID("email")))
	b.signIn(s.store.AdminEmail, s.store.AdminPassword)
	b.do(chromedp.WaitVisible(chromedp.CSS(".home-steps")))
	b.wantFitsPhone("the checklist")
	b.do(b.follow("Connect"), chromedp.WaitVisible(chromedp.ID("new-token")))
	s.placeOrder(s.newLamp("3"), 2)
	b.do(b.follow("Home"), chromedp.WaitVisible(chromedp.CSS(".chart canvas")))
	b.wantFitsPhone("the figures")

	if got := evaluate(b, chromedp.Text(chromedp.ID("orders"))); got != "1" {
		t.Errorf("the page shows %s orders, want 1", got)
	}

	b.do(b.follow("7 days"), chromedp.WaitVisible(chromedp.CSS(".chart canvas")))
	if messages := b.consoleMessages(); len(messages) > 0 {
		t.Errorf("the console shows %q", messages)
	}
}
