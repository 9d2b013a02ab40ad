package listener

import (
	"fmt"
	"testing"
)

func TestSeen_forgetsTheOldest(t *testing.T) {
	s := seen{times: map[string]int{}}
	for i := range 3 * remembered {
		if got := s.again(fmt.Sprint(i)); got != 1 {
			t.Fatalf("event %d came %d times", i, got)
		}
	}
	if got := s.again(fmt.Sprint(2 * remembered)); got != 2 {
		t.Errorf("the oldest that is remembered came %d times, want 2", got)
	}
	if got := s.again(fmt.Sprint(2*remembered - 1)); got != 1 {
		t.Errorf("one that is forgotten came %d times, want 1", got)
	}
	if len(s.times) != remembered || len(s.ids) != remembered {
		t.Errorf("%d and %d are remembered", len(s.times), len(s.ids))
	}
}
