package adminapi_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const settingsPath = "/api/store/settings"

func TestSettings_areReadAndChanged(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		owner := bearer(s.shop.SecretKey)
		var before, after settings
		first := s.ask(owner, "GET", settingsPath, "").want(200)
		first.into(&before)
		want := settings{ID: s.shop.StoreID.String(), Name: "North Shop", Timezone: "Europe/Moscow", Locale: "en", Currency: "USD", CORSOrigins: []string{},
			CreatedAt: before.CreatedAt, UpdatedAt: before.UpdatedAt}
		if diff := cmp.Diff(want, before); diff != "" {
			t.Error(diff)
		}

		changed := s.ask(owner, "PUT", settingsPath, `{"timezone":"Asia/Almaty","locale":"ru","site_url":"https://shop.example","cors_origins":["HTTPS://Shop.example:443","*"],"unknown":1}`).want(200)
		changed.into(&after)
		if changed.Header.Get("ETag") == first.Header.Get("ETag") || changed.Header.Get("ETag") == "" {
			t.Errorf("the ETag is %q before and %q after the change", first.Header.Get("ETag"), changed.Header.Get("ETag"))
		}
		want.Timezone, want.Locale, want.SiteURL, want.CORSOrigins = "Asia/Almaty", "ru", "https://shop.example", []string{"https://shop.example", "*"}
		want.CreatedAt, want.UpdatedAt = after.CreatedAt, after.UpdatedAt
		if diff := cmp.Diff(want, after); diff != "" {
			t.Error(diff)
		}
		if got := after.CreatedAt; got.Timezone != "Asia/Almaty" || !strings.Contains(got.At, " в ") || !strings.HasSuffix(got.ISO, "+05:00") {
			t.Errorf("the answer's dates are still in the old timezone or language: %+v", got)
		}
		if !after.UpdatedAt.time(t).After(before.CreatedAt.time(t).Add(-1)) || after.CreatedAt.ISOUTC != before.CreatedAt.ISOUTC {
			t.Errorf("created_at %s became %s", before.CreatedAt.ISOUTC, after.CreatedAt.ISOUTC)
		}
		s.ask(owner, "GET", settingsPath, "").want(200).into(&before)
		before.UpdatedAt, before.CreatedAt = after.UpdatedAt, after.CreatedAt // how long ago differs
		if diff := cmp.Diff(after, before); diff != "" {
			t.Error(diff)
		}
	})
}

func TestSettings_showInTheNextAnswerOfThePublicAPI(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		var shop settings
		s.send(s.api, bearer(s.shop.PublishableKey), "GET", "/v2/store", "").want(200).into(&shop)
		if shop.CreatedAt.Timezone != "Europe/Moscow" {
			t.Fatalf("dates are in %s", shop.CreatedAt.Timezone)
		}
		s.ask(bearer(s.shop.SecretKey), "PUT", settingsPath, `{"timezone":"America/New_York","locale":"de","name":"Nordladen"}`).want(200)
		s.send(s.api, bearer(s.shop.PublishableKey), "GET", "/v2/store", "").want(200).into(&shop)
		if shop.Name != "Nordladen" || shop.Locale != "de" || shop.CreatedAt.Timezone != "America/New_York" || !strings.Contains(shop.CreatedAt.At, " um ") {
			t.Errorf("the public API still shows %+v", shop)
		}
	})
}

func TestSettings_refuseWhatBreaksARule(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		owner := bearer(s.shop.SecretKey)
		before := s.ask(owner, "GET", settingsPath, "").Header.Get("ETag")
		for _, c := range []struct {
			body   string
			status int
			fields string // field:code, in order
		}{
			{`{"timezone":"Mars/Olympus"}`, 422, "timezone:unknown_timezone"},
			{`{"timezone":""}`, 422, "timezone:unknown_timezone"},
			{`{"timezone":"Local"}`, 422, "timezone:unknown_timezone"},
			{`{"locale":"tlh"}`, 422, "locale:unknown_locale"},
			{`{"locale":"EN"}`, 422, "locale:unknown_locale"},
			{`{"currency":"QQQ"}`, 422, "currency:unknown_currency"},
			{`{"currency":"eur"}`, 422, "currency:unknown_currency"},
			{`{"name":""}`, 422, "name:required"},
			{`{"name":7}`, 422, "name:wrong_type"},
			{`{"name":null}`, 422, "name:wrong_type"},
			{`{"name":"a\u0000b"}`, 422, "name:control_character"},
			{`{"site_url":"shop.example"}`, 422, "site_url:invalid_url"},
			{`{"site_url":null}`, 422, "site_url:wrong_type"},
			{`{"cors_origins":"*"}`, 422, "cors_origins:wrong_type"},
			{`{"cors_origins":["https://a.example",7]}`, 422, "cors_origins[1]:wrong_type"},
			{`{"cors_origins":["https://a.example","https://b.example/path"]}`, 422, "cors_origins[1]:invalid_origin"},
			{`{"timezone":"Mars/Olympus","locale":"tlh","currency":"QQQ"}`, 422, "timezone:unknown_timezone locale:unknown_locale currency:unknown_currency"},
			{`{"name":"New","currency":"QQQ"}`, 422, "currency:unknown_currency"},
			{`[]`, 422, ":wrong_type"},
			{`{"name":"a","name":"b"}`, 400, ""},
			{`{"name":`, 400, ""},
			{`{} {}`, 400, ""},
		} {
			var got []string
			for _, e := range s.ask(owner, "PUT", settingsPath, c.body).want(c.status).problem().Errors {
				got = append(got, e.Field+":"+e.Code)
			}
			if strings.Join(got, " ") != c.fields {
				t.Errorf("%s: got %q, want %q", c.body, got, c.fields)
			}
		}
		s.ask(owner, "PUT", settingsPath, `{"name":"x"}`, "Content-Type", "text/plain").want(415)
		if after := s.ask(owner, "GET", settingsPath, "").Header.Get("ETag"); after != before {
			t.Errorf("a refused change changed something: the ETag was %s and is %s", before, after)
		}
	})
}

func TestSettings_ifMatch(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		owner := bearer(s.shop.SecretKey)
		tag := s.ask(owner, "GET", settingsPath, "").Header.Get("ETag")
		s.ask(owner, "PUT", settingsPath, `{"name":"One"}`, "If-Match", `"v0"`).want(412)
		s.ask(owner, "PUT", settingsPath, `{"name":"One"}`, "If-Match", `W/`+tag).want(412)
		next := s.ask(owner, "PUT", settingsPath, `{"name":"Two"}`, "If-Match", `"other", `+tag).want(200).Header.Get("ETag")
		if code := s.ask(owner, "PUT", settingsPath, `{"name":"Three"}`, "If-Match", tag).want(412).problem().Code; code != "precondition_failed" {
			t.Errorf("got code %s", code)
		}
		s.ask(owner, "PUT", settingsPath, `{"name":"Four"}`, "If-Match", next).want(200)
		s.ask(owner, "PUT", settingsPath, `{"name":"Five"}`, "If-Match", "*").want(200)
		var now settings
		s.ask(owner, "GET", settingsPath, "").into(&now)
		if now.Name != "Five" {
			t.Errorf("the name is %q", now.Name)
		}
	})
}

// What was read may be sent back, dates, id and all.
func TestSettings_takeBackWhatWasRead(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		owner := bearer(s.shop.SecretKey)
		read := strings.TrimSuffix(strings.TrimPrefix(string(s.ask(owner, "GET", settingsPath, "").body), `{"data":`), "}\n")
		s.ask(owner, "PUT", settingsPath, read).want(200)
	})
}
