package captcha_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/captcha"
	"vitrine/internal/testkit/captchatest"
)

const (
	siteHost   = "shop.example"
	siteAction = "order_submission"
)

// newVerifier returns a verifier that sends its requests to the given URL.
func newVerifier(t *testing.T, p captcha.Provider, address string) captcha.Verifier {
	t.Helper()
	return newVerifierWith(t, p, captcha.Config{VerifyURL: address})
}

func newVerifierWith(t *testing.T, p captcha.Provider, cfg captcha.Config) captcha.Verifier {
	t.Helper()
	c, err := captcha.NewClient(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	v, err := c.Verifier(p)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func eachProvider(t *testing.T,
	test func(t *testing.T, server *captchatest.Server, site *captchatest.Site, v captcha.Verifier)) {
	t.Helper()
	server := captchatest.New(t)
	for _, p := range captcha.Providers() {
		t.Run(string(p), func(t *testing.T) {
			test(t, server, server.Site(p, siteHost), newVerifier(t, p, server.URL()))
		})
	}
}

// verifyAndJudge verifies a token and judges the verdict.
func verifyAndJudge(t *testing.T, v captcha.Verifier, site *captchatest.Site,
	token string) (captcha.Verdict, captcha.Judgement) {
	t.Helper()
	verdict, err := v.Verify(t.Context(),
		captcha.Request{Secret: site.SecretKey, Token: token, SiteKey: site.PublicKey})
	if err != nil {
		t.Fatal(err)
	}
	return verdict, captcha.Judge(verdict,
		captcha.Policy{Provider: site.Provider, Action: siteAction, Threshold: 0.5, Hosts: []string{siteHost}})
}

func TestVerify_judgesTheResponseOfEachProvider(t *testing.T) {
	const (
		google = captcha.RecaptchaV3
		cloud  = captcha.Turnstile
		hc     = captcha.HCaptcha
		yandex = captcha.SmartCaptcha
	)
	for _, c := range []struct {
		name   string
		change func(a *captchatest.Answer)
		want   map[captcha.Provider]string // reasons for rejection; other providers accept
	}{
		{"a person", func(*captchatest.Answer) {}, nil},
		{"a bot", func(a *captchatest.Answer) { a.Failed = true },
			map[captcha.Provider]string{google: captcha.NotSuccessful, cloud: captcha.NotSuccessful,
				hc: captcha.NotSuccessful, yandex: captcha.NotSuccessful}},
		{"success with error codes", func(a *captchatest.Answer) { a.Codes = []string{"Over free quota."} },
			map[captcha.Provider]string{google: captcha.ErrorCodes, cloud: captcha.ErrorCodes, hc: captcha.ErrorCodes,
				yandex: captcha.ErrorCodes}},
		{"no score", func(a *captchatest.Answer) { a.Score = "" },
			map[captcha.Provider]string{google: captcha.NoScore}},
		{"null for a score", func(a *captchatest.Answer) { a.Score = "null" },
			map[captcha.Provider]string{google: captcha.NoScore}},
		{"a score at the threshold", func(a *captchatest.Answer) { a.Score = "0.5" }, nil},
		{"a high score, which is a high risk", func(a *captchatest.Answer) { a.Score = "0.8" },
			map[captcha.Provider]string{hc: captcha.LowScore}},
		{"a low score, which is a low risk", func(a *captchatest.Answer) { a.Score = "0.2" },
			map[captcha.Provider]string{google: captcha.LowScore}},
		{"a score beyond floats", func(a *captchatest.Answer) { a.Score = "1e999" },
			map[captcha.Provider]string{google: captcha.BadScore, hc: captcha.BadScore}},
		{"a score below 0", func(a *captchatest.Answer) { a.Score = "-0.5" },
			map[captcha.Provider]string{google: captcha.BadScore, hc: captcha.BadScore}},
		{"a score above 1", func(a *captchatest.Answer) { a.Score = "1.01" },
			map[captcha.Provider]string{google: captcha.BadScore, hc: captcha.BadScore}},
		{"another action", func(a *captchatest.Answer) { a.Action = "feedback_request" },
			map[captcha.Provider]string{google: captcha.WrongAction, cloud: captcha.WrongAction}},
		{"no action", func(a *captchatest.Answer) { a.Action = "" }, nil},
		{"another host", func(a *captchatest.Answer) { a.Host = "thief.example" },
			map[captcha.Provider]string{google: captcha.WrongHost, cloud: captcha.WrongHost, hc: captcha.WrongHost,
				yandex: captcha.WrongHost}},
		{"no host", func(a *captchatest.Answer) { a.Host = "" }, map[captcha.Provider]string{yandex: captcha.NoHost}},
		{"hCaptcha's not-provided host", func(a *captchatest.Answer) { a.Host = "not-provided" },
			map[captcha.Provider]string{google: captcha.WrongHost, cloud: captcha.WrongHost,
				yandex: captcha.WrongHost}},
		{"a host with a port", func(a *captchatest.Answer) { a.Host = "Shop.example.:8080" }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachProvider(t, func(t *testing.T, _ *captchatest.Server, site *captchatest.Site, v captcha.Verifier) {
				answer := site.GoodAnswer(siteAction)
				c.change(&answer)
				want := c.want[site.Provider]
				if want == "" {
					want = captcha.Accepted
				}

				verdict, got := verifyAndJudge(t, v, site, site.TokenFor(answer))
				if got.Reason != want || got.Accepted != (want == captcha.Accepted) {
					t.Errorf("%+v is %+v, want %s", verdict, got, want)
				}
			})
		})
	}
}

func TestVerify_returnsTheProvidersVerdict(t *testing.T) {
	verdicts := map[captcha.Provider]captcha.Verdict{
		captcha.RecaptchaV3:  {OK: true, Score: new(0.3), Action: new(siteAction), Host: siteHost},
		captcha.Turnstile:    {OK: true, Action: new(siteAction), Host: siteHost},
		captcha.HCaptcha:     {OK: true, Score: new(0.7), Host: siteHost},
		captcha.SmartCaptcha: {OK: true, Host: siteHost},
	}

	forms := map[captcha.Provider]url.Values{
		captcha.RecaptchaV3:  {"remoteip": {"192.0.2.1"}},
		captcha.Turnstile:    {"remoteip": {"192.0.2.1"}},
		captcha.HCaptcha:     {"remoteip": {"192.0.2.1"}},
		captcha.SmartCaptcha: {"ip": {"192.0.2.1"}},
	}

	eachProvider(t, func(t *testing.T, server *captchatest.Server, site *captchatest.Site, v captcha.Verifier) {
		answer := site.GoodAnswer(siteAction)
		answer.Score = "0.3"
		token := site.TokenFor(answer)
		got, err := v.Verify(t.Context(), captcha.Request{
			Secret: site.SecretKey, Token: token, SiteKey: site.PublicKey,
			RemoteIP: netip.MustParseAddr("::ffff:192.0.2.1"),
		})
		if err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff(verdicts[site.Provider], got); diff != "" {
			t.Errorf("verdict (-want +got):\n%s", diff)
		}

		calls := server.Calls()
		form := forms[site.Provider]
		form.Set("secret", site.SecretKey)
		form.Set(map[bool]string{true: "token", false: "response"}[site.Provider == captcha.SmartCaptcha], token)

		if site.Provider == captcha.HCaptcha {
			form.Set("sitekey", site.PublicKey)
		}

		if diff := cmp.Diff(form, calls[len(calls)-1].Form); diff != "" {
			t.Errorf("request (-want +got):\n%s", diff)
		}
	})
}

func TestVerify_acceptsATokenOnceAndOnlyForItsSite(t *testing.T) {
	eachProvider(t, func(t *testing.T, server *captchatest.Server, site *captchatest.Site, v captcha.Verifier) {
		token := site.Token(siteAction)
		other := server.Site(site.Provider, siteHost)
		if _, got := verifyAndJudge(t, v, other, token); got.Accepted {
			t.Error("a token of another site is accepted")
		}

		var accepted [2]bool
		var both sync.WaitGroup
		for i := range accepted {
			both.Go(func() {
				verdict, err := v.Verify(t.Context(), captcha.Request{Secret: site.SecretKey, Token: token})
				accepted[i] = err == nil && verdict.OK
			})
		}

		both.Wait()
		if accepted[0] == accepted[1] {
			t.Errorf("two concurrent requests: accepted %v, want exactly one", accepted)
		}

		verdict, got := verifyAndJudge(t, v, site, token)
		if got.Reason != captcha.NotSuccessful || len(verdict.Codes) != 1 {
			t.Errorf("used before: %+v, %+v", verdict, got)
		}

		verdict, got = verifyAndJudge(t, v, &captchatest.Site{Provider: site.Provider, SecretKey: "wrong"},
			site.Token(siteAction))
		if got.Reason != captcha.NotSuccessful || len(verdict.Codes) != 1 {
			t.Errorf("with a wrong secret: %+v, %+v", verdict, got)
		}
	})
}

// leakMarker occurs in all response bodies, and is the parameter key of a URL that has one. No error may contain it.
const leakMarker = "success"

// wantUnavailable verifies a token, which must fail with an *Unavailable, and checks that the error contains no secret.
func wantUnavailable(t *testing.T, v captcha.Verifier, r captcha.Request, wait time.Duration) *captcha.Unavailable {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	verdict, err := v.Verify(ctx, r)
	var none *captcha.Unavailable
	if !errors.As(err, &none) {
		t.Fatalf("got %+v, %v, want an *Unavailable", verdict, err)
	}
	for _, text := range []string{err.Error(), fmt.Sprintf("%+v %#v", err, none)} {
		if strings.Contains(text, r.Secret) || strings.Contains(text, r.Token) || strings.Contains(text, leakMarker) {
			t.Errorf("the error reveals a secret: %s", text)
		}
	}
	return none
}

func TestVerify_isUnavailableWhenTheProviderFails(t *testing.T) {
	const soon, never = 100 * time.Millisecond, time.Minute
	for name, c := range map[string]struct {
		trouble   captchatest.Failure
		wait      time.Duration
		reason    string
		transient bool
	}{
		"hanging":                {captchatest.Hang, soon, captcha.Timeout, true},
		"dripping":               {captchatest.Drip, soon, captcha.Timeout, true},
		"disconnect":             {captchatest.Disconnect, never, captcha.Broken, true},
		"disconnect in the body": {captchatest.DisconnectInBody, never, captcha.Broken, true},
		"500":                    {captchatest.Status(500), never, captcha.ServerError, true},
		"503":                    {captchatest.Status(503), never, captcha.ServerError, true},
		"429":                    {captchatest.Status(429), never, captcha.BadStatus, false},
		"403":                    {captchatest.Status(403), never, captcha.BadStatus, false},
		"201":                    {captchatest.Status(201), never, captcha.BadStatus, false},
		"a redirect":             {captchatest.Redirect, never, captcha.BadStatus, false},
		"HTML":                   {captchatest.HTML, never, captcha.Nonsense, false},
		"no HTTP":                {captchatest.InvalidHTTP, never, captcha.Nonsense, false},
		"more than 64 KiB":       {captchatest.EndlessBody, never, captcha.TooLong, false},
		"a status beyond HTTP":   {captchatest.Status(999), never, captcha.BadStatus, false},
	} {
		t.Run(name, func(t *testing.T) {
			eachProvider(t, func(t *testing.T, server *captchatest.Server, site *captchatest.Site, v captcha.Verifier) {
				before := len(server.Calls())
				got := wantUnavailable(t, v,
					captcha.Request{Secret: site.SecretKey, Token: site.FailingToken(c.trouble)}, c.wait)
				if got.Reason != c.reason || got.Transient != c.transient {
					t.Errorf("got %+v, want %s, transient %v", got, c.reason, c.transient)
				}

				if n := len(server.Calls()) - before; n > 1 {
					t.Errorf("%d requests, want 1: the first may have consumed the token", n)
				}
			})
		})
	}
}

func TestVerify_isUnavailableForUndocumentedResponses(t *testing.T) {
	eachProvider(t, func(t *testing.T, _ *captchatest.Server, site *captchatest.Site, v captcha.Verifier) {
		bodies := []string{
			``, `null`, `true`, `[]`, `"ok"`, `{`, `{}{}`, "\ufeff{}", `{"a": NaN}`, "{\"a\": \"\xff\"}",
			`{"success": true, "score": NaN}`, `{"success": true, "score": 0.9, "success": true}`,
			`{"status": "ok", "host": "shop.example", "status": "ok"}`,
		}
		if site.Provider == captcha.SmartCaptcha {
			bodies = append(bodies, `{"status": true}`, `{"status": "ok", "host": 1}`,
				`{"status": "ok", "message": {}}`)
		} else {
			bodies = append(bodies, `{"success": "true"}`, `{"success": 1}`, `{"success": true, "score": "0.9"}`,
				`{"success": true, "action": 1}`, `{"success": true, "hostname": []}`)
		}

		for _, body := range bodies {
			r := captcha.Request{Secret: site.SecretKey, Token: site.RawToken(body)}
			got := wantUnavailable(t, v, r, time.Minute)
			if got.Reason != captcha.Nonsense || got.Transient {
				t.Errorf("%s: got %+v", body, got)
			}
		}

		for _, body := range []string{
			`{}`, `{"Success": true, "Status": "ok"}`, `{"success": null, "status": null}`,
			`{"success": false, "status": "OK"}`,
		} {
			if verdict, got := verifyAndJudge(t, v, site, site.RawToken(body)); got.Reason != captcha.NotSuccessful {
				t.Errorf("%s: %+v is %+v", body, verdict, got)
			}
		}

		if verdict, got := verifyAndJudge(t, v, site,
			site.FailingToken(captchatest.WrongContentType(siteAction))); !got.Accepted {
			t.Errorf("JSON sent as text/plain: %+v is %+v", verdict, got)
		}
	})
}

func TestVerify_parsesErrorCodesOfAnyType(t *testing.T) {
	server := captchatest.New(t)
	site := server.Site(captcha.RecaptchaV3, siteHost)
	v := newVerifier(t, site.Provider, server.URL())

	long := strings.Repeat("é", 100)
	for codes, want := range map[string][]string{
		`null`: nil, `[]`: nil,
		`["a", "b"]`: {"a", "b"}, `"Over free quota."`: {"Over free quota."}, `[""]`: {""}, `""`: {""},
		`[1, {"a": []}, null]`: {"unreadable", "unreadable", ""}, `{}`: {"unreadable"}, `false`: {"unreadable"},
		`["` + long + `"]`:                     {strings.Repeat("?", 64)},
		`[1` + strings.Repeat(", 1", 20) + `]`: slices.Repeat([]string{"unreadable"}, 8),
	} {
		verdict, got := verifyAndJudge(t, v, site,
			site.RawToken(`{"success": true, "score": 0.9, "error-codes": `+codes+`}`))
		if !slices.Equal(verdict.Codes, want) || got.Accepted != (len(want) == 0) {
			t.Errorf("%s: %q, %+v", codes, verdict.Codes, got)
		}
	}

	if verdict, got := verifyAndJudge(t, v, site, site.OverQuotaToken(siteAction)); got.Reason != captcha.ErrorCodes ||
		*verdict.Score != 0.9 {
		t.Errorf("over quota: %+v is %+v", verdict, got)
	}
}

func TestVerify_isUnavailableWithoutAConnection(t *testing.T) {
	secured := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"success": true, "score": 1}`)
	}))
	secured.Config.ErrorLog = log.New(io.Discard, "", 0) // the test causes failed handshakes
	secured.StartTLS()
	t.Cleanup(secured.Close)

	plain := captchatest.New(t)
	for name, c := range map[string]struct {
		address, reason string
		transient       bool
	}{
		"refused":                {captchatest.UnreachableURL(t) + "?key=" + leakMarker, captcha.NotConnected, true},
		"an unknown certificate": {secured.URL, captcha.BadCertificate, false},
		"no TLS":                 {strings.Replace(plain.URL(), "http:", "https:", 1), captcha.NotConnected, true},
	} {
		r := captcha.Request{Secret: "the secret", Token: "the token"}
		if got := wantUnavailable(t, newVerifier(t, captcha.RecaptchaV3, c.address), r,
			time.Minute); got.Reason != c.reason || got.Transient != c.transient {
			t.Errorf("%s: %+v", name, got)
		}
	}

	trusted := x509.NewCertPool()
	trusted.AddCert(secured.Certificate())
	v := newVerifierWith(t, captcha.RecaptchaV3, captcha.Config{VerifyURL: secured.URL, RootCAs: trusted})
	if verdict, err := v.Verify(t.Context(), captcha.Request{Secret: "the secret", Token: "the token"}); err != nil ||
		!verdict.OK {
		t.Errorf("trusted certificate: %+v, %v", verdict, err)
	}
}

// A connection is reused after an error status, so that a busy provider does not get a new connection for every token.
func TestVerify_reusesTheConnectionAfterAnErrorStatus(t *testing.T) {
	var connections atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, strings.Repeat("busy ", 2000), http.StatusServiceUnavailable)
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	defer server.Close()

	v := newVerifier(t, captcha.RecaptchaV3, server.URL)
	for range 3 {
		if none := wantUnavailable(t, v, captcha.Request{Secret: "secret-key", Token: "a-token"},
			time.Minute); none.Reason != captcha.ServerError {
			t.Errorf("got %v", none)
		}
	}

	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections were made, want 1", n)
	}
}

func TestVerify_stopsWhenItsContextIsCancelled(t *testing.T) {
	server := captchatest.New(t)
	site := server.Site(captcha.Turnstile, siteHost)
	v := newVerifier(t, site.Provider, server.URL())
	ctx, cancel := context.WithCancel(t.Context())
	token := site.FailingToken(func(_ *captchatest.Site, _ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	_, err := v.Verify(ctx, captcha.Request{Secret: site.SecretKey, Token: token})
	var none *captcha.Unavailable
	if !errors.As(err, &none) || none.Reason != captcha.Canceled || none.Transient ||
		!errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestNewClient_refusesInvalidURLs(t *testing.T) {
	for _, address := range []string{
		"captcha.example", "/siteverify", "ftp://captcha.example", "https://", "https:captcha.example",
		"https://captcha.example/\x7f",
	} {
		if _, err := captcha.NewClient(captcha.Config{VerifyURL: address}); err == nil {
			t.Errorf("NewClient accepts %q", address)
		}
	}
	c, err := captcha.NewClient(captcha.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Verifier("recaptcha"); err == nil {
		t.Error("Verifier accepts an unknown provider")
	}
}

func TestRequest_keepsItsSecretsOutOfLogs(t *testing.T) {
	r := captcha.Request{Secret: "canary", Token: "canary"}
	for _, text := range []string{
		fmt.Sprint(r), fmt.Sprintf("%+v %#v %s %v", r, r, r, []any{&r}), r.LogValue().String(),
	} {
		if strings.Contains(text, "canary") {
			t.Error(text)
		}
	}
}
