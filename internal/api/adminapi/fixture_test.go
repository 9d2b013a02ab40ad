package adminapi_test

import (
	"bytes"
	"net/http"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/account"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/promise"
)

// fixture is the whole program with a store whose owner can sign in.
type fixture struct {
	*apitest.Server
	t *testing.T
	// store is the store of the tests. The two stores that apitest creates are not used, since they have no operators.
	store account.ProvisionedStore
}

// eachEngine runs fn with a fixture on SQLite and, if everything is proved, also on PostgreSQL. The package has no SQL
// of its own: the tests of the packages that it calls run on both, and so do the goldens.
func eachEngine(t *testing.T, fn func(t *testing.T, s *fixture)) {
	t.Helper()
	t.Parallel()
	each := apitest.EachSQLite
	if promise.ProveAll() {
		each = apitest.Each
	}
	each(t, func(t *testing.T, server *apitest.Server) {
		provisioned := server.Provision("owner@north.example")
		fn(t, &fixture{Server: server.WithKeys(apitest.Keys{
			StoreID: provisioned.StoreID, Secret: provisioned.SecretKey, Publishable: provisioned.PublishableKey,
			Exchange: provisioned.ExchangeToken,
		}), t: t, store: provisioned})
	}, apitest.DevMode())
}

func (s *fixture) withT(t *testing.T) *fixture {
	return &fixture{Server: s.WithTB(t), t: t, store: s.store}
}

// signIn signs in an operator with the role and returns the session token. It creates the operator, except for the
// owner, who exists already.
func (s *fixture) signIn(role access.Role) string {
	s.t.Helper()
	email := string(role) + "@north.example"
	password := apitest.OperatorPassword
	if role == access.Owner {
		email, password = s.store.AdminEmail, s.store.AdminPassword
	} else {
		s.NewOperator(s.StoreID, email, role)
	}
	in, err := s.App.Accounts.Sessions.SignIn(s.t.Context(), account.Login{Email: email, Password: password})
	if err != nil {
		s.t.Fatal(err)
	}
	return in.Session
}

// session returns an option that authenticates a request by a session cookie instead of a key.
func session(token string) apitest.RequestOption {
	return func(r *http.Request) {
		apitest.As("")(r)
		r.Header.Set("Cookie", "__Host-vitrine="+token)
	}
}

// response is an HTTP response with its body. Its methods check the response.
type response struct {
	*apitest.Response
	request string // method and path
	t       *testing.T
}

// do sends a request to the admin API. The arguments headers are names and values in turn.
func (s *fixture) do(credential apitest.RequestOption, method, path, body string, headers ...string) response {
	s.t.Helper()
	return response{s.DoAdmin(method, path, content(body), options(credential, headers)...), method + " " + path, s.t}
}

// doAPI sends a request to the public API.
func (s *fixture) doAPI(credential apitest.RequestOption, method, path, body string) response {
	s.t.Helper()
	return response{s.Do(method, path, content(body), credential), method + " " + path, s.t}
}

// content returns body, or nil if it is empty. apitest sends no body for nil.
func content(body string) any {
	if body == "" {
		return nil
	}
	return body
}

func options(credential apitest.RequestOption, headers []string) []apitest.RequestOption {
	list := []apitest.RequestOption{credential}
	for i := 0; i+1 < len(headers); i += 2 {
		list = append(list, apitest.Header(headers[i], headers[i+1]))
	}
	return list
}

func (r response) wantStatus(status int) response {
	r.t.Helper()
	if r.Status != status {
		r.t.Errorf("%s: got %d, want %d: %s", r.request, r.Status, status, r.Body)
	}
	return r
}

// decode decodes the member data of the body.
func (r response) decode(v any) {
	r.t.Helper()
	envelope := struct {
		Data any `json:"data"`
	}{v}
	if err := json.Unmarshal(r.Body, &envelope); err != nil {
		r.t.Fatalf("%s: %v: %s", r.request, err, r.Body)
	}
}

// omits fails the test if the body contains the text.
func (r response) omits(text string) {
	r.t.Helper()
	if bytes.Contains(r.Body, []byte(text)) {
		r.t.Errorf("%s: the body contains %q: %s", r.request, text, r.Body)
	}
}

// problem is the body of an error response.
type problem struct {
	Code   string `json:"code"`
	Errors []struct {
		Field string `json:"field"`
		Code  string `json:"code"`
	} `json:"errors"`
}

func (r response) problem() problem {
	r.t.Helper()
	if got := r.Header.Get("Content-Type"); got != "application/problem+json" {
		r.t.Errorf("%s: the Content-Type %q is not that of a problem: %s", r.request, got, r.Body)
	}
	var p problem
	if err := json.Unmarshal(r.Body, &p); err != nil {
		r.t.Fatal(err)
	}
	return p
}

// These types have the members of responses that the tests check.
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
