package locale_test

import (
	"encoding/json"
	"testing"
	"time"

	"vitrine/internal/kit/locale"
)

// renderDiff returns the diff of t relative to now. Both are in RFC 3339.
func renderDiff(tb testing.TB, tag, zone, now, t string) string {
	tb.Helper()
	z, err := locale.Zone(zone)
	if err != nil {
		tb.Fatal(err)
	}
	var object struct{ Diff string }
	out := locale.NewDates(parseLocale(tb, tag), z, parseTime(tb, now)).AppendJSON(nil, parseTime(tb, t))
	if err := json.Unmarshal(out, &object); err != nil {
		tb.Fatalf("%v in %s", err, out)
	}
	return object.Diff
}

func parseTime(tb testing.TB, s string) time.Time {
	tb.Helper()
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func TestDiff_saysNowWithinTheSameSecond(t *testing.T) {
	for tag, want := range map[string]string{
		"en": "just now", "ru": "только что", "de": "gerade eben", "es": "ahora mismo",
		"fr": "à l’instant", "uk": "щойно", "kk": "жаңа ғана",
	} {
		for _, at := range []string{"2026-11-14T12:00:05Z", "2026-11-14T12:00:05.999Z"} {
			if got := renderDiff(t, tag, "UTC", "2026-11-14T12:00:05.5Z", at); got != want {
				t.Errorf("%s: got %q, want %q", tag, got, want)
			}
		}
	}
}

func TestDiff_readsNaturallyInBothDirections(t *testing.T) {
	const now = "2026-11-14T12:00:00Z"

	for _, c := range []struct{ tag, at, want string }{
		{"ru", "2026-11-14T11:58:00Z", "2 минуты назад"},
		{"ru", "2026-11-14T11:55:00Z", "5 минут назад"},
		{"ru", "2026-11-14T11:39:00Z", "21 минуту назад"},
		{"ru", "2026-11-14T14:00:00Z", "через 2 часа"},
		{"ru", "2005-11-14T12:00:00Z", "21 год назад"},
		{"ru", "1915-11-14T12:00:00Z", "111 лет назад"},
		{"en", "2026-11-14T11:58:00Z", "2 minutes ago"},
		{"en", "2026-11-14T11:59:00Z", "1 minute ago"},
		{"en", "2026-11-17T12:00:00Z", "in 3 days"},
		{"uk", "2026-11-14T11:59:00Z", "1 хвилину тому"},
		{"uk", "2026-11-28T12:00:00Z", "через 2 тижні"},
		{"de", "2026-11-12T12:00:00Z", "vor 2 Tagen"},
		{"de", "2026-11-16T12:00:00Z", "in 2 Tagen"},
		{"kk", "2026-11-14T11:58:00Z", "2 минут бұрын"},
		{"kk", "2026-11-14T12:02:00Z", "2 минуттан кейін"},
		{"es", "2026-11-14T11:58:00Z", "hace 2 minutos"},
		{"es", "2026-11-14T12:02:00Z", "dentro de 2 minutos"},
		{"fr", "2026-11-14T11:59:00Z", "il y a 1 minute"},
		{"fr", "2026-11-14T12:02:00Z", "dans 2 minutes"},
	} {
		if got := renderDiff(t, c.tag, "UTC", now, c.at); got != c.want {
			t.Errorf("%s %s: got %q, want %q", c.tag, c.at, got, c.want)
		}
	}
}

// Each row is tested in both directions: once its field to is the current time, and once its field from.
func TestDiff_truncatesToTheLargestWholeUnit(t *testing.T) {
	for _, c := range []struct{ name, zone, from, to, want string }{
		{"fractions do not make a second", "UTC", "2026-11-14T12:00:00.9Z", "2026-11-14T12:00:01.1Z", "1 second"},
		{"just under a minute", "UTC", "2026-11-14T12:00:00Z", "2026-11-14T12:00:59Z", "59 seconds"},
		{"a minute", "UTC", "2026-11-14T12:00:00Z", "2026-11-14T12:01:00Z", "1 minute"},
		{"not rounded up", "UTC", "2026-11-14T12:00:00Z", "2026-11-14T12:01:59Z", "1 minute"},
		{"just under an hour", "UTC", "2026-11-14T12:00:00Z", "2026-11-14T12:59:59Z", "59 minutes"},
		{"an hour", "UTC", "2026-11-14T12:00:00Z", "2026-11-14T13:00:00Z", "1 hour"},
		{"just under a day", "UTC", "2026-11-14T12:00:00Z", "2026-11-15T11:59:59Z", "23 hours"},
		{"a day", "UTC", "2026-11-14T12:00:00Z", "2026-11-15T12:00:00Z", "1 day"},
		{"just under a week", "UTC", "2026-11-14T12:00:00Z", "2026-11-21T11:59:59Z", "6 days"},
		{"a week", "UTC", "2026-11-14T12:00:00Z", "2026-11-21T12:00:00Z", "1 week"},
		{"30 days of a month with 31", "UTC", "2026-10-14T12:00:00Z", "2026-11-13T12:00:00Z", "4 weeks"},
		{"a second before the month is whole", "UTC", "2026-10-14T12:00:00Z", "2026-11-14T11:59:59Z", "4 weeks"},
		{"a month of 31 days", "UTC", "2026-10-14T12:00:00Z", "2026-11-14T12:00:00Z", "1 month"},
		{"a month of 28 days", "UTC", "2026-02-14T12:00:00Z", "2026-03-14T12:00:00Z", "1 month"},
		{"28 days of a leap February", "UTC", "2028-02-14T12:00:00Z", "2028-03-13T12:00:00Z", "4 weeks"},
		{"the 31st into February", "UTC", "2026-01-31T12:00:00Z", "2026-02-28T12:00:00Z", "4 weeks"},
		{"the 31st past February", "UTC", "2026-01-31T12:00:00Z", "2026-03-01T00:00:00Z", "1 month"},
		{"across the year", "UTC", "2025-12-14T12:00:00Z", "2026-02-14T12:00:00Z", "2 months"},
		{"just under a year", "UTC", "2025-11-14T12:00:00Z", "2026-11-14T11:59:59Z", "11 months"},
		{"a year", "UTC", "2025-11-14T12:00:00Z", "2026-11-14T12:00:00Z", "1 year"},
		{"a leap day to the 28th", "UTC", "2024-02-29T12:00:00Z", "2025-02-28T12:00:00Z", "11 months"},
		{"a leap day to March", "UTC", "2024-02-29T12:00:00Z", "2025-03-01T12:00:00Z", "1 year"},
		{"a century", "UTC", "1926-11-14T12:00:00Z", "2027-11-14T11:59:59Z", "100 years"},
		{"the month of the zone, not of UTC", "Europe/Berlin", "2026-03-31T23:30:00Z", "2026-04-30T23:30:00Z",
			"1 month"},
		{"a month whose clocks go forward", "Europe/Berlin", "2026-03-14T11:00:00Z", "2026-04-14T10:00:00Z", "1 month"},
		{"a month whose clocks go back", "Europe/Berlin", "2026-10-14T10:00:00Z", "2026-11-14T10:59:59Z", "4 weeks"},
		{"23 hours over a change of clocks", "Europe/Berlin", "2026-03-28T11:00:00Z", "2026-03-29T10:00:00Z",
			"23 hours"},
		{"a month in which the zone skips a day", "Pacific/Apia", "2011-12-05T12:00:00Z", "2012-01-04T12:00:00Z",
			"1 month"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, want := renderDiff(t, "en", c.zone, c.to, c.from), c.want+" ago"; got != want {
				t.Errorf("got %q, want %q", got, want)
			}

			if got, want := renderDiff(t, "en", c.zone, c.from, c.to), "in "+c.want; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
