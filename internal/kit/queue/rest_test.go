package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/kit/database"
)

func TestRest_leavesALaneAloneAndThenTriesOneAtATime(t *testing.T) {
	each(t, func(r *rig) {
		var calls, running, good atomic.Int64
		var broken atomic.Bool
		broken.Store(true)
		q := r.node(Kind{Name: "kind", Slots: 4, Total: 16, Retries: []time.Duration{time.Hour}, Run: func(_ context.Context, t *Task) error {
			if t.Lane == "good" {
				good.Add(1)
				return nil
			}
			calls.Add(1)
			running.Add(1)
			defer running.Add(-1)
			if broken.Load() {
				return Rest(time.Minute, errors.New("refused"))
			}
			return nil
		}})
		const jobs = 40
		r.add(q, slices.Repeat([]Job{{Kind: "kind", Lane: "bad"}}, jobs)...)
		r.run(q)
		r.until("the lane rests", func() bool {
			return calls.Load() >= 1 && running.Load() == 0 && r.rows("jobs WHERE again") == int(calls.Load())
		})
		if n := calls.Load(); n > 4 {
			r.Errorf("%d attempts were made, with 4 slots", n)
		}
		failed := calls.Load()
		r.add(q, slices.Repeat([]Job{{Kind: "kind", Lane: "good"}}, 10)...)
		r.until("others go on", func() bool { return good.Load() == 10 })
		if n := calls.Load(); n != failed {
			r.Errorf("%d attempts were made while the lane rested", n-failed)
		}
		r.pass(time.Minute)
		r.until("one is tried", func() bool { return calls.Load() == failed+1 && r.rows("jobs WHERE again") == int(failed)+1 })
		broken.Store(false)
		r.pass(time.Minute)
		r.until("the rest is done", func() bool { return r.rows("jobs") == int(failed)+1 })
		if n := r.rows("jobs WHERE attempts > 1"); n > 0 {
			r.Errorf("%d jobs lost an attempt to the rest of their lane", n)
		}
	})
}

func TestHasten_runsWhatWaitsAtOnceThoughItsLaneRests(t *testing.T) {
	each(t, func(r *rig) {
		var broken atomic.Bool
		broken.Store(true)
		var l ledger
		q := r.node(Kind{Name: "kind", Slots: 4, Total: 16, Retries: []time.Duration{time.Hour}, Run: func(_ context.Context, t *Task) error {
			if broken.Load() {
				return Rest(time.Hour, errors.New("refused"))
			}
			l.note("%s %d", t.Payload, t.Attempt)
			return nil
		}})
		r.add(q, Job{Kind: "kind", Lane: "a", Unique: "failed", Payload: []byte("failed")}, Job{Kind: "kind", Lane: "a", Unique: "other", Payload: []byte("other"), DueAt: r.now().Add(time.Hour)})
		r.run(q)
		r.until("one has failed", func() bool { return r.rows("jobs WHERE again") == 1 })
		broken.Store(false)
		r.write(func(tx database.Querier) error {
			there, err := q.Hasten(r.Context(), tx, "kind", "a", []string{"failed", "nothing"})
			if len(there) != 1 || !there["failed"] {
				r.Errorf("there are %v", there)
			}
			return err
		})
		r.until("it is done", func() bool { return r.rows("jobs") == 1 })
		l.want(r.T, "failed 1") // all of its schedule is before it again
	})
}

// What Settle writes commits with the results, and each attempt is told of once it counts.
func TestSettle_tellsOfEveryAttemptInTheTransactionOfItsResult(t *testing.T) {
	each(t, func(r *rig) {
		var mu sync.Mutex
		told := map[string]int{}
		var faults atomic.Int64
		faults.Store(2)
		q := r.node(
			Kind{Name: "kind", Slots: 4, Total: 16, Retries: []time.Duration{time.Millisecond}, Run: func(_ context.Context, t *Task) error {
				t.Note = fmt.Sprintf("%s %d", t.Payload, t.Attempt)
				if string(t.Payload) == "fails" {
					return errors.New("refused")
				}
				return nil
			}, Settle: func(_ context.Context, _ database.Querier, outcomes []Outcome) error {
				if faults.Add(-1) >= 0 {
					return errors.New("the database is away")
				}
				mu.Lock()
				defer mu.Unlock()
				for _, o := range outcomes {
					told[fmt.Sprintf("%v: %v, again %v", o.Task.Note, o.Err, !o.Next.IsZero())]++
				}
				return nil
			}})
		r.add(q, Job{Kind: "kind", Lane: "a", Payload: []byte("succeeds")}, Job{Kind: "kind", Lane: "b", Payload: []byte("fails")})
		r.run(q)
		r.untilEmpty()
		r.until("it is counted", func() bool { s := q.Stats()[0]; return s.Done == 1 && s.Dead == 1 && s.Failed == 2 })
		mu.Lock()
		defer mu.Unlock()
		for _, want := range []string{"succeeds 1: <nil>, again false", "fails 1: refused, again true", "fails 2: refused, again false"} {
			if told[want] != 1 {
				r.Errorf("told of %v, not once of %q", told, want)
			}
		}
	})
}
