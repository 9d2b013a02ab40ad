package access

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/periodic"
)

const (
	flushEvery = 5 * time.Second
	// finalFlushTimeout limits the last flush, at shutdown.
	finalFlushTimeout = 5 * time.Second
)

// MinUsageInterval is the minimum time between two writes of the last use of one key or session.
const MinUsageInterval = time.Minute

// UsageBuffer buffers times of last use until Run writes them to the database.
type UsageBuffer[K comparable] struct {
	db      *database.DB
	write   func(ctx context.Context, q database.Querier, uses map[K]time.Time) error
	mu      sync.Mutex
	lastUse map[K]time.Time
}

// NewUsageBuffer returns an empty buffer. Run calls write in a transaction.
func NewUsageBuffer[K comparable](
	db *database.DB, write func(ctx context.Context, q database.Querier, uses map[K]time.Time) error,
) *UsageBuffer[K] {
	return &UsageBuffer[K]{db: db, write: write}
}

// Record buffers a use. The parameter written is the time of the last stored use, or nil if none is stored. A use less
// than MinUsageInterval after that time is ignored.
func (b *UsageBuffer[K]) Record(key K, at time.Time, written *time.Time) {
	if written != nil && at.Sub(*written) < MinUsageInterval {
		return
	}
	b.merge(map[K]time.Time{key: at})
}

// Run writes the buffered uses and runs the other tasks until ctx ends. Then it writes the remaining uses and returns
// nil. It logs failed writes and retries them. The name in the log says what is used, such as keys.
func (b *UsageBuffer[K]) Run(ctx context.Context, log *slog.Logger, name string, others ...periodic.Task) error {
	flush := periodic.Task{Name: "record the last use of " + name, Every: flushEvery, Do: b.flush}
	err := periodic.Run(ctx, log, append(others, flush)...)

	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), finalFlushTimeout)
	defer cancel()
	if flushErr := b.flush(last); flushErr != nil {
		log.WarnContext(last, "cannot record the last use of "+name+" at shutdown", "error", flushErr)
	}

	return err
}

// flush writes all buffered uses. After a failure it puts them back into the buffer.
func (b *UsageBuffer[K]) flush(ctx context.Context) error {
	uses := b.drain()
	if len(uses) == 0 {
		return nil
	}
	err := b.db.Write(ctx, func(q database.Querier) error { return b.write(ctx, q, uses) })
	if err != nil {
		b.merge(uses)
	}
	return err
}

// drain returns the buffered uses and empties the buffer.
func (b *UsageBuffer[K]) drain() map[K]time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	drained := b.lastUse
	b.lastUse = nil
	return drained
}

// merge adds uses, for example those of a failed write. The latest use of each key wins.
func (b *UsageBuffer[K]) merge(uses map[K]time.Time) {
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
