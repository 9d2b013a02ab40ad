package queue

import (
	"context"
	"log/slog"
)

// failureLog remembers whether something failed the last time, so that a database that is away is not told of each second.
type failureLog struct{ failing bool }

// report logs the first failure of several in a row, unless it comes from the end of ctx.
func (f *failureLog) report(ctx context.Context, log *slog.Logger, message string, err error) {
	if err != nil && ctx.Err() != nil {
		return
	}
	if err != nil && !f.failing {
		log.WarnContext(ctx, message, "error", err)
	}
	f.failing = err != nil
}
