package apitest

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/databasetest"
)

func TestEach_servesTwoStores(t *testing.T) {
	Each(t, func(t *testing.T, s *Server) {
		created := s.OK(201, "POST", "/v2/variant-options?with=values", `{"name": "Size", "values": [{"name": "S"}]}`)
		if got := created.Text("data.store_id"); got != s.StoreID.String() {
			t.Errorf("the option belongs to store %s, want %s", got, s.StoreID)
		}
		if got := s.Get("/v2/variant-options", As(s.Publishable)).Len("data"); got != 1 {
			t.Errorf("%d options are listed, want 1", got)
		}
		if got := s.WithKeys(s.Other).Get("/v2/variant-options").Len("data"); got != 0 {
			t.Errorf("the other store sees %d options, want none", got)
		}

		if got := created.Text("data.created_at.iso_utc"); got != "2026-11-14T12:00:05+00:00" {
			t.Errorf("created_at is %s, want the time of the clock", got)
		}
		if got := s.StartNode().Get("/v2/variant-options").Len("data"); got != 1 {
			t.Errorf("a second node sees %d options, want 1", got)
		}

		if s.DoAdmin("GET", "/healthz", nil).Status != 200 ||
			!strings.Contains(s.Metrics(), "vitrine_http_requests_total") {
			t.Error("the admin listener does not respond")
		}
	})
}

func TestDump_showsChangesButNotKeyUse(t *testing.T) {
	Each(t, func(t *testing.T, s *Server) {
		before := s.Dump()
		if len(before["stores"]) != 2 || len(before["credentials"]) != 6 {
			t.Fatalf("the dump has %d stores and %d credentials, want 2 and 6", len(before["stores"]),
				len(before["credentials"]))
		}

		s.Get("/v2/store")
		s.Write(func(ctx context.Context, q database.Querier) error {
			_, err := q.Exec(ctx, "UPDATE credentials SET last_used_at = 1")
			return err
		})

		if diff := before.Diff(s.Dump()); diff != "" {
			t.Errorf("using a key changed the dump: %s", diff)
		}

		created := s.OK(201, "POST", "/v2/features",
			`{"name": "Weight", "field_type": "range", "values": [{"name": "1.5"}]}`, Header("Idempotency-Key", "k"))
		diff := before.Diff(s.Dump())
		for _, want := range []string{"name=Weight", "name=1.5", "fingerprint=", "sealed="} {
			if !strings.Contains(diff, want) {
				t.Errorf("the dump does not show %s", want)
			}
		}

		s.OK(204, "DELETE", "/v2/features/"+created.Text("data.id"), nil)
		if diff := before.Diff(s.Dump()); strings.Contains(diff, " name=Weight") { // the log has its label
			t.Error("the dump shows a deleted feature")
		}
	})
}

// recordingTB records failures instead of reporting them.
type recordingTB struct {
	testing.TB
	failures []string
}

func (w *recordingTB) Helper() {}

func (w *recordingTB) Errorf(format string, _ ...any) { w.failures = append(w.failures, format) }

func (w *recordingTB) wantFailures(t *testing.T, what string, want int) {
	t.Helper()
	if len(w.failures) != want {
		t.Errorf("%s: %d failures %q, want %d", what, len(w.failures), w.failures, want)
	}
	w.failures = nil
}

func TestWantProblem_reportsOtherProblemsAndChanges(t *testing.T) {
	s := StartServer(t, database.SQLite)
	w := &recordingTB{TB: t}
	watched := s.WithTB(w)
	watched.WantProblem("422 name required", "POST", "/v2/features", `{}`)
	w.wantFailures(t, "the expected problem", 0)
	watched.WantProblem("422 name too_long", "POST", "/v2/features", `{}`)
	w.wantFailures(t, "another problem", 1)
	watched.WantProblem("201", "POST", "/v2/features", `{"name": "x"}`)
	w.wantFailures(t, "a changed database", 1)
}

func TestCheck_reportsInvalidResponses(t *testing.T) {
	const good = `{"type":"urn:x","title":"t","status":404,"detail":"d","code":"not_found","request_id":"r"}`

	header := func(contentType string) http.Header {
		return http.Header{"X-Request-Id": {"r"}, "X-Content-Type-Options": {"nosniff"}, "Content-Type": {contentType}}
	}
	problem := func(status int, old, new string) Response {
		body := []byte(strings.Replace(good, old, new, 1))
		return Response{Status: status, Body: body, Header: header("application/problem+json")}
	}
	for _, c := range []struct {
		name  string
		r     Response
		valid bool
	}{
		{"valid", problem(404, "", ""), true},
		{"plain text", Response{Status: 404, Body: []byte(good), Header: header("text/plain")}, false},
		{"another status", problem(400, "", ""), false},
		{"another request id", problem(404, `"r"`, `"q"`), false},
		{"an unknown member", problem(404, `{`, `{"trace":"x",`), false},
		{"a code that is not snake case", problem(404, `not_found`, `Not found`), false},
		{"422 without errors", problem(422, `404`, `422`), false},
		{"429 without Retry-After", problem(429, `404`, `429`), false},
		{"500", problem(500, `404`, `500`), false},
		{"a redirect", Response{Status: 301, Header: header("")}, false},
		{"no request id", Response{Status: 200, Header: http.Header{"X-Content-Type-Options": {"nosniff"}}}, false},
	} {
		w := &recordingTB{TB: t}
		c.r.tb = w
		c.r.check()
		if valid := len(w.failures) == 0; valid != c.valid {
			t.Errorf("%s: valid is %t, want %t: %q", c.name, valid, c.valid, w.failures)
		}
	}
}

func TestGolden_replacesIDsAndDates(t *testing.T) {
	s := StartServer(t, database.SQLite)

	const file = `### Make one
# A remark.
POST /v2/variant-options?with=values

{"name": "Size", "values": [{"name": "S"}]}

HTTP 201
Location: /v2/variant-options/{id:1}
ETag: "v1"
! secret
! sk_

{
  "data": {
    "id": "{id:1}",
    "store_id": "{store}",
    "name": "Size",
    "created_at": "{date}",
    "updated_at": "{date}",
    "values": [{"id": "{id:2}", "name": "S"}]
  }
}

### Rename its value
PUT /v2/variant-options/{id:1}?with=values
If-Match: "v1"

{"values": [{"id": "{id:2}", "name": "Small"}]}

HTTP 200
ETag: "v2"

{
  "data": {
    "id": "{id:1}",
    "store_id": "{store}",
    "name": "Size",
    "created_at": "{date}",
    "updated_at": "{date}",
    "values": [{"id": "{id:2}", "name": "Small"}]
  }
}

### Without a key
GET /v2/variant-options/{id:1}
Authorization: -

HTTP 401
Content-Type: application/problem+json

{
  "type": "urn:vitrine:problem:credential_required",
  "title": "Unauthorized",
  "status": 401,
  "detail": "Send a key with the header Authorization: Bearer pk_… or sk_….",
  "code": "credential_required",
  "request_id": "{request_id}"
}
`

	run := func(text string) (string, *recordingTB) {
		exchanges, err := parseGolden(text)
		if err != nil {
			t.Fatal(err)
		}

		w := &recordingTB{TB: t}
		names := newPlaceholders(s.Keys)
		for i := range exchanges {
			s.WithTB(w).runCase(&exchanges[i], names)
		}

		return formatGolden(exchanges), w
	}

	got, w := run(file)
	if got != file {
		t.Errorf("got:\n%s\nwant:\n%s", got, file)
	}

	w.wantFailures(t, "no forbidden text", 0)

	if got, _ := run(strings.Replace(file, "HTTP 201", "HTTP 200", 1)); got != file {
		t.Error("the expected status in the file changed the result")
	}

	_, w = run(strings.Replace(file, "! secret", "! Size", 1))
	w.wantFailures(t, "forbidden text in the body", 1)
	_, w = run(strings.Replace(file, "! secret", `! "v1"`, 1))
	w.wantFailures(t, "forbidden text in a header", 1)
}

func TestParseGolden_refusesInvalidFiles(t *testing.T) {
	for _, text := range []string{"GET /\n", "### x\n", "### x\nGET\n", "### x\nGET v2\n"} {
		if _, err := parseGolden(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

func TestProxy_refusesConnectionsWhileDisabled(t *testing.T) {
	databaseURL := databasetest.NewMigratedURL(t, database.Postgres)
	p := NewProxy(t, databaseURL)
	if u, err := url.Parse(p.URL); err != nil || u.Host == p.target {
		t.Fatalf("the URL %s does not point to the proxy", p.URL)
	}

	db, err := database.Open(t.Context(), database.Config{URL: p.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()

	p.Disable()
	if err := db.Ping(t.Context()); err == nil {
		t.Error("the database is reachable through a disabled proxy")
	}

	p.Enable()
	if err := db.Ping(t.Context()); err != nil {
		t.Errorf("the database is not reachable through the enabled proxy: %v", err)
	}
}

func TestNewKey_belongsToTheStore(t *testing.T) {
	s := StartServer(t, database.SQLite)
	key, token := s.NewKey(access.NewKey{Kind: access.SecretKey})
	if key.StoreID != s.StoreID {
		t.Errorf("the key belongs to store %s, want %s", key.StoreID, s.StoreID)
	}
	s.Get("/v2/store", As(token))
}

func TestDiff_listsRows(t *testing.T) {
	before := Dump{"t": {"a", "b", "b", "d"}, "u": nil}
	if got := before.Diff(Dump{"t": {"a", "b", "b", "d"}, "u": {}}); got != "" {
		t.Errorf("equal dumps differ: %s", got)
	}
	if got, want := before.Diff(Dump{"t": {"a", "b", "c"}, "u": {"x"}}), "- t b\n- t d\n+ t c\n+ u x\n"; got != want {
		t.Errorf("the difference is\n%s\nwant\n%s", got, want)
	}
}
