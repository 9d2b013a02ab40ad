package e2e

import (
	"context"
	"flag"
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/promise"
)

// FuzzAPI sends arbitrary requests to every route. No response may be a 5xx, and a request that fails or only reads
// must not change the database. Fuzzing runs on SQLite only, the seed corpus on both engines: with VITRINE_PROVE each
// input on both, otherwise the engines take the inputs in turns.
func FuzzAPI(f *testing.F) {
	var routes []httpapi.Route
	engines := databasetest.Engines()
	if isFuzzing() {
		engines = []string{database.SQLite}
	}

	var targets []*fuzzTarget
	for _, engine := range engines {
		s := apitest.StartServer(f, engine, apitest.Alone())
		routes = s.App.API().Routes()
		targets = append(targets, &fuzzTarget{Server: s})
	}

	for i, route := range routes {
		f.Add(uint8(i), uint8(0), "", "", validBody(route))
		f.Add(uint8(i), uint8(3), "with=values&page=2&per_page=3&q=a", "If-Match: \"v1\"\nIdempotency-Key: k",
			validBody(route))
		f.Add(uint8(i), uint8(i)%idKinds, "page=x&with=%zz",
			"Content-Encoding: gzip\nContent-Type: text/plain\nAuthorization: Basic x", "{")
	}

	for i, route := range routes {
		if route.Body == nil && route.Form == nil {
			continue
		}

		bodies := hostileBodies
		if route.PublicWrite() {
			bodies = hostilePublicBodies
		}

		for _, body := range bodies {
			f.Add(uint8(i), uint8(0), "", "Idempotency-Key: "+strings.Repeat("k", i+1), body)
		}
	}

	if len(targets) > 1 && !promise.ProveAll() {
		f.Log("each input goes to one engine, in turns")
	}

	fewer := !isFuzzing() && !promise.Thorough()
	if fewer {
		f.Log("a third of the inputs, all of them in make thorough")
	}

	inputs := 0

	f.Fuzz(func(t *testing.T, route, id uint8, query, headers, body string) {
		if inputs++; fewer && (inputs+inputs/3)%3 > 0 { // of each route another one of its inputs
			return
		}
		chosen := targets
		if !promise.ProveAll() {
			chosen = targets[inputs%len(targets):][:1]
		}
		for _, on := range chosen {
			on.send(t, routes[int(route)%len(routes)], id, query, headers, body)
		}
	})
}

func isFuzzing() bool {
	for _, name := range []string{"test.fuzz", "test.fuzzworker"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" && f.Value.String() != "false" {
			return true
		}
	}
	return false
}

// hostileBodies are invalid bodies for routes of secret keys.
var hostileBodies = []string{
	`{"values": [{"id": "OPTIONVALUE", "name": "x"}, {"id": "OPTIONVALUE", "name": "y"}], ` +
		`"removed_values": ["OPTIONVALUE"]}`,
	`{"name": "x", "values": [{"id": "00000000-0000-0000-0000-000000000000", "name": 1}], ` +
		`"field_type": {"id": "range"}, "range_type": null, "filterable": 1}`,
	`{"name": 1e400, "values": [{"name": -0}, {"name": 1E+5}], "removed_values": ["FEATUREVALUE"], ` +
		`"field_type": "range", "range_type": "integer"}`,
	`{"name": "x", "features": [{"feature_id": "FEATURE", "value_id": "OPTIONVALUE"}], "variants": [{"price": 1e-5}, ` +
		`{"id": "OPTION", "price": -1, "options": [{"option_id": "OPTION", "value_id": "OPTIONVALUE"}, ` +
		`{"option_id": "OPTION", "value_id": "OPTIONVALUE"}]}]}`,
	`{"name": "x", "categories": [{"id": "CATEGORY"}, "CATEGORY"], "images": ["OPTION"], "modifiers": [{"name": "m", ` +
		`"min": 2, "max": 1, "items": [{}]}], "variants": [{"price": 1, "remainders": [{"stock_id": "OPTION", ` +
		`"quantity": -0.0001}, {}]}]}`,
	`{"price": 999999999999.9999, "external_id": "v", "id": "OPTION", "options": [], ` +
		`"remainders": [{"stock_id": "STOCK", "quantity": 1e9}, {"stock_id": "STOCK", "quantity": 999999999.999}]}`,
	`{"name": "x", "external_id": 1e2, "parent_id": "CATEGORY"}`,
	`{"name": {}, "external_id": [], "parent_id": 7}`,
	`{"name": "\u0000", "values": [[]], "removed_values": {}, "variants": null, "features": [null], ` +
		`"external_id": 1.5}`,
}

// hostilePublicBodies are invalid bodies for routes that visitors may use.
var hostilePublicBodies = []string{
	`{"items": [{"variant_id": "VARIANT", "quantity": 1e30}, {"variant_id": "OPTION", "quantity": 0.0005}, {"variant_id": "VARIANT", "quantity": -1}, {}, 7], "variant_id": "OPTION", "quantity": 999999999.9999,
		"contact": [], "delivery": null, "comment": 7, "recaptcha": {"token": {}}, "email": ["x"], "phone": 1, "name": {}, "message": [], "request_id": {}, "code": []}`,
	`{"items": [{"variant_id": "VARIANT", "quantity": 999999999.999}, {"variant_id": "VARIANT", "quantity": 999999999.999}], "variant_id": "VARIANT", "quantity": 1e400,
		"contact": {"name": "\u0000", "phone": "+49", "email": "a@example.com\r\nBcc: b@example.com"}, "delivery": {"address": {}}, "recaptcha": null, "email": "a@example.com\u0000", "request_id": "x", "code": "\u0000"}`,
	`{"items": [{"variant_id": "OPTION", "quantity": 1}], "variant_id": "OPTION", "quantity": 1, "contact": {"name": "A", "email": "a@example.com"}, "name": "A", "message": "m", "phone": "+491234567",
		"request_id": "OPTION", "code": "000000", "recaptcha": {"token": "` + strings.Repeat("t", 9<<10) + `"}}`,
}

func validBody(r httpapi.Route) string {
	if r.Form != nil {
		return string(encodeImage("gif", newPicture(2, 2, false)))
	}
	if len(r.BodyExamples) == 0 {
		return ""
	}

	switch {
	case strings.HasPrefix(r.Path, "/v2/products/{id}/variants"):
		return `{"price": 10.5, "sku": "s", "external_id": 7, "options": [], "remainders": [{"stock_id": "STOCK", ` +
			`"quantity": 1.5}]}`
	case strings.HasPrefix(r.Path, "/v2/products"):
		return `{"name": "P", "external_id": 7, "categories": ["CATEGORY"], "features": [{"feature_id": "FEATURE", "value_id": "FEATUREVALUE"}], "images": [], "modifiers": [{"name": "m", "max": 1}],
			"variants": [{"price": 10.5, "sku": "s", "options": [{"option_id": "OPTION", "value_id": "OPTIONVALUE"}], "remainders": [{"stock_id": "STOCK", "quantity": 1.5}]}]}`
	case strings.HasPrefix(r.Path, "/v2/categories"):
		return `{"name": "C", "external_id": 7, "parent_id": "CATEGORY"}`
	case strings.HasPrefix(r.Path, "/v2/stocks"):
		return `{"name": "T", "external_id": "7"}`
	case r.Path == feedbackPath, r.Path == callbacksPath:
		return `{"name": "A", "email": "a@example.com", "phone": "+491234567", "message": "m", "comment": "c", ` +
			`"topic": [{}]}`
	case r.Path == ordersPath, r.Path == ordersPath+"/{id}":
		return `{"items": [{"variant_id": "VARIANT", "quantity": 1.5}], "contact": {"name": "A", ` +
			`"phone": "+491234567", "email": "a@example.com"}, "delivery": {"address": "a\nb", "comment": "c"}, ` +
			`"comment": "c"}`
	case strings.HasPrefix(r.Path, ordersPath+"/{id}/items"):
		return `{"variant_id": "VARIANT", "quantity": 2}`
	case r.Path == ordersPath+"/{id}/submit":
		return `{"contact": {"name": "A", "email": "a@example.com"}, "recaptcha": {"token": "t"}}`
	case r.Path == requestLoginPath:
		return `{"phone": "+491234567"}`
	case r.Path == confirmLoginPath:
		return `{"request_id": "OPTION", "code": "000000"}`
	case r.Path == "/v2/me":
		return `{"name": "A"}`
	case strings.HasPrefix(r.Path, "/v2/features"):
		return `{"name": "F", "values": [{"id": "FEATUREVALUE", "name": "1,5"}, {"name": 2}], "removed_values": [], ` +
			`"field_type": "range"}`
	}

	return `{"name": "O", "values": [{"name": "new"}], "removed_values": ["OPTIONVALUE"]}`
}

// fuzzTarget is a server whose store has one resource of each kind. The method prepare recreates the resources if an
// earlier request changed the database.
type fuzzTarget struct {
	*apitest.Server
	clean        bool
	before       apitest.Dump // the database since the last input, if that changed nothing
	placeholders *strings.Replacer
	ids          []string
	foreignID    string
	// variantID is the variant of the product. itemID is the item of the draft order.
	variantID, itemID string
	// customerToken is the token of a customer, which prepare does not recreate.
	customerToken string
}

// idKinds is the number of kinds of ids that pathID returns.
const idKinds = 12

func (on *fuzzTarget) prepare(t *testing.T) *apitest.Server {
	t.Helper()
	s := on.WithTB(t)
	s.Log.Reset() // otherwise the log grows with every input
	if on.clean {
		return s
	}

	s.Write(func(ctx context.Context, q database.Querier) error {
		for _, table := range []string{"reservations", "order_items", "orders", "order_numbers", "variant_barcodes",
			"variant_values",
			"product_values", "product_categories", "remainders", "variants", "images", "image_leftovers", "products",
			"categories", "stocks", "attribute_values", "attributes", "feedback", "callbacks", "events", "mailbox",
			"login_requests", "idempotency_pieces", "idempotency"} {
			if _, err := q.Exec(ctx, "DELETE FROM "+table); err != nil {
				return err
			}
		}

		return nil
	})

	option := createAttribute(s, optionsPath, "S")
	feature := createAttribute(s, featuresPath, "1")
	made := createProduct(s, newVariant("v", option.asOption(0)))
	category := createNamed(s, categoriesPath, "Clothes")
	stock := createNamed(s, stocksPath, "Main")
	createNamed(s, categoriesPath, "Shirts", category)
	on.foreignID = createAttribute(s.WithKeys(s.Other), optionsPath, "x").id
	on.variantID = s.Get("/v2/products/" + made).Text("data.variants.0.id")
	draft := s.OK(201, "POST", ordersPath, orderItems(orderLine(on.variantID, 1)))
	on.itemID = draft.Text("data.items.0.id")
	on.ids = []string{option.id, feature.id, made, category, stock, createImage(s), draft.Text("data.id")}
	on.placeholders = strings.NewReplacer("OPTIONVALUE", option.values[0], "FEATUREVALUE", feature.values[0], "OPTION",
		option.id, "FEATURE", feature.id, "CATEGORY", category, "STOCK", stock, "VARIANT", on.variantID)

	if on.customerToken == "" {
		on.customerToken = signIn(s, "fuzz@example.com").Text("data.token")
	}

	on.clean = true
	return s
}

func (on *fuzzTarget) send(t *testing.T, route httpapi.Route, id uint8, query, headers, body string) {
	t.Helper()
	s := on.prepare(t)
	path := strings.ReplaceAll(route.Path, "{$}", "")
	path = strings.NewReplacer("{id}", on.pathID(route, id), "{variant_id}", on.secondPathID(id, on.variantID),
		"{item_id}", on.secondPathID(id, on.itemID), "{file}", "x").Replace(path)
	method := route.Method

	if id >= 128 { // another method on the same path
		method = []string{"GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"}[id%7]
	}

	if strings.ContainsAny(query, " \r\n#") {
		return // not valid in a URL
	}

	if query != "" {
		path += "?" + query
	}

	token := []string{s.Secret, s.Secret, s.Secret, s.Publishable, s.Exchange, ""}[int(id/8)%6]
	if route.Path == "/v2/me" && token == s.Secret {
		token = on.customerToken
	}

	request := []apitest.RequestOption{apitest.As(token), func(r *http.Request) {
		for line := range strings.Lines(headers) {
			name, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
			r.Header[http.CanonicalHeaderKey(name)] = append(r.Header[http.CanonicalHeaderKey(name)],
				strings.TrimSpace(value))
		}
		r.Header.Del("Transfer-Encoding")
		r.Header.Del("Expect")
	}}
	if route.Form != nil {
		request = append([]apitest.RequestOption{contentType("image/gif")}, request...)
	}

	var sent any
	if body != "" {
		sent = on.placeholders.Replace(body)
	}

	before := on.before
	if before == nil {
		before = s.Dump()
	}

	on.before = nil
	r, err := s.TryURL(method, path, sent, request...)
	if err != nil {
		return // net/http refuses to send the request
	}
	if r.Status >= 500 {
		t.Fatalf("%s %s: %d %s", method, path, r.Status, r.Body)
	}

	if r.Status < 400 && method != "GET" && method != "HEAD" && method != "OPTIONS" &&
		!strings.HasSuffix(route.Path, "/impact") {
		on.clean = false
		return
	}

	now := s.Dump()
	if r.Status < 400 { // impact changes nothing but stores its response under the Idempotency-Key
		for _, table := range []string{"idempotency", "idempotency_pieces"} {
			if len(now[table]) != len(before[table]) {
				on.clean = false
			}
			delete(before, table)
		}
	}

	if diff := before.Diff(now); diff != "" {
		t.Fatalf("%s %s with status %d has changed the database:\n%s", method, path, r.Status, diff)
	}

	if on.clean {
		on.before = now
	}
}

// secondPathID returns the second id of a path. Depending on kind, it is the argument right or an id of another store.
func (on *fuzzTarget) secondPathID(kind uint8, right string) string {
	if kind%3 == 2 {
		return on.foreignID
	}
	return right
}

// pathID returns the first id of a path. It is the id of a resource of the right kind, of another kind or of another
// store, the id of no resource, or text that is not an id.
func (on *fuzzTarget) pathID(route httpapi.Route, kind uint8) string {
	switch kind % idKinds {
	case 0, 1: // of the right kind
		switch {
		case strings.HasPrefix(route.Path, "/v2/features"):
			return on.ids[1]
		case strings.HasPrefix(route.Path, "/v2/products"):
			return on.ids[2]
		case strings.HasPrefix(route.Path, "/v2/categories"):
			return on.ids[3]
		case strings.HasPrefix(route.Path, "/v2/stocks"):
			return on.ids[4]
		case strings.HasPrefix(route.Path, "/v2/images"):
			return on.ids[5]
		case strings.HasPrefix(route.Path, ordersPath):
			return on.ids[6]
		}

		return on.ids[0]

	case 2, 3, 4, 5, 6, 7, 8:
		return on.ids[kind%idKinds-2]
	case 9:
		return on.foreignID
	case 10:
		return unknownID
	}

	return "%F0%9F%91%9F"
}
