package queue

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"vitrine/internal/kit/database"
)

func TestKind_passesDecodedPayloadsAndOutputs(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		var rec recorder
		q := f.node()

		q.Register(Kind[int, string]{
			Name: "number", LaneSlots: 1, NodeSlots: 1, Retries: []time.Duration{time.Hour},
			Decode: func(b []byte) (int, error) { return strconv.Atoi(string(b)) },
			Run: func(_ context.Context, t *TaskOf[int, string]) error {
				t.Output = strconv.Itoa(2 * t.Payload)
				if t.Payload == 3 {
					return Abort(errors.New("refused"))
				}
				return nil
			},
			OnResults: func(_ context.Context, _ database.Querier, outcomes []Outcome[int, string]) error {
				for _, o := range outcomes {
					rec.record("%d: %s %v", o.Task.Payload, o.Task.Output, o.Err)
				}
				return nil
			},
		})

		f.run(q)

		for _, payload := range []string{"2", "no number", "3"} { // one by one: the order of results is not defined
			f.add(q, Job{Kind: "number", Payload: []byte(payload)})
			f.waitUntilNoJobs()
		}

		rec.want(f, "2: 4 <nil>", "3: 6 refused")
		f.Eventually("1 job is done and 2 are dead: a payload that cannot be decoded ends its job",
			func() bool { s := q.Stats()[0]; return s.Done == 1 && s.Dead == 2 })
	})
}
