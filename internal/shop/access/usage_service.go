package access

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
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
	flush, clean := time.NewTicker(flushEvery), time.NewTicker(cleanupEvery)
	defer flush.Stop()
	defer clean.Stop()
	s.deleteExpired(ctx)
	for {
		select {
		case <-flush.C:
			s.flush(ctx)
		case <-clean.C:
			s.deleteExpired(ctx)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), finalFlushTimeout)
			defer cancel()
			s.flush(last)
			return nil
		}
	}
}

// flush writes all buffered uses. After a failure it puts them back into the buffers.
func (s *Service) flush(ctx context.Context) {
	keys, sessions := s.usedKeys.drain(), s.seenSessions.drain()
	if len(keys) == 0 && len(sessions) == 0 {
		return
	}
	err := s.db.Write(ctx, func(q database.Querier) error {
		if err := updateLastUsed(ctx, q, keys); err != nil {
			return err
		}
		return updateLastSeen(ctx, q, sessions)
	})
	if err != nil {
		s.usedKeys.merge(keys)
		s.seenSessions.merge(sessions)
		s.logFailure(ctx, "cannot record the last use of keys and sessions; retrying", err)
	}
}

func (s *Service) deleteExpired(ctx context.Context) {
	err := s.db.Write(ctx, func(q database.Querier) error { return deleteExpiredSessions(ctx, q, s.moment()) })
	if err != nil {
		s.logFailure(ctx, "cannot delete expired sessions; retrying", err)
	}
}

// logFailure logs a failure unless ctx has ended: then Run's last flush retries the write.
func (s *Service) logFailure(ctx context.Context, message string, err error) {
	if ctx.Err() == nil {
		s.log.WarnContext(ctx, message, "error", err)
	}
}
