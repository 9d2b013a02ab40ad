package storetest

import (
	"reflect"
	"testing"
	"time"
)

// patience is how long Eventually waits: far longer than any condition takes on a busy machine.
const patience = time.Minute

// The time between two calls of a condition is an eighth of the time waited so far, within these bounds. Most
// conditions hold soon; frequent calls for a condition that takes seconds would slow down other tests.
const (
	shortestInterval = time.Millisecond / 4
	longestInterval  = 25 * time.Millisecond
)

// Eventually calls ok again and again until it returns true. It fails the test if that takes longer than a
// minute. The argument what names the condition in the failure message. ok runs in the caller's goroutine and may end
// the test.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	if !poll(ok) {
		t.Fatalf("not within %s: %s", patience, what)
	}
}

// EventuallyEqual is like Eventually for the condition that a value equals want. The failure shows the last value.
func EventuallyEqual[T any](t testing.TB, what string, want T, value func() T) {
	t.Helper()
	var got T
	if !poll(func() bool { got = value(); return reflect.DeepEqual(got, want) }) {
		t.Fatalf("not within %s: %s %v, want %v", patience, what, got, want)
	}
}

// poll calls ok until it returns true or patience has passed, and returns its last result.
func poll(ok func() bool) bool {
	for start := time.Now(); !ok(); {
		waited := time.Since(start)
		if waited > patience {
			return false
		}
		time.Sleep(min(max(waited/8, shortestInterval), longestInterval))
	}
	return true
}
