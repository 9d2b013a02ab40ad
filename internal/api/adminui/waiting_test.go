package adminui_test

import (
	"net/url"
	"testing"

	"vitrine/internal/testkit/apitest"
)

// Every page says beside Orders and Inquiries how many new ones wait, also for screen readers, and not more than 99.
func TestNavigation_countsNewOrdersAndInquiries(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		v.get("/products").wantStatus(200).omits(`class="waiting"`)

		p := s.createShirts("Shirt", "AB-12")
		first := p.order(1, "Anna", "anna@example.com")
		p.order(1, "Boris", "boris@example.com")
		as := apitest.As(s.store.PublishableKey)
		s.OK(201, "POST", "/v2/interactions/callback", `{"phone":"+493012345099"}`, as)
		s.OK(201, "POST", "/v2/feedback", `{"name":"Cid","message":"Hello"}`, as)
		s.OK(201, "POST", "/v2/feedback", `{"name":"Dan","message":"Hello"}`, as)
		v.get("/products").wantStatus(200).wantHTML().contains(
			`<span class="waiting" aria-hidden="true">2</span><span class="sr-only">2 new orders</span>`,
			`<span class="waiting" aria-hidden="true">3</span><span class="sr-only">3 new inquiries</span>`)

		v.post("/orders/confirm", url.Values{"id": {first}})
		v.get("/orders", "Accept-Language", "ru").wantStatus(200).contains("1 новый заказ", "3 новых обращения")

		other := s.Provision("owner@south.example")
		s.signIn(other.AdminEmail, other.AdminPassword).get("/products").wantStatus(200).omits(`class="waiting"`)
	})
}

func TestNavigation_countsUpTo99(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		s.insertOrders(120)
		s.owner().get("/settings").wantStatus(200).contains(`>99&#43;</span>`, "more than 99 new orders")
	})
}
