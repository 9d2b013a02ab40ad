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
	"vitrine/internal/testkit/databasetest"
)

// A node that is killed gives nothing back. On SQLite the next one goes on at once, on PostgreSQL when its lease has ended; what the first one does
// after that is refused.
func TestRun_takesOverWhatADeadNodeHad(t *testing.T) {
	each(t, func(r *rig) {
		tasks := make(chan *Task, 10)
		var hangs atomic.Bool
		hangs.Store(true)
		kind := Kind{Name: "kind", Slots: 2, Total: 2, Retries: []time.Duration{time.Hour}, Run: func(ctx context.Context, t *Task) error {
			tasks <- t
			if hangs.Load() {
				<-ctx.Done()
				return ctx.Err()
			}
			return r.db.Write(ctx, func(tx database.Querier) error { return t.Complete(ctx, tx) })
		}}
		dead := r.node(kind)
		dead.timings.renewInterval = time.Hour
		r.run(dead)
		r.add(dead, Job{Kind: "kind", Lane: "a"}, Job{Kind: "kind", Lane: "a"})
		old := []*Task{<-tasks, <-tasks}
		r.write(func(tx database.Querier) error { return old[0].Fence(r.Context(), tx) })

		hangs.Store(false)
		heir := r.node(kind)
		r.run(heir)
		if r.db.Engine() == database.Postgres {
			r.add(heir, Job{Kind: "kind", Lane: "b"})
			if t := <-tasks; t.Lane != "b" {
				r.Error("a node took a lane whose lease had not ended")
			}
			r.pass(dead.timings.leaseDuration)
		}
		r.untilEmpty()
		again := []*Task{<-tasks, <-tasks}
		for _, t := range again {
			if t.Attempt != 1 || t.Lane != "a" {
				r.Errorf("the heir made attempt %d in lane %s", t.Attempt, t.Lane)
			}
		}

		r.add(heir, Job{Kind: "kind", Lane: "other", DueAt: r.now().Add(time.Hour)})
		for name, fn := range map[string]func(context.Context, database.Querier) error{"Fence": old[0].Fence, "Complete": old[1].Complete} {
			err := r.db.Write(r.Context(), func(tx database.Querier) error {
				_, err := tx.Exec(r.Context(), "DELETE FROM jobs")
				return errors.Join(err, fn(r.Context(), tx))
			})
			if !errors.Is(err, ErrLost) || r.rows("jobs") != 1 {
				r.Errorf("%s of a node that lost its lane: %v, and %d jobs", name, err, r.rows("jobs"))
			}
		}
		// It notices by itself, gives up what it was doing, and goes on as another node.
		if err := dead.renewLease(r.Context()); err != nil {
			r.Fatal(err)
		}
		r.until("the first node has ended its attempts", func() bool { return dead.Stats()[0].Running == 0 })
		if n := r.rows("nodes"); n != 2 {
			r.Errorf("%d nodes are registered", n)
		}
	})
}

func TestRun_sharesLanesBetweenNodes(t *testing.T) {
	r := &rig{t, databasetest.Open(t, database.Postgres), &atomic.Int64{}}
	var mu sync.Mutex
	at := map[string]int{} // who works on a lane
	var ran, clashes atomic.Int64
	work := func(node int) Kind {
		return Kind{Name: "kind", Slots: 1, Total: 8, Run: func(_ context.Context, t *Task) error {
			mu.Lock()
			if other, taken := at[t.Lane]; taken && other != node {
				clashes.Add(1)
			}
			at[t.Lane] = node
			mu.Unlock()
			time.Sleep(time.Millisecond)
			mu.Lock()
			delete(at, t.Lane)
			mu.Unlock()
			ran.Add(1)
			return nil
		}}
	}
	const lanes = 6
	added := int64(0)
	first, second := r.node(work(1)), r.node(work(2))
	more := func() {
		var all []Job
		for i := range 10 * lanes {
			all = append(all, Job{Kind: "kind", Lane: fmt.Sprint(i % lanes)})
		}
		r.add(first, all...)
		added += int64(len(all))
	}
	more()
	stop := r.run(first)
	r.until("the first node has everything", func() bool { return first.Stats()[0].Lanes == lanes })
	r.run(second)
	r.until("the second has its share", func() bool {
		if r.rows("jobs") < 10*lanes {
			more() // no lane is idle, and yet some go over
		}
		return second.Stats()[0].Lanes == lanes/2 && first.Stats()[0].Lanes == lanes/2
	})
	stop()
	r.untilEmpty()
	if ran.Load() != added || clashes.Load() > 0 {
		t.Errorf("%d attempts at %d jobs, %d while another node was at the same lane", ran.Load(), added, clashes.Load())
	}
}
