package adminui_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/promise"
)

const sessionCookie = "__Host-vitrine"

// fixture is the whole program with a store whose owner can sign in.
type fixture struct {
	*apitest.Server
	t *testing.T
	// store is the store of the tests. The two stores that apitest creates are not used, since they have no operators.
	store account.ProvisionedStore
}

// eachEngine runs fn with a fixture on SQLite and, if everything is proved, also on PostgreSQL. Pages have no SQL of
// their own: the tests of the packages that they call run on both.
func eachEngine(t *testing.T, fn func(t *testing.T, s *fixture)) {
	t.Helper()
	t.Parallel()
	engines := []string{database.SQLite}
	if promise.ProveAll() {
		engines = databasetest.Engines()
	}
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			fn(t, newFixture(t, engine))
		})
	}
}

// newFixture starts the program in development mode, unless an option changes that.
func newFixture(t *testing.T, engine string, options ...apitest.Option) *fixture {
	t.Helper()
	server := apitest.StartServer(t, engine, append([]apitest.Option{apitest.DevMode()}, options...)...)
	return &fixture{Server: server, t: t, store: server.Provision("owner@north.example")}
}

func (s *fixture) withT(t *testing.T) *fixture {
	return &fixture{Server: s.WithTB(t), t: t, store: s.store}
}

// newOperator creates an operator of the store, whose password is apitest.OperatorPassword.
func (s *fixture) newOperator(role access.Role) (email string) {
	s.t.Helper()
	email = "second-" + string(role) + "@north.example"
	s.NewOperator(s.store.StoreID, email, role)
	return email
}

// endSessions changes the password of an operator, which ends their sessions.
func (s *fixture) endSessions(email string) {
	s.t.Helper()
	prepared, err := s.App.Accounts.PreparePassword(s.t.Context(), "another horse battery")
	if err != nil {
		s.t.Fatal(err)
	}
	s.Write(func(ctx context.Context, q database.Querier) error {
		_, err := s.App.Accounts.Operators.ResetPassword(ctx, q, email, prepared, false)
		return err
	})
}

func (s *fixture) keys(provisioned account.ProvisionedStore) (keys []access.Key) {
	s.t.Helper()
	err := s.App.DB.Read(s.t.Context(), func(q database.Querier) (err error) {
		keys, err = s.App.Access.Keys(s.t.Context(), store.In(q, provisioned.StoreID))
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return keys
}

// tokenWorks reports whether the public API accepts a token.
func (s *fixture) tokenWorks(token string) bool {
	s.t.Helper()
	return s.Do("GET", "/v2/store", nil, apitest.As(token)).Status == 200
}

// client is an HTTP client that behaves like a browser without scripts. It keeps the session cookie and follows no
// redirects.
type client struct {
	*fixture
	session string
	host    string // the Host header; empty for the address of the server
}

// signIn returns a client that has signed in.
func (s *fixture) signIn(email, password string) *client {
	s.t.Helper()
	v := &client{fixture: s}
	v.post("/login", url.Values{"email": {email}, "password": {password}}).wantStatus(303)
	if v.session == "" {
		s.t.Fatalf("%s got no session", email)
	}
	return v
}

func (s *fixture) owner() *client {
	s.t.Helper()
	return s.signIn(s.store.AdminEmail, s.store.AdminPassword)
}

// response is an HTTP response with its body as text. Its methods check the response.
type response struct {
	*http.Response
	text string
	t    *testing.T
}

func (v *client) get(path string, headers ...string) response {
	v.t.Helper()
	return v.send("GET", path, nil, headers...)
}

// post sends a form with the headers that a browser sends from a page of this server.
func (v *client) post(path string, form url.Values, headers ...string) response {
	v.t.Helper()
	return v.send("POST", path, form,
		append([]string{"Origin", v.AdminURL, "Sec-Fetch-Site", "same-origin"}, headers...)...)
}

func (v *client) send(method, path string, form url.Values, headers ...string) response {
	v.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}

	req, err := http.NewRequestWithContext(v.t.Context(), method, v.AdminURL+path, body)
	if err != nil {
		v.t.Fatal(err)
	}

	if v.host != "" {
		req.Host = v.host
	}

	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}

	if v.session != "" {
		req.AddCookie(&http.Cookie{Name: sessionCookie, Value: v.session})
	}

	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Del(headers[i])
		if headers[i+1] != "" {
			req.Header.Set(headers[i], headers[i+1])
		}
	}

	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer resp.Body.Close()

	var b bytes.Buffer
	if _, err := b.ReadFrom(resp.Body); err != nil {
		v.t.Fatal(err)
	}

	for _, c := range resp.Cookies() {
		if c.Name == sessionCookie {
			v.session = c.Value
		}
	}

	return response{resp, b.String(), v.t}
}

func (p response) requestLine() string { return p.Request.Method + " " + p.Request.URL.RequestURI() }

// form returns the fields of the form with this id. See [apitest.FormFields].
func (p response) form(id string) url.Values {
	p.t.Helper()
	return apitest.FormFields(p.t, p.text, id)
}

func (p response) wantStatus(status int) response {
	p.t.Helper()
	if p.StatusCode != status {
		p.t.Errorf("%s: got %d, want %d: %.2000s", p.requestLine(), p.StatusCode, status, p.text)
	}
	return p
}

func (p response) wantRedirect(target string) response {
	p.t.Helper()
	if got := p.wantStatus(303).Header.Get("Location"); got != target {
		p.t.Errorf("%s redirects to %q, want %q", p.requestLine(), got, target)
	}
	return p
}

func (p response) contains(texts ...string) response {
	p.t.Helper()
	for _, text := range texts {
		if !strings.Contains(p.text, text) {
			p.t.Errorf("%s does not show %q: %.4000s", p.requestLine(), text, p.text)
		}
	}
	return p
}

func (p response) omits(texts ...string) response {
	p.t.Helper()
	for _, text := range texts {
		if strings.Contains(p.text, text) {
			p.t.Errorf("%s shows %q", p.requestLine(), text)
		}
	}
	return p
}

func (p response) wantHTML() response {
	p.t.Helper()
	if got := p.Header.Get("Content-Type"); got != "text/html; charset=utf-8" ||
		!strings.HasPrefix(p.text, "<!doctype html>") {
		p.t.Errorf("%s: the response is %q, not an HTML page: %.300s", p.requestLine(), got, p.text)
	}
	return p
}

// between returns the part of the page that follows the text before and precedes the text after.
func (p response) between(before, after string) string {
	p.t.Helper()
	_, rest, found := strings.Cut(p.text, before)
	text, _, closed := strings.Cut(rest, after)
	if !found || !closed {
		p.t.Fatalf("%s: no text between %q and %q: %.4000s", p.requestLine(), before, after, p.text)
	}
	return text
}
