package queue

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"vitrine/internal/kit/database"
)

// Stats holds the statistics of one kind on this node.
type Stats struct {
	Kind string
	// Jobs is the number of jobs in the database for all nodes, including running ones. It is up to 15 seconds old.
	Jobs int64
	// Lanes is the number of lanes that this node leases, Running the number of its attempts in progress.
	Lanes, Running int
	// OldestDue is since when the first job that is due has been due; zero if none is. For an ordered kind it is when
	// the oldest job was added. It is up to 15 seconds old.
	OldestDue time.Time
	// Parked is the number of parked jobs of all nodes. It is up to 15 seconds old, but counts those that this node has
	// parked at once.
	Parked int64
	// Done, Failed and Dead count the jobs done, the attempts failed and the jobs given up since the process started.
	Done, Failed, Dead int64
}

// counters holds the values from which Stats is filled. oldestDue is in microseconds, 0 if no job is due.
type counters struct{ jobs, oldestDue, parked, done, failed, dead atomic.Int64 }

// maxOldestJobs is how many jobs are looked at to find the lanes with the oldest ones.
const maxOldestJobs = 10_000

// LaneAge is a lane with the time at which the first of its jobs was added.
type LaneAge struct {
	Lane  string
	Since time.Time
	kind  string
}

// OldestLanes returns the lanes of a kind whose first jobs were added longest ago, the oldest first. Only the 10,000
// oldest jobs of all kinds are looked at: the jobs of a lane that is not returned are younger than these. The result is
// up to 15 seconds old. The caller must not change it.
func (q *Queue) OldestLanes(kind string) []LaneAge {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.oldestLanes[kind]
}

// Stats returns one entry per kind, sorted by name. It does not query the database.
func (q *Queue) Stats() []Stats {
	q.mu.Lock()
	defer q.mu.Unlock()

	var all []Stats
	for _, name := range slices.Sorted(maps.Keys(q.kinds)) {
		ks := q.kinds[name]
		var oldest time.Time
		if due := ks.count.oldestDue.Load(); due != 0 {
			oldest = time.UnixMicro(due).UTC()
		}

		all = append(all, Stats{
			Kind: name, OldestDue: oldest, Jobs: ks.count.jobs.Load(), Lanes: len(ks.lanes), Running: ks.running,
			Parked: ks.count.parked.Load(), Done: ks.count.done.Load(), Failed: ks.count.failed.Load(),
			Dead: ks.count.dead.Load(),
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

	var counts, parked, due map[string]int64
	var lanes map[string][]LaneAge

	// A snapshot is a transaction, which setPlannerOptions needs.
	err := q.DB.Snapshot(ctx, func(tx database.Querier) (err error) {
		if counts, err = countJobs(ctx, tx); err != nil {
			return err
		}
		if parked, err = countParked(ctx, tx); err != nil {
			return err
		}

		list, err := oldestJobs(ctx, tx, maxOldestJobs)
		if err != nil {
			return err
		}

		lanes = map[string][]LaneAge{}
		for _, a := range list {
			lanes[a.kind] = append(lanes[a.kind], a)
		}

		if err := setPlannerOptions(ctx, tx); err != nil {
			return err
		}

		due, err = q.oldestDue(ctx, tx)
		return err
	})
	if err != nil {
		return err
	}

	q.mu.Lock()
	defer q.mu.Unlock()

	q.oldestLanes = lanes

	for name, ks := range q.kinds {
		ks.count.jobs.Store(counts[name])
		ks.count.parked.Store(parked[name])
		if ks.inOrder && len(lanes[name]) > 0 {
			due[name] = lanes[name][0].Since.UnixMicro() // the due time of such jobs says nothing
		}
		ks.count.oldestDue.Store(due[name])
	}

	return nil
}

// oldestDue returns the earliest due time of each kind that has jobs which are due, in microseconds.
func (q *Queue) oldestDue(ctx context.Context, tx database.Querier) (map[string]int64, error) {
	lanes, err := lanesWithJobs(ctx, tx, q.kindNames())
	now := q.Now().UnixMicro()
	due := map[string]int64{}
	for _, lane := range lanes {
		for _, at := range []*int64{lane.firstDue, lane.retryDue} {
			if at != nil && *at <= now && (due[lane.kind] == 0 || *at < due[lane.kind]) {
				due[lane.kind] = *at
			}
		}
	}
	return due, err
}
