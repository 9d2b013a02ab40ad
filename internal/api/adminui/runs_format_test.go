package adminui

import (
	"testing"
	"time"
)

func TestFormat_numbersAndDurations(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1048576: "1,048,576"} {
		if got := formatNumber(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
	for d, want := range map[time.Duration]string{
		-time.Second: "0 ms", 41 * time.Millisecond: "41 ms", 9990 * time.Millisecond: "9.9 s",
		59999 * time.Millisecond: "59 s",
		754 * time.Second:        "12 min 34 s", time.Hour + 3*time.Minute + 59*time.Second: "1 h 03 min",
	} {
		if got := formatDuration(d); got != want {
			t.Errorf("%s is %q, want %q", d, got, want)
		}
	}
}
