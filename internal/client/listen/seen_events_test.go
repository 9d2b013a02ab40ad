package listen

import (
	"fmt"
	"testing"
)

func TestSeenEvents_forgetsOldest(t *testing.T) {
	s := seenEvents{counts: map[string]int{}}
	for i := range 3 * maxSeenEvents {
		if got := s.add(fmt.Sprint(i)); got != 1 {
			t.Fatalf("event %d is counted %d times, want 1", i, got)
		}
	}
	if got := s.add(fmt.Sprint(2 * maxSeenEvents)); got != 2 {
		t.Errorf("the oldest remembered event is counted %d times, want 2", got)
	}
	if got := s.add(fmt.Sprint(2*maxSeenEvents - 1)); got != 1 {
		t.Errorf("a forgotten event is counted %d times, want 1", got)
	}
	if len(s.counts) != maxSeenEvents || len(s.ids) != maxSeenEvents {
		t.Errorf("%d counts and %d ids are remembered", len(s.counts), len(s.ids))
	}
}
