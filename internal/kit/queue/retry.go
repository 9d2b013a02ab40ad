package queue

import (
	"errors"
	"time"
)

// jitter is the largest relative deviation of a retry delay: jobs that failed together are not retried together.
const jitter = 0.2

// retryDelay returns the delay after a failed attempt, or false if the job is given up. random is in [0, 1).
func (ks *kindState) retryDelay(attempt int, failure error, random float64) (time.Duration, bool) {
	var abort *abortError
	if attempt > len(ks.retries) || errors.As(failure, &abort) {
		return 0, false
	}
	wait := time.Duration(float64(ks.retries[attempt-1]) * (1 - jitter + 2*jitter*random))
	var retryAfter *retryAfterError
	if errors.As(failure, &retryAfter) {
		wait = max(wait, retryAfter.minDelay)
	}
	return wait, true
}
