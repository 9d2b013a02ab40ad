package webhook

import (
	"sync"
	"time"
)

const (
	// breakAfter is the number of consecutive failures after which this node pauses a receiver. More requests would
	// only occupy slots and use up attempts.
	breakAfter = 5
	// breakLeast is the first pause and breakMost the longest; the pause doubles with each failure.
	breakLeast = 5 * time.Second
	breakMost  = 15 * time.Second
)

// breakers is a circuit breaker for each receiver. It counts consecutive failures. It is safe for concurrent use.
type breakers struct {
	mu       sync.Mutex
	failures map[string]int // by receiver id; no entry if the last attempt succeeded
}

func (b *breakers) succeeded(receiver string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.failures, receiver)
}

// failed counts a failure and returns how long to pause the receiver; 0 means no pause.
func (b *breakers) failed(receiver string) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures[receiver]++
	beyond := b.failures[receiver] - breakAfter
	if beyond < 0 {
		return 0
	}
	return min(breakMost, breakLeast<<min(beyond, 8))
}
