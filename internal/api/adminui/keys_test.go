package adminui_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine/internal/shop/access"
)

// token returns the token that the page shows.
func (p response) token() string {
	p.t.Helper()
	return p.between(`data-select>`, "</textarea>")
}

func TestKeys_limitWhatAccountingWrites(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.withT(t).owner()
		form := url.Values{"kind": {"exchange"}, "name": {"1C"}, "access": {"all"}, "ownership": {"some"},
			"password": {s.store.AdminPassword}}
		v.post("/keys", form).wantStatus(422).contains("Tick at least one")
		form["members"] = []string{"price", "remainders"}
		v.post("/keys", form).wantStatus(201).contains("Writes of products", "stock levels")
		v.get("/keys").wantStatus(200).contains("Writes of products")
	})
}

func TestKeys_tokenIsShownOnceAndWorks(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		before := v.session
		created := v.post("/keys",
			url.Values{"kind": {"secret"}, "name": {"Warehouse"}, "access": {"some"},
				"scopes": {"store:read", "catalog:read"}, "entities": {"products"}, "expires_days": {"30"},
				"password": {s.store.AdminPassword}}).wantStatus(201).wantHTML()
		token := created.token()
		if !strings.HasPrefix(token, "sk_") || !s.tokenWorks(token) {
			t.Fatalf("the token %q does not work", token)
		}

		if v.session == before {
			t.Error("the session was not renewed after the password was confirmed")
		}

		(&client{fixture: s, session: before}).get("/").wantRedirect("/login")

		key := s.keys(s.store)[3]
		if key.Name != "Warehouse" || key.Scopes.Text() != "catalog:read store:read" || key.ExpiresAt == nil ||
			key.ExpiresAt.Sub(s.Clock.Now()) != 30*24*time.Hour {
			t.Errorf("the key is %+v", key)
		}

		for _, path := range []string{"/keys", "/keys/new", "/", "/keys/" + key.ID.String() + "/rotate",
			"/keys/" + key.ID.String() + "/revoke"} {
			v.get(path).wantStatus(200).omits(token, token[3:40])
		}

		v.get("/keys").contains("Warehouse", "sk_…"+token[len(token)-4:], "see products", "a program", "never")

		rotated := v.post("/keys/"+key.ID.String()+"/rotate",
			url.Values{"overlap_hours": {"0"}, "password": {s.store.AdminPassword}}).wantStatus(201).
			contains("does not work any more").token()
		if s.tokenWorks(token) || !s.tokenWorks(rotated) {
			t.Error("the old key still works, or the new one does not")
		}

		second := s.keys(s.store)[4]
		v.post("/keys/"+second.ID.String()+"/revoke", url.Values{}).wantRedirect("/keys")

		if s.tokenWorks(rotated) {
			t.Error("the revoked key still works")
		}

		v.get("/keys").contains("Revoked and expired (2)")
		v.get("/keys/" + second.ID.String() + "/rotate").wantStatus(409).wantHTML().contains("cannot be rotated")
	})
}

func TestKeys_createsEveryKind(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()

		for _, c := range []struct {
			form   url.Values
			scopes string
		}{
			{url.Values{"kind": {"secret"}, "access": {"all"}, "scopes": {"catalog:read"}}, "*"},
			{url.Values{"kind": {"exchange"}, "access": {"some"}, "scopes": {"catalog:read"},
				"entities": {"products", "prices"}}, "prices products"},
			{url.Values{"kind": {"exchange"}, "access": {"all"}, "entities": {"products"}}, "*"},
			{url.Values{"kind": {"exchange"}, "access": {"all"}, "extras": {"orders"}}, "* orders"},
			{url.Values{"kind": {"exchange"}, "access": {"some"}, "extras": {"exchange:read"}}, "exchange:read"},
			{url.Values{"kind": {"publishable"}, "access": {"some"}}, "catalog:read store:read"},
		} {
			c.form.Set("name", "One")
			c.form.Set("password", s.store.AdminPassword)
			v.post("/keys", c.form).wantStatus(201)
			keys := s.keys(s.store)
			last := keys[len(keys)-1]
			if string(last.Kind) != c.form.Get("kind") || last.Scopes.Text() != c.scopes || last.ExpiresAt != nil {
				t.Errorf("the form %v created the key %+v", c.form, last)
			}
		}
	})
}

func TestKeys_showErrorsBesideTheField(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		rotate := "/keys/" + s.keys(s.store)[1].ID.String() + "/rotate"
		for _, c := range []struct {
			path, field, message string
			form                 url.Values
		}{
			{"/keys", "name", "Give the key a name", url.Values{"kind": {"secret"}, "name": {" "}}},
			{"/keys", "kind", "Use one of", url.Values{"kind": {"operator"}, "name": {"x"}}},
			{"/keys", "scopes", "Tick at least one", url.Values{"kind": {"secret"}, "name": {"x"}, "access": {"some"}}},
			{"/keys", "scopes", "products: There is no such scope",
				url.Values{"kind": {"secret"}, "name": {"x"}, "access": {"some"}, "scopes": {"products"}}},
			{"/keys", "expires_at", "expired already",
				url.Values{"kind": {"secret"}, "name": {"x"}, "expires_days": {"-1"}}},
			{rotate, "overlap", "The overlap is between", url.Values{"overlap_hours": {"99999"}}},
			{rotate, "overlap", "The overlap is between", url.Values{}},
		} {
			c.form.Set("password", s.store.AdminPassword)
			p := v.post(c.path, c.form).wantStatus(422).wantHTML()
			if message := p.between(`id="`+c.field+`-wrong">`, "</div>"); !strings.Contains(message, c.message) {
				t.Errorf("%v: the message beside %s is %q", c.form, c.field, message)
			}
			p.omits(s.store.AdminPassword)
		}

		// These requests come last, because a wrong password locks the account for a second.
		v.post("/keys", url.Values{"kind": {"secret"}, "name": {"x"}, "password": {"wrong"}}).wantStatus(422).
			contains("The password is wrong.", `value="x"`)
		v.post(rotate, url.Values{"overlap_hours": {"1"}, "password": {s.store.AdminPassword}}).wantStatus(422).
			contains("wait 1 second")
		v.get("/").wantStatus(200)

		if keys := s.keys(s.store); len(keys) != 3 || keys[1].ExpiresAt != nil {
			t.Errorf("there are %d keys after refused forms, want 3 unchanged ones", len(keys))
		}
	})
}

// The pages that ask before a key is revoked or rotated do not change the key.
func TestKeys_getChangesNothing(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		for _, key := range s.keys(s.store) {
			v.get("/keys/" + key.ID.String() + "/revoke").wantStatus(200).contains("cannot be undone")
			v.get("/keys/" + key.ID.String() + "/rotate").wantStatus(200)
		}
		for _, key := range s.keys(s.store) {
			if !key.Active(s.Clock.Now()) || key.ExpiresAt != nil {
				t.Errorf("GET changed the key %s to %+v", key.Hint, key)
			}
		}
		if len(s.keys(s.store)) != 3 || s.keys(s.store)[0].Kind != access.SecretKey {
			t.Error("GET changed the list of keys")
		}
	})
}
