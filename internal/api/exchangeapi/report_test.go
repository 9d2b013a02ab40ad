package exchangeapi_test

import (
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

// What the person who connects an accounting system sees: how a push ended, what was ignored, what is waited for.
func TestGateReports(t *testing.T) {
	t.Parallel()
	runCases(t, []testCase{
		{"the outcome says how a push ended", checkOutcomes},
		{"pending references are listed for both forms of the token", checkPending},
		{"a price on the product itself is a warning", checkMisplacedPrice},
		{"marks and bare lists are accepted", checkLenientBodies},
		{"a body in another encoding is refused with advice", checkEncodings},
		{"an unknown entity is 404 and the entities are listed", checkUnknownEntity},
	})
}

func checkOutcomes(s gateServer) {
	good := `{"id": "o1", "name": "x"}`
	bad := `{"id": "o2"}`
	for _, c := range []struct{ want, path, body string }{
		{"clean", "stocks", good},
		{"with_errors", "stocks", good + "," + bad},
		{"nothing_applied", "stocks", bad},
		{"nothing_applied", "stocks?atomic=true", good + "," + bad},
		{"with_warnings", "categories", `{"id": "o3", "name": "x", "parent_id": "unknown"}`},
		{"nothing_applied", "stocks", "nonsense"},
	} {
		r := s.Do("POST", s.path(c.path), `{"payload": [`+c.body+`]}`)
		run := "data"
		if r.Status != 200 {
			run = "run"
		}
		if got := r.Text(run + ".outcome"); got != c.want {
			s.t.Errorf("%s %s: the outcome is %s, want %s", c.path, c.body, got, c.want)
		}
	}

	r := s.OK(202, "POST", s.path("stocks"), `{"payload": []}`, header("Prefer", "respond-async"))
	if r.Text("data.outcome") != "null" {
		s.t.Errorf("a queued run has the outcome %s", r.Text("data.outcome"))
	}
	if r := s.waitFinished(r.Header.Get("Location")); r.Text("data.outcome") != "clean" {
		s.t.Errorf("%s", r.Body)
	}
}

func checkPending(s gateServer) {
	s.push("products", `{"payload": [
		{"id": "w1", "name": "x", "categories": ["w-shirts"], "features": [{"id": "w-material", "value_id": "coton"}]},
		{"id": "w2", "name": "x", "categories": ["w-shirts"]}]}`)
	var whole []string
	for _, r := range []*apitest.Response{
		s.Get(s.path("pending")), s.Get(gatePrefix+"pending", apitest.As(s.Exchange)),
	} {
		whole = append(whole, r.Text("data"))
		if r.Text("data.0.id") != "w-shirts" || r.Text("data.0.entity") != "categories" ||
			r.Text("data.0.value_id") != "null" || r.Text("data.0.wanted_by") != "2" ||
			!r.Has("data.0.first_seen_at.iso_utc") ||
			!strings.Contains(r.Text("data"), `"id":"w-material","value_id":"coton","wanted_by":1`) ||
			r.Text("meta.next_cursor") != "null" {
			s.t.Errorf("%s", r.Body)
		}
	}

	if whole[0] != whole[1] {
		s.t.Errorf("the two forms differ:\n%s\n%s", whole[0], whole[1])
	}

	first := s.Get(s.path("pending?per_page=1"))
	second := s.Get(s.path("pending?per_page=1&cursor=" + first.Text("meta.next_cursor")))
	if first.Len("data") != 1 || second.Len("data") != 1 || first.Text("data.0.id") == second.Text("data.0.id") {
		s.t.Errorf("%s\n%s", first.Body, second.Body)
	}

	s.WantProblem("400 malformed_query", "GET", s.path("pending?cursor=x"), nil)
	s.WantProblem("401 invalid_exchange_token", "GET", gatePrefix+"pending", nil, apitest.As("xt_unknown"))
	s.push("categories", `{"payload": [{"id": "w-shirts", "name": "Shirts"}]}`)

	if r := s.Get(s.path("pending")); strings.Contains(r.Text("data"), "w-shirts") {
		s.t.Errorf("a category that has arrived is pending: %s", r.Body)
	}
}

func checkMisplacedPrice(s gateServer) {
	r := s.push("products", `{"payload": [{"id": "m1", "name": "x", "price": 5, "sku": "A"}, {"id": "m2", `+
		`"name": "x", "variant_price": 5}]}`)
	if counts(r, "data") != "2 2 0 0 0 3" || r.Text("data.warnings_list.0.code") != "no_variants" ||
		!strings.Contains(r.Text("data.warnings_list.0.message"), "price and sku belong to a variant") ||
		r.Text("data.warnings_list.1.code") != "unused_members" ||
		r.Text("data.warnings_list.2.code") != "no_variants" ||
		r.Text("data.ignored.0.did_you_mean") != "variants[].price" || r.Text("data.outcome") != "with_warnings" {
		s.t.Errorf("%s", r.Body)
	}
}

func checkLenientBodies(s gateServer) {
	for _, body := range []string{
		"\ufeff" + `{"payload": [{"id": "l1", "name": "x"}]}`, `[{"id": "l1", "name": "x"}]`,
		"\ufeff\n" + `[{"id": "l1", "name": "x"}]`,
	} {
		if r := s.push("stocks", body); r.Text("data.received") != "1" || r.Text("data.failed") != "0" {
			s.t.Errorf("%q: %s", body, r.Body)
		}
	}
	r := s.push("stocks", "\ufeff"+`{"id": "l1", "name": "x"}`, header("Content-Type", ndjson))
	if r.Text("data.received") != "1" || r.Text("data.failed") != "0" {
		s.t.Errorf("%s", r.Body)
	}
}

func checkEncodings(s gateServer) {
	for _, c := range []struct{ media, body, want string }{
		{"application/json", "\xff\xfe{\x00}\x00", "looks like UTF-16; send JSON in UTF-8"},
		{"application/json", "{\x00}\x00", "looks like UTF-16; send JSON in UTF-8"},
		{ndjson, "\x00{\x00}", "looks like UTF-16; send JSON in UTF-8"},
		{"application/json", string(gzipped("{}")), "send it with the header Content-Encoding: gzip"},
		{"application/json", `{"payload": [{"id": 1, "name": "` + "\xd1\xea\xeb\xe0\xe4" + `"}]}`,
			"looks like Windows-1251; send UTF-8"},
		{"application/json", `{"id": 1, "name": "A"}` + "\n" + `{"id": 2, "name": "B"}`, "application/x-ndjson"},
		{"application/json", "{\"payload\": [\n  {\"id\": 1; \"name\": 2}]}",
			"line 2, column 11, at the character ';'"},
	} {
		r := s.Do("POST", s.path("stocks"), c.body, header("Content-Type", c.media))

		if r.Problem() != "400 malformed_json" || !strings.Contains(r.Text("detail"), c.want) ||
			r.Text("run.outcome") != "nothing_applied" {
			s.t.Errorf("%q: %s, want %q", c.body, r.Body, c.want)
		}
	}
}

func checkUnknownEntity(s gateServer) {
	for _, r := range []*apitest.Response{
		s.Do("POST", s.path("product"), `{"payload": []}`), s.Do("GET", s.path("product"), nil),
		s.Do("POST", gatePrefix+"product", `{"payload": []}`, apitest.As(s.Exchange)),
	} {
		if r.Problem() != "404 no_such_path" || !strings.Contains(r.Text("detail"), "products, ") ||
			!strings.Contains(r.Text("detail"), "variant-options") || strings.Contains(string(r.Body), s.Exchange) {
			s.t.Errorf("%d %s", r.Status, r.Body)
		}
	}
	if r := s.Do("GET", "/v2/nowhere", nil); strings.Contains(r.Text("detail"), "variant-options") {
		s.t.Errorf("%s", r.Body)
	}
}
