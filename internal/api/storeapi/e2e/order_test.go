package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
)

const ordersPath = "/v2/orders"

// guestCart is a draft order of a guest, with the token that gives access to it.
type guestCart struct {
	s           *apitest.Server
	path, token string
}

// createGuestCart creates a draft order with a publishable key.
func createGuestCart(s *apitest.Server, body any) (guestCart, *apitest.Response) {
	r := s.OK(201, "POST", ordersPath, body, apitest.As(s.Publishable))
	return guestCart{s, ordersPath + "/" + r.Text("data.id"), r.Text("data.order_token")}, r
}

// headers returns the options that authenticate requests of the guest.
func (c guestCart) headers() []apitest.RequestOption {
	return []apitest.RequestOption{apitest.As(c.s.Publishable), apitest.Header("X-Order-Token", c.token)}
}

func (c guestCart) ok(status int, method, path string, body any) *apitest.Response {
	return c.s.OK(status, method, c.path+path, body, c.headers()...)
}

func (c guestCart) refuse(want, method, path string, body any) *apitest.Response {
	return c.s.WantProblem(want, method, c.path+path, body, c.headers()...)
}

// createShirt creates a product with two variants that cost 10. The size S has the given number of pieces in a stock,
// the size L has no remainders.
func createShirt(s *apitest.Server, pieces int) (productID, small, large string) {
	size := createAttribute(s, optionsPath, "S", "L")
	stock := createNamed(s, stocksPath, "near")
	v := newVariant("S-1", size.asOption(0))
	v["remainders"] = []any{map[string]any{"stock_id": stock, "quantity": pieces}}
	r := s.OK(201, "POST", "/v2/products",
		map[string]any{"name": "Shirt", "variants": []any{v, newVariant("L-1", size.asOption(1))}})
	return r.Text("data.id"), r.Text("data.variants.0.id"), r.Text("data.variants.1.id")
}

func orderLine(variantID string, quantity any) map[string]any {
	return map[string]any{"variant_id": variantID, "quantity": quantity}
}

func orderItems(list ...map[string]any) map[string]any { return map[string]any{"items": list} }

const submissionBody = `{"contact":{"name":" Anna ","phone":"+49 30 1234567","email":""},"delivery":{"address":"1 ` +
	`Road\nTown"}}`

// itemSummary returns the items of an order, each as "sku quantity total", and the total of the order.
func itemSummary(r *apitest.Response) string {
	var words []string
	for i := range r.Len("data.items") {
		at := fmt.Sprintf("data.items.%d.", i)
		words = append(words, r.Text(at+"sku")+" "+r.Text(at+"quantity")+" "+r.Text(at+"total"))
	}
	return strings.Join(words, ", ") + " = " + r.Text("data.total")
}

func TestOrders(t *testing.T) {
	t.Parallel()

	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		for _, c := range []struct {
			name string
			test func(*testing.T, *apitest.Server)
		}{
			{"a cart is filled and submitted", testOrderSubmission},
			{"bad input is refused and changes nothing", testOrderRefusesBadInput},
			{"items show a picture and what is available", testOrderItemsShowPictureAndStock},
			{"a repeated submission is replayed", testOrderSubmissionIsIdempotent},
			{"customers see only their own orders", testOrdersOfCustomers},
			{"secret keys list orders and change their states", testOrderAdministration},
			{"an order has at most a thousand items", testOrderOfThousandLines},
		} {
			t.Run(c.name, func(t *testing.T) { c.test(t, s.WithTB(t)) })
		}
	}, apitest.Alone())
}

func testOrderSubmission(t *testing.T, s *apitest.Server) {
	productID, small, large := createShirt(s, 3)
	cheap := orderLine(large, 0.5)
	cheap["price"], cheap["total"] = 0.01, 0.01 // ignored: the catalogue decides the price
	c, r := createGuestCart(s, orderItems(orderLine(small, 1), cheap, orderLine(small, 1)))
	if got := itemSummary(r); got != "S-1 2 20, L-1 0.5 5 = 25" || r.Text("data.number") != "null" ||
		r.Text("data.state") != "draft" || r.Header.Get("Location") != c.path {
		t.Errorf("the draft is %s: %s", got, r.Body)
	}

	if r.Text("data.items.0.name") != "Shirt" || r.Text("data.items.0.options.0.value.name") != "S" ||
		r.Text("data.contact.name") != "null" {
		t.Errorf("the draft is %s", r.Body)
	}

	first := r.Text("data.items.0.id")
	for name, options := range map[string][]apitest.RequestOption{
		"no token":                   {apitest.As(s.Publishable)},
		"a wrong token":              {apitest.As(s.Publishable), apitest.Header("X-Order-Token", c.token+"x")},
		"another store":              {apitest.As(s.Other.Publishable), apitest.Header("X-Order-Token", c.token)},
		"another store's secret key": {apitest.As(s.Other.Secret)},
	} {
		for _, request := range []struct{ method, path, body string }{
			{"GET", "", ""}, {"PUT", "", `{}`}, {"POST", "/items", toJSON(orderLine(small, 1))},
			{"PUT", "/items/" + first, `{"quantity":1}`}, {"DELETE", "/items/" + first, ""},
			{"POST", "/submit", submissionBody},
		} {
			var body any
			if request.body != "" {
				body = request.body
			}
			if got := s.WantProblem("404 not_found", request.method, c.path+request.path, body,
				options...); got.Text("detail") != "There is no such order in this store." {
				t.Errorf("%s: %s", name, got.Body)
			}
		}
	}

	r = c.ok(201, "POST", "/items", orderLine(large, 1.5))
	if got := itemSummary(r); got != "S-1 2 20, L-1 2 20 = 40" ||
		r.Header.Get("Location") != c.path+"/items/"+r.Text("data.items.1.id") {
		t.Errorf("after an addition: %s", got)
	}

	if got := itemSummary(c.ok(200, "PUT", "/items/"+first, `{"quantity":3}`)); got != "S-1 3 30, L-1 2 20 = 50" {
		t.Errorf("after an edit: %s", got)
	}

	c.ok(204, "DELETE", "/items/"+r.Text("data.items.1.id"), nil)

	// PUT replaces the list of items. A variant that stays keeps its item, and the items have the order of the request.
	r = c.ok(200, "PUT", "", map[string]any{"items": []any{orderLine(large, 1), orderLine(small, 2)},
		"contact": map[string]any{"email": "anna@shop.example"}, "comment": "Soon"})
	if got := itemSummary(r); got != "L-1 1 10, S-1 2 20 = 30" || r.Text("data.items.1.id") != first {
		t.Errorf("after replacing the items: %s", r.Body)
	}

	data, _ := r.At("data")
	if again := c.ok(200, "PUT", "", data); itemSummary(again) != itemSummary(r) ||
		again.Text("data.contact.email") != "anna@shop.example" {
		t.Errorf("PUT with the data of a response gives %s", again.Body)
	}

	s.OK(200, "PUT", "/v2/products/"+productID+"/variants/"+small, `{"price":12.25}`)
	if got := itemSummary(c.ok(200, "GET", "", nil)); got != "L-1 1 10, S-1 2 24.5 = 34.5" {
		t.Errorf("the draft does not show the new price: %s", got)
	}

	c.s.WantProblem("412 precondition_failed", "PUT", c.path, `{}`,
		append(c.headers(), apitest.Header("If-Match", `"v1"`))...)

	listed := func() string { return s.Get("/v2/products?with=variants").Text("data.0.variants.0.available") }
	before := listed()
	r = c.ok(200, "POST", "/submit", submissionBody)
	if after := listed(); before != "3" || after != "1" {
		t.Errorf("the list of products shows %s available before and %s after", before, after)
	}

	if itemSummary(r) != "L-1 1 10, S-1 2 24.5 = 34.5" || r.Text("data.state") != "submitted" ||
		r.Text("data.number") != "1" || r.Text("data.comment") != "Soon" ||
		r.Text("data.contact") != `{"email":null,"name":"Anna","phone":"+49301234567"}` ||
		r.Text("data.delivery.address") != "1 Road\nTown" || r.Has("data.order_token") {
		t.Errorf("the submitted order is %s", r.Body)
	}

	s.OK(200, "PUT", "/v2/products/"+productID+"/variants/"+small, `{"price":99,"sku":"new"}`)
	if got := c.ok(200, "GET", "", nil); itemSummary(got) != itemSummary(r) {
		t.Errorf("the submitted order changed with the catalogue: %s", got.Body)
	}

	if got := s.Get("/v2/products/" + productID); got.Text("data.variants.0.available") != "1" ||
		got.Text("data.variants.0.remainders.0.reserved") != "2" {
		t.Errorf("the product shows %s", got.Body)
	}

	for _, request := range []struct{ method, path, body string }{
		{"PUT", "", `{"comment":"x"}`}, {"POST", "/items", toJSON(orderLine(small, 1))},
		{"PUT", "/items/" + first, `{"quantity":1}`}, {"POST", "/submit", submissionBody},
	} {
		c.refuse("409 wrong_state", request.method, request.path, request.body)
	}

	c.refuse("409 wrong_state", "DELETE", "/items/"+first, nil)

	late, _ := createGuestCart(s, orderItems(orderLine(large, 1), orderLine(small, 2)))
	if got := late.refuse("409 out_of_stock", "POST", "/submit",
		submissionBody); got.Text("errors.0.field") != "items[1]" || got.Len("errors") != 1 {
		t.Errorf("out_of_stock reports %s", got.Body)
	}

	s.OK(200, "POST", "/v2/products/"+productID+"/archive", nil)

	if got := late.refuse("409 unavailable", "POST", "/submit",
		submissionBody); strings.Join(got.Texts("errors", "field"), " ") != "items[0] items[1]" {
		t.Errorf("unavailable reports %s", got.Body)
	}

	late.refuse("422 variant_id unknown_variant", "POST", "/items", orderLine(small, 1))

	kept := s.OK(201, "POST", ordersPath, `{}`, apitest.As(s.Publishable),
		apitest.Header("Idempotency-Key", "kept-kept-kept-kept"))
	for where, text := range map[string]string{"log": s.Log.String(), "metrics": s.Metrics(),
		"database": fmt.Sprint(s.Dump())} {
		if strings.Contains(text, c.token) || strings.Contains(text, kept.Text("data.order_token")) {
			t.Errorf("an order token is in the %s", where)
		}
	}
}

func testOrderItemsShowPictureAndStock(t *testing.T, s *apitest.Server) {
	productID, small, large := createShirt(s, 3)
	item := func(r *apitest.Response, i int) string {
		at := fmt.Sprintf("data.items.%d.", i)
		return r.Text(at+"image") + " " + r.Text(at+"available")
	}
	wantSlug := func(want string, r *apitest.Response) {
		t.Helper()
		if got := r.Text("data.items.0.slug"); got != want {
			t.Errorf("the line has the slug %s, want %s", got, want)
		}
	}
	c, r := createGuestCart(s, orderItems(orderLine(small, 2), orderLine(large, 1)))
	if item(r, 0) != "null 3" || item(r, 1) != "null null" {
		t.Errorf("the new cart is %s", r.Body)
	}

	wantSlug(s.Get("/v2/products/"+productID).Text("data.slug"), r)
	s.OK(200, "PUT", "/v2/products/"+productID, `{"slug":"the-shirt"}`)
	wantSlug("the-shirt", c.ok(200, "GET", "", nil))

	first, second := createImage(s), createImage(s)
	s.OK(200, "PUT", "/v2/products/"+productID, map[string]any{"images": []string{first, second}})
	thumbnail := s.Get("/v2/images/" + first).Text("data.thumbnails.small")
	for name, r := range map[string]*apitest.Response{
		"read": c.ok(200, "GET", "", nil), "edited": c.ok(200, "PUT", "", `{"comment":"x"}`),
	} {
		if item(r, 0) != thumbnail+" 3" || item(r, 1) != thumbnail+" null" {
			t.Errorf("the %s cart is %s", name, r.Body)
		}
	}

	if _, created := createGuestCart(s, orderItems(orderLine(small, 1))); item(created, 0) != thumbnail+" 3" {
		t.Errorf("a second cart is %s", created.Body)
	}

	// The first image of the variant comes before that of the product.
	s.OK(200, "PUT", "/v2/products/"+productID+"/variants/"+large, map[string]any{"images": []string{second}})
	ofVariant := s.Get("/v2/images/" + second).Text("data.thumbnails.small")
	if r := c.ok(200, "GET", "", nil); item(r, 0) != thumbnail+" 3" || item(r, 1) != ofVariant+" null" {
		t.Errorf("with an image of the variant, the cart is %s", r.Body)
	}

	late, _ := createGuestCart(s, orderItems(orderLine(large, 1), orderLine(small, 2.5)))
	submitted := c.ok(200, "POST", "/submit", submissionBody)
	for name, r := range map[string]*apitest.Response{"submitted": submitted, "read": c.ok(200, "GET", "", nil)} {
		wantSlug("the-shirt", r)
		if item(r, 0) != thumbnail+" null" {
			t.Errorf("the %s order is %s", name, r.Body)
		}
	}

	if r := late.refuse("409 out_of_stock", "POST", "/submit",
		submissionBody); r.Text("errors.0.field") != "items[1]" ||
		r.Text("errors.0.available") != "1" || r.Text("errors.0.message") != "Only 1 left." || r.Len("errors") != 1 {
		t.Errorf("out_of_stock reports %s", r.Body)
	}

	s.OK(200, "POST", "/v2/products/"+productID+"/archive", nil)
	if r := late.ok(200, "GET", "", nil); item(r, 0) != ofVariant+" 0" || item(r, 1) != thumbnail+" 0" {
		t.Errorf("the cart with an archived product is %s", r.Body)
	}

	s.OK(204, "DELETE", "/v2/products/"+productID, nil)
	wantSlug("null", c.ok(200, "GET", "", nil))
	if r := c.ok(200, "GET", "", nil); item(r, 0) != "null null" {
		t.Errorf("the order with a deleted product is %s", r.Body)
	}

	listed := s.Get(ordersPath + "?state=draft&per_page=1")
	if got := listed.Text("data.0.items.0.available"); got != "0" {
		t.Errorf("the listed cart is %s", listed.Body)
	}
}

func testOrderRefusesBadInput(t *testing.T, s *apitest.Server) {
	_, small, large := createShirt(s, 3)
	_, foreign, _ := createShirt(s.WithKeys(s.Other), 3)
	c, r := createGuestCart(s, orderItems(orderLine(small, 1)))
	item := "/items/" + r.Text("data.items.0.id")

	for _, q := range []struct{ want, quantity string }{
		{"out_of_range", "0"}, {"out_of_range", "-1"}, {"out_of_range", "0.0001"}, {"out_of_range", "1000000000"},
		{"out_of_range", "1e400"},
		{"wrong_type", `"1"`}, {"wrong_type", "null"}, {"wrong_type", "[]"},
	} {
		body := `{"variant_id":"` + small + `","quantity":` + q.quantity + `}`
		s.WantProblem("422 items[0].quantity "+q.want, "POST", ordersPath, `{"items":[`+body+`]}`,
			apitest.As(s.Publishable))
		c.refuse("422 quantity "+q.want, "POST", "/items", body)
		c.refuse("422 quantity "+q.want, "PUT", item, body)
	}

	for _, b := range []struct{ want, body string }{
		{"422 wrong_type", `[]`},
		{"422 items wrong_type", `{"items":null}`},
		{"422 items[0] wrong_type", `{"items":["` + small + `"]}`},
		{"422 items[0].variant_id required, items[0].quantity required", `{"items":[{}]}`},
		{"422 items[0].variant_id invalid_id", `{"items":[{"variant_id":"x","quantity":1}]}`},
		{"422 items[1].variant_id unknown_variant", toJSON(orderItems(orderLine(small, 1), orderLine(unknownID, 1)))},
		{"422 items[0].variant_id unknown_variant", toJSON(orderItems(orderLine(foreign, 1), orderLine(small, 1)))},
		{"422 items out_of_range", toJSON(orderItems(orderLine(large, 999999999), orderLine(large, 999999999)))},
		{"422 contact wrong_type", `{"contact":null}`},
		{"422 contact.email invalid_email", `{"contact":{"email":"x"}}`},
		{"422 contact.email control_character", `{"contact":{"email":"a@b.example\nBcc: c@d.example"}}`},
		{"422 contact.email control_character", `{"contact":{"email":"a@b.example\r\n"}}`},
		{"422 contact.name control_character", `{"contact":{"name":"Anna\nMaria"}}`},
		{"422 contact.phone invalid_phone", `{"contact":{"phone":"123"}}`},
		{"422 delivery.address too_long", `{"delivery":{"address":"` + strings.Repeat("я", 1001) + `"}}`},
		{"400 malformed_json", `{"items":[]`},
	} {
		s.WantProblem(b.want, "POST", ordersPath, b.body, apitest.As(s.Publishable))
		c.refuse(b.want, "PUT", "", b.body)
	}

	for _, b := range []struct{ want, body string }{
		{"422 contact.name required, contact.phone required", `{}`},
		{"422 contact.name required", `{"contact":{"name":" ","phone":"+491234567"}}`},
		{"422 contact.phone required", `{"contact":{"name":"Anna","phone":null,"email":""}}`},
		{"422 contact.email invalid_email", `{"contact":{"name":"Anna","phone":"+491234567","email":"x"}}`},
		{"422 contact.phone invalid_phone, contact.email invalid_email",
			`{"contact":{"name":"Anna","phone":"12","email":"x"}}`},
		{"422 contact.name control_character, contact.phone invalid_phone",
			`{"contact":{"name":"Anna\nMaria","phone":"12"}}`},
		{"422 recaptcha.token wrong_type", `{"contact":{"name":"Anna","phone":"+491234567"},"recaptcha":{"token":1}}`},
	} {
		c.refuse(b.want, "POST", "/submit", b.body)
	}

	c.refuse("404 not_found", "PUT", "/items/"+unknownID, `{"quantity":1}`)
	c.refuse("404 not_found", "DELETE", "/items/x", nil)
	empty, _ := createGuestCart(s, `{}`)
	empty.refuse("409 order_empty", "POST", "/submit", submissionBody)
}

func testOrderSubmissionIsIdempotent(t *testing.T, s *apitest.Server) {
	_, small, _ := createShirt(s, 3)
	c, _ := createGuestCart(s, orderItems(orderLine(small, 1)))
	options := append(c.headers(), apitest.Header("Idempotency-Key", "once-once-once-once"))
	first := s.OK(200, "POST", c.path+"/submit", submissionBody, options...)
	again := s.OK(200, "POST", c.path+"/submit", submissionBody, options...)
	if again.WantSame(first); again.Header.Get("Idempotent-Replayed") != "true" {
		t.Error("the response was not replayed")
	}
	s.WantProblem("422 Idempotency-Key idempotency_key_reused", "POST", c.path+"/submit",
		strings.Replace(submissionBody, "Road", "Street", 1), options...)
	if r := s.Get(ordersPath + "?state=submitted&q=" + first.Text("data.number")); r.Text("meta.total") != "1" {
		t.Errorf("%s orders were submitted, want 1", r.Text("meta.total"))
	}
}

func testOrderAdministration(t *testing.T, s *apitest.Server) {
	s = s.WithKeys(s.NewStore(store.Edit{}))
	_, small, large := createShirt(s, 5)
	c, _ := createGuestCart(s, orderItems(orderLine(small, 2)))
	c.ok(200, "POST", "/submit", submissionBody)
	s.Clock.Advance(time.Hour)
	d, _ := createGuestCart(s, orderItems(orderLine(large, 1)))
	d.ok(200, "POST", "/submit", `{"contact":{"name":"Борис","email":"boris@shop.example"}}`)

	e, _ := createGuestCart(s, `{}`)
	for query, want := range map[string][]guestCart{
		"": {e, d, c}, "?state=submitted": {d, c}, "?state=draft": {e}, "?state=completed": {}, "?q=борис": {d},
		"?q=49301234567": {c}, "?q=2": {d}, "?q=boris@shop": {d}, "?q=nobody": {},
		"?per_page=1&page=2": {d}, "?since=2026-11-14T12:30:00Z": {e, d}, "?until=2026-11-14T12:30:00Z": {c},
		"?since=2026-11-15": {},
	} {
		var ids []string
		for _, o := range want {
			ids = append(ids, strings.TrimPrefix(o.path, ordersPath+"/"))
		}
		if got := s.Get(ordersPath+query).Texts("data", "id"); strings.Join(got, " ") != strings.Join(ids, " ") {
			t.Errorf("%q lists %v, want %v", query, got, ids)
		}
	}

	for _, query := range []string{"?state=open", "?state=", "?since=yesterday", "?with=items", "?page=0"} {
		s.WantProblem("400 malformed_query", "GET", ordersPath+query, nil)
	}

	_, reader := s.NewKey(access.NewKey{Kind: access.SecretKey, Scopes: []string{string(access.OrdersRead)}})
	_, other := s.NewKey(access.NewKey{Kind: access.SecretKey, Scopes: []string{string(access.CatalogWrite)}})
	s.WantProblem("403 forbidden", "GET", ordersPath, nil, apitest.As(s.Publishable))
	s.WantProblem("403 forbidden", "GET", ordersPath, nil, apitest.As(other))
	s.WantProblem("404 not_found", "GET", c.path, nil, apitest.As(other))
	s.WantProblem("404 not_found", "PUT", e.path, `{}`, apitest.As(reader)) // orders:read does not allow edits
	s.Get(c.path, apitest.As(reader))

	for _, step := range []string{"/confirm", "/complete", "/cancel"} {
		c.refuse("403 forbidden", "POST", step, nil)
		s.WantProblem("403 forbidden", "POST", c.path+step, nil, apitest.As(reader))
		s.WantProblem("409 wrong_state", "POST", e.path+step, nil)
	}

	s.WantProblem("409 wrong_state", "POST", c.path+"/complete", nil)

	for _, step := range []struct{ path, state, date string }{{"/confirm", "confirmed", "confirmed_at"},
		{"/complete", "completed", "completed_at"}} {
		if r := s.OK(200, "POST", c.path+step.path, nil); r.Text("data.state") != step.state ||
			r.Text("data."+step.date+".iso_utc") != "2026-11-14T13:00:05+00:00" {
			t.Errorf("%s: %s", step.path, r.Body)
		}
		s.WantProblem("409 wrong_state", "POST", c.path+step.path, `{}`)
	}

	s.OK(200, "POST", d.path+"/cancel", nil)
	if r := d.ok(200, "GET", "", nil); r.Text("data.state") != "cancelled" || r.Text("data.confirmed_at") != "null" {
		t.Errorf("the guest sees %s", r.Body)
	}
}

func testOrderOfThousandLines(t *testing.T, s *apitest.Server) {
	var variants []map[string]any
	for i := range 1001 {
		variants = append(variants, map[string]any{"sku": fmt.Sprint(i), "price": 1})
	}

	ids := s.OK(201, "POST", "/v2/products",
		map[string]any{"name": "Buttons", "variants": variants}).Texts("data.variants", "id")
	var all []map[string]any
	for i := range ids {
		all = append(all, orderLine(ids[len(ids)-1-i], 1))
	}

	var unknown []map[string]any
	for range 1001 {
		unknown = append(unknown, orderLine(id.New[order.Item]().String(), 1))
	}

	s.WantProblem("422 items too_many", "POST", ordersPath,
		orderItems(unknown...)) // the length is checked before the variants
	c, _ := createGuestCart(s, orderItems(all[:1000]...))
	c.refuse("422 items too_many", "POST", "/items", all[1000])
	c.refuse("422 items too_many", "PUT", "", orderItems(all...))
	if r := c.ok(200, "POST", "/submit", submissionBody); r.Len("data.items") != 1000 ||
		r.Text("data.total") != "1000" || r.Text("data.items.0.sku") != "1000" {
		t.Errorf("the order has %d items and the total %s", r.Len("data.items"), r.Text("data.total"))
	}
}

// A stored response is replayed only to the client that got it, and a key that strangers could guess is refused.
func TestM3_idempotencyRecordsBelongToTheirClient(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		by := apitest.As(s.Publishable)
		key := apitest.Header("Idempotency-Key", "0123456789abcdef")
		for _, short := range []string{"order-1", "0123456789abcde", `"0123456789abcde"`} {
			s.WantProblem("400 weak_idempotency_key", "POST", ordersPath, `{}`, by,
				apitest.Header("Idempotency-Key", short))
		}

		s.OK(201, "POST", ordersPath, `{}`, apitest.Header("Idempotency-Key", "order-1")) // a secret key has one client

		_, small, _ := createShirt(s, 9)
		c, _ := createGuestCart(s, orderItems(orderLine(small, 1)))
		s.OK(201, "POST", c.path+"/items", orderLine(small, 1), append(c.headers(), key)...)
		for what, options := range map[string][]apitest.RequestOption{
			"no order token":     {by, key},
			"a wrong one":        {by, key, apitest.Header("X-Order-Token", c.token+"x")},
			"another's customer": {apitest.As(signIn(s, "other@example.com").Text("data.token")), key},
		} {
			if got := s.Do("POST", c.path+"/items", orderLine(small, 1), options...).Problem(); got != "404 not_found" {
				t.Errorf("the replay with %s: %s", what, got)
			}
		}

		// Two customers, a guest and a server use the same key: each gets an order of its own, and the same one again.
		orders := map[string]string{}
		for what, as := range map[string]apitest.RequestOption{
			"guest": by, "server": apitest.As(s.Secret),
			"first customer":  apitest.As(signIn(s, "first@example.com").Text("data.token")),
			"second customer": apitest.As(signIn(s, "second@example.com").Text("data.token")),
		} {
			r := s.OK(201, "POST", ordersPath, `{"items":[]}`, as, key)
			if other, taken := orders[r.Text("data.id")]; taken || r.Header.Get("Idempotent-Replayed") != "" {
				t.Errorf("the %s got the order of the %s", what, other)
			}
			orders[r.Text("data.id")] = what
			s.OK(201, "POST", ordersPath, `{"items":[]}`, as, key).WantSame(r)
		}
	})
}
