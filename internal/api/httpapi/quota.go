package httpapi

import "time"

// Quota limits how often a handler is called from one address, in addition to the limits that the server applies to all
// routes. It is safe for concurrent use.
type Quota struct{ limiter *rateLimiter }

// NewQuota returns a quota that accepts up to limit requests of an address at once, and limit requests per span in the
// long run. 0 means no limit.
func NewQuota(limit int, span time.Duration) *Quota { return &Quota{newRateLimiter(limit, span)} }

// Allow counts the request against the quota of its address. It returns a TooMany fault with the message if the quota
// is used up.
func (q *Quota) Allow(r *Request, message string) error {
	return r.server.countRequest(q.limiter, r.Address(), message)
}
