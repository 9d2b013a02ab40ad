package e2e

import (
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
)

// A preflight carries no key, so it allows every origin, without credentials. The response to the actual request names
// the origin only if the store of the key allows it.
func TestCORS_namesOriginsThatTheStoreAllows(t *testing.T) {
	s := startServer(t)
	origins := []string{"https://shop.example", "http://localhost:3000"}
	allowed := s.WithKeys(s.NewStore(store.Edit{CORSOrigins: &origins}))
	everybody := []string{"*"}
	open := s.WithKeys(s.NewStore(store.Edit{CORSOrigins: &everybody}))

	for _, path := range []string{optionsPath, optionsPath + "/x", "/v2/products", "/v2/nothing"} {
		for _, origin := range []string{"https://shop.example", "https://evil.example", "null"} {
			r := s.Do("OPTIONS", path, nil, apitest.As(""), withHeader("Origin", origin),
				withHeader("Access-Control-Request-Method", "PUT"),
				withHeader("Access-Control-Request-Headers", "authorization, content-type"))
			if r.Status != 204 || len(r.Body) > 0 || r.Header.Get("Access-Control-Allow-Origin") != origin {
				t.Errorf("%s from %s: %d for %q", path, origin, r.Status, r.Header.Get("Access-Control-Allow-Origin"))
			}
			if r.Header.Get("Access-Control-Allow-Credentials") != "" {
				t.Error("a preflight allows credentials")
			}

			for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
				if !strings.Contains(r.Header.Get("Access-Control-Allow-Methods"), method) {
					t.Errorf("%s is not among %q", method, r.Header.Get("Access-Control-Allow-Methods"))
				}
			}

			for _, name := range []string{"Authorization", "Content-Type", "Idempotency-Key", "If-Match",
				"X-Request-Id"} {
				if !strings.Contains(r.Header.Get("Access-Control-Allow-Headers"), name) {
					t.Errorf("%s is not among %q", name, r.Header.Get("Access-Control-Allow-Headers"))
				}
			}

			if r.Header.Get("Access-Control-Max-Age") == "" || !strings.Contains(r.Header.Get("Vary"), "Origin") {
				t.Errorf("Max-Age %q, Vary %q", r.Header.Get("Access-Control-Max-Age"), r.Header.Get("Vary"))
			}
		}
	}

	for _, c := range []struct {
		s      *apitest.Server
		origin string
		named  bool
	}{
		{allowed, "https://shop.example", true}, {allowed, "HTTPS://Shop.Example", true},
		{allowed, "http://localhost:3000", true},
		{allowed, "http://shop.example", false}, {allowed, "https://shop.example:8443", false},
		{allowed, "https://evil.example", false}, {allowed, "https://shop.example.evil.example", false},
		{allowed, "null", false},
		{s, "https://shop.example", false}, {open, "https://anybody.example", true}, {open, "null", true},
	} {
		// Errors name the origin too; otherwise scripts could not read them.
		for _, path := range []string{optionsPath, optionsPath + "/x", optionsPath + "?page=0"} {
			for _, token := range []string{c.s.Publishable, c.s.Secret} {
				r := c.s.Do("GET", path, nil, withHeader("Origin", c.origin), apitest.As(token))
				want := ""
				if c.named {
					want = c.origin
				}

				if got := r.Header.Get("Access-Control-Allow-Origin"); got != want {
					t.Errorf("%s from %s: allowed %q, want %q", path, c.origin, got, want)
				}

				if exposed := r.Header.Get("Access-Control-Expose-Headers"); (exposed != "") != c.named ||
					(c.named && !strings.Contains(exposed, "ETag")) {
					t.Errorf("%s exposes %q", path, exposed)
				}

				if !strings.Contains(strings.Join(r.Header.Values("Vary"), ","), "Origin") {
					t.Errorf("%s: Vary is %q", path, r.Header.Values("Vary"))
				}
			}
		}
	}

	// A request without a key has no store, so no origin is allowed. A request without an Origin gets no CORS header.
	r := s.Do("GET", optionsPath, nil, apitest.As(""), withHeader("Origin", "https://shop.example"))
	if got := r.Header.Get("Access-Control-Allow-Origin"); got != "" {
		t.Errorf("401 names the origin %q", got)
	}
	if got := open.Get(optionsPath).Header.Get("Access-Control-Allow-Origin"); got != "" {
		t.Errorf("without an origin %q is named", got)
	}
}

func TestCORS_developmentAllowsOriginsOfThisMachine(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite, apitest.DevMode())
	for origin, allowed := range map[string]bool{
		"http://localhost:3000": true, "https://shop.localhost": true, "http://127.0.0.1:5173": true,
		"http://[::1]:8000": true, "http://localhost.evil.example": false, "http://192.168.0.7": false, "null": false,
	} {
		r := s.Get(optionsPath, withHeader("Origin", origin), apitest.As(s.Publishable))
		if got := r.Header.Get("Access-Control-Allow-Origin"); (got == origin) != allowed {
			t.Errorf("%s: allowed %q, want %t", origin, got, allowed)
		}
	}
}
