package e2e

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
)

// Unknown, malformed, expired and revoked credentials get the same 401, so that a client cannot distinguish them.
func TestCredential_allBadCredentialsGetTheSame401(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		soon := s.Clock.Now().Add(time.Hour)
		_, expiring := s.NewKey(access.NewKey{Kind: access.SecretKey, ExpiresAt: &soon})
		revokedKey, revoked := s.NewKey(access.NewKey{Kind: access.SecretKey})
		s.Get(optionsPath, apitest.As(expiring))
		s.Get(optionsPath, apitest.As(revoked))
		s.Write(func(ctx context.Context, q database.Querier) error {
			return s.App.Access.RevokeKey(ctx, store.In(q, s.StoreID), revokedKey.ID)
		})
		s.Clock.Set(soon.Add(-time.Microsecond))
		s.Get(optionsPath, apitest.As(expiring)) // one microsecond before it expires
		s.Clock.Set(soon)

		first := s.WantProblem("401 invalid_credential", "GET", optionsPath, nil, apitest.As("sk_x"))
		last := s.Secret[len(s.Secret)-1:]
		typo := map[bool]string{true: "b", false: "a"}[last == "a"]
		for why, token := range map[string]string{
			"expired": expiring, "revoked": revoked, "unknown": unknownToken(t),
			"a letter wrong": s.Secret[:len(s.Secret)-1] + typo, "cut": s.Secret[:len(s.Secret)-1],
			"longer": s.Secret + "a", "another prefix": "pk_" + s.Secret[3:],
			"upper case": strings.ToUpper(s.Secret), "a session": "os_" + s.Secret[3:],
			"a customer's": "ct_" + s.Secret[3:], "nonsense": "nonsense", "long": strings.Repeat("x", 10_000),
			"quotes": `' OR ''='`, "not ASCII": "sk_ключ",
		} {
			for _, at := range [][2]string{{"GET", optionsPath}, {"POST", optionsPath}, {"GET", optionsPath + "/x"},
				{"DELETE", optionsPath + "/x"}} {
				r := s.WantProblem("401 invalid_credential", at[0], at[1], nil, apitest.As(token))
				r.WantSame(first)
				if r.Header.Get("WWW-Authenticate") == "" {
					t.Errorf("%s: no WWW-Authenticate", why)
				}
			}
		}
	}, apitest.Alone())
}

// unknownToken returns a well-formed token of another server.
func unknownToken(t *testing.T) string {
	t.Helper()
	return apitest.StartServer(t, database.SQLite).Secret
}

// The scheme Bearer may be written in upper or lower case. Credentials in other headers and in the query are ignored.
func TestCredential_mustBeBearerToken(t *testing.T) {
	s := startServer(t)
	for _, good := range []string{"Bearer " + s.Secret, "bearer " + s.Secret, "BEARER   " + s.Secret,
		"Bearer " + s.Secret + " "} {
		s.Get(optionsPath, withHeader("Authorization", good))
	}

	for _, bad := range []string{"", s.Secret, "Basic " + s.Secret, "Token " + s.Secret, "Bearer"} {
		s.WantProblem("401 credential_required", "GET", optionsPath, nil, withHeader("Authorization", bad))
	}

	for _, bad := range []string{"Bearer ", "Bearer  ", "Bearer x " + s.Secret, "Bearer " + s.Secret + " x",
		"Bearer=" + s.Secret, "Bearer " + s.Secret + "," + s.Secret} {
		if got := s.Do("GET", optionsPath, nil, withHeader("Authorization", bad)).Status; got != 401 {
			t.Errorf("%q got %d, want 401", bad, got)
		}
	}

	s.WantProblem("401 credential_required", "GET", optionsPath+"?access_token="+s.Secret+"&key="+s.Secret, nil,
		apitest.As(""))
	s.WantProblem("401 credential_required", "GET", optionsPath, nil, apitest.As(""),
		withHeader("Cookie", "session="+s.Secret))
	s.WantProblem("401 credential_required", "GET", optionsPath, nil, apitest.As(""), withHeader("X-Api-Key", s.Secret))
}

// The scopes of a secret key decide what it may do. A publishable key may read the catalogue and the store.
func TestCredential_scopesDecideAccess(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		path := createOption(s)
		_, reader := s.NewKey(access.NewKey{Kind: access.SecretKey, Scopes: []string{"catalog:read"}})
		_, writer := s.NewKey(access.NewKey{Kind: access.SecretKey, Scopes: []string{"catalog:write"}})

		_, shopkeeper := s.NewKey(access.NewKey{Kind: access.SecretKey, Scopes: []string{"store:read"}})
		for _, c := range []struct {
			name, token               string
			read, write, store, admin int
		}{
			{"secret", s.Secret, 200, 200, 200, 200}, {"publishable", s.Publishable, 200, 403, 200, 403},
			{"exchange", s.Exchange, 403, 403, 403, 403},
			{"reader", reader, 200, 403, 403, 0}, {"writer", writer, 403, 200, 403, 0},
			{"shopkeeper", shopkeeper, 403, 403, 200, 0}, {"nobody", "", 401, 401, 401, 401},
		} {
			as := apitest.As(c.token)
			if got := s.Do("GET", path, nil, as).Status; got != c.read {
				t.Errorf("%s reads: %d, want %d", c.name, got, c.read)
			}
			if got := s.Do("PUT", path, `{}`, as).Status; got != c.write {
				t.Errorf("%s writes: %d, want %d", c.name, got, c.write)
			}
			if got := s.Do("GET", "/v2/store", nil, as).Status; got != c.store {
				t.Errorf("%s reads the store: %d, want %d", c.name, got, c.store)
			}

			if c.admin == 0 {
				continue
			}
			if got := s.DoAdmin("GET", "/api/store/settings", nil, as).Status; got != c.admin {
				t.Errorf("%s reads the settings: %d, want %d", c.name, got, c.admin)
			}
		}
	})
}

// The message of a 403 is that of the route, if it has one, and names the missing scope otherwise.
func TestCredential_missingScopeIsExplained(t *testing.T) {
	s := startServer(t)
	for path, want := range map[string]string{
		"/v2/me": "This is for customers who have signed in: it takes a customer token (ct_…), " +
			"which POST /v2/auth/passwordless/confirm gives.",
		"/v2/customers": "This credential is valid, but may not do this; it would need the scope customers:read.",
	} {
		r := s.WantProblem("403 forbidden", "GET", path, nil, apitest.As(s.Publishable))
		if got := r.Text("detail"); got != want {
			t.Errorf("GET %s: %s, want %s", path, got, want)
		}
	}
}

// The 61st failed credential of an address in a minute gets a 429 with Retry-After. Good credentials still pass.
func TestCredential_failuresAreLimited(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		bad := func() string { return s.Do("GET", optionsPath, nil, apitest.As("sk_x")).Problem() }
		for i := range 60 {
			if got := bad(); got != "401 invalid_credential" {
				t.Fatalf("failure %d got %s", i+1, got)
			}
		}

		r := s.Do("GET", optionsPath, nil, apitest.As("sk_x"))
		if got := r.Problem(); got != "429 too_many_failed_credentials" {
			t.Fatalf("failure 61 got %s", got)
		}

		wait, err := strconv.Atoi(r.Header.Get("Retry-After"))
		if err != nil || wait < 1 || wait > 60 {
			t.Errorf("Retry-After is %q", r.Header.Get("Retry-After"))
		}

		// A good key passes, for reads and writes.
		s.Get(optionsPath)
		s.OK(201, "POST", optionsPath, optionBody)
		s.Get(optionsPath, apitest.As(s.Publishable))

		// A request without a key gets a 401, not a 429: it does not count as a failed credential.
		if got := s.Do("GET", optionsPath, nil, apitest.As("")).Problem(); got != "401 credential_required" {
			t.Errorf("without a key: %s", got)
		}

		// After the time in Retry-After the limit allows one more bad credential.
		s.Clock.Advance(time.Duration(wait) * time.Second)
		if got := bad(); got != "401 invalid_credential" {
			t.Errorf("after Retry-After: %s", got)
		}
		if got := bad(); got != "429 too_many_failed_credentials" {
			t.Errorf("right after that: %s", got)
		}

		s.Clock.Advance(time.Minute)

		for range 60 {
			if got := bad(); got != "401 invalid_credential" {
				t.Fatalf("a minute later: %s", got)
			}
		}
	}, apitest.WithConfig(func(c *config.Serve) { c.FailedCredentialsPerMinute = 60 }))
}

// The limit counts per IPv4 address, or per /64 network of an IPv6 address, since a host usually has a whole /64.
func TestCredential_failuresCountByAddress(t *testing.T) {
	s := apitest.StartServer(t, database.SQLite,
		apitest.WithConfig(func(c *config.Serve) { c.FailedCredentialsPerMinute = 3 }))

	from := func(address string) int {
		r := httptest.NewRequest(http.MethodGet, optionsPath, nil)
		r.RemoteAddr = address
		r.Header.Set("Authorization", "Bearer sk_x")
		// The header does not come from a trusted proxy, so it is ignored.
		r.Header.Set("X-Forwarded-For", fmt.Sprint("198.51.100.", time.Now().Nanosecond()%250))
		w := httptest.NewRecorder()
		s.App.API().ServeHTTP(w, r)
		return w.Code
	}
	for range 3 {
		from("192.0.2.1:1000")
		from("[2001:db8:1:2:aaaa::1]:1000")
	}

	for address, want := range map[string]int{
		"192.0.2.1:2000": 429, "192.0.2.2:1000": 401, "[::ffff:192.0.2.1]:5": 429, "[2001:db8:1:2:bbbb::9]:1": 429,
		"[2001:db8:1:3::1]:1": 401, "[2001:db8:1:2::1%eth0]:1": 429,
	} {
		if got := from(address); got != want {
			t.Errorf("from %s: %d, want %d", address, got, want)
		}
	}
}
