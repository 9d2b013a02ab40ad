package queue

import (
	"context"
	"errors"
	"slices"
	"testing"

	"vitrine/internal/kit/database"
)

func TestAdd_storesJobsOnlyIfTransactionCommits(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		q := f.node(bytesKind{Name: "kind", LaneSlots: 1, NodeSlots: 1,
			Run: func(context.Context, *bytesTask) error { return nil }})
		undo := errors.New("undo")
		err := f.DB.Write(f.Context(), func(tx database.Querier) error {
			return errors.Join(q.Add(f.Context(), tx, Job{Kind: "kind"}), undo)
		})
		if !errors.Is(err, undo) || f.Count("jobs") != 0 {
			f.Errorf("error %v and %d jobs after a rollback, want %v and 0", err, f.Count("jobs"), undo)
		}

		f.add(q, slices.Repeat([]Job{{Kind: "kind"}}, 401)...)
		if n := f.Count("jobs"); n != 401 {
			f.Errorf("%d jobs in the table, want 401", n)
		}

		for name, j := range map[string]Job{
			"an unknown kind": {Kind: "other"},
			"a long lane":     {Kind: "kind", Lane: string(make([]byte, 501))},
			"a long name":     {Kind: "kind", UniqueName: string(make([]byte, 501))},
		} {
			err := f.DB.Write(f.Context(), func(tx database.Querier) error { return q.Add(f.Context(), tx, j) })
			if err == nil {
				f.Errorf("a job with %s was added", name)
			}
		}
	})
}

func TestAdd_mergesJobsOfOneNameAndRerunsRunningJob(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		for _, end := range []string{"returns", "completes itself", "fails for the last time"} {
			var rec recorder
			gate := newAttemptGate()
			var q *Queue

			q = f.node(bytesKind{Name: "kind", LaneSlots: 4, NodeSlots: 4,
				Run: func(ctx context.Context, t *bytesTask) error {
					rec.record("%s", t.Payload)
					if err := gate.wait(ctx); err != nil {
						return err
					}

					switch end {
					case "completes itself":
						return f.DB.Write(ctx, func(tx database.Querier) error { return t.Complete(ctx, tx) })
					case "fails for the last time":
						return errors.New("refused")
					}

					return nil
				},
				OnDead: func(ctx context.Context, tx database.Querier, _ *bytesTask, _ error) error {
					return q.Add(ctx, tx, Job{Kind: "follow-up"})
				},
			}, bytesKind{Name: "follow-up", LaneSlots: 1, NodeSlots: 1, Run: func(context.Context, *bytesTask) error {
				rec.record("dead")
				return nil
			}})

			named := func(payload string) Job { return Job{Kind: "kind", UniqueName: "name", Payload: []byte(payload)} }
			f.add(q, named("first"), named("second"))
			f.add(q, named("third"))

			if n := f.Count("jobs"); n != 1 {
				f.Fatalf("%d jobs of one unique name, want 1", n)
			}

			stop := f.run(q)
			gate.waitForAttempt(f)
			f.add(q, named("while it runs")) // causes a second attempt: the first may have read its data already
			gate.release <- nil
			gate.waitForAttempt(f)
			gate.release <- nil
			f.waitUntilNoJobs()
			want := []string{"first", "first"}

			if end == "fails for the last time" {
				want = append(want, "dead")
			}

			rec.want(f, want...)
			stop()
		}
	})
}

func TestCancelLane_removesWaitingJobs(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		q := f.node(bytesKind{Name: "kind", LaneSlots: 1, NodeSlots: 1,
			Run: func(context.Context, *bytesTask) error { return nil }})
		f.add(q, Job{Kind: "kind", Lane: "a"}, Job{Kind: "kind", Lane: "a"}, Job{Kind: "kind", Lane: "b"})
		f.WriteUnscoped(func(tx database.Querier) error {
			n, err := q.CancelLane(f.Context(), tx, "kind", "a")
			if n != 2 {
				f.Errorf("removed %d jobs of lane a, want 2", n)
			}
			return err
		})
		if n := f.Count("jobs"); n != 1 {
			f.Errorf("%d jobs are left, want 1", n)
		}
	})
}
