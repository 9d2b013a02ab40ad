package queue

import (
	"context"
	"log/slog"
)

// trouble remembers whether something failed the last time, so that a database that is away is not told of each second.
type trouble struct{ failing bool }

// note logs the first failure of several in a row, unless it comes from the end of ctx.
func (t *trouble) note(ctx context.Context, log *slog.Logger, message string, err error) {
	if err != nil && ctx.Err() != nil {
		return
	}
	if err != nil && !t.failing {
		log.Warn(message, "error", err)
	}
	t.failing = err != nil
}
