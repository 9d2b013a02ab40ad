package adminapi_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/app"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
)

// fixture is the whole program on loopback, with one shop.
type fixture struct {
	t          *testing.T
	app        *app.App
	api, admin string // the addresses
	store      access.Provisioned
}

// eachEngine runs fn against a site on each engine.
func eachEngine(t *testing.T, fn func(t *testing.T, s *fixture)) {
	t.Helper()
	t.Parallel()
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			fn(t, newFixture(t, engine))
		})
	}
}

func newFixture(t *testing.T, engine string) *fixture {
	t.Helper()
	cfg := config.Serve{
		Storage: config.Storage{Data: t.TempDir(), Database: databasetest.NewMigratedURL(t, engine)},
		APIAddr: "127.0.0.1:0", AdminAddr: "127.0.0.1:0", Dev: true,
	}
	a, err := app.New(t.Context(), cfg, "test", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ready, done := make(chan [2]net.Addr, 1), make(chan error, 1)
	go func() { done <- a.Run(ctx, func(api, admin net.Addr) { ready <- [2]net.Addr{api, admin} }) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("the program ended with %v", err)
		}
	})
	select {
	case at := <-ready:
		s := &fixture{t: t, app: a, api: "http://" + at[0].String(), admin: "http://" + at[1].String()}
		s.store = s.newStore("owner@north.example")
		return s
	case err := <-done:
		done <- nil
		t.Fatal(err)
		return nil
	}
}

func (s *fixture) newStore(owner string) access.Provisioned {
	s.t.Helper()
	made, err := s.app.CreateStore(s.t.Context(), store.Edit{Name: new("North Shop"), Timezone: new("Europe/Moscow")}, owner)
	if err != nil {
		s.t.Fatal(err)
	}
	return made
}

// newKey makes a key of the shop behind the API's back.
func (s *fixture) newKey(n access.NewKey) (access.Key, string) {
	s.t.Helper()
	var key access.Key
	var token string
	err := s.app.DB.Write(s.t.Context(), func(q database.Querier) (err error) {
		key, token, err = s.app.Access.CreateKey(s.t.Context(), store.In(q, s.store.StoreID), n)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return key, token
}

// signIn makes an operator of the shop and signs them in; the credential is their cookie.
func (s *fixture) signIn(role access.Role) credential {
	s.t.Helper()
	email, password := string(role)+"@north.example", "correct horse battery"
	if role == access.Owner {
		email, password = s.store.AdminEmail, s.store.AdminPassword
	} else {
		prepared, err := s.app.Access.PrepareOperator(s.t.Context(), access.NewOperator{Email: email, Role: role, Password: password})
		if err == nil {
			err = s.app.DB.Write(s.t.Context(), func(q database.Querier) error {
				_, err := s.app.Access.CreateOperator(s.t.Context(), store.In(q, s.store.StoreID), prepared)
				return err
			})
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
	token, _, err := s.app.Access.SignIn(s.t.Context(), email, password)
	if err != nil {
		s.t.Fatal(err)
	}
	return credential{"Cookie", "__Host-vitrine=" + token}
}

// credential is the header that carries it; the zero value is none.
type credential struct{ header, value string }

func bearer(token string) credential { return credential{"Authorization", "Bearer " + token} }

// response is an answer that was read whole.
type response struct {
	*http.Response
	Body []byte
	t    *testing.T
}

// do sends a request to the administration; headers come in pairs.
func (s *fixture) do(who credential, method, path, body string, headers ...string) response {
	s.t.Helper()
	return s.sendTo(s.admin, who, method, path, body, headers...)
}

func (s *fixture) sendTo(base string, who credential, method, path, body string, headers ...string) response {
	s.t.Helper()
	var content io.Reader
	if body != "" {
		content = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(s.t.Context(), method, base+path, content)
	if err != nil {
		s.t.Fatal(err)
	}
	if who.header != "" {
		req.Header.Set(who.header, who.value)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	read, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return response{resp, read, s.t}
}

// wantStatus reports another status and returns the same answer.
func (a response) wantStatus(status int) response {
	a.t.Helper()
	if a.StatusCode != status {
		a.t.Errorf("%s %s: got %d, want %d: %s", a.Request.Method, a.Request.URL.Path, a.StatusCode, status, a.Body)
	}
	return a
}

// decode decodes the member data.
func (a response) decode(v any) {
	a.t.Helper()
	envelope := struct {
		Data any `json:"data"`
	}{v}
	if err := json.Unmarshal(a.Body, &envelope); err != nil {
		a.t.Fatalf("%s %s: %v: %s", a.Request.Method, a.Request.URL.Path, err, a.Body)
	}
}

func (a response) omits(text string) {
	a.t.Helper()
	if bytes.Contains(a.Body, []byte(text)) {
		a.t.Errorf("%s %s repeats what it should not: %s", a.Request.Method, a.Request.URL.Path, a.Body)
	}
}

// problem is an error's body.
type problem struct {
	Code   string `json:"code"`
	Errors []struct {
		Field string `json:"field"`
		Code  string `json:"code"`
	} `json:"errors"`
}

func (a response) problem() problem {
	a.t.Helper()
	if got := a.Header.Get("Content-Type"); got != "application/problem+json" {
		a.t.Errorf("%s %s: Content-Type %q is not that of a problem: %s", a.Request.Method, a.Request.URL.Path, got, a.Body)
	}
	var p problem
	if err := json.Unmarshal(a.Body, &p); err != nil {
		a.t.Fatal(err)
	}
	return p
}

// The answers, as far as the tests look into them.
type (
	date struct {
		Timezone   string `json:"timezone"`
		ISO        string `json:"iso"`
		ISOUTC     string `json:"iso_utc"`
		DatetimeAt string `json:"datetime_at"`
	}
	settings struct {
		ID          string   `json:"id"`
		Name        string   `json:"name"`
		Timezone    string   `json:"timezone"`
		Locale      string   `json:"locale"`
		Currency    string   `json:"currency"`
		SiteURL     string   `json:"site_url"`
		CORSOrigins []string `json:"cors_origins"`
		CreatedAt   date     `json:"created_at"`
		UpdatedAt   date     `json:"updated_at"`
	}
	key struct {
		ID         string   `json:"id"`
		Kind       string   `json:"kind"`
		Name       string   `json:"name"`
		Hint       string   `json:"hint"`
		Scopes     []string `json:"scopes"`
		CreatedAt  date     `json:"created_at"`
		ExpiresAt  *date    `json:"expires_at"`
		RevokedAt  *date    `json:"revoked_at"`
		LastUsedAt *date    `json:"last_used_at"`
		Token      string   `json:"token"`
	}
)

func (d date) time(t *testing.T) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, d.ISOUTC)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func unknownID() string { return id.New[access.Key]().String() }
