package adminui_test

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
)

// A packing slip says which shop it comes from, with the postal address of the settings.
func TestOrders_packingSlipsHaveTheAddressOfTheShop(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	v := s.owner()
	order := s.createShirts("Shirt", "SH").order(1, "Ann", "ann@example.com")
	v.get("/orders/" + order + "/print").wantStatus(200).
		contains(`<p class="order-sender"><strong>` + s.storedSettings().Name + `</strong></p>`)

	v.post("/settings", v.settingsForm("address", " 1 Harbour Street\r\n20457 Hamburg <b> ")).
		wantRedirect("/settings")
	want := "<p class=\"order-sender\"><strong>North Shop</strong>\n1 Harbour Street\n20457 Hamburg &lt;b&gt;</p>"
	v.get("/orders/" + order + "/print").wantStatus(200).contains(want)
	v.get("/orders/print?id=" + order).wantStatus(200).contains(want)
	v.get("/settings/log").wantStatus(200).contains("Postal address of the shop")

	// A form of a page without the field, such as one that was opened before, leaves the address as it is.
	form := v.settingsForm("name", "North")
	form.Del("address")
	v.post("/settings", form).wantRedirect("/settings")
	v.get("/settings").wantStatus(200).contains("20457 Hamburg &lt;b&gt;</textarea>")
	v.post("/settings", v.settingsForm("address", strings.Repeat("x", 501))).wantStatus(422).
		contains("This has 501 characters; at most 500 are allowed.")

	settings := s.DoAdmin("GET", "/api/store/settings", nil, apitest.As(s.store.SecretKey))
	if got := settings.Text("data.address"); got != "1 Harbour Street\n20457 Hamburg <b>" {
		t.Errorf("the settings have the address %q", got)
	}
}

// A page that was opened to be printed opens the print dialog by itself, once.
func TestBrowser_printPageOpensTheDialog(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	order := s.createShirts("Shirt", "SH").order(1, "Ann", "ann@example.com")
	b := newTab(t, true)
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
			Source: `window.print = () => {
				const page = document.documentElement.dataset
				page.printed = (page.printed || "") + "x"
			}`,
		})
		return err
	}))
	base := strings.Replace(s.AdminURL, "127.0.0.1", "localhost", 1)
	b.do(chromedp.Navigate(base + "/orders/" + order))
	b.signIn(s.store.AdminEmail, s.store.AdminPassword)
	b.do(chromedp.WaitVisible(chromedp.CSS(`a[href$="/print"]`)))
	printed := chromedp.Evaluate[string](`document.documentElement.dataset.printed || ""`)
	if got := evaluate(b, printed); got != "" {
		t.Errorf("the page of the order prints by itself")
	}

	b.do(chromedp.Navigate(base+"/orders/"+order+"/print"), chromedp.WaitVisible(chromedp.CSS("[data-printed]")))
	if got := evaluate(b, printed); got != "x" {
		t.Errorf("the dialog opens %d times, want once", len(got))
	}

	b.do(chromedp.Reload(), chromedp.WaitVisible(chromedp.CSS("[data-print]")))
	if got := evaluate(b, printed); got != "" {
		t.Error("the dialog opens again when the page is loaded again")
	}
}

// On a phone, signing out is at the end of the menu, and not in the header.
func TestBrowser_phoneSignsOutInTheMenu(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	b := newTab(t, true)
	b.do(chromedp.Navigate(strings.Replace(s.AdminURL, "127.0.0.1", "localhost", 1) + "/login"))
	b.signIn(s.store.AdminEmail, s.store.AdminPassword)
	b.do(chromedp.WaitVisible(chromedp.ID("side")), chromedp.EmulateViewport(390, 844),
		chromedp.WaitNotVisible(chromedp.CSS(".who form")), chromedp.Click(chromedp.CSS(".menu > summary")),
		chromedp.Click(chromedp.CSS(".sign-out button"), chromedp.NodeVisible),
		chromedp.WaitVisible(chromedp.ID("email")))
}
