package locale_test

import (
	"testing"
	"time"

	"vitrine/internal/kit/locale"
)

const benchNow = "2026-11-14T12:00:00Z"

func BenchmarkAppendJSON(b *testing.B) {
	base := parseTime(b, "2026-11-01T00:00:00Z").Unix()
	for _, bench := range []struct {
		name, tag, zone string
		at              func(i int) int64
	}{
		{"fresh", "ru", "Europe/Berlin", func(i int) int64 { return base + int64(i%1_000_000) }},
		{"fresh over decades", "ru", "Europe/Berlin", func(i int) int64 { return base - int64(i%1_000)*611_111 }},
		{"fresh across clock changes", "ru", "Europe/Berlin",
			func(i int) int64 { return base - int64(i%1_000) - int64(i&1)*100*86_400 }},
		{"fresh in UTC", "en", "UTC", func(i int) int64 { return base + int64(i%1_000_000) }},
		{"same", "ru", "Europe/Berlin", func(int) int64 { return base }},
		{"two in turn", "ru", "Europe/Berlin", func(i int) int64 { return base + int64(i&1) }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			d := newDates(b, bench.tag, bench.zone, benchNow)
			buf := make([]byte, 0, 1024)
			b.ReportAllocs()

			for i := 0; b.Loop(); i++ {
				buf = d.AppendJSON(buf[:0], time.Unix(bench.at(i), 0))
			}
		})
	}
}

func BenchmarkNewDates(b *testing.B) {
	l := parseLocale(b, "ru")
	now := parseTime(b, benchNow)
	zone, err := locale.Zone("Europe/Berlin")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		locale.NewDates(l, zone, now)
	}
}
