package access

import (
	"sync"
	"time"
)

// usageEvery is how often the last use of one key or session is written at most.
const usageEvery = time.Minute

// pending gathers when things were last used, until somebody takes it to write it down. The zero value is ready.
type pending[K comparable] struct {
	mu sync.Mutex
	at map[K]time.Time
}

// note remembers a use, unless the last one that was written is less than usageEvery ago.
func (p *pending[K]) note(key K, at time.Time, written *time.Time) {
	if written != nil && at.Sub(*written) < usageEvery {
		return
	}
	p.merge(map[K]time.Time{key: at})
}

// take returns what was gathered and starts anew.
func (p *pending[K]) take() map[K]time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	taken := p.at
	p.at = nil
	return taken
}

// merge adds uses, also those that were taken and could not be written; the latest one of each key counts.
func (p *pending[K]) merge(uses map[K]time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at == nil {
		p.at = make(map[K]time.Time, len(uses))
	}
	for key, at := range uses {
		if at.After(p.at[key]) {
			p.at[key] = at
		}
	}
}
