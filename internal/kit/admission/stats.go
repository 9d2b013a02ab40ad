package admission

import "time"

// waitBuckets are the upper bounds of the buckets of Stats.Waits.
var waitBuckets = [...]time.Duration{
	0, time.Millisecond, 5 * time.Millisecond, 25 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond,
	500 * time.Millisecond, time.Second,
}

// Stats are the metrics of a class.
type Stats struct {
	Slots, InProgress, Waiting int
	// RefusedByLoad counts the requests that got no slot in time, RefusedByShare those whose tenant or client held as
	// many slots as it can.
	RefusedByLoad, RefusedByShare int64
	// Admitted counts the requests that got a slot; WaitTotal is the time for which they waited.
	Admitted  int64
	WaitTotal time.Duration

	waits [len(waitBuckets)]int64 // requests that waited for at most this long and longer than the bucket before
}

func (s *Stats) observe(wait time.Duration) {
	s.Admitted++
	s.WaitTotal += wait
	for i, bound := range waitBuckets {
		if wait <= bound {
			s.waits[i]++
			return
		}
	}
}

// Waits returns, for each number of seconds, how many requests waited for at most that long before they got a slot.
func (s *Stats) Waits() map[float64]uint64 {
	sums := make(map[float64]uint64, len(waitBuckets))
	n := int64(0)
	for i, bound := range waitBuckets {
		n += s.waits[i]
		sums[bound.Seconds()] = uint64(n)
	}
	return sums
}

// Stats returns the current values. Those of a nil class are zero.
func (c *Class) Stats() Stats {
	if c == nil {
		return Stats{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.InProgress, s.Waiting = c.inProgress, c.queue.Len()
	s.RefusedByLoad += c.refusedEntering.Load()
	return s
}
