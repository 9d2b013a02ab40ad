package queue

import (
	"context"
	"errors"
	"testing"
	"time"

	"vitrine/internal/kit/database"
)

func TestInOrder_blocksLaneWhileJobWaitsForRetry(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		var rec recorder

		kind := bytesKind{Name: "kind", InOrder: true, LaneSlots: 1, NodeSlots: 4,
			Retries: []time.Duration{time.Hour, time.Hour},
			Run: func(_ context.Context, t *bytesTask) error {
				name := t.Lane + string(t.Payload)
				rec.record("%s %d", name, t.Attempt)
				if name == "a1" && t.Attempt == 1 || name == "a2" {
					return errors.New("refused")
				}
				return nil
			}}

		job := func(lane, payload string) Job { return Job{Kind: "kind", Lane: lane, Payload: []byte(payload)} }
		q := f.node(kind)
		stop := f.run(q)

		// waits checks that lane a waits for a retry, and that a job of lane b with the given payload can run then.
		waits := func(other string) {
			f.Helper()
			f.Eventually("lane a waits for its next attempt", func() bool {
				return f.Count("jobs WHERE again AND due_at > $1", f.Clock.Now().UnixMicro()) == 1
			})
			f.add(q, job("b", other))
			f.Eventually("the job of lane b has run", func() bool { return f.Count("jobs WHERE lane = 'b'") == 0 })
		}
		f.add(q, job("a", "1"), job("a", "2"), job("a", "3"))
		waits("w")
		f.Clock.Advance(2 * time.Hour)
		waits("x")
		stop()
		q = f.node(kind)
		f.run(q)
		waits("y")
		f.Clock.Advance(2 * time.Hour)
		waits("z")
		f.Clock.Advance(2 * time.Hour)
		f.waitUntilNoJobs()
		rec.want(f, "a1 1", "bw 1", "a1 2", "a2 1", "bx 1", "by 1", "a2 2", "bz 1", "a2 3", "a3 1")
	})
}

// Nodes with different clocks add to one lane. A job that is added again while it runs keeps its position.
func TestInOrder_runsJobsInOrderOfAddition(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		var rec recorder
		gate := newAttemptGate()

		q := f.node(bytesKind{Name: "kind", InOrder: true, LaneSlots: 1, NodeSlots: 1,
			Run: func(ctx context.Context, t *bytesTask) error {
				rec.record("%s", t.Payload)

				switch string(t.Payload) {
				case "returns":
					return gate.wait(ctx)
				case "completes itself":
					if err := gate.wait(ctx); err != nil {
						return err
					}
					return f.DB.Write(ctx, func(tx database.Querier) error { return t.Complete(ctx, tx) })
				}

				return nil
			}})

		named := func(name string) Job { return Job{Kind: "kind", UniqueName: name, Payload: []byte(name)} }
		f.add(q, named("returns"))
		f.Clock.Advance(-time.Hour)
		f.add(q, named("completes itself"))
		f.Clock.Advance(-time.Hour)
		f.add(q, Job{Kind: "kind", Payload: []byte("last")})
		f.run(q)

		for _, name := range []string{"returns", "completes itself"} {
			gate.waitForAttempt(f)
			f.add(q, named(name))
			gate.release <- nil
			gate.waitForAttempt(f)
			gate.release <- nil
		}

		f.waitUntilNoJobs()
		rec.want(f, "returns", "returns", "completes itself", "completes itself", "last")

		err := f.DB.Write(f.Context(),
			func(tx database.Querier) error {
				return q.Add(f.Context(), tx, Job{Kind: "kind", DueAt: f.Clock.Now()})
			})
		if err == nil {
			f.Error("a job of an ordered kind was added with a DueAt")
		}
	})
}

func TestRegister_refusesSeveralSlotsForOrderedKind(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an ordered kind with two slots was registered")
		}
	}()
	New(Deps{}, bytesKind{Name: "kind", InOrder: true, LaneSlots: 2, NodeSlots: 2,
		Decode: decodeBytes, Run: func(context.Context, *bytesTask) error { return nil }})
}
