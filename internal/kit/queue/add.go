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

// maxNameBytes is how long the name of a lane and a unique name may be, in bytes: both are in an index.
const maxNameBytes = 500

// Job is work to be done.
type Job struct {
	Kind string
	// Lane is what the job shares its slots and its fate with: a host, a receiver. It may be empty.
	Lane string
	// Unique names the job among those of its kind; empty for none. While one of that name is there, a second is not added: the first stays
	// as it is, and if it is under way already, it runs once more.
	Unique  string
	Payload []byte
	// DueAt is when the job may first run; the zero time, and all before 1970, is now. A job of a kind that is in order has none.
	DueAt time.Time
}

// Add adds jobs in the caller's transaction: they are there if and only if it commits. Any number is added by one statement. This node
// begins at once after the commit, another within a second.
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
		name := [2]string{j.Kind, j.Unique}
		if j.Unique != "" && seen[name] {
			continue // PostgreSQL refuses to touch a row twice in one statement
		}
		seen[name] = true
		distinct = append(distinct, j)
	}
	// Those who add the same names at the same time take them in the same order, and so wait for each other instead of both for ever.
	slices.SortStableFunc(distinct, func(a, b Job) int { return strings.Compare(a.Unique, b.Unique) })
	if err := insertJobs(ctx, tx, distinct, now); err != nil {
		return err
	}
	tx.AfterCommit(q.Wake)
	return nil
}

func (j Job) check(kinds map[string]*kindState) error {
	switch ks := kinds[j.Kind]; {
	case ks == nil:
		return fmt.Errorf("add a job: unknown kind %q; the registered kinds are %s", j.Kind, strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))
	case ks.InOrder && j.DueAt.Unix() > 0:
		return fmt.Errorf("add a job of kind %q: a job of an ordered kind cannot have a DueAt", j.Kind)
	case len(j.Lane) > maxNameBytes || len(j.Unique) > maxNameBytes:
		return fmt.Errorf("add a job of kind %q: lane and unique name have %d and %d bytes; at most %d are allowed",
			j.Kind, len(j.Lane), len(j.Unique), maxNameBytes)
	}
	return nil
}

// Wake has this node look for work now. It does not wait.
func (q *Queue) Wake() { signal(q.wake) }

// Waiting counts the jobs of a lane, those that run among them.
func (q *Queue) Waiting(ctx context.Context, tx database.Querier, kind, lane string) (n int64, err error) {
	return countLane(ctx, tx, kind, lane)
}

// Cancel removes the jobs of a lane in the caller's transaction and returns how many there were. Those that this or another node has begun, or
// has in memory already, may still run once; what they then do with Complete or Fence is refused.
func (q *Queue) Cancel(ctx context.Context, tx database.Querier, kind, lane string) (int64, error) {
	return deleteLane(ctx, tx, kind, lane)
}

// CancelUnique is Cancel for the one job of that name.
func (q *Queue) CancelUnique(ctx context.Context, tx database.Querier, kind, unique string) (bool, error) {
	n, err := deleteUnique(ctx, tx, kind, unique)
	return n > 0, err
}

// signal leaves a signal, unless one waits already.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
