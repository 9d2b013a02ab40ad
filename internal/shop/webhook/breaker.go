package webhook

import (
	"sync"
	"time"
)

const (
	// breakAfter is after how many failures in a row a receiver is left alone, on this node: more would hold up slots, and use up attempts, for nothing.
	breakAfter = 5
	// breakLeast is for how long at first, breakMost at the most; it doubles with each failure.
	breakLeast = 5 * time.Second
	breakMost  = 15 * time.Second
)

// breakers counts the failures of receivers in a row. It is safe for concurrent use.
type breakers struct {
	mu       sync.Mutex
	failures map[string]int // by receiver; those that succeeded last are not there
}

func (b *breakers) succeeded(receiver string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.failures, receiver)
}

// failed returns for how long the receiver is to be left alone; 0 if it is not.
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
