package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

// Each error code has its status and its headers. apitest checks the form of every problem.
func TestProblem_statusOfEachCode(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		path := createOption(s)
		for _, c := range []struct {
			problem, method, path string
			body                  any
			options               []apitest.RequestOption
		}{
			{"400 malformed_json", "POST", optionsPath, `{`, nil},
			{"400 malformed_query", "GET", optionsPath + "?page=x", nil, nil},
			{"400 malformed_idempotency_key", "POST", optionsPath, optionBody,
				[]apitest.RequestOption{withHeader("Idempotency-Key", "a b")}},
			{"400 malformed_encoding", "POST", optionsPath, optionBody,
				[]apitest.RequestOption{withHeader("Content-Encoding", "gzip")}},
			{"401 credential_required", "GET", optionsPath, nil, []apitest.RequestOption{apitest.As("")}},
			{"401 invalid_credential", "GET", optionsPath, nil, []apitest.RequestOption{apitest.As("sk_x")}},
			{"403 forbidden", "POST", optionsPath, optionBody, []apitest.RequestOption{apitest.As(s.Publishable)}},
			{"404 not_found", "GET", optionsPath + "/x", nil, nil},
			{"404 no_such_path", "GET", "/v2/x", nil, nil},
			{"405 method_not_allowed", "PATCH", optionsPath, nil, nil},
			{"412 precondition_failed", "PUT", path, `{}`, []apitest.RequestOption{withHeader("If-Match", `"v9"`)}},
			{"413 body_too_large", "POST", "/v2/products", strings.Repeat(" ", 8<<20+1), nil},
			{"415 unsupported_media_type", "POST", optionsPath, optionBody,
				[]apitest.RequestOption{withHeader("Content-Type", "text/plain")}},
			{"415 unsupported_encoding", "POST", optionsPath, optionBody,
				[]apitest.RequestOption{withHeader("Content-Encoding", "br")}},
			{"422 name required", "POST", optionsPath, `{}`, nil},
		} {
			r := s.WantProblem(c.problem, c.method, c.path, c.body, c.options...)
			if got := r.Text("type"); got != "urn:vitrine:problem:"+r.Text("code") {
				t.Errorf("%s is of type %s", c.problem, got)
			}
			if got := r.Text("title"); got != http.StatusText(r.Status) {
				t.Errorf("%s has the title %s", c.problem, got)
			}
			if got := r.Header.Get("Cache-Control"); got != "no-store" {
				t.Errorf("%s may be cached: %q", c.problem, got)
			}

			if got := r.Header.Get("WWW-Authenticate"); (got != "") != (r.Status == 401) {
				t.Errorf("%s has WWW-Authenticate %q", c.problem, got)
			}
		}

		// A conflict: the external id is taken.
		s.OK(201, "POST", "/v2/products", `{"name": "x", "external_id": "7"}`)
		s.WantProblem("409 external_id_taken", "POST", "/v2/products", `{"name": "x", "external_id": 7}`)
	}, apitest.Alone())
}

// startGETServer starts a server whose GET routes are the handlers, by path.
func startGETServer(t *testing.T, log *apitest.Log, handlers map[string]httpapi.Handler) *httptest.Server {
	t.Helper()
	var routes []httpapi.Route
	for path, h := range handlers {
		routes = append(routes, httpapi.Route{Method: "GET", Path: path, Handler: h})
	}
	deps := httpapi.Deps{Log: slog.New(slog.NewJSONHandler(log, nil)), Now: time.Now}
	s := httptest.NewServer(httpapi.NewServer(deps, routes))
	t.Cleanup(s.Close)
	return s
}

// An error that is not a fault gets a 500 internal. The response has the request_id, and only the log has the cause.
func TestProblem_hidesInternalErrors(t *testing.T) {
	log := &apitest.Log{}

	s := startGETServer(t, log, map[string]httpapi.Handler{
		"/error": func(http.ResponseWriter, *httpapi.Request) error { return errors.New("password=hunter2") },
		"/wrapped": func(http.ResponseWriter, *httpapi.Request) error {
			return fmt.Errorf("a: %w", errors.New("hunter2"))
		},
		"/panic": func(http.ResponseWriter, *httpapi.Request) error { panic("hunter2") },
		"/nil": func(_ http.ResponseWriter, r *httpapi.Request) error {
			return fmt.Errorf("%v", nilPage(r).Number)
		},
		"/cause": func(http.ResponseWriter, *httpapi.Request) error {
			return fault.New(fault.Unavailable, "away", "Gone.").After(time.Millisecond).Because(errors.New("hunter2"))
		},
		"/late": func(w http.ResponseWriter, _ *httpapi.Request) error {
			w.WriteHeader(http.StatusTeapot)
			panic("hunter2")
		},
	})

	get := func(path string) (int, string, http.Header) {
		t.Helper()
		r, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()

		body := make([]byte, 4096)
		n, _ := r.Body.Read(body)
		return r.StatusCode, string(body[:n]), r.Header
	}
	for _, path := range []string{"/error", "/wrapped", "/panic", "/nil"} {
		status, body, header := get(path)
		id := header.Get("X-Request-Id")
		want := `{"type":"urn:vitrine:problem:internal","title":"Internal Server Error","status":500,` +
			`"detail":"Something went wrong on our side. Quote the request_id when you ask for help.",` +
			`"code":"internal","request_id":"` + id + `"}` + "\n"
		if status != 500 || body != want || header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %s", path, status, body)
		}
		if !strings.Contains(log.String(), id) {
			t.Errorf("%s: the log does not name the request", path)
		}
	}

	if strings.Count(log.String(), "hunter2") < 3 {
		t.Error("the log does not contain the causes")
	}

	status, body, header := get("/cause")
	if status != 503 || strings.Contains(body, "hunter2") || header.Get("Retry-After") != "1" {
		t.Errorf("a fault with a cause: %d %s, Retry-After %q", status, body, header.Get("Retry-After"))
	}

	// A response that a panic interrupts must not look complete. This client opens a new connection: on a reused one it
	// would retry the request when the server closes the connection.
	once := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	if r, err := once.Get(s.URL + "/late"); err == nil {
		body, err := io.ReadAll(r.Body)
		_ = r.Body.Close()
		if err == nil {
			t.Errorf("a panic after the status was sent: %d %q, and the response looks complete", r.StatusCode, body)
		}
	}

	// A panic does not stop the server. Each request has one line in the access log.
	if got := len(log.Lines("request")); got != 6 {
		t.Errorf("%d requests are logged, want 6", got)
	}
}

// Every 503 has Retry-After, also that of a fault without a time, such as busy of the exchange gate.
func TestProblem_busyHasRetryAfter(t *testing.T) {
	s := startGETServer(t, &apitest.Log{}, map[string]httpapi.Handler{
		"/busy": func(http.ResponseWriter, *httpapi.Request) error {
			return httpapi.WithProblemMember(fault.New(fault.Unavailable, "busy", "Push again."), "run", []byte("{}"))
		},
	})
	r, err := http.Get(s.URL + "/busy")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if got := r.Header.Get("Retry-After"); r.StatusCode != 503 || got != "1" {
		t.Errorf("%d with Retry-After %q, want 503 with 1", r.StatusCode, got)
	}
}

// A client that disconnects gets no response, and the log has neither a warning nor an error.
func TestProblem_clientDisconnectIsNoError(t *testing.T) {
	log := &apitest.Log{}
	arrived, left := make(chan struct{}), make(chan struct{})
	s := startGETServer(t, log, handlers{"/slow": func(_ http.ResponseWriter, r *httpapi.Request) error {
		close(arrived)
		<-r.Context().Done()
		defer close(left)
		return r.Context().Err()
	}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()

	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/slow", nil)
	if err != nil {
		t.Fatal(err)
	}

	if response, err := http.DefaultClient.Do(r); err == nil {
		_ = response.Body.Close()
		t.Fatal("the client got a response")
	}

	<-left
	storetest.Eventually(t, "the request is logged", func() bool { return len(log.Lines("request")) > 0 })

	if lines := log.Lines("request"); len(lines) != 1 || lines[0]["status"] != float64(499) {
		t.Errorf("the log says %v", lines)
	}
	if warnings := log.WarningsAndErrors(); len(warnings) > 0 {
		t.Errorf("the log has a warning or an error: %v", warnings)
	}
}

// Each fault kind has its status. The headers that the handler set for a success are removed.
func TestProblem_statusOfEachFaultKind(t *testing.T) {
	handlers, want := map[string]httpapi.Handler{}, map[string]int{}
	for kind, status := range map[fault.Kind]int{
		fault.Internal: 500, fault.Malformed: 400, fault.Unauthenticated: 401, fault.Denied: 403, fault.NotFound: 404,
		fault.Conflict: 409, fault.Stale: 412,
		fault.TooLarge: 413, fault.Unsupported: 415, fault.Invalid: 422, fault.TooMany: 429, fault.Unavailable: 503,
	} {
		path := fmt.Sprintf("/%d", status)
		want[path] = status
		handlers[path] = func(w http.ResponseWriter, _ *httpapi.Request) error {
			w.Header().Set("ETag", `"v1"`) // headers of a success
			w.Header().Set("Location", "/x")
			return fmt.Errorf("wrapped: %w",
				fault.New(kind, "code_of_it", "Words: %d %%.", 5).After(1500*time.Millisecond))
		}
	}

	s := startGETServer(t, &apitest.Log{}, handlers)
	for path, status := range want {
		r, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}

		_ = r.Body.Close()

		if r.StatusCode != status || r.Header.Get("Retry-After") != "2" || r.Header.Get("ETag") != "" ||
			r.Header.Get("Location") != "" {
			t.Errorf("%s: %d, Retry-After %q, ETag %q", path, r.StatusCode, r.Header.Get("Retry-After"),
				r.Header.Get("ETag"))
		}
	}
}

// nilPage returns nil in a way that linters do not detect.
func nilPage(r *httpapi.Request) *httpapi.Page {
	if r.Method == "" {
		return &httpapi.Page{}
	}
	return nil
}
