package access

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/periodic"
)

const (
	flushEvery   = 5 * time.Second
	cleanupEvery = 10 * time.Minute
	// finalFlushTimeout limits the last flush, at shutdown.
	finalFlushTimeout = 5 * time.Second
)

// Run writes the times of last use of keys and sessions and deletes expired sessions, until ctx ends. Then it writes
// the remaining times and returns nil. It logs failed writes and retries them. One Run per process suffices.
func (s *Service) Run(ctx context.Context) error {
	err := periodic.Run(ctx, s.Log,
		periodic.Task{Name: "record the last use of keys and sessions", Every: flushEvery, Do: s.flush},
		periodic.Task{Name: "delete expired sessions", Every: cleanupEvery, Do: s.deleteExpired})
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), finalFlushTimeout)
	defer cancel()
	if flushErr := s.flush(last); flushErr != nil {
		s.Log.WarnContext(last, "cannot record the last use of keys and sessions at shutdown", "error", flushErr)
	}
	return err
}

// flush writes all buffered uses. After a failure it puts them back into the buffers.
func (s *Service) flush(ctx context.Context) error {
	keys, sessions := s.usedKeys.drain(), s.seenSessions.drain()
	if len(keys) == 0 && len(sessions) == 0 {
		return nil
	}
	err := s.DB.Write(ctx, func(q database.Querier) error {
		if err := updateLastUsed(ctx, q, keys); err != nil {
			return err
		}
		return updateLastSeen(ctx, q, sessions)
	})
	if err != nil {
		s.usedKeys.merge(keys)
		s.seenSessions.merge(sessions)
	}
	return err
}

func (s *Service) deleteExpired(ctx context.Context) error {
	return s.DB.Write(ctx, func(q database.Querier) error { return deleteExpiredSessions(ctx, q, s.moment()) })
}
