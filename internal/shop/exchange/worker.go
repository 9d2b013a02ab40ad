package exchange

import (
	"context"

	"vitrine/internal/kit/periodic"
)

// Run does the periodic work of the gate until ctx ends: it writes the heartbeats of running pushes, ends runs that
// were interrupted, deletes old runs, and links references that a crash left pending.
func (s *Service) Run(ctx context.Context) error {
	return periodic.Run(ctx, s.Log,
		periodic.Task{Name: "write heartbeats of pushes", Every: heartbeatInterval, Do: s.writeHeartbeats},
		periodic.Task{Name: "end interrupted pushes", Every: heartbeatInterval, Do: s.endInterrupted},
		periodic.Task{Name: "delete old runs", Every: pruneEvery, Do: s.prune},
		periodic.Task{Name: "link pending references", Every: pruneEvery, Do: s.linkPending},
	)
}
