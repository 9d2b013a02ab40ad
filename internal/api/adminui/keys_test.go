package adminui_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine/internal/shop/access"
)

// token is the token on the page that shows one.
func (p page) token() string {
	p.t.Helper()
	return p.between(`data-select>`, "</textarea>")
}

func TestKeys_tokenIsShownOnceAndWorks(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		v := s.owner()
		before := v.session
		made := v.post("/keys", url.Values{"kind": {"secret"}, "name": {"Warehouse"}, "access": {"some"}, "scopes": {"store:read", "catalog:read"}, "entities": {"products"}, "expires_days": {"30"}, "password": {s.shop.AdminPassword}}).want(201).html()
		token := made.token()
		if !strings.HasPrefix(token, "sk_") || !s.reads(token) {
			t.Fatalf("the token %q does not work", token)
		}
		if v.session == before {
			t.Error("the session was not renewed after the password was given again")
		}
		(&visitor{site: s, session: before}).get("/").to("/login")

		key := s.keys(s.shop)[3]
		if key.Name != "Warehouse" || key.Scopes.Text() != "catalog:read store:read" || key.ExpiresAt == nil || time.Until(*key.ExpiresAt).Round(time.Hour) != 30*24*time.Hour {
			t.Errorf("the key is %+v", key)
		}
		for _, path := range []string{"/keys", "/keys/new", "/", "/keys/" + key.ID.String() + "/rotate", "/keys/" + key.ID.String() + "/revoke"} {
			v.get(path).want(200).lacks(token, token[3:40])
		}
		v.get("/keys").has("Warehouse", "sk_…"+token[len(token)-4:], "catalog:read", "Secret key", "never")

		rotated := v.post("/keys/"+key.ID.String()+"/rotate", url.Values{"overlap_hours": {"0"}, "password": {s.shop.AdminPassword}}).want(201).has("does not work any more").token()
		if s.reads(token) || !s.reads(rotated) {
			t.Error("the old key works on, or the new one does not work")
		}
		second := s.keys(s.shop)[4]
		v.post("/keys/"+second.ID.String()+"/revoke", url.Values{}).to("/keys?revoked")
		if s.reads(rotated) {
			t.Error("the revoked key works on")
		}
		v.get("/keys?revoked").has("The key is revoked", "Revoked and expired (2)")
		v.get("/keys/" + second.ID.String() + "/rotate").want(409).html().has("cannot be rotated")
	})
}

func TestKeys_ofEveryKind(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		v := s.owner()
		for _, c := range []struct {
			form   url.Values
			scopes string
		}{
			{url.Values{"kind": {"secret"}, "access": {"all"}, "scopes": {"catalog:read"}}, "*"},
			{url.Values{"kind": {"exchange"}, "access": {"some"}, "scopes": {"catalog:read"}, "entities": {"products", "prices"}}, "prices products"},
			{url.Values{"kind": {"publishable"}, "access": {"some"}}, "catalog:read store:read"},
		} {
			c.form.Set("name", "One")
			c.form.Set("password", s.shop.AdminPassword)
			v.post("/keys", c.form).want(201)
			keys := s.keys(s.shop)
			if made := keys[len(keys)-1]; string(made.Kind) != c.form.Get("kind") || made.Scopes.Text() != c.scopes || made.ExpiresAt != nil {
				t.Errorf("%v made %+v", c.form, made)
			}
		}
	})
}

func TestKeys_showWhatIsWrongBesideTheField(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		v := s.owner()
		rotate := "/keys/" + s.keys(s.shop)[1].ID.String() + "/rotate"
		for _, c := range []struct {
			path, field, message string
			form                 url.Values
		}{
			{"/keys", "name", "Give the key a name", url.Values{"kind": {"secret"}, "name": {" "}}},
			{"/keys", "kind", "Use one of", url.Values{"kind": {"operator"}, "name": {"x"}}},
			{"/keys", "scopes", "Tick at least one", url.Values{"kind": {"secret"}, "name": {"x"}, "access": {"some"}}},
			{"/keys", "scopes", "products: There is no such scope", url.Values{"kind": {"secret"}, "name": {"x"}, "access": {"some"}, "scopes": {"products"}}},
			{"/keys", "expires_at", "expired already", url.Values{"kind": {"secret"}, "name": {"x"}, "expires_days": {"-1"}}},
			{rotate, "overlap", "The overlap is between", url.Values{"overlap_hours": {"99999"}}},
			{rotate, "overlap", "The overlap is between", url.Values{}},
		} {
			c.form.Set("password", s.shop.AdminPassword)
			p := v.post(c.path, c.form).want(422).html()
			if wrong := p.between(`id="`+c.field+`-wrong">`, "</div>"); !strings.Contains(wrong, c.message) {
				t.Errorf("%v: beside %s stands %q", c.form, c.field, wrong)
			}
			p.lacks(s.shop.AdminPassword)
		}
		// The password comes last: a wrong one makes the account wait.
		v.post("/keys", url.Values{"kind": {"secret"}, "name": {"x"}, "password": {"wrong"}}).want(422).has("The password is wrong.", `value="x"`)
		v.post(rotate, url.Values{"overlap_hours": {"1"}, "password": {s.shop.AdminPassword}}).want(422).has("wait 1 second")
		v.get("/").want(200)
		if keys := s.keys(s.shop); len(keys) != 3 || keys[1].ExpiresAt != nil {
			t.Errorf("refused forms left %d keys", len(keys))
		}
	})
}

// Looking at a page never changes anything.
func TestKeys_getRevokesNothing(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		v := s.owner()
		for _, key := range s.keys(s.shop) {
			v.get("/keys/" + key.ID.String() + "/revoke").want(200).has("cannot be undone")
			v.get("/keys/" + key.ID.String() + "/rotate").want(200)
		}
		for _, key := range s.keys(s.shop) {
			if !key.Active(time.Now()) || key.ExpiresAt != nil {
				t.Errorf("%s is %+v after its page was looked at", key.Hint, key)
			}
		}
		if len(s.keys(s.shop)) != 3 || s.keys(s.shop)[0].Kind != access.SecretKey {
			t.Error("there are other keys than before")
		}
	})
}
