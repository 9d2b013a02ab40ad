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
)

func TestLogin_wrongPassword(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		v := &visitor{site: s}
		for _, form := range []url.Values{
			{"email": {s.shop.AdminEmail}, "password": {"wrong <b>password"}, "next": {"/keys"}},
			{"email": {"nobody@north.example"}, "password": {s.shop.AdminPassword}},
			{"email": {"nul\x00@north.example"}, "password": {"x"}},
			{"email": {"bad\xff@north.example"}, "password": {"x"}},
			{},
		} {
			p := v.post("/login", form).want(401).html().has("The e-mail address or the password is wrong.").lacks("wrong <b>password", s.shop.AdminPassword)
			if v.session != "" || len(p.Cookies()) > 0 {
				t.Errorf("%v: a session was given", form)
			}
			if next := form.Get("next"); next != "" {
				p.has(`name="next" value="/keys"`, `value="`+s.shop.AdminEmail+`"`)
			}
		}
		// The account waits for a second, even for the right password, and the page says so.
		p := v.post("/login", url.Values{"email": {s.shop.AdminEmail}, "password": {s.shop.AdminPassword}})
		if p.StatusCode == 429 {
			if p.html().has("wait 1 second").Header.Get("Retry-After") != "1" {
				t.Errorf("Retry-After is %q", p.Header.Get("Retry-After"))
			}
			time.Sleep(1100 * time.Millisecond)
			p = v.post("/login", url.Values{"email": {s.shop.AdminEmail}, "password": {s.shop.AdminPassword}})
		}
		p.to("/")
		v.get("/").want(200)
	})
}

func TestLogin_waitIsShown(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		v := &visitor{site: s}
		wrong := url.Values{"email": {s.shop.AdminEmail}, "password": {"wrong"}}
		for range 3 {
			for v.post("/login", wrong).StatusCode == 429 {
				time.Sleep(100 * time.Millisecond)
			}
		}
		p := v.post("/login", url.Values{"email": {s.shop.AdminEmail}, "password": {s.shop.AdminPassword}}).want(429).html().has("The last attempts to sign in failed; wait 4 seconds")
		if got := p.Header.Get("Retry-After"); got != "4" {
			t.Errorf("Retry-After is %q", got)
		}
	})
}

func TestLogin_limitsFailuresPerAddress(t *testing.T) {
	t.Parallel()
	s := start(t, database.SQLite, config.Serve{FailedCredentialsPerMinute: 3})
	v := &visitor{site: s}
	for range 10 {
		v.get("/").to("/login") // who has yet to sign in guesses nothing
	}
	for _, email := range []string{"a@x.example", "b@x.example", "c@x.example"} {
		v.post("/login", url.Values{"email": {email}, "password": {"wrong"}}).want(401)
	}
	p := v.post("/login", url.Values{"email": {s.shop.AdminEmail}, "password": {s.shop.AdminPassword}}).want(429).html().has("Too many requests with a bad credential", "seconds, then try again")
	if p.Header.Get("Retry-After") == "" || v.session != "" {
		t.Error("there is no Retry-After, or a session in spite of it")
	}
}

func TestLogin_cookieIsForThisHostAndNewEachTime(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		v := s.owner()
		first := v.session
		p := v.post("/login", url.Values{"email": {s.shop.AdminEmail}, "password": {s.shop.AdminPassword}}).to("/")
		if got, want := p.Header.Get("Set-Cookie"), cookie+"="+v.session+"; Path=/; HttpOnly; Secure; SameSite=Lax"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if v.session == first {
			t.Error("the session is the same after another login")
		}
		(&visitor{site: s, session: first}).get("/").to("/login")
		v.get("/").want(200)
		v.get("/login").to("/")
		v.get("/login?next=/keys").to("/keys")
	})
}

func TestLogout_endsTheSession(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		v := s.owner()
		token := v.session
		v.get("/logout").want(405).html()
		v.get("/").want(200)
		p := v.post("/logout", url.Values{}).to("/login?signed_out")
		if got := p.Header.Get("Set-Cookie"); !strings.HasPrefix(got, cookie+"=; Path=/; Max-Age=0; HttpOnly; Secure") {
			t.Errorf("the cookie is not taken away: %s", got)
		}
		(&visitor{site: s, session: token}).get("/").to("/login")
		v.get("/login?signed_out").want(200).has("You are signed out.")
		v.post("/logout", url.Values{}).to("/login?signed_out") // once more does no harm
	})
}

func TestLogin_goesBackToOwnPagesOnly(t *testing.T) {
	t.Parallel()
	s := start(t, database.SQLite, config.Serve{Dev: true})
	v := s.owner()
	for next, want := range map[string]string{
		"/settings": "/settings", "/keys/new": "/keys/new", "/keys?page=2": "/keys?page=2", "/": "/", "": "/",
		"https://evil.example/": "/", "//evil.example": "/", `/\evil.example`: "/", `\\evil.example`: "/", "/\t/evil.example": "/", "/\n/evil.example": "/",
		"/ /evil.example": "/", "javascript:alert(1)": "/", "evil.example": "/", "/.//evil.example": "/", "http:/evil.example": "/", "/login": "/", "/login?next=/x": "/", "/logout": "/",
		"///evil.example": "/", "/%": "/", "/#x": "/", "/\x00": "/",
	} {
		p := v.post("/login", url.Values{"email": {s.shop.AdminEmail}, "password": {s.shop.AdminPassword}, "next": {next}}).want(303)
		if got := p.Header.Get("Location"); got != want {
			t.Errorf("%q leads to %q, want %q", next, got, want)
		}
	}
}

func TestSignedOut_isSentToLoginAndBack(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		for _, session := range []string{"", "os_gone", "garbage"} {
			v := &visitor{site: s, session: session}
			v.get("/").to("/login")
			v.get("/settings").to("/login?next=%2Fsettings")
			v.get("/keys?a=1&b=%2F").to("/login?next=%2Fkeys%3Fa%3D1%26b%3D%252F")
			v.post("/settings", url.Values{"name": {"Mine"}}).to("/login?next=%2Fsettings")
			v.post("/keys", url.Values{}).to("/login?next=%2Fkeys")
			if p := v.post("/settings", url.Values{}, "HX-Request", "true").want(401); p.Header.Get("HX-Redirect") != "/login?next=%2Fsettings" {
				t.Errorf("htmx is sent to %q", p.Header.Get("HX-Redirect"))
			}
			v.get("/login?next=%2Fsettings").want(200).has(`name="next" value="/settings"`)
			v.post("/login", url.Values{"email": {s.shop.AdminEmail}, "password": {s.shop.AdminPassword}, "next": {"/settings"}}).to("/settings")
			v.get("/settings").want(200).has("North Shop")
		}
	})
}

// A key opens no page: pages are for people.
func TestPages_takeNoKeys(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		v := &visitor{site: s}
		v.get("/settings", "Authorization", "Bearer "+s.shop.SecretKey).to("/login?next=%2Fsettings")
		v.get("/settings", "Authorization", "Bearer "+s.shop.PublishableKey).want(403).html()
	})
}

// Browsers drop the cookie without a word; the page says why.
func TestLogin_overPlainHTTPIsExplained(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		form := url.Values{"email": {s.shop.AdminEmail}, "password": {s.shop.AdminPassword}}
		v := &visitor{site: s, host: "admin.north.example:8081"}
		v.post("/login", form, "Origin", "http://admin.north.example:8081").want(400).html().has("over plain HTTP")
		v.host = "admin.north.example"
		v.post("/login", form, "Origin", "https://admin.north.example").to("/")
		for _, host := range []string{"localhost:8081", "127.0.0.1:8081", "[::1]:8081", "shop.localhost:8081"} {
			v.host = host
			v.post("/login", form, "Origin", "http://"+host).to("/")
		}
	})
}

func TestCrossOrigin_changesNothing(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		v := s.owner()
		keyID := s.keys(s.shop)[0].ID.String()
		for _, headers := range [][]string{
			{"Origin", "https://evil.example", "Sec-Fetch-Site", ""},
			{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"},
			{"Origin", "http://127.0.0.1:1", "Sec-Fetch-Site", "same-site"},
			{"Origin", "null", "Sec-Fetch-Site", ""},
		} {
			for _, path := range []string{"/login", "/logout", "/settings", "/keys", "/keys/" + keyID + "/rotate", "/keys/" + keyID + "/revoke"} {
				v.post(path, url.Values{"name": {"Mine"}, "kind": {"secret"}, "password": {s.shop.AdminPassword}, "email": {s.shop.AdminEmail}}, headers...).want(403).html().has("the page of another site")
			}
		}
		v.get("/").want(200).has("North Shop")
		if keys := s.keys(s.shop); len(keys) != 3 || keys[0].RevokedAt != nil || keys[0].ExpiresAt != nil {
			t.Errorf("the keys are %+v", keys)
		}
	})
}

func TestRoles_seeWhatTheyMay(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		owner, manager, viewer := s.owner(), s.signIn(s.newOperator(access.Manager), password), s.signIn(s.newOperator(access.Viewer), password)
		keyID := s.keys(s.shop)[1].ID.String()
		for _, c := range []struct {
			method, path           string
			owner, manager, viewer int
		}{
			{"GET", "/", 200, 200, 200},
			{"GET", "/settings", 200, 200, 200},
			{"POST", "/settings", 409, 403, 403}, // the empty form is of no version
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
			for v, want := range map[*visitor]int{owner: c.owner, manager: c.manager, viewer: c.viewer} {
				var form url.Values
				if c.method == "POST" {
					form = url.Values{}
				}
				p := v.send(c.method, c.path, form).want(want)
				if want != 303 {
					p.html()
				}
				if want == 403 {
					p.has("Your role does not include this.").lacks(keyID)
				}
				if v != owner {
					p.lacks(`href="/keys"`, `name="version"`)
				}
			}
		}
	})
}

func TestSession_roleShowsOnThePage(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		s.signIn(s.newOperator(access.Viewer), password).get("/").want(200).has("second-viewer@north.example", "Viewer", "change nothing")
		s.owner().get("/").want(200).has("owner@north.example", "Owner", s.shop.StoreID.String(), "Europe/Moscow", "English", "USD", `href="/keys"`, `lang="en"`)
	})
}

func TestPages_carryTheHeaders(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		v, stranger := s.owner(), &visitor{site: s}
		keyID := s.keys(s.shop)[1].ID.String()
		pages := []page{stranger.get("/login"), stranger.get("/settings"), stranger.get("/nothing"), stranger.post("/login", url.Values{}), v.post("/settings", url.Values{}, "Origin", "https://evil.example")}
		for _, path := range []string{"/", "/settings", "/keys", "/keys/new", "/keys/" + keyID + "/rotate", "/keys/" + keyID + "/revoke", "/keys/nothing/rotate"} {
			pages = append(pages, v.get(path))
		}
		for _, p := range pages {
			for name, want := range map[string]string{
				"Content-Security-Policy":    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
				"Referrer-Policy":            "same-origin",
				"Cross-Origin-Opener-Policy": "same-origin",
				"X-Frame-Options":            "DENY",
				"X-Content-Type-Options":     "nosniff",
				"Cache-Control":              "no-store",
			} {
				if got := p.Header.Get(name); got != want {
					t.Errorf("%s (%d): %s is %q", p.where(), p.StatusCode, name, got)
				}
			}
			p.lacks("<style", " style=", "onclick", "hx-on", "javascript:")
			if p.StatusCode != http.StatusSeeOther {
				p.has(`{&#34;allowEval&#34;:false,&#34;includeIndicatorStyles&#34;:false,&#34;allowScriptTags&#34;:false,&#34;selfRequestsOnly&#34;:true`)
			}
		}
	})
}
