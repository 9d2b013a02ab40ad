package adminapi_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/api/confirm"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	shopevent "vitrine/internal/shop/event"
	"vitrine/internal/testkit/apitest"
)

// strictCaptcha has the settings of a captcha that the tests weaken.
const strictCaptcha = `{"site_url":"https://shop.example","recaptcha":{"active":true,"provider":"hcaptcha",` +
	`"public_key":"p","secret_key":"s","on_provider_error":"reject","extra_hosts":["www.shop.example"],` +
	`"actions":[{"id":"order_submission","threshold":0.5},{"id":"feedback_request","threshold":0.5}]}}`

// A session alone makes none of the changes for which the table asks for the password. Keys have no password.
func TestSession_needsThePasswordForEveryRowOfTheTable(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		key := apitest.As(s.store.SecretKey)
		s.do(key, "PUT", settingsPath, strictCaptcha).wantStatus(200)
		receiver := s.do(key, "POST", receiversPath,
			`{"url":"https://partner.example/in","webhook_types":["order.submitted"]}`).wantStatus(201).Text("data.id")
		limited, _ := s.NewKey(access.NewKey{Kind: access.ExchangeToken, Members: []string{"price"}})
		group := s.doAPI(key, "POST", "/v2/customer-groups", `{"name":"Wholesale"}`).wantStatus(201).Text("data.id")
		public, _ := s.NewKey(access.NewKey{Kind: access.PublishableKey})
		s.NewOperator(s.StoreID, "helper@north.example", access.Viewer)
		helper := s.operatorID("viewer")
		session := session(s.signIn(access.Owner))

		captcha := func(member string) string { return "PUT " + settingsPath + ` {"recaptcha":{` + member + `}}` }

		requests := map[string]string{
			"key.create":       "POST " + keysPath + ` {"kind":"secret"}`,
			"key.rotate":       "POST " + keysPath + "/" + limited.ID.String() + `/rotate {}`,
			"key.members":      "PUT " + keysPath + "/" + limited.ID.String() + ` {"members":null}`,
			"key.group":        "PUT " + keysPath + "/" + public.ID.String() + ` {"group_id":"` + group + `"}`,
			"operator.invite":  `POST /api/store/operators {"email":"x@evil.example","role":"owner"}`,
			"operator.edit":    "PUT /api/store/operators/" + helper + ` {"role":"owner"}`,
			"operator.remove":  "DELETE /api/store/operators/" + helper + " {}",
			"account.email":    `PUT /api/me {"email":"x@evil.example"}`,
			"account.password": `PUT /api/me {"new_password":"correct horse battery"}`,
			"receiver.create": "POST " + receiversPath +
				` {"url":"https://evil.example/x","webhook_types":["*"]}`,
			"receiver.secret":    "POST " + receiversPath + "/" + receiver + "/rotate-secret {}",
			"receiver.url":       "PUT " + receiversPath + "/" + receiver + ` {"url":"https://evil.example/x"}`,
			"receiver.types":     "PUT " + receiversPath + "/" + receiver + ` {"webhook_types":["*"]}`,
			"captcha.active":     captcha(`"active":false`),
			"captcha.secret_key": captcha(`"secret_key":"mine"`),
			"captcha.provider":   captcha(`"provider":"turnstile"`),
			"captcha.threshold": captcha(`"actions":[{"id":"order_submission","threshold":0.1},` +
				`{"id":"feedback_request","threshold":0.5}]`),
			"captcha.action_removed": captcha(`"actions":[{"id":"order_submission","threshold":0.5}]`),
			"captcha.shadow": captcha(`"actions":[{"id":"order_submission","threshold":0.5,"shadow":true},` +
				`{"id":"feedback_request","threshold":0.5}]`),
			"captcha.on_provider_error": captcha(`"on_provider_error":"allow"`),
			"captcha.extra_hosts":       captcha(`"extra_hosts":["www.shop.example","evil.example"]`),
			"captcha.site_url":          captcha(`"site_url":"https://evil.example"`),
			"store.site_url":            "PUT " + settingsPath + ` {"site_url":"https://evil.example"}`,
		}

		before := s.Dump()

		for _, row := range confirm.Table() {
			request, listed := requests[row.Change]
			if listed != row.InJSON {
				t.Errorf("%s: there is a request: %v, but the table says %v", row.Change, listed, row.InJSON)
			}
			if !row.InJSON {
				continue
			}

			part := strings.SplitN(request, " ", 3)
			if got := s.do(session, part[0], part[1],
				part[2]).wantStatus(403); got.problem().Code != "password_required" {
				t.Errorf("%s: the response is %s", row.Change, got.Body)
			}
		}

		s.WantUnchanged(before, "a session without the password")

		// What weakens nothing needs no password.
		for _, request := range []string{
			captcha(`"actions":[{"id":"order_submission","threshold":0.9},{"id":"feedback_request","threshold":0.5}]`),
			"PUT " + settingsPath + ` {"name":"South Shop"}`,
			"PUT " + receiversPath + "/" + receiver + ` {"url":"https://partner.example/in","enabled":true}`,
			"PUT " + keysPath + "/" + limited.ID.String() + ` {"name":"Prices","members":["price"]}`,
			"PUT " + keysPath + "/" + public.ID.String() + ` {"name":"Shop","group_id":null}`,
		} {
			part := strings.SplitN(request, " ", 3)
			s.do(session, part[0], part[1], part[2]).wantStatus(200)
		}

		// With the password, and with a key, the changes are made.
		password := `"password":"` + s.store.AdminPassword + `"`
		s.do(session, "PUT", receiversPath+"/"+receiver, `{"url":"https://new.example/in",`+password+
			`}`).wantStatus(200)
		s.do(session, "PUT", settingsPath, `{`+password+`,"recaptcha":{"on_provider_error":"allow"}}`).wantStatus(200)
		s.do(session, "PUT", keysPath+"/"+limited.ID.String(), `{`+password+`,"members":null}`).wantStatus(200)
		s.do(session, "PUT", keysPath+"/"+public.ID.String(), `{`+password+`,"group_id":"`+group+
			`"}`).wantStatus(200)
		s.do(session, "PUT", keysPath+"/"+public.ID.String(), `{"group_id":null}`).wantStatus(403)
		s.do(session, "PUT", settingsPath, `{"password":"wrong","recaptcha":{"active":false}}`).wantStatus(403)
		s.do(key, "PUT", settingsPath, `{"recaptcha":{"active":false}}`).wantStatus(200)
	})
}

// A key that registers, edits, enables, recovers or resends needs the scope of what is sent.
func TestReceivers_needTheScopesOfWhatIsSent(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		as := func(scopes ...string) apitest.RequestOption {
			_, token := s.NewKey(access.NewKey{Kind: access.SecretKey,
				Scopes: append(scopes, "webhooks:read", "webhooks:write")})
			return apitest.As(token)
		}
		body := func(types string) string {
			return `{"url":"https://mine.example/in","webhook_types":[` + types + `]}`
		}
		for _, c := range []struct {
			credential     apitest.RequestOption
			types, lacking string
		}{
			{as(), `"order.*"`, "orders:read"},
			{as(), `"*"`, "orders:read"},
			{as("catalog:read"), `"order.submitted"`, "orders:read"},
			{as(), `"feedback.submitted"`, "inquiries:read"},
			{as("orders:read", "catalog:read"), `"*"`, "inquiries:read"},
			{as("orders:read"), `"order.*","callback.submitted"`, "inquiries:read"},
			{as(), `"exchange.completed"`, "catalog:read"},
			{as("orders:read"), `"order.*"`, ""},
			{as("catalog:read"), `"exchange.*"`, ""},
			{as("orders:read", "inquiries:read", "catalog:read"), `"*"`, ""},
		} {
			got := s.do(c.credential, "POST", receiversPath, body(c.types))
			if c.lacking == "" {
				got.wantStatus(201)
				continue
			}

			if got.wantStatus(403).problem().Code != "scope_exceeded" ||
				!strings.Contains(string(got.Body), c.lacking) {
				t.Errorf("%s: the response is %s, want scope_exceeded that names %s", c.types, got.Body, c.lacking)
			}

			got.omits("whsec")
		}

		owner := apitest.As(s.store.SecretKey)
		path := receiversPath + "/" + s.do(owner, "POST", receiversPath,
			body(`"order.*"`)).wantStatus(201).Text("data.id")
		for _, edit := range []string{`{"url":"https://evil.example/x"}`,
			`{"url":"https://evil.example/x","webhook_types":["exchange.*"]}`,
			`{"webhook_types":["*"]}`, `{"enabled":true}`} {
			s.do(as("catalog:read"), "PUT", path, edit).wantStatus(403)
		}

		s.do(as(), "POST", path+"/recover", `{"since":"2026-11-14T00:00:00Z"}`).wantStatus(403)
		s.do(as("orders:read"), "POST", path+"/recover", `{"since":"2026-11-14T00:00:00Z"}`).wantStatus(202)
		s.do(as(), "PUT", path, `{"enabled":false}`).wantStatus(200) // this sends nothing
		s.do(as("orders:read"), "PUT", path, `{"enabled":true,"url":"https://partner.example/in"}`).wantStatus(200)
		test := s.do(as(), "POST", path+"/test", "").wantStatus(202).Text("data.id")
		s.do(as(), "POST", deliveriesPath+"/"+test+"/redeliver", "").wantStatus(202)
		order := s.do(owner, "POST", path+"/test", `{"type":"order.submitted"}`).wantStatus(202).Text("data.id")
		s.do(as(), "POST", deliveriesPath+"/"+order+"/redeliver", "").wantStatus(403)
		s.do(as("orders:read"), "POST", deliveriesPath+"/"+order+"/redeliver", "").wantStatus(202)
	})
}

// A type without a row in the table of scopes would be read by every key of the feed, or by none.
func TestReceivers_haveAScopeForEveryTypeOfEvents(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		_, none := s.NewKey(access.NewKey{Kind: access.SecretKey, Scopes: []string{"webhooks:read", "webhooks:write"}})
		_, all := s.NewKey(access.NewKey{Kind: access.SecretKey, Scopes: []string{
			"webhooks:read", "webhooks:write", "orders:read", "inquiries:read", "catalog:read"}})
		for _, eventType := range shopevent.TypeIDs() {
			if eventType == shopevent.Test { // every receiver gets it, and it contains nothing of the store
				continue
			}
			body := `{"url":"https://mine.example/in","webhook_types":["` + eventType + `"]}`
			s.do(apitest.As(none), "POST", receiversPath, body).wantStatus(403)
			s.do(apitest.As(all), "POST", receiversPath, body).wantStatus(201)
		}

		// Nobody may read an event of a type that is not in the table.
		s.push(`{"payload":[{"id":1,"name":"Lamp"}]}`)
		feed := func() string {
			return string(s.do(apitest.As(all), "GET", "/api/store/events", "").wantStatus(200).Body)
		}
		if !strings.Contains(feed(), shopevent.ExchangeCompleted) {
			t.Fatalf("the feed has no completed exchange: %s", feed())
		}

		s.Write(func(ctx context.Context, q database.Querier) error {
			_, err := q.Exec(ctx, "UPDATE events SET type = 'unknown.type' WHERE store_id = $1", s.StoreID)
			return err
		})
		if strings.Contains(feed(), "unknown.type") {
			t.Errorf("a key reads a type that is not in the table: %s", feed())
		}
	})
}

// A key that may not read orders narrowed a receiver and turned it off, moved it to another address and turned it on,
// and recovered the orders that were not delivered.
func TestReceivers_cannotBeMovedWithUndeliveredEventsThatTheKeyMayNotRead(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		as := func(scopes ...string) apitest.RequestOption {
			_, token := s.NewKey(access.NewKey{Kind: access.SecretKey,
				Scopes: append(scopes, "webhooks:read", "webhooks:write")})
			return apitest.As(token)
		}
		owner := apitest.As(s.store.SecretKey)
		key := as("catalog:read")
		path := receiversPath + "/" + s.do(owner, "POST", receiversPath,
			`{"url":"https://partner.example/in","webhook_types":["*"]}`).wantStatus(201).Text("data.id")
		s.do(owner, "POST", path+"/test", `{"type":"order.submitted"}`).wantStatus(202)

		narrowed := `{"webhook_types":["exchange.*"],"enabled":false}`
		moved := `{"url":"https://evil.example/x","enabled":true}`
		for _, edit := range []string{narrowed, moved, `{"webhook_types":["exchange.*"]}`} {
			if code := s.do(key, "PUT", path, edit).wantStatus(403).problem().Code; code != "scope_exceeded" {
				t.Errorf("%s: the code is %s", edit, code)
			}
		}

		s.do(key, "PUT", path, `{"enabled":false}`).wantStatus(200)
		s.do(key, "PUT", path, narrowed).wantStatus(403)
		s.do(key, "PUT", path, moved).wantStatus(403)

		// Somebody who may narrows it: the order is still not delivered.
		s.do(owner, "PUT", path, narrowed).wantStatus(200)
		if got := s.do(key, "PUT", path, moved).wantStatus(403); !strings.Contains(string(got.Body), "orders:read") {
			t.Errorf("the response is %s", got.Body)
		}

		s.do(as("catalog:read", "orders:read"), "PUT", path, moved).wantStatus(200)
	})
}

// The table has every row once.
func TestConfirmTable_hasNoDuplicates(t *testing.T) {
	var names []string
	for _, row := range confirm.Table() {
		if slices.Contains(names, row.Change) || !row.OnPages && !row.InJSON {
			t.Errorf("%+v", row)
		}
		names = append(names, row.Change)
	}
}
