package exchange

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"
)

// Run does the periodic work of the gate until ctx ends: it writes the heartbeats of running pushes, ends runs that
// were interrupted, deletes old runs, and links references that a crash left pending.
func (s *Service) Run(ctx context.Context) error {
	var group errgroup.Group
	for _, work := range []struct {
		every  time.Duration
		do     func(context.Context) error
		failed string
	}{
		{heartbeatInterval, s.writeHeartbeats, "the pushes at work were not marked as alive"},
		{heartbeatInterval, s.endInterrupted, "interrupted pushes were not ended"},
		{pruneEvery, s.prune, "old runs were not deleted"},
		{pruneEvery, s.linkPending, "what arrived before a crash was not linked"},
	} {
		group.Go(func() error {
			tick := time.NewTicker(work.every)
			defer tick.Stop()
			for {
				if err := work.do(ctx); err != nil && ctx.Err() == nil {
					s.Log.Warn(work.failed+"; it will be tried again", "error", err)
				}
				select {
				case <-ctx.Done():
					return nil
				case <-tick.C:
				}
			}
		})
	}
	return group.Wait()
}
