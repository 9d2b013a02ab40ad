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

// failureOf returns the failure with which fn ends its test.
func failureOf(t *testing.T, fn func(tb testing.TB)) string {
	t.Helper()
	tb := &fatalTB{TB: t}
	func() {
		defer func() {
			if p := recover(); p != any(tb) {
				t.Errorf("panicked with %v, want a failed test", p)
			}
		}()
		fn(tb)
	}()
	return tb.failure
}

func TestEventually_failsAfterAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		failure := failureOf(t, func(tb testing.TB) { Eventually(tb, "pigs fly", func() bool { return false }) })
		if want := "not within 1m0s: pigs fly"; failure != want {
			t.Errorf("the failure is %q, want %q", failure, want)
		}
		if waited := time.Since(start); waited < time.Minute || waited > 61*time.Second {
			t.Errorf("waited %s, want a minute", waited)
		}
	})
}

func TestEventuallyEqual_failsWithTheLastValue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		next := func() int { n++; return n }
		EventuallyEqual(t, "the number is", 7, next)
		if n != 7 {
			t.Errorf("%d calls, want 7", n)
		}
		failure := failureOf(t, func(tb testing.TB) { EventuallyEqual(tb, "the number is", 7, next) })
		if want := fmt.Sprintf("not within 1m0s: the number is %d, want 7", n); failure != want {
			t.Errorf("the failure is %q, want %q", failure, want)
		}
	})
}
