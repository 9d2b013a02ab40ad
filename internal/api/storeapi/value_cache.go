package storeapi

import (
	"sync"

	"vitrine/internal/shop/catalog"
)

// maxValueCacheBytes limits the memory of the cache, in bytes.
const maxValueCacheBytes = 8 << 20

// valueCacheKey identifies the rendered values of an option. They depend on the id and the version only, so a cached
// entry is never stale, on any node.
type valueCacheKey struct {
	id      catalog.AttributeID
	version int64
}

// valueCache caches the rendered values of options in two generations. When the young generation is full, it becomes
// the old one, and the previous old one is dropped. An entry of the old generation that is used is added to the young
// one again.
type valueCache struct {
	mu         sync.Mutex
	young, old map[valueCacheKey][]byte
	bytes      int
}

func newValueCache() *valueCache { return &valueCache{young: map[valueCacheKey][]byte{}} }

func (f *valueCache) get(key valueCacheKey) ([]byte, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	b, ok := f.young[key]
	if !ok {
		if b, ok = f.old[key]; ok {
			f.add(key, b)
		}
	}
	return b, ok
}

func (f *valueCache) put(key valueCacheKey, b []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.young[key]; !ok {
		f.add(key, b)
	}
}

func (f *valueCache) add(key valueCacheKey, b []byte) {
	const overhead = 96
	if f.bytes += len(b) + overhead; f.bytes > maxValueCacheBytes/2 {
		f.old, f.young = f.young, map[valueCacheKey][]byte{}
		f.bytes = len(b) + overhead
	}
	f.young[key] = b
}
