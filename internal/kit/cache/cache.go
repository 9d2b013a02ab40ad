// Package cache keeps recently used values in memory within a budget of bytes. It has no invalidation: callers choose
// keys that determine their values, for example by containing a version.
package cache

import "sync"

// overhead is an estimate of the bytes that an entry takes in addition to its size: its share of the map.
const overhead = 96

// Cache maps keys to values and evicts entries to stay within its budget. It is safe for concurrent use.
//
// It has two generations. New entries go into the young generation, and an entry of the old generation moves there when
// it is read. When the young generation would exceed half of the budget, it becomes the old one, and the entries of the
// previous old generation are evicted.
type Cache[K comparable, V any] struct {
	budget int
	size   func(K, V) int

	mu         sync.Mutex
	young, old map[K]V
	youngSize  int
}

// New returns a cache whose entries take at most budget bytes in total. The function size returns the bytes that a key
// and its value take. It must count the texts in a key: clients often choose them.
func New[K comparable, V any](budget int, size func(K, V) int) *Cache[K, V] {
	return &Cache[K, V]{budget: budget, size: size, young: map[K]V{}}
}

// Get returns the value of a key and whether the cache has it.
func (c *Cache[K, V]) Get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.young[key]
	if !ok {
		if v, ok = c.old[key]; ok {
			delete(c.old, key)
			c.add(key, v)
		}
	}
	return v, ok
}

// Put stores a value, unless its entry alone takes more than half of the budget. It may keep the stored value of a key,
// since a key always has the same value.
func (c *Cache[K, V]) Put(key K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.young[key]; !ok {
		delete(c.old, key)
		c.add(key, v)
	}
}

func (c *Cache[K, V]) add(key K, v V) {
	size := c.size(key, v) + overhead
	if size > c.budget/2 {
		return
	}
	if c.youngSize += size; c.youngSize > c.budget/2 {
		c.old, c.young, c.youngSize = c.young, map[K]V{}, size
	}
	c.young[key] = v
}
