package database

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestYieldWatch_hasMorePatienceWithBackgroundWrites(t *testing.T) {
	for _, c := range []struct {
		name                   string
		foreground, background int64
		want                   time.Duration // after this time it yields; 0 means never
	}{
		{"nobody waits", 0, 0, 0},
		{"a client waits", 1, 0, 100 * time.Millisecond},
		{"background work waits", 0, 3, 10 * time.Second},
		{"both wait", 2, 1, 100 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithTimeout(t.Context(), time.Hour)
				defer stop()
				var waiting waitingWrites
				waiting.foreground.Store(c.foreground)
				waiting.background.Store(c.background)
				w := yieldWatch{waiting: &waiting, patience: Patience{100 * time.Millisecond, 10 * time.Second}}
				began, yielded := time.Now(), time.Duration(0)
				w.run(ctx, func() { yielded = time.Since(began) })
				if yielded < c.want || yielded > c.want+2*yieldInterval {
					t.Errorf("it yields after %v, want %v", yielded, c.want)
				}
			})
		})
	}
}

// A write that comes after another one has ended has its own time to wait.
func TestYieldWatch_countsOnlyWritesThatStillWait(t *testing.T) {
	var waiting waitingWrites
	w := yieldWatch{waiting: &waiting, patience: Patience{time.Second, time.Second}}
	start := time.Unix(0, 0)
	for second, foreground := range []int64{1, 0, 1, 0} {
		waiting.foreground.Store(foreground)
		if w.mustYield(start.Add(time.Duration(second) * time.Second)) {
			t.Errorf("it yields after %d s", second)
		}
	}
	waiting.foreground.Store(1)
	if w.mustYield(start.Add(4*time.Second)) || !w.mustYield(start.Add(5*time.Second)) {
		t.Error("it does not yield after a write has waited for a second")
	}
}
