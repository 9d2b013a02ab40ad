package locale_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/locale"
)

func parseLocale(t testing.TB, tag string) locale.Locale {
	t.Helper()
	l, err := locale.Parse(tag)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestSupported_returnsASortedCopy(t *testing.T) {
	want := []string{"de", "en", "es", "fr", "kk", "ru", "uk"}
	got := locale.SupportedTags()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	got[0] = "overwritten"
	if diff := cmp.Diff(want, locale.SupportedTags()); diff != "" {
		t.Fatal(diff)
	}
}

func TestParse_returnsEqualLocalesForEqualTags(t *testing.T) {
	seen := map[locale.Locale]string{}
	for _, tag := range locale.SupportedTags() {
		l := parseLocale(t, tag)
		if l != parseLocale(t, tag) || l.String() != tag {
			t.Errorf("Parse(%q) does not return the same locale", tag)
		}
		if other, taken := seen[l]; taken {
			t.Errorf("%q and %q give the same locale", tag, other)
		}
		seen[l] = tag
	}
}

func TestParse_refusesOtherSpellingsAndNamesTheSupportedOnes(t *testing.T) {
	for _, tag := range []string{"", "RU", "ru-RU", "ru_RU", " ru", "pl", "russian", "und"} {
		l, err := locale.Parse(tag)
		if err == nil {
			t.Errorf("%q was accepted as %s", tag, l)
			continue
		}
		if l != (locale.Locale{}) {
			t.Errorf("%q: Parse returned an error and a locale", tag)
		}
		if !strings.Contains(err.Error(), "de, en, es, fr, kk, ru, uk") {
			t.Errorf("%q: the error does not say what is supported: %v", tag, err)
		}
	}
}

func TestLabel_existsForEveryKeyInEveryLocale(t *testing.T) {
	keys := []string{"field_type.select", "field_type.range", "range_type.float", "range_type.integer"}
	for _, tag := range locale.SupportedTags() {
		seen := map[string]string{}
		for _, key := range keys {
			label := parseLocale(t, tag).Label(key)
			if strings.TrimSpace(label) == "" || label == key {
				t.Errorf("%s: %s is %q", tag, key, label)
			}
			if other, taken := seen[label]; taken {
				t.Errorf("%s: %s and %s are both %q", tag, key, other, label)
			}
			seen[label] = key
		}
	}

	if got := parseLocale(t, "ru").Label("field_type.range"); got != "Диапазон" {
		t.Errorf("got %q", got)
	}
}

func TestLabel_panicsOnAnUnknownKey(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	parseLocale(t, "en").Label("field_type.unheard_of")
}
