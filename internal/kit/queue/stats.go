package queue

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"

	"vitrine/internal/kit/database"
)

// Stats holds the statistics of one kind on this node.
type Stats struct {
	Kind string
	// Jobs is the number of jobs in the database for all nodes, including running ones. It is up to 15 seconds old.
	Jobs int64
	// Lanes is the number of lanes that this node leases, Running the number of its attempts in progress.
	Lanes, Running int
	// Done, Failed and Dead count the jobs done, the attempts failed and the jobs given up since the process started.
	Done, Failed, Dead int64
}

// counters holds the values from which Stats is filled.
type counters struct{ jobs, done, failed, dead atomic.Int64 }

// Stats returns one entry per kind, sorted by name. It does not query the database.
func (q *Queue) Stats() []Stats {
	q.mu.Lock()
	defer q.mu.Unlock()
	var all []Stats
	for _, name := range slices.Sorted(maps.Keys(q.kinds)) {
		ks := q.kinds[name]
		all = append(all, Stats{
			Kind: name, Jobs: ks.count.jobs.Load(), Lanes: len(ks.lanes), Running: ks.running,
			Done: ks.count.done.Load(), Failed: ks.count.failed.Load(), Dead: ks.count.dead.Load(),
		})
	}
	return all
}

// countLoop counts the jobs in the database at intervals until ctx ends.
func (q *Queue) countLoop(ctx context.Context) {
	var failures failureLog
	for {
		failures.report(ctx, q.Log, "cannot count background jobs; retrying", q.updateJobCounts(ctx))
		if !waitInQueueLoop(ctx, q.timings.countInterval) {
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
