package main

import (
	"testing"
	"time"
)

func TestWatchdogInterval(t *testing.T) {
	for _, c := range []struct {
		microseconds, pid string
		want              time.Duration
	}{
		{"60000000", "7", time.Minute},
		{"60000000", "", time.Minute},
		{"60000000", "8", 0}, // it watches another process
		{"", "", 0},
		{"0", "", 0},
		{"-5", "", 0},
		{"soon", "", 0},
	} {
		if got := watchdogInterval(c.microseconds, c.pid, 7); got != c.want {
			t.Errorf("WATCHDOG_USEC=%s, WATCHDOG_PID=%s: %v, want %v", c.microseconds, c.pid, got, c.want)
		}
	}
}
