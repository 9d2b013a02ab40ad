package httpapi

import (
	"sync"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
)

// maxBuckets is how many buckets a limiter keeps. Beyond it the limiter evicts empty buckets, and all of them if none
// is empty.
const maxBuckets = 100_000

// limiter limits the rate of events per key with leaky buckets. It is safe for concurrent use.
type limiter struct {
	mu      sync.Mutex
	rate    float64 // events per second
	burst   float64 // the capacity of a bucket: so many events may come at once
	buckets map[string]bucket
}

type bucket struct {
	level float64 // how many events it holds; it falls with time
	at    time.Time
}

// newLimiter returns a limiter that allows perMinute events per key and minute; 0 is no limit.
func newLimiter(perMinute int) *limiter {
	return &limiter{rate: float64(perMinute) / 60, burst: float64(perMinute), buckets: map[string]bucket{}}
}

// add counts an event and returns 0, or returns how long to wait if the bucket is full. A refused event is not counted.
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
	if len(l.buckets) >= maxBuckets {
		l.evict(now)
	}
	l.buckets[key] = b
	return 0
}

// timeUntilRoom returns how long to wait until the bucket has room for an event. It counts none.
func (l *limiter) timeUntilRoom(key string, now time.Time) time.Duration {
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

// evict evicts empty buckets, or all buckets if none is empty.
func (l *limiter) evict(now time.Time) {
	for k, b := range l.buckets {
		if b.level-now.Sub(b.at).Seconds()*l.rate <= 0 {
			delete(l.buckets, k)
		}
	}
	if len(l.buckets) >= maxBuckets {
		clear(l.buckets)
	}
}

// limiterKey returns the limiter key of a remote address: an IPv4 address as it is, of an IPv6 address its /64 network,
// since a host usually has a whole /64.
func limiterKey(remote string) string {
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

// allowPublicWrite counts a public write against the limits of its address, its customer and its store, and returns a
// TooMany fault if one of them is exceeded. It runs before the body is read.
func (s *Server) allowPublicWrite(r *Request) error {
	if wait := s.writesByAddress.add(r.Address(), s.now()); wait > 0 {
		return fault.New(fault.TooMany, "too_many_requests",
			"Too many requests that change something came from this address.").After(wait)
	}
	if r.Principal.Kind == access.CustomerToken {
		if wait := s.writesByPerson.add(string(r.Principal.CustomerID[:]), s.now()); wait > 0 {
			return fault.New(fault.TooMany, "too_many_requests",
				"Too many requests that change something came from this customer.").After(wait)
		}
	}
	if wait := s.writesByStore.add(string(r.Principal.Store.ID[:]), s.now()); wait > 0 {
		return fault.New(fault.TooMany, "too_many_requests",
			"This store gets too many requests that change something at the moment.").After(wait)
	}
	return nil
}
