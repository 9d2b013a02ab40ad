// Package admission bounds the work that a server does at once. A Class has a number of slots. Work that finds no free
// slot waits in a queue for a short time, and is then refused. The package knows nothing of HTTP, stores or databases.
//
// A free slot goes to the tenant that holds the fewest slots, and within the tenant to the client that holds the
// fewest. Among equals it goes to the one whose turn it is, so that a tenant with a long queue does not delay the
// others. The next of equals is the oldest request. While the queue is long and old, it is the newest one: the oldest
// requests would mostly be served after their clients have given up, and goodput would fall to nothing.
package admission

import (
	"container/list"
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"vitrine/internal/kit/fault"
)

const (
	// oldQueue is the age of the oldest request in the queue from which on the queue is old.
	oldQueue = 100 * time.Millisecond
	// retryAfter is what a refused client is told to wait.
	retryAfter = time.Second
	// maxEntering is the most requests that wait to enter the queue of a class. On a machine that keeps up there are
	// hardly ever two.
	maxEntering = 256
	// longQueue is the length from which on a queue is long, unless the class has more than half as many slots.
	longQueue = 32
)

// Overloaded is the code of the fault of a request that got no slot in time.
const Overloaded = "overloaded"

// Limits are the limits of a class.
type Limits struct {
	// Slots is the number of requests in progress at once.
	Slots int
	// TenantSlots and ClientSlots are how many of the slots a tenant and a client can hold, even if others are free; 0
	// means all of them. They are for long work: a slot that is held for seconds is not free for others in time.
	TenantSlots, ClientSlots int
	// Waiting is the length of the queue. A request that comes while the queue is full takes the place of the oldest
	// request of the tenant and client with the most requests in the queue.
	Waiting int
	// MaxWait is how long a request waits.
	MaxWait time.Duration
}

// Key says on whose behalf a request is made.
type Key struct {
	Tenant string
	Client string
}

// Class is a class of work with its slots and its queue. A nil Class admits everything. It is safe for concurrent use.
type Class struct {
	limits Limits
	// entering counts the requests that wait for mu before they enter the queue. They are bounded, too: a request that
	// ends waits for mu behind them.
	entering        atomic.Int64
	refusedEntering atomic.Int64 // requests that were refused because too many were entering

	mu         sync.Mutex
	inProgress int
	queue      list.List // of *waiter, in the order of arrival
	tenants    map[string]*tenant
	clients    map[string]int // slots that each client holds, of all tenants together
	turn       uint64         // the turn of the tenant that was served last
	arrived    uint64         // how many requests have entered the queue
	// queued is the number of requests in the queue of each client, of all tenants together. nonEmptySince is the time
	// since which the queue was never empty. prechecked is the time when Precheck last refused a request.
	queued                    map[string]int
	nonEmptySince, prechecked time.Time
	stats                     Stats
}

// share is what a tenant, or a client of a tenant, has of a class.
type share struct {
	inProgress int
	// turn grows with each slot. Among shares with the same inProgress the lowest turn is served first.
	turn  uint64
	queue list.List // of *waiter, in the order of arrival
}

type tenant struct {
	share
	clients map[string]*share
	served  uint64 // the turn of the client that was served last
}

type waiter struct {
	key    Key
	since  time.Time
	number uint64 // in the order of arrival
	// inClass, inTenant and inClient are the places in the three queues.
	inClass, inTenant, inClient *list.Element
	// decided gets nil when the waiter has got a slot, or the fault with which it was refused.
	decided chan error
}

// New returns a class with free slots.
func New(limits Limits) *Class {
	limits.Slots = max(1, limits.Slots)
	if limits.TenantSlots <= 0 || limits.TenantSlots >= limits.Slots {
		limits.TenantSlots = math.MaxInt
	}
	if limits.ClientSlots <= 0 || limits.ClientSlots >= limits.Slots {
		limits.ClientSlots = math.MaxInt
	}
	return &Class{limits: limits, tenants: map[string]*tenant{}, clients: map[string]int{},
		queued: map[string]int{}, stats: Stats{Slots: limits.Slots}}
}

// Acquire waits for a slot. The caller calls release exactly once when the work is done. Acquire returns a fault if it
// gets no slot in time: fault.Unavailable, or fault.TooMany if slots are free but the tenant or the client holds as
// many as it can. If ctx ends first, it returns the error of ctx.
func (c *Class) Acquire(ctx context.Context, key Key) (release func(), err error) {
	if c == nil {
		return func() {}, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := c.wait(ctx, key); err != nil {
		return nil, err
	}
	return func() { c.release(key) }, nil
}

func (c *Class) wait(ctx context.Context, key Key) error {
	if c.entering.Add(1) > maxEntering {
		c.entering.Add(-1)
		c.refusedEntering.Add(1)
		return errOverloaded()
	}

	c.mu.Lock()
	c.entering.Add(-1)

	// Requests that wait while slots are free wait for their own tenant or client. They are not overtaken.
	if c.inProgress < c.limits.Slots && c.mayHoldMore(key) {
		c.grant(key)
		c.stats.observe(0)
		c.mu.Unlock()
		return nil
	}

	w := c.enqueue(key)
	if c.queue.Len() > c.limits.Waiting {
		c.refuse(c.oldestOfLongestQueue())
	}

	c.mu.Unlock()

	timeout := time.NewTimer(c.limits.MaxWait)
	defer timeout.Stop()

	select {
	case err := <-w.decided:
		return err
	case <-timeout.C:
	case <-ctx.Done():
	}

	c.mu.Lock()
	defer c.mu.Unlock()

	if w.inClass == nil { // decided in the meantime
		return <-w.decided
	}

	if ctx.Err() != nil {
		c.dequeue(w)
		return ctx.Err()
	}

	c.refuse(w)
	return <-w.decided
}

// Precheck refuses a request of the client before any work is done for it, if it would most likely be refused in
// Acquire: the queue has not been empty for as long as a request waits, and the client has its share of the queue. It
// makes refusals cheap, so that an overload costs little of the capacity. The queue stays short until the overload is
// over for as long.
func (c *Class) Precheck(client string) error {
	if c == nil {
		return nil
	}

	if c.entering.Load() > maxEntering/2 {
		c.refusedEntering.Add(1)
		return errOverloaded()
	}

	c.mu.Lock()
	defer c.mu.Unlock()

	now := time.Now()
	overload := now.Sub(c.nonEmptySince) >= c.limits.MaxWait || now.Sub(c.prechecked) < c.limits.MaxWait
	if !overload || !c.isLong() || c.queued[client] < c.queue.Len()/len(c.queued) {
		return nil
	}

	c.prechecked = now
	c.stats.RefusedByLoad++
	return errOverloaded()
}

// isLong reports whether the queue is long for the slots that the class has.
func (c *Class) isLong() bool { return c.queue.Len() >= max(longQueue, 2*c.limits.Slots) }

// mayHoldMore reports whether the limits of the key's tenant and client allow one more slot.
func (c *Class) mayHoldMore(key Key) bool {
	t := c.tenants[key.Tenant]
	return (t == nil || t.inProgress < c.limits.TenantSlots) && c.clients[key.Client] < c.limits.ClientSlots
}

// release frees a slot and gives it to a waiting request.
func (c *Class) release(key Key) {
	c.mu.Lock()
	defer c.mu.Unlock()

	t := c.tenants[key.Tenant]
	c.inProgress--
	t.inProgress--
	t.clients[key.Client].inProgress--

	if c.clients[key.Client]--; c.clients[key.Client] == 0 {
		delete(c.clients, key.Client)
	}

	c.forget(key)

	for c.inProgress < c.limits.Slots {
		w := c.next()
		if w == nil {
			return
		}
		c.dequeue(w)
		c.grant(w.key)
		c.stats.observe(time.Since(w.since))
		w.decided <- nil
	}
}

// grant gives a slot to the key.
func (c *Class) grant(key Key) {
	t, client := c.shares(key)
	c.inProgress++
	c.clients[key.Client]++
	t.inProgress++
	client.inProgress++
	c.turn, t.served = max(c.turn, t.turn), max(t.served, client.turn)
	t.turn++
	client.turn++
}

// shares returns the shares of the key. A share in which nothing waits has no turn before the one that was served last:
// it saves up no turns.
func (c *Class) shares(key Key) (*tenant, *share) {
	t := c.tenants[key.Tenant]
	if t == nil {
		t = &tenant{clients: map[string]*share{}}
		c.tenants[key.Tenant] = t
	}

	if t.queue.Len() == 0 {
		t.turn = max(t.turn, c.turn)
	}

	client := t.clients[key.Client]
	if client == nil {
		client = &share{}
		t.clients[key.Client] = client
	}

	if client.queue.Len() == 0 {
		client.turn = max(client.turn, t.served)
	}

	return t, client
}

// forget deletes the shares of the key if they hold nothing and wait for nothing.
func (c *Class) forget(key Key) {
	t := c.tenants[key.Tenant]
	if client := t.clients[key.Client]; client.inProgress == 0 && client.queue.Len() == 0 {
		delete(t.clients, key.Client)
	}
	if len(t.clients) == 0 {
		delete(c.tenants, key.Tenant)
	}
}

func (c *Class) enqueue(key Key) *waiter {
	c.arrived++
	if c.queue.Len() == 0 {
		c.nonEmptySince = time.Now()
	}
	c.queued[key.Client]++
	w := &waiter{key: key, since: time.Now(), number: c.arrived, decided: make(chan error, 1)}
	t, client := c.shares(key)
	w.inClass, w.inTenant, w.inClient = c.queue.PushBack(w), t.queue.PushBack(w), client.queue.PushBack(w)
	return w
}

func (c *Class) dequeue(w *waiter) {
	t, client := c.shares(w.key)
	c.queue.Remove(w.inClass)
	t.queue.Remove(w.inTenant)
	client.queue.Remove(w.inClient)
	w.inClass = nil
	if c.queued[w.key.Client]--; c.queued[w.key.Client] == 0 {
		delete(c.queued, w.key.Client)
	}
	c.forget(w.key)
}

// refuse removes w from the queue and refuses it.
func (c *Class) refuse(w *waiter) {
	c.dequeue(w)
	if !c.mayHoldMore(w.key) {
		c.stats.RefusedByShare++
		w.decided <- fault.New(fault.TooMany, "too_many_requests", "This store or address has too many requests of "+
			"this kind in progress. Wait for a response, then try again.").After(retryAfter)
		return
	}
	c.stats.RefusedByLoad++
	w.decided <- errOverloaded()
}

func errOverloaded() error {
	return fault.New(fault.Unavailable, Overloaded, "The server has more requests of this kind than it can answer in "+
		"time; nothing was done for this one. Try again shortly.").After(retryAfter)
}

// next returns the request that gets the next free slot, or nil.
func (c *Class) next() *waiter {
	oldest := c.queue.Front()
	if oldest == nil {
		return nil
	}

	// A short queue is served in order even if it is old: it became old in a pause, and no request in it need starve.
	newestFirst := c.isLong() && time.Since(oldest.Value.(*waiter).since) > oldQueue
	var found *waiter
	var best *tenant
	for _, t := range c.tenants {
		if t.queue.Len() == 0 || t.inProgress >= c.limits.TenantSlots ||
			best != nil && !t.before(&best.share, newestFirst) {
			continue
		}
		if w := c.nextOf(t, newestFirst); w != nil {
			found, best = w, t
		}
	}

	return found
}

// nextOf returns the request of a tenant that gets the next free slot, or nil if each of its clients holds as many
// slots as it can.
func (c *Class) nextOf(t *tenant, newestFirst bool) *waiter {
	var best *share
	for name, client := range t.clients {
		if client.queue.Len() > 0 && c.clients[name] < c.limits.ClientSlots &&
			(best == nil || client.before(best, newestFirst)) {
			best = client
		}
	}
	if best == nil {
		return nil
	}
	return best.nextWaiter(newestFirst)
}

// nextWaiter returns the request of a share that is served first.
func (s *share) nextWaiter(newestFirst bool) *waiter {
	if newestFirst {
		return s.queue.Back().Value.(*waiter)
	}
	return s.queue.Front().Value.(*waiter)
}

// before reports whether s is served before other. Both have waiting requests.
func (s *share) before(other *share, newestFirst bool) bool {
	switch {
	case s.inProgress != other.inProgress:
		return s.inProgress < other.inProgress
	case s.turn != other.turn:
		return s.turn < other.turn
	}
	return newestFirst == (s.nextWaiter(newestFirst).number > other.nextWaiter(newestFirst).number)
}

// oldestOfLongestQueue returns the oldest request of the client with the most requests in the queue, of the tenant with
// the most.
func (c *Class) oldestOfLongestQueue() *waiter {
	var most *tenant
	for _, t := range c.tenants {
		if most == nil || t.queue.Len() > most.queue.Len() {
			most = t
		}
	}
	var longest *share
	for _, client := range most.clients {
		if longest == nil || client.queue.Len() > longest.queue.Len() {
			longest = client
		}
	}
	return longest.queue.Front().Value.(*waiter)
}
