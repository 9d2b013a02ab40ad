package memory

import (
	"sync"
	"sync/atomic"
	"time"

	"vitrine/internal/kit/fault"
)

// What one owner may hold of a share, in eighths of it. No owner can use up a share, and no address can use up what its
// store may hold, so that the other visitors of a shop are served even if it is the only one. The parts are not
// smaller, since a visitor's address may be the address of a shop's own web server, which asks on behalf of all
// visitors.
const (
	storeEighths = 4
	// addressEighths are for the shop's own clients at one address: those with a secret key, an exchange token or a
	// session. They push large bodies, several at once, and leave the rest of their store's part to visitors.
	addressEighths = 3
	// visitorEighths are for the visitors at one address. Visitors are strangers, and what they send is short.
	visitorEighths = 1
	// estimateEighths caps what GrowAtMost acquires, however large the estimate. The rest of the store's part stays
	// free for small bodies while a very large body is read. An address that holds nothing else may acquire so much
	// even if addressLimit is lower.
	estimateEighths = 2
)

// retryAfter is when a refused client should try again. What holds a share is short, or limited by a deadline.
const retryAfter = 2 * time.Second

// Owner is on whose behalf bytes are held. An empty field is not limited.
type Owner struct {
	Store   string
	Address string
	// Visitor is true for a client that has no credential of the shop's own. The visitors at an address are counted
	// apart from its other clients.
	Visitor bool
}

// addressKey returns the key of the address in Share.byAddress.
func (o Owner) addressKey() string {
	if o.Visitor && o.Address != "" {
		return "visitor " + o.Address
	}
	return o.Address
}

// Share is a part of the budget with a name. Work acquires bytes of it before it allocates them. It is safe for
// concurrent use. A nil Share admits everything.
type Share struct {
	name  string
	noun  string // what the share is for, in messages: "request bodies"
	limit int64
	// anyAddress turns off the limit per address.
	anyAddress bool
	// room returns how many bytes there is room for besides the share, such as on a disk; nil without another bound.
	room func() int64
	// measure returns the use of a share whose bytes are counted elsewhere, such as in a cache.
	measure atomic.Pointer[func() int64]

	mu        sync.Mutex
	used      int64
	byStore   map[string]int64
	byAddress map[string]int64
	refused   [2]int64 // by scope: the process, an owner
}

// NewShare returns a share of limit bytes. The noun says in messages what the share is for, such as "request bodies".
func NewShare(name, noun string, limit int64) *Share {
	return &Share{name: name, noun: noun, limit: limit, byStore: map[string]int64{}, byAddress: map[string]int64{}}
}

// Name returns the name of the share, as in the metrics.
func (s *Share) Name() string { return s.name }

// Limit returns the size of the share in bytes. That of a nil share is 0.
func (s *Share) Limit() int64 {
	if s == nil {
		return 0
	}
	return s.limit
}

// StoreLimit returns how many bytes of the share one store may hold.
func (s *Share) StoreLimit() int64 { return s.eighths(storeEighths) }

// addressLimit returns how many bytes of the share the address of the owner may hold.
func (s *Share) addressLimit(o Owner) int64 {
	switch {
	case o.Visitor:
		return s.eighths(visitorEighths)
	case o.Store == "": // a connection, whose store is not known yet
		return s.eighths(storeEighths)
	}
	return s.eighths(addressEighths)
}

func (s *Share) eighths(n int64) int64 { return s.Limit() * n / 8 }

// Used returns how many bytes are acquired.
func (s *Share) Used() int64 {
	if s == nil {
		return 0
	}
	if f := s.measure.Load(); f != nil {
		return (*f)()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}

// Refused returns how many acquisitions were refused because the share was used up, and because its owner held too much
// of it.
func (s *Share) Refused() (process, owner int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused[0], s.refused[1]
}

// Measure makes Used return the result of f. It is for a share whose size is a setting of a cache, which counts itself.
func (s *Share) Measure(f func() int64) {
	if s != nil {
		s.measure.Store(&f)
	}
}

// Open returns a grant without bytes on behalf of the owner.
func (s *Share) Open(o Owner) *Grant { return &Grant{share: s, owner: o} }

// acquire adds n bytes to what a grant holds, or returns a fault and adds nothing. An estimate may exceed the limit of
// its address if the address holds nothing else.
func (s *Share) acquire(n int64, g *Grant, estimate bool) error {
	o := g.owner
	if s.room != nil && s.room() < n {
		return s.refuse(0)
	}

	s.mu.Lock()
	ofAddress := s.byAddress[o.addressKey()]
	addressLimit := s.addressLimit(o)
	if estimate && ofAddress == g.held {
		addressLimit = max(addressLimit, s.eighths(estimateEighths))
	}

	overStore := o.Store != "" && s.byStore[o.Store]+n > s.StoreLimit()
	overAddress := o.Address != "" && !s.anyAddress && ofAddress+n > addressLimit
	over := s.used+n > s.limit
	if !over && !overStore && !overAddress {
		s.add(n, o)
	}

	s.mu.Unlock()

	switch {
	case overStore:
		return s.refuseOwner("store")
	case overAddress:
		return s.refuseOwner("address")
	case over:
		return s.refuse(0)
	}

	return nil
}

func (s *Share) release(n int64, o Owner) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(-n, o)
}

// add changes the use by n. The caller holds the lock.
func (s *Share) add(n int64, o Owner) {
	s.used += n
	addTo(s.byStore, o.Store, n)
	addTo(s.byAddress, o.addressKey(), n)
}

func addTo(uses map[string]int64, key string, n int64) {
	if key == "" {
		return
	}
	if uses[key] += n; uses[key] == 0 {
		delete(uses, key)
	}
}

func (s *Share) refuse(scope int) error {
	s.mu.Lock()
	s.refused[scope]++
	s.mu.Unlock()
	return fault.New(fault.Unavailable, "overloaded", "The server has no room for more %s at the moment; nothing was "+
		"changed. Try again shortly.", s.noun).After(retryAfter)
}

func (s *Share) refuseOwner(who string) error {
	s.mu.Lock()
	s.refused[1]++
	s.mu.Unlock()
	return fault.New(fault.TooMany, "too_many_requests",
		"This %s has too many %s in progress at the same time; nothing "+
			"was changed. Try again when some of them are done.", who, s.noun).After(retryAfter)
}

// Grant is what one piece of work holds of a share. It is not safe for concurrent use. A nil Grant admits everything.
type Grant struct {
	share *Share
	owner Owner
	held  int64
}

// Grow acquires bytes until the grant holds at least total. It returns fault.TooMany if the store or the address holds
// too much of the share, and fault.Unavailable if the share is used up. Then the grant is unchanged.
func (g *Grant) Grow(total int64) error { return g.grow(total, false) }

// GrowAtMost is like Grow, but asks for at most a quarter of the share. It is for an estimate that may exceed the
// share: such work is admitted if its address holds nothing else, and leaves room for other work of its store.
func (g *Grant) GrowAtMost(total int64) error {
	if g == nil || g.share == nil {
		return nil
	}
	return g.grow(min(total, g.share.eighths(estimateEighths)), true)
}

// AtMost returns the most that GrowAtMost asks for, in bytes. It is 0 without a share.
func (g *Grant) AtMost() int64 {
	if g == nil {
		return 0
	}
	return g.share.eighths(estimateEighths)
}

func (g *Grant) grow(total int64, estimate bool) error {
	if g == nil || g.share == nil || total <= g.held {
		return nil
	}
	if err := g.share.acquire(total-g.held, g, estimate); err != nil {
		return err
	}
	g.held = total
	return nil
}

// Shrink releases bytes until the grant holds at most total.
func (g *Grant) Shrink(total int64) {
	if g == nil || g.share == nil || total >= g.held {
		return
	}
	g.share.release(g.held-total, g.owner)
	g.held = total
}

// Another returns a grant without bytes on behalf of the same owner.
func (g *Grant) Another() *Grant {
	if g == nil {
		return nil
	}
	return g.share.Open(g.owner)
}

// Release releases all bytes. The grant may be used again.
func (g *Grant) Release() { g.Shrink(0) }
