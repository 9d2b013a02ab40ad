package app_test

import (
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
)

// serve --dev serves the demo page, and its first run prints a link that opens the page with the key of the new store.
func TestDemoPage_isServedWithDev(t *testing.T) {
	t.Parallel()
	inst := newInstallation(t, database.SQLite)
	p, s := inst.FirstRun("--dev", "--public-url", "https://api.shop.example/store",
		"--captcha-script-url", "https://captcha.example/a.js?x=1&y=%22")
	if link := p.URL + "/demo#key=" + s.Publishable + "\n"; !strings.Contains(p.Stdout.String(), link) {
		t.Errorf("the first run does not print %s", link)
	}

	// The redirect needs no fragment: the browser keeps the one with the key.
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+"/demo?q=mug", nil)
	if err != nil {
		t.Fatal(err)
	}

	redirect, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}

	_ = redirect.Body.Close()
	if to := redirect.Header.Get("Location"); redirect.StatusCode != 307 || to != "/demo/?q=mug" {
		t.Errorf("/demo returns %d with Location %s", redirect.StatusCode, to)
	}

	for _, c := range []struct{ path, mediaType, has string }{
		{"/demo/", "text/html; charset=utf-8", `content="https://captcha.example/a.js?x=1&amp;y=%22"`},
		{"/demo/main.js", "text/javascript; charset=utf-8", "import"},
		{"/demo/", "text/html; charset=utf-8", `<base href="./">`},
		{"/demo/lamp.html", "text/html; charset=utf-8", `<base href="./">`},
		{"/demo/p/lamp", "text/html; charset=utf-8", `<base href="../">`},
		{"/demo/c/lamps/floor.js", "text/html; charset=utf-8", `<base href="../../">`},
		{"/demo/storefront.css", "text/css; charset=utf-8", ":root"},
	} {
		r := s.Get(c.path, apitest.As(""))
		if got := r.Header.Get("Content-Type"); got != c.mediaType || !strings.Contains(string(r.Body), c.has) ||
			r.Header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s has Content-Type %s: %.200s", c.path, got, r.Body)
		}

		const policy = "default-src 'none'; script-src 'self' https://captcha.example; connect-src 'self' " +
			"https://captcha.example; frame-src https://captcha.example; " +
			"style-src 'self' 'unsafe-inline'; img-src 'self' data: https://api.shop.example; base-uri 'self'; " +
			"form-action 'none'; frame-ancestors 'none'"
		if got := r.Header.Get("Content-Security-Policy"); got != policy {
			t.Errorf("the policy of %s is %s", c.path, got)
		}

		again := s.Do("GET", c.path, nil, apitest.Header("If-None-Match", r.Header.Get("ETag")))
		if again.Status != 304 {
			t.Errorf("%s with a matching ETag returns %d, want 304", c.path, again.Status)
		}
	}

	for _, path := range []string{"/demo/storefront.go", "/demo/nothing.js"} {
		if got := s.Do("GET", path, nil).Problem(); got != "404 no_such_path" {
			t.Errorf("%s returns %s", path, got)
		}
	}

	if got := s.Get("/openapi.json"); strings.Contains(string(got.Body), `"/demo`) {
		t.Error("/openapi.json describes /demo")
	}
}

// The page passes the captcha by a test token only on a server that judges test tokens itself.
func TestDemoPage_hasTestTokenWhereTheServerJudges(t *testing.T) {
	t.Parallel()
	for verifyURL, want := range map[string]string{"": "test-pass", "http://127.0.0.1:9/": ""} {
		s := apitest.StartServer(t, database.SQLite, apitest.DevMode(),
			apitest.WithConfig(func(c *config.Serve) { c.CaptchaVerifyURL = verifyURL }))
		page := s.Get("/demo/", apitest.As("")).Body
		if meta := `<meta name="vitrine-captcha-token" content="` + want + `">`; !strings.Contains(string(page), meta) {
			t.Errorf("with --captcha-verify-url %q the page lacks %s", verifyURL, meta)
		}
	}
}

func TestDemoPage_isNotServedWithoutDev(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite, apitest.Alone())
	for _, path := range []string{"/demo", "/demo/", "/demo/main.js"} {
		if got := s.Do("GET", path, nil).Problem(); got != "404 no_such_path" {
			t.Errorf("%s returns %s", path, got)
		}
	}
	inst := newInstallation(t, database.SQLite)
	for _, address := range []string{"captcha.example/a.js", "https://captcha.example;script-src/a.js"} {
		inst.WantFailure(1, []string{"--captcha-script-url must be an address such as"}, "serve",
			"--captcha-script-url", address)
	}
}
