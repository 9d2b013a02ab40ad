package queue

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"vitrine/internal/kit/database"
)

// maxNameBytes limits the length of lanes and unique names, because both columns are indexed.
const maxNameBytes = 500

// Job is a job to be added.
type Job struct {
	Kind string
	// Lane groups jobs that share slots, such as those for one host or one receiver. If the lane hangs or is paused,
	// all of its jobs wait. It may be empty.
	Lane string
	// UniqueName identifies the job among the jobs of its kind; it may be empty. If a job with this name exists, Add
	// does not add another: the existing job keeps its payload and, if it is running, runs once more. Nor does it if a
	// job with this name is parked.
	UniqueName string
	Payload    []byte
	// DueAt is the earliest start time; the zero time, and any time before 1970, means now. Jobs of an ordered kind
	// must not set it.
	DueAt time.Time
}

// Add adds jobs in the caller's transaction: the jobs exist if and only if it commits. One statement adds all jobs.
// The node that leases the lane starts them right after the commit, or at its next poll if the notification is lost.
func (q *Queue) Add(ctx context.Context, tx database.Querier, jobs ...Job) error {
	now := q.Now()
	distinct := make([]Job, 0, len(jobs))
	seen := map[[2]string]bool{}
	q.mu.Lock()
	kinds := maps.Clone(q.kinds)
	q.mu.Unlock()

	for _, j := range jobs {
		if err := j.check(kinds); err != nil {
			return err
		}

		if j.DueAt.Unix() <= 0 {
			j.DueAt = kinds[j.Kind].dueNow(now)
		}

		if j.Payload == nil {
			j.Payload = []byte{}
		}

		name := [2]string{j.Kind, j.UniqueName}
		if j.UniqueName != "" && seen[name] {
			continue // PostgreSQL refuses to change a row twice in one ON CONFLICT statement
		}

		seen[name] = true
		distinct = append(distinct, j)
	}

	// Sorting gives concurrent transactions that add the same unique names the same lock order, which avoids deadlocks.
	slices.SortStableFunc(distinct, func(a, b Job) int { return strings.Compare(a.UniqueName, b.UniqueName) })
	if err := insertJobs(ctx, tx, distinct, now); err != nil {
		return err
	}

	lanes := lanesDue(distinct, now)
	tx.AfterCommit(func() {
		q.Wake()
		q.peers.notifyAdded(lanes)
	})
	return nil
}

// lanesDue returns the lanes of the jobs that are due, without duplicates.
func lanesDue(jobs []Job, now time.Time) (names []laneName) {
	seen := map[laneName]bool{}
	for _, j := range jobs {
		if name := (laneName{j.Kind, j.Lane}); !seen[name] && !j.DueAt.After(now) {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

func (j Job) check(kinds map[string]*kindState) error {
	switch ks := kinds[j.Kind]; {
	case ks == nil:
		return fmt.Errorf("add a job: unknown kind %q; the registered kinds are %s", j.Kind,
			strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))
	case ks.inOrder && j.DueAt.Unix() > 0:
		return fmt.Errorf("add a job of kind %q: a job of an ordered kind cannot have a DueAt", j.Kind)
	case len(j.Lane) > maxNameBytes || len(j.UniqueName) > maxNameBytes:
		return fmt.Errorf("add a job of kind %q: lane and unique name have %d and %d bytes; at most %d are allowed",
			j.Kind, len(j.Lane), len(j.UniqueName), maxNameBytes)
	}
	return nil
}

// Wake makes this node poll for jobs now. It does not block.
func (c *core) Wake() { wakeQueueLoop(c.wake) }

// wakeQueueLoop sends on c unless a signal is already buffered.
func wakeQueueLoop(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
