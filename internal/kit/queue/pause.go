package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/kit/database"
)

// Rest wraps the error of an attempt after which nothing of its lane is begun on this node before d has passed: what the lane stands for has
// failed so often that others would only fail too, and use up their attempts. Then jobs are begun one at a time until one succeeds.
// The attempt itself counts; Abort and Later may be inside.
func Rest(d time.Duration, err error) error { return &pauseError{d, err} }

type pauseError struct {
	duration time.Duration
	cause    error
}

func (p *pauseError) Error() string { return fmt.Sprint(p.cause) }
func (p *pauseError) Unwrap() error { return p.cause }

// applyPause notes what an attempt says of its lane; the caller holds the lock.
func (q *Queue) applyPause(l *leasedLane, failure error) {
	var p *pauseError
	switch {
	case failure == nil:
		l.probing = false
	case errors.As(failure, &p):
		l.pausedUntil, l.probing = q.Now().Add(p.duration), true
		q.noteDue(l.pausedUntil)
	}
}

// resumePaused lets lanes go on that have rested; the caller holds the lock.
func (q *Queue) resumePaused(now time.Time) {
	for _, ks := range q.kinds {
		for _, l := range ks.lanes {
			if !l.pausedUntil.IsZero() && !l.pausedUntil.After(now) {
				l.pausedUntil = time.Time{}
				ks.updateReady(l)
			}
		}
	}
	q.dispatch()
}

// Hasten has the jobs of these unique names run as soon as they can, with all of their schedule before them, in the caller's transaction, and returns
// which of them there are. Their lane, if it is this node's, rests no more. A job that runs meanwhile goes on by its schedule if it fails.
func (q *Queue) Hasten(ctx context.Context, tx database.Querier, kind, lane string, unique []string) (found map[string]bool, err error) {
	found, err = makeJobsDue(ctx, tx, kind, unique, q.Now())
	if err != nil {
		return nil, fmt.Errorf("run jobs of kind %s now: %w", kind, err)
	}
	tx.AfterCommit(func() { q.Rouse(kind, lane) })
	return found, nil
}

// Rouse ends the rest of a lane, if it is this node's, and has work looked for. It does not wait.
func (q *Queue) Rouse(kind, name string) {
	q.mu.Lock()
	if ks := q.kinds[kind]; ks != nil && ks.lanes[name] != nil {
		l := ks.lanes[name]
		l.pausedUntil, l.probing = time.Time{}, false
		ks.updateReady(l)
	}
	q.mu.Unlock()
	q.Wake()
}
