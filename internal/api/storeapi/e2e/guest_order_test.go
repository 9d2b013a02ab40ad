package e2e

import (
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

// A guest who signs in with the address of an order finds it in the account. Nobody else does: neither who names the
// address in a profile or in an order of their own, nor who proves the other address of the order.
func TestSignIn_givesOrdersOfTheProvenAddress(t *testing.T) {
	t.Parallel()

	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		_, shirt, _ := createShirt(s, 9)
		order := func(email string, by ...apitest.RequestOption) (guestCart, string) {
			c, created := createGuestCart(s, orderItems(orderLine(shirt, 1)))
			s.OK(200, "POST", c.path+"/submit",
				`{"contact": {"name": "Maria", "email": "`+email+`", "phone": "+49 30 1234567"}}`,
				append(by, apitest.Header("X-Order-Token", c.token))...)
			return c, created.Text("data.id")
		}
		list := func(by apitest.RequestOption) string {
			return strings.Join(s.Get(ordersPath, by).Texts("data", "id"), " ")
		}

		bought, id := order("Maria@example.com", apitest.As(s.Publishable))
		cart, _ := createGuestCart(s, orderItems(orderLine(shirt, 1)))

		stranger := signIn(s, "stranger@example.com")
		by := apitest.As(stranger.Text("data.token"))
		s.OK(200, "PUT", "/v2/me", `{"email": "maria@example.com", "phone": "+49 30 1234567"}`, by)
		_, own := order("maria@example.com", by)
		by = apitest.As(signIn(s, "stranger@example.com").Text("data.token"))
		if got := list(by); got != own {
			t.Errorf("a stranger has the orders %q, want %q", got, own)
		}
		s.WantProblem("404 not_found", "GET", bought.path, nil, by)

		maria := signIn(s, "maria@example.com")
		hers := apitest.As(maria.Text("data.token"))
		if got := list(hers); got != id {
			t.Errorf("Maria has the orders %q, want %q", got, id)
		}
		if r := s.Get(bought.path, hers); r.Text("data.customer_id") != maria.Text("data.customer.id") {
			t.Errorf("her order is %s", r.Body)
		}
		s.WantProblem("404 not_found", "GET", bought.path, nil, by)

		// The tokens of the order and of a cart remain valid.
		bought.ok(200, "GET", "", nil)
		cart.ok(200, "PUT", "", `{"comment": "Soon"}`)
		cart.ok(200, "POST", "/submit", submissionBody)
	})
}
