package queue

import "time"

// Ordered kinds (InOrder) order jobs by key, which the database assigns on insertion, and not by time: the clocks of
// the nodes that add jobs may differ. All jobs that were never tried have the same due time, and at most the first job
// of a lane has been tried. Only that first job is read; the next one is read after its result is written. So the
// database alone decides which job is next.

// dueNow returns the due time of a job that may start at once: the zero time for an ordered kind, else now.
func (ks *kindState) dueNow(now time.Time) time.Time {
	if ks.inOrder {
		return time.UnixMicro(0)
	}
	return now
}

// refillCountInOrder returns 1 if the lane may read its next job: no job of the lane is in memory.
func (l *leasedLane) refillCountInOrder() int {
	if len(l.inMemory) > 0 {
		return 0
	}
	return l.first.refillCount(1)
}
