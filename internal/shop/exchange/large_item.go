package exchange

import (
	"context"
	"time"

	"golang.org/x/sync/semaphore"

	"vitrine/internal/kit/fault"
)

// largeItemWait is how long a push waits until it may decode a large item. The push that decodes one may itself wait
// for a lock that this push holds, so the wait must end.
const largeItemWait = 10 * time.Second

// largeItems is held while an item with more than item.LargeBytes is decoded and applied. The values of such an item
// take several times its length of memory, so the process has one of them at a time.
var largeItems = semaphore.NewWeighted(1)

// largeItem is the right of one push to decode a large item.
type largeItem struct{ held bool }

// acquirer returns a function for item.Decoder.BeforeLarge. It returns fault.Unavailable if other pushes keep it
// waiting for too long.
func (l *largeItem) acquirer(ctx context.Context) func() error {
	return func() error {
		ctx, cancel := context.WithTimeout(ctx, largeItemWait)
		defer cancel()
		if err := largeItems.Acquire(ctx, 1); err != nil {
			return fault.New(fault.Unavailable, "overloaded",
				"The server is busy with other items that are as large as one of this push. Send it again shortly, or "+
					"send its values in several items.")
		}
		l.held = true
		return nil
	}
}

func (l *largeItem) release() {
	if l.held {
		l.held = false
		largeItems.Release(1)
	}
}
