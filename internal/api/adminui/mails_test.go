package adminui_test

import (
	"net/url"
	"testing"
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
