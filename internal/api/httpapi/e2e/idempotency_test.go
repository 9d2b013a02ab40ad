package e2e

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

func withKey(k string) apitest.RequestOption { return withHeader("Idempotency-Key", k) }

// A request with the same key and bytes within 24 hours gets the first response, with Idempotent-Replayed: true.
func TestIdempotency_replaysFirstResponse(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		first := s.OK(201, "POST", optionsPath+"?with=values", optionBody, withKey("k"))
		if first.Header.Get("Idempotent-Replayed") != "" {
			t.Error("the first response is marked as a replay")
		}

		id := first.Text("data.id")
		s.OK(200, "PUT", optionsPath+"/"+id, `{"name": "Changed since"}`)
		before := s.Dump()
		s.Clock.Advance(24*time.Hour - time.Second)

		for _, k := range []string{"k", `"k"`, " k ", ` "k" `} { // quotes and spaces around a key are not part of it
			again := s.OK(201, "POST", optionsPath+"?with=values", optionBody, withKey(k))
			first.WantSame(again)
			for _, name := range []string{"Location", "ETag", "Content-Type"} {
				if again.Header.Get(name) != first.Header.Get(name) || first.Header.Get(name) == "" {
					t.Errorf("the replay has %s %q, want %q", name, again.Header.Get(name), first.Header.Get(name))
				}
			}

			if again.Header.Get("Idempotent-Replayed") != "true" {
				t.Errorf("%s: it does not say that it is a replay", k)
			}
			if again.Header.Get("X-Request-Id") == first.Header.Get("X-Request-Id") {
				t.Error("the replay has the request id of the first")
			}
		}

		// The decompressed bytes are compared. The compression and the query do not matter.
		again := s.OK(201, "POST", optionsPath, gzipBytes(t, optionBody), withKey("k"),
			withHeader("Content-Encoding", "gzip"))
		first.WantSame(again)
		s.WantUnchanged(before, "replays")

		// The response is replayed even after the option was deleted.
		s.OK(204, "DELETE", optionsPath+"/"+id, nil)
		first.WantSame(s.OK(201, "POST", optionsPath+"?with=values", optionBody, withKey("k")))

		// 24 hours after the first request the key is free again.
		s.Clock.Advance(time.Second)
		renewed := s.OK(201, "POST", optionsPath+"?with=values", optionBody, withKey("k"))
		if renewed.Text("data.id") == id || renewed.Header.Get("Idempotent-Replayed") != "" {
			t.Error("after 24 hours it is still replayed")
		}

		first = renewed
		s.Clock.Advance(time.Hour)
		first.WantSame(s.OK(201, "POST", optionsPath+"?with=values", optionBody, withKey("k")))
	}, apitest.Alone())
}

// A request with the same key and other bytes gets a 422.
func TestIdempotency_refusesSameKeyWithOtherBody(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		s.OK(201, "POST", optionsPath, optionBody, withKey("k"))
		for _, body := range []string{optionBody + " ", strings.Replace(optionBody, "S", "M", 1), `{"name": "x"}`,
			strings.Replace(optionBody, " ", "", 1)} {
			s.WantProblem("422 Idempotency-Key idempotency_key_reused", "POST", optionsPath, body, withKey("k"))
		}
		s.WantProblem("422 name required", "POST", optionsPath, `{}`, withKey("k")) // the body is validated first
		s.OK(201, "POST", optionsPath, optionBody, withKey("k"))
	})
}

// A key is separate for each store, method and path.
func TestIdempotency_isPerStoreMethodAndPath(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		ids := map[string]bool{}
		for _, at := range []*apitest.Server{s, s.WithKeys(s.Other)} {
			for _, path := range []string{optionsPath, "/v2/features", "/v2/products"} {
				r := at.OK(201, "POST", path, optionBody, withKey("k"))
				if r.Header.Get("Idempotent-Replayed") != "" || ids[r.Text("data.id")] {
					t.Errorf("%s of %s is a replay of another", path, at.Keys)
				}
				ids[r.Text("data.id")] = true
			}
		}

		path := createOption(s)

		// PUT ignores the key, since PUT is idempotent anyway.
		for i := range 3 {
			r := s.OK(200, "PUT", path, fmt.Sprintf(`{"name": "n%d"}`, i), withKey("k"))
			if r.Text("data.name") != fmt.Sprint("n", i) {
				t.Errorf("PUT with a key returns the name %s", r.Text("data.name"))
			}
		}

		// Keys are case-sensitive.
		s.OK(201, "POST", optionsPath, `{"name": "other"}`, withKey("K"))
	})
}

// An Idempotency-Key that is not one value of 1 to 255 visible characters gets a 400.
func TestIdempotency_refusesMalformedKeys(t *testing.T) {
	s := startServer(t)
	for _, good := range []string{"x", strings.Repeat("x", 255), `"` + strings.Repeat("x", 255) + `"`,
		"!#$%&'()*+,-./:;<=>?@[]^_`{|}~", `"`, `a"b`, `\`, `"""`} {
		r := s.OK(201, "POST", optionsPath, optionBody, withKey(good))
		again := s.OK(201, "POST", optionsPath, optionBody, withKey(good))
		if r.Text("data.id") != again.Text("data.id") {
			t.Errorf("the response to the key %s is not replayed", good)
		}
	}
	for _, bad := range [][]string{{strings.Repeat("x", 256)}, {`"` + strings.Repeat("x", 256) + `"`}, {`""`}, {" "},
		{""}, {"a b"}, {"naïve"}, {"a", "b"}, {"a", "a"}, {"tab\tbed"}} {
		s.WantProblem("400 malformed_idempotency_key", "POST", optionsPath, optionBody,
			apitest.HeaderLines("Idempotency-Key", bad...))
	}
}

// Errors are not stored: the same key may be used for the corrected request.
func TestIdempotency_doesNotStoreErrors(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		s.WantProblem("422 name required", "POST", optionsPath, `{}`, withKey("k"))
		s.WantProblem("400 malformed_json", "POST", optionsPath, `{`, withKey("k"))
		s.WantProblem("401 invalid_credential", "POST", optionsPath, optionBody, withKey("k"), apitest.As("sk_x"))
		s.WantProblem("403 forbidden", "POST", optionsPath, optionBody, withKey("k"), apitest.As(s.Publishable))
		s.WantProblem("415 unsupported_media_type", "POST", optionsPath, optionBody, withKey("k"),
			withHeader("Content-Type", "text/plain"))

		// This error occurs inside the transaction, after the key was claimed.
		s.OK(201, "POST", "/v2/products", `{"name": "x", "external_id": "7"}`)
		s.WantProblem("409 external_id_taken", "POST", "/v2/products", `{"name": "y", "external_id": "7"}`,
			withKey("k"))
		s.OK(201, "POST", "/v2/products", `{"name": "y", "external_id": "8"}`, withKey("k"))

		r := s.OK(201, "POST", optionsPath, optionBody, withKey("k"))
		if r.Header.Get("Idempotent-Replayed") != "" {
			t.Error("the corrected request got a replay")
		}
	})
}

// A response of several pieces is replayed unchanged. Its pieces are encrypted in the database.
func TestIdempotency_replaysLargeResponse(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		var b strings.Builder
		b.WriteString(`{"name": "x", "values": [{"name": "0"}`)
		for i := range 5_000 { // together more than 1 MiB, so the response is spilled to a file
			fmt.Fprintf(&b, `,{"name": "value %d %s"}`, i, strings.Repeat("x", 230))
		}

		b.WriteString(`]}`)
		first := s.OK(201, "POST", optionsPath+"?with=values", b.String(), withKey("k"))
		again := s.OK(201, "POST", optionsPath+"?with=values", b.String(), withKey("k"))
		first.WantSame(again)
		if again.Header.Get("Idempotent-Replayed") != "true" || len(again.Body) < 1<<20 {
			t.Errorf("%d bytes, replayed %q", len(again.Body), again.Header.Get("Idempotent-Replayed"))
		}

		compressed := s.OK(201, "POST", optionsPath+"?with=values", b.String(), withKey("k"),
			withHeader("Accept-Encoding", "zstd"))
		if string(decompressed(t, compressed)) != string(first.Body) {
			t.Error("the compressed replay is another response")
		}

		// The stored pieces do not contain the text of the response, because they are encrypted.
		for _, row := range s.Dump()["idempotency_pieces"] {
			if strings.Contains(row, fmt.Sprintf("%x", "value 1")) {
				t.Error("the stored response is not encrypted")
			}
		}
	}, apitest.Alone())
}

// Of fifty concurrent requests with one key exactly one does the work.
func TestIdempotency_parallelRequestsCreateOnce(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		nodes := []*apitest.Server{s}
		if s.Engine == database.Postgres {
			nodes = append(nodes, s.StartNode()) // SQLite supports only one node
		}

		const requests = 50
		responses := make([]*apitest.Response, requests)
		var wait sync.WaitGroup
		for i := range requests {
			wait.Go(func() { responses[i], _ = nodes[i%len(nodes)].Try("POST", optionsPath, optionBody, withKey("k")) })
		}

		wait.Wait()
		made, replayed, running := 0, 0, 0
		for _, r := range responses {
			switch {
			case r == nil:
				t.Fatal("a request got no response")
			case r.Status == 201 && r.Header.Get("Idempotent-Replayed") == "true":
				replayed++
			case r.Status == 201:
				made++
			case r.Problem() == "409 idempotency_in_progress":
				running++
				if r.Header.Get("Retry-After") == "" {
					t.Error("409 without Retry-After")
				}
			default:
				t.Errorf("a response is %s", r.Problem())
			}
		}

		if made != 1 || made+replayed+running != requests {
			t.Errorf("%d made, %d replayed, %d conflict to wait", made, replayed, running)
		}
		if got := s.Get(optionsPath).Text("meta.total"); got != "1" {
			t.Errorf("%s options are there, want 1", got)
		}
	}, apitest.Alone())
}

// While the first request runs, a second one with its key gets a 409. With PostgreSQL the second request is sent to
// another node. Afterwards the response is replayed.
func TestIdempotency_stillRunningIs409(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		nodes := []*apitest.Server{s, s}
		if s.Engine == database.Postgres {
			nodes[1] = s.StartNode()
		}

		release := blockAttributeWrites(t, s)
		responses := make(chan *apitest.Response, 2)
		for _, n := range nodes {
			go func() {
				r, _ := n.Try("POST", optionsPath, optionBody, withKey("k"))
				responses <- r
			}()
		}

		conflict := <-responses // one request waits for the lock, so this is the response to the other
		if conflict == nil || conflict.Problem() != "409 idempotency_in_progress" {
			t.Errorf("while the first is running the second got %v", conflict.Problem())
		}

		release()
		if made := <-responses; made == nil || made.Status != 201 {
			t.Fatalf("the first ends with %v", made)
		}

		if r := nodes[1].OK(201, "POST", optionsPath, optionBody,
			withKey("k")); r.Header.Get("Idempotent-Replayed") != "true" {
			t.Error("afterwards it is not replayed")
		}
	}, apitest.Alone())
}

// blockAttributeWrites makes all writes to attributes wait until release is called.
func blockAttributeWrites(t *testing.T, s *apitest.Server) (release func()) {
	t.Helper()
	held := make(chan struct{})
	free := make(chan struct{})
	done := make(chan error, 1)

	go func() {
		done <- s.App.DB.WriteAlone(context.Background(), func(q database.Querier) error {
			if s.Engine == database.Postgres {
				if _, err := q.Exec(context.Background(), "LOCK TABLE attributes IN EXCLUSIVE MODE"); err != nil {
					return err
				}
			}
			close(held)
			<-free
			return nil
		})
	}()

	select {
	case <-held:
	case err := <-done:
		t.Fatal(err)
	}

	return sync.OnceFunc(func() {
		close(free)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// PruneIdempotencyRecords deletes expired records and no others.
func TestIdempotency_prunesExpiredRecords(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		for i := range 5 {
			s.OK(201, "POST", optionsPath, optionBody, withKey(fmt.Sprint("old", i)))
		}

		s.Clock.Advance(24*time.Hour + time.Second)
		s.OK(201, "POST", optionsPath, optionBody, withKey("new"))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.App.API().PruneIdempotencyRecords(ctx) }()
		storetest.Eventually(t, "one record is left", func() bool { return len(s.Dump()["idempotency"]) == 1 })
		cancel()

		if err := <-done; err != nil {
			t.Error(err)
		}
		if got := len(s.Dump()["idempotency_pieces"]); got != 2 {
			t.Errorf("%d pieces are left, want the 2 of the new one", got)
		}

		if r := s.OK(201, "POST", optionsPath, optionBody,
			withKey("new")); r.Header.Get("Idempotent-Replayed") != "true" {
			t.Error("the new one is forgotten too")
		}
	}, apitest.Alone())
}

// All POST routes accept a key, except those of the exchange gate.
func TestIdempotency_worksOnEveryPOST(t *testing.T) {
	s := startServer(t)
	path := createOption(s)
	feature := "/v2/features/" + s.OK(201, "POST", "/v2/features", optionBody).Text("data.id")
	made := s.OK(201, "POST", "/v2/products", `{"name": "Shirt", "variants": [{"price": 1}]}`)
	product := "/v2/products/" + made.Text("data.id")
	variantID := made.Text("data.variants.0.id")
	variant := product + "/variants/" + variantID
	line := `{"variant_id": "` + variantID + `", "quantity": 1}`
	const inquiry, contact = `{"name": "Anna", "message": "Hello", "phone": "+491234567"}`,
		`{"contact": {"name": "Anna", "phone": "+491234567"}}`
	draft := "/v2/orders/" + s.OK(201, "POST", "/v2/orders", `{"items": [`+line+`]}`).Text("data.id")
	submitted := "/v2/orders/" + s.OK(201, "POST", "/v2/orders", `{"items": [`+line+`]}`).Text("data.id")
	s.OK(200, "POST", submitted+"/submit", contact)

	known := map[string][2]string{
		optionsPath: {optionsPath, optionBody}, optionsPath + "/{id}/impact": {path + "/impact", optionBody},
		"/v2/features": {"/v2/features", optionBody}, "/v2/features/{id}/impact": {feature + "/impact", optionBody},
		optionsPath + "/{id}/merge": {path + "/merge", mergeBody(s, path)},
		"/v2/features/{id}/merge":   {feature + "/merge", mergeBody(s, feature)},
		"/v2/categories":            {"/v2/categories", optionBody}, "/v2/stocks": {"/v2/stocks", optionBody},
		"/v2/price-lists": {"/v2/price-lists", optionBody}, "/v2/customer-groups": {"/v2/customer-groups", optionBody},
		"/v2/redirects": {"/v2/redirects", `{"from": "/a", "to": "/b"}`}, "/v2/images": {"/v2/images", onePixelGIF},
		"/v2/products": {"/v2/products", optionBody}, "/v2/products/{id}/archive": {product + "/archive", optionBody},
		"/v2/products/{id}/restore":                       {product + "/restore", optionBody},
		"/v2/products/{id}/variants":                      {product + "/variants", `{"price": 2}`},
		"/v2/products/{id}/variants/{variant_id}/archive": {variant + "/archive", optionBody},
		"/v2/products/{id}/variants/{variant_id}/restore": {variant + "/restore", optionBody},
		"/v2/feedback": {"/v2/feedback", inquiry}, "/v2/interactions/callback": {"/v2/interactions/callback", inquiry},
		"/v2/auth/passwordless/request": {"/v2/auth/passwordless/request", `{"email": "anna@example.com"}`},
		"/v2/auth/passwordless/confirm": {"/v2/auth/passwordless/confirm", loginConfirmation(s)},
		"/v2/orders":                    {"/v2/orders", `{}`}, "/v2/orders/{id}/items": {draft + "/items", line},
		"/v2/orders/{id}/submit":  {draft + "/submit", contact},
		"/v2/orders/{id}/confirm": {draft + "/confirm", `{}`}, "/v2/orders/{id}/complete": {draft + "/complete", `{}`},
		"/v2/orders/{id}/cancel": {submitted + "/cancel", `{}`},
		"/v2/search/clicks": {"/v2/search/clicks", `{"query": "shirt", "product_id": "` +
			made.Text("data.id") + `"}`},
	}

	seen := 0
	for _, route := range s.App.API().Routes() {
		if route.Method != http.MethodPost || route.Exchange || strings.HasSuffix(route.Path, "/commerceml") {
			continue
		}

		seen++
		at, ok := known[route.Path]
		if !ok {
			t.Errorf("POST %s is not in the table of this test", route.Path)
			continue
		}

		media := apitest.Header("Content-Type", "application/json")
		if route.Form != nil {
			media = apitest.Header("Content-Type", "image/gif")
		}

		first := s.Do("POST", at[0], at[1], media, withKey("k"))
		again := s.Do("POST", at[0], at[1], media, withKey("k"))
		if first.Status >= 300 || again.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("POST %s is %d: %s, and not replayed", route.Path, first.Status, first.Body)
		}

		first.WantSame(again)
	}

	if seen != len(known) {
		t.Errorf("%d routes take POST, want %d", seen, len(known))
	}
}

// loginConfirmation requests a login code and returns the body that confirms it.
func loginConfirmation(s *apitest.Server) string {
	id := s.OK(202, "POST", "/v2/auth/passwordless/request", `{"email": "boris@example.com"}`).Text("data.request_id")
	text := s.DoAdmin("GET", "/api/store/mailbox", nil).Text("data.0.text")
	return `{"request_id": "` + id + `", "code": "` + regexp.MustCompile(`\b\d{6}\b`).FindString(text) + `"}`
}

// mergeBody adds two values to an option or a feature and returns a body that merges them.
func mergeBody(s *apitest.Server, path string) string {
	values := s.OK(200, "PUT", path+"?with=values",
		`{"values": [{"name": "one"}, {"name": "two"}]}`).Texts("data.values", "id")
	return fmt.Sprintf(`{"from": [%q], "into": %q}`, values[len(values)-1], values[len(values)-2])
}
