package queue

import (
	"errors"
	"time"
)

// jitter is how far a wait may be from its schedule, to either side: what failed together is not tried again together.
const jitter = 0.2

// retryDelay returns how long to wait after an attempt that failed, or false if there is to be no other. random is from [0, 1).
func (k *Kind) retryDelay(attempt int, failure error, random float64) (time.Duration, bool) {
	var abort *abortError
	if attempt > len(k.Retries) || errors.As(failure, &abort) {
		return 0, false
	}
	wait := time.Duration(float64(k.Retries[attempt-1]) * (1 - jitter + 2*jitter*random))
	var retryAfter *retryAfterError
	if errors.As(failure, &retryAfter) {
		wait = max(wait, retryAfter.minDelay)
	}
	return wait, true
}
