package memory

import (
	"io"
	"sync"
	"sync/atomic"
	"time"

	"vitrine/internal/kit/fault"
)

// ownerPart is the part of a share that one store, or one address, may use: half of it. So no single client can use up
// a share, and a client that is alone can still do large work.
const ownerPart = 2

// retryAfter is when a refused client should try again. What holds a share is short, or limited by a deadline.
const retryAfter = 2 * time.Second

// Owner is on whose behalf bytes are held. An empty field is not limited.
type Owner struct {
	Store   string
	Address string
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
	// measure returns the use of a share whose bytes are counted elsewhere, such as those of a cache.
	measure atomic.Pointer[func() int64]

	mu        sync.Mutex
	used      int64
	byStore   map[string]int64
	byAddress map[string]int64
	refused   [2]int64 // by scope: that of the process, that of an owner
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

// OwnerLimit returns how many bytes of the share one store or address may hold.
func (s *Share) OwnerLimit() int64 { return s.Limit() / ownerPart }

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

// acquire adds n bytes to the use of the share, or returns a fault and adds nothing.
func (s *Share) acquire(n int64, o Owner) error {
	if s.room != nil && s.room() < n {
		return s.refuse(0)
	}
	s.mu.Lock()
	ownerLimit := s.limit / ownerPart
	overStore := o.Store != "" && s.byStore[o.Store]+n > ownerLimit
	overAddress := o.Address != "" && !s.anyAddress && s.byAddress[o.Address]+n > ownerLimit
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
	addTo(s.byAddress, o.Address, n)
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
	return fault.New(fault.TooMany, "too_many_requests", "This %s has too many %s in progress at the same time; nothing "+
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
func (g *Grant) Grow(total int64) error {
	if g == nil || g.share == nil || total <= g.held {
		return nil
	}
	if err := g.share.acquire(total-g.held, g.owner); err != nil {
		return err
	}
	g.held = total
	return nil
}

// GrowAtMost is like Grow, but asks for at most what one owner may hold. It is for an estimate that may exceed the
// share: such work is admitted if its owner holds nothing else.
func (g *Grant) GrowAtMost(total int64) error {
	if g == nil || g.share == nil {
		return nil
	}
	return g.Grow(min(total, g.share.OwnerLimit()))
}

// Shrink releases bytes until the grant holds at most total.
func (g *Grant) Shrink(total int64) {
	if g == nil || g.share == nil || total >= g.held {
		return
	}
	g.share.release(g.held-total, g.owner)
	g.held = total
}

// Release releases all bytes. The grant may be used again.
func (g *Grant) Release() { g.Shrink(0) }

// Reader returns a reader of r that acquires the bytes that it reads. They are held until Release.
func (g *Grant) Reader(r io.Reader) io.Reader { return &grantedReader{r: r, grant: g} }

// acquireStep is how many bytes a grantedReader acquires at a time.
const acquireStep = 256 << 10

type grantedReader struct {
	r     io.Reader
	grant *Grant
	read  int64
}

func (r *grantedReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.read += int64(n)
	if refused := r.grant.Grow((r.read + acquireStep - 1) / acquireStep * acquireStep); refused != nil {
		return 0, refused
	}
	return n, err
}
