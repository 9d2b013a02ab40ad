package adminapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
)

type captchaSettings struct {
	Active          bool              `json:"active"`
	Provider        string            `json:"provider"`
	PublicKey       string            `json:"public_key"`
	SecretKeySet    bool              `json:"secret_key_set"`
	SiteURL         string            `json:"site_url"`
	ExtraHosts      []string          `json:"extra_hosts"`
	OnProviderError string            `json:"on_provider_error"`
	Actions         []protectedAction `json:"actions"`
}

type protectedAction struct {
	ID        string  `json:"id"`
	Threshold float64 `json:"threshold"`
	Shadow    bool    `json:"shadow"`
}

func TestCaptchaSettings_mergeAndHideTheSecret(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		owner := apitest.As(s.store.SecretKey)
		const secret = "6Lc-very-secret"
		want := captchaSettings{Provider: "recaptcha_v3", ExtraHosts: []string{}, OnProviderError: "reject",
			Actions: []protectedAction{}}
		for _, step := range []struct {
			body   string
			change func()
		}{
			{`{}`, func() {}},
			{`{"recaptcha":{}}`, func() {}},
			{`{"recaptcha":{"public_key":" 6Lc-public ","secret_key":"` + secret + `"}}`,
				func() {
					want.PublicKey = "6Lc-public"
					want.SecretKeySet = true
				}},
			{`{"recaptcha":{"active":true,"site_url":"https://shop.example/start"}}`,
				func() {
					want.Active = true
					want.SiteURL = "https://shop.example/start"
				}},
			{`{"recaptcha":{"extra_hosts":["WWW.Shop.example","www.shop.example.","пример.example:8080"],` +
				`"on_provider_error":"allow","provider":"turnstile"}}`, func() {
				want.ExtraHosts = []string{"www.shop.example", "xn--e1afmkfd.example"}
				want.OnProviderError = "allow"
				want.Provider = "turnstile"
			}},
			{`{"recaptcha":{"actions":[{"id":"order_submission","threshold":0.75},{"id":"feedback_request",` +
				`"shadow":true,"name":"ignored"}]}}`, func() {
				want.Actions = []protectedAction{{"order_submission", 0.75, false}, {"feedback_request", 0.5, true}}
			}},
			{`{"recaptcha":{"actions":[{"id":"callback_request","threshold":0},{"id":"passwordless_request",` +
				`"threshold":1}]}}`, func() {
				want.Actions = []protectedAction{{"callback_request", 0, false}, {"passwordless_request", 1, false}}
			}},
			{`{"name":"Renamed"}`, func() {}},
			{`{"recaptcha":{"active":false,"secret_key":"","extra_hosts":[],"actions":[]}}`, func() {
				want.Active = false
				want.SecretKeySet = false
				want.ExtraHosts = []string{}
				want.Actions = []protectedAction{}
			}},
		} {
			before := s.do(owner, "GET", settingsPath, "").Header.Get("ETag")
			step.change()
			changed := s.do(owner, "PUT", settingsPath, step.body).wantStatus(200)

			read := s.do(owner, "GET", settingsPath, "").wantStatus(200)
			for _, a := range []response{changed, read} {
				var got struct {
					Recaptcha captchaSettings `json:"recaptcha"`
				}
				a.decode(&got)
				if diff := cmp.Diff(want, got.Recaptcha); diff != "" {
					t.Errorf("%s: %s", step.body, diff)
				}
				a.omits(secret)
			}

			if tag := read.Header.Get("ETag"); tag == before {
				t.Errorf("%s: the ETag is still %s", step.body, tag)
			}

			// The data of a response is accepted as a body and changes nothing, not even the secret key.
			body := strings.TrimSuffix(strings.TrimPrefix(string(read.Body), `{"data":`), "}\n")
			s.do(owner, "PUT", settingsPath, body).wantStatus(200)
			if stored := s.captchaSecret(); strings.Contains(stored, secret) || (stored != "") != want.SecretKeySet {
				t.Errorf("%s: the secret key is stored as %q", step.body, stored)
			}
		}
	})
}

// captchaSecret returns the encrypted secret key in the database, or "" if there is none.
func (s *fixture) captchaSecret() string {
	s.t.Helper()
	var sealed []byte
	err := s.App.DB.Read(s.t.Context(), func(q database.Querier) error {
		return database.QueryEach(s.t.Context(), q, `SELECT secret FROM captcha_settings WHERE store_id = $1`,
			[]any{s.store.StoreID}, func(rows database.Rows) error {
				return rows.Scan(&sealed)
			})
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return string(sealed)
}

func TestCaptchaSettings_refuseInvalidValues(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		owner := apitest.As(s.store.SecretKey)

		wantErrors := func(recaptcha, fields string) {
			t.Helper()
			var got []string
			refused := s.do(owner, "PUT", settingsPath, `{"name":"Not this","recaptcha":`+recaptcha+`}`).wantStatus(422)
			for _, e := range refused.problem().Errors {
				got = append(got, strings.TrimPrefix(e.Field, "recaptcha.")+":"+e.Code)
			}

			if strings.Join(got, " ") != fields {
				t.Errorf("%s: got %q, want %q", recaptcha, got, fields)
			}
		}

		before := s.do(owner, "GET", settingsPath, "").Header.Get("ETag")

		for _, c := range []struct{ recaptcha, fields string }{
			{`null`, "recaptcha:wrong_type"},
			{`{"active":1}`, "active:wrong_type"},
			{`{"active":true}`, "public_key:required secret_key:required site_url:required"},
			{`{"active":true,"public_key":"p","secret_key":"s"}`, "site_url:required"},
			{`{"active":true,"public_key":"","secret_key":"s","site_url":"https://shop.example"}`,
				"public_key:required"},
			{`{"provider":"recaptcha_v2"}`, "provider:unknown_provider"},
			{`{"public_key":"a b"}`, "public_key:invalid_characters"},
			{`{"secret_key":null}`, "secret_key:wrong_type"},
			{`{"secret_key":"` + strings.Repeat("k", 513) + `"}`, "secret_key:too_long"},
			{`{"site_url":"shop.example"}`, "site_url:invalid_url"},
			{`{"extra_hosts":["www.shop.example","https://shop.example","a b"]}`,
				"extra_hosts[1]:invalid_host extra_hosts[2]:invalid_host"},
			{`{"extra_hosts":["a"` + strings.Repeat(`,"a"`, 100) + `]}`, "extra_hosts:too_many"},
			{`{"on_provider_error":"ignore"}`, "on_provider_error:unknown_value"},
			{`{"actions":[{"id":"checkout"}]}`, "actions[0].id:unknown_action"},
			{`{"actions":[{"threshold":0.5}]}`, "actions[0].id:required"},
			{`{"actions":["order_submission"]}`, "actions[0]:wrong_type"},
			{`{"actions":[{"id":"order_submission"},{"id":"order_submission"}]}`, "actions[1].id:duplicate"},
			{`{"actions":[{"id":"order_submission","threshold":1.01},{"id":"feedback_request","threshold":-0.1},` +
				`{"id":"callback_request","threshold":1e999}]}`,
				"actions[0].threshold:out_of_range actions[1].threshold:out_of_range " +
					"actions[2].threshold:out_of_range"},
			{`{"actions":[{"id":"order_submission","threshold":"0.5"}]}`, "actions[0].threshold:wrong_type"},
			{`{"actions":{}}`, "actions:wrong_type"},
		} {
			wantErrors(c.recaptcha, c.fields)
		}

		if after := s.do(owner, "GET", settingsPath, "").Header.Get("ETag"); after != before {
			t.Errorf("a refused request changed the settings: the ETag was %s and is %s", before, after)
		}

		// A captcha without a site_url uses the site_url of the store, which then cannot be removed.
		s.do(owner, "PUT", settingsPath,
			`{"site_url":"https://shop.example","recaptcha":{"active":true,"public_key":"p","secret_key":"s"}}`).
			wantStatus(200)
		refused := s.do(owner, "PUT", settingsPath, `{"site_url":""}`).wantStatus(422)
		if got := fmt.Sprint(refused.problem().Errors); !strings.Contains(got, "recaptcha.site_url required") {
			t.Errorf("the errors are %s", got)
		}

		wantErrors(`{"secret_key":""}`, "secret_key:required")
	})
}
