package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/kit/database"
)

// Task is one attempt at a job of any kind.
type Task struct {
	Kind, Lane string
	// Attempt is the number of this attempt, starting with 1.
	Attempt int
	// AddedAt is the time at which the job was added.
	AddedAt time.Time

	key     int64
	payload []byte
	// typed is the *TaskOf of the running attempt. Only the methods of its Kind use it.
	typed any
	due   int64 // in microseconds
	// timesAdded is how often the job was added before this attempt. If it was added again meanwhile, it runs again.
	timesAdded int64
	isRetry    bool
	// isSuspect says that the job may be why processes died that were running it: see suspicion.isSuspect. deaths is
	// how many of these deaths count against the job, and mustPark says that they are too many: the attempt parks the
	// job instead of running it.
	isSuspect bool
	deaths    int
	mustPark  bool
	// recorded says that the start of this attempt is recorded, so that its end must delete the record.
	recorded bool
	lane     *leasedLane
	lease    lease
	now      func() time.Time
}

// Fence locks the lane's lease until the caller's transaction ends. It returns ErrLost if this node no longer holds the
// lease. Every transaction that writes for a job must begin with Fence, or end with Complete.
func (t *Task) Fence(ctx context.Context, tx database.Querier) error {
	held, err := lockLanes(ctx, tx, []lease{t.lease})
	if err != nil {
		return err
	}
	if !held[t.lease] {
		return ErrLost
	}
	return nil
}

// Complete completes the job in the caller's transaction, so that the writes of the job and its completion commit
// together. It returns ErrLost if this node no longer holds the lease or if the job was cancelled. After the commit,
// Run must return nil; if the commit failed, Run must return the error.
func (t *Task) Complete(ctx context.Context, tx database.Querier) error {
	if err := t.Fence(ctx, tx); err != nil {
		return err
	}
	_, err := t.finish(ctx, tx)
	return err
}

// finish deletes the job. If the job was added again since it was read, finish resets it instead, so that it starts
// over. It returns ErrLost if the job was cancelled.
func (t *Task) finish(ctx context.Context, tx database.Querier) (restarted bool, err error) {
	if t.recorded {
		if err := deleteStarts(ctx, tx, []int64{t.key}); err != nil {
			return false, err
		}
	}
	timesAdded, err := lockJob(ctx, tx, t.key)
	switch {
	case errors.Is(err, database.ErrNoRows):
		return false, ErrLost
	case err != nil:
		return false, err
	case timesAdded != t.timesAdded:
		return true, resetJobs(ctx, tx, []*Task{t}, t.now())
	}
	return false, deleteJobs(ctx, tx, []int64{t.key})
}

// Abort wraps the error of an attempt if retries are useless: the job is given up at once.
func Abort(err error) error { return &abortError{err} }

type abortError struct{ cause error }

func (a *abortError) Error() string { return fmt.Sprint(a.cause) }
func (a *abortError) Unwrap() error { return a.cause }

// RetryAfter wraps the error of an attempt and sets a minimum delay d before the next attempt, such as the value of a
// Retry-After header. The delay is longer if the schedule says so. The maximum number of attempts does not change.
func RetryAfter(d time.Duration, err error) error { return &retryAfterError{d, err} }

type retryAfterError struct {
	minDelay time.Duration
	cause    error
}

func (d *retryAfterError) Error() string { return fmt.Sprint(d.cause) }
func (d *retryAfterError) Unwrap() error { return d.cause }

// Postpone wraps the reason why an attempt could not be made. The attempt does not count and is repeated after d.
func Postpone(d time.Duration, err error) error { return &postponeError{d, err} }

type postponeError struct {
	wait  time.Duration
	cause error
}

func (p *postponeError) Error() string { return fmt.Sprint(p.cause) }
func (p *postponeError) Unwrap() error { return p.cause }

// jitter is the largest relative deviation of a retry delay. It spreads the retries of jobs that failed together.
const jitter = 0.2

// retryDelay returns the delay after a failed attempt, or false if the job is given up. random is in [0, 1).
func (ks *kindState) retryDelay(attempt int, failure error, random float64) (time.Duration, bool) {
	var abort *abortError
	if attempt > len(ks.retries) || errors.As(failure, &abort) {
		return 0, false
	}
	wait := time.Duration(float64(ks.retries[attempt-1]) * (1 - jitter + 2*jitter*random))
	var retryAfter *retryAfterError
	if errors.As(failure, &retryAfter) {
		wait = max(wait, retryAfter.minDelay)
	}
	return wait, true
}
