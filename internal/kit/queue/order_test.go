package queue

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"vitrine/internal/kit/database"
)

func TestInOrder_beginsNothingBehindAJobThatWaits(t *testing.T) {
	each(t, func(r *rig) {
		var l ledger
		kind := Kind{Name: "kind", InOrder: true, Slots: 1, Total: 4, Retries: []time.Duration{time.Hour, time.Hour},
			Run: func(_ context.Context, t *Task) error {
				name := t.Lane + string(t.Payload)
				l.note("%s %d", name, t.Attempt)
				if name == "a1" && t.Attempt == 1 || name == "a2" {
					return errors.New("refused")
				}
				return nil
			}}
		job := func(lane, payload string) Job { return Job{Kind: "kind", Lane: lane, Payload: []byte(payload)} }
		q := r.node(kind)
		stop := r.run(q)
		// waits expects that lane a waits for its next attempt, while another goes on.
		waits := func(other string) {
			r.Helper()
			r.until("the lane waits", func() bool { return r.rows(fmt.Sprintf("jobs WHERE again AND due_at > %d", r.now().UnixMicro())) == 1 })
			r.add(q, job("b", other))
			r.until("the other has run", func() bool { return r.rows("jobs WHERE lane = 'b'") == 0 })
		}
		r.add(q, job("a", "1"), job("a", "2"), job("a", "3"))
		waits("w")
		r.pass(2 * time.Hour)
		waits("x")
		stop()
		q = r.node(kind)
		r.run(q)
		waits("y")
		r.pass(2 * time.Hour)
		waits("z")
		r.pass(2 * time.Hour)
		r.untilEmpty()
		l.want(r.T, "a1 1", "bw 1", "a1 2", "a2 1", "bx 1", "by 1", "a2 2", "bz 1", "a2 3", "a3 1")
	})
}

// Nodes whose clocks differ add to one lane; a job that is asked for while it runs keeps its turn.
func TestInOrder_isTheOrderInWhichJobsWereAdded(t *testing.T) {
	each(t, func(r *rig) {
		var l ledger
		g := newGate()
		q := r.node(Kind{Name: "kind", InOrder: true, Slots: 1, Total: 1, Run: func(ctx context.Context, t *Task) error {
			l.note("%s", t.Payload)
			switch string(t.Payload) {
			case "returns":
				return g.pass(ctx)
			case "completes itself":
				if err := g.pass(ctx); err != nil {
					return err
				}
				return r.db.Write(ctx, func(tx database.Querier) error { return t.Complete(ctx, tx) })
			}
			return nil
		}})
		named := func(name string) Job { return Job{Kind: "kind", Unique: name, Payload: []byte(name)} }
		r.add(q, named("returns"))
		r.pass(-time.Hour)
		r.add(q, named("completes itself"))
		r.pass(-time.Hour)
		r.add(q, Job{Kind: "kind", Payload: []byte("last")})
		r.run(q)
		for _, name := range []string{"returns", "completes itself"} {
			g.await(r.T)
			r.add(q, named(name))
			g.goOn <- nil
			g.await(r.T)
			g.goOn <- nil
		}
		r.untilEmpty()
		l.want(r.T, "returns", "returns", "completes itself", "completes itself", "last")

		err := r.db.Write(r.Context(), func(tx database.Querier) error { return q.Add(r.Context(), tx, Job{Kind: "kind", DueAt: r.now()}) })
		if err == nil {
			r.Error("a job that begins in its turn was added with a time")
		}
	})
}

func TestRegister_givesALaneThatIsInOrderOneSlot(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a kind that is in order has two slots")
		}
	}()
	New(Deps{}, Kind{Name: "kind", InOrder: true, Slots: 2, Total: 2, Run: func(context.Context, *Task) error { return nil }})
}
