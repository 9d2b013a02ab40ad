package queue

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// deadRetryDelay is when the last attempt is made again if it could not be written down that the job is given up.
const deadRetryDelay = time.Minute

// Run does the work of this node until ctx ends. Then it begins nothing more, ends the contexts of what runs and waits for it, writes the results
// down, and gives its lanes back. What did not come to its end is done by another node, or after the next start. It is called once.
func (q *Queue) Run(ctx context.Context) error {
	if !q.start(ctx) {
		return nil
	}
	// Results are written, and the lease is kept, for as long as anything runs.
	writeCtx, stopWriting := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWriting()
	leaseCtx, stopRenewing := context.WithCancel(context.WithoutCancel(ctx))
	defer stopRenewing()
	var writer, others sync.WaitGroup
	writer.Go(func() { q.writeLoop(writeCtx) })
	others.Go(func() { q.renewLoop(leaseCtx) })
	others.Go(func() { q.countLoop(ctx) })

	q.pollLoop(ctx)
	q.mu.Lock()
	q.attemptCtx = nil
	q.mu.Unlock()
	q.attempts.Wait()
	close(q.results)
	timeout := time.AfterFunc(shutdownTimeout, stopWriting)
	defer timeout.Stop()
	writer.Wait()
	stopRenewing()
	others.Wait()
	q.deregister(context.WithoutCancel(ctx))
	return nil
}

// start registers this node, as often as it takes, and returns false if ctx ends before.
func (q *Queue) start(ctx context.Context) bool {
	q.mu.Lock()
	q.attemptCtx = ctx
	q.mu.Unlock()
	var failures failureLog
	for {
		err := q.register(ctx, true)
		if err == nil {
			return true
		}
		failures.report(ctx, q.Log, "cannot register the node for background jobs; retrying", err)
		if !sleep(ctx, q.timings.pollInterval) {
			return false
		}
	}
}

// dispatch starts all that can be started; the caller holds the lock.
func (q *Queue) dispatch() {
	if q.attemptCtx == nil || q.attemptCtx.Err() != nil {
		return
	}
	for _, ks := range q.kinds {
		for t := ks.startNext(); t != nil; t = ks.startNext() {
			q.attempts.Go(func() { q.runAttempt(t) })
			if first, retries := t.lane.refillCounts(); first+retries > 0 {
				signal(q.refill)
			}
		}
	}
}

// runAttempt makes one attempt at a job, and hands its result over. It keeps its slot until that is taken: where results cannot be written,
// nothing more is begun.
func (q *Queue) runAttempt(t *Task) {
	l := t.lane
	failure := q.callRun(l.ctx, t)
	r := q.resultOf(t, failure)
	sent := r.task != nil && q.sendResult(l.ctx, r)
	q.mu.Lock()
	defer q.mu.Unlock()
	if l.ctx.Err() == nil {
		q.applyPause(l, failure)
	}
	l.kindState.releaseSlot(l)
	if !sent {
		q.forget(t)
	}
	q.dispatch()
}

// sendResult gives a result to those who write it. It returns false if they still cannot take it some time after ctx has ended; the job is done
// again then.
func (q *Queue) sendResult(ctx context.Context, r result) bool {
	select {
	case q.results <- r:
		return true
	case <-ctx.Done():
	}
	timeout := time.NewTimer(shutdownTimeout)
	defer timeout.Stop()
	select {
	case q.results <- r:
		return true
	case <-timeout.C:
		return false
	}
}

// callRun runs the kind's function; a panic is a failure.
func (q *Queue) callRun(ctx context.Context, t *Task) (err error) {
	k := t.lane.kindState
	if k.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, k.Timeout)
		defer cancel()
	}
	defer func() {
		if p := recover(); p != nil {
			q.Log.ErrorContext(ctx, "an attempt at a job panicked",
				"kind", t.Kind, "lane", t.Lane, "attempt", t.Attempt, "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return k.Run(ctx, t)
}

// resultOf decides what follows from an attempt. The result has no task if nothing is to be written.
func (q *Queue) resultOf(t *Task, failure error) result {
	k := t.lane.kindState
	if failure == nil {
		return result{task: t, done: true}
	}
	if t.lane.ctx.Err() != nil {
		return result{} // stopped, or lost: the attempt does not count
	}
	var postponed *postponeError
	if errors.As(failure, &postponed) {
		q.Log.InfoContext(t.lane.ctx, "an attempt at a job was postponed",
			"kind", t.Kind, "lane", t.Lane, "after", postponed.wait, "error", failure)
		return result{task: t, err: failure, attempts: t.Attempt - 1, due: q.Now().Add(postponed.wait)}
	}
	k.count.failed.Add(1)
	if after, again := k.retryDelay(t.Attempt, failure, q.Random()); again {
		if k.Settle == nil { // which tells of each attempt what there is to tell
			q.Log.InfoContext(t.lane.ctx, "an attempt at a job failed; it will be retried",
				"kind", t.Kind, "lane", t.Lane, "attempt", t.Attempt, "after", after, "error", failure)
		}
		return result{task: t, err: failure, attempts: t.Attempt, due: q.Now().Add(after)}
	}
	if k.Settle != nil {
		return result{task: t, err: failure, dead: true}
	}
	return q.giveUp(t, failure)
}

// giveUp removes a job for which there are no more attempts, together with what its kind does then.
func (q *Queue) giveUp(t *Task, cause error) result {
	// It is done even if the program is told to stop meanwhile: the attempt was made.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.lane.ctx), writeTimeout)
	defer cancel()
	restarted, err := q.removeDeadJob(ctx, t, cause)
	switch {
	case errors.Is(err, ErrLost):
		return result{}
	case err != nil:
		q.Log.ErrorContext(ctx, "cannot give up a job; its last attempt will be repeated",
			"kind", t.Kind, "lane", t.Lane, "cause", cause, "error", err)
		return result{task: t, attempts: t.Attempt - 1, due: q.Now().Add(deadRetryDelay)}
	case restarted:
		q.Log.InfoContext(ctx, "a job failed for the last time but was added again while it ran; it starts over",
			"kind", t.Kind, "lane", t.Lane, "error", cause)
		q.Wake()
	default:
		t.lane.kindState.count.dead.Add(1)
		q.Log.WarnContext(ctx, "a job was given up", "kind", t.Kind, "lane", t.Lane, "attempt", t.Attempt, "error", cause)
	}
	return result{}
}
