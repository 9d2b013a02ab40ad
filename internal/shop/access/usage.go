package access

import (
	"sync"
	"time"
)

// minUsageInterval is how often the last use of one key or session is written at most.
const minUsageInterval = time.Minute

// usageBuffer gathers when things were last used, until somebody takes it to write it down. The zero value is ready.
type usageBuffer[K comparable] struct {
	mu      sync.Mutex
	lastUse map[K]time.Time
}

// record remembers a use, unless the last one that was written is less than minUsageInterval ago.
func (b *usageBuffer[K]) record(key K, at time.Time, written *time.Time) {
	if written != nil && at.Sub(*written) < minUsageInterval {
		return
	}
	b.merge(map[K]time.Time{key: at})
}

// drain returns what was gathered and starts anew.
func (b *usageBuffer[K]) drain() map[K]time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	drained := b.lastUse
	b.lastUse = nil
	return drained
}

// merge adds uses, also those that were taken and could not be written; the latest one of each key counts.
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
