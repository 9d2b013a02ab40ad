package e2e

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
)

// unreadBody is a body that must not be read. It records whether it was.
type unreadBody struct{ read bool }

func (u *unreadBody) Read([]byte) (int, error) {
	u.read = true
	return 0, io.EOF
}

// Public writes are limited per address and per store, before their body is read. X-Forwarded-For is believed only from
// a trusted proxy. Reads and writes of the catalogue are not counted.
func TestLimit_publicWritesPerAddressAndStore(t *testing.T) {
	s := apitest.StartServer(t, database.SQLite, apitest.WithConfig(func(c *config.Serve) {
		c.PublicWritesPerMinute = 3
		c.PublicWritesPerStore = 10
		c.TrustedProxy = []string{"10.0.0.0/8"}
	}))

	send := func(from, forwarded, token string, body io.Reader) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, "/v2/feedback", body)
		r.RemoteAddr = from
		if _, ok := body.(*unreadBody); ok {
			r.ContentLength = 1 << 20 // so long that the server does not drain it
		}

		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")

		if forwarded != "" {
			r.Header.Set("X-Forwarded-For", forwarded)
		}

		w := httptest.NewRecorder()
		s.App.API().ServeHTTP(w, r)
		return w
	}

	feedback := func(from, forwarded string) int {
		return send(from, forwarded, s.Publishable, strings.NewReader(`{"name": "Anna", "message": "Hello"}`)).Code
	}
	want := func(status int, from, forwarded string) {
		t.Helper()
		if got := feedback(from, forwarded); got != status {
			t.Errorf("from %s for %q: %d, want %d", from, forwarded, got, status)
		}
	}
	for range 3 {
		want(201, "192.0.2.1:1000", "")
	}

	want(429, "192.0.2.1:1000", "")
	want(429, "192.0.2.1:2000", "198.51.100.1")          // the header does not come from a trusted proxy
	want(429, "10.0.0.1:1000", "203.0.113.9, 192.0.2.1") // the proxy appended the real address to a forged one

	for range 3 {
		want(201, "10.0.0.1:1000", "192.0.2.2")
	}

	want(429, "10.0.0.1:1000", "192.0.2.2")

	body := &unreadBody{}
	refused := send("192.0.2.1:1000", "", s.Publishable, body)
	if refused.Code != 429 || refused.Header().Get("Retry-After") != "20" ||
		!bytes.Contains(refused.Body.Bytes(), []byte(`"too_many_requests"`)) || body.read {
		t.Errorf("%d, Retry-After %q, body read: %t, %s", refused.Code, refused.Header().Get("Retry-After"), body.read,
			refused.Body)
	}

	// A credential without the scope gets a 403, although the address has used up its limit.
	if got := send("192.0.2.1:1000", "", s.Exchange, body).Code; got != 403 {
		t.Errorf("an exchange token: %d", got)
	}

	// The store has used 6 of its 10 public writes. The next four are accepted, the fifth is refused. Another store has
	// a limit of its own.
	for range 3 {
		want(201, "192.0.2.3:1000", "")
	}

	want(201, "192.0.2.4:1000", "")
	want(429, "192.0.2.4:1000", "")

	if got := send("192.0.2.4:1000", "", s.Other.Publishable,
		strings.NewReader(`{"name": "Anna", "message": "Hello"}`)).Code; got != 201 {
		t.Errorf("another store: %d", got)
	}

	s.OK(201, "POST", optionsPath, optionBody)
	s.Get(optionsPath)

	if total := s.Get("/v2/feedback").Text("meta.total"); total != "10" {
		t.Errorf("%s pieces of feedback are kept, want the 10 that were accepted with 201", total)
	}

	// After the time in Retry-After the limit allows one more request.
	s.Clock.Advance(20 * time.Second)
	want(201, "192.0.2.1:1000", "")
	want(429, "192.0.2.1:1000", "")

	// The access log has the addresses that the limits use.
	addresses := map[string]bool{}
	for _, line := range s.Log.Lines("request") {
		addresses[line["address"].(string)] = true
	}

	if !addresses["192.0.2.2"] || addresses["10.0.0.1"] || addresses["198.51.100.1"] {
		t.Errorf("the log names %v", addresses)
	}
}

// The development mode turns off the limits per address.
func TestLimit_devModeHasNoLimitPerAddress(t *testing.T) {
	s := apitest.StartServer(t, database.SQLite, apitest.WithConfig(func(c *config.Serve) {
		c.PublicWritesPerMinute = 1
		c.PublicWritesPerStore = 3
		c.Dev = true
	}))
	for range 3 {
		s.OK(201, "POST", "/v2/feedback", `{"name": "Anna", "message": "Hello"}`)
	}
	s.WantProblem("429 too_many_requests", "POST", "/v2/feedback", `{"name": "Anna", "message": "Hello"}`)
}

// The limit per customer covers all sessions of the customer. Visitors at the same address are not limited by it.
func TestLimit_publicWritesPerCustomer(t *testing.T) {
	s := apitest.StartServer(t, database.SQLite,
		apitest.WithConfig(func(c *config.Serve) { c.PublicWritesPerPerson = 2 }))
	session := func() apitest.RequestOption {
		return apitest.As(s.OK(200, "POST", "/v2/auth/passwordless/confirm", loginConfirmation(s),
			apitest.As(s.Publishable)).Text("data.token"))
	}
	phone, laptop := session(), session()
	s.OK(200, "PUT", "/v2/me", `{"name": "Boris"}`, phone)
	s.OK(201, "POST", "/v2/orders", `{}`, laptop)

	r := s.WantProblem("429 too_many_requests", "PUT", "/v2/me", `{"name": "B"}`, laptop)
	if got := r.Header.Get("Retry-After"); got != "30" {
		t.Errorf("Retry-After is %q", got)
	}

	s.WantProblem("429 too_many_requests", "POST", "/v2/orders", `{}`, phone)
	s.Get("/v2/me", phone)
	s.OK(201, "POST", "/v2/orders", `{}`, apitest.As(s.Publishable))
	s.Clock.Advance(30 * time.Second)
	s.OK(200, "PUT", "/v2/me", `{"name": "B"}`, phone)
}
