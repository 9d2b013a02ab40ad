package queue

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/storetest"
)

func TestWriteResults_dropsResultsOfLostLane(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		gate := newAttemptGate()
		q := f.node(bytesKind{Name: "kind", LaneSlots: 2, NodeSlots: 2, Retries: []time.Duration{time.Hour},
			Run: func(ctx context.Context, _ *bytesTask) error { return gate.wait(ctx) }})
		f.run(q)
		f.add(q, Job{Kind: "kind"}, Job{Kind: "kind"})
		gate.waitForAttempt(f)
		gate.waitForAttempt(f)
		f.WriteUnscoped(func(tx database.Querier) error {
			var other nodeID
			if err := insertNode(f.Context(), tx, other, f.Clock.Now().Add(time.Hour), ""); err != nil {
				return err
			}
			_, err := tx.Exec(f.Context(), "UPDATE lanes SET node = $1", other)
			return err
		})
		gate.release <- nil
		gate.release <- errors.New("refused")
		f.Eventually("the node has dropped the lane",
			func() bool { st := q.Stats()[0]; return st.Lanes == 0 && st.Running == 0 })

		if n := f.Count("jobs WHERE attempts = 0 AND NOT again"); n != 2 {
			f.Errorf("%d of two jobs are unchanged, want both", n)
		}
	})
}

// A push locks its product before it adds the download job again. OnDead of that download locks the product too, so it
// must run before the job row is locked.
func TestRemoveDeadJob_locksDomainRowsBeforeJob(t *testing.T) {
	f := newFixture(storetest.Open(t, database.Postgres))
	named := Job{Kind: "kind", UniqueName: "name"}
	var q *Queue
	var rec recorder

	q = f.node(bytesKind{Name: "kind", LaneSlots: 1, NodeSlots: 1,
		Run: func(context.Context, *bytesTask) error {
			rec.record("attempt")
			return errors.New("refused")
		},
		OnDead: func(ctx context.Context, tx database.Querier, t *bytesTask, _ error) error {
			if len(rec.all()) == 1 { // another transaction adds the job again just before it is given up
				f.WriteUnscoped(func(other database.Querier) error {
					if free, err := lockJobs(ctx, other, []int64{t.key}); err != nil || len(free) != 1 {
						f.Errorf("the job is locked before OnDead: lockJobs returned %v, %v", free, err)
						return err
					}
					return q.Add(ctx, other, named)
				})
			}

			return q.Add(ctx, tx, Job{Kind: "follow-up"})
		}},
		bytesKind{Name: "follow-up", LaneSlots: 1, NodeSlots: 1, Run: func(context.Context, *bytesTask) error {
			rec.record("follow-up")
			return nil
		}})

	f.run(q)
	f.add(q, named)
	f.waitUntilNoJobs()
	rec.want(t, "attempt", "attempt", "follow-up")
}

// A transaction that adds an existing job again holds its row lock until it ends, which may take long.
func TestWriteResults_skipsLockedJob(t *testing.T) {
	f := newFixture(storetest.Open(t, database.Postgres))
	gate := newAttemptGate()
	q := f.node(bytesKind{Name: "kind", LaneSlots: 9, NodeSlots: 9, Run: func(ctx context.Context, t *bytesTask) error {
		if len(t.Payload) > 0 {
			return gate.wait(ctx)
		}
		return nil
	}})
	named := Job{Kind: "kind", UniqueName: "name", Payload: []byte("waits")}
	f.run(q)
	f.add(q, named)
	gate.waitForAttempt(t)

	err := f.DB.Write(f.Context(), func(tx database.Querier) error {
		if err := q.Add(f.Context(), tx, named); err != nil {
			return err
		}
		gate.release <- nil
		f.add(q, slices.Repeat([]Job{{Kind: "kind"}}, 20)...)
		f.Eventually("the other jobs are done",
			func() bool { return f.Count("jobs") == 1 && q.Stats()[0].Done == 20 })
		return errors.New("roll back")
	})
	if err == nil {
		t.Error("the transaction was committed")
	}

	f.waitUntilNoJobs()
}
