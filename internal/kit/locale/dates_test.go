package locale_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/locale"
)

func newDates(tb testing.TB, tag, zone, now string) *locale.Dates {
	tb.Helper()
	z, err := locale.Zone(zone)
	if err != nil {
		tb.Fatal(err)
	}
	return locale.NewDates(parseLocale(tb, tag), z, parseTime(tb, now))
}

func parseDateObject(tb testing.TB, out []byte) map[string]any {
	tb.Helper()
	var o map[string]any
	if err := json.Unmarshal(out, &o); err != nil {
		tb.Fatalf("%v in %s", err, out)
	}
	return o
}

func TestAppendJSON_writesTheNineFieldsInOrderAndNothingElse(t *testing.T) {
	d := newDates(t, "ru", "Europe/Moscow", "2026-11-14T12:02:05Z")
	got := string(d.AppendJSON([]byte("before "), parseTime(t, "2026-11-14T12:00:05.789Z")))
	want := `before {"timezone":"Europe/Moscow","datetime_utc":"2026-11-14 12:00:05","datetime":"2026-11-14 ` +
		`15:00:05",` +
		`"datetime_at":"14.11.2026 в 15:00","date":"14.11.2026","diff":"2 минуты назад","timestamp":1794657605,` +
		`"iso_utc":"2026-11-14T12:00:05+00:00","iso":"2026-11-14T15:00:05+03:00"}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
}

func TestNewISODates_writesOneStringInUTC(t *testing.T) {
	d := locale.NewISODates()
	got := string(d.AppendJSON([]byte("before "), parseTime(t, "2026-11-14T15:00:05.789+03:00")))
	if want := `before "2026-11-14T12:00:05Z"`; got != want {
		t.Errorf("the date is %s, want %s", got, want)
	}
}

func TestAppendJSON_followsTheZoneAtThatInstant(t *testing.T) {
	for _, c := range []struct{ name, zone, at, datetime, date, iso string }{
		{"UTC", "UTC", "2026-11-14T12:00:05Z", "2026-11-14 12:00:05", "14.11.2026", "2026-11-14T12:00:05+00:00"},
		{"Berlin, last second of winter", "Europe/Berlin", "2026-03-29T00:59:59Z", "2026-03-29 01:59:59", "29.03.2026",
			"2026-03-29T01:59:59+01:00"},
		{"Berlin, first second of summer", "Europe/Berlin", "2026-03-29T01:00:00Z", "2026-03-29 03:00:00", "29.03.2026",
			"2026-03-29T03:00:00+02:00"},
		{"Berlin, last second of summer", "Europe/Berlin", "2026-10-25T00:59:59Z", "2026-10-25 02:59:59", "25.10.2026",
			"2026-10-25T02:59:59+02:00"},
		{"Berlin, the hour comes again", "Europe/Berlin", "2026-10-25T01:00:00Z", "2026-10-25 02:00:00", "25.10.2026",
			"2026-10-25T02:00:00+01:00"},
		{"quarters of an hour", "Asia/Kathmandu", "2026-11-14T18:15:00Z", "2026-11-15 00:00:00", "15.11.2026",
			"2026-11-15T00:00:00+05:45"},
		{"west, the day before", "America/New_York", "2026-11-14T04:00:00Z", "2026-11-13 23:00:00", "13.11.2026",
			"2026-11-13T23:00:00-05:00"},
		{"west, half an hour", "America/St_Johns", "2026-12-31T23:59:59Z", "2026-12-31 20:29:59", "31.12.2026",
			"2026-12-31T20:29:59-03:30"},
		{"before 1970", "Europe/Moscow", "1965-01-01T00:00:00Z", "1965-01-01 03:00:00", "01.01.1965",
			"1965-01-01T03:00:00+03:00"},
		{"a year of three digits", "UTC", "0987-06-05T04:03:02Z", "0987-06-05 04:03:02", "05.06.0987",
			"0987-06-05T04:03:02+00:00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := parseDateObject(t,
				newDates(t, "en", c.zone, "2026-06-01T00:00:00Z").AppendJSON(nil, parseTime(t, c.at)))
			delete(got, "diff")

			at := parseTime(t, c.at)
			want := map[string]any{
				"timezone": c.zone, "datetime_utc": at.Format(time.DateTime), "datetime": c.datetime,
				"datetime_at": c.date + " at " + c.datetime[11:16], "date": c.date, "timestamp": float64(at.Unix()),
				"iso_utc": at.Format("2006-01-02T15:04:05+00:00"), "iso": c.iso,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAppendJSON_joinsDateAndTimeWithTheWordOfTheLocale(t *testing.T) {
	for _, c := range []struct{ tag, at, want string }{
		{"en", "15:00", "14.11.2026 at 15:00"},
		{"ru", "15:00", "14.11.2026 в 15:00"},
		{"de", "15:00", "14.11.2026 um 15:00"},
		{"es", "15:00", "14.11.2026 a las 15:00"},
		{"es", "01:30", "14.11.2026 a la 01:30"},
		{"es", "13:00", "14.11.2026 a las 13:00"},
		{"fr", "15:00", "14.11.2026 à 15:00"},
		{"uk", "15:00", "14.11.2026 о 15:00"},
		{"uk", "11:05", "14.11.2026 об 11:05"},
		{"kk", "15:00", "14.11.2026 сағат 15:00"},
	} {
		out := newDates(t, c.tag, "UTC", "2026-11-14T12:00:00Z").AppendJSON(nil,
			parseTime(t, "2026-11-14T"+c.at+":00Z"))

		if got := parseDateObject(t, out)["datetime_at"]; got != c.want {
			t.Errorf("%s: got %q, want %q", c.tag, got, c.want)
		}
	}
}

// The caches (objects, offsets) must not be observable: a renderer that was used many times gives the same result as a
// new one and as the standard library.
func TestAppendJSON_rendersTheSameWithAndWithoutItsCache(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const now = "2026-11-14T12:00:00Z"
	for _, zone := range []string{
		"UTC", "Europe/Berlin", "Asia/Kathmandu", "America/St_Johns", "Pacific/Apia", "Africa/Casablanca",
	} {
		for _, tag := range locale.SupportedTags() {
			used := newDates(t, tag, zone, now)
			z, _ := locale.Zone(zone)
			instants := make([]time.Time, 3)
			for range 300 {
				// Replace one of three instants and render one of the three. The cache holds two, so that hits, misses
				// and evictions alternate.
				instants[random.IntN(3)] = time.Unix(random.Int64N(4_000_000_000)-200_000_000, random.Int64N(1e9))
				at := instants[random.IntN(3)]
				if at.IsZero() {
					continue
				}

				got := used.AppendJSON(nil, at)
				if diff := cmp.Diff(string(newDates(t, tag, zone, now).AppendJSON(nil, at)), string(got)); diff != "" {
					t.Fatalf("%s %s %s:\n%s", tag, zone, at, diff)
				}

				o := parseDateObject(t, got)
				if len(o) != 9 || o["iso"] != at.In(z).Format("2006-01-02T15:04:05-07:00") ||
					o["datetime_utc"] != at.UTC().Format(time.DateTime) {
					t.Fatalf("%s %s %s: %s", tag, zone, at, got)
				}
			}
		}
	}
}

func TestAppendJSON_writesValidJSONForExtremeTimes(t *testing.T) {
	ends := []int64{math.MinInt64, math.MinInt64 + 1, -1 << 62, -62_167_219_201, -1, 0, 253_402_300_800,
		1 << 62, math.MaxInt64}
	for _, now := range ends {
		for _, zone := range []string{"UTC", "Europe/Berlin", "America/New_York"} {
			z, _ := locale.Zone(zone)
			d := locale.NewDates(parseLocale(t, "uk"), z, time.Unix(now, 0))
			for _, unix := range ends {
				if o := parseDateObject(t, d.AppendJSON(nil, time.Unix(unix, 0))); len(o) != 9 {
					t.Errorf("now %d, at %d: %v", now, unix, o)
				}
			}
			parseDateObject(t, d.AppendJSON(nil, time.Time{}))
		}
	}
}

func TestNewDates_escapesTheNameOfAnyZone(t *testing.T) {
	d := locale.NewDates(parseLocale(t, "en"), time.FixedZone(`a "b" \`, 3600), parseTime(t, "2026-11-14T12:00:00Z"))
	if got := parseDateObject(t, d.AppendJSON(nil, time.Unix(0, 0)))["timezone"]; got != `a "b" \` {
		t.Errorf("got %q", got)
	}
}

func TestDate_marshalsAsTheDateObjectAndAsNullForNone(t *testing.T) {
	d := newDates(t, "en", "Europe/Moscow", "2026-11-14T12:02:05Z")
	at := parseTime(t, "2026-11-14T12:00:05Z")
	got, err := json.Marshal([]*locale.Date{d.Date(&at), d.Date(nil)})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("["+string(d.AppendJSON(nil, at))+",null]", string(got)); diff != "" {
		t.Error(diff)
	}
}
