package listener

import (
	"fmt"
	"testing"
)

func TestSeenEvents_forgetsOldest(t *testing.T) {
	s := seenEvents{counts: map[string]int{}}
	for i := range 3 * maxSeenEvents {
		if got := s.add(fmt.Sprint(i)); got != 1 {
			t.Fatalf("event %d came %d times", i, got)
		}
	}
	if got := s.add(fmt.Sprint(2 * maxSeenEvents)); got != 2 {
		t.Errorf("the oldest that is remembered came %d times, want 2", got)
	}
	if got := s.add(fmt.Sprint(2*maxSeenEvents - 1)); got != 1 {
		t.Errorf("one that is forgotten came %d times, want 1", got)
	}
	if len(s.counts) != maxSeenEvents || len(s.ids) != maxSeenEvents {
		t.Errorf("%d and %d are remembered", len(s.counts), len(s.ids))
	}
}
