package httpapi

import "time"

// Quota limits how often a handler is called from one address, in addition to the limits that the server applies to all
// routes. It is safe for concurrent use.
type Quota struct{ limiter *rateLimiter }

// NewQuota returns a quota that accepts up to limit requests of an address at once, and limit requests per span in the
// long run. 0 means no limit. The name is the name of the limiter in the metrics.
func NewQuota(name string, limit int, span time.Duration) *Quota {
	return &Quota{newRateLimiter(name, limit, span)}
}

// Allow counts the request against the quota of its address. It returns a TooMany fault with the message if the quota
// is used up.
func (q *Quota) Allow(r *Request, message string) error {
	return r.server.countRequest(q.limiter, r.Address(), message)
}

// AllowMany is like Allow, but counts the request as n requests.
func (q *Quota) AllowMany(r *Request, n int, message string) error {
	return r.server.countMany(q.limiter, r.Address(), float64(n), message)
}

// Try is like Allow for requests that count only if they fail: the handler calls succeeded if the request did not.
func (q *Quota) Try(r *Request, message string) (succeeded func(), err error) {
	if err := q.Allow(r, message); err != nil {
		return nil, err
	}
	return func() { q.limiter.remove(r.Address(), r.server.now()) }, nil
}
