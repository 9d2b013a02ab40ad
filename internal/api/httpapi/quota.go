package httpapi

import (
	"time"

	"vitrine/internal/kit/fault"
)

// Quota bounds how often something is asked for from one address, besides the limits that hold for all that is asked for. It is safe for
// concurrent use.
type Quota struct{ limiter limiter }

// NewQuota allows so many requests in a span of time, as many at once; 0 is any number.
func NewQuota(most int, span time.Duration) *Quota {
	return &Quota{limiter{rate: float64(most) / span.Seconds(), burst: float64(most), buckets: map[string]bucket{}}}
}

// Take counts the request against its address, or returns a TooMany fault with that message.
func (q *Quota) Take(r *Request, message string) error {
	if wait := q.limiter.add(r.Address(), r.server.now()); wait > 0 {
		return fault.New(fault.TooMany, "too_many_requests", "%s", message).After(wait)
	}
	return nil
}
