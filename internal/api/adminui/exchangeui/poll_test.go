package exchangeui

import (
	"testing"
	"time"
)

// A run that has just begun is asked for often, since most are done within a second; a long one is asked for rarely.
func TestPollInterval_growsWithTheAgeOfTheRun(t *testing.T) {
	for age, want := range map[time.Duration]string{
		-time.Second: "500ms", 0: "500ms", 4 * time.Second: "500ms", 5 * time.Second: "2s", time.Hour: "2s",
	} {
		if got := pollInterval(age); got != want {
			t.Errorf("after %v the page asks every %s, want %s", age, got, want)
		}
	}
}
