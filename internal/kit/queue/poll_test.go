package queue

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/storetest"
)

func TestPoll_usesIndexScansDespiteStaleStatistics(t *testing.T) {
	f := newFixture(storetest.Open(t, database.Postgres))
	q := f.node(bytesKind{Name: "kind", LaneSlots: 1, NodeSlots: 1,
		Run: func(context.Context, *bytesTask) error { return nil }})
	f.WriteUnscoped(func(tx database.Querier) error {
		_, err := tx.Exec(t.Context(), "ANALYZE jobs")
		return err
	})
	f.add(q, slices.Repeat([]Job{{Kind: "kind"}}, 10000)...)
	kinds := database.NewBatch(database.Text)
	kinds.Add("kind")
	requests := database.NewBatch(database.Text, database.Text, database.Bool, database.BigInt, database.BigInt,
		database.BigInt)
	lanes := database.NewBatch(database.Text, database.Text)
	keys := database.NewBatch(database.BigInt)
	renewals := database.NewBatch(database.BigInt, database.BigInt)
	retries := database.NewBatch(database.BigInt, database.BigInt, database.BigInt)

	for i := range maxBatch {
		requests.Add("kind", fmt.Sprint(i), false, 0, 0, 40)
		lanes.Add("kind", fmt.Sprint(i))
		keys.Add(i)
		renewals.Add(i, 2)
		retries.Add(i, 2, 3)
	}

	f.WriteUnscoped(func(tx database.Querier) error {
		if err := setPlannerOptions(t.Context(), tx); err != nil {
			return err
		}

		for name, c := range map[string]struct {
			sql   string
			batch *database.Batch
			args  []any
		}{
			"lanesWithJobs": {lanesWithJobsSQL, kinds, nil}, "dueJobs": {dueJobsSQL, requests, []any{1}},
			"firstInOrder": {firstInOrderSQL, lanes, []any{1}},
			"lockJobs":     {lockJobsSQL, keys, nil}, "deleteJobs": {deleteJobsSQL, keys, nil},
			"resetJobs": {resetJobsSQL, renewals, nil}, "rescheduleJobs": {rescheduleJobsSQL, retries, nil},
		} {
			var plan strings.Builder
			err := tx.QueryRows(t.Context(), "EXPLAIN "+c.sql, c.batch, func(rows database.Rows) error {
				var line string
				err := rows.Scan(&line)
				plan.WriteString(line + "\n")
				return err
			}, c.args...)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}

			if strings.Contains(plan.String(), "Seq Scan") || !strings.Contains(plan.String(), "Index") {
				t.Errorf("%s scans the whole table:\n%s", name, &plan)
			}
		}

		return nil
	})
}

func TestJobRequests_includeEmptyLanesWhenMemoryIsFull(t *testing.T) {
	q := New(Deps{Now: time.Now}, bytesKind{Name: "kind", LaneSlots: 2, NodeSlots: 4,
		Decode: decodeBytes, Run: func(context.Context, *bytesTask) error { return nil }})
	s := &scheduler{kindState: q.kinds["kind"]}
	for i := range 30 {
		s.addTasks(fmt.Sprint("dead", i), 8, 0)
	}
	s.addTasks("good", 0, 0)
	for _, l := range s.lanes {
		l.first.rewind()
	}
	requests, _ := q.poller.jobRequests()
	if len(requests) != 1 || requests[0].lane != "good" || requests[0].limit != 2 {
		t.Errorf("requests are %v, want two jobs of lane good", requests)
	}
}

// The snapshot of a fetch may contain jobs that have ended since.
func TestEnqueue_skipsJobsInMemoryOrEndedSinceFetch(t *testing.T) {
	q := New(Deps{Now: time.Now}, bytesKind{Name: "kind", LaneSlots: 2, NodeSlots: 4,
		Decode: decodeBytes, Run: func(context.Context, *bytesTask) error { return nil }})
	s := &scheduler{kindState: q.kinds["kind"]}
	s.addTasks("a", 2, 0) // keys 1 and 2
	s.wantStarted(t, "a a")
	a := s.lanes["a"]
	a.first.rewind()

	requests, lanes := q.poller.jobRequests()
	if len(requests) != 1 || requests[0].limit != 2+defaultPrefetch*2 {
		t.Fatalf("requests are %v", requests)
	}

	s.releaseSlot(a)
	q.workers.forget(&Task{key: 1, lane: a})
	var found []*Task
	for key := range int64(3) {
		found = append(found, &Task{Kind: "kind", Lane: "a", key: key + 1, due: key})
	}

	q.poller.enqueue(requests, lanes, found)

	if len(a.first.tasks) != 1 || a.first.tasks[0].key != 3 || a.first.mayHaveMore ||
		a.first.cursor != (jobPosition{2, 3}) {
		t.Errorf("%d jobs are buffered, cursor at %v", len(a.first.tasks), a.first.cursor)
	}
}
