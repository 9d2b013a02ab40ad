package adminapi_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine/internal/shop/access"
	"vitrine/internal/shop/account"
	"vitrine/internal/testkit/apitest"
)

type operator struct {
	ID    string `json:"id"`
	Email string `json:"email"`
	Role  string `json:"role"`
	State string `json:"state"`
}

var invitationLink = regexp.MustCompile(`/invitation/oi_[0-9A-Za-z]+`)

// An operator is invited by mail, chooses a password on a page, changes it, gets another role, and is removed.
func TestL6_operatorsAreManagedByJSON(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		owner := session(s.signIn(access.Owner))
		var boris operator
		s.do(owner, "POST", "/api/store/operators",
			s.withPassword(`{"email":"boris@north.example","role":"manager"}`)).wantStatus(201).decode(&boris)
		if boris.State != "invited" || boris.Role != "manager" {
			t.Errorf("the invited operator is %+v", boris)
		}

		path := "/api/store/operators/" + boris.ID
		mailbox := s.do(owner, "GET", "/api/store/mailbox", "").wantStatus(200)
		link := invitationLink.FindString(string(mailbox.Body))
		form := func(password string) response {
			return s.do(apitest.As(""), "POST", link, "password="+password, "Content-Type",
				"application/x-www-form-urlencoded")
		}
		s.do(apitest.As(""), "GET", link, "").wantStatus(200)
		s.do(apitest.As(""), "GET", link+"x", "").wantStatus(404)
		form("short").wantStatus(422)
		form("correct-horse").wantStatus(303)
		form("correct-horse").wantStatus(404)
		s.do(apitest.As(""), "GET", link, "").wantStatus(404)

		in, err := s.App.Accounts.Sessions.SignIn(t.Context(),
			account.Login{Email: boris.Email, Password: "correct-horse"})
		if err != nil {
			t.Fatal(err)
		}

		self := session(in.Session)
		s.do(self, "PUT", "/api/me", `{"new_password":"short","password":"correct-horse"}`).wantStatus(422)
		s.do(self, "PUT", "/api/me", `{"email":"`+s.store.AdminEmail+`","password":"correct-horse"}`).wantStatus(422)
		s.do(self, "PUT", "/api/me",
			`{"new_password":"battery staple","email":"b@north.example","password":"correct-horse"}`).
			wantStatus(200).decode(&boris)

		if boris.Email != "boris@north.example" { // until the link is opened
			t.Errorf("the operator is %+v", boris)
		}

		s.do(self, "GET", "/api/me", "").wantStatus(200)
		s.do(self, "GET", "/api/store/operators", "").wantStatus(403)

		read := s.do(owner, "GET", path, "").wantStatus(200)
		stale := read.Header.Get("ETag")
		s.do(owner, "PUT", path, s.withPassword(`{"role":"viewer"}`), "If-Match", stale).wantStatus(200).decode(&boris)

		if boris.Role != "viewer" || boris.State != "active" {
			t.Errorf("the operator is %+v", boris)
		}

		s.Clock.Advance(1)
		s.do(owner, "PUT", path, s.withPassword(`{"state":"gone"}`)).wantStatus(422)
		s.do(owner, "PUT", path, s.withPassword(`{"role":"root"}`)).wantStatus(422)
		s.do(owner, "PUT", path, s.withPassword(`{"state":"disabled"}`)).wantStatus(200).decode(&boris)

		if boris.State != "disabled" {
			t.Errorf("the operator is %+v", boris)
		}

		s.do(self, "GET", "/api/me", "").wantStatus(401)
		last := "/api/store/operators/" + s.operatorID("owner")
		for _, body := range []string{`{"role":"viewer"}`, `{"state":"disabled"}`} {
			if code := s.do(owner, "PUT", last,
				s.withPassword(body)).wantStatus(409).problem().Code; code != "last_owner" {
				t.Errorf("%s of the last owner: %s", body, code)
			}
		}

		s.do(owner, "DELETE", last, s.withPassword(`{}`)).wantStatus(409)
		s.do(owner, "DELETE", path, s.withPassword(`{}`)).wantStatus(204)
		s.do(owner, "GET", path, "").wantStatus(404)

		_, weak := s.NewKey(access.NewKey{Kind: access.SecretKey, Name: "Weak", Scopes: []string{"operators:manage"}})
		for _, c := range []struct{ method, path, body string }{
			{"POST", "/api/store/operators", `{"email":"me@north.example","role":"owner"}`},
			{"PUT", last, `{"state":"disabled"}`}, {"DELETE", last, ""},
		} {
			if code := s.do(apitest.As(weak), c.method, c.path,
				c.body).wantStatus(403).problem().Code; code != "scope_exceeded" {
				t.Errorf("%s %s with a weak key: %s", c.method, c.path, code)
			}
		}
	})
}

// A stolen session cannot make credentials by JSON either: the password is asked again.
func TestM7_sessionMakesNoCredentialsWithoutPassword(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		owner := session(s.signIn(access.Owner))
		keyPath := keysPath + "/" + s.keyID(owner, "secret")
		receiver := receiversPath + "/" + s.newReceiver(`{"url":"`+unreachable+`","webhook_types":["*"]}`).ID
		for _, c := range []struct {
			method, path, body string
			status             int
		}{
			{"POST", keysPath, `{"kind":"secret"}`, 201},
			{"POST", keyPath + "/rotate", `{}`, 201},
			{"POST", receiversPath, `{"url":"` + unreachable + `","webhook_types":["*"]}`, 201},
			{"POST", receiver + "/rotate-secret", `{}`, 200},
			{"POST", "/api/store/operators", `{"email":"x@north.example","role":"owner"}`, 201},
			{"PUT", "/api/me", `{"email":"y@north.example"}`, 200},
		} {
			before := s.Dump()

			if code := s.do(owner, c.method, c.path,
				c.body).wantStatus(403).problem().Code; code != "password_required" {
				t.Errorf("%s %s without the password: %s", c.method, c.path, code)
			}

			s.WantUnchanged(before, "a request without the password to %s", c.path)
			wrong := strings.Replace(s.withPassword(c.body), s.store.AdminPassword, "wrong password", 1)
			if code := s.do(owner, c.method, c.path, wrong).wantStatus(403).problem().Code; code != "wrong_password" {
				t.Errorf("%s %s with a wrong password: %s", c.method, c.path, code)
			}

			s.do(owner, c.method, c.path, s.withPassword(c.body)).wantStatus(429)
			s.Clock.Advance(1e9)
			s.do(owner, c.method, c.path, s.withPassword(c.body)).wantStatus(c.status)
		}

		s.do(owner, "POST", receiver+"/rotate-secret", "").wantStatus(403)
		s.do(apitest.As(s.store.SecretKey), "POST", receiver+"/rotate-secret", "").wantStatus(200)
	})
}

// A key may read the payload of an event only if it may read the resource itself.
func TestL4_feedLeavesOutWhatTheKeyMayNotRead(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		s.doAPI(apitest.As(s.store.PublishableKey), "POST", "/v2/feedback",
			`{"name":"Eve","message":"Hello"}`).wantStatus(201)
		s.push(`{"payload":[{"id":1,"name":"Lamp"}]}`)

		for scopes, want := range map[string][]string{
			"webhooks:read":                             {},
			"webhooks:read inquiries:read":              {"feedback.submitted"},
			"webhooks:read catalog:read":                {"exchange.completed"},
			"webhooks:read catalog:read inquiries:read": {"feedback.submitted", "exchange.completed"},
		} {
			_, token := s.NewKey(access.NewKey{Kind: access.SecretKey, Name: "Reader", Scopes: strings.Fields(scopes)})
			var events []struct {
				Type string `json:"type"`
			}
			got := s.do(apitest.As(token), "GET", "/api/store/events", "").wantStatus(200)
			got.decode(&events)
			if len(events) != len(want) {
				t.Errorf("%s: got %s, want %v", scopes, got.Body, want)
				continue
			}

			for i, e := range events {
				if e.Type != want[i] {
					t.Errorf("%s: event %d is %s, want %s", scopes, i, e.Type, want[i])
				}
			}
		}

		_, keys := s.NewKey(access.NewKey{Kind: access.SecretKey, Name: "Keys", Scopes: []string{"keys:manage"}})
		s.do(apitest.As(keys), "GET", "/api/store/mailbox", "").wantStatus(403)
	})
}

func TestL5_keyCannotMakeOneThatOutlivesIt(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		end := s.Clock.Now().Add(3600 * 1e9)
		short, token := s.NewKey(access.NewKey{Kind: access.SecretKey, Name: "Short", ExpiresAt: &end})
		iso := end.UTC().Format("2006-01-02T15:04:05Z")
		before := s.Dump()
		for path, body := range map[string]string{
			keysPath: `{"kind":"secret"}`, keysPath + "/" + short.ID.String() + "/rotate": `{}`,
			keysPath + "/" + s.keyID(apitest.As(s.store.SecretKey), "publishable") + "/rotate": `{}`,
		} {
			s.Clock.Advance(1e9)
			if code := s.do(apitest.As(token), "POST", path,
				body).wantStatus(403).problem().Code; code != "expiry_exceeded" {
				t.Errorf("%s: %s", path, code)
			}
		}

		s.WantUnchanged(before, "refused keys")
		s.do(apitest.As(token), "POST", keysPath, `{"kind":"publishable","expires_at":"`+iso+`"}`).wantStatus(201)
	})
}

// A key that expires cannot invite an operator or give one more rights, which would outlive it. It can take rights
// away.
func TestL5_keyThatExpiresCannotGrantRoles(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		const operators = "/api/store/operators"
		end := s.Clock.Now().Add(5 * time.Minute)
		_, token := s.NewKey(access.NewKey{Kind: access.SecretKey, Name: "Short", ExpiresAt: &end})
		short := apitest.As(token)
		lasting := apitest.As(s.store.SecretKey)
		invite := func(by apitest.RequestOption, email string) response {
			return s.do(by, "POST", operators, `{"email":"`+email+`","role":"viewer"}`)
		}
		var invited operator
		invite(lasting, "boris@north.example").wantStatus(201).decode(&invited)
		path := operators + "/" + invited.ID
		s.do(lasting, "PUT", path, `{"state":"disabled"}`).wantStatus(200)
		before := s.Dump()
		for what, refused := range map[string]response{
			"invite":       invite(short, "x@north.example"),
			"invite again": invite(short, "boris@north.example"),
			"give a role":  s.do(short, "PUT", path, `{"role":"manager"}`),
			"enable":       s.do(short, "PUT", path, `{"state":"active"}`),
		} {
			if code := refused.wantStatus(403).problem().Code; code != "expiry_exceeded" {
				t.Errorf("%s: %s", what, code)
			}
		}

		s.WantUnchanged(before, "refused changes of operators")
		s.do(lasting, "PUT", path, `{"state":"active"}`).wantStatus(200)
		s.do(short, "PUT", path, `{"role":"viewer","state":"disabled"}`).wantStatus(200)
		s.do(short, "DELETE", path, "").wantStatus(204)
	})
}

// PUT /api/me answers with an ETag, so it respects If-Match.
func TestEditMe_respectsIfMatch(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		owner := session(s.signIn(access.Owner))
		edit := func(email, tag string) response {
			s.Clock.Advance(time.Minute)
			return s.do(owner, "PUT", "/api/me", s.withPassword(`{"email":"`+email+`"}`), "If-Match", tag)
		}
		stale := s.do(owner, "GET", "/api/store/operators/"+s.operatorID("owner"),
			"").wantStatus(200).Header.Get("ETag")
		current := edit("first@north.example", stale).wantStatus(200).Header.Get("ETag")
		before := s.Dump()
		if code := edit("second@north.example", stale).wantStatus(412).problem().Code; code != "precondition_failed" {
			t.Errorf("the code is %s", code)
		}

		s.WantUnchanged(before, "an edit with a stale If-Match")
		edit("third@north.example", current).wantStatus(200)
	})
}
