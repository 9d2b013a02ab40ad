package queue

import (
	"errors"
	"time"
)

// spread is how far a wait may be from its schedule, to either side: what failed together is not tried again together.
const spread = 0.2

// retry returns how long to wait after an attempt that failed, or false if there is to be no other. random is from [0, 1).
func (k *Kind) retry(attempt int, failure error, random float64) (time.Duration, bool) {
	var abort *abortion
	if attempt > len(k.Retries) || errors.As(failure, &abort) {
		return 0, false
	}
	wait := time.Duration(float64(k.Retries[attempt-1]) * (1 - spread + 2*spread*random))
	var later *delay
	if errors.As(failure, &later) {
		wait = max(wait, later.least)
	}
	return wait, true
}
