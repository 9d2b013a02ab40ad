package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"vitrine/internal/kit/trace"
)

// deadRetryDelay is the delay before the last attempt is repeated, if the transaction that gives up the job failed.
const deadRetryDelay = time.Minute

// workers runs the attempts of this node and writes their results.
type workers struct {
	*core
	suspects *suspectQueue
	results  chan result
	starts   chan startRequest
	attempts sync.WaitGroup
	// attemptCtx is the parent context of all attempts. It is nil before Run, and during shutdown when no more attempts
	// may start.
	attemptCtx context.Context
	// endedSinceFetch holds the keys of the jobs that ended since the last fetch began: the snapshot of that fetch may
	// still contain them.
	endedSinceFetch map[int64]bool
}

func newWorkers(shared *core, suspects *suspectQueue) *workers {
	return &workers{core: shared, suspects: suspects, results: make(chan result, 2*maxBatch),
		starts: make(chan startRequest, maxBatch), endedSinceFetch: map[int64]bool{}}
}

// Run runs the jobs of this node until ctx ends. Then it starts no more attempts, cancels the running ones and waits
// for them, writes their results, and releases its lanes. Unfinished jobs are run by another node or after a restart.
// Run must be called only once.
func (q *Queue) Run(ctx context.Context) error {
	if !q.start(ctx) {
		return nil
	}

	// The goroutines that write results and renew the lease outlive ctx: they stop after the last attempt. The notifier
	// stops last.
	writeCtx, stopWriting := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWriting()

	leaseCtx, stopRenewing := context.WithCancel(context.WithoutCancel(ctx))
	defer stopRenewing()

	notifyCtx, stopNotifying := context.WithCancel(context.WithoutCancel(ctx))
	defer stopNotifying()

	var writer, others, notifier sync.WaitGroup
	notifier.Go(func() { q.peers.notifier.Run(notifyCtx) })
	writer.Go(func() { q.workers.writeLoop(writeCtx) })
	others.Go(func() { q.workers.startLoop(writeCtx) })
	others.Go(func() { q.membership.renewLoop(leaseCtx) })
	others.Go(func() { q.countLoop(ctx) })

	q.poller.loop(ctx)
	q.mu.Lock()
	q.workers.attemptCtx = nil
	q.mu.Unlock()
	q.workers.attempts.Wait()
	close(q.workers.starts)
	close(q.workers.results)
	timeout := time.AfterFunc(shutdownTimeout, stopWriting)
	defer timeout.Stop()

	writer.Wait()
	stopRenewing()
	others.Wait()
	q.membership.deregister(context.WithoutCancel(ctx))
	q.peers.notifyUnleased() // other nodes claim the released lanes now
	stopNotifying()
	notifier.Wait()

	return nil
}

// start registers this node, with retries. It returns false if ctx ends first.
func (q *Queue) start(ctx context.Context) bool {
	q.mu.Lock()
	q.workers.attemptCtx = ctx
	q.mu.Unlock()
	var failures failureLog
	for {
		err := q.membership.register(ctx, true)
		if err == nil {
			return true
		}
		failures.report(ctx, q.Log, "cannot register the node for background jobs; retrying", err)
		if !waitInQueueLoop(ctx, q.timings.pollInterval) {
			return false
		}
	}
}

// dispatch starts jobs while there are free slots. The caller holds mu.
func (w *workers) dispatch() {
	for t := w.startNext(); t != nil; t = w.startNext() {
		w.attempts.Go(func() { w.runAttempts(t) })
	}
}

// runAttempts runs a job, and then other jobs for as long as there are any to start: a new goroutine for each would
// have to grow its stack again.
func (w *workers) runAttempts(t *Task) {
	for t != nil {
		t = w.runAttempt(t)
	}
}

// startNext returns a job to start now, or nil. The caller holds mu.
func (w *workers) startNext() *Task {
	if w.attemptCtx == nil || w.attemptCtx.Err() != nil {
		return nil
	}

	if t := w.suspects.start(); t != nil {
		t.recorded = !t.mustPark
		return t
	}

	for _, ks := range w.kinds {
		weight := w.suspects.weightOf(ks)
		if !weight.mayStart(w.Now()) {
			continue
		}

		if t := ks.startNext(); t != nil {
			weight.open++
			_, died := w.suspects.suspicions[t.key]
			t.recorded = !ks.light || died || w.suspects.isCautious()
			if first, retries := t.lane.refillCounts(); first+retries > 0 {
				wakeQueueLoop(w.refill)
			}
			return t
		}
	}

	return nil
}

// runAttempt makes one attempt at a job and sends its result to the writer. The attempt keeps its slot until the writer
// accepts the result: if results cannot be written, no more jobs start. It returns the next job for the same goroutine,
// or nil.
func (w *workers) runAttempt(t *Task) (next *Task) {
	l := t.lane
	var failure error
	var r result
	if t.mustPark {
		r = w.park(t)
	} else {
		if failure = w.recordStart(l.ctx, t); failure == nil {
			failure = w.callRun(l.ctx, t)
		}
		r = w.resultOf(t, failure)
	}

	sent := r.task != nil && w.sendResult(l.ctx, r)
	w.mu.Lock()
	defer w.mu.Unlock()

	if l.ctx.Err() == nil && !t.mustPark {
		w.applyPause(l, failure)
	}

	l.kindState.releaseSlot(l)
	w.suspects.end(t)

	if !sent {
		w.forget(t)
	}

	next = w.startNext()
	w.dispatch()
	return next
}

// sendResult sends a result to writeLoop. It returns false if the channel is still full shutdownTimeout after the end
// of ctx; the job is then run again.
func (w *workers) sendResult(ctx context.Context, r result) bool {
	select {
	case w.results <- r:
		return true
	case <-ctx.Done():
	}
	timeout := time.NewTimer(shutdownTimeout)
	defer timeout.Stop()
	select {
	case w.results <- r:
		return true
	case <-timeout.C:
		return false
	}
}

// callRun calls the kind's Run function, in a trace of its own. A panic counts as a failed attempt.
func (w *workers) callRun(ctx context.Context, t *Task) (err error) {
	k := t.lane.kindState
	ctx, span := w.startSpan(ctx, t)
	defer func() {
		if err != nil {
			span.Fail("attempt_failed")
		}
		span.End()
	}()

	if k.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, k.timeout)
		defer cancel()
	}
	defer func() {
		if p := recover(); p != nil {
			w.Log.ErrorContext(ctx, "an attempt at a job panicked",
				"kind", t.Kind, "lane", t.Lane, "attempt", t.Attempt, "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", p)
		}
	}()

	return k.run(ctx, t)
}

// startSpan starts the trace of an attempt. Its lag is how long the job was due.
func (w *workers) startSpan(ctx context.Context, t *Task) (context.Context, trace.Span) {
	ctx, span := w.Tracer.StartJob(ctx, t.lane.kindState.spanName)
	if span.Recording() {
		span.String("vitrine.job.kind", t.Kind)
		span.String("vitrine.job.lane", t.Lane)
		span.Int("vitrine.job.attempt", int64(t.Attempt))
		due := t.AddedAt
		if t.Attempt > 1 {
			due = time.UnixMicro(t.due)
		}
		span.Millis("vitrine.job.lag_ms", max(0, w.Now().Sub(due)))
	}
	return ctx, span
}

// resultOf returns the result of an attempt. The result has no task if there is nothing to write.
func (w *workers) resultOf(t *Task, failure error) result {
	k := t.lane.kindState
	if failure == nil {
		return result{task: t, done: true}
	}
	if t.lane.ctx.Err() != nil {
		return result{} // shutdown or lost lease: the attempt does not count
	}

	var postponed *postponeError
	if errors.As(failure, &postponed) {
		w.Log.InfoContext(t.lane.ctx, "an attempt at a job was postponed",
			"kind", t.Kind, "lane", t.Lane, "after_ms", postponed.wait.Milliseconds(), "error", failure)
		return result{task: t, postponed: true, err: failure, attempts: t.Attempt - 1, due: w.Now().Add(postponed.wait)}
	}

	k.count.failed.Add(1)

	if after, again := k.retryDelay(t.Attempt, failure, w.Random()); again {
		if k.onResults == nil { // kinds with OnResults log their attempts themselves
			level := slog.LevelInfo
			if k.warnOfRetries {
				level = slog.LevelWarn
			}
			w.Log.Log(t.lane.ctx, level, "an attempt at a job failed; it will be retried",
				"kind", t.Kind, "lane", t.Lane, "attempt", t.Attempt, "after_ms", after.Milliseconds(),
				"error", failure)
		}

		return result{task: t, err: failure, attempts: t.Attempt, due: w.Now().Add(after)}
	}

	if k.onResults != nil {
		return result{task: t, err: failure, dead: true}
	}

	return w.giveUp(t, failure)
}

// giveUp deletes a job after its last attempt, in one transaction with the kind's OnDead function.
func (w *workers) giveUp(t *Task, cause error) result {
	// The attempt was made, so the transaction is completed even during shutdown.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.lane.ctx), writeTimeout)
	defer cancel()

	restarted, err := w.removeDeadJob(ctx, t, cause)
	switch {
	case errors.Is(err, ErrLost):
		return result{}
	case err != nil:
		w.Log.ErrorContext(ctx, "cannot give up a job; its last attempt will be repeated",
			"kind", t.Kind, "lane", t.Lane, "cause", cause, "error", err)
		return result{task: t, attempts: t.Attempt - 1, due: w.Now().Add(deadRetryDelay)}
	case restarted:
		w.Log.InfoContext(ctx, "a job failed for the last time but was added again while it ran; it starts over",
			"kind", t.Kind, "lane", t.Lane, "error", cause)
		w.Wake()
	default:
		t.lane.kindState.count.dead.Add(1)
		w.Log.WarnContext(ctx, "a job was given up", "kind", t.Kind, "lane", t.Lane, "attempt", t.Attempt,
			"error", cause)
	}

	return result{}
}

// failureLog logs only the first of several failures in a row, so that a database outage does not log every second.
type failureLog struct{ failing bool }

// report logs err if the previous call reported no error. It ignores errors that come after the end of ctx.
func (f *failureLog) report(ctx context.Context, log *slog.Logger, message string, err error) {
	if err != nil && ctx.Err() != nil {
		return
	}
	if err != nil && !f.failing {
		log.WarnContext(ctx, message, "error", err)
	}
	f.failing = err != nil
}
