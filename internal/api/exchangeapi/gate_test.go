package exchangeapi_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	stdcontext "context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"vitrine/internal/api/exchangeapi"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

type context = stdcontext.Context

const (
	gatePrefix = "/v2/sync-gate/"
	unknownID  = "018f0000-0000-7000-8000-000000000000"
	ndjson     = "application/x-ndjson"
)

// gateServer is an API server with two stores, for one test or one case of a test.
type gateServer struct {
	*apitest.Server
	t *testing.T
}

// runCases runs the cases on each database engine. The cases of an engine share one server.
func runCases(t *testing.T, cases []testCase) {
	t.Helper()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		for _, c := range cases {
			t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) { c.check(gateServer{s.WithTB(t), t}) })
		}
	}, apitest.Alone())
}

type testCase struct {
	name  string
	check func(s gateServer)
}

// path returns a path of the gate with the store's token.
func (s gateServer) path(path string) string { return gatePrefix + s.Exchange + "/" + path }

// push pushes a body to an entity and requires the status 200. The parameter entity may end with a query.
func (s gateServer) push(entity, body string, options ...apitest.RequestOption) *apitest.Response {
	s.t.Helper()
	return s.OK(200, "POST", s.path(entity), body, options...)
}

// counts returns the counts of the run in a response: received, created, updated, unchanged, failed, warnings.
func counts(r *apitest.Response, run string) string {
	var list []string
	for _, name := range []string{"received", "created", "updated", "unchanged", "failed", "warnings"} {
		list = append(list, r.Text(run+"."+name))
	}
	return strings.Join(list, " ")
}

// waitFinished waits until a run is finished, and returns the response with it.
func (s gateServer) waitFinished(path string) *apitest.Response {
	s.t.Helper()
	var r *apitest.Response
	storetest.Eventually(s.t, "the run is finished", func() bool {
		r = s.Get(path, apitest.As(s.Exchange))
		status := r.Text("data.status")
		return status != "queued" && status != "running"
	})
	return r
}

func header(name, value string) apitest.RequestOption { return apitest.Header(name, value) }

func gzipped(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, text)
	_ = z.Close()
	return b.Bytes()
}

// stocksPayload returns the document of a push of n stocks.
func stocksPayload(n int) string {
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf(`{"id": "n%d", "name": "Stock %d"}`, i, i)
	}
	return `{"payload": [` + strings.Join(items, ",") + `]}`
}

func TestGate(t *testing.T) {
	t.Parallel()
	runCases(t, []testCase{
		{"every invalid token gets the same 401", checkInvalidTokens},
		{"a token may push only the entities of its scopes", checkScopes},
		{"a run is visible to its own token only", checkRunIsolation},
		{"responses must not be cached", checkCacheHeaders},
		{"every format and encoding of a body is accepted", checkBodyFormats},
		{"a malformed body is refused with the run", checkMalformedBodies},
		{"invalid parameters are refused", checkParameters},
		{"the problem of a failed push has the run", checkRunInProblem},
		{"a push in the background is accepted at once", checkBackgroundPush},
		{"runs and their notes are listed by cursor", checkPaging},
		{"rejects are lines that can be pushed again", checkRejects},
		{"revert restores the products that a run archived", checkRevert},
	})
}

func checkInvalidTokens(s gateServer) {
	revoked, revokedToken := s.NewKey(access.NewKey{Kind: access.ExchangeToken})
	soon := s.Clock.Now().Add(time.Minute)
	_, expired := s.NewKey(access.NewKey{Kind: access.ExchangeToken, ExpiresAt: &soon})
	s.Write(func(ctx context, q database.Querier) error {
		return s.App.Access.RevokeKey(ctx, store.In(q, s.StoreID), revoked.ID)
	})
	s.OK(200, "POST", gatePrefix+expired+"/stocks", `{"payload": []}`)
	s.Clock.Advance(time.Minute)
	first := s.WantProblem("401 invalid_exchange_token", "POST", gatePrefix+"xt_nonsense/products", `{"payload": []}`)

	for _, token := range []string{
		revokedToken, expired, s.Secret, s.Publishable, s.Exchange + "x", s.Exchange[:len(s.Exchange)-1],
		strings.ToUpper(s.Exchange), "-", "%20", "%00", "%FF", "x", strings.Repeat("x", 3000), " ",
	} {
		for _, path := range []string{"products", "runs", "runs/" + unknownID, "runs/" + unknownID + "/rejects"} {
			method := "GET"
			body := any(nil)
			if path == "products" {
				method, body = "POST", "{" // the token is checked before the body
			}

			s.Do(method, gatePrefix+strings.ReplaceAll(token, " ", "%20")+"/"+path, body,
				apitest.As("")).WantSame(first)
			if !strings.Contains(token, "%") {
				s.Do(method, gatePrefix+path, body, apitest.As(token)).WantSame(first)
			}
		}
	}

	for _, as := range []apitest.RequestOption{apitest.As(""), header("Authorization", s.Exchange),
		header("Authorization", "Basic "+s.Exchange), apitest.As(s.Secret)} {
		s.Do("POST", gatePrefix+"products", `{}`, as).WantSame(first)
	}

	if first.Header.Get("WWW-Authenticate") != `Bearer realm="vitrine"` {
		s.t.Errorf("the response has the headers %v", first.Header)
	}

	// Outside of the gate, an exchange token is valid but has no permissions.
	s.WantProblem("403 forbidden", "GET", "/v2/products", nil, apitest.As(s.Exchange))
}

func checkScopes(s gateServer) {
	_, token := s.NewKey(access.NewKey{Kind: access.ExchangeToken, Scopes: []string{"prices", "stocks"}})
	for _, entity := range access.EntityScopes() {
		want := "403 forbidden"
		if entity == "prices" || entity == "stocks" {
			want = "200"
		}

		for _, path := range []string{gatePrefix + token + "/", gatePrefix} {
			if got := s.Do("POST", path+string(entity), `{"payload": []}`, apitest.As(token)).Problem(); got != want {
				s.t.Errorf("%s by a token for prices and stocks: %s, want %s", entity, got, want)
			}
		}

		s.push(string(entity), `{"payload": []}`)
	}

	if n := s.Get(gatePrefix + token + "/runs").Len("data"); n != 4 {
		s.t.Errorf("the token has %d runs, want 4", n)
	}
}

func checkCacheHeaders(s gateServer) {
	run := s.push("stocks", stocksPayload(1)).Text("data.id")
	for _, c := range []struct {
		method, path string
		body         any
		status       int
	}{
		{"POST", s.path("stocks"), `{"payload": []}`, 200}, {"GET", s.path("runs"), nil, 200},
		{"GET", s.path("runs/" + run), nil, 200}, {"GET", s.path("runs/" + run + "/rejects"), nil, 200},
		{"HEAD", s.path("runs"), nil, 200}, {"POST", s.path("stocks"), `{`, 400},
		{"GET", gatePrefix + "x/runs", nil, 401}, {"GET", s.path("runs/x"), nil, 404},
		{"GET", s.path("nothing"), nil, 404}, {"GET", gatePrefix, nil, 404},
		{"GET", gatePrefix + s.Exchange, nil, 404}, {"GET", "/v2//sync-gate/" + s.Exchange + "/runs", nil, 404},
		{"GET", s.path("runs/"), nil, 404}, {"GET", s.path("stocks"), nil, 200}, {"PUT", s.path("stocks"), nil, 405},
		{"DELETE", s.path("runs/" + run), nil, 405},
	} {
		r := s.Do(c.method, c.path, c.body, apitest.As(""))
		h := r.Header
		if r.Status != c.status || h.Get("Cache-Control") != "no-store" || h.Get("Referrer-Policy") != "no-referrer" ||
			h.Get("X-Robots-Tag") != "noindex" {
			s.t.Errorf("%s %s: %d %v", c.method, strings.ReplaceAll(c.path, s.Exchange, "…"), r.Status, h)
		}

		if c.status == 405 && h.Get("Allow") == "" {
			s.t.Errorf("%s: no Allow", c.path)
		}
	}

	// The gate ignores Idempotency-Key, even an invalid one: a push with a repeated key is not replayed.
	for _, key := range []string{"k", "k", strings.Repeat("k", 300)} {
		if r := s.push("stocks", `{"payload": [{"id": "`+fmt.Sprint(len(key))+`", "name": "x"}]}`,
			header("Idempotency-Key", key)); r.Header.Get("Idempotent-Replayed") != "" {
			s.t.Error("a push with an Idempotency-Key was replayed")
		}
	}
}

func checkBodyFormats(s gateServer) {
	pack, _ := zstd.NewWriter(nil)
	document := stocksPayload(3)
	ndjsonBody := `{"id": "n0", "name": "Stock 0"}` + "\n\n" + ` {"id": "n1", "name": "Stock 1"}` + "\r\n" +
		`{"id": "n2", "name": "Stock 2"}`
	s.push("stocks", document)
	for _, c := range []struct {
		media, encoding string
		body            any
	}{
		{"application/json", "", document}, {"application/json; charset=utf-8", "gzip", gzipped(document)},
		{"application/vnd.shop+json", "zstd", pack.EncodeAll([]byte(document), nil)},
		{ndjson, "", ndjsonBody}, {ndjson + "; charset=utf-8", "gzip", gzipped(ndjsonBody)},
		{ndjson, "x-gzip", append(gzipped(ndjsonBody[:32]), gzipped(ndjsonBody[32:])...)},
		{ndjson, "identity", ndjsonBody + "\n"},
		{"application/json", "", io.MultiReader(strings.NewReader(document))}, // without Content-Length
	} {
		r := s.OK(200, "POST", s.path("stocks"), c.body, header("Content-Type", c.media),
			header("Content-Encoding", c.encoding))
		if got := counts(r, "data"); got != "3 0 0 3 0 0" || r.Text("data.status") != "completed" ||
			r.Text("data.entity") != "stocks" {
			s.t.Errorf("%s %s: %s", c.media, c.encoding, r.Body)
		}
	}

	if r := s.OK(200, "POST", s.path("stocks"), "", header("Content-Type", ndjson)); counts(r,
		"data") != "0 0 0 0 0 0" {
		s.t.Errorf("an empty NDJSON body: %s", r.Body)
	}
}

func checkMalformedBodies(s gateServer) {
	item := `{"id": "broken", "name": "x"}`
	s.push("stocks", `{"payload": [`+item+`]}`)
	for _, c := range []struct {
		problem, media, encoding string
		body                     any
		applied                  string // the counts of the run; empty if there is no run
	}{
		{"415 unsupported_media_type", "text/plain", "", `{}`, ""}, {"415 unsupported_media_type", "", "", `{}`, ""},
		{"415 unsupported_media_type", "application/xml", "", `{}`, ""},
		{"415 unsupported_encoding", "application/json", "br", `{}`, ""},
		{"400 malformed_json", "application/json", "", "", ""},
		{"400 malformed_encoding", "application/json", "gzip", `{"payload": []}`, ""},
		{"400 malformed_json", "application/json", "", `{"payload": [` + item + `, nonsense`, "1 0 0 1 0 0"},
		{"400 malformed_json", "application/json", "", `{"payload": [` + item + `]`, "1 0 0 1 0 0"},
		{"400 malformed_encoding", ndjson, "gzip", gzipped(item + "\n" + item)[:40], "1 0 0 1 0 0"},
		{"422 payload required", "application/json", "", `{"items": []}`, "0 0 0 0 0 0"},
		{"422 wrong_type", "application/json", "", `7`, "0 0 0 0 0 0"},
		{"422 payload wrong_type", "application/json", "", `{"payload": {}}`, "0 0 0 0 0 0"},
	} {
		r := s.Do("POST", s.path("stocks"), c.body, header("Content-Type", c.media),
			header("Content-Encoding", c.encoding))
		if got := r.Problem(); got != c.problem {
			s.t.Errorf("%s %s %.40s: %s, want %s", c.media, c.encoding, c.body, got, c.problem)
			continue
		}

		if r.Has("run") != (c.applied != "") {
			s.t.Errorf("%s: %s", c.problem, r.Body)
			continue
		}

		if c.applied == "" {
			continue
		}

		if got := counts(r, "run"); !strings.HasPrefix(c.problem, "400 malformed_encoding") && got != c.applied ||
			r.Text("run.status") != "failed" || r.Text("run.problem.code") != r.Text("code") {
			s.t.Errorf("%s: the counts are %s: %s", c.problem, got, r.Body)
		}

		if found := s.Get(s.path("runs/" + r.Text("run.id"))); found.Text("data") != r.Text("run") {
			s.t.Errorf("the stored run is %s, that in the problem %s", found.Text("data"), r.Text("run"))
		}
	}
}

func checkParameters(s gateServer) {
	for _, bad := range []string{
		"atomic=1", "atomic=", "atomic=TRUE", "dry_run=yes", "dry_run=true&dry_run=true", "archive_missing=x",
		"atomic=true&x=%zz",
	} {
		s.WantProblem("400 malformed_query", "POST", s.path("products")+"?"+bad, `{"payload": []}`)
	}

	for _, share := range []string{"", "1.1", "-0", "NaN", "0x1p-2", "1e-1", ".5", "0,5", "2", "1.0000000000000001"} {
		s.WantProblem("400 malformed_query", "POST", s.path("products")+"?archive_missing=true&max_archive_share="+
			share, `{"payload": []}`)
	}

	for bad, says := range map[string]string{
		"products?dryrun=true": `"dryrun" is not known here; did you mean dry_run? ` +
			`Known are atomic, dry_run, revertible, archive_missing, max_archive_share, dates.`,
		"products?atomic=true&Dry_Run": `"Dry_Run" is not known here; did you mean dry_run?`,
		"products?a%00%FF=1":           `"a\x00\xff" is not known here`,
		"stocks?per_page=1": `"per_page" is not known here; known are atomic, ` +
			`dry_run, revertible, dates.`,
		"stocks?" + strings.Repeat("x", 99):                    `"` + strings.Repeat("x", 64) + `" is not known here`,
		"products?max_archive_share=0.5":                       "send that too",
		"products?archive_missing=false&max_archive_share=0.5": "send that too",
	} {
		if r := s.Do("POST", s.path(bad),
			`{"payload": [{"id": "q1", "name": "x"}]}`); r.Problem() != "400 malformed_query" ||
			!strings.Contains(r.Text("detail"), says) {
			s.t.Errorf("the response to %s is %s", bad, r.Body)
		}
	}

	for _, entity := range access.EntityScopes() {
		for _, name := range []string{"archive_missing=false", "max_archive_share=0.5"} {
			if entity != "products" {
				s.WantProblem("400 malformed_query", "POST", s.path(string(entity))+"?"+name, `{"payload": []}`)
			}
		}
	}

	for _, bad := range []string{"per_page=0", "per_page=251", "per_page=x", "cursor=", "cursor=x",
		"cursor=AAAAAAAAAAAAAAAA", "cursor=AAAAAAAAAAcAAAAA=", "cursor=%00"} {
		s.WantProblem("400 malformed_query", "GET", s.path("runs")+"?"+bad, nil)
	}

	r := s.push("products?atomic=true&dry_run=true&archive_missing=true&max_archive_share=1", `{"payload": []}`)
	if r.Text("data.atomic") != "true" || r.Text("data.dry_run") != "true" {
		s.t.Errorf("%s", r.Body)
	}
}

func checkRunInProblem(s gateServer) {
	s.push("products", `{"payload": [{"id": "r1", "name": "x"}, {"id": "r2", "name": "x"}]}`)
	s.Clock.Advance(time.Second) // products created since a push began do not count as missing from it
	r := s.Do("POST", s.path("products?archive_missing=true&max_archive_share=0.1"),
		`{"payload": [{"id": "r1"}, {"id": "r3", "name": "y"}]}`)
	if r.Problem() != "409 archive_refused" || counts(r, "run") != "2 1 1 0 0 2" && counts(r, "run") != "2 1 0 1 0 2" ||
		r.Text("run.archived") != "0" || r.Text("run.problem.code") != "archive_refused" {
		s.t.Errorf("%s", r.Body)
	}

	r = s.Do("POST", s.path("products?atomic=true"),
		`{"payload": [{"id": "r4", "name": "z"}, {"id": "r5", "label": "z", `+
			`"unit": {"name": "pcs", "kode": "796"}}]}`)
	if r.Problem() != "422 push_rejected" || r.Text("run.failed") != "1" || r.Text("run.errors.0.id") != "r5" ||
		r.Text("run.ignored_fields") != `["label","unit.kode"]` || r.Len("errors") != 0 {
		s.t.Errorf("%s", r.Body)
	}

	if n := s.Get("/v2/products?q=r4").Len("data"); n != 0 {
		s.t.Error("a rejected push created a product")
	}
}

func checkBackgroundPush(s gateServer) {
	for _, prefer := range [][]string{{"respond-async"}, {"Respond-Async; x=\",\", wait=10"},
		{"return=minimal", "wait=5, respond-async"}} {
		r := s.OK(202, "POST", s.path("stocks"), stocksPayload(2), apitest.HeaderLines("Prefer", prefer...))
		run := r.Text("data.id")
		if r.Header.Get("Location") != gatePrefix+"runs/"+run ||
			r.Header.Get("Preference-Applied") != "respond-async" || r.Text("data.status") != "queued" ||
			r.Text("data.finished_at") != "null" || r.Text("data.duration_ms") != "null" {
			s.t.Errorf("the response to Prefer: %q is %v %s", prefer, r.Header, r.Body)
		}

		if got := s.waitFinished(r.Header.Get("Location")); got.Text("data.status") != "completed" ||
			got.Text("data.received") != "2" {
			s.t.Errorf("%s", got.Body)
		}
	}

	for _, prefer := range []string{"respond-async=no", `x="respond-async, y"`, "wait=1", "respond-asynchronously"} {
		if r := s.push("stocks", `{"payload": []}`, header("Prefer",
			prefer)); r.Header.Get("Preference-Applied") != "" || r.Text("data.status") != "completed" {
			s.t.Errorf("the response to Prefer: %s is %s", prefer, r.Body)
		}
	}

	r := s.Do("POST", s.path("stocks"), gzipped(stocksPayload(2000))[:500], header("Content-Encoding", "gzip"),
		header("Prefer", "respond-async"))
	if r.Problem() != "400 malformed_encoding" || r.Text("run.status") != "failed" {
		s.t.Errorf("the response to a truncated body is %d %s", r.Status, r.Body)
	}
}

// allPages reads all pages of a list, and returns a member of each element.
func (s gateServer) allPages(path, member string, perPage int) (list []string) {
	s.t.Helper()
	for cursor := ""; ; {
		r := s.Get(fmt.Sprintf("%s?per_page=%d%s", path, perPage, cursor))
		list = append(list, r.Texts("data", member)...)
		if r.Len("data") > perPage || r.Text("meta.per_page") != fmt.Sprint(perPage) {
			s.t.Fatalf("the response to %s is %s", path, r.Body)
		}
		if r.Text("meta.next_cursor") == "null" {
			return list
		}
		if r.Len("data") != perPage {
			s.t.Fatalf("a page that is not the last has %d elements", r.Len("data"))
		}
		cursor = "&cursor=" + r.Text("meta.next_cursor")
	}
}

func checkPaging(s gateServer) {
	_, token := s.NewKey(access.NewKey{Kind: access.ExchangeToken})
	s.Exchange = token
	var made []string
	for range 4 {
		made = append(made, s.push("stocks", `{"payload": []}`).Text("data.id"))
	}

	slices.Reverse(made)

	for _, perPage := range []int{1, 3, 4, 5} {
		if got := s.allPages(s.path("runs"), "id", perPage); !slices.Equal(got, made) {
			s.t.Errorf("with %d runs per page: %v, want %v", perPage, got, made)
		}
	}

	list := s.Get(s.path("runs?per_page=1"))
	if list.Has("data.0.errors") || list.Has("data.0.warnings_list") || !list.Has("data.0.ignored_fields") {
		s.t.Errorf("an element of the list of runs is %s", list.Text("data.0"))
	}

	items := make([]string, 1003)
	for i := range items {
		items[i] = fmt.Sprintf(`{"id": "p%d"}`, i)
	}

	run := s.push("products", `{"payload": [`+strings.Join(items, ",")+`]}`)
	if run.Len("data.errors") != 1000 || run.Text("data.failed") != "1003" {
		s.t.Errorf("the response has %d errors of %s failed items", run.Len("data.errors"), run.Text("data.failed"))
	}

	errors := s.path("runs/" + run.Text("data.id") + "/errors")
	if got := s.allPages(errors, "index", 250); len(got) != 1003 || got[0] != "0" || got[1002] != "1002" {
		s.t.Errorf("the pages have %d errors, want 1003", len(got))
	}
	if got := s.allPages(s.path("runs/"+run.Text("data.id")+"/warnings"), "index", 250); len(got) != 0 {
		s.t.Errorf("the pages have %d warnings, want none", len(got))
	}

	// The cursor of another list is refused.
	s.WantProblem("400 malformed_query", "GET", errors+"?cursor="+list.Text("meta.next_cursor"), nil)
}

func checkRejects(s gateServer) {
	sent := []string{`{"id": "j1", "name": 7, "weigth": [1, 2]}`, `{"id": "j2"}`,
		"{\n\t\"id\": \"j3\",\r\n \"name\": {}\n}", `{"id": "j4", "name": "ok"}`}
	r := s.push("stocks", `{"payload": [`+strings.Join(sent, ",\n")+`]}`)
	path := s.path("runs/" + r.Text("data.id") + "/rejects")
	got := s.Get(path)
	if want := `{"id": "j2"}` + "\n" + `{ 	"id": "j3",   "name": {} }` + "\n"; string(got.Body) != want ||
		got.Header.Get("Content-Type") != ndjson {
		s.t.Errorf("%s %q, want %q", got.Header.Get("Content-Type"), got.Body, want)
	}

	fixed := strings.ReplaceAll(strings.Replace(string(got.Body), "{}", `"three"`, 1), `"j2"`, `"j2", "name": "two"`)
	if again := s.push("stocks", fixed, header("Content-Type", ndjson)); counts(again, "data") != "2 2 0 0 0 0" {
		s.t.Errorf("%s", again.Body)
	}

	r = s.push("stocks", "nonsense\n{\"id\": \"j4\", \"name\": \"ok\"}\n", header("Content-Type", ndjson))
	if counts(r, "data") != "2 0 0 1 1 0" ||
		string(s.Get(s.path("runs/"+r.Text("data.id")+"/rejects")).Body) != "nonsense\n" {
		s.t.Errorf("%s", r.Body)
	}

	if empty := s.Get(s.path("runs/" + s.push("stocks", `{"payload": []}`).Text("data.id") +
		"/rejects")); len(empty.Body) != 0 || empty.Header.Get("Content-Type") != ndjson {
		s.t.Errorf("rejects of a run without failed items: %v %s", empty.Header, empty.Body)
	}

	large := `{"id": "j5", "filling": "` + strings.Repeat("x", 3<<20) + `"}` // more than the response buffers in memory
	r = s.push("stocks", `{"payload": [`+large+`]}`)
	if got := s.Get(s.path("runs/" + r.Text("data.id") + "/rejects")); string(got.Body) != large+"\n" {
		s.t.Errorf("a large reject has %d bytes, want %d", len(got.Body), len(large)+1)
	}
}

func checkRevert(s gateServer) {
	s.push("products", `{"payload": [{"id": "v1", "name": "x"}, {"id": "v2", "name": "x"}]}`)
	s.Clock.Advance(time.Second)
	r := s.push("products?archive_missing=true&max_archive_share=1", `{"payload": [{"id": "v1"}]}`)
	archived := r.Text("data.archived")
	if archived == "0" || len(s.Get("/v2/products?archived=true").Texts("data", "id")) == 0 {
		s.t.Fatalf("%s", r.Body)
	}
	for range 2 {
		back := s.OK(200, "POST", s.path("runs/"+r.Text("data.id")+"/revert"), nil)
		if back.Text("data.reverted") != archived || s.Get("/v2/products?archived=true").Len("data") != 0 {
			s.t.Errorf("%s", back.Body)
		}
	}
}

func checkRunIsolation(s gateServer) {
	run := s.push("stocks", `{"payload": [{"id": "i"}]}`).Text("data.id")
	_, token := s.NewKey(access.NewKey{Kind: access.ExchangeToken})
	for _, theirs := range []string{token, s.Other.Exchange} {
		for _, path := range []string{"", "/errors", "/warnings", "/rejects"} {
			unknown := s.WantProblem("404 not_found", "GET", gatePrefix+theirs+"/runs/"+unknownID+path, nil)
			for _, id := range []string{run, "x", strings.ToUpper(unknownID)} {
				s.Do("GET", gatePrefix+theirs+"/runs/"+id+path, nil).WantSame(unknown)
			}
		}
		s.WantProblem("404 not_found", "POST", gatePrefix+theirs+"/runs/"+run+"/revert", nil)
		if n := s.Get(gatePrefix + theirs + "/runs").Len("data"); n != 0 {
			s.t.Errorf("another token sees %d runs", n)
		}
	}
}

// A body with a compression ratio that no real data has is refused as a decompression bomb.
func TestPush_refusesDecompressionBomb(t *testing.T) {
	t.Parallel()
	s := gateServer{apitest.StartServer(t, database.SQLite), t}
	mebibyte := gzipped(strings.Repeat(" ", 1<<20))
	r := s.Do("POST", s.path("stocks"), bytes.Repeat(mebibyte, 80), header("Content-Type", ndjson),
		header("Content-Encoding", "gzip"))
	if r.Problem() != "413 decompression_bomb" || r.Text("run.status") != "failed" {
		t.Errorf("80 MiB of blanks in %d bytes: %d %s", 80*len(mebibyte), r.Status, r.Body)
	}
	if r := s.OK(200, "POST", s.path("stocks"), bytes.Repeat(mebibyte, 40), header("Content-Type", ndjson),
		header("Content-Encoding", "gzip")); counts(r, "data") != "0 0 0 0 0 0" {
		t.Errorf("40 MiB of blanks: %s", r.Body) // the ratio is checked only above 64 MiB
	}
}

// An invalid or missing token counts towards the limit of failed credentials per address.
func TestGate_limitsBadTokensPerAddress(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite,
		apitest.WithConfig(func(c *config.Serve) { c.FailedCredentialsPerMinute = 2 }))
	s.WantProblem("401 invalid_exchange_token", "GET", gatePrefix+"xt_x/runs", nil)
	s.WantProblem("401 invalid_exchange_token", "GET", gatePrefix+"runs", nil, apitest.As(""))
	s.WantProblem("429 too_many_failed_credentials", "GET", gatePrefix+"xt_y/runs", nil)
	s.Get(gatePrefix + s.Exchange + "/runs") // a valid token is accepted although the limit is used up
}

// If a token is revoked while its push is received, the push ends at the next item and does not wait for the rest of
// the body.
func TestPush_stopsForIdleClientWhenTokenIsRevoked(t *testing.T) {
	t.Parallel()
	s := gateServer{apitest.StartServer(t, database.SQLite), t}
	key, token := s.NewKey(access.NewKey{Kind: access.ExchangeToken})

	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()

	_ = conn.SetDeadline(time.Now().Add(30 * time.Second)) // shorter than the server's timeout for an idle client
	send := func(text string) {
		if _, err := io.WriteString(conn, text); err != nil {
			t.Fatal(err)
		}
	}
	send("POST " + gatePrefix + token + "/stocks HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\n" +
		"Content-Length: 100000\r\n\r\n") // a small body would be read whole first
	storetest.Eventually(t, "the push has a run", func() bool {
		return s.Get(gatePrefix+token+"/runs").Len("data") > 0
	})
	s.Write(func(ctx context, q database.Querier) error {
		return s.App.Access.RevokeKey(ctx, store.In(q, s.StoreID), key.ID)
	})
	send("{\"id\": 1, \"name\": \"x\"}\n")

	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}

	body, _ := io.ReadAll(answer.Body)
	if answer.StatusCode != 401 || !strings.Contains(string(body), `"code":"invalid_exchange_token"`) ||
		!strings.Contains(string(body), `"run":{`) {
		t.Errorf("%d %s", answer.StatusCode, body)
	}
}

// No request makes the program leak a token in a response, a log, a metric or the database.
func TestGate_neverLeaksExchangeToken(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, shared *apitest.Server) {
		s := gateServer{shared, t}
		run := s.push("stocks", `{"payload": [{"id": "c"}]}`).Text("data.id")
		var answers strings.Builder
		add := func(r *apitest.Response) { fmt.Fprintln(&answers, r.Header, string(r.Body)) }

		for _, route := range exchangeapi.New(exchangeapi.Deps{}).Routes() {
			path := strings.NewReplacer("{token}", s.Exchange, "{id}", run).Replace(route.Path)
			add(s.Do("PATCH", path, nil))
			for _, variant := range []string{
				path, path + "?x=%zz", path + "?cursor=x&atomic=x", path + "/",
				strings.Replace(path, "/v2/", "/v2//", 1), strings.Replace(path, "sync-gate/", "sync-gate%2F", 1),
				strings.Replace(path, "sync-gate", "Sync-Gate", 1),
				strings.Replace(path, run, unknownID, 1), path + "/../x",
			} {
				for _, body := range []any{`{"payload": [{"id": 1, "name": "x"}]}`, `{`} {
					add(s.Do(route.Method, variant, body, apitest.As(""), header("Prefer", "respond-async")))
					add(s.Do(route.Method, strings.Replace(variant, s.Exchange+"/", "", 1), body,
						apitest.As(s.Exchange)))
				}
			}
		}

		s.Clock.Advance(time.Second)

		for where, text := range map[string]string{"a response": answers.String(), "the log": s.Log.String(),
			"the metrics": s.Metrics(), "the database": fmt.Sprint(s.Dump())} {
			if i := strings.Index(text, s.Exchange[3:]); i >= 0 {
				t.Errorf("the token is in %s: …%s…", where, text[max(0, i-200):i])
			}
		}

		if n := len(s.Log.Lines("request")); n < 400 {
			t.Errorf("the log has %d requests, want at least 400", n)
		}

		for _, complaint := range s.Log.WarningsAndErrors() {
			t.Errorf("unexpected log line: %s", complaint)
		}
	}, apitest.Alone())
}
