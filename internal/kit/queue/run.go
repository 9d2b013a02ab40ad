package queue

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// deadAgain is when the last attempt is made again if it could not be written down that the job is given up.
const deadAgain = time.Minute

// Run does the work of this node until ctx ends. Then it begins nothing more, ends the contexts of what runs and waits for it, writes the results
// down, and gives its lanes back. What did not come to its end is done by another node, or after the next start. It is called once.
func (q *Queue) Run(ctx context.Context) error {
	if !q.begin(ctx) {
		return nil
	}
	// Results are written, and the lease is kept, for as long as anything runs.
	settling, stopSettling := context.WithCancel(context.WithoutCancel(ctx))
	defer stopSettling()
	keeping, stopKeeping := context.WithCancel(context.WithoutCancel(ctx))
	defer stopKeeping()
	var settler, others sync.WaitGroup
	settler.Go(func() { q.settle(settling) })
	others.Go(func() { q.keepLease(keeping) })
	others.Go(func() { q.tally(ctx) })

	q.looks(ctx)
	q.mu.Lock()
	q.working = nil
	q.mu.Unlock()
	q.handlers.Wait()
	close(q.results)
	late := time.AfterFunc(leaveWithin, stopSettling)
	defer late.Stop()
	settler.Wait()
	stopKeeping()
	others.Wait()
	q.leave(context.WithoutCancel(ctx))
	return nil
}

// begin registers this node, as often as it takes, and returns false if ctx ends before.
func (q *Queue) begin(ctx context.Context) bool {
	q.mu.Lock()
	q.working = ctx
	q.mu.Unlock()
	var trouble trouble
	for {
		err := q.register(ctx, true)
		if err == nil {
			return true
		}
		trouble.note(ctx, q.Log, "background work could not begin; trying again", err)
		if !wait(ctx, q.pace.poll) {
			return false
		}
	}
}

// dispatch starts all that can be started; the caller holds the lock.
func (q *Queue) dispatch() {
	if q.working == nil || q.working.Err() != nil {
		return
	}
	for _, c := range q.crews {
		for t := c.begin(); t != nil; t = c.begin() {
			q.handlers.Go(func() { q.attempt(t) })
			if first, retries := t.lane.room(); first+retries > 0 {
				signal(q.refill)
			}
		}
	}
}

// attempt makes one attempt at a job, and hands its result over. It keeps its slot until that is taken: where results cannot be written,
// nothing more is begun.
func (q *Queue) attempt(t *Task) {
	l := t.lane
	failure := q.call(l.ctx, t)
	r := q.judge(t, failure)
	handed := r.task != nil && q.handOver(l.ctx, r)
	q.mu.Lock()
	defer q.mu.Unlock()
	if l.ctx.Err() == nil {
		q.rest(l, failure)
	}
	l.crew.end(l)
	if !handed {
		q.forget(t)
	}
	q.dispatch()
}

// handOver gives a result to those who write it. It returns false if they still cannot take it some time after ctx has ended; the job is done
// again then.
func (q *Queue) handOver(ctx context.Context, r result) bool {
	select {
	case q.results <- r:
		return true
	case <-ctx.Done():
	}
	late := time.NewTimer(leaveWithin)
	defer late.Stop()
	select {
	case q.results <- r:
		return true
	case <-late.C:
		return false
	}
}

// call runs the kind's function; a panic is a failure.
func (q *Queue) call(ctx context.Context, t *Task) (err error) {
	k := t.lane.crew
	if k.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, k.Timeout)
		defer cancel()
	}
	defer func() {
		if p := recover(); p != nil {
			q.Log.Error("an attempt at a job panicked", "kind", t.Kind, "lane", t.Lane, "attempt", t.Attempt, "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return k.Run(ctx, t)
}

// judge decides what follows from an attempt. The result has no task if nothing is to be written.
func (q *Queue) judge(t *Task, failure error) result {
	k := t.lane.crew
	if failure == nil {
		return result{task: t, done: true}
	}
	if t.lane.ctx.Err() != nil {
		return result{} // stopped, or lost: the attempt does not count
	}
	var unmade *postponement
	if errors.As(failure, &unmade) {
		q.Log.Info("an attempt at a job could not be made; it is made later", "kind", t.Kind, "lane", t.Lane, "after", unmade.wait, "error", failure)
		return result{task: t, err: failure, attempts: t.Attempt - 1, due: q.Now().Add(unmade.wait)}
	}
	k.count.failed.Add(1)
	if after, again := k.retry(t.Attempt, failure, q.Random()); again {
		if k.Settle == nil { // which tells of each attempt what there is to tell
			q.Log.Info("an attempt at a job failed; it is made again", "kind", t.Kind, "lane", t.Lane, "attempt", t.Attempt, "after", after, "error", failure)
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
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.lane.ctx), writeWithin)
	defer cancel()
	anew, err := q.writeDead(ctx, t, cause)
	switch {
	case errors.Is(err, ErrLost):
		return result{}
	case err != nil:
		q.Log.Error("a job could not be given up; its last attempt is made again", "kind", t.Kind, "lane", t.Lane, "cause", cause, "error", err)
		return result{task: t, attempts: t.Attempt - 1, due: q.Now().Add(deadAgain)}
	case anew:
		q.Log.Info("a job failed for the last time and was asked for meanwhile; it begins anew", "kind", t.Kind, "lane", t.Lane, "error", cause)
		q.Wake()
	default:
		t.lane.crew.count.dead.Add(1)
		q.Log.Warn("a job was given up", "kind", t.Kind, "lane", t.Lane, "attempt", t.Attempt, "error", cause)
	}
	return result{}
}
