package storetest

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// fatalTB records a fatal failure. It panics with itself, since Fatalf must not return.
type fatalTB struct {
	testing.TB
	failure string
}

func (tb *fatalTB) Helper() {}

func (tb *fatalTB) Fatalf(format string, args ...any) {
	tb.failure = fmt.Sprintf(format, args...)
	panic(tb)
}

func TestEventually_returnsOnceTheConditionHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		Eventually(t, "a second passes", func() bool { return time.Since(start) >= time.Second })
		if waited := time.Since(start); waited > 2*time.Second {
			t.Errorf("waited %s, want about a second", waited)
		}
	})
}

func TestEventually_failsAfterAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := &fatalTB{TB: t}
		start := time.Now()
		func() {
			defer func() {
				if p := recover(); p != any(tb) {
					t.Errorf("Eventually panicked with %v, want a failed test", p)
				}
			}()
			Eventually(tb, "pigs fly", func() bool { return false })
		}()
		if want := "not within 1m0s: pigs fly"; tb.failure != want {
			t.Errorf("the failure is %q, want %q", tb.failure, want)
		}
		if waited := time.Since(start); waited < time.Minute || waited > 61*time.Second {
			t.Errorf("waited %s, want a minute", waited)
		}
	})
}
