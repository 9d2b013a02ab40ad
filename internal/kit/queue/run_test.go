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

func TestRun_runsEachJobOnceAndReleasesLanes(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		var mu sync.Mutex
		ran := map[string]int{}
		q := f.node(bytesKind{Name: "kind", LaneSlots: 4, NodeSlots: 16,
			Run: func(_ context.Context, t *bytesTask) error {
				mu.Lock()
				defer mu.Unlock()
				ran[t.Lane+" "+string(t.Payload)]++
				return nil
			}})
		const lanes, jobs = 8, 30
		var all []Job
		for i := range lanes * jobs {
			all = append(all, Job{Kind: "kind", Lane: fmt.Sprint(i % lanes), Payload: fmt.Append(nil, i)})
		}

		f.add(q, all[:200]...)
		stop := f.run(q)
		f.add(q, all[200:]...)
		f.waitUntilNoJobs()
		f.Eventually("the statistics count all jobs",
			func() bool { return q.Stats()[0].Jobs == 0 && q.Stats()[0].Done == lanes*jobs })

		if st := q.Stats()[0]; st.Kind != "kind" || st.Lanes != lanes || st.Failed != 0 {
			f.Errorf("statistics are %+v", st)
		}

		stop()
		if len(ran) != lanes*jobs {
			f.Errorf("%d jobs ran, want %d", len(ran), lanes*jobs)
		}

		for job, n := range ran {
			if n != 1 {
				f.Errorf("job %s ran %d times", job, n)
			}
		}

		if f.Count("lanes")+f.Count("nodes") > 0 {
			f.Error("a stopped node left rows in lanes or nodes")
		}
	})
}

func TestRun_retriesUntilSuccessOrEndOfSchedule(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		var rec recorder
		soon := []time.Duration{time.Millisecond, time.Millisecond}
		refused := errors.New("refused")

		q := f.node(
			bytesKind{Name: "kind", LaneSlots: 1, NodeSlots: 1, Retries: soon, Timeout: time.Minute,
				Run: func(ctx context.Context, t *bytesTask) error {
					if _, limited := ctx.Deadline(); !limited {
						rec.record("no deadline")
					}

					rec.record("%s %d", t.Lane, t.Attempt)

					switch t.Lane {
					case "recovers":
						if t.Attempt == 2 {
							return nil
						}
					case "panics":
						if t.Attempt == 1 {
							panic("at the first attempt")
						}
						return nil
					case "hopeless":
						return Abort(refused)
					}

					return RetryAfter(2*time.Millisecond, refused)
				},
				OnDead: func(_ context.Context, _ database.Querier, t *bytesTask, cause error) error {
					rec.record("%s is dead: %v", t.Lane, cause)
					return nil
				}})

		f.run(q)

		for lane, want := range map[string][]string{
			"recovers": {"recovers 1", "recovers 2"},
			"panics":   {"panics 1", "panics 2"},
			"hopeless": {"hopeless 1", "hopeless is dead: refused"},
			"fails":    {"fails 1", "fails 2", "fails 3", "fails is dead: refused"},
		} {
			rec = recorder{}
			f.add(q, Job{Kind: "kind", Lane: lane})
			f.waitUntilNoJobs()
			rec.want(f, want...)
		}
	})
}

func TestRun_givesUpJobInTransactionOfOnDead(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		var rec recorder
		var fails atomic.Int64
		var q *Queue

		q = f.node(
			bytesKind{Name: "call", LaneSlots: 1, NodeSlots: 1,
				Run: func(context.Context, *bytesTask) error { return errors.New("refused") },
				OnDead: func(ctx context.Context, tx database.Querier, t *bytesTask, cause error) error {
					if err := q.Add(ctx, tx, Job{Kind: "mail", Payload: []byte(cause.Error())}); err != nil {
						return err
					}

					switch fails.Add(1) {
					case 1:
						return errors.New("OnDead fails")
					case 2:
						panic("OnDead panics")
					}

					return nil
				}},
			bytesKind{Name: "mail", LaneSlots: 1, NodeSlots: 1, Run: func(_ context.Context, t *bytesTask) error {
				rec.record("%s", t.Payload)
				return nil
			}})

		f.run(q)
		f.add(q, Job{Kind: "call"})

		for n := range int64(2) {
			f.Eventually("the job waits for its last attempt again", func() bool {
				return fails.Load() == n+1 &&
					f.Count("jobs WHERE again AND due_at > $1", f.Clock.Now().UnixMicro()) == 1
			})
			rec.want(f)
			f.Clock.Advance(deadRetryDelay)
		}

		f.waitUntilNoJobs()
		rec.want(f, "refused")
	})
}

func TestRun_hangingLaneDelaysNoOtherLane(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		var good atomic.Int64

		q := f.node(bytesKind{Name: "kind", LaneSlots: 3, NodeSlots: 8,
			Run: func(ctx context.Context, t *bytesTask) error {
				if t.Lane != "good" {
					<-ctx.Done()
					return ctx.Err()
				}
				good.Add(1)
				return nil
			}})

		// The hanging lanes come first and have more jobs than the buffers hold.
		f.add(q, slices.Repeat([]Job{{Kind: "kind", Lane: "dead"}, {Kind: "kind", Lane: "another"},
			{Kind: "kind", Lane: "a third"}}, 40)...)
		stop := f.run(q)
		f.Eventually("the hanging lanes use all slots but the reserve",
			func() bool { return q.Stats()[0].Running == 7 })
		f.add(q, slices.Repeat([]Job{{Kind: "kind", Lane: "good"}}, 40)...)
		f.Eventually("the jobs of lane good have run", func() bool { return good.Load() == 40 })
		stop()

		if n := f.Count("jobs WHERE attempts = 0 AND lane <> 'good'"); n != 120 {
			f.Errorf("%d of the jobs that hung until shutdown are unchanged, want 120", n)
		}
	})
}
