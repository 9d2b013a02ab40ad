package storetest

import (
	"testing"
	"time"
)

// patience is how long Eventually waits: far longer than any condition takes on a busy machine.
const patience = time.Minute

// Eventually calls ok every few milliseconds until it returns true. It fails the test if that takes longer than a
// minute; what names the condition in the failure. ok runs in the caller's goroutine and may end the test.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}
