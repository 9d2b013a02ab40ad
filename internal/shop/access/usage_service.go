package access

import (
	"context"
	"sync"
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
		periodic.Task{Name: "delete expired sessions, devices and lockouts", Every: cleanupEvery, Do: s.deleteExpired})
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
	now := s.moment()
	return s.DB.Write(ctx, func(q database.Querier) error {
		for _, deleteRows := range []func(context.Context, database.Querier, time.Time) error{
			deleteExpiredOperatorSessions, deleteExpiredDevices, deleteOldLockouts, deleteOldEmailChanges,
		} {
			if err := deleteRows(ctx, q, now); err != nil {
				return err
			}
		}
		return nil
	})
}

// minUsageInterval is the minimum time between two writes of the last use of one key or session.
const minUsageInterval = time.Minute

// usageBuffer buffers times of last use until they are written to the database. The zero value is ready to use.
type usageBuffer[K comparable] struct {
	mu      sync.Mutex
	lastUse map[K]time.Time
}

// record buffers a use. The parameter written is the time of the last stored use, or nil if none is stored. A use less
// than minUsageInterval after that time is ignored.
func (b *usageBuffer[K]) record(key K, at time.Time, written *time.Time) {
	if written != nil && at.Sub(*written) < minUsageInterval {
		return
	}
	b.merge(map[K]time.Time{key: at})
}

// drain returns the buffered uses and empties the buffer.
func (b *usageBuffer[K]) drain() map[K]time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	drained := b.lastUse
	b.lastUse = nil
	return drained
}

// merge adds uses, for example those of a failed write. The latest use of each key wins.
func (b *usageBuffer[K]) merge(uses map[K]time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lastUse == nil {
		b.lastUse = make(map[K]time.Time, len(uses))
	}
	for key, at := range uses {
		if at.After(b.lastUse[key]) {
			b.lastUse[key] = at
		}
	}
}
