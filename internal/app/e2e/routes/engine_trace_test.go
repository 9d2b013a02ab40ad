package routes

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/promise"
)

// One generated sequence of requests gets the same responses on both databases: status, ETag and body, byte for byte.
// Ids are random, so they are compared by the order in which they appear.
func TestEngines_answerAGeneratedTraceAlike(t *testing.T) {
	t.Parallel()
	seeds, requests := 1, 150
	if promise.ProveAll() {
		seeds, requests = 12, 400
	}

	compared := 0
	for seed := range seeds {
		var servers []*traceServer
		for _, engine := range databasetest.Engines() {
			servers = append(servers, &traceServer{Server: apitest.StartServer(t, engine, apitest.Alone()),
				created: map[string][]string{}})
		}

		random := rand.New(rand.NewPCG(uint64(seed), 7))
		statuses := map[int]int{}
		for i := range requests {
			step := newTraceStep(random)
			if i < len(firstSteps) {
				step = firstSteps[i]
			}

			var first string
			for _, s := range servers {
				status, response := s.send(step)
				if s == servers[0] {
					first = response
					statuses[status]++
				} else if response != first {
					t.Fatalf("seed %d, request %d: %s %s %s:\n%s answers\n%s\n%s answers\n%s", seed, i, step.method,
						step.path, step.body, servers[0].Engine, first, s.Engine, response)
				}

				compared++
			}
		}

		if statuses[200] < requests/5 || statuses[201] < requests/10 || statuses[422] == 0 || statuses[404] == 0 {
			t.Errorf("seed %d: the trace is one-sided: responses by status are %v", seed, statuses)
		}

		for _, s := range servers {
			s.Stop()
		}
	}

	t.Logf("%d responses of %d traces", compared, seeds)
}

// traceStep is a request. {product:3} in its texts stands for the id of the third product that was created, or the
// last one if there are fewer.
type traceStep struct {
	method, path, body string
	as                 string // which key
	creates            string // the kind of the entity that it creates
	key                string // the Idempotency-Key, or ""
}

// firstSteps create what later requests of a trace refer to.
var firstSteps = []traceStep{
	{"POST", "/v2/stocks", `{"name": "Main"}`, "", "stock", ""},
	{"POST", "/v2/categories", `{"name": "Tops"}`, "", "category", ""},
	{"POST", "/v2/features", `{"name": "Fabric", "values": [{"name": "Wool"}]}`, "", "feature", ""},
	{"POST", "/v2/products", `{"name": "Shirt", "categories": ["{category:0}"], "variants": [{"sku": "s", "price": 9.99,
		"remainders": [{"stock_id": "{stock:0}", "quantity": 5}]}]}`, "", "product", ""},
	{"POST", "/v2/orders", `{"items": [{"variant_id": "{variant:0}", "quantity": 1}]}`, "", "order", ""},
}

func newTraceStep(r *rand.Rand) (s traceStep) {
	one := func(list ...string) string { return list[r.IntN(len(list))] }
	ref := func(kind string) string { return fmt.Sprintf("{%s:%d}", kind, r.IntN(12)) }
	name := func() string {
		return one("Shirt", "coat", "Футболка", "Ёлка", "Big Shirt", "ÄÖ", "zebra", "Zebra", "é", "İ", "10", "9", "a b",
			"ß", "")
	}
	price := func() string {
		return one("10", "10.50", "0.0001", "99999999", "7", "8", "1.5", "0", "null", "-1", "1.00001")
	}
	variant := func() string {
		return fmt.Sprintf(`{"sku": %q, "price": %s, "remainders": [{"stock_id": "%s", "quantity": %s}]}`,
			one("a", "b", "C", ""), price(), ref("stock"), one("0", "1", "2.5", "7"))
	}

	switch r.IntN(22) {
	case 0:
		s = traceStep{"POST", "/v2/categories", fmt.Sprintf(`{"name": %q, "parent_id": %s}`, name(),
			one("null", `"`+ref("category")+`"`)), "", "category", ""}
	case 1:
		s = traceStep{"POST", "/v2/stocks", fmt.Sprintf(`{"name": %q}`, name()), "", "stock", one("", "k1", "k2")}
	case 2:
		s = traceStep{"POST", "/v2/variant-options", fmt.Sprintf(`{"name": %q, "values": [{"name": %q}, {"name": %q}]}`,
			name(), name(), name()), "", "option", ""}
	case 3:
		s = traceStep{"POST", "/v2/features", fmt.Sprintf(`{"name": %q, "field_type": %q, "values": [{"name": %q}]}`,
			name(), one("string", "range", "x"), one("1.5", "20", "abc")), "", "feature", ""}
	case 4, 5, 6:
		s = traceStep{"POST", "/v2/products", fmt.Sprintf(`{"name": %q, "categories": ["%s"], "variants": [%s]}`,
			name(),
			ref("category"), variant()), "", "product", one("", "", "k3")}
	case 7:
		s = traceStep{method: "PUT", path: "/v2/products/" + ref("product"), body: fmt.Sprintf(`{"name": %q}`, name())}
	case 8:
		s = traceStep{method: "POST", path: "/v2/products/" + ref("product") + one("/archive", "/restore")}
	case 9:
		s = traceStep{method: "DELETE", path: one("/v2/products/"+ref("product"), "/v2/categories/"+ref("category"),
			"/v2/stocks/"+ref("stock"), "/v2/features/"+ref("feature"))}
	case 10, 11:
		s = traceStep{method: "POST", path: "/v2/sync-gate/products" + one("", "?atomic=true", "?dry_run=true"),
			as: "exchange", body: fmt.Sprintf(
				`{"payload": [{"id": "%d", "name": %q, "variants": [{"id": 1, "price": %s}]},
			{"id": "%d", "name": %q}]}`, r.IntN(9), name(), price(), r.IntN(9), name())}
	case 12:
		s = traceStep{method: "POST", path: "/v2/sync-gate/prices", as: "exchange", body: fmt.Sprintf(
			`{"payload": [{"product_id": "%d", "variant_id": "1", "price": %s}]}`, r.IntN(9), price())}
	case 13, 14:
		s = traceStep{method: "GET", path: "/v2/products?with=facets&sort=" + one("name", "-name", "price", "-price",
			"created_at", "-created_at", "colour") + one("", "&q=shirt", "&q=%D1%84%D1%83%D1%82", "&price[from]=7",
			"&price[to]=10.5", "&in_stock=true", "&archived=any", "&per_page=2&page=2"), as: one("", "publishable")}
	case 15:
		s = traceStep{method: "GET", path: "/v2/products/" + ref("product"), as: one("", "publishable")}
	case 16:
		s = traceStep{method: "GET", path: one("/v2/categories", "/v2/stocks", "/v2/features?with=values",
			"/v2/variant-options?with=values", "/v2/orders", "/v2/store?with=settings") +
			one("", "?q=s", "?per_page=x")}
	case 17:
		s = traceStep{"POST", "/v2/orders", fmt.Sprintf(`{"items": [{"variant_id": "%s", "quantity": %s}]}`,
			ref("variant"), one("1", "2", "0.5", "0")), one("", "publishable"), "order", ""}
	case 18:
		s = traceStep{method: "POST", path: "/v2/orders/" + ref("order") + "/submit",
			body: `{"contact": {"name": "Anna", "phone": "+491234567"}}`}
	case 19:
		s = traceStep{method: "POST", path: "/v2/orders/" + ref("order") + one("/confirm", "/complete", "/cancel"),
			body: `{}`}
	case 20:
		s = traceStep{method: "GET", path: "/v2/orders/" + ref("order")}
	default:
		s = traceStep{method: "POST", path: "/v2/products", body: one(`{`, `[]`, `{"name": 7}`, `{"variants": {}}`,
			`{"name": "x", "categories": ["nonsense"]}`, `{"name": "\u0000"}`)}
	}

	return s
}

// traceServer remembers what a trace has created on a server.
type traceServer struct {
	*apitest.Server
	created map[string][]string
	ids     []string // in the order in which responses showed them
}

var (
	tracePlaceholder = regexp.MustCompile(`\{([a-z]+):(\d+)\}`)
	traceID          = regexp.MustCompile(
		`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|ot_[A-Z2-7]{20,}`)
)

func (s *traceServer) expand(text string) string {
	return tracePlaceholder.ReplaceAllStringFunc(text, func(found string) string {
		m := tracePlaceholder.FindStringSubmatch(found)
		list := s.created[m[1]]
		if len(list) == 0 {
			return "00000000-0000-7000-8000-000000000000"
		}
		var at int
		_, _ = fmt.Sscan(m[2], &at) // the pattern matches numbers
		return list[min(at, len(list)-1)]
	})
}

// send sends a request and returns the response with numbered ids. The clock moves before each request, so that lists
// by date have one order.
func (s *traceServer) send(step traceStep) (status int, response string) {
	s.Clock.Advance(time.Second)
	options := []apitest.RequestOption{apitest.As(map[string]string{"": s.Secret, "publishable": s.Publishable,
		"exchange": s.Exchange}[step.as])}
	if step.key != "" {
		options = append(options, apitest.Header("Idempotency-Key", step.key))
	}

	var body any
	if step.body != "" {
		body = s.expand(step.body)
	}

	r := s.Do(step.method, s.expand(step.path), body, options...)
	if r.Status == 201 && step.creates != "" {
		s.created[step.creates] = append(s.created[step.creates], r.Text("data.id"))
		if step.creates == "product" && r.Len("data.variants") > 0 {
			s.created["variant"] = append(s.created["variant"], r.Text("data.variants.0.id"))
		}
	}

	text := strings.ReplaceAll(string(r.Body), r.Header.Get("X-Request-Id"), "{request_id}")
	text = fmt.Sprintf("%d %s %s\n%s", r.Status, r.Header.Get("ETag"), r.Header.Get("Retry-After"), text)
	return r.Status, traceID.ReplaceAllStringFunc(text, func(id string) string {
		at := slices.Index(s.ids, id)
		if at < 0 {
			at = len(s.ids)
			s.ids = append(s.ids, id)
		}
		return fmt.Sprintf("{id %d}", at)
	})
}
