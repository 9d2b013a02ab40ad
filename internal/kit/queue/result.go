package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/kit/database"
)

const (
	// maxBatch is the largest number of results per commit.
	maxBatch = 500
	// writeRetryDelay is the delay before a failed write of results is retried.
	writeRetryDelay = 100 * time.Millisecond
)

// result is the result of an attempt: the job is done, or dead (given up), or due again at the given time. attempts is
// the number of attempts that count so far. err is the error of the attempt. postponed says that the attempt was not
// made, so that it does not clear the job of earlier deaths.
type result struct {
	task       *Task
	done, dead bool
	postponed  bool
	err        error
	attempts   int
	due        time.Time
}

// writeLoop writes results until the channel is closed or ctx ends. A job whose result is not written runs again: jobs
// run at least once.
func (w *workers) writeLoop(ctx context.Context) {
	var left []result
	var failures failureLog
	for open := true; open || len(left) > 0; {
		var batch []result
		batch, open = w.collectBatch(left)
		if len(batch) == 0 {
			continue
		}

		var err error
		left, err = w.writeBatch(ctx, batch)
		failures.report(ctx, w.Log, "cannot write the results of background jobs; retrying", err)
		if err != nil {
			left = batch
		}

		if (err != nil || !open && len(left) > 0) && !waitInQueueLoop(ctx, writeRetryDelay) {
			return
		}
	}
}

// collectBatch waits for results to write in one commit and appends them to left, the results that could not be written
// last time. If no result arrives, it returns left after writeRetryDelay. open is false when the channel is closed.
func (w *workers) collectBatch(left []result) (batch []result, open bool) {
	batch = left
	var retryNow <-chan time.Time
	if len(left) > 0 {
		retryNow = time.After(writeRetryDelay)
	}

	select {
	case r, open := <-w.results:
		if !open {
			return batch, false
		}
		batch = append(batch, r)
	case <-retryNow:
		return batch, true
	}

	full := time.NewTimer(w.timings.batchDelay)
	defer full.Stop()

	for len(batch) < len(left)+maxBatch {
		select {
		case r, open := <-w.results:
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

// writeBatch writes results in one transaction. It returns the results whose job rows are locked by another
// transaction. They are retried with a later batch, so that they do not delay the other results. Results whose lease is
// lost are dropped.
func (w *workers) writeBatch(ctx context.Context, batch []result) (left []result, err error) {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()

	var written writtenBatch
	err = w.DB.Write(ctx, func(tx database.Querier) (err error) {
		written, err = w.writeResults(ctx, tx, batch)
		return err
	})
	if err != nil {
		return nil, err
	}

	w.mu.Lock()
	defer w.mu.Unlock()

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
			w.Log.WarnContext(ctx, "a job was given up",
				"kind", r.task.Kind, "lane", r.task.Lane, "attempt", r.task.Attempt, "error", r.err)
		}

		if due, again := written.due[r.task.key]; again {
			w.noteDue(due)
		}

		if r.task.recorded && !r.postponed {
			delete(w.suspects.suspicions, r.task.key)
		}

		w.forget(r.task)
	}

	w.dispatch()
	return left, nil
}

// forget removes a job from memory. The caller holds mu.
func (w *workers) forget(t *Task) {
	w.suspects.weightOf(t.lane.kindState).open--
	delete(t.lane.inMemory, t.key)
	w.endedSinceFetch[t.key] = true
	if t.lane.kindState.inOrder {
		wakeQueueLoop(w.refill) // an ordered lane can read its next job now
	}
	if !t.lane.drainingSince.IsZero() && len(t.lane.inMemory) == 0 {
		w.Wake() // the lane can be released to another node now
	}
}

// writtenBatch describes a batch of results that was written: which leases were still held, and which jobs were locked
// by other transactions.
type writtenBatch struct {
	held   map[lease]bool
	locked map[int64]bool
	// due holds the due times of the jobs that were not deleted.
	due map[int64]time.Time
}

func (w *workers) writeResults(ctx context.Context, tx database.Querier, batch []result) (writtenBatch, error) {
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

	timesAdded, err := lockJobs(ctx, tx, keys)
	if err != nil {
		return b, err
	}

	if len(timesAdded) < len(keys) {
		if b.locked, err = existingJobs(ctx, tx, keys); err != nil {
			return b, err
		}
		for key := range timesAdded {
			delete(b.locked, key)
		}
	}

	ended, postponed := b.recordedStarts(batch)
	if err := deleteStarts(ctx, tx, ended); err != nil {
		return b, err
	}
	if err := deleteRunning(ctx, tx, postponed); err != nil {
		return b, err
	}
	if err := w.updateJobs(ctx, tx, batch, timesAdded, b.due); err != nil {
		return b, err
	}

	return b, w.reportOutcomes(ctx, tx, batch, timesAdded, b.due)
}

// recordedStarts returns the jobs whose attempts have ended, and those whose attempts were postponed, if their starts
// are recorded. The starts of a lost lease are deleted when the node registers again.
func (b *writtenBatch) recordedStarts(batch []result) (ended []int64, postponed []*Task) {
	for _, r := range batch {
		switch {
		case !r.task.recorded || !b.held[r.task.lease] || b.locked[r.task.key]:
		case r.postponed:
			postponed = append(postponed, r.task)
		default:
			ended = append(ended, r.task.key)
		}
	}
	return ended, postponed
}

// reportOutcomes calls OnResults for the results whose jobs this transaction has locked. The keys of these jobs are in
// timesAdded.
func (w *workers) reportOutcomes(ctx context.Context, tx database.Querier, batch []result, timesAdded map[int64]int64,
	due map[int64]time.Time) error {
	byKind := map[*kindState][]untypedOutcome{}
	for _, r := range batch {
		ks := r.task.lane.kindState
		if _, locked := timesAdded[r.task.key]; locked && ks.onResults != nil {
			byKind[ks] = append(byKind[ks], untypedOutcome{r.task, r.err, due[r.task.key]})
		}
	}
	for ks, outcomes := range byKind {
		if err := ks.onResults(ctx, tx, outcomes); err != nil {
			return fmt.Errorf("report outcomes of jobs of kind %s: %w", ks.name, err)
		}
	}
	return nil
}

// updateJobs writes the results of the locked jobs. It deletes jobs that are done or given up, but resets those that
// were added again while they ran. It reschedules the others.
func (w *workers) updateJobs(ctx context.Context, tx database.Querier, batch []result, timesAdded map[int64]int64,
	due map[int64]time.Time) error {
	var ended []int64
	var restarted []*Task
	var failed []result
	now := w.Now()

	for _, r := range batch {
		times, locked := timesAdded[r.task.key]
		switch {
		case !locked:
		case !r.done && !r.dead:
			failed = append(failed, r)
			due[r.task.key] = r.due
		case times == r.task.timesAdded:
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

// distinctLeases returns the leases of a batch without duplicates.
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

// errAddedAgain rolls back the writes of OnDead when the job turns out not to be given up.
var errAddedAgain = errors.New("the job was added again while it ran")

// removeDeadJob deletes a job in one transaction with the kind's OnDead function. If the job was added again while it
// ran, that transaction is rolled back and the job starts over.
//
// Lock order: callers of Add lock the domain rows before the job row. So this function calls OnDead, which locks domain
// rows, before it locks the job row.
func (w *workers) removeDeadJob(ctx context.Context, t *Task, cause error) (restarted bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()

	err = w.DB.Write(ctx, func(tx database.Querier) error {
		if err := t.Fence(ctx, tx); err != nil {
			return err
		}

		if dead := t.lane.kindState.onDead; dead != nil {
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

	return true, w.DB.Write(ctx, func(tx database.Querier) error { return t.Complete(ctx, tx) })
}
