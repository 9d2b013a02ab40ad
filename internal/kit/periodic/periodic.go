// Package periodic runs background work at fixed intervals. It owns the tickers and the logging of failures; it does
// not know what the work is. Work that must not be lost belongs into package queue instead.
package periodic

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Task is work that is repeated.
type Task struct {
	// Name says in the log what failed, such as "delete expired sessions".
	Name  string
	Every time.Duration
	// Do does the work once. A failure is logged, and the next interval tries again.
	Do func(context.Context) error
	// Wake, if it is not nil, makes the task run before its interval is over.
	Wake <-chan struct{}
}

// Run runs each task at once and then at its interval, until ctx ends; then it waits for those that are running and
// returns nil. Tasks run concurrently with each other, but never with themselves: a task that takes longer than its
// interval skips ticks.
func Run(ctx context.Context, log *slog.Logger, tasks ...Task) error {
	var running sync.WaitGroup
	for _, task := range tasks {
		running.Go(func() { task.run(ctx, log) })
	}
	running.Wait()
	return nil
}

func (t Task) run(ctx context.Context, log *slog.Logger) {
	tick := time.NewTicker(t.Every)
	defer tick.Stop()
	for ctx.Err() == nil { // a tick and the end of ctx may be ready at the same time
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
