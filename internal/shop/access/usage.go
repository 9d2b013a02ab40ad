package access

import (
	"sync"
	"time"
)

// minUsageInterval is the minimum time between two writes of the last use of one key or session.
const minUsageInterval = time.Minute

// usageBuffer buffers times of last use until they are written to the database. The zero value is ready to use.
type usageBuffer[K comparable] struct {
	mu      sync.Mutex
	lastUse map[K]time.Time
}

// record buffers a use, unless the last written one is less than minUsageInterval ago.
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
