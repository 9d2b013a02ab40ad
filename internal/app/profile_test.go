package app_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

// profileFixture is a server with the session of an owner.
type profileFixture struct {
	*apitest.Server
	session string
}

func newProfileFixture(t *testing.T, options ...apitest.Option) profileFixture {
	t.Helper()
	f := profileFixture{Server: apitest.StartServer(t, database.SQLite, append(options, apitest.Alone())...)}
	const email = "owner@north.example"
	f.NewOperator(f.StoreID, email, access.Owner)
	form := url.Values{"email": {email}, "password": {apitest.OperatorPassword}}
	r := f.DoAdmin("POST", "/login", form.Encode(), apitest.Header("Content-Type", "application/x-www-form-urlencoded"),
		apitest.As(""))
	for _, cookie := range (&http.Response{Header: r.Header}).Cookies() {
		if cookie.Name == "__Host-vitrine" {
			f.session = cookie.Name + "=" + cookie.Value
		}
	}

	if r.Status != http.StatusSeeOther || f.session == "" {
		t.Fatalf("sign in: %d %s", r.Status, r.Body)
	}

	return f
}

// get reads a path as a program on the same machine does.
func (f profileFixture) get(path string) *apitest.Response {
	return f.DoAdmin("GET", path, nil, apitest.As(""))
}

// getAsOwner reads a path in the session of an owner of a store.
func (f profileFixture) getAsOwner(path string, options ...apitest.RequestOption) *apitest.Response {
	return f.DoAdmin("GET", path, nil, append(options, apitest.As(""), apitest.Header("Cookie", f.session))...)
}

func profilePaths() []string {
	return []string{"/debug/pprof", "/debug/pprof/heap", "/debug/pprof/goroutine", "/debug/pprof/profile?seconds=0.1",
		"/debug/pprof/trace?seconds=0.1", "/debug/pprof/mutex?seconds=0.1", "/debug/pprof/unknown"}
}

// Profiles concern all stores of the process, so the role of an operator and the key of a store give no right to them:
// the token of --metrics-token does, and without one a request from the same machine. --dev makes no exception, and the
// API listener has no profiles.
func TestProfiles_needTheRightOfTheProcess(t *testing.T) {
	t.Parallel()
	const token = "metrics-token-of-the-process"
	withToken := apitest.WithConfig(func(cfg *config.Serve) { cfg.MetricsToken = token })
	for name, options := range map[string][]apitest.Option{
		"production": {withToken}, "dev": {apitest.DevMode(), withToken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newProfileFixture(t, options...)
			for _, path := range profilePaths() {
				for who, r := range map[string]*apitest.Response{
					"nobody": f.get(path), "an owner": f.getAsOwner(path), "a secret key": f.DoAdmin("GET", path, nil),
					"a wrong token": f.DoAdmin("GET", path, nil, apitest.As(token+"x")),
				} {
					if got := r.Problem(); got != "401 credential_required" {
						t.Errorf("%s as %s: %s", path, who, got)
					}
				}

				if got := f.Do("GET", path, nil).Problem(); got != "404 no_such_path" {
					t.Errorf("%s on the API listener: %s", path, got)
				}
			}

			r := f.DoAdmin("GET", "/debug/pprof", nil, apitest.As(token))
			if !strings.Contains(string(r.Body), "/debug/pprof/heap") {
				t.Errorf("the list with the token: %d %s", r.Status, r.Body)
			}
		})
	}

	t.Run("without a token", func(t *testing.T) {
		t.Parallel()
		f := newProfileFixture(t)
		for _, path := range profilePaths() {
			r := f.getAsOwner(path, apitest.Header("X-Forwarded-For", "203.0.113.7"))
			if got := r.Problem(); got != "403 metrics_token_required" {
				t.Errorf("%s through a proxy: %s", path, got)
			}
		}

		if r := f.get("/debug/pprof"); r.Status != 200 {
			t.Errorf("the list on the same machine: %d %s", r.Status, r.Body)
		}
	})
}

// These tests are not parallel to each other: the process has one CPU profile at a time.
func TestProfiles_canBeRead(t *testing.T) {
	t.Parallel()
	f := newProfileFixture(t)
	for path, prefix := range map[string]string{
		"/debug/pprof/heap": "\x1f\x8b", "/debug/pprof/allocs": "\x1f\x8b", "/debug/pprof/goroutine": "\x1f\x8b",
		"/debug/pprof/threadcreate": "\x1f\x8b", "/debug/pprof/goroutine?debug=2": "goroutine ",
		"/debug/pprof/heap?debug=1":             "heap profile:",
		"/debug/pprof/profile?seconds=0.1":      "\x1f\x8b",
		"/debug/pprof/trace?seconds=0.1":        "go 1.",
		"/debug/pprof/block?seconds=0.1":        "\x1f\x8b",
		"/debug/pprof/mutex?seconds=.1&debug=1": "--- mutex:",
	} {
		r := f.get(path)
		if r.Status != 200 || !strings.HasPrefix(string(r.Body), prefix) {
			t.Errorf("%s: %d %.100q", path, r.Status, r.Body)
		}
		if r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s may be cached", path)
		}
	}

	for _, path := range []string{"profile?seconds=0", "profile?seconds=61", "profile?seconds=x", "trace?seconds=NaN",
		"trace?seconds=11"} {
		if got := f.get("/debug/pprof/" + path).Problem(); got != "400 malformed_query" {
			t.Errorf("%s: %s", path, got)
		}
	}

	for _, name := range []string{"cmdline", "symbol", "unknown"} {
		if got := f.get("/debug/pprof/" + name).Problem(); got != "404 not_found" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// recordForAMinute requests a profile of 60 seconds. It repeats the request while another profile is being
// recorded. The channel gets the body, or nil if the request failed.
func (f profileFixture) recordForAMinute(ctx context.Context, name string) <-chan []byte {
	got := make(chan []byte, 1)
	go func() {
		for {
			status, body := f.send(ctx, "/debug/pprof/"+name+"?seconds=60")
			if status != http.StatusTooManyRequests {
				got <- body
				return
			}
		}
	}()
	return got
}

// send sends a request. Unlike get it may fail.
func (f profileFixture) send(ctx context.Context, path string) (status int, body []byte) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.AdminURL+path, nil)
	if err != nil {
		return 0, nil
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return 0, nil
	}
	defer response.Body.Close()
	if body, err = io.ReadAll(response.Body); err != nil {
		return 0, nil
	}
	return response.StatusCode, body
}

func TestProfiles_recordOneAtATimeAndEndWithTheRequest(t *testing.T) {
	t.Parallel()
	f := newProfileFixture(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()

	long := f.recordForAMinute(ctx, "mutex")
	short := "/debug/pprof/profile?seconds=0.01"
	storetest.Eventually(t, "a second profile is refused", func() bool {
		return f.get(short).Problem() == "429 profile_running"
	})

	// A snapshot stops the process for a moment, and its text takes memory.
	for _, path := range []string{"/debug/pprof/allocs?debug=1", "/debug/pprof/heap",
		"/debug/pprof/goroutine?debug=2"} {
		r := f.get(path)
		if r.Problem() != "429 profile_running" || r.Header.Get("Retry-After") == "" {
			t.Errorf("%s while a profile is recorded: %d, Retry-After %q", path, r.Status, r.Header.Get("Retry-After"))
		}
	}

	cancel()
	<-long
	storetest.Eventually(t, "the next profile is recorded", func() bool {
		return f.get(short).Status == 200
	})
}

// A recording does not delay the shutdown: it ends early, and its request gets what was recorded.
func TestProfiles_endWhenTheServerStops(t *testing.T) {
	t.Parallel()
	f := newProfileFixture(t)
	got := f.recordForAMinute(context.WithoutCancel(t.Context()), "profile")
	storetest.Eventually(t, "the profile is recorded", func() bool {
		return f.get("/debug/pprof/mutex?seconds=0.01").Status == 429
	})
	f.Stop()
	if body := <-got; !bytes.HasPrefix(body, []byte("\x1f\x8b")) {
		t.Errorf("the interrupted profile is %.100q", body)
	}
}
