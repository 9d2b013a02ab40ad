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
func Rest(d time.Duration, err error) error { return &pause{d, err} }

type pause struct {
	length time.Duration
	cause  error
}

func (p *pause) Error() string { return fmt.Sprint(p.cause) }
func (p *pause) Unwrap() error { return p.cause }

// rest notes what an attempt says of its lane; the caller holds the lock.
func (q *Queue) rest(l *lane, failure error) {
	var p *pause
	switch {
	case failure == nil:
		l.careful = false
	case errors.As(failure, &p):
		l.rests, l.careful = q.Now().Add(p.length), true
		q.dueAt(l.rests)
	}
}

// rouseRested lets lanes go on that have rested; the caller holds the lock.
func (q *Queue) rouseRested(now time.Time) {
	for _, c := range q.crews {
		for _, l := range c.lanes {
			if !l.rests.IsZero() && !l.rests.After(now) {
				l.rests = time.Time{}
				c.position(l)
			}
		}
	}
	q.dispatch()
}

// Hasten has the jobs of these unique names run as soon as they can, with all of their schedule before them, in the caller's transaction, and returns
// which of them there are. Their lane, if it is this node's, rests no more. A job that runs meanwhile goes on by its schedule if it fails.
func (q *Queue) Hasten(ctx context.Context, tx database.Querier, kind, lane string, unique []string) (there map[string]bool, err error) {
	there, err = hastenJobs(ctx, tx, kind, unique, q.Now())
	if err != nil {
		return nil, fmt.Errorf("hasten jobs of kind %s: %w", kind, err)
	}
	tx.AfterCommit(func() { q.Rouse(kind, lane) })
	return there, nil
}

// Rouse ends the rest of a lane, if it is this node's, and has work looked for. It does not wait.
func (q *Queue) Rouse(kind, name string) {
	q.mu.Lock()
	if c := q.crews[kind]; c != nil && c.lanes[name] != nil {
		l := c.lanes[name]
		l.rests, l.careful = time.Time{}, false
		c.position(l)
	}
	q.mu.Unlock()
	q.Wake()
}
