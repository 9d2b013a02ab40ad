package httpapi

import (
	"maps"
	"sync"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
)

// maxBuckets is how many buckets a limiter keeps. At this number it evicts the empty buckets, or all buckets if none is
// empty.
const maxBuckets = 100_000

// rateLimiter limits the rate of events per key with leaky buckets. It is safe for concurrent use.
type rateLimiter struct {
	name    string // in the metrics
	mu      sync.Mutex
	rate    float64 // events per second
	burst   float64 // the capacity of a bucket: how many events may come at once
	buckets map[string]bucket
}

type bucket struct {
	level float64 // how many events the bucket held at the last update; falls by rate per second
	at    time.Time
}

// newRateLimiter returns a limiter that accepts up to limit events of a key at once, and limit events per span in the
// long run. 0 means no limit.
func newRateLimiter(name string, limit int, span time.Duration) *rateLimiter {
	return &rateLimiter{name: name, rate: float64(limit) / span.Seconds(), burst: float64(limit),
		buckets: map[string]bucket{}}
}

// add counts an event and returns 0, or returns how long to wait if the bucket is full. A refused event is not counted.
func (l *rateLimiter) add(key string, now time.Time) time.Duration { return l.addMany(key, 1, now) }

// addMany counts n events at once, or none of them. More than the capacity of a bucket count as that many.
func (l *rateLimiter) addMany(key string, n float64, now time.Time) time.Duration {
	if l.burst == 0 {
		return 0
	}

	l.mu.Lock()
	defer l.mu.Unlock()

	n = min(n, l.burst)
	level := l.level(l.buckets[key], now)
	wait := l.wait(level + n)
	if wait == 0 {
		level += n
		if len(l.buckets) >= maxBuckets {
			l.evict(now)
		}
	}

	l.buckets[key] = bucket{level, now}
	return wait
}

// remove takes back an event that add counted.
func (l *rateLimiter) remove(key string, now time.Time) {
	if l.burst == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if b, ok := l.buckets[key]; ok {
		l.buckets[key] = bucket{max(0, l.level(b, now)-1), now}
	}
}

// level returns how many events a bucket holds now.
func (l *rateLimiter) level(b bucket, now time.Time) float64 {
	return max(0, b.level-now.Sub(b.at).Seconds()*l.rate)
}

// wait returns how long to wait until a bucket that would be at the given level is within its capacity.
func (l *rateLimiter) wait(level float64) time.Duration {
	return time.Duration(max(0, level-l.burst) / l.rate * float64(time.Second))
}

// evict evicts empty buckets, or all buckets if none is empty.
func (l *rateLimiter) evict(now time.Time) {
	maps.DeleteFunc(l.buckets, func(_ string, b bucket) bool { return l.level(b, now) == 0 })
	if len(l.buckets) >= maxBuckets {
		clear(l.buckets)
	}
}

// limiterKey returns the key of a remote address in a limiter: an IPv4 address itself, or the /64 network of an IPv6
// address, since a host usually has a whole /64.
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
	err := s.countRequest(s.writesByAddress, r.Address(),
		"Too many requests that change something came from this address.")
	if err == nil && r.Principal.Kind == access.CustomerToken {
		err = s.countRequest(s.writesByPerson, string(r.Principal.CustomerID[:]),
			"Too many requests that change something came from this customer.")
	}
	if err == nil {
		err = s.countRequest(s.writesByStore, string(r.Principal.Store.ID[:]),
			"This store gets too many requests that change something at the moment.")
	}
	return err
}

// countRequest counts a request in l. It returns a TooMany fault with the message if the limit is exceeded.
func (s *Server) countRequest(l *rateLimiter, key, message string) error {
	return s.countMany(l, key, 1, message)
}

// countLimited counts a request that a limiter refused.
func (s *Server) countLimited(l *rateLimiter) {
	if s.Metrics != nil {
		s.Metrics.limited.WithLabelValues(l.name).Inc()
	}
}

// countMany counts n events in l. It returns a TooMany fault with the message if the limit is exceeded.
func (s *Server) countMany(l *rateLimiter, key string, n float64, message string) error {
	if wait := l.addMany(key, n, s.now()); wait > 0 {
		s.countLimited(l)
		return fault.New(fault.TooMany, "too_many_requests", "%s", message).After(wait)
	}
	return nil
}
