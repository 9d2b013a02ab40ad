// Package periodic runs background work at fixed intervals. It owns the tickers and the logging of failures, and does
// not know what the work is. Work that must not be lost belongs in package queue instead.
package periodic

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Task is work that Run repeats.
type Task struct {
	// Name identifies the task in log messages, such as "delete expired sessions".
	Name  string
	Every time.Duration
	// Do does the work once. Its error is logged, and the task runs again after the next interval.
	Do func(context.Context) error
	// A value received from Wake, if it is not nil, makes the task run before its interval is over.
	Wake <-chan struct{}
}

// Run runs each task immediately and then at its interval. When ctx ends, Run waits for the running tasks and returns
// nil. Different tasks run concurrently. A task never runs concurrently with itself: if it takes longer than its
// interval, it skips ticks.
func Run(ctx context.Context, log *slog.Logger, tasks ...Task) error {
	var running sync.WaitGroup
	for _, task := range tasks {
		running.Go(func() { task.runRepeatedly(ctx, log) })
	}
	running.Wait()
	return nil
}

func (t Task) runRepeatedly(ctx context.Context, log *slog.Logger) {
	tick := time.NewTicker(t.Every)
	defer tick.Stop()
	for ctx.Err() == nil { // select may choose a tick although ctx has ended
		if err := t.Do(ctx); err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "periodic task failed; it will be retried", "task", t.Name, "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-t.Wake:
		case <-tick.C:
		}
	}
}
