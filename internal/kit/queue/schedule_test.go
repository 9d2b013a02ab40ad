package queue

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// script drives a crew without a database: its words are what begins, in order.
type script struct {
	*kindState
	key int64
}

func newScript(slots, total int) *script {
	return &script{kindState: newKindState(Kind{Name: "kind", Slots: slots, Total: total})}
}

func (s *script) offer(name string, first, retries int) {
	l := s.lanes[name]
	if l == nil {
		l = s.addLane(context.Background(), lease{laneName: laneName{"kind", name}})
	}
	for i := range first + retries {
		s.key++
		l.addTask(&Task{Lane: name, key: s.key, isRetry: i >= first, lane: l})
	}
}

// beginAll begins what can begin: the lanes in order, with ' behind retries.
func (s *script) beginAll() string {
	var words []string
	for t := s.startNext(); t != nil; t = s.startNext() {
		word := t.Lane
		if t.isRetry {
			word += "'"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func (s *script) wantBegin(t *testing.T, want string) {
	t.Helper()
	if got := s.beginAll(); got != want {
		t.Errorf("began %q, want %q", got, want)
	}
}

func (s *script) endOne(name string) { s.releaseSlot(s.lanes[name]) }

func TestBegin_servesLanesInTurnWithinTheirSlots(t *testing.T) {
	s := newScript(2, 100)
	s.offer("a", 5, 0)
	s.offer("b", 1, 0)
	s.offer("c", 3, 0)
	s.wantBegin(t, "a b c a c")
	s.wantBegin(t, "")
	s.endOne("c")
	s.endOne("b")
	s.wantBegin(t, "c")
	s.endOne("a")
	s.endOne("a")
	s.wantBegin(t, "a a")
}

func TestBegin_putsFirstAttemptsBeforeRetries(t *testing.T) {
	s := newScript(20, 20)
	s.offer("a", 0, 2)
	s.offer("a", 3, 0)
	s.wantBegin(t, "a a a a' a'")

	t.Run("and gives retries every ninth turn where first attempts never end", func(t *testing.T) {
		s := newScript(20, 20)
		s.offer("b", 17, 3)
		s.wantBegin(t, "b b b b b b b b b' b b b b b b b b b' b b'")
	})
}

func TestBegin_keepsToTheTotalAndServesWhoeverHasFewest(t *testing.T) {
	s := newScript(3, 4)
	s.offer("dead", 100, 0)
	s.offer("good", 100, 0)
	// Four in all, the last of which waits for a lane with nothing running.
	s.wantBegin(t, "dead good dead")
	s.offer("late", 100, 0)
	s.wantBegin(t, "late")
	// Whatever ends, dead never gets more than its part while the others are quick.
	counts := map[string]int{}
	for range 50 {
		for _, name := range []string{"good", "late"} {
			s.endOne(name)
			for _, w := range strings.Fields(s.beginAll()) {
				counts[w]++
			}
		}
	}
	if counts["dead"] > 0 || counts["good"] < 45 || counts["late"] < 45 {
		t.Errorf("beside two hanging jobs there began %v", counts)
	}
	if s.running > s.Total {
		t.Errorf("%d run, of %d", s.running, s.Total)
	}
}

func TestBegin_usesEverySlotWhereLanesShareNothing(t *testing.T) {
	s := newScript(4, 4)
	s.offer("only", 9, 0)
	s.wantBegin(t, "only only only only")
}

func TestLose_beginsNothingMoreAndEndsContexts(t *testing.T) {
	s := newScript(2, 100)
	s.offer("a", 9, 0)
	s.wantBegin(t, "a a")
	a := s.lanes["a"]
	s.dropLane(a, ErrLost)
	if !errors.Is(context.Cause(a.ctx), ErrLost) || s.buffered != 0 || len(a.inMemory) != 2 {
		t.Errorf("cause %v, %d in memory, %d known", context.Cause(a.ctx), s.buffered, len(a.inMemory))
	}
	s.releaseSlot(a)
	s.releaseSlot(a)
	s.wantBegin(t, "")
	if s.running != 0 || len(s.lanes) != 0 {
		t.Errorf("%d run in %d lanes", s.running, len(s.lanes))
	}
}
