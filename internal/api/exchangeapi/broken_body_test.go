package exchangeapi_test

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

// jsonList returns a JSON list of n elements. In each element, % is replaced by the number of the element.
func jsonList(n int, element string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = strings.ReplaceAll(element, "%", fmt.Sprint(i))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// A product that exceeds a limit fails, and its error names the member. The valid product that follows it is applied.
func TestPush_reportsExceededLimits(t *testing.T) {
	t.Parallel()
	const variant = `{"id": "ID", "name": "x", "variants": [{"id": 1, "price": 1, MORE}]}`

	cases := [][2]string{ // field and code of the error, and the item
		{"variants[0].options too_many", strings.Replace(variant, "MORE",
			`"options": `+jsonList(10_000, `{"id": %, "value_id": 1}`), 1)},
		{"variants[0].remainders too_many", strings.Replace(variant, "MORE",
			`"remainders": `+jsonList(1001, `{"stock_id": %, "quantity": 1}`), 1)},
		{"variants too_many", `{"id": "ID", "name": "x", "variants": ` + jsonList(10_001, `{"id": %, "price": 1}`) +
			`}`},
		{"images too_many", `{"id": "ID", "name": "x", "images": ` + jsonList(300, `"https://shop.example/%.jpg"`) +
			`}`},
		{"features too_many", `{"id": "ID", "name": "x", "features": ` + jsonList(1001, `{"id": %, "value_id": 1}`) +
			`}`},
		{"categories too_many", `{"id": "ID", "name": "x", "categories": ` + jsonList(1001, `%`) + `}`},
		{"variants[2].id duplicate_id",
			`{"id": "ID", "name": "x", "variants": [{"id": 7, "price": 1}, {"id": 8, "price": 1}, {"id": "7", ` +
				`"price": 1}]}`},
		{"variants[0].options[1].id duplicate_option", strings.Replace(variant, "MORE",
			`"options": [{"id": "size", "value_id": 1}, {"id": "size", "value_id": 2}]`, 1)},
		{"variants[0].remainders[1].stock_id duplicate_stock",
			strings.Replace(variant, "MORE",
				`"remainders": [{"stock_id": 1, "quantity": 1}, {"stock_id": "1", "quantity": 1}]`, 1)},
		{"description too_long", `{"id": "ID", "name": "x", "description": "` + strings.Repeat("ä", 65_537) + `"}`},
		{"variants[1].id required", `{"id": "ID", "name": "x", "variants": [{"id": 1, "price": 1}, {"price": 1}]}`},
		{"images[0] too_long", `{"id": "ID", "name": "x", "images": ["https://shop.example/` +
			strings.Repeat("x", 2048) + `"]}`},
	}

	apitest.Sampled(t, func(t *testing.T, shared *apitest.Server) {
		s := gateServer{shared, t}
		var items []string
		for i, c := range cases {
			items = append(items, strings.Replace(c[1], "ID", fmt.Sprint("bad", i), 1), validItem("products", i))
		}

		r := s.push("products", payload(items))
		if got := counts(r, "data"); got != fmt.Sprintf("%d %d 0 0 %d %d", 2*len(cases), len(cases), len(cases),
			len(cases)) {
			t.Errorf("the counts are %s", got)
		}

		if r.Len("data.errors") != len(cases) {
			t.Fatalf("%s", r.Text("data.errors"))
		}

		for i, c := range cases {
			at := fmt.Sprintf("data.errors.%d.", i)
			got := r.Text(at+"index") + " " + r.Text(at+"id") + " " + r.Text(at+"field") + " " + r.Text(at+"code")
			if want := fmt.Sprintf("%d bad%d %s", 2*i, i, c[0]); got != want {
				t.Errorf("the error is %q, want %q", got, want)
			}
		}

		if total := s.Get("/v2/products").Text("meta.total"); total != fmt.Sprint(len(cases)) {
			t.Errorf("the store has %s products, want %d", total, len(cases))
		}
	})
}

// brokenLines are lines of NDJSON that are not valid items.
var brokenLines = []string{
	`{`, `}`, `{"id": 1,}`, `nonsense`, `{"id": 1} {"id": 2}`, `{"id": 1, "id": 1}`, `{"id": 1, "name": "\ud800"}`,
	"{\"id\": \"\xff\"}", "\xef\xbb\xbf{\"id\": 1}", "{\"id\": \"\x00\"}", "\x00",
	`{"id": 01}`, `{'id': 1}`, `{"id": 1, "x": ` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}`, `null`, `7`,
	`"x"`, `[]`, `[{"id": 1, "name": "x"}]`, `{"id": NaN}`,
	`{"id": 1, "filling": "` + strings.Repeat("x", 8<<20) + `"}`,
}

// Each broken line is one failed item, and its reject is the line as it was sent. The valid line after it is applied.
func TestPush_appliesLinesBetweenBrokenOnes(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, shared *apitest.Server) {
		s := gateServer{shared, t}
		var body strings.Builder
		for i, line := range brokenLines {
			fmt.Fprintf(&body, "%s\n%s\r\n", line, validItem("stocks", i))
		}

		r := s.push("stocks", body.String(), header("Content-Type", ndjson))
		n := len(brokenLines)
		if got := counts(r, "data"); got != fmt.Sprintf("%d %d 0 0 %d 0", 2*n, n, n) {
			t.Errorf("the counts are %s", got)
		}

		for i, index := range r.Texts("data.errors", "index") {
			if index != fmt.Sprint(2*i) {
				t.Errorf("error %d is of line %s: %s", i, index, r.Text(fmt.Sprintf("data.errors.%d", i)))
			}
		}

		rejects := strings.Split(strings.TrimSuffix(string(s.Get(s.path("runs/"+r.Text("data.id")+"/rejects")).Body),
			"\n"), "\n")
		for i, line := range brokenLines[:n-1] { // the last one is too long, so its reject is truncated
			if i >= len(rejects) || rejects[i] != line {
				t.Fatalf("reject %d of %d differs from %q", i, len(rejects), line)
			}
		}
	})
}

// A truncated document gets a 400, and the complete items before the cut are applied.
func TestPush_appliesItemsBeforeTruncation(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, shared *apitest.Server) {
		s := gateServer{shared, t}
		items := []string{validItem("stocks", 0), validItem("stocks", 1), `{"id": "odd", "name": "[{\"}], "}`}
		body := payload(items)
		var ends []int
		for _, item := range items {
			ends = append(ends, strings.Index(body, item)+len(item))
		}

		for cut := 1; cut < len(body); cut += 1 + cut%5 {
			whole := 0
			for _, end := range ends {
				if end <= cut {
					whole++
				}
			}

			r := s.Do("POST", s.path("stocks"), body[:cut])
			if r.Problem() != "400 malformed_json" || r.Text("run.received") != fmt.Sprint(whole) ||
				r.Text("run.failed") != "0" {
				t.Errorf("cut at %d of %q: %s, want %d items applied", cut, body, r.Body, whole)
			}

			background := s.OK(202, "POST", s.path("stocks"), body[:cut], header("Prefer", "respond-async"))
			if cut > 100 {
				r = s.waitFinished(background.Header.Get("Location"))
				if r.Text("data.status") != "failed" || r.Text("data.problem.code") != "malformed_json" ||
					r.Text("data.received") != fmt.Sprint(whole) {
					t.Errorf("in the background, cut at %d: %s", cut, r.Body)
				}
			}
		}

		if got := s.push("stocks", body); counts(got, "data") != "3 0 0 3 0 0" {
			t.Errorf("push of the whole document: %s", got.Body)
		}
	})
}

// If the client disconnects, the items that it has sent are applied. If the push was to be applied in the background
// (Prefer: respond-async), none of its items is applied.
func TestPush_appliesItemsBeforeDisconnect(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, shared *apitest.Server) {
		s := gateServer{shared, t}
		for i, c := range []struct {
			prefer  string
			length  int // a small body is read whole before its push has a run
			created string
		}{{"wait=1", 100_000, "1"}, {"respond-async", 1000, "0"}, {"wait=1", 1000, "1"}} {
			conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
			if err != nil {
				t.Fatal(err)
			}

			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nPrefer: %s\r\n"+
				"Content-Length: %d\r\n\r\n{\"payload\": [%s, ", s.path("stocks"), c.prefer, c.length,
				validItem("stocks", i))
			if i == 2 {
				_ = conn.Close()
			}

			storetest.Eventually(s.t, "the push has a run",
				func() bool { return s.Get(s.path("runs")).Len("data") > i })
			_ = conn.Close()
			run := s.waitFinished(s.path("runs/" + s.Get(s.path("runs?per_page=1")).Text("data.0.id")))
			if run.Text("data.status") != "failed" || run.Text("data.problem.code") != "body_incomplete" ||
				run.Text("data.created") != c.created {
				t.Errorf("Prefer: %s: %s", c.prefer, run.Body)
			}
		}

		// The push in the background was not received completely, so none of its items was applied.
		if got := s.Get("/v2/stocks").Texts("data", "external_id"); !slices.Equal(got, []string{"g0", "g2"}) {
			t.Errorf("the stocks are %q, want g0 and g2", got)
		}
	})
}
