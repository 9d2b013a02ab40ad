package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/kit/database"
)

// Task is one attempt at a job.
type Task struct {
	Kind, Lane string
	Payload    []byte
	// Attempt is 1 at first.
	Attempt int
	// AddedAt is when the job was added.
	AddedAt time.Time
	// Note is what Run leaves for Settle. It may be nil.
	Note any

	key     int64
	due     int64 // in microseconds
	asked   int64
	isRetry bool
	last    bool
	lane    *leasedLane
	lease   lease
	now     func() time.Time
}

// Last reports whether the job is given up if this attempt fails.
func (t *Task) Last() bool { return t.last }

// Fence returns ErrLost unless the job's lane is still this node's, and keeps it so until the caller's transaction ends. Whoever writes on behalf of a
// job begins each transaction with it, or ends it with Complete.
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

// Complete completes the job in the caller's transaction: what that does and that the job is done are one commit. It returns ErrLost where
// Fence would, and if the job was cancelled. Run returns nil after the commit; if that failed, its error.
func (t *Task) Complete(ctx context.Context, tx database.Querier) error {
	if err := t.Fence(ctx, tx); err != nil {
		return err
	}
	_, err := t.finish(ctx, tx)
	return err
}

// finish removes the job, or has it begin anew if it was asked for since it was read; it returns ErrLost if the job was cancelled.
func (t *Task) finish(ctx context.Context, tx database.Querier) (restarted bool, err error) {
	asked, err := lockJob(ctx, tx, t.key)
	switch {
	case errors.Is(err, database.ErrNoRows):
		return false, ErrLost
	case err != nil:
		return false, err
	case asked != t.asked:
		return true, resetJobs(ctx, tx, []*Task{t}, t.now())
	}
	return false, deleteJobs(ctx, tx, []int64{t.key})
}

// Abort wraps the error of an attempt after which no other can succeed: the job is given up at once.
func Abort(err error) error { return &abortError{err} }

type abortError struct{ cause error }

func (a *abortError) Error() string { return fmt.Sprint(a.cause) }
func (a *abortError) Unwrap() error { return a.cause }

// Later wraps the error of an attempt after which the next may not come before d has passed, such as a Retry-After; the schedule
// may say later still. It makes no attempt more than the schedule has.
func Later(d time.Duration, err error) error { return &retryAfterError{d, err} }

type retryAfterError struct {
	minDelay time.Duration
	cause    error
}

func (d *retryAfterError) Error() string { return fmt.Sprint(d.cause) }
func (d *retryAfterError) Unwrap() error { return d.cause }

// Postpone wraps the reason why an attempt was not made at all: it does not count, and is made once d has passed.
func Postpone(d time.Duration, err error) error { return &postponeError{d, err} }

type postponeError struct {
	wait  time.Duration
	cause error
}

func (p *postponeError) Error() string { return fmt.Sprint(p.cause) }
func (p *postponeError) Unwrap() error { return p.cause }
