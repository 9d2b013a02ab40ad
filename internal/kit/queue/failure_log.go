package queue

import (
	"context"
	"log/slog"
)

// failureLog logs only the first of several failures in a row, so that a database outage does not log every second.
type failureLog struct{ failing bool }

// report records the result of one try. It ignores errors that come after the end of ctx.
func (f *failureLog) report(ctx context.Context, log *slog.Logger, message string, err error) {
	if err != nil && ctx.Err() != nil {
		return
	}
	if err != nil && !f.failing {
		log.WarnContext(ctx, message, "error", err)
	}
	f.failing = err != nil
}
