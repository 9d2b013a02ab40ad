package adminui_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
)

func TestLogin_refusesWrongPassword(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := &client{fixture: s}
		for _, form := range []url.Values{
			{"email": {s.store.AdminEmail}, "password": {"wrong <b>password"}, "next": {"/keys"}},
			{"email": {"nobody@north.example"}, "password": {s.store.AdminPassword}},
			{"email": {"nul\x00@north.example"}, "password": {"x"}},
			{"email": {"bad\xff@north.example"}, "password": {"x"}},
			{},
		} {
			p := v.post("/login", form).wantStatus(401).wantHTML().
				contains("The e-mail address or the password is wrong.").
				omits("wrong <b>password", s.store.AdminPassword)
			if v.session != "" || len(p.Cookies()) > 0 {
				t.Errorf("%v: a session was opened", form)
			}

			if next := form.Get("next"); next != "" {
				p.contains(`name="next" value="/keys"`, `value="`+s.store.AdminEmail+`"`)
			}
		}

		// The account is locked for a second, even for the right password, and the page says so.
		right := url.Values{"email": {s.store.AdminEmail}, "password": {s.store.AdminPassword}}
		p := v.post("/login", right).wantStatus(429).wantHTML().contains("wait 1 second")
		if got := p.Header.Get("Retry-After"); got != "1" {
			t.Errorf("Retry-After is %q, want 1", got)
		}

		s.Clock.Advance(time.Second)
		v.post("/login", right).wantRedirect("/")
		v.get("/").wantStatus(200)
	})
}

func TestLogin_showsHowLongToWait(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := &client{fixture: s}
		wrong := url.Values{"email": {s.store.AdminEmail}, "password": {"wrong"}}
		for _, wait := range []time.Duration{0, time.Second, 2 * time.Second} {
			s.Clock.Advance(wait)
			v.post("/login", wrong).wantStatus(401)
		}
		p := v.post("/login", url.Values{"email": {s.store.AdminEmail}, "password": {s.store.AdminPassword}}).
			wantStatus(429).wantHTML().contains("The last attempts to sign in failed; wait 4 seconds")
		if got := p.Header.Get("Retry-After"); got != "4" {
			t.Errorf("Retry-After is %q, want 4", got)
		}
	})
}

func TestLogin_limitsFailuresPerAddress(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite, apitest.WithConfig(func(c *config.Serve) {
		c.Dev = false
		c.FailedCredentialsPerMinute = 3
	}))
	v := &client{fixture: s}
	for range 10 {
		v.get("/").wantRedirect("/login") // requests without a session do not count as failures
	}

	for _, email := range []string{"a@x.example", "b@x.example", "c@x.example"} {
		v.post("/login", url.Values{"email": {email}, "password": {"wrong"}}).wantStatus(401)
	}

	p := v.post("/login", url.Values{"email": {s.store.AdminEmail}, "password": {s.store.AdminPassword}}).
		wantStatus(429).wantHTML().contains("Too many requests with a bad credential", "seconds, then try again")
	if p.Header.Get("Retry-After") == "" || v.session != "" {
		t.Error("Retry-After is missing, or a session was opened")
	}
}

func TestLogin_setsNewHostCookieEachTime(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		first := v.session
		p := v.post("/login", url.Values{"email": {s.store.AdminEmail}, "password": {s.store.AdminPassword}}).
			wantRedirect("/")
		if got, want := p.Header.Get("Set-Cookie"),
			sessionCookie+"="+v.session+"; Path=/; HttpOnly; Secure; SameSite=Lax"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}

		if v.session == first {
			t.Error("a second login kept the session")
		}

		(&client{fixture: s, session: first}).get("/").wantRedirect("/login")
		v.get("/").wantStatus(200)
		v.get("/login").wantRedirect("/")
		v.get("/login?next=/keys").wantRedirect("/keys")
	})
}

func TestLogout_endsTheSession(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		token := v.session
		v.get("/logout").wantStatus(405).wantHTML()
		v.get("/").wantStatus(200)
		p := v.post("/logout", url.Values{}).wantRedirect("/login?signed_out")
		deleted := sessionCookie + "=; Path=/; Max-Age=0; HttpOnly; Secure"
		if got := p.Header.Get("Set-Cookie"); !strings.HasPrefix(got, deleted) {
			t.Errorf("the cookie is not deleted: %s", got)
		}
		(&client{fixture: s, session: token}).get("/").wantRedirect("/login")
		v.get("/login?signed_out").wantStatus(200).contains("You are signed out.")
		v.post("/logout", url.Values{}).wantRedirect("/login?signed_out") // signing out twice is harmless
	})
}

func TestLogin_redirectsToOwnPagesOnly(t *testing.T) {
	t.Parallel()

	s := newFixture(t, database.SQLite)
	v := s.owner()
	for next, want := range map[string]string{
		"/settings": "/settings", "/keys/new": "/keys/new", "/keys?page=2": "/keys?page=2", "/": "/", "": "/",
		"https://evil.example/": "/", "//evil.example": "/", `/\evil.example`: "/", `\\evil.example`: "/",
		"/\t/evil.example": "/", "/\n/evil.example": "/",
		"/ /evil.example": "/", "javascript:alert(1)": "/", "evil.example": "/", "/.//evil.example": "/",
		"http:/evil.example": "/", "/login": "/", "/login?next=/x": "/", "/logout": "/",
		"///evil.example": "/", "/%": "/", "/#x": "/", "/\x00": "/",
	} {
		p := v.post("/login",
			url.Values{"email": {s.store.AdminEmail}, "password": {s.store.AdminPassword}, "next": {next}}).
			wantStatus(303)
		if got := p.Header.Get("Location"); got != want {
			t.Errorf("next=%q redirects to %q, want %q", next, got, want)
		}
	}
}

func TestSignedOut_redirectsToLoginAndBack(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		for _, session := range []string{"", "os_gone", "garbage"} {
			v := &client{fixture: s, session: session}
			v.get("/").wantRedirect("/login")
			v.get("/settings").wantRedirect("/login?next=%2Fsettings")
			v.get("/keys?a=1&b=%2F").wantRedirect("/login?next=%2Fkeys%3Fa%3D1%26b%3D%252F")
			v.post("/settings", url.Values{"name": {"Mine"}}).wantRedirect("/login?next=%2Fsettings")
			v.post("/keys", url.Values{}).wantRedirect("/login?next=%2Fkeys")

			if p := v.post("/settings", url.Values{}, "HX-Request", "true").
				wantStatus(401); p.Header.Get("HX-Redirect") != "/login?next=%2Fsettings" {
				t.Errorf("HX-Redirect is %q", p.Header.Get("HX-Redirect"))
			}

			v.get("/login?next=%2Fsettings").wantStatus(200).contains(`name="next" value="/settings"`)
			v.post("/login",
				url.Values{"email": {s.store.AdminEmail}, "password": {s.store.AdminPassword}, "next": {"/settings"}}).
				wantRedirect("/settings")
			v.get("/settings").wantStatus(200).contains("North Shop")
		}
	})
}

// Pages accept only the session of an operator, not an API key.
func TestPages_refuseKeys(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := &client{fixture: s}
		v.get("/settings", "Authorization", "Bearer "+s.store.SecretKey).wantRedirect("/login?next=%2Fsettings")
		v.get("/settings", "Authorization", "Bearer "+s.store.PublishableKey).wantStatus(403).wantHTML()
	})
}

// Browsers silently drop the Secure session cookie over plain HTTP, so the sign-in page explains why the login fails.
func TestLogin_explainsRefusalOverPlainHTTP(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		form := url.Values{"email": {s.store.AdminEmail}, "password": {s.store.AdminPassword}}
		v := &client{fixture: s, host: "admin.north.example:8081"}
		v.post("/login", form, "Origin", "http://admin.north.example:8081").wantStatus(400).wantHTML().
			contains("over plain HTTP")
		v.host = "admin.north.example"
		v.post("/login", form, "Origin", "https://admin.north.example").wantRedirect("/")
		for _, host := range []string{"localhost:8081", "127.0.0.1:8081", "[::1]:8081", "shop.localhost:8081"} {
			v.host = host
			v.post("/login", form, "Origin", "http://"+host).wantRedirect("/")
		}
	})
}

func TestCrossOrigin_isRefused(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		keyID := s.keys(s.store)[0].ID.String()
		for _, headers := range [][]string{
			{"Origin", "https://evil.example", "Sec-Fetch-Site", ""},
			{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"},
			{"Origin", "http://127.0.0.1:1", "Sec-Fetch-Site", "same-site"},
			{"Origin", "null", "Sec-Fetch-Site", ""},
		} {
			for _, path := range []string{"/login", "/logout", "/settings", "/keys", "/keys/" + keyID + "/rotate",
				"/keys/" + keyID + "/revoke"} {
				v.post(path, url.Values{"name": {"Mine"}, "kind": {"secret"}, "password": {s.store.AdminPassword},
					"email": {s.store.AdminEmail}}, headers...).wantStatus(403).wantHTML().
					contains("the page of another site")
			}
		}

		v.get("/").wantStatus(200).contains("North Shop")
		if keys := s.keys(s.store); len(keys) != 3 || keys[0].RevokedAt != nil || keys[0].ExpiresAt != nil {
			t.Errorf("a refused request changed the keys: %+v", keys)
		}
	})
}

func TestRoles_limitPages(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		owner := s.owner()
		manager := s.signIn(s.newOperator(access.Manager), apitest.OperatorPassword)
		viewer := s.signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)

		keyID := s.keys(s.store)[1].ID.String()
		for _, c := range []struct {
			method, path           string
			owner, manager, viewer int
		}{
			{"GET", "/", 200, 200, 200},
			{"GET", "/settings", 200, 200, 200},
			{"POST", "/settings", 409, 403, 403}, // the form has no version
			{"GET", "/keys", 200, 403, 403},
			{"GET", "/keys/new", 200, 403, 403},
			{"POST", "/keys", 422, 403, 403},
			{"GET", "/keys/" + keyID + "/rotate", 200, 403, 403},
			{"POST", "/keys/" + keyID + "/rotate", 422, 403, 403},
			{"GET", "/keys/" + keyID + "/revoke", 200, 403, 403},
			{"GET", "/nothing", 404, 404, 404},
			{"DELETE", "/settings", 405, 405, 405},
			{"POST", "/keys/" + keyID + "/revoke", 303, 403, 403},
			{"POST", "/logout", 303, 303, 303},
		} {
			for v, want := range map[*client]int{owner: c.owner, manager: c.manager, viewer: c.viewer} {
				var form url.Values
				if c.method == "POST" {
					form = url.Values{}
				}

				p := v.send(c.method, c.path, form).wantStatus(want)
				if want != 303 {
					p.wantHTML()
				}

				if want == 403 {
					p.contains("Your role does not include this.").omits(keyID)
				}

				if v != owner {
					p.omits(`href="/keys"`, `name="version"`)
				}
			}
		}
	})
}

func TestHome_showsOperatorAndStore(t *testing.T) {
	eachEngine(t, func(_ *testing.T, s *fixture) {
		s.signIn(s.newOperator(access.Viewer), apitest.OperatorPassword).get("/").wantStatus(200).
			contains("second-viewer@north.example", "North Shop", `lang="en"`)
	})
}

func TestPages_haveSecurityHeaders(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		stranger := &client{fixture: s}
		keyID := s.keys(s.store)[1].ID.String()
		pages := []response{stranger.get("/login"), stranger.get("/settings"), stranger.get("/nothing"),
			stranger.post("/login", url.Values{}), v.post("/settings", url.Values{}, "Origin", "https://evil.example")}
		for _, path := range []string{"/", "/settings", "/keys", "/keys/new", "/keys/" + keyID + "/rotate",
			"/keys/" + keyID + "/revoke", "/keys/nothing/rotate"} {
			pages = append(pages, v.get(path))
		}

		for _, p := range pages {
			for name, want := range map[string]string{
				"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src " +
					"'self' data: blob:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors " +
					"'none'",
				"Referrer-Policy":            "same-origin",
				"Cross-Origin-Opener-Policy": "same-origin",
				"X-Frame-Options":            "DENY",
				"X-Content-Type-Options":     "nosniff",
				"Cache-Control":              "no-store",
			} {
				if got := p.Header.Get(name); got != want {
					t.Errorf("%s (%d): %s is %q", p.requestLine(), p.StatusCode, name, got)
				}
			}

			p.omits("<style", " style=", "onclick", "hx-on", "javascript:")

			if p.StatusCode != http.StatusSeeOther {
				p.contains(`{&#34;allowEval&#34;:false,&#34;includeIndicatorStyles&#34;:false,` +
					`&#34;allowScriptTags&#34;:false,&#34;selfRequestsOnly&#34;:true`)
			}
		}
	})
}
