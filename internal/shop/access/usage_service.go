package access

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
)

const (
	flushEvery   = 5 * time.Second
	cleanupEvery = 10 * time.Minute
	// finalFlushTimeout bounds the last flush, when the program is on its way out.
	finalFlushTimeout = 5 * time.Second
)

// Run writes down when keys and sessions were last used and deletes sessions that have ended, until ctx ends; then it writes
// what is left and returns nil. What could not be written is logged and tried again. One Run a process is enough.
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

// flush writes all uses gathered so far, or keeps them for the next time.
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

// logFailure logs a failure, unless it comes from the end of ctx: what is left then is done by Run's last flush.
func (s *Service) logFailure(ctx context.Context, message string, err error) {
	if ctx.Err() == nil {
		s.log.WarnContext(ctx, message, "error", err)
	}
}
