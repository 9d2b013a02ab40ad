package adminapi_test

import (
	"strings"
	"testing"
	"time"

	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
)

const keysPath = "/api/store/keys"

func TestKeys_areCreatedRotatedAndRevoked(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		owner := apitest.As(s.store.SecretKey)
		creation := s.do(owner, "POST", keysPath,
			`{"kind":"secret","name":" Warehouse ","scopes":["catalog:write","catalog:read"],`+
				`"expires_at":"2099-01-31T12:00:00+03:00"}`).wantStatus(201)
		var created key
		creation.decode(&created)
		if created.Kind != "secret" || created.Name != "Warehouse" ||
			strings.Join(created.Scopes, " ") != "catalog:read catalog:write" || created.RevokedAt != nil ||
			created.LastUsedAt != nil {
			t.Errorf("the new key is %+v", created)
		}

		if created.ExpiresAt == nil || created.ExpiresAt.ISOUTC != "2099-01-31T09:00:00+00:00" ||
			created.ExpiresAt.Timezone != "Europe/Moscow" {
			t.Errorf("expires_at is %+v", created.ExpiresAt)
		}

		if !strings.HasPrefix(created.Token, "sk_") || created.Hint != "sk_"+created.Token[len(created.Token)-4:] {
			t.Errorf("the hint %s does not match the token", created.Hint)
		}
		if got := creation.Header.Get("Location"); got != keysPath+"/"+created.ID {
			t.Errorf("Location is %q", got)
		}

		// The token works, but only within its scopes.
		s.doAPI(apitest.As(created.Token), "GET", "/v2/features", "").wantStatus(200)
		s.doAPI(apitest.As(created.Token), "GET", "/v2/store", "").wantStatus(403)

		// No later response contains the token.
		s.do(owner, "GET", keysPath, "").wantStatus(200).omits(created.Token)
		s.do(owner, "GET", keysPath+"/"+created.ID, "").wantStatus(200).omits(`"token"`)

		var rotated, old key
		s.do(owner, "POST", keysPath+"/"+created.ID+"/rotate", `{"overlap_hours":2}`).wantStatus(201).decode(&rotated)
		if rotated.ID == created.ID || rotated.Token == created.Token || rotated.Name != created.Name ||
			strings.Join(rotated.Scopes, " ") != strings.Join(created.Scopes, " ") {
			t.Errorf("the new key is %+v", rotated)
		}

		s.do(owner, "GET", keysPath+"/"+created.ID, "").wantStatus(200).decode(&old)
		if left := old.ExpiresAt.time(t).Sub(s.Clock.Now()); left != 2*time.Hour {
			t.Errorf("the old key works for another %s, want 2 hours", left)
		}

		s.doAPI(apitest.As(created.Token), "GET", "/v2/features", "").wantStatus(200)
		s.doAPI(apitest.As(rotated.Token), "GET", "/v2/features", "").wantStatus(200)

		s.do(owner, "DELETE", keysPath+"/"+created.ID, "").wantStatus(204)
		s.do(owner, "DELETE", keysPath+"/"+created.ID, "").wantStatus(204)
		s.doAPI(apitest.As(created.Token), "GET", "/v2/features", "").wantStatus(401)
		s.doAPI(apitest.As(rotated.Token), "GET", "/v2/features", "").wantStatus(200)
		s.do(owner, "GET", keysPath+"/"+created.ID, "").wantStatus(200).decode(&old)

		if old.RevokedAt == nil {
			t.Error("revoked_at is null")
		}

		if code := s.do(owner, "POST", keysPath+"/"+created.ID+"/rotate",
			"").wantStatus(409).problem().Code; code != "key_not_active" {
			t.Errorf("the code is %s, want key_not_active", code)
		}
	})
}

// The members of products that an exchange token writes are shown, kept by its successor, and can be changed.
func TestKeys_limitTokensToMembers(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		owner := apitest.As(s.store.SecretKey)
		created := s.do(owner, "POST", keysPath,
			`{"kind":"exchange","members":["remainders","price","price"]}`).wantStatus(201)
		if !strings.Contains(string(created.Body), `"members":["price","remainders"]`) {
			t.Errorf("the new token is %s", created.Body)
		}

		var k key
		created.decode(&k)
		one := keysPath + "/" + k.ID
		rotated := s.do(owner, "POST", one+"/rotate", `{"overlap_hours":2}`).wantStatus(201)
		if !strings.Contains(string(rotated.Body), `"members":["price","remainders"]`) {
			t.Errorf("the successor is %s", rotated.Body)
		}

		for body, want := range map[string]string{
			`{"members":["name"]}`: `"members":["name"]`, `{"name":"1C"}`: `"name":"1C"`,
			`{"members":null}`: `"members":null`,
		} {
			if got := s.do(owner, "PUT", one, body).wantStatus(200); !strings.Contains(string(got.Body), want) {
				t.Errorf("%s: got %s", body, got.Body)
			}
		}

		for body, want := range map[string]string{
			`{"members":[]}`: "members:required", `{"members":["sku"]}`: "members[0]:unknown_member",
			`{"name":""}`: "name:required",
		} {
			problem := s.do(owner, "PUT", one, body).wantStatus(422).problem()
			if len(problem.Errors) != 1 || problem.Errors[0].Field+":"+problem.Errors[0].Code != want {
				t.Errorf("%s: got %+v, want %s", body, problem.Errors, want)
			}
		}

		s.do(owner, "POST", keysPath, `{"kind":"secret","members":["name"]}`).wantStatus(422)
		s.do(owner, "PUT", keysPath+"/"+s.keyID(owner, "secret"), `{"members":["name"]}`).wantStatus(422)
	})
}

func TestKeys_arePaged(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		owner := apitest.As(s.store.SecretKey)
		var all, page []key
		s.do(owner, "GET", keysPath, "").wantStatus(200).decode(&all)
		var kinds []string
		for _, k := range all {
			kinds = append(kinds, k.Kind)
		}

		if strings.Join(kinds, " ") != "secret publishable exchange" {
			t.Fatalf("a new store has keys of the kinds %q", kinds)
		}

		second := s.do(owner, "GET", keysPath+"?page=2&per_page=2", "").wantStatus(200)
		second.decode(&page)
		if len(page) != 1 || page[0].ID != all[2].ID ||
			!strings.Contains(string(second.Body), `"meta":{"current_page":2,"per_page":2,"last_page":2,"total":3}`) {
			t.Errorf("the second page is %s", second.Body)
		}

		s.do(owner, "GET", keysPath+"?page=9007199254740992&per_page=250", "").wantStatus(200).decode(&page)
		if len(page) != 0 {
			t.Errorf("a page after the last has %d keys, want none", len(page))
		}

		s.do(owner, "GET", keysPath+"?page=0", "").wantStatus(400)
	})
}

func TestCreateKey_defaults(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		owner := apitest.As(s.store.SecretKey)
		for body, want := range map[string]struct{ name, scopes, prefix string }{
			`{"kind":"secret"}`: {"Secret key", "*", "sk_"},
			`{"kind":"exchange","name":null,"scopes":null,"expires_at":null}`: {"Exchange token", "*", "xt_"},
			`{"kind":"publishable"}`: {"Publishable key", "catalog:read store:read", "pk_"},
			`{"kind":"exchange","scopes":["products","categories","products"]}`: {"Exchange token",
				"categories products", "xt_"},
			`{"kind":"secret","expires_at":{"iso_utc":"2099-01-01T00:00:00+00:00","timezone":"ignored"}}`: {"Secret " +
				"key", "*", "sk_"},
		} {
			var created key
			s.do(owner, "POST", keysPath, body).wantStatus(201).decode(&created)
			if created.Name != want.name || strings.Join(created.Scopes, " ") != want.scopes ||
				!strings.HasPrefix(created.Token, want.prefix) {
				t.Errorf("%s: got %+v", body, created)
			}

			if strings.Contains(body, "2099") != (created.ExpiresAt != nil) {
				t.Errorf("%s: expires_at is %+v", body, created.ExpiresAt)
			}
		}
	})
}

func TestKeys_refuseInvalidRequests(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		owner := apitest.As(s.store.SecretKey)
		rotate := keysPath + "/" + s.keyID(owner, "publishable") + "/rotate"
		for _, c := range []struct {
			path, body string
			status     int
			fields     string
		}{
			{keysPath, `{}`, 422, "kind:unknown_kind"},
			{keysPath, `{"kind":"operator"}`, 422, "kind:unknown_kind"},
			{keysPath, `{"kind":7}`, 422, "kind:wrong_type"},
			{keysPath, `{"kind":"secret","name":""}`, 422, "name:required"},
			{keysPath, `{"kind":"secret","name":"` + strings.Repeat("ы", 256) + `"}`, 422, "name:too_long"},
			{keysPath, `{"kind":"secret","name":["x"]}`, 422, "name:wrong_type"},
			{keysPath, `{"kind":"secret","scopes":[]}`, 422, "scopes:required"},
			{keysPath, `{"kind":"secret","scopes":["products"]}`, 422, "scopes[0]:unknown_scope"},
			{keysPath, `{"kind":"secret","scopes":["catalog:read",7]}`, 422, "scopes[1]:wrong_type"},
			{keysPath, `{"kind":"publishable","scopes":["catalog:write"]}`, 422, "scopes[0]:unknown_scope"},
			{keysPath, `{"kind":"secret","expires_at":"2020-01-01T00:00:00Z"}`, 422, "expires_at:in_the_past"},
			{keysPath, `{"kind":"secret","expires_at":"tomorrow"}`, 422, "expires_at:invalid_date"},
			{keysPath, `{"kind":"secret","expires_at":"2099-01-01"}`, 422, "expires_at:invalid_date"},
			{keysPath, `{"kind":"secret","expires_at":4070908800}`, 422, "expires_at:wrong_type"},
			{keysPath, `{"kind":"secret","expires_at":{}}`, 422, "expires_at.iso_utc:required"},
			{keysPath, `[]`, 422, ":wrong_type"},
			{keysPath, ``, 400, ""},
			{rotate, `{"overlap_hours":-1}`, 422, "overlap_hours:out_of_range"},
			{rotate, `{"overlap_hours":721}`, 422, "overlap_hours:out_of_range"},
			{rotate, `{"overlap_hours":9999999}`, 422, "overlap_hours:out_of_range"},
			{rotate, `{"overlap_hours":1.5}`, 422, "overlap_hours:out_of_range"},
			{rotate, `{"overlap_hours":"1"}`, 422, "overlap_hours:wrong_type"},
			{rotate, `{"overlap_hours":1`, 400, ""},
		} {
			var got []string
			for _, e := range s.do(owner, "POST", c.path, c.body).wantStatus(c.status).problem().Errors {
				got = append(got, e.Field+":"+e.Code)
			}
			if strings.Join(got, " ") != c.fields {
				t.Errorf("%s: got %q, want %q", c.body, got, c.fields)
			}
		}

		var all []key
		s.do(owner, "GET", keysPath, "").decode(&all)
		if len(all) != 3 {
			t.Errorf("there are %d keys after refused requests, want 3 as before", len(all))
		}
	})
}

// keyID returns the id of the first key of a kind.
func (s *fixture) keyID(credential apitest.RequestOption, kind string) string {
	s.t.Helper()
	var all []key
	s.do(credential, "GET", keysPath, "").wantStatus(200).decode(&all)
	for _, k := range all {
		if k.Kind == kind {
			return k.ID
		}
	}
	s.t.Fatalf("the store has no %s key", kind)
	return ""
}

func TestRotateKey_overlapsForADayByDefault(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		owner := apitest.As(s.store.SecretKey)
		keyID := s.keyID(owner, "publishable")
		s.do(owner, "POST", keysPath+"/"+keyID+"/rotate", "").wantStatus(201)
		var old key
		s.do(owner, "GET", keysPath+"/"+keyID, "").decode(&old)
		if left := old.ExpiresAt.time(t).Sub(s.Clock.Now()); left != 24*time.Hour {
			t.Errorf("the old key works for another %s, want a day", left)
		}
		s.do(owner, "POST", keysPath+"/"+keyID+"/rotate", `{"overlap_hours":0}`).wantStatus(201)
		s.doAPI(apitest.As(s.store.PublishableKey), "GET", "/v2/store", "").wantStatus(401)
	})
}

func TestKeys_ofAnotherStoreAreNotFound(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		owner := apitest.As(s.store.SecretKey)
		other := s.Provision("owner@south.example")
		theirs := s.keyID(apitest.As(other.SecretKey), "secret")
		for _, keyID := range []string{theirs, unknownID(), "no-uuid"} {
			s.do(owner, "GET", keysPath+"/"+keyID, "").wantStatus(404)
			s.do(owner, "DELETE", keysPath+"/"+keyID, "").wantStatus(404)
			s.do(owner, "POST", keysPath+"/"+keyID+"/rotate", `{}`).wantStatus(404)
		}
		s.do(apitest.As(other.SecretKey), "GET", settingsPath, "").wantStatus(200)
	})
}

func TestKeys_replayRequestsWithTheSameIdempotencyKey(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		owner := apitest.As(s.store.SecretKey)
		var first, again key
		s.do(owner, "POST", keysPath, `{"kind":"secret"}`, "Idempotency-Key", "k1").wantStatus(201).decode(&first)
		replay := s.do(owner, "POST", keysPath, `{"kind":"secret"}`, "Idempotency-Key", `"k1"`).wantStatus(201)
		replay.decode(&again)
		if again.Token != first.Token || again.ID != first.ID || replay.Header.Get("Idempotent-Replayed") != "true" ||
			replay.Header.Get("Location") != keysPath+"/"+first.ID {
			t.Errorf("the repeated request created another key or lacks Idempotent-Replayed: %v", replay.Header)
		}

		s.do(owner, "POST", keysPath, `{"kind":"exchange"}`, "Idempotency-Key", "k1").wantStatus(422)
		s.do(owner, "POST", keysPath+"/"+first.ID+"/rotate", "", "Idempotency-Key", "k1").wantStatus(201).decode(&first)
		s.do(owner, "POST", keysPath+"/"+again.ID+"/rotate", "", "Idempotency-Key", "k1").wantStatus(201).decode(&again)

		if again.Token != first.Token {
			t.Error("a repeated rotation created two keys")
		}
	})
}

func TestRevokeKey_honoursIfMatch(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		owner := apitest.As(s.store.SecretKey)
		path := keysPath + "/" + s.keyID(owner, "publishable")
		tag := s.do(owner, "GET", path, "").wantStatus(200).Header.Get("ETag")
		s.do(owner, "POST", path+"/rotate", "").wantStatus(201)
		s.do(owner, "DELETE", path, "", "If-Match", tag).wantStatus(412)
		s.doAPI(apitest.As(s.store.PublishableKey), "GET", "/v2/store", "").wantStatus(200)
		tag = s.do(owner, "GET", path, "").Header.Get("ETag")
		s.do(owner, "DELETE", path, "", "If-Match", tag).wantStatus(204)
		s.doAPI(apitest.As(s.store.PublishableKey), "GET", "/v2/store", "").wantStatus(401)
		s.do(owner, "DELETE", path, "", "If-Match", "*").wantStatus(204)
	})
}

// A key with the scope keys:manage cannot create a key with scopes that it lacks itself.
func TestKeys_cannotCreateKeysWithMoreScopes(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		_, token := s.NewKey(access.NewKey{Kind: access.SecretKey, Name: "Limited",
			Scopes: []string{"keys:manage", "catalog:read"}})
		limited := apitest.As(token)
		owner := apitest.As(s.store.SecretKey)
		for body, status := range map[string]int{
			`{"kind":"secret"}`:                                         403,
			`{"kind":"secret","scopes":["*"]}`:                          403,
			`{"kind":"secret","scopes":["catalog:write"]}`:              403,
			`{"kind":"secret","scopes":["catalog:read","store:write"]}`: 403,
			`{"kind":"exchange"}`:                                       403,
			`{"kind":"secret","scopes":["catalog:read"]}`:               201,
			`{"kind":"secret","scopes":["catalog:read","keys:manage"]}`: 201,
			`{"kind":"publishable"}`:                                    201,
		} {
			got := s.do(limited, "POST", keysPath, body).wantStatus(status)
			if status == 403 {
				if code := got.problem().Code; code != "scope_exceeded" {
					t.Errorf("%s: the code is %s, want scope_exceeded", body, code)
				}
				got.omits(`"token"`)
			}
		}

		strong := s.keyID(owner, "secret")
		s.do(limited, "POST", keysPath+"/"+strong+"/rotate", `{"overlap_hours":0}`).wantStatus(403)
		s.do(owner, "GET", settingsPath, "").wantStatus(200) // the refused rotation did not change the key
		var all []key
		s.do(owner, "GET", keysPath, "").decode(&all)
		if len(all) != 3+1+3 {
			t.Errorf("there are %d keys, want 7: a refused key was stored", len(all))
		}

		_, writer := s.NewKey(access.NewKey{Kind: access.SecretKey, Name: "Writer",
			Scopes: []string{"keys:manage", "catalog:write"}})
		s.do(apitest.As(writer), "POST", keysPath, `{"kind":"exchange"}`).wantStatus(201)
	})
}

// An exchange token reads and changes orders, or reads the catalogue, so only a key that may do the same makes, renews
// or edits one.
func TestKeys_cannotReachOrdersThroughAnExchangeToken(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		as := func(scopes ...string) apitest.RequestOption {
			_, token := s.NewKey(access.NewKey{Kind: access.SecretKey, Name: "Some",
				Scopes: append(scopes, "keys:manage")})
			return apitest.As(token)
		}
		writer := as("catalog:write")
		seller := as("orders:read", "orders:write")
		for _, c := range []struct {
			credential   apitest.RequestOption
			body, denied string
		}{
			{writer, `{"kind":"exchange"}`, ""}, // entities only
			{writer, `{"kind":"exchange","scopes":["*"]}`, ""},
			{writer, `{"kind":"exchange","scopes":["orders"]}`, "orders:read"},
			{writer, `{"kind":"exchange","scopes":["*","orders"]}`, "orders:read"},
			{writer, `{"kind":"exchange","scopes":["exchange:read"]}`, "catalog:read"},
			{seller, `{"kind":"exchange","scopes":["orders"]}`, ""},
			{seller, `{"kind":"exchange","scopes":["prices"]}`, "catalog:write"},
			{as("orders:read"), `{"kind":"exchange","scopes":["orders"]}`, "orders:write"},
			{as("catalog:read"), `{"kind":"exchange","scopes":["exchange:read"]}`, ""},
		} {
			got := s.do(c.credential, "POST", keysPath, c.body)
			if c.denied == "" {
				got.wantStatus(201)
				continue
			}

			if got.wantStatus(403).problem().Code != "scope_exceeded" || !strings.Contains(string(got.Body), c.denied) {
				t.Errorf("%s: the problem is %s, want scope_exceeded that names %s", c.body, got.Body, c.denied)
			}

			got.omits("xt_")
		}

		full := s.keyID(apitest.As(s.store.SecretKey), "exchange") // the one of the new store
		s.do(writer, "POST", keysPath+"/"+full+"/rotate", "").wantStatus(403).omits("xt_")
		s.do(writer, "PUT", keysPath+"/"+full, `{"name":"Mine"}`).wantStatus(403)
		s.do(as("catalog:write", "catalog:read", "orders:read", "orders:write"), "POST", keysPath+"/"+full+"/rotate",
			"").
			wantStatus(201)
	})
}
