package harness

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestWaitUntil(t *testing.T) {
	failure := errors.New("failure")
	for name, c := range map[string]struct {
		doneAt, failAt int // number of the call
		want           error
		calls          int
	}{
		"done at once":  {doneAt: 1, calls: 1},
		"done later":    {doneAt: 3, calls: 3},
		"failure":       {failAt: 2, want: failure, calls: 2},
		"never in time": {want: context.DeadlineExceeded, calls: 10},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				err := WaitUntil(t.Context(), "it is done", 9500*time.Millisecond, time.Second, func() (bool, error) {
					if calls++; calls == c.failAt {
						return false, failure
					}

					return calls == c.doneAt, nil
				})
				if !errors.Is(err, c.want) || calls != c.calls {
					t.Errorf("after %d calls waitUntil returned %v, want %v after %d", calls, err, c.want, c.calls)
				}
			})
		})
	}
}
