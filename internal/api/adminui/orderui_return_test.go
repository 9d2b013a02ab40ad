package adminui_test

import (
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

// orderForm returns the fields of a form of an order's page.
func (v *client) orderForm(id, action string) url.Values {
	v.t.Helper()
	return v.formOf("/orders/"+id, action)
}

// formOf returns the fields of the form of a page that sends an action.
func (v *client) formOf(path, action string) url.Values {
	v.t.Helper()
	return apitest.FormFields(v.t, v.get(path).wantStatus(200).text, path+"/"+action)
}

// One click confirms an order, and the message offers to undo that, as long as nothing else has happened to the order.
func TestOrder_isConfirmedAtOnceAndUndone(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		p := s.createShirts("Shirt", "AB-12")
		id := p.order(2, "Anna", "anna@example.com")
		page := "/orders/" + id

		toast := v.toastAfter(v.post(page+"/confirm", v.orderForm(id, "confirm")), page).wantHTML().
			contains("The order is confirmed.", "Undo")
		undo := apitest.FormFields(t, toast.text, page+"/unconfirm")
		v.toastAfter(v.post(page+"/unconfirm", undo), page).wantHTML().
			contains("The order is new again.", "The confirmation was undone", ">Confirm</button>").omits("Undo<")
		if got := p.state(id); got != "submitted" {
			t.Errorf("the order is %s", got)
		}
		if got := strings.Join(s.auditActions("order", id), ", "); got !=
			"order.confirmed owner@north.example, order.unconfirmed owner@north.example" {
			t.Errorf("the log has %s", got)
		}
		v.post(page+"/unconfirm", undo).wantStatus(409).wantHTML().contains("it was “Confirmed” and is now “New”")

		toast = v.toastAfter(v.post(page+"/confirm", v.orderForm(id, "confirm")), page)
		undo = apitest.FormFields(t, toast.text, page+"/unconfirm")
		s.OK(200, "POST", "/v2/orders/"+id+"/complete", nil, apitest.As(s.store.SecretKey))
		v.post(page+"/unconfirm", undo).wantStatus(409).wantHTML().contains("Completed")
		if got := p.state(id); got != "completed" {
			t.Errorf("the order is %s", got)
		}
		for _, broken := range []url.Values{{}, {"version": {"x"}}} {
			v.post(page+"/unconfirm", broken).wantStatus(400).wantHTML()
			v.post(page+"/reopen", broken).wantStatus(400).wantHTML()
		}
	})
}

// A cancelled or completed order is reopened, and the page says which goods are missing for it.
func TestOrder_isReopened(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		p := s.createShirts("Shirt", "AB-12")
		id := p.order(4, "Anna", "anna@example.com")
		page := "/orders/" + id
		as := apitest.As(s.store.SecretKey)
		s.OK(200, "POST", "/v2/orders/"+id+"/cancel", nil, as)

		other := p.order(2, "Boris", "boris@example.com")
		v.post(page+"/reopen", v.orderForm(id, "reopen")).wantStatus(409).wantHTML().
			contains("the order was not reopened.", "Only 3 left of “Shirt”.", "Cancelled")
		v.post(page+"/reopen", v.orderForm(id, "reopen"), "Accept-Language", "ru").wantStatus(409).
			contains("поэтому заказ не открыт снова", "Осталось только 3: «Shirt».")
		s.OK(200, "POST", "/v2/orders/"+other+"/cancel", nil, as)

		v.toastAfter(v.post(page+"/reopen", v.orderForm(id, "reopen")), page).wantHTML().
			contains("The order is open again.", "Reopened", "Cancelled", page+"/complete")
		s.OK(200, "POST", "/v2/orders/"+id+"/complete", nil, as)
		v.post(page+"/reopen", v.orderForm(id, "reopen")).wantRedirect(page)
		if got := p.state(id); got != "confirmed" {
			t.Errorf("the order is %s", got)
		}
	})
}

// The page of an order leads to the next new one, and from the last to the first.
func TestOrder_leadsToTheNextNewOne(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		p := s.createShirts("Shirt", "AB-12")
		first := p.order(1, "Anna", "anna@example.com")
		v.get("/orders/" + first).wantStatus(200).omits("Next new order")
		second := p.order(1, "Boris", "boris@example.com")
		v.get("/orders/"+first).wantStatus(200).wantHTML().contains("Next new order", `href="/orders/`+second+`"`)
		v.get("/orders/" + second).wantStatus(200).contains(`href="/orders/` + first + `"`)
	})
}
