package queue

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// scheduler drives a kindState without a database.
type scheduler struct {
	*kindState
	key int64
}

func newScheduler(slots, total int) *scheduler {
	return &scheduler{kindState: newKindState(kindConfig{name: "kind", laneSlots: slots, nodeSlots: total})}
}

func (s *scheduler) addTasks(name string, first, retries int) {
	l := s.lanes[name]
	if l == nil {
		l = s.addLane(context.Background(), lease{laneName: laneName{"kind", name}})
	}
	for i := range first + retries {
		s.key++
		l.addTask(&Task{Lane: name, key: s.key, isRetry: i >= first, lane: l})
	}
}

// startAll starts all jobs that can start, and returns their lanes in order. A retry is marked with an apostrophe.
func (s *scheduler) startAll() string {
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

func (s *scheduler) wantStarted(t *testing.T, want string) {
	t.Helper()
	if got := s.startAll(); got != want {
		t.Errorf("started %q, want %q", got, want)
	}
}

func (s *scheduler) endAttempt(name string) { s.releaseSlot(s.lanes[name]) }

func TestStartNext_servesLanesRoundRobinWithinSlots(t *testing.T) {
	s := newScheduler(2, 100)
	s.addTasks("a", 5, 0)
	s.addTasks("b", 1, 0)
	s.addTasks("c", 3, 0)
	s.wantStarted(t, "a b c a c")
	s.wantStarted(t, "")
	s.endAttempt("c")
	s.endAttempt("b")
	s.wantStarted(t, "c")
	s.endAttempt("a")
	s.endAttempt("a")
	s.wantStarted(t, "a a")
}

func TestStartNext_prefersFirstAttemptsToRetries(t *testing.T) {
	s := newScheduler(20, 20)
	s.addTasks("a", 0, 2)
	s.addTasks("a", 3, 0)
	s.wantStarted(t, "a a a a' a'")

	t.Run("gives every ninth turn to a retry", func(t *testing.T) {
		s := newScheduler(20, 20)
		s.addTasks("b", 17, 3)
		s.wantStarted(t, "b b b b b b b b b' b b b b b b b b b' b b'")
	})
}

func TestStartNext_respectsTotalAndServesLeastBusyLane(t *testing.T) {
	s := newScheduler(3, 4)
	s.addTasks("dead", 100, 0)
	s.addTasks("good", 100, 0)

	// Of the four slots, the last one is reserved for a lane with no running job.
	s.wantStarted(t, "dead good dead")
	s.addTasks("late", 100, 0)
	s.wantStarted(t, "late")

	// Lane dead does not get more slots as long as the other lanes finish quickly.
	counts := map[string]int{}
	for range 50 {
		for _, name := range []string{"good", "late"} {
			s.endAttempt(name)
			for _, w := range strings.Fields(s.startAll()) {
				counts[w]++
			}
		}
	}

	if counts["dead"] > 0 || counts["good"] < 45 || counts["late"] < 45 {
		t.Errorf("beside two hanging jobs of lane dead started %v", counts)
	}
	if s.running > s.nodeSlots {
		t.Errorf("%d jobs run, want at most %d", s.running, s.nodeSlots)
	}
}

func TestStartNext_reservesNoSlotsWhenLaneMayUseAll(t *testing.T) {
	s := newScheduler(4, 4)
	s.addTasks("only", 9, 0)
	s.wantStarted(t, "only only only only")
}

func TestDropLane_startsNothingMoreAndCancelsContexts(t *testing.T) {
	s := newScheduler(2, 100)
	s.addTasks("a", 9, 0)
	s.wantStarted(t, "a a")
	a := s.lanes["a"]
	s.dropLane(a, ErrLost)
	if !errors.Is(context.Cause(a.ctx), ErrLost) || s.buffered != 0 || len(a.inMemory) != 2 {
		t.Errorf("cause %v, %d jobs buffered, %d in memory; want ErrLost, 0 and 2", context.Cause(a.ctx), s.buffered,
			len(a.inMemory))
	}
	s.releaseSlot(a)
	s.releaseSlot(a)
	s.wantStarted(t, "")
	if s.running != 0 || len(s.lanes) != 0 {
		t.Errorf("%d jobs run in %d lanes, want none", s.running, len(s.lanes))
	}
}
