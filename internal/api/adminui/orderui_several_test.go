package adminui_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/order"
	"vitrine/internal/testkit/apitest"
)

// toastAfter returns the text that the next page shows after a form was posted.
func (v *client) toastAfter(r response, target string) response {
	v.t.Helper()
	r.wantRedirect(target)
	for _, c := range r.Cookies() {
		if strings.HasSuffix(c.Name, "toast") {
			return v.get(target, "Cookie", c.Name+"="+c.Value+"; "+sessionCookie+"="+v.session).wantStatus(200)
		}
	}
	v.t.Fatalf("%s sets no toast", r.requestLine())
	return r
}

// Ticked orders are changed together. Those whose states do not allow it stay as they are and are named.
func TestOrders_severalAreChangedTogether(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		p := s.createShirts("Shirt", "AB-1")
		first, second, third := p.order(1, "Ann", "a@example.com"), p.order(1, "Bob", "b@example.com"),
			p.order(1, "Cid", "c@example.com")
		v.get("/orders").contains(`name="id" value="`+first+`"`, `formaction="/orders/confirm"`, "Picking list")
		const list = "/orders?state=submitted"

		confirm := url.Values{"id": {first, second, first}, "list": {list}}
		v.toastAfter(v.post("/orders/confirm", confirm), list).contains("2 orders are confirmed.").omits(first)
		v.toastAfter(v.post("/orders/confirm", url.Values{"id": {first, third}, "list": {list}}), list).
			contains("1 order is confirmed. 1 order stays as it is: No. 1 (Confirmed).")

		v.get("/orders/complete?id="+first+"&id="+second).wantStatus(200).contains("Complete these orders?", "Ann",
			"The goods are taken off the stock.", "2 orders").omits("These stay as they are", "Cid")
		v.toastAfter(v.post("/orders/complete", url.Values{"id": {first}}), "/orders").
			contains("1 order is completed.")
		v.get("/orders/cancel?id="+first+"&id="+second+"&list=https://evil.example").wantStatus(200).
			contains("These stay as they are", `name="id" value="`+second+`"`, `name="list" value="/orders"`).
			omits(`name="id" value="` + first)
		cancel := url.Values{"id": {second, third}, "list": {"//evil.example"}}
		v.toastAfter(v.post("/orders/cancel", cancel), "/orders").contains("2 orders are cancelled.")

		for orderID, want := range map[string]string{first: "completed", second: "cancelled", third: "cancelled"} {
			if got := p.state(orderID); got != want {
				t.Errorf("an order is %s, want %s", got, want)
			}
		}
		if got := s.auditActions("order", second); len(got) != 2 {
			t.Errorf("the log has %q", got)
		}
	})
}

// The confirmation of several orders is undone with one click. Orders that have changed since stay as they are.
func TestOrders_theConfirmationOfSeveralIsUndone(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		p := s.createShirts("Shirt", "AB-1")
		const list = "/orders?state=submitted"
		form := url.Values{"list": {list}}
		for i := range 5 {
			form.Add("id", p.order(1, fmt.Sprintf("Customer %d", i), "a@example.com"))
		}
		first := form["id"][0]

		toast := v.toastAfter(v.post("/orders/confirm", form), list)
		undo := apitest.FormFields(t, toast.contains("5 orders are confirmed.").text, "/orders/unconfirm")
		s.OK(200, "POST", "/v2/orders/"+first+"/complete", nil, apitest.As(s.store.SecretKey))
		v.toastAfter(v.post("/orders/unconfirm", undo), list).
			contains("4 orders are new again. 1 order stays as it is: No. 1 (Completed).").omits("Undo<")
		for i, want := range map[int]string{0: "completed", 1: "submitted", 4: "submitted"} {
			if got := p.state(form["id"][i]); got != want {
				t.Errorf("order %d is %s, want %s", i+1, got, want)
			}
		}
		if got := strings.Join(s.auditActions("order", form["id"][1]), ", "); got !=
			"order.confirmed owner@north.example, order.unconfirmed owner@north.example" {
			t.Errorf("the log has %s", got)
		}

		v.toastAfter(v.post("/orders/unconfirm", undo), list).contains("5 orders stay as they are").
			omits("new again")
		v.toastAfter(v.post("/orders/unconfirm", url.Values{}), "/orders").contains("Tick the orders first.")
		for _, broken := range []string{"x", "x.1", undo.Get("orders")[:22], undo.Get("orders")[:22] + ".-"} {
			v.post("/orders/unconfirm", url.Values{"orders": {broken}}).wantStatus(400).wantHTML()
		}
		viewer := s.withT(t).signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
		viewer.post("/orders/unconfirm", undo).wantStatus(403)
	})
}

func TestOrders_severalOfNonsenseAreRefused(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		p := s.createShirts("Shirt", "AB-1")
		orderID := p.order(1, "Ann", "a@example.com")
		stranger := id.New[order.Order]().String()
		cart := s.OK(201, "POST", "/v2/orders", `{}`, apitest.As(s.store.SecretKey)).Text("data.id")

		v.post("/orders/confirm", url.Values{"id": {orderID, stranger}}).wantStatus(404).wantHTML()
		v.toastAfter(v.post("/orders/confirm", url.Values{}), "/orders").contains("Tick the orders first.")
		v.get("/orders/print?id=" + stranger).wantStatus(404).wantHTML()
		for _, path := range []string{"/orders/print", "/orders/picking-list", "/orders/confirm", "/orders/cancel",
			"/orders/picking-list?id=" + cart} {
			v.toastAfter(v.get(path), "/orders").contains("Tick the orders first.")
		}

		many := url.Values{"id": {"nonsense"}}
		v.post("/orders/confirm", many).wantStatus(400).wantHTML()
		v.get("/orders/print?" + many.Encode()).wantStatus(400).wantHTML()
		many = url.Values{}
		for range 51 {
			many.Add("id", id.New[order.Order]().String())
		}
		v.post("/orders/confirm", many).wantStatus(422).wantHTML().contains("At most 50 orders")
		v.get("/orders/picking-list?" + many.Encode()).wantStatus(422).wantHTML()

		viewer := s.withT(t).signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
		viewer.get("/orders").wantStatus(200).contains("Packing slips").omits(`formaction="/orders/confirm"`)
		viewer.post("/orders/confirm", url.Values{"id": {orderID}}).wantStatus(403)
		viewer.get("/orders/print?id=" + orderID).wantStatus(200).contains("Ann")
		if got := p.state(orderID); got != "submitted" {
			t.Errorf("the order is %s", got)
		}
	})
}

// A picking list adds up what several orders need, by warehouse, and says for which orders it is. The slips of several
// orders are on one page.
func TestOrders_severalArePickedAndPrinted(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		p := s.createShirts("Shirt", "AB-1")
		first, second := p.order(1, "Ann", "a@example.com"), p.order(3, "Bob", "b@example.com")
		as := apitest.As(s.store.SecretKey)
		untracked := s.OK(201, "POST", "/v2/products", map[string]any{"name": "Voucher", "variants": []any{
			map[string]any{"sku": "V-1", "price": 5}}}, as).Text("data.variants.0.id")
		third := shirts{s, untracked, ""}.order(2, "Cid", "c@example.com")
		query := "?id=" + first + "&id=" + second + "&id=" + third

		page := v.get("/orders/picking-list"+query).wantStatus(200).contains("<strong>4</strong>",
			"No. 1, No. 2 × 3", "<h2>Warehouse</h2>", "<h2>Goods whose stock is not kept</h2>", "No. 3 × 2", "AB-1")
		if strings.Index(page.text, "<h2>Warehouse") > strings.Index(page.text, "<h2>Goods whose") {
			t.Error("goods whose stock is not kept are not the last ones")
		}
		s.OK(200, "POST", "/v2/orders/"+second+"/cancel", nil, as)
		v.get("/orders/picking-list"+query).wantStatus(200).contains("<strong>1</strong>", "nothing to fetch",
			"No. 2</a> (Cancelled)").omits("<strong>3</strong>", "No. 2 ×")
		v.get("/orders/print"+query).wantStatus(200).contains("Ann", "Bob", "Cid", "Order No. 1", "Order No. 3",
			"Ring twice", "58.50")
		v.get("/orders/picking-list"+query, "Accept-Language", "ru").
			contains("Лист подбора", "Товары без учёта остатков")
	})
}

// Who has seen the data of several people by printing is in the log.
func TestOrders_printingSeveralIsInTheLog(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		p := s.createShirts("Shirt", "AB-1")
		first, second := p.order(1, "Ann", "a@example.com"), p.order(3, "Bob", "b@example.com")
		viewer := s.withT(t).signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
		for _, page := range []string{"/orders/print", "/orders/picking-list"} {
			viewer.get(page + "?id=" + first).wantStatus(200)
			viewer.get(page + "?id=" + second + "&id=" + first).wantStatus(200)
			viewer.get(page + "?id=" + id.New[order.Order]().String() + "&id=" + first).wantStatus(404)
		}

		log := s.owner().get("/settings/log").wantStatus(200).contains("Orders printed", "№ 2, 1").text
		if n := strings.Count(log, "№ 2, 1"); n != 2 {
			t.Errorf("the log has %d entries, want 2", n)
		}
	})
}

// In a browser all orders of a page are ticked at once and confirmed with the next click. A click on a row opens it.
func TestBrowser_severalOrders(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	p := s.createShirts("Shirt", "AB-1")
	p.order(1, "Ann", "a@example.com")
	second := p.order(1, "Bob", "b@example.com")
	b := newTab(t, true)
	base := strings.Replace(s.AdminURL, "127.0.0.1", "localhost", 1)
	b.do(chromedp.Navigate(base + "/login"))
	b.signIn(s.store.AdminEmail, s.store.AdminPassword)
	b.do(chromedp.WaitVisible(chromedp.ID("side")), chromedp.Navigate(base+"/orders?state=submitted"))
	b.wantFitsPhone("orders")
	b.do(chromedp.Click(chromedp.CSS("[data-check-all]")), b.press("Confirm"),
		chromedp.WaitVisible(`//*[contains(., "2 orders are confirmed.")]`),
		chromedp.Navigate(base+"/orders?state=all"), chromedp.Click(`//td[contains(., "Bob")]`),
		chromedp.WaitVisible(`//h1[contains(., "Order No. 2")]`))

	if got := evaluate(b, chromedp.Location()); got != base+"/orders/"+second {
		t.Errorf("the browser is at %s", got)
	}
	if messages := b.consoleMessages(); len(messages) > 0 {
		t.Errorf("the console shows %q", messages)
	}
}
