// Package cache keeps recently used values in memory, up to a total size. It does not know what the values are, and it
// never invalidates: keys contain a version, so that a stale entry is simply never asked for again.
package cache

import "sync"

// overhead is an estimate of the bytes that an entry takes beside its value: its key, and its share of the map.
const overhead = 96

// Cache is a cache bounded by the size of its values. It is safe for concurrent use.
//
// It keeps two generations. A new entry goes into the young one, and so does an old entry that is read. When the young
// generation reaches half of the budget it becomes the old one, and the previous old one is dropped. So an entry that
// is used at least once per generation stays.
type Cache[K comparable, V any] struct {
	budget int
	size   func(V) int

	mu         sync.Mutex
	young, old map[K]V
	youngSize  int
}

// New returns a cache whose values take at most budget bytes together, by the size function.
func New[K comparable, V any](budget int, size func(V) int) *Cache[K, V] {
	return &Cache[K, V]{budget: budget, size: size, young: map[K]V{}}
}

// Get returns the value of a key.
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

// Put stores a value, unless it takes more than half of the budget alone. A value that is stored already is kept: equal
// keys have equal values.
func (c *Cache[K, V]) Put(key K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.young[key]; !ok {
		delete(c.old, key)
		c.add(key, v)
	}
}

func (c *Cache[K, V]) add(key K, v V) {
	size := c.size(v) + overhead
	if size > c.budget/2 {
		return
	}
	if c.youngSize += size; c.youngSize > c.budget/2 {
		c.old, c.young, c.youngSize = c.young, map[K]V{}, size
	}
	c.young[key] = v
}
