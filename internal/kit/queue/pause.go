package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/kit/database"
)

// PauseLane wraps the error of an attempt and pauses its lane on this node for d. It is for a lane whose target has
// failed so often that further jobs would only fail and use up their attempts. After the pause, jobs of the lane run
// one at a time until one succeeds. The failed attempt counts; err may wrap Abort or RetryAfter.
func PauseLane(d time.Duration, err error) error { return &pauseError{d, err} }

type pauseError struct {
	duration time.Duration
	cause    error
}

func (p *pauseError) Error() string { return fmt.Sprint(p.cause) }
func (p *pauseError) Unwrap() error { return p.cause }

// applyPause pauses the lane if the attempt asked for it, and ends probing after a success. The caller holds mu.
func (w *workers) applyPause(l *leasedLane, failure error) {
	var p *pauseError
	switch {
	case failure == nil:
		l.probing = false
	case errors.As(failure, &p):
		l.pausedUntil = w.Now().Add(p.duration)
		l.probing = true
		w.noteDue(l.pausedUntil)
	}
}

// resumePaused resumes the lanes whose pause is over. The caller holds mu.
func (p *poller) resumePaused(now time.Time) {
	for l := range p.leasedLanes() {
		if !l.pausedUntil.IsZero() && !l.pausedUntil.After(now) {
			l.pausedUntil = time.Time{}
			l.kindState.updateReady(l)
		}
	}
	p.workers.dispatch()
}

// RunNow makes the jobs with these unique names due now and resets their attempts, in the caller's transaction. Parked
// jobs are tried again, without a call of OnUnpark. It returns the names that exist. After the commit the lane is
// resumed, on whichever node leases it. If a job is running and the attempt fails, the attempt's own retry time
// applies.
func (q *Queue) RunNow(ctx context.Context, tx database.Querier, kind, lane string,
	unique []string) (found map[string]bool, err error) {
	keys, err := parkedKeys(ctx, tx, kind, unique)
	if err == nil && len(keys) > 0 {
		q.mu.Lock()
		ks := q.kinds[kind]
		q.mu.Unlock()
		err = q.moveBack(ctx, tx, ks, keys)
	}

	if err != nil {
		return nil, fmt.Errorf("try parked jobs of kind %s again: %w", kind, err)
	}

	found, err = makeJobsDue(ctx, tx, kind, unique, q.Now())
	if err != nil {
		return nil, fmt.Errorf("run jobs of kind %s now: %w", kind, err)
	}

	tx.AfterCommit(func() { q.ResumeLane(kind, lane) })
	return found, nil
}

// ResumeLane ends the pause of a lane and polls for its jobs, on whichever node leases it. It does not block.
func (q *Queue) ResumeLane(kind, name string) {
	q.mu.Lock()
	leased := q.resumeLane(laneName{kind, name})
	q.mu.Unlock()
	q.Wake()
	if !leased {
		q.peers.notifyResumed(laneName{kind, name})
	}
}

// resumeLane ends the pause of a lane if this node leases it, and reports whether it does. The caller holds mu.
func (c *core) resumeLane(name laneName) (leased bool) {
	ks := c.kinds[name.kind]
	if ks == nil || ks.lanes[name.lane] == nil {
		return false
	}
	l := ks.lanes[name.lane]
	l.pausedUntil = time.Time{}
	l.probing = false
	ks.updateReady(l)
	return true
}
