package store

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/fault"
)

func TestEditApply_leavesNilFieldsUnchanged(t *testing.T) {
	before := Store{Name: "Shop", Timezone: "Europe/Berlin", Locale: "de", Currency: "EUR",
		SiteURL: "https://a.example", CORSOrigins: []string{"*"}}
	after, err := Edit{Name: new("  Laden ")}.apply(before)
	if err != nil {
		t.Fatal(err)
	}
	want := before
	want.Name = "Laden"
	if after.Name != "Laden" || after.Timezone != want.Timezone || after.Locale != want.Locale ||
		after.Currency != want.Currency ||
		after.SiteURL != want.SiteURL || !cmp.Equal(after.CORSOrigins, want.CORSOrigins) {
		t.Errorf("got %+v, want %+v", after, want)
	}
}

func TestEditApply_reportsEveryInvalidField(t *testing.T) {
	_, err := Edit{
		Name: new(" \t"), Timezone: new("Mars/Olympus"), Locale: new("tlh"), Currency: new("usd"),
		SiteURL:     new("ftp://x"),
		CORSOrigins: &[]string{"*", "https://shop.example/", "https://ok.example"},
	}.apply(Store{})
	got := fieldCodes(t, err)
	want := map[string]string{
		"name": "required", "timezone": "unknown_timezone", "locale": "unknown_locale", "currency": "unknown_currency",
		"site_url": "invalid_url", "cors_origins[1]": "invalid_origin",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEditApply_validatesValues(t *testing.T) {
	tests := []struct {
		field, value, code string // an empty code means that the value is valid
	}{
		{"name", "Лавка чудес", ""},
		{"name", strings.Repeat("я", 255), ""},
		{"name", strings.Repeat("я", 256), "too_long"},
		{"name", "a\x00b", "invalid_characters"},
		{"name", "a\nb", "invalid_characters"},
		{"name", "a\xffb", "invalid_characters"},
		{"timezone", "Europe/Berlin", ""},
		{"timezone", "UTC", ""},
		{"timezone", "", "unknown_timezone"},
		{"timezone", "Local", "unknown_timezone"},
		{"timezone", "../etc/passwd", "unknown_timezone"},
		{"locale", "ru", ""},
		{"locale", "RU", "unknown_locale"},
		{"locale", "", "unknown_locale"},
		{"currency", "KZT", ""},
		{"currency", "SLE", ""},
		{"currency", "VES", ""},
		{"currency", "eur", "unknown_currency"},
		{"currency", "ZZZ", "unknown_currency"},
		{"currency", "XXX", "unknown_currency"},
		{"currency", "US", "unknown_currency"},
		{"currency", "USDX", "unknown_currency"},
		{"currency", "", "unknown_currency"},
		{"site_url", "", ""},
		{"site_url", "https://shop.example", ""},
		{"site_url", "HTTPS://shop.example:8443/a/b?c=d", ""},
		{"site_url", "http://[::1]:8080/", ""},
		{"site_url", "https://магазин.рф", ""},
		{"site_url", "shop.example", "invalid_url"},
		{"site_url", "//shop.example", "invalid_url"},
		{"site_url", "javascript:alert(1)", "invalid_url"},
		{"site_url", "https://", "invalid_url"},
		{"site_url", "https:///path", "invalid_url"},
		{"site_url", "https://user@shop.example", "invalid_url"},
		{"site_url", "https://shop.example/#x", "invalid_url"},
		{"site_url", "https://shop.example/#", "invalid_url"},
		{"site_url", "https://shop.example:99999", "invalid_url"},
		{"site_url", "https://shop.example:", "invalid_url"},
		{"site_url", "https://shop\u200b.example", "invalid_url"},
		{"site_url", "https://shop..example", "invalid_url"},
		{"site_url", "https://shop.example/a b", "invalid_url"},
		{"site_url", "https://shop.example/" + strings.Repeat("a", 2048), "too_long"},
		{"address", "", ""},
		{"address", "1 Harbour Street\r\n20457 Hamburg", ""},
		{"address", strings.Repeat("я", 500), ""},
		{"address", strings.Repeat("я", 501), "too_long"},
		{"address", "a\x00b", "control_character"},
	}
	for _, test := range tests {
		e := Edit{}
		switch test.field {
		case "name":
			e.Name = &test.value
		case "timezone":
			e.Timezone = &test.value
		case "address":
			e.Address = &test.value
		case "locale":
			e.Locale = &test.value
		case "currency":
			e.Currency = &test.value
		case "site_url":
			e.SiteURL = &test.value
		}

		_, err := e.apply(Store{})
		if test.code == "" {
			if err != nil {
				t.Errorf("%s %q: %v", test.field, test.value, err)
			}
			continue
		}

		if got := fieldCodes(t, err); got[test.field] != test.code {
			t.Errorf("%s %q: %v, want %s", test.field, test.value, got, test.code)
		}
	}
}

func TestEditApply_namesValidValuesInMessages(t *testing.T) {
	_, err := Edit{Timezone: new("x"), Locale: new("x"), Currency: new("x")}.apply(Store{})
	var f *fault.Error
	if !errors.As(err, &f) {
		t.Fatal(err)
	}
	for i, want := range []string{"Europe/Berlin", "de, en, es, fr, kk, ru, uk", "USD"} {
		if !strings.Contains(f.Fields[i].Message, want) {
			t.Errorf("%q does not name %s", f.Fields[i].Message, want)
		}
	}
}

func TestParseOrigin(t *testing.T) {
	tests := []struct{ text, want string }{ // an empty want means that the text is rejected
		{"*", "*"},
		{"https://shop.example", "https://shop.example"},
		{"HTTPS://Shop.Example:443", "https://shop.example"},
		{"http://localhost:3000", "http://localhost:3000"},
		{"http://localhost:80", "http://localhost"},
		{"http://localhost:443", "http://localhost:443"},
		{"http://[::1]:3000", "http://[::1]:3000"},
		{"capacitor://localhost", "capacitor://localhost"},
		{"https://shop.example/", ""},
		{"https://shop.example?x", ""},
		{"https://shop.example?", ""},
		{"https://shop.example#", ""},
		{"https://u@shop.example", ""},
		{"https://*.example", ""},
		{"https://магазин.рф", ""},
		{"https://shop.example:0", ""},
		{"https://shop.example:070", ""},
		{"https://", ""},
		{"shop.example", ""},
		{"shop.example:443", ""},
		{"null", ""},
		{"", ""},
		{" https://shop.example", ""},
		{"https://shop.example\n", ""},
		{"https://[fe80::1%25eth0]", ""},
	}

	for _, test := range tests {
		got, ok := parseOrigin(test.text)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("parseOrigin(%q) = %q, %v; want %q", test.text, got, ok, test.want)
		}
	}
}

func TestCheckOrigins_removesDuplicatesAndLimitsNumber(t *testing.T) {
	got, broken := checkOrigins([]string{"https://b.example", "https://A.example", "https://a.example:443"})
	if diff := cmp.Diff([]string{"https://b.example", "https://a.example"}, got); diff != "" || broken != nil {
		t.Error(diff, broken)
	}
	if _, broken := checkOrigins(make([]string, 101)); len(broken) != 1 || broken[0].Code != "too_many" {
		t.Errorf("101 origins: %v, want too_many alone", broken)
	}
}

func TestAllowsOrigin(t *testing.T) {
	listed := Store{CORSOrigins: []string{"https://shop.example", "http://localhost:3000"}}
	for origin, want := range map[string]bool{
		"https://shop.example": true, "https://SHOP.example": true, "http://localhost:3000": true,
		"http://shop.example": false, "https://shop.example:8443": false, "https://shop.example.evil": false,
		"https://evil.example": false, "null": false, "": false, "*": false,
	} {
		if got := listed.AllowsOrigin(origin); got != want {
			t.Errorf("AllowsOrigin(%q) = %v", origin, got)
		}
	}

	if !(Store{CORSOrigins: []string{"*"}}).AllowsOrigin("https://anything.example") {
		t.Error("* does not allow an origin")
	}
	if (Store{}).AllowsOrigin("https://shop.example") {
		t.Error("an empty list allows an origin")
	}
}

func TestStore_fallsBackForUnknownTimezoneAndLocale(t *testing.T) {
	s := Store{Timezone: "Mars/Olympus", Locale: "tlh"}
	if s.Zone().String() != "UTC" || s.Language().String() != "en" {
		t.Errorf("got %s and %s, want UTC and en", s.Zone(), s.Language())
	}
}

// fieldCodes returns the codes of an Invalid fault by field.
func fieldCodes(t *testing.T, err error) map[string]string {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != fault.Invalid {
		t.Fatalf("got %v, want an Invalid fault", err)
	}
	got := map[string]string{}
	for _, field := range f.Fields {
		got[field.Field] = field.Code
	}
	return got
}
