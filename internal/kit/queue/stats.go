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
type counters struct{ waiting, done, failed, dead atomic.Int64 }

// Stats returns one entry for each kind, by name. It asks no database.
func (q *Queue) Stats() []Stats {
	q.mu.Lock()
	defer q.mu.Unlock()
	var all []Stats
	for _, name := range slices.Sorted(maps.Keys(q.crews)) {
		c := q.crews[name]
		all = append(all, Stats{
			Kind: name, Waiting: c.count.waiting.Load(), Lanes: len(c.lanes), Running: c.running,
			Done: c.count.done.Load(), Failed: c.count.failed.Load(), Dead: c.count.dead.Load(),
		})
	}
	return all
}

// tally counts what waits until ctx ends.
func (q *Queue) tally(ctx context.Context) {
	var trouble trouble
	for {
		trouble.note(ctx, q.Log, "the background work that waits could not be counted; trying again", q.countWaiting(ctx))
		if !wait(ctx, q.pace.tally) {
			return
		}
	}
}

func (q *Queue) countWaiting(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, writeWithin)
	defer cancel()
	return q.DB.Read(ctx, func(tx database.Querier) error {
		counts, err := countJobs(ctx, tx)
		if err != nil {
			return err
		}
		q.mu.Lock()
		defer q.mu.Unlock()
		for name, c := range q.crews {
			c.count.waiting.Store(counts[name])
		}
		return nil
	})
}
