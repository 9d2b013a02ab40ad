// Package cache keeps recently used values in memory within a budget of bytes. Callers choose keys that determine their
// values, for example by containing a version, or remove the values that have changed.
package cache

import (
	"sync"

	"vitrine/internal/kit/memory"
)

const (
	// overhead is an estimate of the bytes that an entry takes in addition to its size: its share of the map.
	overhead = 96
	// unusedRotations is after how many rotations a section without any use is evicted, whatever its size.
	unusedRotations = 64
)

// Owner identifies on whose behalf an entry is cached. The owner of a cache without owners is the zero value.
type Owner [16]byte

// Cache maps keys to values and evicts entries to stay within its budget. It is safe for concurrent use.
//
// Each owner has a section with two generations. New entries go into the young generation, and an entry of the old
// generation moves there when it is read. When the young generation would exceed half of the budget, it becomes the old
// one, and the entries of the previous old generation are evicted: the section is rotated. When all sections together
// exceed the budget, the largest ones are rotated. So an owner that fills the cache evicts its own entries, and others
// keep theirs.
type Cache[K comparable, V any] struct {
	budget int
	size   func(K, V) int
	owner  func(K) Owner

	mu        sync.Mutex
	sections  map[Owner]*section[K, V]
	total     int
	rotations int
}

// section has the entries of one owner.
type section[K comparable, V any] struct {
	young, old         map[K]V
	youngSize, oldSize int
	lastUse            int // the rotations of the cache at the last use
}

// New returns a cache whose entries take at most budget bytes in total. The function size returns the bytes that a key
// and its value take. It must count the texts in a key: clients often choose them.
func New[K comparable, V any](budget int, size func(K, V) int) *Cache[K, V] {
	return &Cache[K, V]{budget: budget, size: size, owner: func(K) Owner { return Owner{} },
		sections: map[Owner]*section[K, V]{}}
}

// NewShared returns a cache whose budget is a share of the memory, and in which every owner has a section of its own.
func NewShared[K comparable, V any](share *memory.Share, size func(K, V) int, owner func(K) Owner) *Cache[K, V] {
	c := New(int(share.Limit()), size).WithOwners(owner)
	share.Measure(func() int64 { return int64(c.Size()) })
	return c
}

// WithOwners gives every owner a section of its own and returns c. It must be called before the first use.
func (c *Cache[K, V]) WithOwners(owner func(K) Owner) *Cache[K, V] {
	c.owner = owner
	return c
}

// Size returns the bytes that the entries take.
func (c *Cache[K, V]) Size() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}

// Get returns the value of a key and whether the cache has it.
func (c *Cache[K, V]) Get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()

	s := c.sections[c.owner(key)]
	if s == nil {
		var none V
		return none, false
	}

	s.lastUse = c.rotations
	v, ok := s.young[key]
	if !ok {
		if v, ok = s.old[key]; ok {
			c.removeOld(s, key, v)
			c.add(s, key, v)
		}
	}

	return v, ok
}

// Put stores a value, unless its entry alone takes more than half of the budget. It may keep the stored value of a key,
// since a key always has the same value.
func (c *Cache[K, V]) Put(key K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()

	o := c.owner(key)
	s := c.sections[o]
	if s == nil {
		s = &section[K, V]{young: map[K]V{}}
		c.sections[o] = s
	}

	s.lastUse = c.rotations
	if _, ok := s.young[key]; ok {
		return
	}

	if before, ok := s.old[key]; ok {
		c.removeOld(s, key, before)
	}

	c.add(s, key, v)
}

// Replace stores a value as Put does, and replaces the stored value of the key. It is for callers that remove values.
func (c *Cache[K, V]) Replace(key K, v V) {
	c.Remove(key)
	c.Put(key, v)
}

// Remove removes the value of a key, if the cache has it.
func (c *Cache[K, V]) Remove(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.sections[c.owner(key)]
	if s == nil {
		return
	}
	if v, ok := s.old[key]; ok {
		c.removeOld(s, key, v)
	}
	if v, ok := s.young[key]; ok {
		size := c.size(key, v) + overhead
		delete(s.young, key)
		s.youngSize -= size
		c.total -= size
	}
}

func (c *Cache[K, V]) removeOld(s *section[K, V], key K, v V) {
	size := c.size(key, v) + overhead
	delete(s.old, key)
	s.oldSize -= size
	c.total -= size
}

func (c *Cache[K, V]) add(s *section[K, V], key K, v V) {
	size := c.size(key, v) + overhead
	if size > c.budget/2 {
		return
	}
	if s.youngSize+size > c.budget/2 {
		c.rotate(s)
	}
	for c.total+size > c.budget {
		c.evict(s)
	}
	s.young[key] = v
	s.youngSize += size
	c.total += size
}

// rotate evicts the old generation of a section. The young generation becomes the old one.
func (c *Cache[K, V]) rotate(s *section[K, V]) {
	c.rotations++
	c.total -= s.oldSize
	s.old, s.oldSize = s.young, s.youngSize
	s.young = map[K]V{}
	s.youngSize = 0
}

// evict makes room. It removes the sections that were not used for long. If there are none, it rotates the largest
// section and those of more than half of its size: many sections of about the same size are rotated together, so that
// the next calls need not search again. The section keep is not removed.
func (c *Cache[K, V]) evict(keep *section[K, V]) {
	largest := 0
	removed := false
	for o, s := range c.sections {
		size := s.oldSize + s.youngSize
		if s != keep && (size == 0 || c.rotations-s.lastUse > unusedRotations) {
			c.total -= size
			delete(c.sections, o)
			removed = removed || size > 0
			continue
		}
		largest = max(largest, size)
	}

	if removed {
		return
	}

	for _, s := range c.sections {
		if 2*(s.oldSize+s.youngSize) > largest {
			c.rotate(s)
		}
	}
}
