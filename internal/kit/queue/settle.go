package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/kit/database"
)

const (
	// groupMost is how many results share a commit.
	groupMost = 500
	// settlePause is how long results wait that could not be written.
	settlePause = 100 * time.Millisecond
)

// result is what follows from an attempt: the job is done or given up, or due again after that many attempts. err is why it failed.
type result struct {
	task       *Task
	done, dead bool
	err        error
	attempts   int
	due        time.Time
}

// settle writes results until there will be no more, or ctx ends. What it does not write is done again: at least once, never lost.
func (q *Queue) settle(ctx context.Context) {
	var left []result
	var trouble trouble
	for open := true; open || len(left) > 0; {
		var group []result
		group, open = q.gather(left)
		if len(group) == 0 {
			continue
		}
		var err error
		left, err = q.settleGroup(ctx, group)
		trouble.note(ctx, q.Log, "the results of background work could not be written; trying again", err)
		if err != nil {
			left = group
		}
		if (err != nil || !open && len(left) > 0) && !wait(ctx, settlePause) {
			return
		}
	}
}

// gather waits for results that share a commit, and adds them to those left from the last, which wait only a little for others. It returns
// false with the last of all.
func (q *Queue) gather(left []result) (group []result, open bool) {
	group = left
	var again <-chan time.Time
	if len(left) > 0 {
		again = time.After(settlePause)
	}
	select {
	case r, open := <-q.results:
		if !open {
			return group, false
		}
		group = append(group, r)
	case <-again:
		return group, true
	}
	enough := time.NewTimer(q.pace.gather)
	defer enough.Stop()
	for len(group) < len(left)+groupMost {
		select {
		case r, open := <-q.results:
			if !open {
				return group, false
			}
			group = append(group, r)
		case <-enough.C:
			return group, true
		}
	}
	return group, true
}

// settleGroup writes results in one transaction, and returns those whose jobs somebody else has locked: their turn comes later, so that nobody's long
// transaction holds up the rest. Results under a lease that is lost are dropped.
func (q *Queue) settleGroup(ctx context.Context, group []result) (left []result, err error) {
	ctx, cancel := context.WithTimeout(ctx, writeWithin)
	defer cancel()
	var written settled
	err = q.DB.Write(ctx, func(tx database.Querier) (err error) {
		written, err = q.writeResults(ctx, tx, group)
		return err
	})
	if err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range group {
		l := r.task.lane
		switch {
		case written.locked[r.task.key]:
			left = append(left, r)
			continue
		case !written.held[l.lease]:
			l.crew.lose(l, ErrLost)
		case r.done:
			l.crew.count.done.Add(1)
		case r.dead:
			l.crew.count.dead.Add(1)
			q.Log.Warn("a job was given up", "kind", r.task.Kind, "lane", r.task.Lane, "attempt", r.task.Attempt, "error", r.err)
		}
		if due, again := written.due[r.task.key]; again {
			q.dueAt(due)
		}
		q.forget(r.task)
	}
	q.dispatch()
	return left, nil
}

// forget lets a job go out of memory; the caller holds the lock.
func (q *Queue) forget(t *Task) {
	delete(t.lane.known, t.key)
	q.settled[t.key] = true
	if t.lane.crew.InOrder {
		signal(q.refill) // now it can be read what is next
	}
}

// settled is what became of a group of results.
type settled struct {
	held   map[lease]bool
	locked map[int64]bool
	// due are the jobs that stay, and when they are due.
	due map[int64]time.Time
}

func (q *Queue) writeResults(ctx context.Context, tx database.Querier, group []result) (settled, error) {
	s := settled{locked: map[int64]bool{}, due: map[int64]time.Time{}}
	if err := planAnew(ctx, tx); err != nil {
		return s, err
	}
	var err error
	if s.held, err = holdLanes(ctx, tx, leases(group)); err != nil {
		return s, err
	}
	var keys []int64
	for _, r := range group {
		if s.held[r.task.lease] {
			keys = append(keys, r.task.key)
		}
	}
	asked, err := lockJobs(ctx, tx, keys)
	if err != nil {
		return s, err
	}
	if len(asked) < len(keys) {
		if s.locked, err = presentJobs(ctx, tx, keys); err != nil {
			return s, err
		}
		for key := range asked {
			delete(s.locked, key)
		}
	}
	if err := q.writeLocked(ctx, tx, group, asked, s.due); err != nil {
		return s, err
	}
	return s, q.tellSettled(ctx, tx, group, asked, s.due)
}

// tellSettled tells the kinds that ask for it what became of the jobs that are locked.
func (q *Queue) tellSettled(ctx context.Context, tx database.Querier, group []result, asked map[int64]int64, due map[int64]time.Time) error {
	told := map[*crew][]Outcome{}
	for _, r := range group {
		c := r.task.lane.crew
		if _, locked := asked[r.task.key]; locked && c.Settle != nil {
			told[c] = append(told[c], Outcome{Task: r.task, Err: r.err, Next: due[r.task.key]})
		}
	}
	for c, outcomes := range told {
		if err := c.Settle(ctx, tx, outcomes); err != nil {
			return fmt.Errorf("settle jobs of kind %s: %w", c.Name, err)
		}
	}
	return nil
}

// writeLocked writes the results of the jobs that are locked: those done or given up go, unless they were asked for again, and the others wait for their time.
func (q *Queue) writeLocked(ctx context.Context, tx database.Querier, group []result, asked map[int64]int64, due map[int64]time.Time) error {
	var gone []int64
	var anew []*Task
	var failed []result
	now := q.Now()
	for _, r := range group {
		times, locked := asked[r.task.key]
		switch {
		case !locked:
		case !r.done && !r.dead:
			failed = append(failed, r)
			due[r.task.key] = r.due
		case times == r.task.asked:
			gone = append(gone, r.task.key)
		default:
			anew = append(anew, r.task)
			due[r.task.key] = now
		}
	}
	if err := deleteJobs(ctx, tx, gone); err != nil {
		return err
	}
	if err := renewJobs(ctx, tx, anew, now); err != nil {
		return err
	}
	return retryJobs(ctx, tx, failed)
}

// leases returns those of a group, each once.
func leases(group []result) (all []lease) {
	seen := map[lease]bool{}
	for _, r := range group {
		if !seen[r.task.lease] {
			seen[r.task.lease] = true
			all = append(all, r.task.lease)
		}
	}
	return all
}

// errAskedAgain undoes what was done about a job that is not given up after all.
var errAskedAgain = errors.New("the job was asked for again")

// writeDead removes a job with what its kind does about it, in one transaction. A job that was asked for while it ran begins anew instead.
// Whoever asks for a job holds by then what the job is about, so that comes first here too: Dead, and then the job's row.
func (q *Queue) writeDead(ctx context.Context, t *Task, cause error) (anew bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	err = q.DB.Write(ctx, func(tx database.Querier) error {
		if err := t.Fence(ctx, tx); err != nil {
			return err
		}
		if dead := t.lane.crew.Dead; dead != nil {
			if err := dead(ctx, tx, t, cause); err != nil {
				return err
			}
		}
		anew, err := t.end(ctx, tx)
		if err == nil && anew {
			err = errAskedAgain
		}
		return err
	})
	if !errors.Is(err, errAskedAgain) {
		return false, err
	}
	return true, q.DB.Write(ctx, func(tx database.Querier) error { return t.Complete(ctx, tx) })
}
