package search

import (
	"maps"
	"sync"
	"time"

	"vitrine/internal/shop/pricing"
)

// maxChains is the number of chains of price lists that the columns of a store have at most. Each of them makes every
// refresh a little slower.
const maxChains = 64

// chainRequests are the chains of price lists whose prices the columns of a store shall have. The zero value is ready
// to use.
type chainRequests struct {
	mu        sync.Mutex
	wanted    map[pricing.Chain]bool
	suspended map[pricing.Chain]time.Time // until then they are not wanted
	// replaceAfter is the time from which a chain may take the place of another one. Without it, more chains than fit
	// into the memory would be built in turn all the time.
	replaceAfter time.Time
}

// mayReplace reports whether a chain may take the place of another one. If so, the next one may after the duration d.
func (r *chainRequests) mayReplace(d time.Duration) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if now.Before(r.replaceAfter) {
		return false
	}
	r.replaceAfter = now.Add(d)
	return true
}

// want requests a chain, unless it is suspended.
func (r *chainRequests) want(chain pricing.Chain) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if until, ok := r.suspended[chain]; ok && time.Now().Before(until) {
		return
	}
	delete(r.suspended, chain)
	if r.wanted == nil {
		r.wanted = map[pricing.Chain]bool{}
	}
	r.wanted[chain] = true
}

// done withdraws the request of a chain.
func (r *chainRequests) done(chain pricing.Chain) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.wanted, chain)
}

// suspend withdraws the request of a chain and ignores requests of it for the duration d.
func (r *chainRequests) suspend(chain pricing.Chain, d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	delete(r.wanted, chain)
	maps.DeleteFunc(r.suspended, func(_ pricing.Chain, until time.Time) bool { return now.After(until) })
	if r.suspended == nil {
		r.suspended = map[pricing.Chain]time.Time{}
	}
	r.suspended[chain] = now.Add(d)
}

// list returns the chains that are wanted, at most maxChains.
func (r *chainRequests) list() (chains []pricing.Chain) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for chain := range r.wanted {
		if len(chains) < maxChains {
			chains = append(chains, chain)
		}
	}
	return chains
}

// pending reports whether a chain is wanted.
func (r *chainRequests) pending() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.wanted) > 0
}
