package queue

import (
	"context"
	"fmt"
	"time"

	"vitrine/internal/kit/database"
)

// startRetryDelay is when a job is tried again whose start could not be recorded.
const startRetryDelay = time.Second

// startRequest asks startLoop to record the start of a job. done gets the result.
type startRequest struct {
	task *Task
	done chan error
}

// recordStart records the start of a job before it runs, if its starts are recorded. Starts at the same time share a
// commit.
func (w *workers) recordStart(ctx context.Context, t *Task) error {
	if !t.recorded {
		return nil
	}
	r := startRequest{task: t, done: make(chan error, 1)}
	select {
	case w.starts <- r:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := <-r.done; err != nil {
		return Postpone(startRetryDelay, fmt.Errorf("record the start of the job: %w", err))
	}
	return nil
}

// startLoop records starts until the channel is closed.
func (w *workers) startLoop(ctx context.Context) {
	for first := range w.starts {
		batch := []startRequest{first}
		for more := true; more && len(batch) < maxBatch; {
			select {
			case r, open := <-w.starts:
				if more = open; open {
					batch = append(batch, r)
				}
			default:
				more = false
			}
		}
		w.writeStarts(ctx, batch)
	}
}

// writeStarts records starts in one transaction. A job whose lease is lost gets ErrLost.
func (w *workers) writeStarts(ctx context.Context, batch []startRequest) {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()

	var leases []lease
	seen := map[lease]bool{}
	for _, r := range batch {
		if !seen[r.task.lease] {
			seen[r.task.lease] = true
			leases = append(leases, r.task.lease)
		}
	}

	var held map[lease]bool

	err := w.DB.Write(ctx, func(tx database.Querier) (err error) {
		if err := setPlannerOptions(ctx, tx); err != nil {
			return err
		}
		if held, err = lockLanes(ctx, tx, leases); err != nil {
			return err
		}

		keys := map[nodeID][]int64{}
		for _, r := range batch {
			if held[r.task.lease] {
				keys[r.task.lease.node] = append(keys[r.task.lease.node], r.task.key)
			}
		}

		for node, started := range keys { // one node, unless it has just been registered anew
			if err := insertStarts(ctx, tx, node, started, w.Now()); err != nil {
				return err
			}
		}

		return nil
	})

	for _, r := range batch {
		if err == nil && !held[r.task.lease] {
			r.done <- ErrLost
			continue
		}
		r.done <- err
	}
}
