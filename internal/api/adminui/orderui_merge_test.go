package adminui_test

import (
	"context"
	"net/url"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
)

// The page of a customer names others with the same address, and joins two customers after it has shown both.
func TestCustomers_areJoined(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		anna, other := s.createCustomer("anna@mail.example", "Anna"), s.createCustomer("ann@work.example", "Ann Field")
		s.Write(func(ctx context.Context, q database.Querier) error {
			return database.Exec(ctx, q, "UPDATE customers SET phone = '+491234567' WHERE store_id = $1",
				s.store.StoreID)
		})
		p := s.createShirts("Shirt", "AB-12")
		orderID := p.order(2, "Ann", "ann@work.example")
		s.assignOrders()

		page := "/customers/" + anna
		v.get(page).contains("Possible duplicates", "Ann Field", page+"/merge?with="+other)
		v.get(page+"/merge").wantStatus(200).contains("With the same address", "Ann Field")
		v.get(page + "/merge?q=field").wantStatus(200).contains("with=" + other).omits("with=" + anna)
		v.get(page+"/merge", "Accept-Language", "ru").contains("Объединить покупателей")
		shown := v.get(page+"/merge?with="+other).wantStatus(200).wantHTML().
			contains("Two customers become one", "ann@work.example is signed out everywhere", "$39",
				"This cannot be undone.")

		form := shown.form(page + "/merge")
		v.post(page+"/merge", url.Values{"with": {"x"}}).wantStatus(422).contains("Choose another customer.")
		stale := url.Values{"with": {other}, "kept": form["kept"], "merged": {"99"}}
		v.post(page+"/merge", stale).wantStatus(409).contains("somebody else has changed one of the customers")
		viewer := s.withT(t).signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
		viewer.get(page + "/merge").wantStatus(403)
		viewer.post(page+"/merge", form).wantStatus(403)

		v.post(page+"/merge", form).wantRedirect(page)
		v.get(page).contains("$39", "/orders/"+orderID, "ann@work.example", "Other orders of this person").
			omits("Possible duplicates", "The customer sees these orders")
		v.get("/orders/" + orderID).contains("/customers/" + anna)
		v.get("/customers/" + other).wantStatus(404)
		v.get("/settings/log").contains("Customers joined", "Ann Field")
	})
}
