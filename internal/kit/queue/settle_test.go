package queue

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/databasetest"
)

func TestSettle_dropsTheResultsOfALostLane(t *testing.T) {
	each(t, func(r *rig) {
		g := newGate()
		q := r.node(Kind{Name: "kind", Slots: 2, Total: 2, Retries: []time.Duration{time.Hour}, Run: func(ctx context.Context, _ *Task) error { return g.pass(ctx) }})
		r.run(q)
		r.add(q, Job{Kind: "kind"}, Job{Kind: "kind"})
		g.await(r.T)
		g.await(r.T)
		r.write(func(tx database.Querier) error {
			var other nodeID
			if err := insertNode(r.Context(), tx, other, r.now().Add(time.Hour), false); err != nil {
				return err
			}
			_, err := tx.Exec(r.Context(), "UPDATE lanes SET node = $1", other)
			return err
		})
		g.goOn <- nil
		g.goOn <- errors.New("refused")
		r.until("the lane is forgotten", func() bool { st := q.Stats()[0]; return st.Lanes == 0 && st.Running == 0 })
		if n := r.rows("jobs WHERE attempts = 0 AND NOT again"); n != 2 {
			r.Errorf("%d of two jobs are as they were", n)
		}
	})
}

// A push holds its product when it asks for a download again; Dead of that download takes the product too, and so must come before the job.
func TestWriteDead_locksTheJobBehindWhatItIsAbout(t *testing.T) {
	r := &rig{t, databasetest.Open(t, database.Postgres), &atomic.Int64{}}
	named := Job{Kind: "kind", Unique: "name"}
	var q *Queue
	var l ledger
	q = r.node(Kind{Name: "kind", Slots: 1, Total: 1,
		Run: func(context.Context, *Task) error {
			l.note("attempt")
			return errors.New("refused")
		},
		Dead: func(ctx context.Context, tx database.Querier, t *Task, _ error) error {
			if len(l.all()) == 1 { // somebody asks for it once more, at the last moment
				r.write(func(beside database.Querier) error {
					if free, err := lockJobs(ctx, beside, []int64{t.key}); err != nil || len(free) != 1 {
						r.Errorf("the job is locked before what it is about: %v, %v", free, err)
						return err
					}
					return q.Add(ctx, beside, named)
				})
			}
			return q.Add(ctx, tx, Job{Kind: "grave"})
		}},
		Kind{Name: "grave", Slots: 1, Total: 1, Run: func(context.Context, *Task) error {
			l.note("grave")
			return nil
		}})
	r.run(q)
	r.add(q, named)
	r.untilEmpty()
	l.want(t, "attempt", "attempt", "grave")
}

// Whoever asks for a job again holds its row until the end of a transaction that may be long.
func TestSettle_goesOnBesideALockedJob(t *testing.T) {
	r := &rig{t, databasetest.Open(t, database.Postgres), &atomic.Int64{}}
	g := newGate()
	q := r.node(Kind{Name: "kind", Slots: 9, Total: 9, Run: func(ctx context.Context, t *Task) error {
		if len(t.Payload) > 0 {
			return g.pass(ctx)
		}
		return nil
	}})
	named := Job{Kind: "kind", Unique: "name", Payload: []byte("waits")}
	r.run(q)
	r.add(q, named)
	g.await(t)
	err := r.db.Write(r.Context(), func(tx database.Querier) error {
		if err := q.Add(r.Context(), tx, named); err != nil {
			return err
		}
		g.goOn <- nil
		r.add(q, slices.Repeat([]Job{{Kind: "kind"}}, 20)...)
		r.until("the others are done", func() bool { return r.rows("jobs") == 1 && q.Stats()[0].Done == 20 })
		return errors.New("not after all")
	})
	if err == nil {
		t.Error("the transaction was committed")
	}
	r.untilEmpty()
}
