package adminui_test

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"vitrine/internal/shop/mailing"
)

// The page of the messages switches the mails of the store on and off.
func TestMails_areSwitched(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		page := v.get("/settings/messages").wantStatus(200).wantHTML().
			contains("Mails about orders and inquiries", "The order is received", "A new inquiry").omits(" checked")
		version := page.between(`name="version" value="`, `"`)
		v.get("/settings/messages", "Accept-Language", "ru").contains("Письма о заказах и обращениях")

		form := url.Values{"version": {version}, "kinds": {"order_received", "new_order"},
			"recipients": {"orders@shop.example\r\nanna"}, "order_page": {"https://shop.example/orders"}}
		v.post("/settings/messages/mails", form).wantStatus(422).wantHTML().
			contains("“anna” is no e-mail address", "with {number} or {id} in it", "orders@shop.example\nanna")
		form.Set("recipients", "orders@shop.example")
		form.Set("order_page", "https://shop.example/orders/{number}")
		v.post("/settings/messages/mails", form).wantRedirect("/settings/messages")
		v.get("/settings/messages").contains(`value="order_received" checked`, `value="new_order" checked`,
			"orders@shop.example</textarea>", "https://shop.example/orders/{number}").
			omits(`value="order_confirmed" checked`)
		v.post("/settings/messages/mails", form).wantStatus(422).contains("Somebody else changed the settings")
		v.get("/settings/log").contains("Mail: addresses of the shop", "orders@shop.example")
	})
}

// The link in a mail to the shop opens a page that asks, since programs look at links, and ends the mails by its button
// or by the one click of a mail program, without signing in. An owner switches them on again.
func TestMails_areUnsubscribedByTheirLink(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		version := v.get("/settings/messages").between(`name="version" value="`, `"`)
		form := url.Values{"version": {version}, "kinds": {"new_order", "new_inquiry"}}
		v.post("/settings/messages/mails", form).wantRedirect("/settings/messages")
		mails := mailing.New(mailing.Deps{Vault: s.App.Vault})
		token, err := mails.Token(mailing.Link{StoreID: s.store.StoreID, Kind: mailing.NewOrder,
			To: "ann@shop.example"})
		if err != nil {
			t.Fatal(err)
		}

		stranger := &client{fixture: s}
		path := mailing.UnsubscribePath + token
		stranger.get(path).wantStatus(200).wantHTML().contains("Stop these mails: A new order", "ann@shop.example")
		stranger.get(path, "Accept-Language", "ru").contains("Больше не присылать")
		stranger.get(mailing.UnsubscribePath + "x").wantStatus(404)
		v.get("/settings/messages").omits("Unsubscribed by the link")

		for range 2 {
			stranger.post(path, url.Values{"List-Unsubscribe": {"One-Click"}}).wantStatus(200).
				contains("Mails of this kind are not sent to this address: A new order").omits("Stop these mails")
		}
		page := v.get("/settings/messages").contains("Unsubscribed by the link", "ann@shop.example: A new order")
		v.get("/settings/log").contains("Mail: unsubscribed", "ann@shop.example new_order")

		form = page.form("/settings/messages/mails")
		v.post("/settings/messages/mails", form).wantRedirect("/settings/messages")
		form = v.get("/settings/messages").contains("Unsubscribed by the link").form("/settings/messages/mails")
		form.Del("unsubscribed")
		v.post("/settings/messages/mails", form).wantRedirect("/settings/messages")
		v.get("/settings/messages").omits("Unsubscribed by the link")
		stranger.get(path).wantStatus(200).contains("Stop these mails")
	})
}

// The texts of a mail can be changed, seen with an order, and sent to oneself.
func TestMails_haveTextsOfTheirOwn(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		path := "/settings/messages/order_received"
		page := v.get(path).wantStatus(200).wantHTML().
			contains("{{order_page}}", "Your order {{number}}: {{shop}}", "Your order 1042: ", "Lamp").
			omits("Restore the standard text")
		form := url.Values{"version": {page.between(`name="version" value="`, `"`)}, "subject": {"Order {{nummer}}"},
			"text": {"Dear <b>{{name}}</b>"}, "do": {"preview"}}
		v.get("/settings/messages/unknown").wantStatus(404)

		v.post(path, form).wantStatus(422).contains("There is no placeholder {{nummer}}. Did you mean {{number}}?")
		form.Set("subject", "Order {{number}}")
		v.post(path, form).wantStatus(200).contains("Order 1042", "Dear &lt;b&gt;Anna&lt;/b&gt;")
		v.get(path).omits("Dear")
		v.post(path+"/test", form).wantStatus(200).contains("in the mailbox")
		v.get("/mailbox").contains("Order 1042", "Dear &lt;b&gt;Anna&lt;/b&gt;", s.store.AdminEmail)

		form.Set("do", "save")
		v.post(path, form).wantRedirect(path)
		v.get(path).contains("Dear &lt;b&gt;{{name}}&lt;/b&gt;", "Restore the standard text")
		v.post(path, form).wantStatus(422).contains("Somebody else changed the settings")
		v.get("/settings/log").contains("Subject of the mail", "Order {{number}}")
	})
}

// The preview shows the mail as the customer sees it, in a document without scripts, in which hostile texts are texts.
func TestBrowser_showsAMailAsThePictureOfIt(t *testing.T) {
	t.Parallel()
	s := newFilledShop(t, 40, hostile)
	page := s.owner().get("/settings/messages/order_received").wantStatus(200)
	if policy := page.Header.Get("Content-Security-Policy"); strings.Contains(policy, "'unsafe-inline'") ||
		!strings.Contains(policy, "style-src 'self' 'unsafe-hashes' 'sha256-") ||
		!strings.Contains(policy, "script-src 'self';") {
		t.Errorf("the policy is %s", policy)
	}
	page.contains(`<iframe class="mail-preview" sandbox srcdoc="&lt;!DOCTYPE html&gt;`)

	b := newTab(t, true)
	base := strings.Replace(s.AdminURL, "127.0.0.1", "localhost", 1)
	b.do(chromedp.Navigate(base + "/login"))
	b.signIn(s.store.AdminEmail, s.store.AdminPassword)
	b.do(chromedp.WaitVisible(chromedp.ID("side")), chromedp.Navigate(base+"/settings/messages/order_received"),
		chromedp.WaitVisible(chromedp.CSS("iframe.mail-preview")))
	b.wantFitsPhone("the page with a preview")
	b.do(chromedp.EmulateViewport(1280, 900))
	for _, theme := range []string{"light", "dark"} {
		b.setTheme(theme)
		if got := b.cornerOfPreview(); got != (color.RGBA{244, 244, 245, 255}) {
			t.Errorf("in the %s theme the mail has the background %v", theme, got)
		}
	}
	if messages := b.consoleMessages(); len(messages) > 0 {
		t.Errorf("the console shows %q", messages)
	}
}

// cornerOfPreview returns the colour of the mail beside its upper left corner.
func (b *browser) cornerOfPreview() color.RGBA {
	b.t.Helper()
	at := evaluate(b, chromedp.Evaluate[string](`(() => {
		const frame = document.querySelector("iframe.mail-preview")
		frame.scrollIntoView()
		const box = frame.getBoundingClientRect()
		return Math.round(box.x + 6) + " " + Math.round(box.y + 6)
	})()`))

	var x, y int
	if _, err := fmt.Sscan(at, &x, &y); err != nil {
		b.t.Fatal(err)
	}

	picture, err := png.Decode(bytes.NewReader(b.screenshot()))
	if err != nil {
		b.t.Fatal(err)
	}

	c, _ := color.RGBAModel.Convert(picture.At(x, y)).(color.RGBA)
	return c
}
