package e2e

import (
	"fmt"
	"strconv"
	"testing"

	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
)

// keyShop is a store with a product, and two price lists of two groups.
type keyShop struct {
	*apitest.Server
	t       *testing.T
	variant string
	product string
	groups  []string
}

// The prices in a keyShop: of the variant itself, and in the lists.
const basePrice, firstPrice, secondPrice = 100, 80, 70

func newKeyShop(t *testing.T, s *apitest.Server) *keyShop {
	k := &keyShop{Server: s, t: t}
	var listed []any
	for _, price := range []int{firstPrice, secondPrice} {
		list := s.OK(201, "POST", "/v2/price-lists", map[string]any{"name": fmt.Sprint(price)}).Text("data.id")
		body := map[string]any{"name": fmt.Sprint(price), "price_lists": []string{list}}
		k.groups = append(k.groups, s.OK(201, "POST", "/v2/customer-groups", body).Text("data.id"))
		listed = append(listed, map[string]any{"price_list_id": list, "from_quantity": 1, "price": price})
	}

	variant := map[string]any{"sku": "p", "price": basePrice, "price_lists": listed}
	r := s.OK(201, "POST", "/v2/products", map[string]any{"name": "p", "variants": []any{variant}})
	k.product = r.Text("data.id")
	k.variant = r.Text("data.variants.0.id")
	return k
}

// newKey returns the path of a new publishable key of a group in the administration, and its token.
func (k *keyShop) newKey(group string) (path, token string) {
	key, token := k.NewKey(access.NewKey{Kind: access.PublishableKey,
		GroupID: new(mustID[access.CustomerGroup](group))})
	return "/api/store/keys/" + key.ID.String(), token
}

// signInBy signs a customer in with a key. It returns the token and the path of the customer.
func (k *keyShop) signInBy(key, email string) (token, path string) {
	came := *k.Server
	came.Publishable = key
	r := signIn(&came, email)
	return r.Text("data.token"), "/v2/customers/" + r.Text("data.customer.id")
}

// newCart makes a cart and returns its path, and the header with its token.
func (k *keyShop) newCart(token string) (path string, withToken apitest.RequestOption) {
	r := k.OK(201, "POST", ordersPath, orderItems(orderLine(k.variant, 1)), apitest.As(token))
	return ordersPath + "/" + r.Text("data.id"), apitest.Header("X-Order-Token", r.Text("data.order_token"))
}

func (k *keyShop) wantPrice(what string, want int, r *apitest.Response, path string) {
	k.t.Helper()
	if got := r.Text(path); got != strconv.Itoa(want) {
		k.t.Errorf("%s: the price is %s, want %d", what, got, want)
	}
}

// A key gives the prices of its group to those who came by it, and to the carts that it made, only while it is active.
// The group of a customer does not end with the key.
func TestPrices_endWithTheKeyThatTheyCameBy(t *testing.T) {
	t.Parallel()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		k := newKeyShop(t, s)
		for name, end := range map[string]func(path string){
			"revoked": func(path string) { s.DoAdmin("DELETE", path, nil) },
			"rotated": func(path string) { s.DoAdmin("POST", path+"/rotate", `{"overlap_hours":0}`) },
		} {
			path, key := k.newKey(k.groups[0])
			visitor, _ := k.signInBy(key, name+"-visitor@shop.example")
			member, memberPath := k.signInBy(key, name+"-member@shop.example")
			s.OK(200, "PUT", memberPath, map[string]any{"group_id": k.groups[1]})
			guestCart, withGuest := k.newCart(key)
			visitorCart, _ := k.newCart(visitor)
			memberCart, _ := k.newCart(member)

			check := func(what string, want int) {
				t.Helper()
				what = name + ", " + what
				product := "/v2/products/" + k.product
				const read, line = "data.variants.0.price", "data.items.0.price"
				k.wantPrice(what+": a customer", want, s.Get(product, apitest.As(visitor)), read)
				k.wantPrice(what+": a guest's cart", want, s.Get(guestCart, apitest.As(s.Publishable), withGuest), line)
				k.wantPrice(what+": a customer's cart", want, s.Get(visitorCart, apitest.As(visitor)), line)
				k.wantPrice(what+": a cart for the shop", want, s.Get(guestCart), line)
				k.wantPrice(what+": a member", secondPrice, s.Get(product, apitest.As(member)), read)
				k.wantPrice(what+": a member's cart", secondPrice, s.Get(memberCart, apitest.As(member)), line)
			}

			check("before", firstPrice)
			if name == "rotated" {
				// The first rotation leaves the key a day.
				if r := s.DoAdmin("POST", path+"/rotate", `{"overlap_hours":24}`); r.Status != 201 {
					t.Fatalf("rotating is %d: %s", r.Status, r.Body)
				}
				check("during the overlap", firstPrice)
			}
			end(path)
			check("after", basePrice)

			edited := s.OK(200, "PUT", guestCart, orderItems(orderLine(k.variant, 2)), apitest.As(s.Publishable),
				withGuest)
			k.wantPrice(name+": an edited cart", basePrice, edited, "data.items.0.price")
			submitted := s.OK(200, "POST", visitorCart+"/submit", submissionBody, apitest.As(visitor))
			k.wantPrice(name+": an order", basePrice, submitted, "data.items.0.price")
		}
	})
}

// A cart has the prices of its customer's group, else of the key that made it, whoever reads or submits it. So the cart
// of a guest costs what it showed, also if a customer with another group submits it and owns the order from then on.
func TestCart_ofAGuestKeepsThePricesOfItsKey(t *testing.T) {
	t.Parallel()
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		k := newKeyShop(t, s)
		_, key := k.newKey(k.groups[0])
		member, memberPath := k.signInBy(s.Publishable, "member@shop.example")
		s.OK(200, "PUT", memberPath, map[string]any{"group_id": k.groups[1]})
		cart, withToken := k.newCart(key)

		const line = "data.items.0.price"
		k.wantPrice("read by the customer", firstPrice, s.Get(cart, apitest.As(member), withToken), line)
		edited := s.OK(200, "PUT", cart, orderItems(orderLine(k.variant, 3)), apitest.As(member), withToken)
		k.wantPrice("edited by the customer", firstPrice, edited, line)
		submitted := s.OK(200, "POST", cart+"/submit", submissionBody, apitest.As(member), withToken)
		k.wantPrice("submitted by the customer", firstPrice, submitted, line)
		k.wantPrice("the customer's order", firstPrice, s.Get(cart, apitest.As(member)), line)

		own, _ := k.newCart(member)
		k.wantPrice("the customer's own cart", secondPrice, s.Get(own, apitest.As(member)), line)
	})
}
