package webhook

import (
	"sync"
	"time"
)

const (
	// breakerThreshold is the number of consecutive failures after which this node pauses a receiver. More requests
	// would only occupy slots and use up attempts.
	breakerThreshold = 5
	// minBreakerPause is the first pause and maxBreakerPause the longest; the pause doubles with each failure.
	minBreakerPause = 5 * time.Second
	maxBreakerPause = 15 * time.Second
)

// receiverBreakers counts the consecutive failures of each receiver. It is safe for concurrent use.
type receiverBreakers struct {
	mu       sync.Mutex
	failures map[string]int // by receiver id; no entry if the last attempt succeeded
}

func (b *receiverBreakers) recordSuccess(receiver string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.failures, receiver)
}

// recordFailure counts a failure and returns how long to pause the receiver; 0 means no pause.
func (b *receiverBreakers) recordFailure(receiver string) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures[receiver]++
	excess := b.failures[receiver] - breakerThreshold
	if excess < 0 {
		return 0
	}
	return min(maxBreakerPause, minBreakerPause<<min(excess, 8))
}
