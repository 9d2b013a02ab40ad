package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/storetest"
)

// A killed node releases nothing. On SQLite the next process takes its lanes over at once, on PostgreSQL after the
// lease has expired. Later writes of the first node are refused.
func TestRun_takesOverLanesOfDeadNode(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		tasks := make(chan *bytesTask, 10)
		var hangs atomic.Bool
		hangs.Store(true)

		kind := bytesKind{Name: "kind", LaneSlots: 2, NodeSlots: 2, Retries: []time.Duration{time.Hour},
			Run: func(ctx context.Context, t *bytesTask) error {
				tasks <- t
				if hangs.Load() {
					<-ctx.Done()
					return ctx.Err()
				}
				return f.DB.Write(ctx, func(tx database.Querier) error { return t.Complete(ctx, tx) })
			}}

		dead := f.node(kind)
		dead.timings.renewInterval = time.Hour
		f.run(dead)
		f.add(dead, Job{Kind: "kind", Lane: "a"}, Job{Kind: "kind", Lane: "a"})
		old := []*bytesTask{<-tasks, <-tasks}
		f.WriteUnscoped(func(tx database.Querier) error { return old[0].Fence(f.Context(), tx) })

		hangs.Store(false)
		successor := f.node(kind)
		f.run(successor)
		if f.DB.Engine() == database.Postgres {
			f.add(successor, Job{Kind: "kind", Lane: "b"})
			if t := <-tasks; t.Lane != "b" {
				f.Error("a node claimed a lane whose lease had not expired")
			}
			f.Clock.Advance(dead.timings.leaseDuration)
		}

		f.waitUntilNoJobs()
		repeated := []*bytesTask{<-tasks, <-tasks}
		for _, t := range repeated {
			if t.Attempt != 1 || t.Lane != "a" {
				f.Errorf("the second node made attempt %d in lane %s, want attempt 1 in lane a", t.Attempt, t.Lane)
			}
		}

		f.add(successor, Job{Kind: "kind", Lane: "other", DueAt: f.Clock.Now().Add(time.Hour)})

		for name, fn := range map[string]func(context.Context, database.Querier) error{"Fence": old[0].Fence,
			"Complete": old[1].Complete} {
			err := f.DB.Write(f.Context(), func(tx database.Querier) error {
				_, err := tx.Exec(f.Context(), "DELETE FROM jobs")
				return errors.Join(err, fn(f.Context(), tx))
			})
			if !errors.Is(err, ErrLost) || f.Count("jobs") != 1 {
				f.Errorf("%s of a node that lost its lane returned %v with %d jobs left, want ErrLost and 1", name, err,
					f.Count("jobs"))
			}
		}

		// The first node notices the loss at its next renewal, cancels its attempts, and registers under a new id.
		if err := dead.membership.renewLease(f.Context()); err != nil {
			f.Fatal(err)
		}

		f.Eventually("the first node has ended its attempts", func() bool { return dead.Stats()[0].Running == 0 })
		if n := f.Count("nodes"); n != 2 {
			f.Errorf("%d nodes are registered, want 2", n)
		}
	})
}

func TestRun_sharesLanesBetweenNodes(t *testing.T) {
	f := newFixture(storetest.Open(t, database.Postgres))
	var mu sync.Mutex
	at := map[string]int{} // the node that works on each lane
	var ran, clashes atomic.Int64

	work := func(node int) bytesKind {
		return bytesKind{Name: "kind", LaneSlots: 1, NodeSlots: 8, Light: true,
			Run: func(_ context.Context, t *bytesTask) error {
				mu.Lock()
				if other, taken := at[t.Lane]; taken && other != node {
					clashes.Add(1)
				}

				at[t.Lane] = node
				mu.Unlock()
				time.Sleep(time.Millisecond) // time in which another node would clash with this one
				mu.Lock()
				delete(at, t.Lane)
				mu.Unlock()
				ran.Add(1)

				return nil
			}}
	}

	const lanes = 6
	added := int64(0)
	first, second := f.node(work(1)), f.node(work(2))
	more := func() {
		var all []Job
		for i := range 10 * lanes {
			all = append(all, Job{Kind: "kind", Lane: fmt.Sprint(i % lanes)})
		}
		f.add(first, all...)
		added += int64(len(all))
	}
	more()
	stop := f.run(first)
	f.Eventually("the first node has all lanes", func() bool { return first.Stats()[0].Lanes == lanes })
	f.run(second)
	f.Eventually("each node has half of the lanes", func() bool {
		if f.Count("jobs") < 10*lanes {
			more() // keep all lanes busy: they must be handed over although none becomes idle
		}
		return second.Stats()[0].Lanes == lanes/2 && first.Stats()[0].Lanes == lanes/2
	})
	stop()
	f.waitUntilNoJobs()

	if ran.Load() != added || clashes.Load() > 0 {
		t.Errorf("%d attempts at %d jobs, %d of them while another node worked on the same lane", ran.Load(), added,
			clashes.Load())
	}
}
