package database

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestYieldWatch_hasMorePatienceWithOwnAndBackgroundWrites(t *testing.T) {
	for _, c := range []struct {
		name                    string
		others, own, background int
		want                    time.Duration // after this time it yields; 0 means never
	}{
		{"nobody waits", 0, 0, 0, 0},
		{"a client of another store waits", 1, 0, 0, 100 * time.Millisecond},
		{"a client of the same store waits", 0, 2, 0, time.Second},
		{"background work waits", 0, 0, 3, 10 * time.Second},
		{"all wait", 2, 1, 1, 100 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithTimeout(t.Context(), time.Hour)
				defer stop()

				var waiting waitingWrites
				waiting.add(&writeJob{owner: "other store"}, c.others)
				waiting.add(&writeJob{owner: "store"}, c.own)
				waiting.add(&writeJob{owner: "store", background: true}, c.background)
				w := yieldWatch{waiting: &waiting, owner: "store",
					patience: Patience{100 * time.Millisecond, time.Second, 10 * time.Second}}
				began := time.Now()
				yielded := time.Duration(0)
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
	t.Parallel()
	var waiting waitingWrites
	w := yieldWatch{waiting: &waiting, patience: Patience{time.Second, time.Second, time.Second}}
	start := time.Unix(0, 0)
	for second, delta := range []int{1, -1, 1, -1} {
		waiting.add(&writeJob{}, delta)
		if w.mustYield(start.Add(time.Duration(second) * time.Second)) {
			t.Errorf("it yields after %d s", second)
		}
	}
	waiting.add(&writeJob{}, 1)
	if w.mustYield(start.Add(4*time.Second)) || !w.mustYield(start.Add(5*time.Second)) {
		t.Error("it does not yield after a write has waited for a second")
	}
}
