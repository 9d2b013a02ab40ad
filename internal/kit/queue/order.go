package queue

import "time"

// Jobs of a kind that is in order stand by their keys, which are given as they are added: the clocks of the nodes that add them may differ. So all
// that were never tried are due at one and the same time, and of those that were there is only the first. It is read alone, and the next
// once its result is written: what is next is always what the database says.

// dueNow is when a job is due that waits for nothing but its turn.
func (k *Kind) dueNow(now time.Time) time.Time {
	if k.InOrder {
		return time.UnixMicro(0)
	}
	return now
}

// refillCountInOrder is room for the next job, if the one before it has come to its end.
func (l *leasedLane) refillCountInOrder() int {
	if len(l.inMemory) > 0 {
		return 0
	}
	return l.first.refillCount(1)
}
