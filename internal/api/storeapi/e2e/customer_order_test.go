package e2e

import (
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/config"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

// The server deletes drafts that were not edited during the configured retention. It keeps submitted orders and drafts
// that are still edited.
func TestDraftOrders_expireWhenUnused(t *testing.T) {
	t.Parallel()

	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		_, small, _ := createShirt(s, 3)
		bought, _ := createGuestCart(s, orderItems(orderLine(small, 1)))
		bought.ok(200, "POST", "/submit", submissionBody)
		left, _ := createGuestCart(s, orderItems(orderLine(small, 1)))
		filled, _ := createGuestCart(s, `{}`)
		s.Clock.Advance(31 * 24 * time.Hour)
		filled.ok(201, "POST", "/items", orderLine(small, 1))
		s.StartNode(apitest.WithConfig(func(c *config.Serve) { c.DraftRetention = 30 * 24 * time.Hour }))
		storetest.Eventually(t, "the unused draft is deleted", func() bool {
			return s.Do("GET", left.path, nil, left.headers()...).Status == 404
		})
		left.refuse("404 not_found", "POST", "/submit", submissionBody)
		bought.ok(200, "GET", "", nil)
		filled.ok(200, "POST", "/submit", submissionBody)
	}, apitest.Alone())
}

// With a customer token, but no order token, a customer has access only to their own orders.
func testOrdersOfCustomers(t *testing.T, s *apitest.Server) {
	_, small, large := createShirt(s, 5)
	first := signIn(s, "first@example.com")
	second := signIn(s,
		"second@example.com")
	foreign := signIn(s.WithKeys(s.Other), "first@example.com")
	hers := apitest.As(first.Text("data.token"))
	his := apitest.As(second.Text("data.token"))
	list := func(query string, by apitest.RequestOption) string {
		return strings.Join(s.Get(ordersPath+query, by).Texts("data", "id"), " ")
	}

	r := s.OK(201, "POST", ordersPath, orderItems(orderLine(small, 1)), hers)
	id := r.Text("data.id")
	path := ordersPath + "/" + id
	if r.Text("data.customer_id") != first.Text("data.customer.id") {
		t.Errorf("the cart is %s", r.Body)
	}

	item := s.OK(201, "POST", path+"/items", orderLine(large, 1), hers).Text("data.items.1.id")
	s.OK(200, "PUT", path+"/items/"+item, `{"quantity": 2}`, hers)
	s.OK(200, "PUT", path, `{"comment": "Soon"}`, hers)

	refused := func() {
		t.Helper()
		for name, by := range map[string]apitest.RequestOption{
			"another customer": his, "a visitor": apitest.As(s.Publishable),
			"a customer of another store": apitest.As(foreign.Text("data.token")),
		} {
			for _, request := range []struct {
				method, path string
				body         any
			}{
				{"GET", "", nil}, {"PUT", "", `{}`}, {"POST", "/items", orderLine(small, 1)},
				{"PUT", "/items/" + item, `{"quantity": 1}`}, {"DELETE", "/items/" + item, nil},
				{"POST", "/submit", submissionBody},
			} {
				if got := s.Do(request.method, path+request.path, request.body, by).Problem(); got != "404 not_found" {
					t.Errorf("%s: %s %s: %s", name, request.method, request.path, got)
				}
			}
		}
	}

	refused()
	r = s.OK(200, "POST", path+"/submit", submissionBody, hers)
	if itemSummary(r) != "S-1 1 10, L-1 2 20 = 30" || r.Text("data.comment") != "Soon" ||
		r.Text("data.state") != "submitted" {
		t.Errorf("the submitted order is %s", r.Body)
	}

	refused()
	for _, step := range []string{"/confirm", "/complete", "/cancel"} {
		s.WantProblem("403 forbidden", "POST", path+step, nil, hers)
	}

	// A customer who signs in at the checkout submits the cart that they filled as a guest.
	c, made := createGuestCart(s, orderItems(orderLine(small, 1)))
	bought := made.Text("data.id")
	s.WantProblem("404 not_found", "POST", c.path+"/submit", submissionBody, his)
	if r := s.OK(200, "POST", c.path+"/submit", submissionBody, his,
		apitest.Header("X-Order-Token", c.token)); r.Text("data.customer_id") != second.Text("data.customer.id") {
		t.Errorf("the cart of the guest was submitted as %s", r.Body)
	}

	s.Get(c.path, his)
	s.WantProblem("404 not_found", "GET", c.path, nil, hers)

	draft := s.OK(201, "POST", ordersPath, `{}`, hers).Text("data.id")
	for _, c := range []struct {
		query string
		by    apitest.RequestOption
		want  string
	}{
		{"", hers, draft + " " + id}, {"", his, bought}, {"", apitest.As(foreign.Text("data.token")), ""},
		{"?state=submitted", hers, id}, {"?q=Anna", his, bought}, {"?state=draft", his, ""},
	} {
		if got := list(c.query, c.by); got != c.want {
			t.Errorf("%q lists %q, want %q", c.query, got, c.want)
		}
	}

	s.OK(204, "DELETE", "/v2/auth/session", nil, hers)

	for _, request := range []struct{ method, path string }{{"GET", ordersPath}, {"GET", path}, {"GET", "/v2/me"},
		{"GET", "/v2/store"}, {"PUT", ordersPath + "/" + draft}} {
		s.WantProblem("401 invalid_credential", request.method, request.path, nil, hers)
	}

	if again := apitest.As(signIn(s, "first@example.com").Text("data.token")); list("", again) != draft+" "+id {
		t.Errorf("after signing in again the customer sees %q", list("", again))
	}
}
