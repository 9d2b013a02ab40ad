package adminapi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/testkit/apitest"
)

const settingsPath = "/api/store/settings"

func TestSettings_areReadAndChanged(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		owner := apitest.As(s.store.SecretKey)
		var before, after settings
		first := s.do(owner, "GET", settingsPath, "").wantStatus(200)
		first.decode(&before)

		want := settings{ID: s.store.StoreID.String(), Name: "North Shop", Timezone: "Europe/Moscow", Locale: "en",
			Currency: "USD", CORSOrigins: []string{},
			CreatedAt: before.CreatedAt, UpdatedAt: before.UpdatedAt}
		if diff := cmp.Diff(want, before); diff != "" {
			t.Error(diff)
		}

		s.Clock.Advance(time.Minute)
		changed := s.do(owner, "PUT", settingsPath,
			`{"timezone":"Asia/Almaty","locale":"ru","site_url":"https://shop.example",`+
				`"cors_origins":["HTTPS://Shop.example:443","*"],"unknown":1}`).wantStatus(200)
		changed.decode(&after)
		if changed.Header.Get("ETag") == first.Header.Get("ETag") || changed.Header.Get("ETag") == "" {
			t.Errorf("the ETag is %q before and %q after the change", first.Header.Get("ETag"),
				changed.Header.Get("ETag"))
		}

		want.Timezone = "Asia/Almaty"
		want.Locale = "ru"
		want.SiteURL = "https://shop.example"
		want.CORSOrigins = []string{"https://shop.example", "*"}
		want.CreatedAt, want.UpdatedAt = after.CreatedAt, after.UpdatedAt

		if diff := cmp.Diff(want, after); diff != "" {
			t.Error(diff)
		}

		if got := after.CreatedAt; got.Timezone != "Asia/Almaty" || !strings.Contains(got.DatetimeAt, " в ") ||
			!strings.HasSuffix(got.ISO, "+05:00") {
			t.Errorf("the dates of the response are not in the new timezone and language: %+v", got)
		}

		if !after.UpdatedAt.time(t).Equal(s.Clock.Now()) || after.CreatedAt.ISOUTC != before.CreatedAt.ISOUTC {
			t.Errorf("the dates changed from %+v to %+v", before, after)
		}

		s.do(owner, "GET", settingsPath, "").wantStatus(200).decode(&before)
		if diff := cmp.Diff(after, before); diff != "" {
			t.Error(diff)
		}
	})
}

func TestSettings_applyToTheNextResponseOfThePublicAPI(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		var public settings
		s.doAPI(apitest.As(s.store.PublishableKey), "GET", "/v2/store", "").wantStatus(200).decode(&public)
		if public.CreatedAt.Timezone != "Europe/Moscow" {
			t.Fatalf("dates are in %s, want Europe/Moscow", public.CreatedAt.Timezone)
		}
		s.do(apitest.As(s.store.SecretKey), "PUT", settingsPath,
			`{"timezone":"America/New_York","locale":"de","name":"Nordladen"}`).wantStatus(200)
		s.doAPI(apitest.As(s.store.PublishableKey), "GET", "/v2/store", "").wantStatus(200).decode(&public)
		if public.Name != "Nordladen" || public.Locale != "de" || public.CreatedAt.Timezone != "America/New_York" ||
			!strings.Contains(public.CreatedAt.DatetimeAt, " um ") {
			t.Errorf("the public API still shows %+v", public)
		}
	})
}

func TestSettings_refuseInvalidValues(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		owner := apitest.As(s.store.SecretKey)
		before := s.do(owner, "GET", settingsPath, "").Header.Get("ETag")
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
			{`{"timezone":"Mars/Olympus","locale":"tlh","currency":"QQQ"}`, 422,
				"timezone:unknown_timezone locale:unknown_locale currency:unknown_currency"},
			{`{"name":"New","currency":"QQQ"}`, 422, "currency:unknown_currency"},
			{`[]`, 422, ":wrong_type"},
			{`{"name":"a","name":"b"}`, 400, ""},
			{`{"name":`, 400, ""},
			{`{} {}`, 400, ""},
		} {
			var got []string
			for _, e := range s.do(owner, "PUT", settingsPath, c.body).wantStatus(c.status).problem().Errors {
				got = append(got, e.Field+":"+e.Code)
			}
			if strings.Join(got, " ") != c.fields {
				t.Errorf("%s: got %q, want %q", c.body, got, c.fields)
			}
		}

		s.do(owner, "PUT", settingsPath, `{"name":"x"}`, "Content-Type", "text/plain").wantStatus(415)
		if after := s.do(owner, "GET", settingsPath, "").Header.Get("ETag"); after != before {
			t.Errorf("a refused request changed the settings: the ETag was %s and is %s", before, after)
		}
	})
}

func TestSettings_honourIfMatch(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		owner := apitest.As(s.store.SecretKey)
		tag := s.do(owner, "GET", settingsPath, "").Header.Get("ETag")
		s.do(owner, "PUT", settingsPath, `{"name":"One"}`, "If-Match", `"v0"`).wantStatus(412)
		s.do(owner, "PUT", settingsPath, `{"name":"One"}`, "If-Match", `W/`+tag).wantStatus(412)
		next := s.do(owner, "PUT", settingsPath, `{"name":"Two"}`, "If-Match",
			`"other", `+tag).wantStatus(200).Header.Get("ETag")

		if code := s.do(owner, "PUT", settingsPath, `{"name":"Three"}`, "If-Match",
			tag).wantStatus(412).problem().Code; code != "precondition_failed" {
			t.Errorf("the code is %s, want precondition_failed", code)
		}

		s.do(owner, "PUT", settingsPath, `{"name":"Four"}`, "If-Match", next).wantStatus(200)
		s.do(owner, "PUT", settingsPath, `{"name":"Five"}`, "If-Match", "*").wantStatus(200)
		var now settings
		s.do(owner, "GET", settingsPath, "").decode(&now)
		if now.Name != "Five" {
			t.Errorf("the name is %q, want Five", now.Name)
		}
	})
}

// A client may send back the settings as it has read them, including the id and the dates.
func TestSettings_acceptTheirOwnRepresentation(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		owner := apitest.As(s.store.SecretKey)
		read := strings.TrimSuffix(strings.TrimPrefix(string(s.do(owner, "GET", settingsPath, "").Body), `{"data":`),
			"}\n")
		s.do(owner, "PUT", settingsPath, read).wantStatus(200)
	})
}
