package httpapi

import (
	"time"

	"vitrine/internal/kit/fault"
)

// Quota limits how often a handler is called from one address, in addition to the limits that the server applies to all
// routes. It is safe for concurrent use.
type Quota struct{ limiter limiter }

// NewQuota returns a quota of most requests per address and span. They may all come at once. 0 is no limit.
func NewQuota(most int, span time.Duration) *Quota {
	return &Quota{limiter{rate: float64(most) / span.Seconds(), burst: float64(most), buckets: map[string]bucket{}}}
}

// Allow counts the request against the quota of its address. It returns a TooMany fault with the message if the quota
// is used up.
func (q *Quota) Allow(r *Request, message string) error {
	if wait := q.limiter.add(r.Address(), r.server.now()); wait > 0 {
		return fault.New(fault.TooMany, "too_many_requests", "%s", message).After(wait)
	}
	return nil
}
