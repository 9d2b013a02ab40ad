package adminapi_test

import (
	"testing"

	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
)

func TestRights_byRouteAndCredential(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		_, reader := s.NewKey(access.NewKey{Kind: access.SecretKey, Name: "Reader", Scopes: []string{"catalog:read"}})
		_, store := s.NewKey(access.NewKey{Kind: access.SecretKey, Name: "Store",
			Scopes: []string{"store:read", "store:write"}})
		_, keys := s.NewKey(access.NewKey{Kind: access.SecretKey, Name: "Keys", Scopes: []string{"keys:manage"}})

		callers := []struct {
			name       string
			credential apitest.RequestOption
		}{
			{"owner", session(s.signIn(access.Owner))}, {"manager", session(s.signIn(access.Manager))},
			{"viewer", session(s.signIn(access.Viewer))},
			{"secret", apitest.As(s.store.SecretKey)}, {"secret catalog:read", apitest.As(reader)},
			{"secret store:*", apitest.As(store)}, {"secret keys:manage", apitest.As(keys)},
			{"publishable", apitest.As(s.store.PublishableKey)}, {"exchange", apitest.As(s.store.ExchangeToken)},
			{"no credential", apitest.As("")}, {"unknown key", apitest.As("sk_garbage")},
			{"ended session", session("os_gone")},
			{"session as bearer", apitest.As(s.signIn(access.Owner))},
		}

		missing := unknownID()
		for _, route := range []struct {
			method, path, body string
			want               [13]int
		}{
			// The statuses are in the order of the callers above, whose names are abbreviated here:
			//        own  man  view sec  cat  sto  keys pub  exch none garb ended bearer
			{"GET", "/api/me", "",
				[...]int{200, 200, 200, 200, 200, 200, 200, 403, 403, 401, 401, 401, 401}},
			{"GET", settingsPath, "",
				[...]int{200, 200, 200, 200, 403, 200, 403, 403, 403, 401, 401, 401, 401}},
			{"PUT", settingsPath, "{}",
				[...]int{200, 403, 403, 200, 403, 200, 403, 403, 403, 401, 401, 401, 401}},
			{"GET", keysPath, "",
				[...]int{200, 403, 403, 200, 403, 403, 200, 403, 403, 401, 401, 401, 401}},
			{"POST", keysPath, `{"kind":"publishable"}`, // a session needs the password, too
				[...]int{403, 403, 403, 201, 403, 403, 201, 403, 403, 401, 401, 401, 401}},
			// Scopes are checked before the id is looked up.
			{"GET", keysPath + "/" + missing, "",
				[...]int{404, 403, 403, 404, 403, 403, 404, 403, 403, 401, 401, 401, 401}},
			{"DELETE", keysPath + "/" + missing, "",
				[...]int{404, 403, 403, 404, 403, 403, 404, 403, 403, 401, 401, 401, 401}},
			{"POST", keysPath + "/" + missing + "/rotate", "",
				[...]int{403, 403, 403, 404, 403, 403, 404, 403, 403, 401, 401, 401, 401}},
			{"GET", "/api/store/operators", "",
				[...]int{200, 403, 403, 200, 403, 403, 403, 403, 403, 401, 401, 401, 401}},
			{"POST", "/api/store/operators", `{"email":"x@north.example","role":"viewer"}`,
				[...]int{403, 403, 403, 201, 403, 403, 403, 403, 403, 401, 401, 401, 401}},
			{"GET", "/api/store/operators/" + missing, "",
				[...]int{404, 403, 403, 404, 403, 403, 403, 403, 403, 401, 401, 401, 401}},
			{"PUT", "/api/store/operators/" + missing, "{}",
				[...]int{403, 403, 403, 404, 403, 403, 403, 403, 403, 401, 401, 401, 401}},
			{"DELETE", "/api/store/operators/" + missing, "",
				[...]int{403, 403, 403, 404, 403, 403, 403, 403, 403, 401, 401, 401, 401}},
			{"PUT", "/api/me", "{}",
				[...]int{403, 403, 403, 403, 403, 403, 403, 403, 403, 401, 401, 401, 401}},
			{"GET", "/api/store/mailbox", "", // keys:manage is not enough: customers:read, too
				[...]int{200, 403, 403, 200, 403, 403, 403, 403, 403, 401, 401, 401, 401}},
			{"GET", runsPath, "",
				[...]int{200, 200, 200, 200, 200, 403, 403, 403, 403, 401, 401, 401, 401}},
			{"GET", runsPath + "/" + missing + "/rejects", "",
				[...]int{404, 404, 404, 404, 404, 403, 403, 403, 403, 401, 401, 401, 401}},
			{"POST", runsPath + "/" + missing + "/revert", "",
				[...]int{404, 404, 403, 404, 403, 403, 403, 403, 403, 401, 401, 401, 401}},
			{"GET", receiversPath, "",
				[...]int{200, 200, 200, 200, 403, 403, 403, 403, 403, 401, 401, 401, 401}},
			{"POST", receiversPath, `{}`,
				[...]int{403, 403, 403, 422, 403, 403, 403, 403, 403, 401, 401, 401, 401}},
			{"GET", receiversPath + "/" + missing, "",
				[...]int{404, 404, 404, 404, 403, 403, 403, 403, 403, 401, 401, 401, 401}},
			{"PUT", receiversPath + "/" + missing, `{}`,
				[...]int{404, 403, 403, 404, 403, 403, 403, 403, 403, 401, 401, 401, 401}},
			{"DELETE", receiversPath + "/" + missing, "",
				[...]int{404, 403, 403, 404, 403, 403, 403, 403, 403, 401, 401, 401, 401}},
			{"POST", receiversPath + "/" + missing + "/test", "",
				[...]int{404, 403, 403, 404, 403, 403, 403, 403, 403, 401, 401, 401, 401}},
			{"POST", receiversPath + "/" + missing + "/rotate-secret", "",
				[...]int{403, 403, 403, 404, 403, 403, 403, 403, 403, 401, 401, 401, 401}},
			{"POST", receiversPath + "/" + missing + "/recover", `{"since":"2026-11-14T00:00:00Z"}`,
				[...]int{404, 403, 403, 404, 403, 403, 403, 403, 403, 401, 401, 401, 401}},
			{"GET", deliveriesPath, "",
				[...]int{200, 200, 200, 200, 403, 403, 403, 403, 403, 401, 401, 401, 401}},
			{"GET", deliveriesPath + "/" + missing, "",
				[...]int{404, 404, 404, 404, 403, 403, 403, 403, 403, 401, 401, 401, 401}},
			{"POST", deliveriesPath + "/" + missing + "/redeliver", "",
				[...]int{404, 403, 403, 404, 403, 403, 403, 403, 403, 401, 401, 401, 401}},
			{"GET", "/api/store/webhook-types", "",
				[...]int{200, 200, 200, 200, 403, 403, 403, 403, 403, 401, 401, 401, 401}},
			{"GET", "/api/store/events", "",
				[...]int{200, 200, 200, 200, 403, 403, 403, 403, 403, 401, 401, 401, 401}},
			{"GET", "/api/nothing", "",
				[...]int{404, 404, 404, 404, 404, 404, 404, 404, 404, 404, 404, 404, 404}},
			{"DELETE", settingsPath, "",
				[...]int{405, 405, 405, 405, 405, 405, 405, 405, 405, 405, 405, 405, 405}},
		} {
			for i, caller := range callers {
				got := s.do(caller.credential, route.method, route.path, route.body)
				if got.Status != route.want[i] {
					t.Errorf("%s: %s %s: got %d, want %d: %s", caller.name, route.method, route.path, got.Status,
						route.want[i], got.Body)
				}
				if got.Status >= 400 {
					got.problem() // the API never responds with an HTML page
				}
			}
		}
	})
}

func TestMe_describesTheCaller(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		key, token := s.NewKey(access.NewKey{Kind: access.SecretKey, Name: "Reader", Scopes: []string{"catalog:read"}})

		head := `"store":{"id":"` + s.store.StoreID.String() + `","name":"North Shop"},"scopes":`
		for _, c := range []struct {
			credential apitest.RequestOption
			want       string
		}{
			{apitest.As(token), `{"data":{"kind":"secret",` + head + `["catalog:read"],"key_id":"` + key.ID.String() +
				`","operator":null}}` + "\n"},
			{session(s.signIn(access.Viewer)), `{"data":{"kind":"operator",` + head +
				`["catalog:read","customers:read","inquiries:read","orders:read","store:read","webhooks:read"],` +
				`"key_id":null,"operator":{"id":"` + s.operatorID("viewer") +
				`","email":"viewer@north.example","pending_email":null,"role":"viewer"}}}` + "\n"},
			{session(s.signIn(access.Owner)), `{"data":{"kind":"operator",` + head +
				`["catalog:read","catalog:write","customers:read","customers:write","inquiries:read","keys:manage",` +
				`"operators:manage","orders:read","orders:write","store:read","store:write","webhooks:read",` +
				`"webhooks:write"],` +
				`"key_id":null,"operator":{"id":"` + s.operatorID("owner") +
				`","email":"owner@north.example","pending_email":null,"role":"owner"}}}` + "\n"},
		} {
			if got := s.do(c.credential, "GET", "/api/me", "").wantStatus(200); string(got.Body) != c.want {
				t.Errorf("got  %s\nwant %s", got.Body, c.want)
			}
		}
	})
}

// operatorID returns the id of the operator with a role.
func (s *fixture) operatorID(role string) string {
	s.t.Helper()
	var all []struct {
		ID   string `json:"id"`
		Role string `json:"role"`
	}
	s.do(apitest.As(s.store.SecretKey), "GET", "/api/store/operators", "").wantStatus(200).decode(&all)
	for _, o := range all {
		if o.Role == role {
			return o.ID
		}
	}
	s.t.Fatalf("the store has no %s", role)
	return ""
}

func TestOperators_listsThoseOfTheStore(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		s.Provision("owner@south.example")
		session(s.signIn(access.Viewer))
		var all []struct {
			Email string `json:"email"`
		}
		got := s.do(apitest.As(s.store.SecretKey), "GET", "/api/store/operators", "").wantStatus(200)
		got.decode(&all)
		if len(all) != 2 || all[0].Email != "owner@north.example" || all[1].Email != "viewer@north.example" {
			t.Errorf("the operators are %s", got.Body)
		}
		got.omits("argon2")
	})
}

// A page of another site can make a browser send a request with the session cookie, so other origins are refused.
// Programs other than browsers send no Origin and are accepted.
func TestSession_isRefusedFromOtherOrigins(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		owner := session(s.signIn(access.Owner))
		for _, c := range []struct {
			name    string
			headers []string
			status  int
		}{
			{"a program", nil, 200},
			{"a page of the administration", []string{"Origin", s.AdminURL}, 200},
			{"a page of the administration, by Sec-Fetch-Site", []string{"Sec-Fetch-Site", "same-origin"}, 200},
			{"another site", []string{"Origin", "https://evil.example"}, 403},
			{"another site, by Sec-Fetch-Site", []string{"Sec-Fetch-Site", "cross-site"}, 403},
			{"another origin of the same site", []string{"Sec-Fetch-Site", "same-site"}, 403},
			{"an opaque origin", []string{"Origin", "null"}, 403},
		} {
			got := s.do(owner, "PUT", settingsPath, `{"name":"North Shop"}`, c.headers...)
			if got.Status != c.status {
				t.Errorf("%s: got %d, want %d: %s", c.name, got.Status, c.status, got.Body)
			}

			if c.status == 403 {
				if code := got.problem().Code; code != "cross_origin" {
					t.Errorf("%s: the code is %s, want cross_origin", c.name, code)
				}
			}
		}

		s.do(owner, "GET", settingsPath, "", "Origin", "https://evil.example").wantStatus(200)
		s.do(owner, "DELETE", keysPath+"/"+unknownID(), "", "Origin", "https://evil.example").wantStatus(403)
	})
}
