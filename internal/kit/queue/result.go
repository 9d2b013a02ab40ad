package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/kit/database"
)

const (
	// maxBatch is how many results share a commit.
	maxBatch = 500
	// writeRetryDelay is how long results wait that could not be written.
	writeRetryDelay = 100 * time.Millisecond
)

// result is what follows from an attempt: the job is done or given up, or due again after that many attempts. err is why it failed.
type result struct {
	task       *Task
	done, dead bool
	err        error
	attempts   int
	due        time.Time
}

// writeLoop writes results until there will be no more, or ctx ends. What it does not write is done again: at least once, never lost.
func (q *Queue) writeLoop(ctx context.Context) {
	var left []result
	var failures failureLog
	for open := true; open || len(left) > 0; {
		var batch []result
		batch, open = q.collectBatch(left)
		if len(batch) == 0 {
			continue
		}
		var err error
		left, err = q.writeBatch(ctx, batch)
		failures.report(ctx, q.Log, "cannot write the results of background jobs; retrying", err)
		if err != nil {
			left = batch
		}
		if (err != nil || !open && len(left) > 0) && !sleep(ctx, writeRetryDelay) {
			return
		}
	}
}

// collectBatch waits for results that share a commit, and adds them to those left from the last, which wait only a little for others. It returns
// false with the last of all.
func (q *Queue) collectBatch(left []result) (batch []result, open bool) {
	batch = left
	var retryNow <-chan time.Time
	if len(left) > 0 {
		retryNow = time.After(writeRetryDelay)
	}
	select {
	case r, open := <-q.results:
		if !open {
			return batch, false
		}
		batch = append(batch, r)
	case <-retryNow:
		return batch, true
	}
	full := time.NewTimer(q.timings.batchDelay)
	defer full.Stop()
	for len(batch) < len(left)+maxBatch {
		select {
		case r, open := <-q.results:
			if !open {
				return batch, false
			}
			batch = append(batch, r)
		case <-full.C:
			return batch, true
		}
	}
	return batch, true
}

// writeBatch writes results in one transaction, and returns those whose jobs somebody else has locked: their turn comes later, so that nobody's long
// transaction holds up the rest. Results under a lease that is lost are dropped.
func (q *Queue) writeBatch(ctx context.Context, batch []result) (left []result, err error) {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	var written writtenBatch
	err = q.DB.Write(ctx, func(tx database.Querier) (err error) {
		written, err = q.writeResults(ctx, tx, batch)
		return err
	})
	if err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range batch {
		l := r.task.lane
		switch {
		case written.locked[r.task.key]:
			left = append(left, r)
			continue
		case !written.held[l.lease]:
			l.kindState.dropLane(l, ErrLost)
		case r.done:
			l.kindState.count.done.Add(1)
		case r.dead:
			l.kindState.count.dead.Add(1)
			q.Log.WarnContext(ctx, "a job was given up",
				"kind", r.task.Kind, "lane", r.task.Lane, "attempt", r.task.Attempt, "error", r.err)
		}
		if due, again := written.due[r.task.key]; again {
			q.noteDue(due)
		}
		q.forget(r.task)
	}
	q.dispatch()
	return left, nil
}

// forget lets a job go out of memory; the caller holds the lock.
func (q *Queue) forget(t *Task) {
	delete(t.lane.inMemory, t.key)
	q.endedSinceFetch[t.key] = true
	if t.lane.kindState.InOrder {
		signal(q.refill) // now it can be read what is next
	}
}

// writtenBatch is what became of a group of results.
type writtenBatch struct {
	held   map[lease]bool
	locked map[int64]bool
	// due are the jobs that stay, and when they are due.
	due map[int64]time.Time
}

func (q *Queue) writeResults(ctx context.Context, tx database.Querier, batch []result) (writtenBatch, error) {
	b := writtenBatch{locked: map[int64]bool{}, due: map[int64]time.Time{}}
	if err := setPlannerOptions(ctx, tx); err != nil {
		return b, err
	}
	var err error
	if b.held, err = lockLanes(ctx, tx, distinctLeases(batch)); err != nil {
		return b, err
	}
	var keys []int64
	for _, r := range batch {
		if b.held[r.task.lease] {
			keys = append(keys, r.task.key)
		}
	}
	asked, err := lockJobs(ctx, tx, keys)
	if err != nil {
		return b, err
	}
	if len(asked) < len(keys) {
		if b.locked, err = existingJobs(ctx, tx, keys); err != nil {
			return b, err
		}
		for key := range asked {
			delete(b.locked, key)
		}
	}
	if err := q.updateJobs(ctx, tx, batch, asked, b.due); err != nil {
		return b, err
	}
	return b, q.reportOutcomes(ctx, tx, batch, asked, b.due)
}

// reportOutcomes tells the kinds that ask for it what became of the jobs that are locked.
func (q *Queue) reportOutcomes(ctx context.Context, tx database.Querier, batch []result, asked map[int64]int64, due map[int64]time.Time) error {
	byKind := map[*kindState][]Outcome{}
	for _, r := range batch {
		ks := r.task.lane.kindState
		if _, locked := asked[r.task.key]; locked && ks.Settle != nil {
			byKind[ks] = append(byKind[ks], Outcome{Task: r.task, Err: r.err, Next: due[r.task.key]})
		}
	}
	for ks, outcomes := range byKind {
		if err := ks.Settle(ctx, tx, outcomes); err != nil {
			return fmt.Errorf("report outcomes of jobs of kind %s: %w", ks.Name, err)
		}
	}
	return nil
}

// updateJobs writes the results of the jobs that are locked: those done or given up go, unless they were asked for again, and the others wait for their time.
func (q *Queue) updateJobs(ctx context.Context, tx database.Querier, batch []result, asked map[int64]int64, due map[int64]time.Time) error {
	var ended []int64
	var restarted []*Task
	var failed []result
	now := q.Now()
	for _, r := range batch {
		times, locked := asked[r.task.key]
		switch {
		case !locked:
		case !r.done && !r.dead:
			failed = append(failed, r)
			due[r.task.key] = r.due
		case times == r.task.asked:
			ended = append(ended, r.task.key)
		default:
			restarted = append(restarted, r.task)
			due[r.task.key] = now
		}
	}
	if err := deleteJobs(ctx, tx, ended); err != nil {
		return err
	}
	if err := resetJobs(ctx, tx, restarted, now); err != nil {
		return err
	}
	return rescheduleJobs(ctx, tx, failed)
}

// distinctLeases returns those of a group, each once.
func distinctLeases(batch []result) (all []lease) {
	seen := map[lease]bool{}
	for _, r := range batch {
		if !seen[r.task.lease] {
			seen[r.task.lease] = true
			all = append(all, r.task.lease)
		}
	}
	return all
}

// errAddedAgain undoes what was done about a job that is not given up after all.
var errAddedAgain = errors.New("the job was added again while it ran")

// removeDeadJob removes a job with what its kind does about it, in one transaction. A job that was asked for while it ran begins anew instead.
// Whoever asks for a job holds by then what the job is about, so that comes first here too: Dead, and then the job's row.
func (q *Queue) removeDeadJob(ctx context.Context, t *Task, cause error) (restarted bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	err = q.DB.Write(ctx, func(tx database.Querier) error {
		if err := t.Fence(ctx, tx); err != nil {
			return err
		}
		if dead := t.lane.kindState.Dead; dead != nil {
			if err := dead(ctx, tx, t, cause); err != nil {
				return err
			}
		}
		restarted, err := t.finish(ctx, tx)
		if err == nil && restarted {
			err = errAddedAgain
		}
		return err
	})
	if !errors.Is(err, errAddedAgain) {
		return false, err
	}
	return true, q.DB.Write(ctx, func(tx database.Querier) error { return t.Complete(ctx, tx) })
}
