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

func TestPauseLane_stopsLaneThenProbesWithOneJob(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		var calls, running, good atomic.Int64
		var broken atomic.Bool
		broken.Store(true)

		q := f.node(bytesKind{Name: "kind", LaneSlots: 4, NodeSlots: 16, Retries: []time.Duration{time.Hour},
			Run: func(_ context.Context, t *bytesTask) error {
				if t.Lane == "good" {
					good.Add(1)
					return nil
				}

				calls.Add(1)
				running.Add(1)
				defer running.Add(-1)

				if broken.Load() {
					return PauseLane(time.Minute, errors.New("refused"))
				}

				return nil
			}})

		const jobs = 40
		f.add(q, slices.Repeat([]Job{{Kind: "kind", Lane: "bad"}}, jobs)...)
		f.run(q)
		f.Eventually("the lane is paused", func() bool {
			return calls.Load() >= 1 && running.Load() == 0 && f.Count("jobs WHERE again") == calls.Load()
		})

		// The jobs that were claimed with the first may still begin.
		f.add(q, slices.Repeat([]Job{{Kind: "kind", Lane: "good"}}, 10)...)
		f.Eventually("the other lane has run its jobs", func() bool { return good.Load() == 10 })
		f.Eventually("what had begun has ended",
			func() bool { return running.Load() == 0 && f.Count("jobs WHERE again") == calls.Load() })
		failed := calls.Load()
		if failed > 4 {
			f.Errorf("%d attempts were made before and during the pause, want at most 4, one a slot", failed)
		}

		f.Clock.Advance(time.Minute)
		f.Eventually("one job has probed the lane",
			func() bool { return calls.Load() == failed+1 && f.Count("jobs WHERE again") == failed+1 })
		broken.Store(false)
		f.Clock.Advance(time.Minute)
		f.Eventually("all jobs that never failed are done", func() bool { return f.Count("jobs") == failed+1 })

		if n := f.Count("jobs WHERE attempts > 1"); n > 0 {
			f.Errorf("%d jobs lost an attempt to the pause of their lane", n)
		}
	})
}

func TestRunNow_runsWaitingJobOfPausedLane(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		var broken atomic.Bool
		broken.Store(true)
		var rec recorder
		q := f.node(bytesKind{Name: "kind", LaneSlots: 4, NodeSlots: 16, Retries: []time.Duration{time.Hour},
			Run: func(_ context.Context, t *bytesTask) error {
				if broken.Load() {
					return PauseLane(time.Hour, errors.New("refused"))
				}
				rec.record("%s %d", t.Payload, t.Attempt)
				return nil
			}})
		f.add(q, Job{Kind: "kind", Lane: "a", UniqueName: "failed", Payload: []byte("failed")},
			Job{Kind: "kind", Lane: "a", UniqueName: "other", Payload: []byte("other"),
				DueAt: f.Clock.Now().Add(time.Hour)})
		f.run(q)
		f.Eventually("one job has failed", func() bool { return f.Count("jobs WHERE again") == 1 })
		broken.Store(false)
		f.WriteUnscoped(func(tx database.Querier) error {
			found, err := q.RunNow(f.Context(), tx, "kind", "a", []string{"failed", "nothing"})
			if len(found) != 1 || !found["failed"] {
				f.Errorf("found jobs %v, want only \"failed\"", found)
			}

			return err
		})
		f.Eventually("the job is done", func() bool { return f.Count("jobs") == 1 })
		rec.want(f, "failed 1") // payload and attempt: RunNow has reset the number of attempts
	})
}

// Writes of OnResults commit with the results, so each attempt must be reported once, although OnResults fails at
// first.
func TestOnResults_receivesEachAttemptOnce(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		var mu sync.Mutex
		received := map[string]int{}
		var failuresLeft atomic.Int64
		failuresLeft.Store(2)
		q := f.node()

		q.Register(
			Kind[[]byte, string]{Name: "kind", LaneSlots: 4, NodeSlots: 16, Retries: []time.Duration{time.Millisecond},
				Decode: decodeBytes,
				Run: func(_ context.Context, t *TaskOf[[]byte, string]) error {
					t.Output = fmt.Sprintf("%s %d", t.Payload, t.Attempt)
					if string(t.Payload) == "fails" {
						return errors.New("refused")
					}
					return nil
				}, OnResults: func(_ context.Context, _ database.Querier, outcomes []Outcome[[]byte, string]) error {
					if failuresLeft.Add(-1) >= 0 {
						return errors.New("the database is unavailable")
					}

					mu.Lock()
					defer mu.Unlock()

					for _, o := range outcomes {
						received[fmt.Sprintf("%s: %v, again %v", o.Task.Output, o.Err, !o.Next.IsZero())]++
					}

					return nil
				}})

		f.add(q, Job{Kind: "kind", Lane: "a", Payload: []byte("succeeds")},
			Job{Kind: "kind", Lane: "b", Payload: []byte("fails")})
		f.run(q)
		f.waitUntilNoJobs()
		f.Eventually("the statistics count the results",
			func() bool { s := q.Stats()[0]; return s.Done == 1 && s.Dead == 1 && s.Failed == 2 })
		mu.Lock()
		defer mu.Unlock()

		for _, want := range []string{"succeeds 1: <nil>, again false", "fails 1: refused, again true",
			"fails 2: refused, again false"} {
			if received[want] != 1 {
				f.Errorf("received %v, want %q once", received, want)
			}
		}
	})
}
