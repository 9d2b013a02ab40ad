package queue

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"

	"vitrine/internal/kit/database"
)

// Stats is what can be seen of one kind on this node.
type Stats struct {
	Kind string
	// Waiting is how many jobs there are in the database, those that run among them, on all nodes and as of the last quarter of a minute.
	Waiting int64
	// Lanes is how many lanes this node has, Running how many attempts it makes now.
	Lanes, Running int
	// Done, Failed and Dead count jobs done, attempts failed and jobs given up since the start.
	Done, Failed, Dead int64
}

// counters are what Stats counts.
type counters struct{ jobs, done, failed, dead atomic.Int64 }

// Stats returns one entry for each kind, by name. It asks no database.
func (q *Queue) Stats() []Stats {
	q.mu.Lock()
	defer q.mu.Unlock()
	var all []Stats
	for _, name := range slices.Sorted(maps.Keys(q.kinds)) {
		ks := q.kinds[name]
		all = append(all, Stats{
			Kind: name, Waiting: ks.count.jobs.Load(), Lanes: len(ks.lanes), Running: ks.running,
			Done: ks.count.done.Load(), Failed: ks.count.failed.Load(), Dead: ks.count.dead.Load(),
		})
	}
	return all
}

// countLoop counts what waits until ctx ends.
func (q *Queue) countLoop(ctx context.Context) {
	var failures failureLog
	for {
		failures.report(ctx, q.Log, "cannot count background jobs; retrying", q.updateJobCounts(ctx))
		if !sleep(ctx, q.timings.countInterval) {
			return
		}
	}
}

func (q *Queue) updateJobCounts(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	return q.DB.Read(ctx, func(tx database.Querier) error {
		counts, err := countJobs(ctx, tx)
		if err != nil {
			return err
		}
		q.mu.Lock()
		defer q.mu.Unlock()
		for name, ks := range q.kinds {
			ks.count.jobs.Store(counts[name])
		}
		return nil
	})
}
