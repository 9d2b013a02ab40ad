package app_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/app"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

// profileFixture is a server with a session of each role.
type profileFixture struct {
	*apitest.Server
	sessions map[access.Role]string
}

func newProfileFixture(t *testing.T, options ...apitest.Option) profileFixture {
	t.Helper()
	f := profileFixture{apitest.StartServer(t, database.SQLite, options...), map[access.Role]string{}}
	for _, role := range []access.Role{access.Owner, access.Manager, access.Viewer} {
		email := string(role) + "@north.example"
		f.NewOperator(f.StoreID, email, role)
		form := url.Values{"email": {email}, "password": {apitest.OperatorPassword}}
		r := f.DoAdmin("POST", "/login", form.Encode(), apitest.Header("Content-Type", formType), apitest.As(""))
		for _, cookie := range (&http.Response{Header: r.Header}).Cookies() {
			if cookie.Name == "__Host-vitrine" {
				f.sessions[role] = cookie.Name + "=" + cookie.Value
			}
		}
		if r.Status != http.StatusSeeOther || f.sessions[role] == "" {
			t.Fatalf("sign in as %s: %d %s", role, r.Status, r.Body)
		}
	}
	return f
}

func (f profileFixture) get(role access.Role, path string) *apitest.Response {
	return f.DoAdmin("GET", path, nil, apitest.As(""), apitest.Header("Cookie", f.sessions[role]))
}

func profilePaths() []string {
	return []string{"/debug/pprof", "/debug/pprof/heap", "/debug/pprof/goroutine", "/debug/pprof/profile?seconds=0.1",
		"/debug/pprof/trace?seconds=0.1", "/debug/pprof/mutex?seconds=0.1", "/debug/pprof/unknown"}
}

// Profiles are for owners who signed in. --dev makes no exception, and the API listener has no profiles.
func TestProfiles_areForOwnersOnly(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]apitest.Option{"production": nil, "dev": {apitest.DevMode()}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newProfileFixture(t, options...)
			for _, path := range profilePaths() {
				for _, role := range []access.Role{access.Manager, access.Viewer} {
					if got := f.get(role, path).Problem(); got != "403 forbidden" {
						t.Errorf("%s as %s: %s", path, role, got)
					}
				}
				if got := f.DoAdmin("GET", path, nil, apitest.As("")).Problem(); got != "401 credential_required" {
					t.Errorf("%s without a session: %s", path, got)
				}
				if got := f.DoAdmin("GET", path, nil).Problem(); got != "403 forbidden" {
					t.Errorf("%s with a secret key: %s", path, got)
				}
				if got := f.Do("GET", path, nil).Problem(); got != "404 no_such_path" {
					t.Errorf("%s on the API listener: %s", path, got)
				}
			}
			if r := f.get(access.Owner, "/debug/pprof"); !strings.Contains(string(r.Body), "/debug/pprof/heap") {
				t.Errorf("the list for the owner: %d %s", r.Status, r.Body)
			}
		})
	}
}

// These tests are not parallel to each other: the process has one CPU profile at a time.
func TestProfiles_canBeRead(t *testing.T) {
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
		r := f.get(access.Owner, path)
		if r.Status != 200 || !strings.HasPrefix(string(r.Body), prefix) {
			t.Errorf("%s: %d %.100q", path, r.Status, r.Body)
		}
		if r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s may be cached", path)
		}
	}
	for _, path := range []string{"profile?seconds=0", "profile?seconds=61", "profile?seconds=x", "trace?seconds=NaN",
		"trace?seconds=11"} {
		if got := f.get(access.Owner, "/debug/pprof/"+path).Problem(); got != "400 malformed_query" {
			t.Errorf("%s: %s", path, got)
		}
	}
	for _, name := range []string{"cmdline", "symbol", "unknown"} {
		if got := f.get(access.Owner, "/debug/pprof/"+name).Problem(); got != "404 not_found" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// recordForAMinute requests a profile of 60 seconds as the owner. It repeats the request while another profile is being
// recorded. The channel gets the body, or nil if the request failed.
func (f profileFixture) recordForAMinute(ctx context.Context, name string) <-chan []byte {
	got := make(chan []byte, 1)
	go func() {
		for {
			status, body := f.send(ctx, "/debug/pprof/"+name+"?seconds=60")
			if status != http.StatusConflict {
				got <- body
				return
			}
		}
	}()
	return got
}

// send sends a request as the owner. Unlike get it may fail.
func (f profileFixture) send(ctx context.Context, path string) (status int, body []byte) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.AdminURL+path, nil)
	if err != nil {
		return 0, nil
	}
	r.Header.Set("Cookie", f.sessions[access.Owner])
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
	f := newProfileFixture(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	long, short := f.recordForAMinute(ctx, "mutex"), "/debug/pprof/profile?seconds=0.01"
	storetest.Eventually(t, "a second profile is refused", func() bool {
		return f.get(access.Owner, short).Problem() == "409 profile_running"
	})
	cancel()
	<-long
	storetest.Eventually(t, "the next profile is recorded", func() bool {
		return f.get(access.Owner, short).Status == 200
	})
}

// A recording does not delay the shutdown: it ends early, and its request gets what was recorded.
func TestProfiles_endWhenTheServerStops(t *testing.T) {
	f := newProfileFixture(t)
	got := f.recordForAMinute(context.WithoutCancel(t.Context()), "profile")
	storetest.Eventually(t, "the profile is recorded", func() bool {
		return f.get(access.Owner, "/debug/pprof/mutex?seconds=0.01").Status == 409
	})
	f.Stop()
	if body := <-got; !bytes.HasPrefix(body, []byte("\x1f\x8b")) {
		t.Errorf("the interrupted profile is %.100q", body)
	}
}

// An execution trace ends when it has its most bytes, and is complete.
func TestProfiles_traceEndsAtItsLimit(t *testing.T) {
	const limit = 1 << 10
	got, err := app.RecordTrace(t.Context(), limit)
	if err != nil || !bytes.HasPrefix(got, []byte("go 1.")) || len(got) < limit {
		t.Errorf("the trace has %d bytes, %.20q: %v", len(got), got, err)
	}
}
