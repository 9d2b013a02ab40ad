package queue

import (
	"context"
	"slices"
	"testing"
	"time"

	"vitrine/internal/kit/database"
)

// idleKind is a kind whose jobs stay in the database, since the tests do not run the queue.
func idleKind(name string) bytesKind {
	return bytesKind{Name: name, LaneSlots: 1, NodeSlots: 1, Timeout: time.Second,
		Run: func(context.Context, *bytesTask) error { return nil }}
}

// The jobs of an ordered kind have no due time of their own.
func TestStats_showTheOldestJobOfAnOrderedKind(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		now := f.Clock.Now()
		f.Clock.Set(now)
		ordered := idleKind("ordered")
		ordered.InOrder = true
		q := f.node(ordered)
		f.add(q, Job{Kind: "ordered", Lane: "a"})
		f.Clock.Advance(time.Minute)
		if err := q.updateJobCounts(f.Context()); err != nil {
			f.Fatal(err)
		}
		if got, want := q.Stats()[0].OldestDue, now.UTC().Truncate(time.Microsecond); !got.Equal(want) {
			t.Errorf("the oldest job is of %v, want %v", got, want)
		}
	})
}

func TestStats_showTheOldestJobs(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		now := f.Clock.Now()
		f.Clock.Set(now)
		q := f.node(idleKind("early"), idleKind("late"), idleKind("none"))
		job := func(kind, lane string, due time.Duration) Job {
			return Job{Kind: kind, Lane: lane, DueAt: f.Clock.Now().Add(due)}
		}
		f.add(q, job("early", "b", 0), job("late", "x", time.Hour))
		f.Clock.Advance(time.Minute)
		f.add(q, job("early", "a", 0), job("early", "b", 0))
		f.Clock.Advance(time.Minute)

		if err := q.updateJobCounts(f.Context()); err != nil {
			f.Fatal(err)
		}

		at := now.UTC().Truncate(time.Microsecond)
		for i, want := range []Stats{{Kind: "early", Jobs: 3, OldestDue: at}, {Kind: "late", Jobs: 1}, {Kind: "none"}} {
			if got := q.Stats()[i]; got != want {
				t.Errorf("the statistics are %+v, want %+v", got, want)
			}
		}

		want := []LaneAge{{"b", at, "early"}, {"a", at.Add(time.Minute), "early"}}
		if got := q.OldestLanes("early"); !slices.Equal(got, want) {
			t.Errorf("the oldest lanes are %v, want %v", got, want)
		}
		if got := q.OldestLanes("none"); len(got) != 0 {
			t.Errorf("a kind without jobs has the lanes %v", got)
		}
	})
}

// The number of jobs that are looked at is bounded.
func TestOldestJobs_readsALimitedNumber(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		q := f.node(idleKind("kind"))
		f.add(q, Job{Kind: "kind", Lane: "a"}, Job{Kind: "kind", Lane: "a"}, Job{Kind: "kind", Lane: "b"})
		for limit, want := range map[int]int{2: 1, 3: 2} {
			var lanes []LaneAge
			err := f.DB.Read(f.Context(), func(q database.Querier) (err error) {
				lanes, err = oldestJobs(f.Context(), q, limit)
				return err
			})
			if err != nil || len(lanes) != want {
				t.Errorf("with a limit of %d jobs there are the lanes %v, %v; want %d", limit, lanes, err, want)
			}
		}
	})
}
