package storetest

import (
	"sync"
	"time"
)

// StartTime is the initial time of the clock of every Fixture. It has more digits than the databases store.
var StartTime = time.Date(2026, 11, 14, 12, 0, 5, 987654321, time.UTC)

// Clock is a clock that only the test advances, unless it follows the real time. Services take its method Now as their
// clock. It is safe for concurrent use.
type Clock struct {
	mu      sync.Mutex
	now     time.Time     // while the clock stands still
	running bool          // whether the clock follows the real time
	offset  time.Duration // how far a running clock is ahead of the real time
	refuse  func()        // nil for a clock that can be moved
}

// NewClock returns a clock that stands still at the given time.
func NewClock(now time.Time) *Clock { return &Clock{now: now} }

// NewFixedClock returns a clock that always stands still. An attempt to move it calls refuse, which must end the test.
func NewFixedClock(now time.Time, refuse func()) *Clock { return &Clock{now: now, refuse: refuse} }

// Now returns the current time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running {
		return time.Now().Add(c.offset)
	}
	return c.now
}

// Advance moves the clock forward by d.
func (c *Clock) Advance(d time.Duration) {
	if c.refuse != nil {
		c.refuse()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.offset += d
}

// Set sets the clock to the given time and stops it.
func (c *Clock) Set(now time.Time) {
	if c.refuse != nil {
		c.refuse()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
	c.running = false
}

// FollowRealTime sets the clock to the real time and lets it run. Advance then moves it ahead of the real time. It is
// for services that compare their clock with timers.
func (c *Clock) FollowRealTime() {
	if c.refuse != nil {
		c.refuse()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = true
	c.offset = 0
}
