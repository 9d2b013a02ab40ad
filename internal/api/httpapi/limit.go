package httpapi

import (
	"sync"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
)

// limiterMax is how many keys are remembered; beyond it those whose buckets have run empty are forgotten, or all of them if there are none.
const limiterMax = 100_000

// limiter counts events per key in a leaky bucket: rate a minute, as many at once.
type limiter struct {
	mu      sync.Mutex
	rate    float64 // a second
	burst   float64
	buckets map[string]bucket
}

type bucket struct {
	level float64
	at    time.Time
}

// newLimiter makes a limiter of perMinute events; 0 never limits.
func newLimiter(perMinute int) *limiter {
	return &limiter{rate: float64(perMinute) / 60, burst: float64(perMinute), buckets: map[string]bucket{}}
}

// add counts one event and returns how long to wait if it is one too many.
func (l *limiter) add(key string, now time.Time) time.Duration {
	if l == nil || l.burst == 0 {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.buckets[key]
	b.level = max(0, b.level-now.Sub(b.at).Seconds()*l.rate)
	b.at = now
	if b.level+1 > l.burst {
		l.buckets[key] = b
		return time.Duration((b.level + 1 - l.burst) / l.rate * float64(time.Second))
	}
	b.level++
	if len(l.buckets) >= limiterMax {
		l.sweep(now)
	}
	l.buckets[key] = b
	return 0
}

// full returns how long to wait until there is room for one more event; it counts none.
func (l *limiter) full(key string, now time.Time) time.Duration {
	if l == nil || l.burst == 0 {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.buckets[key]
	over := max(0, b.level-now.Sub(b.at).Seconds()*l.rate) + 1 - l.burst
	if over <= 0 {
		return 0
	}
	return time.Duration(over / l.rate * float64(time.Second))
}

// sweep forgets the buckets that have run empty, and all of them if that is not enough.
func (l *limiter) sweep(now time.Time) {
	for k, b := range l.buckets {
		if b.level-now.Sub(b.at).Seconds()*l.rate <= 0 {
			delete(l.buckets, k)
		}
	}
	if len(l.buckets) >= limiterMax {
		clear(l.buckets)
	}
}

// address is what limits per address count by: an IPv4 address, or the network of an IPv6 one, since a host has a whole /64 of those.
func address(remote string) string {
	a, ok := parseAddress(remote)
	if !ok {
		return remote
	}
	if a.Is6() {
		if p, err := a.Prefix(64); err == nil {
			return p.String()
		}
	}
	return a.String()
}

// allowPublicWrite counts a public write against its address, the customer who makes it, and its store, and returns a TooMany fault for one
// that is too many. It is asked before the body is read.
func (s *Server) allowPublicWrite(r *Request) error {
	if wait := s.writesByAddress.add(r.Address(), s.now()); wait > 0 {
		return fault.New(fault.TooMany, "too_many_requests", "Too many requests that change something came from this address.").After(wait)
	}
	if r.Principal.Kind == access.CustomerToken {
		if wait := s.writesByPerson.add(string(r.Principal.CustomerID[:]), s.now()); wait > 0 {
			return fault.New(fault.TooMany, "too_many_requests", "Too many requests that change something came from this customer.").After(wait)
		}
	}
	if wait := s.writesByStore.add(string(r.Principal.Store.ID[:]), s.now()); wait > 0 {
		return fault.New(fault.TooMany, "too_many_requests", "This store gets too many requests that change something at the moment.").After(wait)
	}
	return nil
}
