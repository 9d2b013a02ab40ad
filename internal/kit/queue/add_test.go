package queue

import (
	"context"
	"errors"
	"slices"
	"testing"

	"vitrine/internal/kit/database"
)

func TestAdd_isThereIfAndOnlyIfItsTransactionCommits(t *testing.T) {
	each(t, func(r *rig) {
		q := r.node(Kind{Name: "kind", Slots: 1, Total: 1, Run: func(context.Context, *Task) error { return nil }})
		undo := errors.New("undo")
		err := r.db.Write(r.Context(), func(tx database.Querier) error {
			return errors.Join(q.Add(r.Context(), tx, Job{Kind: "kind"}), undo)
		})
		if !errors.Is(err, undo) || r.rows("jobs") != 0 {
			r.Errorf("%v; %d jobs are there", err, r.rows("jobs"))
		}
		r.add(q, slices.Repeat([]Job{{Kind: "kind"}}, 401)...)
		if n := r.rows("jobs"); n != 401 {
			r.Errorf("%d jobs are there", n)
		}
		for name, j := range map[string]Job{
			"an unknown kind": {Kind: "other"}, "a long lane": {Kind: "kind", Lane: string(make([]byte, 501))}, "a long name": {Kind: "kind", Unique: string(make([]byte, 501))},
		} {
			err := r.db.Write(r.Context(), func(tx database.Querier) error { return q.Add(r.Context(), tx, j) })
			if err == nil {
				r.Errorf("%s was added", name)
			}
		}
	})
}

func TestAdd_makesOneJobOfANameThatRunsAgainIfItRanAlready(t *testing.T) {
	each(t, func(r *rig) {
		for _, end := range []string{"returns", "completes itself", "fails for the last time"} {
			var l ledger
			g := newGate()
			var q *Queue
			q = r.node(Kind{Name: "kind", Slots: 4, Total: 4,
				Run: func(ctx context.Context, t *Task) error {
					l.note("%s", t.Payload)
					if err := g.pass(ctx); err != nil {
						return err
					}
					switch end {
					case "completes itself":
						return r.db.Write(ctx, func(tx database.Querier) error { return t.Complete(ctx, tx) })
					case "fails for the last time":
						return errors.New("refused")
					}
					return nil
				},
				Dead: func(ctx context.Context, tx database.Querier, _ *Task, _ error) error {
					return q.Add(ctx, tx, Job{Kind: "grave"})
				},
			}, Kind{Name: "grave", Slots: 1, Total: 1, Run: func(context.Context, *Task) error {
				l.note("dead")
				return nil
			}})
			named := func(payload string) Job { return Job{Kind: "kind", Unique: "name", Payload: []byte(payload)} }
			r.add(q, named("first"), named("second"))
			r.add(q, named("third"))
			if n := r.rows("jobs"); n != 1 {
				r.Fatalf("%d jobs of one name", n)
			}
			stop := r.run(q)
			g.await(r.T)
			r.add(q, named("while it runs")) // which may have read already what it is to work on
			g.goOn <- nil
			g.await(r.T)
			g.goOn <- nil
			r.untilEmpty()
			want := []string{"first", "first"}
			if end == "fails for the last time" {
				want = append(want, "dead")
			}
			l.want(r.T, want...)
			stop()
		}
	})
}

func TestCancel_removesWhatWaits(t *testing.T) {
	each(t, func(r *rig) {
		q := r.node(Kind{Name: "kind", Slots: 1, Total: 1, Run: func(context.Context, *Task) error { return nil }})
		r.add(q, Job{Kind: "kind", Lane: "a"}, Job{Kind: "kind", Lane: "a"}, Job{Kind: "kind", Lane: "b"}, Job{Kind: "kind", Lane: "b", Unique: "name"})
		r.write(func(tx database.Querier) error {
			n, err := q.Cancel(r.Context(), tx, "kind", "a")
			one, errUnique := q.CancelUnique(r.Context(), tx, "kind", "name")
			if n != 2 || !one {
				r.Errorf("removed %d of lane a, and by name: %v", n, one)
			}
			return errors.Join(err, errUnique)
		})
		if n := r.rows("jobs"); n != 1 {
			r.Errorf("%d are left", n)
		}
	})
}
