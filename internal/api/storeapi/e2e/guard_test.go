package e2e

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/kit/captcha"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/protection"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/captchatest"
)

// protectedOperation is a request for a protected action. Its body is valid except for the missing captcha token.
type protectedOperation struct {
	action protection.Action
	route  string
	body   map[string]any
}

func protectedOperations() []protectedOperation {
	return []protectedOperation{
		{protection.PasswordlessRequest, "POST /v2/auth/passwordless/request",
			map[string]any{"email": "anna@visitor.example"}},
		{protection.OrderSubmission, "POST /v2/orders/{id}/submit",
			map[string]any{"contact": map[string]any{"name": "Anna", "phone": "+49 30 1234567"}}},
		{protection.FeedbackRequest, "POST /v2/feedback", map[string]any{"name": "Anna", "message": "It fits."}},
		{protection.CallbackRequest, "POST /v2/interactions/callback", map[string]any{"phone": "+49 30 1234567"}},
	}
}

// path returns the path of the operation with orderID in place of {id}.
func (o protectedOperation) path(orderID string) string {
	return strings.Replace(strings.TrimPrefix(o.route, "POST "), "{id}", orderID, 1)
}

// bodyWith returns the body with a captcha token, or without one if token is nil.
func (o protectedOperation) bodyWith(token any) map[string]any {
	body := map[string]any{}
	for name, value := range o.body {
		body[name] = value
	}
	if token != nil {
		body["recaptcha"] = map[string]any{"token": token}
	}
	return body
}

// eachProtectedStore runs fn on both engines with a store that protects all actions. The argument site of fn issues
// captcha tokens for the store.
func eachProtectedStore(t *testing.T,
	fn func(t *testing.T, s *apitest.Server, provider *captchatest.Server, site *captchatest.Site)) {
	t.Helper()
	provider := captchatest.New(t)
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) { fn(t, s, provider, protectStore(s, provider)) },
		apitest.WithConfig(func(c *config.Serve) { c.CaptchaVerifyURL = provider.URL() }))
}

// protectStore protects all actions of the store by captchas of the provider.
func protectStore(s *apitest.Server, provider *captchatest.Server) *captchatest.Site {
	site := provider.Site(captcha.RecaptchaV3, "shop.example")
	actions := []map[string]any{}
	for _, a := range protection.Actions() {
		actions = append(actions, map[string]any{"id": a})
	}
	setRecaptcha(s, map[string]any{"active": true, "public_key": site.PublicKey, "secret_key": site.SecretKey,
		"site_url": "https://shop.example", "extra_hosts": []string{"www.shop.example"}, "actions": actions})
	return site
}

func setRecaptcha(s *apitest.Server, recaptcha map[string]any) *apitest.Response {
	r := s.DoAdmin("PUT", "/api/store/settings", map[string]any{"recaptcha": recaptcha})
	if r.Status != http.StatusOK {
		panic(string(r.Body))
	}
	return r
}

// A request that would otherwise succeed is refused if its captcha token is invalid, and changes nothing.
func TestGuard_refusesBadCaptchasWithoutChanges(t *testing.T) {
	t.Parallel()
	eachProtectedStore(t, func(t *testing.T, s *apitest.Server, provider *captchatest.Server, site *captchatest.Site) {
		const required, failed, unavailable = "401 captcha_required", "401 captcha_failed", "401 captcha_unavailable"
		_, small, _ := createShirt(s, 3)
		cart, draft := createGuestCart(s, orderItems(orderLine(small, 1)))
		visitor := cart.headers()
		admin := []apitest.RequestOption{apitest.As(s.Secret)}

		for _, o := range protectedOperations() {
			good := site.GoodAnswer(string(o.action))
			path := o.path(draft.Text("data.id"))
			but := func(change func(*captchatest.Answer)) string {
				a := good
				change(&a)
				return site.TokenFor(a)
			}
			used := site.Token(string(o.action))
			for _, c := range []struct {
				name, want string
				token      any
				asks       int
			}{
				{"no token", required, nil, 0},
				{"an empty token", required, "", 0},
				{"a token over 8 KiB", failed, strings.Repeat("t", 8<<10+1), 0},
				{"a token of 200 KiB", failed, strings.Repeat("t", 200<<10), 0},
				{"a made-up token", failed, "made-up-for-" + string(o.action), 1},
				{"the same token again", failed, "made-up-for-" + string(o.action), 0},
				{"the same token with blanks around", failed, " \t made-up-for-" + string(o.action) + "\n\u00a0", 0},
				{"nothing but blanks", required, " \t\n", 0},
				{"a blank inside", failed, "made-up for-" + string(o.action), 0},
				{"a control character inside", "422 recaptcha.token control_character",
					"made-up\x01for-" + string(o.action), 0},
				{"an invisible character at the end", failed, "made-up-for-" + string(o.action) + "\u200b", 0},
				{"no success", failed, but(func(a *captchatest.Answer) {
					a.Failed = true
					a.Codes = []string{"timeout-or-duplicate"}
				}), 1},
				{"success over quota", failed, site.OverQuotaToken(string(o.action)), 1},
				{"a low score", failed, but(func(a *captchatest.Answer) { a.Score = "0.49" }), 1},
				{"no score", failed, but(func(a *captchatest.Answer) { a.Score = "" }), 1},
				{"a score that overflows", failed, but(func(a *captchatest.Answer) { a.Score = "1e999" }), 1},
				{"another action", failed, but(func(a *captchatest.Answer) { a.Action = "homepage" }), 1},
				{"another host", failed, but(func(a *captchatest.Answer) { a.Host = "evil.example" }), 1},
				{"HTML", unavailable, site.FailingToken(captchatest.HTML), 1},
				{"no JSON", unavailable, site.RawToken("yes"), 1},
				{"400", unavailable, site.FailingToken(captchatest.Status(400)), 1},
				{"503", unavailable, site.FailingToken(captchatest.Status(503)), 1},
				{"no response", unavailable, site.FailingToken(captchatest.Disconnect), 1},
			} {
				before := s.Dump()
				asked := providerCalls(provider, site)
				delete(before, "captcha_tokens")
				delete(before, "captcha_scores") // of requests before, which are written now and then

				by := [][]apitest.RequestOption{visitor, admin}[c.asks]
				if got := s.Do("POST", path, o.bodyWith(c.token), by...).Problem(); got != c.want {
					t.Errorf("%s, %s: got %s, want %s", o.action, c.name, got, c.want)
				}

				s.WantUnchanged(before, "%s, %s", o.action, c.name)
				if n := providerCalls(provider, site) - asked; n != c.asks {
					t.Errorf("%s, %s: the provider was called %d times", o.action, c.name, n)
				}
			}

			// The body is validated before the captcha, so an invalid body does not use up the token.
			if r := s.Do("POST", path, map[string]any{"recaptcha": map[string]any{"token": 7}}); r.Status != 422 {
				t.Errorf("%s: a numeric token gets %d, want 422: %s", o.action, r.Status, r.Body)
			}

			body := o.bodyWith(used)
			for name := range o.body {
				body[name] = 7
			}

			if r := s.Do("POST", path, body); r.Status != 422 {
				t.Errorf("%s: an invalid body gets %d, want 422: %s", o.action, r.Status, r.Body)
			}
			if r := s.Do("POST", path, o.bodyWith(used), visitor...); r.Status >= 300 {
				t.Errorf("%s: a good token is refused: %s", o.action, r.Body)
			}
		}

		hidden := append([]string{site.SecretKey}, sentTokens(provider, site)...)
		for _, secret := range hidden {
			if strings.Contains(s.Log.String(), secret) {
				t.Fatal("a token or the secret key is in the log")
			}
		}

		metrics := s.Metrics()
		for _, line := range []string{
			`vitrine_captcha_decisions_total{action="feedback_request",reason="low_score",result="refused"} 1`,
			`vitrine_captcha_decisions_total{action="feedback_request",reason="token_used",result="refused"} 2`,
			`vitrine_captcha_decisions_total{action="feedback_request",reason="server_error",result="refused"} 1`,
			`vitrine_captcha_decisions_total{action="feedback_request",reason="accepted",result="admitted"} 1`,
			`vitrine_captcha_score_count{action="feedback_request"}`,
			`vitrine_captcha_provider_seconds_count{action="feedback_request"}`,
		} {
			if !strings.Contains(metrics, line) {
				t.Errorf("the metrics lack %s", line)
			}
		}
	})
}

// providerCalls returns the number of calls to the provider with the secret key of the site.
func providerCalls(provider *captchatest.Server, site *captchatest.Site) int {
	return len(sentTokens(provider, site))
}

func sentTokens(provider *captchatest.Server, site *captchatest.Site) (list []string) {
	for _, c := range provider.Calls() {
		if c.Form.Get("secret") == site.SecretKey {
			list = append(list, c.Form.Get("response"))
		}
	}
	return list
}

func TestGuard_appliesStoreSettings(t *testing.T) {
	t.Parallel()
	eachProtectedStore(t, func(t *testing.T, s *apitest.Server, provider *captchatest.Server, site *captchatest.Site) {
		feedback := protectedOperations()[2]
		send := func(token any, options ...apitest.RequestOption) *apitest.Response {
			t.Helper()
			return s.Do("POST", feedback.path(unknownID), feedback.bodyWith(token),
				append([]apitest.RequestOption{apitest.As(s.Publishable)}, options...)...)
		}
		want := func(what string, r *apitest.Response, status int) {
			t.Helper()
			if r.Status != status {
				t.Errorf("%s: got %d, want %d: %s", what, r.Status, status, r.Body)
			}
		}
		score := func(score, host string) string {
			return site.TokenFor(captchatest.Answer{Score: score, Action: string(feedback.action), Host: host})
		}

		// A repeated request gets the stored response before the captcha is checked.
		token := score("0.5", "www.SHOP.example")
		want("a first request", send(token, apitest.Header("Idempotency-Key", "one-one-one-one-one")), 201)
		asked := providerCalls(provider, site)

		again := send(token, apitest.Header("Idempotency-Key", "one-one-one-one-one"))
		if want("the same again", again, 201); again.Header.Get("Idempotent-Replayed") != "true" ||
			providerCalls(provider, site) != asked {
			t.Error("the response was not replayed")
		}

		want("the token with another key", send(token, apitest.Header("Idempotency-Key", "two-two-two-two-two")), 401)
		want("that key with a good token, since refusals are not stored",
			send(score("0.9", "shop.example"), apitest.Header("Idempotency-Key", "two-two-two-two-two")), 201)

		setRecaptcha(s, map[string]any{"actions": []any{map[string]any{"id": feedback.action, "threshold": 0.8}}})
		want("below another threshold", send(score("0.79", "shop.example")), 401)
		want("at the threshold", send(score("0.8", "shop.example")), 201)
		want("an action that is no longer protected",
			s.Do("POST", "/v2/interactions/callback", map[string]any{"phone": "+49 30 1234567"}), 201)

		setRecaptcha(s, map[string]any{"on_provider_error": "allow"})
		want("5xx where errors are allowed", send(site.FailingToken(captchatest.Status(503))), 201)
		want("a broken connection where errors are allowed", send(site.FailingToken(captchatest.Disconnect)), 201)
		want("4xx where errors are allowed", send(site.FailingToken(captchatest.Status(403))), 401)
		want("HTML where errors are allowed", send(site.FailingToken(captchatest.HTML)), 401)
		want("a low score where errors are allowed", send(score("0.1", "shop.example")), 401)

		setRecaptcha(s, map[string]any{"on_provider_error": "reject",
			"actions": []any{map[string]any{"id": feedback.action, "shadow": true}}})
		asked = providerCalls(provider, site)
		want("a low score in shadow mode", send(score("0.1", "shop.example")), 201)
		want("no token in shadow mode", send(nil), 201)
		want("no verdict in shadow mode", send(site.FailingToken(captchatest.HTML)), 201)

		if n := providerCalls(provider, site) - asked; n != 2 {
			t.Errorf("in shadow mode the provider was called %d times, want 2", n)
		}

		line := `vitrine_captcha_decisions_total{action="feedback_request",reason="low_score",result="spared"} 1`
		if !strings.Contains(s.Metrics(), line) {
			t.Errorf("the metrics lack %s", line)
		}

		setRecaptcha(s, map[string]any{"active": false})
		want("with an inactive captcha", send(nil), 201)
	})
}

func TestGuard_acceptsTokenOnce(t *testing.T) {
	t.Parallel()
	eachProtectedStore(t, func(t *testing.T, s *apitest.Server, provider *captchatest.Server, site *captchatest.Site) {
		nodes := []*apitest.Server{s}
		if s.Engine == "postgres" {
			nodes = append(nodes,
				s.StartNode(apitest.WithConfig(func(c *config.Serve) { c.CaptchaVerifyURL = provider.URL() })))
		}

		feedback := protectedOperations()[2]
		body := feedback.bodyWith(site.Token(string(feedback.action)))
		statuses := make([]int, 16)
		var group sync.WaitGroup
		for i := range statuses {
			group.Go(func() {
				if r, err := nodes[i%len(nodes)].Try("POST", feedback.path(unknownID), body); err == nil {
					statuses[i] = r.Status
				}
			})
		}

		group.Wait()
		slices.Sort(statuses)

		if statuses[0] != 201 || statuses[1] != 401 || statuses[15] != 401 {
			t.Errorf("the statuses are %v, want one 201 and 401 for the others", statuses)
		}
		if n := providerCalls(provider, site); n != 1 {
			t.Errorf("the provider was called %d times, want once", n)
		}

		// A repeated request that arrives during the call to the provider gets idempotency_in_progress, not
		// captcha_failed.
		reached := make(chan struct{})
		goOn := make(chan struct{})
		first := make(chan int, 1)
		slow := feedback.bodyWith(site.FailingToken(func(_ *captchatest.Site, w http.ResponseWriter, _ *http.Request) {
			close(reached)
			<-goOn
			_, _ = w.Write([]byte(`{"success": true, "score": 0.9}`))
		}))

		go func() {
			r, err := s.Try("POST", feedback.path(unknownID), slow,
				apitest.Header("Idempotency-Key", "slow-slow-slow-slow-slow"))
			if err != nil {
				first <- 0
				return
			}
			first <- r.Status
		}()

		<-reached
		got := s.Do("POST", feedback.path(unknownID), slow, apitest.Header("Idempotency-Key",
			"slow-slow-slow-slow-slow")).Problem()
		close(goOn)
		if status := <-first; got != "409 idempotency_in_progress" || status != 201 {
			t.Errorf("the repetition got %s, the first request %d", got, status)
		}

		// The server forgets a used token after ten minutes. It then calls the provider again, which knows that the
		// token was used.
		s.Clock.Advance(10*time.Minute + time.Second)

		if got := s.Do("POST", feedback.path(unknownID), body).Problem(); got != "401 captcha_failed" ||
			providerCalls(provider, site) != 3 {
			t.Errorf("after ten minutes: got %s, and the provider was called %d times", got,
				providerCalls(provider, site))
		}

		if err := s.App.Protection.Prune(t.Context()); err != nil || len(s.Dump()["captcha_tokens"]) != 1 {
			t.Errorf("pruning removed the recent token or kept the old one: %v", err)
		}

		s.Clock.Advance(10*time.Minute + time.Second)
		if err := s.App.Protection.Prune(t.Context()); err != nil || len(s.Dump()["captcha_tokens"]) > 0 {
			t.Errorf("pruning kept an old token: %v", err)
		}
	})
}

// Concurrent submissions with one Idempotency-Key and one captcha token submit one order, and a later repeated request
// gets the stored response. Until that response is stored, another node knows only that the token is used, so it may
// respond with captcha_failed.
func TestGuard_submitsOnceForConcurrentRequestsWithOneKey(t *testing.T) {
	t.Parallel()
	eachProtectedStore(t, func(t *testing.T, s *apitest.Server, provider *captchatest.Server, site *captchatest.Site) {
		nodes := []*apitest.Server{s}
		if s.Engine == "postgres" {
			nodes = append(nodes,
				s.StartNode(apitest.WithConfig(func(c *config.Serve) { c.CaptchaVerifyURL = provider.URL() })))
		}

		_, small, _ := createShirt(s, 50)
		cart, draft := createGuestCart(s, orderItems(orderLine(small, 1)))
		submission := protectedOperations()[1]
		path := submission.path(draft.Text("data.id"))
		body := submission.bodyWith(site.Token(string(submission.action)))
		by := append(cart.headers(), apitest.Header("Idempotency-Key", "once-once-once-once-once"))
		answers := make([]*apitest.Response, 50)
		var group sync.WaitGroup
		for i := range answers {
			group.Go(func() { answers[i], _ = nodes[i%len(nodes)].Try("POST", path, body, by...) })
		}

		group.Wait()
		made := s.OK(200, "POST", path, body, by...)
		if made.Header.Get("Idempotent-Replayed") != "true" || providerCalls(provider, site) != 1 {
			t.Errorf("the response was not replayed, or the provider was called %d times",
				providerCalls(provider, site))
		}

		for i, r := range answers {
			switch {
			case r == nil:
				t.Fatal("a request got no response")
			case r.Status == 200:
				r.WantSame(made)
			case r.Problem() != "409 idempotency_in_progress" &&
				(len(nodes) == 1 || r.Problem() != "401 captcha_failed"):
				t.Errorf("request %d got %s", i, r.Problem())
			}
		}

		if events := storedEvents(s); len(events) != 1 ||
			s.Get("/v2/products?with=variants").Text("data.0.variants.0.available") != "49" {
			t.Errorf("%d orders were submitted", len(events))
		}
	})
}

func TestStore_showsProtectedActions(t *testing.T) {
	t.Parallel()
	eachProtectedStore(t, func(t *testing.T, s *apitest.Server, _ *captchatest.Server, site *captchatest.Site) {
		if s.Get("/v2/store").Has("data.settings") {
			t.Error("the response has settings without with=settings")
		}

		read := func() *apitest.Response { return s.Get("/v2/store?with=settings", apitest.As(s.Publishable)) }
		r := read()
		if got := r.Texts("data.settings.recaptcha.actions", "id"); !slices.Equal(got,
			[]string{"passwordless_request", "order_submission", "feedback_request", "callback_request"}) {
			t.Errorf("the actions are %v", got)
		}

		if got := r.Text("data.settings.recaptcha.public_key"); got != site.PublicKey ||
			r.Text("data.settings.recaptcha.version") != "v3" || strings.Contains(string(r.Body), site.SecretKey) {
			t.Errorf("got %s", r.Body)
		}

		s.DoAdmin("PUT", "/api/store/settings", map[string]any{"locale": "de"})
		setRecaptcha(s, map[string]any{"actions": []any{map[string]any{"id": "callback_request", "shadow": true}}})

		want := `{"recaptcha":{"actions":[{"id":"callback_request","name":"Rückrufbitte"}],"active":true,` +
			`"provider":"recaptcha_v3","public_key":"` + site.PublicKey + `","version":"v3"}}`
		if got := toJSON(read().JSON().(map[string]any)["data"].(map[string]any)["settings"]); got != want {
			t.Errorf("got %s", got)
		}

		setRecaptcha(s, map[string]any{"active": false})
		if r := read(); r.Len("data.settings.recaptcha.actions") != 0 || toJSON(r.JSON()) == "" {
			t.Errorf("with an inactive captcha the response is %s", r.Body)
		}

		if got := s.WithKeys(s.Other).Get("/v2/store?with=settings"); got.Len("data.settings.recaptcha.actions") != 0 ||
			got.Text("data.settings.recaptcha.public_key") != "" {
			t.Errorf("the store without captcha settings shows %s", got.Body)
		}

		if got := s.Do("GET", "/v2/store?with=secrets", nil).Problem(); got != "400 malformed_query" {
			t.Errorf("got %s", got)
		}
	})
}

// With --dev and without --captcha-verify-url the built-in provider judges the test tokens of docs/captcha.md, and the
// log says why a token was refused.
func TestGuard_developmentHasTestTokens(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		for _, provider := range []string{"recaptcha_v3", "smartcaptcha"} {
			r := s.DoAdmin("PUT", "/api/store/settings", map[string]any{"site_url": "http://localhost:3000",
				"recaptcha": map[string]any{"active": true, "provider": provider, "public_key": "x", "secret_key": "x",
					"actions": []any{map[string]any{"id": "feedback_request"}}}})
			if r.Status != 200 {
				t.Fatalf("the settings are refused: %s", r.Body)
			}

			for _, c := range []struct{ token, want, reason string }{
				{"test-pass", "", ""}, {"test-pass", "", ""}, {"test-pass.2", "", ""},
				{"test-low-score", "captcha_failed", "low_score"},
				{"test-wrong-action", "captcha_failed", "wrong_action"},
				{"test-wrong-host", "captcha_failed", "wrong_host"},
				{"test-duplicate", "captcha_failed", "not_successful"},
				{"test-quota", "captcha_failed", "error_codes"},
				{"test-error", "captcha_unavailable", "server_error"},
				{"test-timeout", "captcha_unavailable", "timeout"},
				{"", "captcha_required", "token_missing"},
				{"test-passed", "captcha_failed", "not_successful"},
				{"anything-" + provider, "captcha_failed", "not_successful"},
			} {
				s.Log.Reset()
				body := map[string]any{"name": "Anna", "message": "x", "recaptcha": map[string]any{"token": c.token}}
				if c.want == "" {
					s.OK(201, "POST", "/v2/feedback", body, apitest.As(s.Publishable))
					continue
				}

				if r := s.Do("POST", "/v2/feedback", body, apitest.As(s.Publishable)); r.Problem() != "401 "+c.want {
					t.Errorf("%s gives %s", c.token, r.Body)
				}
				if log := s.Log.String(); !strings.Contains(log, `"reason":"`+c.reason+`"`) {
					t.Errorf("%s: the reason %s is not in the log: %s", c.token, c.reason, log)
				}
			}
		}
	}, apitest.DevMode())
}

// A captcha token is recorded in the class of writes, like every other write of a request. A token that could not be
// recorded because of an overload is not used up.
func TestGuard_recordsTokensInTheClassOfWrites(t *testing.T) {
	t.Parallel()
	provider := captchatest.New(t)
	s := apitest.StartServer(t, database.SQLite, apitest.ShortAdmissionWait(),
		apitest.WithConfig(func(c *config.Serve) { c.CaptchaVerifyURL = provider.URL() }))
	site := protectStore(s, provider)
	body := map[string]any{"name": "Anna", "message": "It fits.",
		"recaptcha": map[string]any{"token": site.Token(string(protection.FeedbackRequest))}}
	release := s.FillWriteSlots()
	s.WantProblem("503 overloaded", "POST", "/v2/feedback", body, apitest.As(s.Publishable))
	if n := providerCalls(provider, site); n != 0 {
		t.Errorf("the provider was called %d times", n)
	}
	release()
	s.OK(201, "POST", "/v2/feedback", body, apitest.As(s.Publishable))
}

// Each node caches the captcha settings of a store. A change on one node applies to the next request on every node.
func TestGuard_appliesChangedSettingsOnAllNodes(t *testing.T) {
	t.Parallel()
	provider := captchatest.New(t)

	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		nodes := []*apitest.Server{s, s.StartNode()}
		protectStore(s, provider)
		send := func(node *apitest.Server) *apitest.Response {
			return node.Do("POST", "/v2/feedback", map[string]any{"name": "Anna", "message": "It fits."},
				apitest.As(s.Publishable))
		}
		for i := range 6 {
			active := i%2 == 1
			setRecaptcha(nodes[i/2%2], map[string]any{"active": active})
			for n, node := range nodes {
				for range 2 { // the second request finds the settings in the cache
					r := send(node)
					if refused := r.Status == http.StatusUnauthorized; refused != active ||
						!refused && r.Status != http.StatusCreated {
						t.Errorf("change %d to active=%t: node %d responds %d %s", i, active, n, r.Status, r.Body)
					}
				}
			}
		}
	}, apitest.WithConfig(func(c *config.Serve) { c.CaptchaVerifyURL = provider.URL() }))
}
